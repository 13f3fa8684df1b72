// SPDX-License-Identifier: Apache-2.0
// When plans store results past the caches, at small sizes, because the machines have small caches; and the bits.
#include <climits>

#include <gtest/gtest.h>

#include "plans_on_machines.hpp"
#include "run/backward.hpp"
#include "run/driver.hpp"
#include "run/forward.hpp"
#include "run/rows.hpp"

namespace jitnorm::tests {
namespace {

class non_temporal_stores : public plans_on_machines {};

TEST_P(non_temporal_stores, of_every_type_are_reached) {
    for (const auto kind :
         {jitnorm_forward_training, jitnorm_forward_inference, jitnorm_backward, jitnorm_backward_data})
        for (const auto type : FLOATING)
            for (const dim_t columns : {64, 192, 1024, 4096 + 512}) {
                const setup s = in_place_of(kind, type, 37, columns);
                const plan how = plan_of(s, NO_CACHES);
                EXPECT_TRUE(how.non_temporal_threads > 0) << s;
                EXPECT_TRUE(how.on(1, true).non_temporal) << "where the first element lies at a cache line";
                EXPECT_FALSE(how.on(1, false).non_temporal);
                EXPECT_FALSE(plan_of(s, NO_L2).non_temporal_threads > 0) << s;
                expect_reference(s, NO_CACHES);
            }
}

// Long rows may share cache lines, which are stored by ordinary stores: in batches and one by one, with a first line of
// every length, which is longer than the row's last vectors or not, from odd addresses on.
TEST_P(non_temporal_stores, of_long_rows_at_any_address) {
    constexpr machine alone = batches_in_l1(1 << 10, 1 << 12);
    constexpr machine together = batches_in_l2(1 << 18, 1 << 12);
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward, jitnorm_backward_data})
        for (const auto type : FLOATING)
            for (const dim_t more : {-1, 0, 1, 5, 21, 1600})
                for (const auto side : {guard_side::before, guard_side::after}) {
                    const dim_t size = dim_t(impl::size_of(type));
                    setup s = in_place_of(kind, type, size == 2 ? 37 : 19, 2048 / size + more);
                    s.side = side;
                    s.residual.sum = kind == jitnorm_backward_data ? "dense" : "";
                    s.residual.sum_type = type;
                    if (more == 5) s.flags |= jitnorm_rms_norm;
                    for (const machine &m : {NO_CACHES, alone, together}) {
                        EXPECT_EQ(plan_of(s, m).on(1, true).non_temporal, more >= 0) << s;
                        expect_reference(s, m);
                    }
                    s.diff_src = s.dst = "gap";
                    expect_reference(s, alone);
                }
}

// Data that fill a part of a last level that others use as well: those of one thread, and of several from another part
// on, which is that of forward or that of sums and backward.
TEST_P(non_temporal_stores, of_data_that_come_from_memory_in_part) {
    constexpr dim_t HALF = 50, ALL = 100;
    const auto shared = [](dim_t bytes, dim_t of_forward, dim_t of_others) {
        return machine{
            .l2 = 1 << 14, .last_level = 2 * bytes, .shared_forward = of_forward, .shared_others = of_others};
    };
    const setup batches = in_place_of(jitnorm_forward_training, jitnorm_f32, 37, 128);
    const setup alone = in_place_of(jitnorm_forward_training, jitnorm_f32, 37, 256);
    setup sums = batches;
    sums.residual.added = sums.residual.sum = "dense";
    const setup backward = in_place_of(jitnorm_backward, jitnorm_f32);
    const struct {
        const setup &s;
        dim_t tensors;
        bool is_forward;
    } cases[] = {{batches, 2, true}, {alone, 2, true}, {sums, 4, false}, {backward, 3, false}};
    for (const auto &[s, tensors, is_forward] : cases) {
        const dim_t bytes = tensors * s.dims[0] * s.dims[1] * dim_t(sizeof(float));
        for (const auto &[of_forward, of_others] : {std::pair(ALL, ALL), std::pair(ALL, HALF), std::pair(HALF, ALL)}) {
            const int most = (is_forward ? of_forward : of_others) == HALF ? INT_MAX : 1;
            plan how = plan_of(s, shared(bytes, of_forward, of_others));
            how.row_threads = 2;
            EXPECT_EQ(how.non_temporal_threads, most) << s;
            EXPECT_EQ(how.on(1, true).non_temporal, most >= 1) << s;
            EXPECT_EQ(how.on(2, true).non_temporal, most >= 2) << s;
            EXPECT_EQ(plan_of(s, shared(bytes + 1, of_forward, of_others)).non_temporal_threads, 0) << s;
            expect_reference(s, shared(bytes, of_forward, of_others));
        }
        machine without_others = shared(bytes, HALF, HALF);
        without_others.memory = ALL;
        EXPECT_EQ(plan_of(s, without_others).non_temporal_threads, 0) << s;
    }
}

