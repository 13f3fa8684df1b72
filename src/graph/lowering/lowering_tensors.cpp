// SPDX-License-Identifier: Apache-2.0
#include "lowering_tensors.hpp"

#include <algorithm>
#include <cstdio>

#include "../../tensor/names.hpp"
#include "../../tensor/reasons.hpp"

namespace jitnorm::impl::graph {

status take_tensor(const port &p, const char *name, tensor_list given, logical_tensor &lt) {
    const auto found = std::find_if(given.begin(), given.end(), [&](auto *candidate) { return candidate->id == p.id; });
    if (found == given.end()) return invalid(explain("%s (tensor %zu) is missing", name, p.id));
    lt = **found;
    if (!has_legal_rank(lt)) return bad_rank(lt.ndims);
    if (lt.data_type == jitnorm_data_type_undef) return invalid(explain("%s has no data type", name));
    if (lt.data_type != p.type)
        return {jitnorm_invalid_data_type, explain("%s is %s, the operation was made with %s", name,
                                                   name_of(lt.data_type).data(), name_of(p.type).data())};
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

bool fits_flat(logical_tensor &lt, std::span<const dim_t> dims, bool may_be_unknown) {
    dim_t elements = 1;
    for (const dim_t dim : dims)
        if (__builtin_mul_overflow(elements, dim, &elements)) return false;
    return dims.size() > 1 && lt.ndims == 1 && fits(lt, {&elements, 1}, may_be_unknown);
}

status check_broadcast(const logical_tensor &lt, const char *name, const logical_tensor &src,
                       std::span<const dim_t> dims) {
    return lt.ndims <= src.ndims && broadcasts_to(lt, dims)
               ? ACCEPTED
               : misfit(explain("%s is %s, which cannot be broadcast to %s of src", name, dims_text(dims_of(lt)).text,
                                dims_text(dims).text));
}

status explain_no_strides(const logical_tensor &lt, const char *name) {
    return invalid(explain_part(
        name,
        explain_no_tensor({lt.ndims, lt.dims, lt.data_type}, static_cast<const dim_t *>(lt.layout.strides)).reason));
}

bool prepend_one(memory_desc &md) {
    jitnorm_dims_t dims = {1}, strides = {};
    if (__builtin_mul_overflow(md.dims[0], md.strides[0], &strides[0])) strides[0] = 1;
    std::copy(md.dims, md.dims + md.ndims, dims + 1);
    std::copy(md.strides, md.strides + md.ndims, strides + 1);
    return make_with_strides(md, md.ndims + 1, dims, md.data_type, strides) == jitnorm_success;
}

status describe_operand(logical_tensor &operand, const logical_tensor &src, int rank, memory_desc &md) {
    char name[32];
    std::snprintf(name, sizeof name, "tensor %zu", operand.id);
    if (operand.layout_type == jitnorm_graph_layout_type_any && !lay_out_densely(operand))
        return invalid(explain("tensor %zu is too large to be addressed", operand.id));
    if (operand.layout_type != jitnorm_graph_layout_type_strided || !are_strides_known(operand))
        return invalid(explain(operand.layout_type == jitnorm_graph_layout_type_strided
                                   ? "the strides of %s are not known"
                                   : "the layout of %s is neither strided nor any",
                               name));
    JITNORM_TRY(check_broadcast(operand, name, src, dims_of(src)));
    return describe_aligned(operand, rank, md) ? ACCEPTED : explain_no_strides(operand, name);
}

} // namespace jitnorm::impl::graph
