// SPDX-License-Identifier: Apache-2.0
// primitive_desc as the C interface's handle knows it: a problem and the implementation that is going to solve it.
#pragma once

#include "../core/engine.hpp"
#include "../core/problem.hpp"
#include "../primitive/prepare.hpp"
#include "attr.hpp"

struct jitnorm_primitive_desc {
    jitnorm_engine_t engine;
    jitnorm_primitive_attr attr; // as given, but for layouts that were undecided
    jitnorm::impl::layer_norm::problem problem;
    jitnorm::impl::layer_norm::solution solution;

    // Derived from the above, kept because queries answer pointers to them.
    jitnorm_memory_desc scale_shift;      // of scale and of shift
    jitnorm_memory_desc diff_scale_shift; // of their gradients
    jitnorm_memory_desc scratchpad;       // that the caller passes; empty when there is nothing to pass

    jitnorm_primitive_desc(jitnorm_engine_t engine, const jitnorm_primitive_attr *attr, // null: defaults
                           jitnorm::impl::layer_norm::problem problem,
                           const jitnorm::impl::layer_norm::solution &solution);

    // Moves to the next implementation; false, without a change, when there is none.
    bool move_to_next_implementation();

    // What the implementation wants, whoever provides it. With run-time sizes: for any sizes, if the user provides it.
    size_t scratchpad_bytes() const { return solution.plan.scratchpad.bytes(); }
    bool user_gives_scratchpad() const { return problem.attr.scratchpad_mode == jitnorm_scratchpad_mode_user; }

private:
    void describe_scratchpad();
};
