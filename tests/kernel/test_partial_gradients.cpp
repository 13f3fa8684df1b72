// SPDX-License-Identifier: Apache-2.0
// Backward of some rows of a larger problem: the sums of their parts, by kernels as by the reference, whichever way
// through rows is taken.
#include "support/sweep.hpp"

namespace jitnorm::tests {
namespace {

class partial_gradients : public on_isa {
protected:
    static void expect_reference(setup s) {
        s.kind = jitnorm_backward;
        const outputs expected = outputs_by(reference_entry, s);
        for (const impl::machine &m : {impl::the_machine(), SMALL_CACHES[0], SMALL_CACHES[1]})
            for (const int threads : {1, 3}) {
                const thread_count scope(threads);
                run r(s);
                r.execute_on(jit_for(GetParam()), sizes_come::at_creation, m);
                expect_same(outputs_of(r), expected, s, std::to_string(threads) + " threads");
            }
    }
};

// Blocks of 32 rows; 4097 rows are parts of three.
TEST_P(partial_gradients, of_rows_that_begin_and_end_anywhere_among_parts) {
    for (const dim_t first : {0, 32, 64, 96})
        for (const dim_t rows : {1, 32, 64, 96, 101, 224, 300})
            for (const dim_t columns : {1, 16, 70})
                expect_reference({.dims = {rows, columns}, .first_row = first, .all_rows = 4097});
}

TEST_P(partial_gradients, of_all_types_and_flags) {
    for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64})
        for (const unsigned flags : {0U, 2U, 4U, 6U, 7U, jitnorm_rms_norm | 2U})
            expect_reference({.flags = flags,
                              .dims = {100, 33},
                              .src_type = type,
                              .dst_type = type,
                              .diff_src_type = type,
                              .side = guard_side::before,
                              .first_row = 64,
                              .all_rows = 5000});
}

TEST_P(partial_gradients, of_other_layouts) {
    for (const char *layout : {"ba", "gap", "spread", "AB8b8a"})
        expect_reference({.dims = {104, 40}, .src = layout, .dst = "ba", .first_row = 32, .all_rows = 9000});
    expect_reference(
        {.dims = {5, 64, 24}, .src = "acb", .dst = "acb", .diff_src = "acb", .first_row = 32, .all_rows = 9000});
    expect_reference({.dims = {70, 9, 16}, .src = "bac", .dst = "bac", .first_row = 64, .all_rows = 70000});
}

// Rows of several chunks, whose columns threads share: blocks of 4 rows, parts of one or more.
TEST_P(partial_gradients, of_long_rows) {
    for (const dim_t columns : {5000, 140000})
        for (const dim_t rows : {4, 9})
            expect_reference({.dims = {rows, columns}, .first_row = 8, .all_rows = 8 + rows});
    expect_reference({.dims = {40, 4100}, .src = "ba", .first_row = 32, .all_rows = 100000});
}

TEST_P(partial_gradients, in_place_and_without_diff_src) {
    expect_reference({.dims = {65, 48}, .in_place = true, .first_row = 96, .all_rows = 4097});
    expect_reference({.dims = {65, 48}, .omitted = bit_of(DIFF_SRC), .first_row = 96, .all_rows = 4097});
}

// A range of all rows: its parts are the parts of the whole problem, and their sums in double its gradients.
TEST(partial_gradients_of_all_rows, add_up) {
    setup s = {.kind = jitnorm_backward, .dims = {2049, 5}, .all_rows = 2049};
    run parts(s);
    parts.execute();
    s.all_rows = -1;
    run whole(s);
    whole.execute();
    const std::vector<double> sums = parts[DIFF_SHIFT].values(), expected = whole[DIFF_SHIFT].values();
    ASSERT_EQ(sums.size(), 33U * 5U);
    for (size_t c = 0; c < 5; ++c) {
        double total = 0;
        for (size_t part = 0; part < 33; ++part) total += sums[part * 5 + c];
        EXPECT_EQ(double(float(total)), expected[c]);
    }
}

TEST(partial_gradients_of_no_rows, write_nothing) {
    run r({.kind = jitnorm_backward, .dims = {0, 8}, .first_row = 32, .all_rows = 4097});
    r.execute();
    EXPECT_TRUE(r[DIFF_SCALE].values().empty());
}

INSTANTIATE_TEST_SUITE_P(native, partial_gradients, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
