// SPDX-License-Identifier: Apache-2.0
// The reference forward against the oracle: types, flags, layouts, in place.
#include <sys/mman.h>

#include "rig/accuracy.hpp"
#include "rig/run.hpp"

namespace jitnorm::tests {
namespace {

constexpr jitnorm_data_type_t DATA_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16,
                                              jitnorm_f64, jitnorm_s8,   jitnorm_u8};

std::vector<unsigned> all_flags() {
    std::vector<unsigned> flags;
    for (unsigned set = 0; set < 16; ++set) flags.push_back((set & 7u) | (set & 8u ? unsigned(jitnorm_rms_norm) : 0u));
    for (const unsigned rms : {0u, unsigned(jitnorm_rms_norm)})
        flags.push_back(jitnorm_use_scale | jitnorm_scale_plus_one | rms);
    return flags;
}

bool is_int8(jitnorm_data_type_t type) { return type == jitnorm_s8 || type == jitnorm_u8; }

void expect_rounded_integers(const std::vector<double> &got, const std::vector<double> &exact,
                             jitnorm_data_type_t type) {
    const double lowest = type == jitnorm_s8 ? -128 : 0, highest = type == jitnorm_s8 ? 127 : 255;
    for (size_t i = 0; i < got.size(); ++i) {
        const double expected = std::clamp(exact[i], lowest, highest);
        EXPECT_LE(std::fabs(got[i] - expected), 0.5 + 1e-5 * std::fabs(expected)) << "element " << i;
    }
}

void expect_statistics(const run &r, const exact_results &expected) {
    expect_close(r[VARIANCE].values(), expected.variance, 1, 1e-6);
    if (!r.p.uses(MEAN)) return;
    const std::vector<double> mean = r[MEAN].values();
    for (size_t row = 0; row < mean.size(); ++row)
        EXPECT_LE(std::fabs(mean[row] - expected.mean[row]),
                  0x1p-23 * std::fabs(expected.mean[row]) + 1e-7 * std::sqrt(expected.variance[row]));
}

void check(const setup &s) {
    std::ostringstream name;
    name << s;
    SCOPED_TRACE(name.str());
    run r(s);
    const exact_results expected = exact_results_of(r.question());
    r.execute();
    if (is_int8(s.dst_type))
        expect_rounded_integers(r.result().values(), expected.dst, s.dst_type);
    else
        expect_close(r.result().values(), expected.dst, size_t(r.p.row_length()),
                     is_double(s) ? 1e-14 : 1e-6 + rounding_of(s.dst_type));
    if (r.p.statistics_are_outputs()) expect_statistics(r, expected);
}

TEST(reference_forward, every_flag_and_kind) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_forward_inference})
        for (const unsigned flags : all_flags()) check({.kind = kind, .flags = flags});
}

TEST(reference_forward, every_pair_of_types) {
    for (const auto src : DATA_TYPES)
        for (const auto dst : DATA_TYPES)
            for (const auto affine : {jitnorm_f32, jitnorm_bf16, jitnorm_f16})
                check({.src_type = src, .dst_type = dst, .affine_type = affine, .mean = 20, .deviation = 30});
}

TEST(reference_forward, row_lengths_around_lanes_blocks_and_chunks) {
    for (const auto type : {jitnorm_f32, jitnorm_f64})
        for (const dim_t columns : {1, 2, 3, 4, 5, 31, 32, 33, 64, 100, 511, 512, 513, 4095, 4096, 4097, 8193, 10007})
            check({.dims = {3, columns}, .src_type = type, .dst_type = type});
}

struct layout_case {
    std::vector<dim_t> dims;
    const char *src, *dst, *statistics;
};

const layout_case LAYOUTS[] = {
    {{5, 70}, "ba", "ab", "a"},
    {{5, 70}, "ab", "ba", "a"},
    {{5, 70}, "gap", "gap", "gap"},
    {{5, 70}, "spread", "spread", "spread"},
    {{5, 70}, "gap+7", "gap+7", "gap+7"},
    {{5, 70}, "AB16b16a", "AB16b16a", "a"},
    {{33, 7}, "AB16b64a", "AB8a8b", "a"},
    {{5, 70}, "aB16b", "Ab4a", "a"},
    {{5, 70}, "BA16a16b", "AB48a16b", "a"},
    {{3, 5, 70}, "abc", "bac", "ba"},
    {{3, 5, 70}, "cba", "acb", "aB8b"},
    {{3, 5, 70}, "aBc8b", "aBC16b16c", "AB16b16a"},
    {{3, 5, 70}, "ABc16b16a", "bca", "gap"},
    {{3, 5, 20}, "aBC8b8c+7", "aBC16b16c+7", "AB16b16a+7"},
    {{2, 3, 5, 20}, "acdb", "aBcd8b", "aBc8b"},
    {{2, 3, 5, 20}, "ABcd16a16b", "dcba", "cba"},
    {{2, 3, 2, 5, 20}, "aBcde8b", "acdeb", "abdc"},
    {{2, 3, 2, 5, 20}, "edcba", "ABcde16a16b", "aBcd16b"},
};

