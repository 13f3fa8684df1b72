// SPDX-License-Identifier: Apache-2.0
// primitive_desc as the C interface's handle knows it: a problem and the implementation that is going to solve it.
#pragma once

#include <memory>

#include "../../core/engine.hpp"
#include "../../core/problem.hpp"
#include "../../primitive/prepare.hpp"
#include "../attr/attr.hpp"

namespace jitnorm::impl::api {

class executable;

// Immutable and shared by all who asked for the same, with what their primitives are made of.
class described {
public:
    described(layer_norm::problem to_solve, const layer_norm::solution &chosen);

    // The same by another solution; what the user was told of the scratchpad stays as it is.
    described(const described &other, const layer_norm::solution &chosen);

    // What the implementation wants, whoever provides it. With run-time sizes: for any sizes, if the user provides it.
    size_t scratchpad_bytes() const { return solution.plan.scratchpad.bytes(); }
    bool user_gives_scratchpad() const { return problem.attr.scratchpad_mode == jitnorm_scratchpad_mode_user; }

    // What was made for it last; the first that is kept stays.
    std::shared_ptr<const executable> made() const;
    std::shared_ptr<const executable> keep(std::shared_ptr<const executable> made) const;

    const layer_norm::problem problem;
    const layer_norm::solution solution;

    // Derived from the above, kept because queries answer pointers to them.
    const memory_desc scale_shift;      // of scale and of shift
    const memory_desc diff_scale_shift; // of their gradients
    const memory_desc bias;             // of the residual addition
    const memory_desc scratchpad;       // that the caller passes; empty when there is nothing to pass

private:
    mutable std::shared_ptr<const executable> made_; // behind the process's lock
};

} // namespace jitnorm::impl::api

struct jitnorm_primitive_desc {
    jitnorm_engine_t engine;
    jitnorm_primitive_attr attr; // as given, but for layouts that were undecided
    std::shared_ptr<const jitnorm::impl::api::described> what;

    jitnorm_primitive_desc(jitnorm_engine_t engine, const jitnorm_primitive_attr *attr, // null: defaults
                           std::shared_ptr<const jitnorm::impl::api::described> what);

    // Moves to the next implementation; false, without a change, when there is none.
    bool move_to_next_implementation();
};
