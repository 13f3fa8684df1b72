// SPDX-License-Identifier: Apache-2.0
#include "lower_checks.hpp"

namespace jitnorm::impl::aclnn {

namespace {

constexpr int ACL_FLOAT = 0;

outcome place(const tensor &t, shape dims, memory_desc &layout, outcome otherwise) {
    const auto strides = count(t.dims) == count(dims) ? strides_as(t, dims) : std::nullopt;
    if (!strides) return otherwise;
    layout = describe(t, dims, *strides);
    return {};
}

} // namespace

outcome check_tensors(std::initializer_list<const tensor *> tensors) {
    for (const tensor *t : tensors) {
        if (t == nullptr) continue;
        if (outcome checked = check_tensor(*t); checked.failed()) return checked;
    }
    return {};
}

outcome check_outputs(std::initializer_list<const tensor *> tensors) {
    for (const tensor *t : tensors) {
        if (t == nullptr) continue;
        if (outcome checked = check_writable(*t); checked.failed()) return checked;
    }
    return {};
}

outcome check_affine(const tensor *t, const tensor &input, const row_shape &parted) {
    if (t == nullptr) return {};
    if (!equal(t->dims, parted.columns())) return invalid("weight and bias must have the shape of normalizedShape");
    return t->data_type == ACL_FLOAT || t->data_type == input.data_type
               ? outcome{}
               : invalid("weight and bias must have the type of input or FLOAT");
}

outcome place_statistics(const tensor &mean, const tensor &rstd, const row_shape &parted, request &result) {
    if (mean.data_type != rstd.data_type) return invalid("mean and rstd differ in their types");
    if (!equal(mean.dims, rstd.dims)) return invalid("mean and rstd differ in their shapes");
    constexpr outcome otherwise = invalid("mean and rstd must have one element for each row, in their order");
    memory_desc &first = result.sides.mean, &second = result.sides.variance;
    if (outcome placed = place(mean, parted.rows(), first, otherwise); placed.failed()) return placed;
    if (outcome placed = place(rstd, parted.rows(), second, otherwise); placed.failed()) return placed;
    result.problem.statistics = first == second ? first : make_dense(parted.rows(), first.data_type);
    return {};
}

outcome place_columns(const tensor &t, const row_shape &parted, memory_desc &layout) {
    return place(t, parted.columns(), layout,
                 invalid("the gradients of weight and bias must have the elements of normalizedShape, in their order"));
}

} // namespace jitnorm::impl::aclnn
