// SPDX-License-Identifier: Apache-2.0
// Every way through rows that plans know, at small sizes, because the machines have small caches; and the bits of the
// reference on each. What a plan is to say is asserted, so that no case tests another way than it claims.
#include <gtest/gtest.h>

#include "math/row_blocks.hpp"
#include "plans_on_machines.hpp"
#include "run/forward.hpp"

namespace jitnorm::tests {
namespace {

constexpr machine IN_L1 = batches_in_l1(1 << 20, dim_t(1) << 40);

class plans : public plans_on_machines {};

// Forward of rows that come from memory, and backward beyond L2: a batch is written while the next one is reduced.
TEST_P(plans, one_loop_beyond_the_caches) {
    const setup f32 = in_place_of(jitnorm_forward_training, jitnorm_f32);
    EXPECT_FALSE(plan_of(f32, ROOMY).on(4, true).one_loop);
    EXPECT_TRUE(plan_of(f32, NO_CACHES).on(4, true).one_loop);
    setup mostly_reads = f32;
    mostly_reads.dst_type = jitnorm_s8;
    EXPECT_TRUE(plan_of(mostly_reads, NO_CACHES).on(1, true).one_loop);
    setup given = f32;
    given.flags |= jitnorm_use_global_stats;
    EXPECT_FALSE(plan_of(given, NO_CACHES).on(1, true).one_loop) << "nothing is reduced";
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward}) {
        const setup larger = in_place_of(kind, jitnorm_f32, 96, 512);
        const bool is_backward = kind == jitnorm_backward;
        const dim_t bytes = (is_backward ? 3 : 2) * 96 * 512 * 4;
        const auto with = [&](dim_t near) { // so much is not far yet, nor is what two threads have of a little more
            return machine{.l2 = is_backward ? near / machine().one_loop : 1 << 10,
                           .last_level = is_backward ? dim_t(1) << 40 : 2 * (near + 1)};
        };
        const machine at = with(bytes), far = with(bytes - machine().one_loop);
        EXPECT_FALSE(plan_of(larger, at).on(1, true).one_loop);
        EXPECT_TRUE(plan_of(larger, far).on(1, true).one_loop);
        EXPECT_FALSE(plan_of(larger, far).on(2, true).one_loop);
        expect_reference(larger, far);
    }
    for (const setup &s : {f32, mostly_reads})
        for (const machine &m : MACHINES) expect_reference(s, m);
}

// Batches that stay in L2 are large.
TEST_P(plans, batches_that_stay_in_l2) {
    const auto with = [](dim_t l2, dim_t last_level) { return batches_in_l2(l2, last_level); };
    constexpr dim_t far_away = dim_t(1) << 40;
    const machine near = with(1 << 18, far_away), between = with(1 << 14, far_away), beyond = with(1 << 18, 1 << 12);
    setup given = in_place_of(jitnorm_forward_training, jitnorm_f32);
    given.flags |= jitnorm_use_global_stats;
    setup sums = in_place_of(jitnorm_forward_training, jitnorm_f32);
    sums.residual = {.added = "dense", .sum = "dense", .type = jitnorm_f32, .sum_type = jitnorm_f32};
    setup packed = in_place_of(jitnorm_forward_training, jitnorm_f32, 37, 95);
    packed.src = packed.dst = "@ba";
    struct expectation {
        setup s;
        dim_t near, between, beyond; // rows of a batch
    };
    for (const auto &[s, in_l2, in_last_level, in_memory] :
         {expectation{in_place_of(jitnorm_forward_training, jitnorm_f32, 37, 95), 32, 32, 32},
          expectation{given, 32, 2, 32}, expectation{sums, 32, 32, 32}, expectation{packed, 32, 5, 32},
          expectation{in_place_of(jitnorm_backward, jitnorm_f32, 37, 95), 32, 32, 32}}) {
        EXPECT_EQ(plan_of(s, near).batch_rows, in_l2) << s;
        EXPECT_EQ(plan_of(s, between).batch_rows, in_last_level) << s;
        EXPECT_EQ(plan_of(s, beyond).batch_rows, in_memory) << s;
        for (const machine &m : {near, between, beyond}) {
            const schedule now = plan_of(s, m).on(1, true);
            EXPECT_FALSE(now.one_loop) << s;
            expect_reference(s, m);
        }
    }
    setup gradients = packed;
    gradients.kind = jitnorm_backward;
    gradients.diff_src = "@ba";
    for (const setup &s : {packed, gradients}) {
        EXPECT_EQ(plan_of(s, between).prefetch, 0) << s;
        EXPECT_EQ(plan_of(s, beyond).prefetch, 2) << s;
        for (const dim_t columns : {16, 33, 95, 200}) { // both distances of columns, with rectangles that overlap
            setup other = s;
            other.dims = {75, columns};
            for (const machine &m : {between, beyond}) expect_reference(other, m);
        }
    }
}

