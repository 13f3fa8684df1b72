// SPDX-License-Identifier: Apache-2.0
#include "lower_checks.hpp"

#include <algorithm>
#include <cmath>

#include "../system/last_error.hpp"
#include "data_type.hpp"

namespace jitnorm::impl::aclnn {

namespace {

outcome place(const tensor &t, shape dims, memory_desc &layout, outcome otherwise) {
    const auto strides = count(t.dims) == count(dims) ? strides_as(t, dims) : std::nullopt;
    if (!strides) return otherwise;
    layout = describe(t, dims, *strides);
    return {};
}

} // namespace

outcome check_tensors(std::initializer_list<named_tensor> tensors) {
    for (const auto &[name, t] : tensors) {
        if (t == nullptr) continue;
        if (outcome checked = check_tensor(name, *t); checked.failed()) return checked;
    }
    return {};
}

outcome check_views(std::initializer_list<named_tensor> tensors) {
    for (const auto &[name, t] : tensors) {
        if (t == nullptr) continue;
        if (outcome checked = check_view(name, *t); checked.failed()) return checked;
    }
    return {};
}

outcome check_type(std::initializer_list<named_tensor> tensors, int type, const char *what) {
    for (const auto &[name, t] : tensors)
        if (t != nullptr && t->data_type != type) return invalid(explain("%s must be %s", name, what));
    return {};
}

outcome check_shape(const named_tensor &checked, shape expected, const char *what) {
    return checked.t == nullptr || equal(checked.t->dims, expected)
               ? outcome{}
               : invalid(explain("%s must have the shape of %s", checked.name, what));
}

outcome check_epsilon(double epsilon) {
    return epsilon >= 0 && std::isfinite(float(epsilon)) ? outcome{}
                                                         : invalid("epsilon must be finite and not negative");
}

outcome check_contiguous(std::initializer_list<named_tensor> tensors) {
    for (const auto &[name, t] : tensors)
        if (t != nullptr && !is_contiguous(*t)) return invalid(explain("%s must be contiguous", name));
    return {};
}

outcome as_tiling(outcome refused) {
    return refused.status == JITNORM_ACLNN_ERR_PARAM_INVALID ? tiling(refused.reason) : refused;
}

std::vector<dim_t> shape_of_statistics(const tensor &x, const row_shape &parted) {
    std::vector<dim_t> dims(x.dims.begin(), x.dims.end());
    std::fill(dims.end() - parted.normalized_axes(), dims.end(), 1);
    return dims;
}

outcome check_outputs(std::initializer_list<named_tensor> tensors) {
    for (const auto &[name, t] : tensors) {
        if (t == nullptr) continue;
        if (outcome checked = check_writable(name, *t); checked.failed()) return checked;
    }
    return {};
}

outcome check_affine(const named_tensor &affine, const row_shape &parted) {
    return affine.t == nullptr || equal(affine.t->dims, parted.columns())
               ? outcome{}
               : invalid(explain("%s must have the shape of normalizedShape", affine.name));
}

outcome check_affine_type(const named_tensor &affine, const tensor &data) {
    return affine.t == nullptr || affine.t->data_type == ACL_FLOAT || affine.t->data_type == data.data_type
               ? outcome{}
               : invalid(explain("%s must have the type of the data or FLOAT", affine.name));
}

outcome place_statistics(const tensor &mean, const tensor &rstd, const row_shape &parted, request &result) {
    if (!equal(mean.dims, rstd.dims)) return invalid("mean and rstd differ in their shapes");
    constexpr outcome otherwise = invalid("mean and rstd must have one element for each row, in their order");
    memory_desc &first = result.sides.mean, &second = result.sides.variance;
    if (outcome placed = place(mean, parted.rows(), first, otherwise); placed.failed()) return placed;
    if (outcome placed = place(rstd, parted.rows(), second, otherwise); placed.failed()) return placed;
    const auto type = layer_norm::common_type(first.data_type, second.data_type);
    result.problem.statistics = first == second ? first : make_dense(parted.rows(), type);
    return {};
}

outcome place_columns(const tensor &t, const row_shape &parted, memory_desc &layout) {
    return place(t, parted.columns(), layout,
                 invalid("the gradients of weight and bias must have the elements of normalizedShape, in their order"));
}

} // namespace jitnorm::impl::aclnn
