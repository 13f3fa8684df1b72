// SPDX-License-Identifier: Apache-2.0
#include "primitive_desc.hpp"

#include <utility>

#include "../core/aligned_bytes.hpp"

using namespace jitnorm::impl;

namespace {

memory_desc make_vector(dim_t length, jitnorm_data_type_t type) { return make_dense({&length, 1}, type); }

} // namespace

jitnorm_primitive_desc::jitnorm_primitive_desc(jitnorm_engine_t on_engine, const jitnorm_primitive_attr *given,
                                               layer_norm::problem to_solve, const layer_norm::solution &chosen)
    : engine(on_engine), attr(given != nullptr ? *given : jitnorm_primitive_attr{}), problem(std::move(to_solve)),
      solution(chosen), scale_shift(make_vector(problem.row_length(), problem.scale_shift_type)),
      diff_scale_shift(make_vector(problem.row_length(), problem.diff_scale_shift_type)) {
    api::take_over_layouts(problem.attr, attr);
    describe_scratchpad();
}

// The caller's memory may be aligned to a byte only: there is room to align within it.
void jitnorm_primitive_desc::describe_scratchpad() {
    const size_t wanted = user_gives_scratchpad() ? scratchpad_bytes() : 0;
    scratchpad = wanted == 0 ? memory_desc{} : make_vector(dim_t(wanted + ALIGNMENT - 1), jitnorm_u8);
}

bool jitnorm_primitive_desc::move_to_next_implementation() {
    if (!layer_norm::move_to_next(problem, solution)) return false;
    describe_scratchpad();
    return true;
}
