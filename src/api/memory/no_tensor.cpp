// SPDX-License-Identifier: Apache-2.0
#include "no_tensor.hpp"

#include "../../core/format_tag.hpp"

namespace jitnorm::impl::api {

namespace {

constexpr verdict TOO_LARGE = invalid("the tensor is too large to be addressed");

verdict explain_negative(const char *name, const dim_t *values, int count) {
    for (int d = 0; d < count; ++d)
        if (values[d] < 0 && values[d] != RUNTIME_DIM)
            return invalid(explain("%s[%d] is %lld, which is negative", name, d, static_cast<long long>(values[d])));
    return {};
}

// Succeeds if type and dimensions are possible.
verdict explain(const tensor_request &given) {
    if (given.ndims < 0 || given.ndims > MAX_NDIMS)
        return invalid(impl::explain("ndims is %d, 0 to %d are possible", given.ndims, MAX_NDIMS));
    if (given.dims == nullptr) return invalid("dims is null");
    if (size_of(given.data_type) == 0)
        return invalid(impl::explain("data_type is %d, which is no data type", int(given.data_type)));
    return explain_negative("dims", given.dims, given.ndims);
}

} // namespace

verdict explain_no_tensor(const tensor_request &given, jitnorm_format_tag_t tag) {
    if (const verdict v = explain(given); v.failed()) return v;
    const std::string_view name = tag_name(tag);
    if (name.empty()) return invalid(impl::explain("tag is %d, which names no layout", int(tag)));
    const int expected = parse_layout(name).ndims;
    if (expected == given.ndims) return TOO_LARGE;
    return invalid(impl::explain("the tag %.*s has %d dimensions, the tensor %d", int(name.size()), name.data(),
                                 expected, given.ndims));
}

verdict explain_no_tensor(const tensor_request &given, const dim_t *strides) {
    if (const verdict v = explain(given); v.failed()) return v;
    if (strides == nullptr) return TOO_LARGE;
    if (const verdict v = explain_negative("strides", strides, given.ndims); v.failed()) return v;
    return invalid("strides let elements overlap, or the tensor is too large to be addressed");
}

} // namespace jitnorm::impl::api
