// SPDX-License-Identifier: Apache-2.0
#include "checks.hpp"

#include <algorithm>
#include <cmath>

#include "../../base/last_error.hpp"
#include "../objects/data_type.hpp"

namespace jitnorm::impl::aclnn {

namespace {

// The first refusal by check(name, tensor); a tensor that is null is skipped.
template <typename Check>
acl_status check_each(tensor_list tensors, Check &&check) {
    for (const auto &[name, t] : tensors) {
        if (t == nullptr) continue;
        JITNORM_TRY(check(name, *t));
    }
    return {};
}

template <typename Check>
acl_status check_both(tensor_list inputs, tensor_list outputs, Check &&check) {
    JITNORM_TRY(check_each(inputs, check));
    JITNORM_TRY(check_each(outputs, check));
    return check_each(outputs, check_writable);
}

} // namespace

acl_status check_views(tensor_list inputs, tensor_list outputs) { return check_both(inputs, outputs, check_view); }

acl_status check_tensors(tensor_list inputs, tensor_list outputs) { return check_both(inputs, outputs, check_tensor); }

acl_status check_type(tensor_list tensors, int type, const char *why) {
    return check_each(tensors, [&](const char *name, const tensor &t) {
        return t.data_type == type
                   ? acl_status{}
                   : invalid(explain("%s is %s, it must be %s%s", name, type_name(t.data_type), type_name(type), why));
    });
}

acl_status check_shape(tensor_list tensors, shape expected, const char *what) {
    return check_each(tensors, [&](const char *name, const tensor &t) {
        return equal(t.dims, expected) ? acl_status{}
                                       : invalid(explain("%s has the shape %s, it must have that of %s, %s", name,
                                                         shape_text(t.dims).text, what, shape_text(expected).text));
    });
}

acl_status check_float(const named_tensor &one) {
    return is_float(one.t->data_type)
               ? acl_status{}
               : invalid(explain("%s is %s, none of FLOAT, FLOAT16 and BF16", one.name, type_name(one.t->data_type)));
}

acl_status check_contiguous(tensor_list tensors) {
    return check_each(tensors, [](const char *name, const tensor &t) {
        return is_contiguous(t) ? acl_status{}
                                : invalid(explain("%s is not contiguous: shape %s, strides %s", name,
                                                  shape_text(t.dims).text, shape_text(t.strides).text));
    });
}

acl_status check_epsilon(double epsilon) {
    return epsilon >= 0 && std::isfinite(float(epsilon))
               ? acl_status{}
               : invalid(explain("epsilon is %g, it must be finite and not negative", epsilon));
}

acl_status check_affine_type(const named_tensor &affine, const tensor &data) {
    return affine.t == nullptr || affine.t->data_type == ACL_FLOAT || affine.t->data_type == data.data_type
               ? acl_status{}
               : invalid(explain("%s is %s, it must be FLOAT or have the type of the data, %s", affine.name,
                                 type_name(affine.t->data_type), type_name(data.data_type)));
}

acl_status as_tiling(acl_status refused) {
    return refused.code == JITNORM_ACLNN_ERR_PARAM_INVALID ? tiling(refused.reason) : refused;
}

std::vector<dim_t> shape_of_statistics(const tensor &x, const row_shape &parted) {
    std::vector<dim_t> dims(x.dims.begin(), x.dims.end());
    std::fill(dims.end() - parted.normalized_axes(), dims.end(), 1);
    return dims;
}

acl_status place(const named_tensor &given, shape dims, const char *what, memory_desc &layout) {
    const tensor &t = *given.t;
    const bool fits = count(t.dims) == count(dims);
    const auto strides = fits ? strides_as(t, dims) : std::nullopt;
    if (!strides)
        return invalid(explain(fits ? "%s has the shape %s and strides that cannot give it that of %s, %s"
                                    : "%s has the shape %s, it must have as many elements as %s, %s",
                               given.name, shape_text(t.dims).text, what, shape_text(dims).text));
    layout = describe(t, dims, *strides);
    return {};
}

acl_status place_statistics(const named_tensor &mean, const named_tensor &rstd, const row_shape &parted,
                            request &result) {
    JITNORM_TRY(check_shape({rstd}, mean.t->dims, mean.name));
    constexpr const char *ROWS = "the axes that count rows";
    memory_desc &first = result.sides[MEAN], &second = result.sides[VARIANCE];
    JITNORM_TRY(place(mean, parted.rows(), ROWS, first));
    JITNORM_TRY(place(rstd, parted.rows(), ROWS, second));
    const auto type = layer_norm::common_type(first.data_type, second.data_type);
    result.problem[VARIANCE] = first == second ? first : make_dense(parted.rows(), type);
    return {};
}

} // namespace jitnorm::impl::aclnn