// The narrowest types, short rows that are no whole cache lines, and short ones in a destination that begins within
// one.
TEST_P(non_temporal_stores, never_where_they_would_be_wrong) {
    setup bytes = in_place_of(jitnorm_forward_inference, jitnorm_f32);
    bytes.dst_type = jitnorm_s8;
    EXPECT_FALSE(plan_of(bytes, NO_CACHES).non_temporal_threads > 0);
    expect_reference(bytes, NO_CACHES);
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward}) {
        const setup odd = in_place_of(kind, jitnorm_f32, 37, 190);
        EXPECT_FALSE(plan_of(odd, NO_CACHES).non_temporal_threads > 0);
        expect_reference(odd, NO_CACHES);
        setup within = in_place_of(kind, jitnorm_f32);
        within.src = within.dst = within.diff_src = "dense+7";
        EXPECT_TRUE(plan_of(within, NO_CACHES).non_temporal_threads > 0)
            << "only the execution knows where tensors begin";
        expect_reference(within, NO_CACHES);
    }
}

// Two outputs are streams enough.
TEST_P(non_temporal_stores, never_beside_a_second_output) {
    setup s = in_place_of(jitnorm_forward_training, jitnorm_f32);
    EXPECT_TRUE(plan_of(s, NO_CACHES).non_temporal_threads > 0);
    s.pre_quantization = "dense";
    EXPECT_FALSE(plan_of(s, NO_CACHES).non_temporal_threads > 0);
    expect_reference(s, NO_CACHES);
}

// The lines of an input have been read: what goes into its place is stored there. Short rows must begin cache lines,
// and elements that are not aligned to their size never do.
TEST_P(non_temporal_stores, never_in_place_or_where_no_line_begins) {
    alignas(64) std::byte memory[64], there[64];
    const auto stores_past_caches = [&]<typename Executor>(jitnorm_prop_kind_t kind, dim_t columns,
                                                           const std::byte *here, std::initializer_list<slot> in_here) {
        const auto made =
            create(jit_for(GetParam()), make_problem(in_place_of(kind, jitnorm_f32, 37, columns)), NO_CACHES);
        arguments args;
        for (const slot place : {SRC, DST, DIFF_DST, DIFF_SUM, DIFF_SRC}) args.set(place, there);
        for (const slot place : in_here) args.set(place, here);
        return dynamic_cast<const Executor &>(*made).schedule_of(args).non_temporal;
    };
    for (const dim_t columns : {192, 512})
        for (const dim_t offset : {0, 4, 2}) {
            const bool are_stored = offset == 0 || (offset == 4 && columns == 512);
            const auto forward = [&](std::initializer_list<slot> in_here) {
                return stores_past_caches.operator()<driver<impl::layer_norm::forward<float>, rows_in_place>>(
                    jitnorm_forward_training, columns, memory + offset, in_here);
            };
            EXPECT_EQ(forward({DST}), are_stored) << columns << " " << offset;
            EXPECT_FALSE(forward({DST, SRC}));
            const auto backward = [&](std::initializer_list<slot> in_here) {
                return stores_past_caches.operator()<driver<impl::layer_norm::backward<float>, rows_in_place>>(
                    jitnorm_backward, columns, memory + offset, in_here);
            };
            EXPECT_EQ(backward({DIFF_SRC}), are_stored) << columns << " " << offset;
            EXPECT_FALSE(backward({DIFF_SRC, DIFF_DST}));
            EXPECT_FALSE(backward({DIFF_SRC, DIFF_SUM}));
        }
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward}) {
        setup s = in_place_of(kind, jitnorm_f32);
        s.in_place = true;
        expect_reference(s, NO_CACHES);
    }
}

INSTANTIATE_TEST_SUITE_P(native, non_temporal_stores, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
