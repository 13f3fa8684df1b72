// SPDX-License-Identifier: Apache-2.0
// Another build of the library as the peer: here a copy of its file, perhaps with something changed in it.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "raced.hpp"

namespace benchdnn_lite {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path &file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

class race_another_build : public testing::Test {
protected:
    race_another_build() { fs::create_directory(folder_); }
    ~race_another_build() override { fs::remove_all(folder_); }

    std::string write(const std::string &name, const std::string &content) const {
        std::ofstream(folder_ / name, std::ios::binary) << content;
        return folder_ / name;
    }

private:
    const fs::path folder_ = testing::TempDir() + "race_another_build_" + std::to_string(getpid());
};

TEST_F(race_another_build, a_copy_by_another_name_is_raced_and_has_the_same_bits) {
    const std::string file = write("copy.so", content_of(RACE_OUR_LIBRARY));
    const auto json =
        raced({}, nobody(),
              {"--peer=" + file, "--dir=FWD_D,FWD_I,BWD_DW", "--flags=,GCH", "--tag=abx,AB16b16a", "20x35",
               "--dir=FWD_D", "--inplace=true", "--attr-post-ops=sum:0.5+relu+add:f32:2", "5x7", "--dt=bf16:s8",
               "--inplace=false", "--attr-post-ops=", "--attr-scales=src:common:2", "9x33"});
    EXPECT_EQ(json["peer"], file);
    ASSERT_GE(json["races"].size(), 14);
    for (const auto &race : json["races"]) {
        EXPECT_EQ(race["note"], "") << race["problem"];
        EXPECT_EQ(race["peer"], race["ours"]);
        EXPECT_TRUE(race["peer_over_ours"].is_number()) << race["problem"];
    }
}

TEST_F(race_another_build, the_file_that_was_named_is_the_one_that_runs) {
    const std::string name = "ref:any", other_name = "ref:own";
    std::string content = content_of(RACE_OUR_LIBRARY);
    for (size_t at = content.find(name); at != content.npos; at = content.find(name, at))
        content.replace(at, name.size(), other_name);
    const auto json = raced({}, nobody(), {"--peer=" + write("altered.so", content), "--impl=ref", "3x40"});
    EXPECT_EQ(json["races"][0]["ours"], name);
    EXPECT_EQ(json["races"][0]["peer"], other_name);
}

TEST(race_tensors, are_shared_where_both_have_the_same_layout) {
    const session s;
    problem p;
    p.size.dims = {4, 8};
    p.tags.dst = "abx";
    const execution ours(s, p), alike(s, p, ours);
    p.tags.dst = "ba";
    const execution other(s, p, ours);
    for (const int id : {JITNORM_ARG_SRC, JITNORM_ARG_DST, JITNORM_ARG_MEAN})
        EXPECT_EQ(alike.data(id).data(), ours.data(id).data()) << id;
    EXPECT_EQ(other.data(JITNORM_ARG_SRC).data(), ours.data(JITNORM_ARG_SRC).data());
    EXPECT_NE(other.data(JITNORM_ARG_DST).data(), ours.data(JITNORM_ARG_DST).data());
}

class race_plan : public testing::Test {
protected:
    race_plan() {
        jitnorm_set_verbose(0); // ours
        setenv("JITNORM_VERBOSE", "2", 1);
    }
    ~race_plan() override { unsetenv("JITNORM_VERBOSE"); }
};

// Its log shows it: a library that is opened now reads the environment now.
TEST_F(race_plan, is_made_by_this_build_once_more_for_other_caches) {
    for (const std::string numbers : {"l2:200000,last_level:2000000,memory:100,shared:50,prefetch:1",
                                      "l2:300000,last_level:3000000,memory:50,shared:100,prefetch:2"}) {
        const answer a =
            run(nobody(), {"--rounds=1", "--plan=" + numbers, "--dir=FWD_D,BWD_DW", "--flags=CH", "100x400"});
        EXPECT_EQ(a.status, 0) << a.errors;
        EXPECT_TRUE(has(a.text, "+JITNORM_CACHES," + numbers + "\n")) << numbers;
        EXPECT_FALSE(has(a.text, "bits differ"));
        EXPECT_EQ(getenv("JITNORM_CACHES"), nullptr);
    }
}

TEST_F(race_plan, is_said_to_be_the_same_where_it_is) {
    const std::string same = "(the plans are equal: any difference is noise)";
    const answer alike = run(nobody(), {"--rounds=1", "--plan=l2:300000,last_level:3000000", "3x40"});
    EXPECT_TRUE(has(alike.text, same)) << alike.text;
    const answer other = run(nobody(), {"--rounds=1", "--plan=l2:1000,last_level:2000", "100x400"});
    EXPECT_FALSE(has(other.text, same)) << other.text;
    EXPECT_EQ(alike.text.find("jitnorm_verbose,v1,plan"), alike.text.rfind("jitnorm_verbose,v1,plan"))
        << "the log of the race, not of the question: " << alike.text;
}

TEST_F(race_plan, is_made_by_another_build_where_one_is_named) {
    const std::string sizes = "l2:200000,last_level:2000000";
    expect(0, {" with " + sizes}, nobody(), {"--rounds=1", "--plan=" + sizes, "--peer=" RACE_OUR_LIBRARY, "3x40"});
}

TEST_F(race_another_build, files_that_are_no_such_library_are_mistakes) {
    const struct {
        std::string file, message;
    } cases[] = {
        {write("text", "no library\n"), "cannot be opened"},
        {RACE_NO_FUNCTIONS, "has no function jitnorm_engine_create"}, // though the one that it needs has
        {"/no/such/library.so", "No such file"},
        {testing::TempDir(), "cannot be opened"},
        {fs::path(RACE_OUR_LIBRARY).filename().string(), "No such file"}, // although one of that name is open
    };
    for (const auto &c : cases) {
        const answer a = run(nobody(), {"--peer=" + c.file, "3x40"});
        EXPECT_EQ(a.status, 2) << c.file;
        EXPECT_TRUE(has(a.errors, "--peer=" + c.file)) << a.errors;
        EXPECT_TRUE(has(a.errors, c.message)) << a.errors;
    }
}

} // namespace
} // namespace benchdnn_lite
