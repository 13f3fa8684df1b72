// SPDX-License-Identifier: Apache-2.0
#include "primitive_desc.hpp"

#include <utility>

#include "../../base/bytes.hpp"
#include "../../base/process.hpp"
#include "../../math/moments.hpp"
#include "../../math/row_blocks.hpp"

namespace jitnorm::impl::api {

namespace {

// The user's memory may have any alignment, so its size includes room to align the scratchpad within it.
memory_desc describe_scratchpad(const described &what) {
    const size_t wanted = what.user_gives_scratchpad() ? what.scratchpad_bytes() : 0;
    const dim_t bytes = dim_t(size_with_alignment(wanted));
    return wanted == 0 ? memory_desc{} : make_dense({&bytes, 1}, jitnorm_u8);
}

// The moments of each chunk of a row, or of the row.
memory_desc describe_row_sums(const layer_norm::problem &p) {
    if (!p.uses(layer_norm::ROW_SUMS)) return {};
    const dim_t moments = p.writes(layer_norm::ROW_SUMS) ? divide_up(p.row_length(), layer_norm::CHUNK) : 1;
    dim_t dims[MAX_NDIMS];
    std::copy_n(p[layer_norm::SRC].dims, p.row_ndims(), dims);
    dims[p.row_ndims()] = moments * layer_norm::MOMENTS_NUMBERS;
    return make_dense({dims, size_t(p.row_ndims() + 1)}, jitnorm_f64);
}

std::array<memory_desc, layer_norm::FIRST_POST_OP> describe_tensors(const described &what) {
    const layer_norm::problem &p = what.problem;
    std::array<memory_desc, layer_norm::FIRST_POST_OP> tensors;
    for (const layer_norm::tensor_kind &t : layer_norm::TENSORS) {
        memory_desc &md = tensors[size_t(t.place)] = p.layout(t.place);
        if (t.dims != layer_norm::extent::gradient || !p.is_partial()) continue;
        const dim_t sizes[] = {layer_norm::row_blocks_of(p).parts(), p.row_length()};
        md = make_dense(sizes, md.data_type);
    }
    tensors[layer_norm::ROW_SUMS] = describe_row_sums(p);
    tensors[layer_norm::SCRATCHPAD] = describe_scratchpad(what);
    return tensors;
}

} // namespace

described::described(layer_norm::problem to_solve, const layer_norm::solution &chosen)
    : problem(std::move(to_solve)), solution(chosen), tensors(describe_tensors(*this)) {}

described::described(const described &other, const layer_norm::solution &chosen)
    : problem(other.problem), solution(chosen), tensors(other.tensors) {}

std::shared_ptr<const executable> described::made() const {
    return is_made_.load(std::memory_order_acquire) ? made_ : nullptr;
}

std::shared_ptr<const executable> described::keep(std::shared_ptr<const executable> made) const {
    const std::lock_guard lock(process_lock);
    if (made_ == nullptr) made_ = std::move(made);
    is_made_.store(true, std::memory_order_release);
    return made_;
}

} // namespace jitnorm::impl::api

jitnorm_primitive_desc::jitnorm_primitive_desc(jitnorm_engine_t on_engine, const jitnorm_primitive_attr *given,
                                               std::shared_ptr<const jitnorm::impl::api::described> described)
    : engine(on_engine), attr(given != nullptr ? *given : jitnorm_primitive_attr{}), what(std::move(described)) {
    jitnorm::impl::api::take_over_layouts(what->problem, attr);
}

bool jitnorm_primitive_desc::move_to_next_implementation() {
    auto next = what->solution;
    if (!jitnorm::impl::layer_norm::move_to_next(what->problem, next)) return false;
    what = std::make_shared<const jitnorm::impl::api::described>(what->problem, next);
    return true;
}

namespace jitnorm::impl::api {

namespace {

// Programs for oneDNN pass a mean with rms_norm, too, a shift to backward, and a scratchpad without bytes.
bool is_ignored(const described &what, slot s) {
    const layer_norm::problem &p = what.problem;
    return (s == MEAN && p.is_rms() && p.uses(VARIANCE)) || (s == SHIFT && !p.is_forward() && p.uses_shift()) ||
           (s == SCRATCHPAD && p.uses(s) && what.tensors[SCRATCHPAD].ndims == 0);
}

} // namespace

tensor tensor_of(const described &what, slot s) {
    const memory_desc *md = s < FIRST_POST_OP ? &what.tensors[size_t(s)] : what.problem.post_op_operand(s);
    if (is_ignored(what, s)) return {role::ignored, md};
    if (!what.problem.uses(s)) return {role::absent, &NO_TENSOR};
    return {what.problem.writes(s) ? role::output : role::input, md};
}

} // namespace jitnorm::impl::api
