// SPDX-License-Identifier: Apache-2.0
// The choice among implementations: by rank, by force, and the lines that the log gets.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/verbose.hpp"
#include "dispatch/ranking.hpp"
#include "support/run.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

// ---------------------------------------------------------------- a list of our own

std::string takes_all(const problem &) { return {}; }
std::string takes_rms(const problem &p) { return p.is_rms() ? "" : "only rms"; }
std::string takes_forward(const problem &p) { return p.is_forward() ? "" : "only forward"; }

const std::array LIST = {implementation{"rms", takes_rms, nullptr, nullptr},
                         implementation{"forward", takes_forward, nullptr, nullptr},
                         implementation{"all", takes_all, nullptr, nullptr}};

struct outcome {
    std::string name; // empty: none
    jitnorm_status_t status;
    bool operator==(const outcome &) const = default;
};

std::ostream &operator<<(std::ostream &out, const outcome &o) { return out << o.name << ", status " << o.status; }

outcome chosen(const problem &p, std::string_view forced = {}, const implementation *from = nullptr) {
    jitnorm_status_t status = jitnorm_invalid_graph;
    const implementation *found = choose_among(LIST, forced, p, from, &status);
    return {found == nullptr ? "" : found->name, status};
}

problem rms_problem() {
    problem p = forward_problem();
    p.flags = jitnorm_rms_norm;
    return p;
}

TEST(choose_among, by_refusals_place_and_forced_name) {
    const problem rms = rms_problem(), forward = forward_problem(), backward = backward_problem();
    const struct {
        const problem &p;
        std::string_view forced;
        const implementation *from;
        outcome expected;
    } cases[] = {{rms, "", nullptr, {"rms", jitnorm_success}}, // the first that does not refuse
                 {forward, "", nullptr, {"forward", jitnorm_success}},
                 {backward, "", nullptr, {"all", jitnorm_success}},
                 {rms, "", &LIST[0], {"rms", jitnorm_success}}, // from a place in the list
                 {rms, "", &LIST[1], {"forward", jitnorm_success}},
                 {rms, "", &LIST[2], {"all", jitnorm_success}},
                 {rms, "", LIST.data() + LIST.size(), {"", jitnorm_unimplemented}},
                 {rms, "all", nullptr, {"all", jitnorm_success}}, // a forced name, or nothing
                 {rms, "forward", nullptr, {"forward", jitnorm_success}},
                 {forward, "rms", nullptr, {"", jitnorm_unimplemented}},
                 {forward, "forward", &LIST[2], {"", jitnorm_unimplemented}}}; // which comes earlier in the list
    for (const auto &[p, forced, from, expected] : cases)
        EXPECT_EQ(chosen(p, forced, from), expected) << describe(p) << " '" << forced << "'";
    for (const char *name : {"rm", "rmss", "RMS", "unknown", " "})
        EXPECT_EQ(chosen(rms, name), (outcome{"", jitnorm_runtime_error})) << name;
}

TEST(choose_among, the_status_may_be_left_out) {
    EXPECT_STREQ(choose_among(LIST, {}, rms_problem(), nullptr, nullptr)->name, "rms");
    EXPECT_EQ(choose_among(LIST, "unknown", rms_problem(), nullptr, nullptr), nullptr);
}

// ---------------------------------------------------------------- the verbose log

class choice_log : public testing::Test {
protected:
    std::string log_of(int level, const problem &p, std::string_view forced) {
        set_verbose_level(level);
        testing::internal::CaptureStdout();
        chosen(p, forced);
        return testing::internal::GetCapturedStdout();
    }
    void TearDown() override { set_verbose_level(before_); }

private:
    const int before_ = verbose_level();
};

TEST_F(choice_log, one_line_per_refusal) {
    const problem p = backward_problem();
    EXPECT_EQ(log_of(2, p, {}), "jitnorm_verbose,v1,refuse,rms,only rms," + describe(p) +
                                    "\njitnorm_verbose,v1,refuse,forward,only forward," + describe(p) + "\n");
    EXPECT_EQ(log_of(1, p, {}), "");
    EXPECT_EQ(log_of(0, p, {}), "");
}

TEST_F(choice_log, the_unknown_name) {
    EXPECT_EQ(log_of(1, forward_problem(), "no-such"),
              "jitnorm_verbose,v1,error,unknown implementation in JITNORM_IMPL: no-such\n");
    EXPECT_EQ(log_of(0, forward_problem(), "no-such"), "");
}

// ---------------------------------------------------------------- the library's list

TEST(implementations, ranked_with_the_reference_last) {
    std::vector<std::string> names;
    for (const implementation &entry : implementations()) names.emplace_back(entry.name);
    EXPECT_EQ(names, (std::vector<std::string>{"jit:avx512", "jit:avx2", "ref:any"}));
    EXPECT_EQ(implementations().data(), implementations().data()) << "places in the list stay valid";
}

TEST(implementations, the_reference_refuses_nothing_valid) {
    const implementation &reference = implementations().back();
    problem p = forward_problem();
    p[SRC] = dense({4, 6, 8}, jitnorm_u8);
    p[DST] = dense({4, 6, 8}, jitnorm_f64);
    p.attr.dst_scale = true;
    for (const problem &each : {forward_problem(), backward_problem(), rms_problem(), p}) {
        EXPECT_EQ(validate(each).code, jitnorm_success);
        EXPECT_EQ(reference.refusal(each), "");
    }
}

class forced_implementation : public testing::Test {
protected:
    void TearDown() override { EXPECT_TRUE(set_forced_implementation("")); }
};

// Of the entries with the forced name, the one that takes the problem.
const implementation *taker_named(std::string_view name, const problem &p) {
    for (const implementation &entry : implementations())
        if (entry.name == name && entry.refusal(p).empty()) return &entry;
    return nullptr;
}

TEST_F(forced_implementation, is_what_runs) {
    for (const problem &p : {forward_problem(), backward_problem()})
        for (const char *name : {"jit:avx512", "jit:avx2", "ref:any"}) {
            ASSERT_TRUE(set_forced_implementation(name));
            jitnorm_status_t status;
            const implementation *expected = taker_named(name, p);
            EXPECT_EQ(choose(p, nullptr, &status), expected) << "never another one instead";
            EXPECT_EQ(status, expected == nullptr ? jitnorm_unimplemented : jitnorm_success);
        }
}

TEST_F(forced_implementation, unknown_name_is_an_error) {
    ASSERT_TRUE(set_forced_implementation("ref:any"));
    EXPECT_FALSE(set_forced_implementation("jit:sse2"));
    EXPECT_STREQ(choose(forward_problem())->name, "ref:any") << "what was set stays";
}

TEST_F(forced_implementation, empty_means_none) {
    ASSERT_TRUE(set_forced_implementation("ref:any"));
    ASSERT_TRUE(set_forced_implementation(""));
    EXPECT_NE(choose(backward_problem()), nullptr);
}

} // namespace
