// SPDX-License-Identifier: Apache-2.0
// The result's bits are a promise across versions: digests.inc keeps a digest of all outputs of each case, and every
// implementation gives them, on any number of threads. Who changes the definition (docs/arithmetic.md) on purpose
// writes the file anew:
//
//     test_golden --write tests/golden/digests.inc
#include <cstdio>
#include <fstream>
#include <iostream>
#include <set>

#include "cases.hpp"
#include "dispatch/prepare.hpp"
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

using impl::layer_norm::implementations;

struct kept_digest {
    const char *name;
    uint64_t digest;
};
const kept_digest KEPT[] = {
#include "digests.inc"
};

const char *const HOW_TO_WRITE = "\nOnly a change of the definition changes bits: CONTRIBUTING.md. Then write the file "
                                 "anew: test_golden --write tests/golden/digests.inc";

// ---- the cases, in the order of the file. They are chosen by structure: rows around every edge of vectors, blocks and
// chunks, each flag, pair of types, kind of layout, post-op and way through the executors at least once, in more than
// one type where the code differs.

// Bochs 2.7 rounds numbers halfway between two of f16 away from zero, where processors take the even one.
bool writes_f16(const setup &s) {
    const auto types = {s.dst_type, s.diff_src_type, s.statistics_type, s.affine_type, s.gradient_type};
    return std::find(types.begin(), types.end(), F16) != types.end();
}

const char *content_of(const golden_case &c) {
    static const char *const NAMES[] = {"",      " constant", " huge_mean", " outlier",  " ramp",
                                        " huge", " tiny",     " denormal",  " infinite", " mixed"};
    return NAMES[size_t(c.src)];
}

std::vector<golden_case> golden_cases() {
    list cases;
    for (const auto add : {add_forward, add_backward, add_fused}) add(cases);
    for (golden_case &c : cases) {
        c.name = text_of(c.s) + (c.runtime_sizes ? " runtime_sizes" : "") + content_of(c) + " seed " +
                 std::to_string(c.s.seed);
        c.emulated = c.emulated && !writes_f16(c.s);
    }
    return cases;
}

// ---- one case

void fill_inputs(run &r, const golden_case &c) {
    const unsigned seed = c.s.seed;
    const dim_t columns = r.p.row_length();
    const auto fill = [&](const tensor &t, dim_t length, content what, unsigned salt) {
        if (t.exists()) t.fill(rows_of_numbers(t.md(), length, what, seed + salt));
    };
    fill(r[SRC], columns, c.src, 0);
    fill(r[SCALE], columns, content::ordinary, 1000);
    fill(r[SHIFT], columns, content::ordinary, 2000);
    if (r.p.reads(MEAN)) fill(r[MEAN], 1, content::ordinary, 3000);
    if (r.p.reads(VARIANCE)) r[VARIANCE].fill(positive_numbers(r[VARIANCE].md(), seed + 4000));
    fill(r[DIFF_DST], columns, c.src == content::mixed ? content::mixed : content::ordinary, 5000);
    if (!c.s.in_place) fill(r[DST], columns, content::ordinary, 6000); // what a sum post-op reads
    for (size_t i = 0; i < r.p.attr.post_ops.entries.size(); ++i)
        fill(r.operand(i), columns, content::ordinary, 7000 + unsigned(i));
    fill(r[RESIDUAL], columns, content::ordinary, 8000);
    fill(r[BIAS], columns, content::ordinary, 9000);
    fill(r[DIFF_SUM], columns, content::ordinary, 9500);
    if (r[SRC_SCALE].exists()) r[SRC_SCALE].fill({0.7});
    if (r.p.attr.dst_scale) r[DST_SCALE].fill({c.s.dst_type == jitnorm_s8 || c.s.dst_type == jitnorm_u8 ? 0.013 : 1.3});
}

uint64_t digest_of(const implementation &entry, const golden_case &c) {
    run r(c.s);
    fill_inputs(r, c);
    r.execute_on(entry, c.runtime_sizes ? sizes_come::at_execution : sizes_come::at_creation);
    uint64_t digest = EMPTY_DIGEST;
    for (const slot output : {DST, DIFF_SRC, DIFF_SCALE, DIFF_SHIFT, SUM, MEAN, VARIANCE, DST_SCALE, PRE_QUANTIZATION})
        if (r.p.writes(output)) digest = digest_with(digest, r[output].values());
    return digest;
}

