// SPDX-License-Identifier: Apache-2.0
#include "primitive_desc.hpp"

#include <utility>

#include "../../arithmetic/row_blocks.hpp"
#include "../../system/aligned_bytes.hpp"
#include "../../system/process.hpp"

namespace jitnorm::impl::api {

namespace {

memory_desc make_vector(dim_t length, jitnorm_data_type_t type) { return make_dense({&length, 1}, type); }

// Describes the gradient of scale or of shift: one row for all rows, or in a partial problem one for each part.
memory_desc describe_gradient(const layer_norm::problem &p) {
    if (!p.is_partial()) return make_vector(p.row_length(), p.diff_scale_shift_type);
    const dim_t sizes[] = {layer_norm::row_blocks_of(p).parts(), p.row_length()};
    return make_dense(sizes, p.diff_scale_shift_type);
}

// The user's memory may have any alignment, so its size includes room to align the scratchpad within it.
memory_desc describe_scratchpad(const described &what) {
    const size_t wanted = what.user_gives_scratchpad() ? what.scratchpad_bytes() : 0;
    return wanted == 0 ? memory_desc{} : make_vector(dim_t(wanted + ALIGNMENT - 1), jitnorm_u8);
}

} // namespace

described::described(layer_norm::problem to_solve, const layer_norm::solution &chosen)
    : problem(std::move(to_solve)), solution(chosen),
      scale_shift(make_vector(problem.row_length(), problem.scale_shift_type)),
      diff_scale_shift(describe_gradient(problem)),
      bias(make_vector(problem.row_length(), problem.attr.residual.bias_type)), scratchpad(describe_scratchpad(*this)) {
}

described::described(const described &other, const layer_norm::solution &chosen)
    : problem(other.problem), solution(chosen), scale_shift(other.scale_shift),
      diff_scale_shift(other.diff_scale_shift), bias(other.bias), scratchpad(other.scratchpad) {}

std::shared_ptr<const executable> described::made() const {
    const std::lock_guard lock(process_lock);
    return made_;
}

std::shared_ptr<const executable> described::keep(std::shared_ptr<const executable> made) const {
    const std::lock_guard lock(process_lock);
    if (made_ == nullptr) made_ = std::move(made);
    return made_;
}

} // namespace jitnorm::impl::api

jitnorm_primitive_desc::jitnorm_primitive_desc(jitnorm_engine_t on_engine, const jitnorm_primitive_attr *given,
                                               std::shared_ptr<const jitnorm::impl::api::described> described)
    : engine(on_engine), attr(given != nullptr ? *given : jitnorm_primitive_attr{}), what(std::move(described)) {
    jitnorm::impl::api::take_over_layouts(what->problem.attr, attr);
}

bool jitnorm_primitive_desc::move_to_next_implementation() {
    auto next = what->solution;
    if (!jitnorm::impl::layer_norm::move_to_next(what->problem, next)) return false;
    what = std::make_shared<const jitnorm::impl::api::described>(what->problem, next);
    return true;
}