// Where batches stay in L1, with one loop or without, those of all types are small.
TEST_P(plans, batches_that_stay_in_l1) {
    for (const machine &m : {ROOMY, NO_L2, IN_L1}) {
        const setup f32 = in_place_of(jitnorm_forward_training, jitnorm_f32, 37, 1024);
        setup given = f32, narrow = in_place_of(jitnorm_forward_training, jitnorm_bf16, 37, 1024);
        given.flags |= jitnorm_use_global_stats;
        narrow.flags |= jitnorm_use_global_stats;
        EXPECT_EQ(plan_of(given, m).batch_rows, 4);
        EXPECT_EQ(plan_of(narrow, m).batch_rows, 8);
        EXPECT_EQ(plan_of(in_place_of(jitnorm_forward_training, jitnorm_f32, 37, 4097), m).batch_rows, 1);
        for (const setup &s : {f32, given, narrow}) expect_reference(s, m);
    }
}

// Beyond the last level sums of rows with a residual in narrow types prefetch their inputs to L2 where batches do not
// stay in L1.
TEST_P(plans, narrow_sums_prefetched_to_l2) {
    const machine near = batches_in_l1(1, 1), through_l2 = batches_in_l2(1, 1);
    for (const auto type : {jitnorm_bf16, jitnorm_f16, jitnorm_f32})
        for (const auto *sum : {"dense", ""})
            for (const dim_t columns : {15, 1024, 4097}) {
                setup s = in_place_of(jitnorm_forward_training, type, 37, columns);
                s.residual = {.added = "dense", .sum = sum, .type = type, .sum_type = type};
                EXPECT_EQ(plan_of(s, through_l2).prefetch, type != jitnorm_f32 || columns == 4097 ? 2 : 0) << s;
                EXPECT_EQ(plan_of(s, near).prefetch, 0) << s;
                expect_reference(s, through_l2);
            }
}

// Sums with a residual are added and reduced while the batch before is written: in the output, where it holds the rows
// as they are normalized, and in two tiles elsewhere; in place and apart.
TEST_P(plans, sums_in_one_loop) {
    for (const unsigned flags : {0U, unsigned(jitnorm_rms_norm)})
        for (const auto &[src, sum] : {std::pair(jitnorm_f32, jitnorm_f32), std::pair(jitnorm_f32, jitnorm_bf16),
                                       std::pair(jitnorm_bf16, jitnorm_bf16), std::pair(jitnorm_f64, jitnorm_f64)})
            for (const dim_t columns : {33, 100, 511, 513, 4096})
                for (const char *output : {"dense", ""}) {
                    setup s = in_place_of(jitnorm_forward_training, src, 37, columns);
                    s.flags |= flags;
                    s.residual = {.added = "dense", .sum = output, .type = src, .sum_type = sum};
                    EXPECT_TRUE(plan_of(s, NO_CACHES).on(2, true).one_loop) << s;
                    expect_reference(s, NO_CACHES);
                    s.residual.in_place = sum == src && output[0] != '\0';
                    s.in_place = true;
                    expect_reference(s, NO_CACHES);
                }
    setup longer = in_place_of(jitnorm_forward_training, jitnorm_f32, 7, 5000);
    longer.residual = {.added = "dense", .sum = "dense", .type = jitnorm_f32, .sum_type = jitnorm_f32};
    EXPECT_FALSE(plan_of(longer, NO_CACHES).on(1, true).one_loop) << "rows of more than a chunk";
}

