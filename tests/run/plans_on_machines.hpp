// SPDX-License-Identifier: Apache-2.0
// plans_on_machines: machines with small caches, by which small problems get the plans of large ones, and a fixture
// that compares the bits of a plan with the reference's.
#pragma once

#include <gtest/gtest.h>

#include "support/equality.hpp"
#include "support/sweep.hpp"

namespace jitnorm::tests {

using impl::machine;
using namespace impl::layer_norm;

inline constexpr dim_t FAR = dim_t(1) << 40;
inline constexpr machine ROOMY = {.l2 = FAR, .last_level = FAR};
inline constexpr machine NO_L2 = {.l2 = 1 << 10, .last_level = FAR};
inline constexpr machine NO_CACHES = SMALL_CACHES[0];
// Data in the caches or from memory.
inline constexpr machine IN_L2 = prefetching_to_l2(1 << 20, FAR), THROUGH_L2 = prefetching_to_l2(1 << 18, 1 << 12);
inline constexpr machine TO_L1 = prefetching_to_l1(1, 1), TO_L2 = prefetching_to_l2(1, 1);
inline constexpr machine MACHINES[] = {ROOMY, NO_L2, NO_CACHES};

inline setup in_place_of(jitnorm_prop_kind_t kind, jitnorm_data_type_t type, dim_t rows = 37, dim_t columns = 192) {
    return {.kind = kind,
            .dims = {rows, columns},
            .src_type = type,
            .dst_type = type,
            .diff_src_type = type,
            .side = guard_side::before}; // aligned to cache lines
}

class plans_on_machines : public on_isa {
protected:
    plan plan_of(const setup &s, const machine &m) const {
        return tests::plan_of(jit_for(GetParam()), make_problem(s), m);
    }

    void expect_reference(const setup &s, const machine &m, const preparation &prepare = {}) {
        if (!is_executed(number_++)) return;
        run r(s);
        if (prepare) prepare(r);
        r.execute_on(jit_for(GetParam()), sizes_come::at_creation, m);
        expect_same(outputs_of(r), outputs_by(reference_entry, s, prepare), s, describe(plan_of(s, m)));
    }

private:
    size_t number_ = 0; // of executions of a test
};

} // namespace jitnorm::tests
