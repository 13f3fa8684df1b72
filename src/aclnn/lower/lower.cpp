// SPDX-License-Identifier: Apache-2.0
#include "lower.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace jitnorm::impl::aclnn {

shape_text::shape_text(shape dims) : text("[") {
    size_t at = 1;
    for (size_t d = 0; d < dims.size() && at < sizeof text; ++d)
        at += size_t(std::snprintf(text + at, sizeof text - at, d == 0 ? "%lld" : ", %lld", as_number(dims[d])));
    if (at < sizeof text) std::snprintf(text + at, sizeof text - at, "]");
}

std::optional<std::vector<dim_t>> strides_as(const tensor &t, shape dims) {
    std::vector<dim_t> strides(dims.size(), 1);
    if (product_of(dims) == 0) return strides;
    size_t next = t.dims.size();  // the tensor's dimensions from here on have been taken, the innermost first
    dim_t left = 1, distance = 1; // so many elements of those taken, at even distances, are still to be given to dims
    for (size_t d = dims.size(); d-- > 0;) {
        while (left % dims[d] != 0) {
            while (t.dims[--next] == 1) {
            }
            if (left == 1) distance = t.strides[next];
            if (t.strides[next] != left * distance) return std::nullopt;
            left *= t.dims[next];
        }
        if (dims[d] != 1) strides[d] = distance;
        left /= dims[d];
        distance *= dims[d];
    }
    return strides;
}

memory_desc describe(const tensor &t, shape dims, std::span<const dim_t> strides) {
    memory_desc md = make_dense(dims, core_type(t.data_type));
    std::copy(strides.begin(), strides.end(), md.strides);
    return md;
}

// Sizes and offset of a tensor without a slot have not been checked, and must not be used in calculations.
parameter::parameter(const named_tensor &given, slot what)
    : name(given.name), place(given ? what : NO_SLOT), is_null(!given) {
    if (place == NO_SLOT) return;
    has_elements = product_of(given->dims) != 0;
    if (has_elements) offset = given->offset * dim_t(size_of(core_type(given->data_type)));
}

// ---------------------------------------------------------------- rules

acl_status refuse_null(std::initializer_list<std::pair<const char *, const void *>> all, const char *why) {
    for (const auto &[name, pointer] : all)
        if (pointer == nullptr) return null_pointer(explain("%s is null%s", name, why));
    return {};
}

acl_status row_shape::split(const named_tensor &given, const char *name, shape columns, row_shape &result) {
    const tensor &input = *given;
    const size_t axes = columns.size();
    if (axes == 0) return invalid(explain("%s is empty", name));
    if (axes > input.dims.size() || !std::ranges::equal(shape(input.dims).last(axes), columns))
        return invalid(explain("%s %s is not the end of the shape %s of %s", name, shape_text(columns).text,
                               shape_text(input.dims).text, given.name));
    result.dims_.assign(input.dims.begin(), input.dims.end());
    if (axes == input.dims.size()) result.dims_.insert(result.dims_.begin(), 1);
    result.columns_ = axes;
    return {};
}

namespace {

constexpr size_t MAX_DIMENSIONS = 8;

bool any_negative(shape values) {
    return std::any_of(values.begin(), values.end(), [](dim_t value) { return value < 0; });
}

// Whether memory could hold all from `data` to the end of the last element. The type, which may not have been
// checked yet, counts as the widest one.
bool fits_in_memory(const tensor &t) {
    memory_desc md;
    md.ndims = int(t.dims.size());
    md.data_type = jitnorm_f32;
    md.format_kind = jitnorm_blocked;
    std::ranges::copy(t.dims, md.dims);
    std::ranges::copy(t.dims, md.padded_dims);
    std::ranges::copy(t.strides, md.strides);
    md.offset0 = t.offset;
    return impl::fits_in_memory(md);
}

bool has_legal_rank(const tensor &t) { return !t.dims.empty() && t.dims.size() <= MAX_DIMENSIONS; }

acl_status check_view(const char *name, const tensor &t) {
    if (!has_legal_rank(t)) return invalid(explain("%s has %zu dimensions; 1 to 8 are supported", name, t.dims.size()));
    if (std::ranges::count(PLAIN_FORMATS, t.format) == 0)
        return invalid(
            explain("%s has the format %d; supported: ND (2) and other formats without blocks", name, t.format));
    if (any_negative(t.dims)) return invalid(explain("%s has a negative dimension: %s", name, shape_text(t.dims).text));
    if (any_negative(t.strides))
        return invalid(explain("%s has a negative stride: %s", name, shape_text(t.strides).text));
    if (t.offset < 0) return invalid(explain("%s has the negative offset %lld", name, as_number(t.offset)));
    if (fits_in_memory(t)) return {};
    return invalid(explain("%s is too large to be addressed: shape %s, strides %s", name, shape_text(t.dims).text,
                           shape_text(t.strides).text));
}

acl_status check_writable(const char *name, const tensor &t) {
    memory_desc md;
    const bool has_layout = make_with_strides(md, int(t.dims.size()), t.dims.data(), core_type(t.data_type),
                                              t.strides.data()) == jitnorm_success;
    if (has_layout && !is_broadcast(md)) return {};
    return invalid(explain("elements of %s share memory", name));
}

bool is_contiguous(const tensor &t) {
    dim_t stride = 1;
    for (size_t d = t.dims.size(); d-- > 0; stride *= t.dims[d])
        if (t.dims[d] > 1 && t.strides[d] != stride) return false;
    return true;
}

// Puts a parameter's layout into the problem, by the extent of its slot.
acl_status describe_in(slot s, const named_tensor &given, const row_shape &split, request &result) {
    using layer_norm::extent;
    if (s == NO_SLOT || s >= FIRST_POST_OP) return {};
    const tensor &t = *given;
    const shape dims = split.dims();
    switch (layer_norm::TENSORS[size_t(s)].dims) {
    case extent::rows:
        if (t.dims.size() <= dims.size() && std::ranges::equal(t.dims, dims.last(t.dims.size()))) {
            std::vector<dim_t> strides(t.strides.begin(), t.strides.end());
            // The stride of a dimension of 1 has no effect, but 0 would look like a broadcast dimension.
            if (strides.size() < dims.size()) strides.insert(strides.begin(), 1);
            result.problem[s] = describe(t, dims, strides);
        }
        return {};
    case extent::columns: // the last dimensions, at index 0 of the others
        result.layouts[s] = describe(t, split.columns(), t.strides.last(split.columns().size()));
        return {};
    case extent::gradient:
        return reshape(given, split.columns(), "normalizedShape", result.layouts[s]);
    case extent::statistics:
        return reshape(given, split.rows(), "the axes that count rows", result.layouts[s]);
    default:
        return {};
    }
}

} // namespace