// Operands of post-ops that are gathered have tiles for a chunk, also where the last batch of long rows is written
// alone.
TEST_P(plans, gathered_operands_in_one_loop) {
    for (const dim_t columns : {300, 4096, 5000, 9000}) {
        setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, 5, columns);
        s.attr.post_ops.entries = {impl::binary_post_op{jitnorm_binary_mul, dense({5, columns}, jitnorm_f64)}};
        EXPECT_TRUE(plan_of(s, NO_CACHES).on(1, true).one_loop) << s;
        expect_reference(s, NO_CACHES);
    }
}

// Unless post-ops have operands.
TEST_P(plans, groups_of_a_row_go_together_where_a_batch_has_fewer_rows) {
    for (const auto type : FLOATING)
        for (const dim_t rows : {1, 37})
            for (const dim_t groups : {1, 4, 40, 160}) { // 160: more than go together
                setup s = in_place_of(jitnorm_forward_training, type, rows, 640);
                s.flags = jitnorm_use_scale | jitnorm_use_shift;
                s.dst_type = groups == 4 ? jitnorm_f8_e4m3 : jitnorm_s8;
                s.dynamic_scales = scales_of(s.dims, groups);
                const auto groups_go_in_rows = [&] {
                    return quantizer(make_problem(s), plan_of(s, ROOMY)).takes_groups_of_a_row();
                };
                const plan how = plan_of(s, ROOMY);
                EXPECT_EQ(groups_go_in_rows(), groups > how.batch_rows) << s;
                for (const machine &m : MACHINES) expect_reference(s, m);
                s.pre_quantization = "dense";
                s.attr.post_ops.entries = {impl::eltwise_post_op{jitnorm_eltwise_swish, 1, 0}};
                EXPECT_EQ(groups_go_in_rows(), groups > how.batch_rows) << s;
                for (const machine &m : MACHINES) expect_reference(s, m);
                s.attr.post_ops.entries = {impl::binary_post_op{jitnorm_binary_mul, dense({1, 640})}};
                EXPECT_FALSE(groups_go_in_rows()) << s;
                for (const machine &m : MACHINES) expect_reference(s, m);
            }
}

// The batches of both tensors.
TEST_P(plans, backward_has_batches_in_one_loop) {
    const setup s = in_place_of(jitnorm_backward, jitnorm_f32);
    EXPECT_EQ(plan_of(s, NO_L2).batch_rows, 10);
    EXPECT_EQ(plan_of(s, NO_CACHES).batch_rows, 10);
    for (const machine &m : MACHINES) expect_reference(s, m);
}

// Rows that L1 does not keep go in fours, or in pairs where four would fill L2.
TEST_P(plans, backward_takes_several_long_rows_at_once) {
    const setup shorter = in_place_of(jitnorm_backward, jitnorm_f32, 7, 2999);
    EXPECT_EQ(plan_of(shorter, NO_CACHES).batch_rows, 1);
    const setup longer = in_place_of(jitnorm_backward, jitnorm_f32, 7, 2 * 4096);
    EXPECT_EQ(plan_of(longer, ROOMY).batch_rows, 4);
    EXPECT_EQ(plan_of(longer, NO_L2).batch_rows, 2);
    const machine with_large_l2 = {.l2 = 1 << 19, .last_level = 1 << 12};
    EXPECT_EQ(plan_of(longer, with_large_l2).batch_rows, 4);
    for (const auto type : {jitnorm_f32, jitnorm_f64})
        for (const auto kind : {jitnorm_backward, jitnorm_backward_data})
            for (const dim_t rows : {1, 2, 3, 5, 37})
                for (const machine &m : {ROOMY, NO_L2, NO_CACHES, with_large_l2})
                    expect_reference(in_place_of(kind, type, rows, 4096 + 512), m);
}