TEST(reference_forward, layouts) {
    for (const layout_case &layout : LAYOUTS)
        for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64})
            for (const auto side : {guard_side::after, guard_side::before})
                for (const unsigned given : {0u, unsigned(jitnorm_use_global_stats)})
                    check({.flags = given | jitnorm_use_scale,
                           .dims = layout.dims,
                           .src = layout.src,
                           .dst = layout.dst,
                           .statistics = layout.statistics,
                           .src_type = type,
                           .dst_type = type,
                           .side = side});
}

TEST(reference_forward, in_place) {
    for (const layout_case &layout : LAYOUTS)
        for (const auto type : DATA_TYPES)
            check({.dims = layout.dims,
                   .src = layout.src,
                   .dst = layout.src,
                   .statistics = layout.statistics,
                   .src_type = type,
                   .dst_type = type,
                   .in_place = true,
                   .mean = 20,
                   .deviation = 30});
    check({.dims = {2, 10007}, .in_place = true});
}

TEST(reference_forward, no_elements) {
    for (const std::vector<dim_t> &dims : {std::vector<dim_t>{0, 8}, {8, 0}, {2, 0, 8}}) {
        run r({.dims = dims});
        r.execute();
        for (const double variance : r[VARIANCE].values()) EXPECT_TRUE(std::isnan(variance)); // of no elements
        for (const double mean : r[MEAN].values()) EXPECT_EQ(mean, 0);
    }
}

TEST(reference_forward, a_broadcast_source_row) {
    const setup s{.kind = jitnorm_forward_inference, .flags = 0, .dims = {1, 70}};
    run one(s), r(s);
    one.execute();
    problem p = r.p;
    p[SRC].dims[0] = p[SRC].padded_dims[0] = p[DST].dims[0] = p[DST].padded_dims[0] = 4;
    p[SRC].strides[0] = 0;
    ASSERT_EQ(validate(p).code, jitnorm_invalid_arguments); // the statistics still have one row
    p[VARIANCE].dims[0] = p[VARIANCE].padded_dims[0] = 4;
    ASSERT_EQ(validate(p).code, jitnorm_success);
    r.p = p;
    r[DST] = tensor(p[DST]);
    r.execute();
    const std::vector<double> got = r[DST].values(), expected = one[DST].values();
    ASSERT_EQ(got.size(), 4 * expected.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], expected[i % 70]);
}

// Rows further apart than 2^31 elements, in memory of which only the rows' pages exist.
TEST(reference_forward, offsets_beyond_2_to_the_31) {
    constexpr dim_t DISTANCE = (dim_t(1) << 31) + 4096;
    constexpr size_t COLUMNS = 100, BYTES = 2 * DISTANCE + COLUMNS;
    void *mapped = mmap(nullptr, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) GTEST_SKIP() << "no address space";
    auto *data = static_cast<int8_t *>(mapped);
    for (size_t c = 0; c < COLUMNS; ++c)
        data[c] = data[DISTANCE + dim_t(c)] = data[2 * DISTANCE + dim_t(c)] = int8_t(c);
    run r({.kind = jitnorm_forward_inference,
           .flags = 0,
           .dims = {3, dim_t(COLUMNS)},
           .src_type = jitnorm_s8,
           .dst_type = jitnorm_s8,
           .in_place = true});
    r.p[SRC].strides[0] = r.p[DST].strides[0] = DISTANCE;
    r[SRC] = tensor(r.p[SRC], mapped);
    r.execute();
    for (dim_t row = 0; row < 3; ++row) {
        EXPECT_EQ(data[row * DISTANCE], -2); // -1.7
        EXPECT_EQ(data[row * DISTANCE + 99], 2);
    }
    munmap(mapped, BYTES);
}

} // namespace
} // namespace jitnorm::tests