acl_status check_views(tensor_list inputs, tensor_list outputs, bool are_floats) {
    for (const tensor_list &tensors : {inputs, outputs})
        for (const named_tensor &one : tensors) {
            if (!one) continue;
            if (are_floats && has_legal_rank(*one)) JITNORM_TRY(check_float(one));
            JITNORM_TRY(check_view(one.name, *one));
        }
    for (const named_tensor &one : outputs)
        if (one) JITNORM_TRY(check_writable(one.name, *one));
    return {};
}

acl_status check_type(tensor_list tensors, int type, const char *why) {
    for (const named_tensor &one : tensors)
        if (one && one->data_type != type)
            return invalid(
                explain("%s is %s; it must be %s%s", one.name, type_name(one->data_type), type_name(type), why));
    return {};
}

acl_status check_shape(tensor_list tensors, shape expected, const char *what) {
    for (const named_tensor &one : tensors)
        if (one && !std::ranges::equal(one->dims, expected))
            return invalid(explain("%s has the shape %s; it must have that of %s, %s", one.name,
                                   shape_text(one->dims).text, what, shape_text(expected).text));
    return {};
}

acl_status check_float(const named_tensor &one) {
    if (is_float(one->data_type)) return {};
    return invalid(explain("%s is %s; supported: FLOAT, FLOAT16 and BF16", one.name, type_name(one->data_type)));
}

acl_status check_contiguous(tensor_list tensors) {
    for (const named_tensor &one : tensors)
        if (one && !is_contiguous(*one))
            return invalid(explain("%s is not contiguous: shape %s, strides %s", one.name, shape_text(one->dims).text,
                                   shape_text(one->strides).text));
    return {};
}

acl_status check_has_elements(const named_tensor &one) {
    if (product_of(one->dims) != 0) return {};
    return invalid(explain("%s has no elements: %s", one.name, shape_text(one->dims).text));
}

acl_status check_epsilon(double epsilon) {
    if (epsilon >= 0 && std::isfinite(float(epsilon))) return {};
    return invalid(explain("epsilon is %g; it must be finite and not negative", epsilon));
}

acl_status check_affine_type(const named_tensor &affine, const tensor &data) {
    if (!affine || affine->data_type == ACL_FLOAT || affine->data_type == data.data_type) return {};
    return invalid(explain("%s is %s; it must be FLOAT or have the type of the data, %s", affine.name,
                           type_name(affine->data_type), type_name(data.data_type)));
}

acl_status as_tiling(acl_status refused) {
    return {refused == JITNORM_ACLNN_ERR_PARAM_INVALID ? JITNORM_ACLNN_ERR_INNER_TILING : refused.code, refused.reason};
}

std::vector<dim_t> shape_of_statistics(const tensor &x, const row_shape &split) {
    std::vector<dim_t> dims(x.dims.begin(), x.dims.end());
    std::fill(dims.end() - split.normalized_axes(), dims.end(), 1);
    return dims;
}

acl_status reshape(const named_tensor &given, shape dims, const char *what, memory_desc &layout) {
    const tensor &t = *given;
    const bool fits = product_of(t.dims) == product_of(dims);
    const auto strides = fits ? strides_as(t, dims) : std::nullopt;
    if (!strides)
        return invalid(explain(fits ? "%s has the shape %s and strides that cannot give it that of %s, %s"
                                    : "%s has the shape %s; it must have as many elements as %s, %s",
                               given.name, shape_text(t.dims).text, what, shape_text(dims).text));
    layout = describe(t, dims, *strides);
    return {};
}

acl_status split_by_gamma(const named_tensor &x, const tensor &gamma, row_shape &split) {
    if (product_of(gamma.dims) == 0) return invalid("gamma has no elements");
    return row_shape::split(x, "gamma", gamma.dims, split);
}

acl_status make_request(const settings &with, std::span<const named_tensor *const> given, const row_shape &split,
                        size_t inputs, std::initializer_list<slot> slots, request &result) {
    layer_norm::problem &p = result.problem;
    result.op = with.op;
    result.inputs = inputs;
    p.epsilon = float(with.epsilon);
    p.normalized_axes = split.normalized_axes();
    p.form = layer_norm::statistics_form::inverse_deviation;
    for (size_t i = 0; i < given.size(); ++i) {
        const slot place = result.parameters.emplace_back(*given[i], slots.begin()[i]).place;
        JITNORM_TRY(describe_in(place, *given[i], split, result));
    }
    return {};
}

} // namespace jitnorm::impl::aclnn