TEST_P(plans, every_row_source_has_the_same_bits_on_every_machine) {
    struct expectation {
        setup s;
        row_access rows;
    };
    setup packed_forward = in_place_of(jitnorm_forward_training, jitnorm_f32, 70, 48), packed_data = packed_forward;
    packed_forward.src = packed_forward.dst = "@ba";
    packed_data.kind = jitnorm_backward_data;
    packed_data.src = packed_data.dst = packed_data.diff_src = "@ba";
    setup interleaved = packed_data;
    interleaved.kind = jitnorm_backward;
    interleaved.dims = {64, 64, 48};
    interleaved.src = interleaved.dst = interleaved.diff_src = "@cba";
    setup tiles_with_sums = packed_data;
    tiles_with_sums.kind = jitnorm_backward;
    for (const auto &[s, rows] :
         {expectation{in_place_of(jitnorm_forward_training, jitnorm_bf16), row_access::in_place},
          expectation{in_place_of(jitnorm_backward, jitnorm_bf16), row_access::in_place},
          expectation{packed_forward, row_access::tiles}, expectation{packed_data, row_access::tiles},
          expectation{tiles_with_sums, row_access::tiles}, expectation{interleaved, row_access::interleaved}})
        for (const machine &m : MACHINES) {
            EXPECT_EQ(int(plan_of(s, m).rows), int(rows)) << s;
            if (rows != row_access::in_place) {
                EXPECT_FALSE(plan_of(s, m).on(1, true).one_loop) << "tiles are near: " << s;
            }
            expect_reference(s, m);
        }
}

// Few long rows: threads share their chunks, in place and in tiles.
TEST_P(plans, chunks_of_long_rows_are_shared_by_threads) {
    const thread_count threads(5);
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward, jitnorm_backward_data})
        for (const char *layout : {"dense", "@ba"}) {
            setup s = in_place_of(kind, jitnorm_f32, 2, 40 * 4096 + 100);
            s.src = s.dst = s.diff_src = layout;
            const plan how = plan_of(s, ROOMY);
            EXPECT_TRUE(how.on(5, true).by_chunks) << s;
            EXPECT_EQ(how.on(5, true).threads, 5) << s;
            for (const machine &m : MACHINES) expect_reference(s, m);
        }
}

TEST_P(plans, are_values) {
    const setup s = in_place_of(jitnorm_backward, jitnorm_f32);
    EXPECT_EQ(plan_of(s, NO_L2), plan_of(s, NO_L2));
    EXPECT_NE(plan_of(s, NO_L2), plan_of(s, NO_CACHES));
    EXPECT_EQ(describe(plan_of(in_place_of(jitnorm_forward_training, jitnorm_f32), NO_CACHES)),
              "rows:in_place,panel:192,batch:21,one_loop_threads:2147483647,"
              "non_temporal_threads:2147483647,row_threads:1,chunk_threads:0,scratchpad:0");
}

// What a region of several threads costs is worth a few microseconds of work, or ten times as many if threads sleep.
// The threads of a region may each have little, at least a part of the sums for gradients.
TEST_P(plans, threads_are_for_work_of_more_than_a_few_microseconds) {
    constexpr dim_t KB = 1024, COLUMNS = 256;
    machine sleepy = ROOMY;
    sleepy.threads_sleep = true;
    const struct {
        jitnorm_prop_kind_t kind;
        dim_t bytes_of_element, least_kb;
    } cases[] = {{jitnorm_forward_training, 8, 256}, {jitnorm_backward, 12, 384}, {jitnorm_backward_data, 12, 384}};
    for (const auto &[kind, bytes_of_element, least_kb] : cases)
        for (const auto &[on, times] : {std::pair(ROOMY, 1), std::pair(sleepy, 8)}) {
            const dim_t rows = least_kb * KB * times / bytes_of_element / COLUMNS;
            const dim_t shares = kind == jitnorm_backward ? row_blocks(rows + 1, COLUMNS).parts() : rows + 1;
            EXPECT_EQ(plan_of(in_place_of(kind, jitnorm_f32, rows - 1, COLUMNS), on).row_threads, 1) << least_kb;
            EXPECT_EQ(plan_of(in_place_of(kind, jitnorm_f32, rows + 1, COLUMNS), on).row_threads,
                      std::min<dim_t>(16, shares))
                << least_kb << times;
        }
}

TEST(plan, shares_chunks_where_that_is_worth_their_price) {
    plan how;
    how.row_threads = 3;
    how.chunk_threads = 5;
    how.share_chunks(1);
    EXPECT_TRUE(how.may_go_by_chunks(4));
    EXPECT_FALSE(how.may_go_by_chunks(3)) << "no more threads than by rows";
    how.share_chunks(2);
    EXPECT_FALSE(how.may_go_by_chunks(5));
    how.chunk_threads = 6;
    how.share_chunks(2);
    EXPECT_TRUE(how.may_go_by_chunks(6));
    EXPECT_FALSE(how.may_go_by_chunks(5));
}

INSTANTIATE_TEST_SUITE_P(native, plans, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
