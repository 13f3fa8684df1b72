// SPDX-License-Identifier: Apache-2.0
// C interface: primitive descriptors, queries about them, and their other functions.
#include "primitive_desc.hpp"

#include <utility>

#include "../../base/bytes.hpp"
#include "../../base/process.hpp"
#include "../../math/moments.hpp"
#include "../../math/row_blocks.hpp"
#include "jitnorm/jitnorm.h"

namespace jitnorm::impl::api {

namespace {

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
    // The user's memory may have any alignment, so its size includes room to align the scratchpad within it.
    const dim_t bytes = dim_t(size_with_alignment(what.user_gives_scratchpad() ? what.scratchpad_bytes() : 0));
    if (bytes != 0) tensors[layer_norm::SCRATCHPAD] = make_dense({&bytes, 1}, jitnorm_u8);
    return tensors;
}

// Programs for oneDNN pass a mean with rms_norm, too, a shift to backward, and a scratchpad without bytes.
bool is_ignored(const described &what, slot s) {
    const layer_norm::problem &p = what.problem;
    return (s == MEAN && p.is_rms() && p.uses(VARIANCE)) || (s == SHIFT && !p.is_forward() && p.uses_shift()) ||
           (s == SCRATCHPAD && p.uses(s) && what.tensors[SCRATCHPAD].ndims == 0);
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

tensor tensor_of(const described &what, slot s) {
    const memory_desc *md = s < FIRST_POST_OP ? &what.tensors[size_t(s)] : what.problem.post_op_operand(s);
    if (is_ignored(what, s)) return {role::ignored, md};
    if (!what.problem.uses(s)) return {role::absent, &NO_TENSOR};
    return {what.problem.writes(s) ? role::output : role::input, md};
}

} // namespace jitnorm::impl::api

using namespace jitnorm::impl;
using namespace jitnorm::impl::api;

jitnorm_primitive_desc::jitnorm_primitive_desc(jitnorm_engine_t on_engine, const jitnorm_primitive_attr *given,
                                               std::shared_ptr<const described> described)
    : engine(on_engine), attr(given != nullptr ? *given : jitnorm_primitive_attr{}), what(std::move(described)) {
    const layer_norm::problem &decided = what->problem;
    const std::vector<post_op> &entries = decided.attr.post_ops.entries;
    for (size_t i = 0; i < entries.size(); ++i)
        if (const auto *binary = std::get_if<binary_post_op>(&entries[i])) attr.post_ops.entries[i] = *binary;
    const tensor_descs as_given = attr.tensors;
    for (const auto &[s, md] : as_given)
        if (decided[s].ndims != 0 && !(*md == decided[s])) attr.tensors.set({{s, &decided[s]}});
}

namespace {

// Counts the tensors of this role, without scales and the scratchpad, which belong to the attributes.
int count(const jitnorm_primitive_desc &pd, role wanted) {
    int found = 0;
    for (int s = 0; s < SLOT_COUNT; ++s) {
        const bool counts = s != SRC_SCALE && s != DST_SCALE && s != SCRATCHPAD;
        found += counts && tensor_of(*pd.what, slot(s)).as == wanted;
    }
    return found;
}

// Statistics have the numbers after src if they are inputs, and those after dst if they are outputs.
slot statistics_slot(const jitnorm_primitive_desc &pd, role side, int index) {
    const bool is_statistic = index == 1 || index == 2;
    if (!is_statistic || tensor_of(*pd.what, VARIANCE).as != side) return NO_SLOT;
    return index == 1 ? MEAN : VARIANCE;
}

// oneDNN describes scale and shift by one vector: where the primitive has one of them, it is the answer for both.
slot weights_slot(const jitnorm_primitive_desc &pd, int index, slot scale, slot shift) {
    if (index != 0 && index != 1) return NO_SLOT;
    const slot asked = index == 0 ? scale : shift, other = index == 0 ? shift : scale;
    return tensor_of(*pd.what, asked).as == role::absent ? other : asked;
}

slot slot_of_query(const jitnorm_primitive_desc &pd, jitnorm_query_t what, int index) {
    switch (what) {
    case jitnorm_query_src_md:
        return index == 0 ? SRC : statistics_slot(pd, role::input, index);
    case jitnorm_query_dst_md:
        return index == 0 ? DST : statistics_slot(pd, role::output, index);
    case jitnorm_query_diff_src_md:
        return index == 0 ? DIFF_SRC : NO_SLOT;
    case jitnorm_query_diff_dst_md:
        return index == 0 ? DIFF_DST : NO_SLOT;
    case jitnorm_query_weights_md:
        return weights_slot(pd, index, SCALE, SHIFT);
    case jitnorm_query_diff_weights_md:
        return weights_slot(pd, index, DIFF_SCALE, DIFF_SHIFT);
    case jitnorm_query_scratchpad_md:
        return index == 0 ? SCRATCHPAD : NO_SLOT;
    case jitnorm_query_exec_arg_md:
        return slot_of(index);
    default:
        return NO_SLOT; // there is no workspace
    }
}

bool is_md_query(jitnorm_query_t what) {
    return (jitnorm_query_src_md <= what && what <= jitnorm_query_scratchpad_md) || what == jitnorm_query_exec_arg_md;
}

const memory_desc *find_md(const jitnorm_primitive_desc &pd, jitnorm_query_t what, int index) {
    const slot s = slot_of_query(pd, what, index);
    return s == NO_SLOT ? &NO_TENSOR : tensor_of(*pd.what, s).md;
}

// With run-time sizes backward always takes the library's scratchpad.
int64_t library_scratchpad_bytes(const jitnorm_primitive_desc &pd) {
    const layer_norm::problem &p = pd.what->problem;
    if (pd.what->user_gives_scratchpad() && (p.is_forward() || !p.has_runtime_sizes())) return 0;
    return p.has_runtime_sizes() ? RUNTIME_DIM : int64_t(pd.what->scratchpad_bytes());
}

status query(const jitnorm_primitive_desc &pd, jitnorm_query_t what, int index, void *result) {
    if (is_md_query(what)) return answer(result, find_md(pd, what, index));
    switch (what) {
    case jitnorm_query_engine:
    case jitnorm_query_scratchpad_engine:
        return answer(result, pd.engine);
    case jitnorm_query_primitive_kind:
        return answer(result, jitnorm_layer_normalization);
    case jitnorm_query_num_of_inputs_s32:
        return answer(result, count(pd, role::input));
    case jitnorm_query_num_of_outputs_s32:
        return answer(result, count(pd, role::output));
    case jitnorm_query_time_estimate_f64:
        return answer(result, 0.0);
    case jitnorm_query_memory_consumption_s64:
        return answer(result, library_scratchpad_bytes(pd));
    case jitnorm_query_impl_info_str:
        return answer(result, pd.what->solution.by->name);
    case jitnorm_query_cache_blob_id_size_s64:
        return answer(result, int64_t(0));
    case jitnorm_query_cache_blob_id:
        return answer<const uint8_t *>(result, nullptr);
    case jitnorm_query_prop_kind:
        return answer(result, pd.what->problem.prop_kind);
    case jitnorm_query_epsilon_f32:
        return answer(result, float(pd.what->problem.epsilon));
    case jitnorm_query_flags:
        return answer(result, pd.what->problem.flags);
    default:
        return unsupported(explain("query %d is not about primitive descriptors", int(what)));
    }
}

} // namespace

jitnorm_status_t jitnorm_primitive_desc_next_impl(jitnorm_primitive_desc_t primitive_desc) {
    JITNORM_REFUSE_NULL(primitive_desc);
    return guarded(__func__, [&]() -> status {
        std::shared_ptr<const described> &what = primitive_desc->what;
        layer_norm::solution next = what->solution;
        if (!layer_norm::move_to_next(what->problem, next))
            return {jitnorm_last_impl_reached, "there is no further implementation"};
        what = std::make_shared<const described>(what->problem, next);
        return {};
    });
}

jitnorm_status_t jitnorm_primitive_desc_clone(jitnorm_primitive_desc_t *primitive_desc,
                                              const_jitnorm_primitive_desc_t existing) {
    return clone(__func__, primitive_desc, existing);
}

JITNORM_GETTER(jitnorm_primitive_desc_get_attr, const_jitnorm_primitive_desc_t, primitive_desc,
               const_jitnorm_primitive_attr_t, attr, &primitive_desc->attr)

jitnorm_status_t jitnorm_primitive_desc_destroy(jitnorm_primitive_desc_t primitive_desc) {
    return destroy(primitive_desc);
}

jitnorm_status_t jitnorm_primitive_desc_query(const_jitnorm_primitive_desc_t primitive_desc, jitnorm_query_t what,
                                              int index, void *result) {
    JITNORM_REFUSE_NULL(primitive_desc, result);
    return guarded(__func__, [&] { return query(*primitive_desc, what, index, result); });
}

const_jitnorm_memory_desc_t jitnorm_primitive_desc_query_md(const_jitnorm_primitive_desc_t primitive_desc,
                                                            jitnorm_query_t what, int index) {
    return any_null(primitive_desc) || !is_md_query(what) ? nullptr : find_md(*primitive_desc, what, index);
}

int jitnorm_primitive_desc_query_s32(const_jitnorm_primitive_desc_t primitive_desc, jitnorm_query_t what, int index) {
    const bool is_s32 = what == jitnorm_query_num_of_inputs_s32 || what == jitnorm_query_num_of_outputs_s32;
    int result = 0;
    if (is_s32) jitnorm_primitive_desc_query(primitive_desc, what, index, &result);
    return result;
}
