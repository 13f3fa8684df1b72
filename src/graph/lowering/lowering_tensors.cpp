// SPDX-License-Identifier: Apache-2.0
#include "lowering_tensors.hpp"

#include <algorithm>

namespace jitnorm::impl::graph {

verdict take_tensor(const port &p, const char *name, tensor_list given, logical_tensor &lt) {
    const auto found = std::find_if(given.begin(), given.end(), [&](auto *candidate) { return candidate->id == p.id; });
    if (found == given.end()) return invalid(explain("%s (tensor %zu) is missing", name, p.id));
    lt = **found;
    if (!has_legal_rank(lt)) return BAD_RANK;
    if (lt.data_type == jitnorm_data_type_undef) return invalid(explain("%s has no data type", name));
    if (lt.data_type != p.type)
        return {jitnorm_invalid_data_type, explain("%s has another data type than the operation was made with", name)};
    return p.how == use::written || is_shape_known(lt) ? ACCEPTED
                                                       : invalid(explain("the shape of %s is not known", name));
}

bool fits(logical_tensor &lt, std::span<const dim_t> dims, bool may_be_unknown) {
    const auto agree = [&](dim_t given, dim_t expected) {
        return given == expected || (may_be_unknown && given == JITNORM_GRAPH_UNKNOWN_DIM);
    };
    const bool fit = (may_be_unknown && lt.ndims == JITNORM_GRAPH_UNKNOWN_NDIMS) ||
                     (lt.ndims == int(dims.size()) &&
                      std::equal(dims.begin(), dims.end(), lt.dims, [&](dim_t e, dim_t g) { return agree(g, e); }));
    if (fit) set_shape(lt, dims);
    return fit;
}

bool prepend_one(memory_desc &md) {
    jitnorm_dims_t dims = {1}, strides = {};
    if (__builtin_mul_overflow(md.dims[0], md.strides[0], &strides[0])) strides[0] = 1;
    std::copy(md.dims, md.dims + md.ndims, dims + 1);
    std::copy(md.strides, md.strides + md.ndims, strides + 1);
    return make_with_strides(md, md.ndims + 1, dims, md.data_type, strides) == jitnorm_success;
}

verdict describe_operand(logical_tensor &operand, const logical_tensor &src, int rank, memory_desc &md) {
    if (operand.layout_type == jitnorm_graph_layout_type_any && !lay_out_densely(operand))
        return invalid(explain("tensor %zu is too large to be addressed", operand.id));
    if (operand.layout_type != jitnorm_graph_layout_type_strided || !are_strides_known(operand))
        return invalid(explain("the layout of tensor %zu is not strided, or its strides are not known", operand.id));
    if (operand.ndims > src.ndims || !broadcasts_to(operand, dims_of(src)))
        return misfit(explain("tensor %zu cannot be broadcast to src", operand.id));
    return describe_aligned(operand, rank, md)
               ? ACCEPTED
               : invalid(explain("the strides of tensor %zu overlap or are negative, or it cannot be addressed",
                                 operand.id));
}

} // namespace jitnorm::impl::graph
