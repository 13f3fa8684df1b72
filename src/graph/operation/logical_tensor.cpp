// SPDX-License-Identifier: Apache-2.0
#include "op.hpp"

#include <algorithm>
#include <cstdio>

#include "../../tensor/names.hpp"

namespace jitnorm::impl::graph {

namespace {

bool are_known(const dim_t *values, int count) {
    return std::none_of(values, values + count, [](dim_t value) { return value == JITNORM_GRAPH_UNKNOWN_DIM; });
}

// Sets strides without gaps. order[ndims - 1] is the innermost dimension. False if a stride overflows.
bool set_strides(logical_tensor &lt, const int *order) {
    lt.layout_type = jitnorm_graph_layout_type_strided;
    dim_t stride = 1;
    for (int i = lt.ndims - 1; i >= 0; --i) {
        lt.layout.strides[order[i]] = stride;
        if (__builtin_mul_overflow(stride, std::max<dim_t>(lt.dims[order[i]], 1), &stride)) return false;
    }
    return true;
}

bool has_strides(const logical_tensor &lt, std::span<const dim_t> dims, const dim_t *strides, memory_desc &md) {
    return make_with_strides(md, int(dims.size()), dims.data(), lt.data_type, strides) == jitnorm_success;
}

// Describes a tensor of an execution: all of them are described here. False if it is none that memory can hold.
bool describe(const logical_tensor &lt, std::span<const dim_t> dims, const dim_t *strides, memory_desc &md) {
    return has_strides(lt, dims, strides, md) && fits_in_memory(md);
}

constexpr dim_t ONE = 1; // the size and the stride of the dimension that a tensor without any gets

// Describes the tensor with `rank` dimensions. If it has fewer, dimensions of 1 are put in front; if it has more, the
// first ones, which must be 1, are left out. False if this makes no tensor.
bool describe_aligned(const logical_tensor &lt, int rank, memory_desc &md) {
    jitnorm_dims_t dims, strides;
    std::fill_n(dims, rank, 1);
    std::fill_n(strides, rank, 1);
    const int more = rank - lt.ndims;
    for (int d = std::max(0, more); d < rank; ++d) {
        dims[d] = lt.dims[d - more];
        strides[d] = lt.layout.strides[d - more];
    }
    return describe(lt, {dims, size_t(rank)}, strides, md);
}

} // namespace

bool is_shape_known(const logical_tensor &lt) { return lt.ndims >= 0 && are_known(lt.dims, lt.ndims); }

bool are_strides_known(const logical_tensor &lt) { return are_known(lt.layout.strides, lt.ndims); }

bool are_equal(const logical_tensor &a, const logical_tensor &b) {
    const auto shown = [](const logical_tensor &lt) { return lt.ndims < 0 ? 0 : lt.ndims; };
    if (a.id != b.id || a.ndims != b.ndims || a.data_type != b.data_type || a.property != b.property) return false;
    if (a.layout_type != b.layout_type || !std::equal(a.dims, a.dims + shown(a), b.dims)) return false;
    if (a.layout_type == jitnorm_graph_layout_type_opaque) return a.layout.layout_id == b.layout.layout_id;
    return a.layout_type != jitnorm_graph_layout_type_strided ||
           std::equal(a.layout.strides, a.layout.strides + shown(a), b.layout.strides);
}

void set_shape(logical_tensor &lt, std::span<const dim_t> dims) {
    lt.ndims = int(dims.size());
    std::copy(dims.begin(), dims.end(), lt.dims);
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
    return lt.ndims == 1 && fits(lt, {&elements, 1}, may_be_unknown);
}

bool lay_out_densely(logical_tensor &lt) {
    int order[MAX_NDIMS];
    for (int d = 0; d < lt.ndims; ++d) order[d] = d;
    return set_strides(lt, order);
}

bool lay_out_densely_like(logical_tensor &lt, const logical_tensor &model) {
    int order[MAX_NDIMS];
    order_by_strides(model.layout.strides, lt.ndims, order);
    return set_strides(lt, order);
}

bool describe_dims(const logical_tensor &lt, int count, memory_desc &md) {
    return count == 0 ? describe(lt, {&ONE, 1}, &ONE, md)
                      : describe(lt, {lt.dims, size_t(count)}, lt.layout.strides, md);
}

bool describe_flat(const logical_tensor &lt, std::span<const dim_t> dims, memory_desc &md) {
    jitnorm_dims_t strides;
    dim_t stride = lt.layout.strides[0];
    for (size_t d = dims.size(); d-- > 0;) {
        strides[d] = stride;
        if (d > 0 && __builtin_mul_overflow(stride, std::max<dim_t>(dims[d], 1), &stride)) return false;
    }
    return describe(lt, dims, strides, md);
}

bool broadcasts_to(const logical_tensor &lt, std::span<const dim_t> dims) {
    const int more = int(dims.size()) - lt.ndims; // dimensions that the tensor lacks; negative if it has too many
    for (int d = 0; d < lt.ndims; ++d) {
        const int at = d + more;
        if (lt.dims[d] != 1 && (at < 0 || lt.dims[d] != dims[size_t(at)])) return false;
    }
    return true;
}

bool describe_broadcast(const logical_tensor &lt, std::span<const dim_t> dims, memory_desc &md) {
    jitnorm_dims_t strides = {};
    const int rank = int(dims.size()), more = rank - lt.ndims;
    for (int d = std::max(0, more); d < rank; ++d)
        if (lt.dims[d - more] == dims[size_t(d)]) strides[d] = lt.layout.strides[d - more];
    return describe(lt, dims, strides, md);
}

status check_broadcast(const logical_tensor &lt, const char *name, const logical_tensor &src,
                       std::span<const dim_t> dims) {
    return lt.ndims <= src.ndims && broadcasts_to(lt, dims)
               ? ACCEPTED
               : misfit(explain("%s is %s, which cannot be broadcast to %s of src", name, dims_text(dims_of(lt)).text,
                                dims_text(dims).text));
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

status explain_no_strides(const logical_tensor &lt, const char *name) {
    memory_desc md;
    const status made = make_with_strides(md, lt.ndims, lt.dims, lt.data_type, lt.layout.strides);
    return invalid(explain_part(name, made.failed() ? made.reason : TOO_LARGE.reason));
}

size_t size_in_bytes(const logical_tensor &lt) {
    memory_desc md;
    const bool known =
        lt.layout_type == jitnorm_graph_layout_type_strided && is_shape_known(lt) && are_strides_known(lt);
    const bool is_tensor = known && (lt.ndims == 0 ? has_strides(lt, {&ONE, 1}, &ONE, md)
                                                   : has_strides(lt, dims_of(lt), lt.layout.strides, md));
    return is_tensor ? bytes(md) : size_t(-1);
}

} // namespace jitnorm::impl::graph