// The implementation of this name for the case's direction; null where the machine has none.
const implementation *find(std::string_view name, const golden_case &c) {
    for (const implementation &entry : implementations())
        if (entry.name == name && entry.refusal(make_problem(c.s)).empty()) return &entry;
    return nullptr;
}

// Kernels find dynamic scales in float only.
bool is_left_to_the_reference(const golden_case &c) {
    return c.s.dynamic_scales.ndims != 0 && make_problem(c.s).computes_in_double();
}

// ---- all of them

struct on {
    const char *name;
    int threads;
    bool emulated_cases_only = false;
};

class golden : public testing::TestWithParam<on> {
protected:
    void SetUp() override {
        if (find(GetParam().name, golden_cases().front()) == nullptr)
            GTEST_SKIP() << "no " << GetParam().name << " on this machine";
    }

private:
    const thread_count threads_{GetParam().threads};
};

TEST_P(golden, bits_are_those_of_the_file) {
    std::string changed;
    const std::vector<golden_case> cases = golden_cases();
    for (size_t i = 0; i < cases.size() && i < std::size(KEPT); ++i)
        if (cases[i].emulated || !GetParam().emulated_cases_only)
            if (const implementation *by = find(GetParam().name, cases[i]);
                by == nullptr ? !is_left_to_the_reference(cases[i]) : digest_of(*by, cases[i]) != KEPT[i].digest)
                changed += "\n  " + cases[i].name;
    EXPECT_TRUE(changed.empty()) << "Other bits:" << changed << HOW_TO_WRITE;
}

TEST(golden_file, has_every_case_once) {
    std::vector<std::string> names, kept;
    for (const golden_case &c : golden_cases()) names.push_back(c.name);
    for (const kept_digest &line : KEPT) kept.emplace_back(line.name);
    EXPECT_EQ(names, kept) << HOW_TO_WRITE;
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
    EXPECT_GE(names.size(), 300U);
}

TEST(golden_file, notices_one_bit) {
    EXPECT_NE(digest_with(EMPTY_DIGEST, {1, 2}), digest_with(EMPTY_DIGEST, {1, 2 + 0x1p-51}));
    EXPECT_NE(digest_with(EMPTY_DIGEST, {0.0}), digest_with(EMPTY_DIGEST, {-0.0}));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(digest_with(EMPTY_DIGEST, {nan}), digest_with(EMPTY_DIGEST, {-nan}));
}

std::string name_of(const testing::TestParamInfo<on> &info) {
    std::string name = std::string(info.param.name) + "_" + std::to_string(info.param.threads) + "_threads";
    std::replace(name.begin(), name.end(), ':', '_');
    return name;
}

constexpr on EVERYWHERE[] = {{"ref:any", 1},  {"ref:any", 2},    {"ref:any", 5},    {"jit:avx2", 1},  {"jit:avx2", 2},
                             {"jit:avx2", 5}, {"jit:avx512", 1}, {"jit:avx512", 2}, {"jit:avx512", 5}};
INSTANTIATE_TEST_SUITE_P(native, golden, testing::ValuesIn(EVERYWHERE), name_of);
INSTANTIATE_TEST_SUITE_P(emulated, golden, testing::Values(on{"jit:avx512", 2, true}), name_of);

// By the reference.
bool write_digests(const char *path) {
    std::ofstream file(path);
    for (const golden_case &c : golden_cases()) {
        char digest[32];
        std::snprintf(digest, sizeof digest, "0x%016llX",
                      static_cast<unsigned long long>(digest_of(*find("ref:any", c), c)));
        file << "{\"" << c.name << "\", " << digest << "},\n";
    }
    return bool(file.flush());
}

} // namespace
} // namespace jitnorm::tests

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    if (argc == 3 && std::string_view(argv[1]) == "--write") return jitnorm::tests::write_digests(argv[2]) ? 0 : 1;
    return RUN_ALL_TESTS();
}
