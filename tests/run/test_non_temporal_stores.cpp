// SPDX-License-Identifier: Apache-2.0
// When plans store results past the caches, at small sizes, because the machines have small caches; and the bits, also
// of batches of long rows, which stay in L2 until they are written.
#include <gtest/gtest.h>

#include "plans_on_machines.hpp"
#include "run/backward.hpp"
#include "run/driver.hpp"
#include "run/forward.hpp"

namespace jitnorm::tests {
namespace {

class non_temporal_stores : public plans_on_machines {};

// Long rows may share cache lines, which are stored by ordinary stores: in batches and one by one, with a first line of
// every length, which is longer than the row's last vectors or not, from odd addresses on.
TEST_P(non_temporal_stores, of_long_rows_at_any_address) {
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
                    for (const machine &m : {NO_CACHES, THROUGH_L2}) {
                        EXPECT_EQ(plan_of(s, m).on(1, true).non_temporal, more >= 0) << s;
                        expect_reference(s, m);
                    }
                    s.diff_src = s.dst = "gap";
                    expect_reference(s, NO_CACHES);
                }
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
                return stores_past_caches.operator()<driver<impl::layer_norm::forward<float>>>(
                    jitnorm_forward_training, columns, memory + offset, in_here);
            };
            EXPECT_EQ(forward({DST}), are_stored) << columns << " " << offset;
            EXPECT_FALSE(forward({DST, SRC}));
            const auto backward = [&](std::initializer_list<slot> in_here) {
                return stores_past_caches.operator()<driver<impl::layer_norm::backward<float>>>(
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

class long_rows : public plans_on_machines {};

TEST_P(long_rows, of_backward_in_batches) {
    for (const auto kind : {jitnorm_backward, jitnorm_backward_data})
        for (const auto type : FLOATING)
            for (const dim_t columns : {4097, 6001, 8192, 8192 + 65})
                for (const machine &m : {THROUGH_L2, IN_L2}) {
                    setup s = in_place_of(kind, type, 19, columns);
                    if (type != jitnorm_f32 || columns != 6001) s.flags |= jitnorm_rms_norm;
                    EXPECT_EQ(plan_of(s, m).on(1, true).through_rows, way::steps) << s;
                    expect_reference(s, m);
                    s.in_place = true;
                    expect_reference(s, m);
                }
}

INSTANTIATE_TEST_SUITE_P(native, long_rows, testing::Values(isa::avx2, isa::avx512), on_isa::name);
INSTANTIATE_TEST_SUITE_P(native, non_temporal_stores, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
