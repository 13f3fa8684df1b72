// SPDX-License-Identifier: Apache-2.0
#include "no_tensor.hpp"

#include <algorithm>

#include "format_tag.hpp"
#include "overlap.hpp"

namespace jitnorm::impl {

namespace {

constexpr status TOO_LARGE = invalid("the tensor is too large to be addressed");

status explain_negative(const char *name, const dim_t *values, int count) {
    for (int d = 0; d < count; ++d)
        if (values[d] < 0 && values[d] != RUNTIME_DIM)
            return invalid(explain("%s[%d] is %lld, which is negative", name, d, static_cast<long long>(values[d])));
    return {};
}

// Succeeds if type and dimensions are possible.
status explain_request(const tensor_request &given) {
    if (given.ndims < 0 || given.ndims > MAX_NDIMS)
        return invalid(explain("ndims is %d, 0 to %d are possible", given.ndims, MAX_NDIMS));
    if (given.dims == nullptr) return invalid("dims is null");
    if (size_of(given.data_type) == 0)
        return invalid(explain("data_type is %d, which is no data type", int(given.data_type)));
    return explain_negative("dims", given.dims, given.ndims);
}

} // namespace

status explain_no_tensor(const tensor_request &given, jitnorm_format_tag_t tag) {
    JITNORM_TRY(explain_request(given));
    const std::string_view name = tag_name(tag);
    if (name.empty()) return invalid(explain("tag is %d, which names no layout", int(tag)));
    const int expected = parse_layout(name).ndims;
    if (expected == given.ndims) return TOO_LARGE;
    return invalid(
        explain("the tag %.*s has %d dimensions, the tensor %d", int(name.size()), name.data(), expected, given.ndims));
}

status explain_no_tensor(const tensor_request &given, const dim_t *strides) {
    JITNORM_TRY(explain_request(given));
    if (strides == nullptr) return TOO_LARGE;
    JITNORM_TRY(explain_negative("strides", strides, given.ndims));
    memory_desc md;
    md.ndims = given.ndims;
    std::copy_n(given.dims, given.ndims, md.dims);
    std::copy_n(strides, given.ndims, md.strides);
    int dimension = 0;
    dim_t span = 0;
    if (find_overlap(md, dimension, span) != overlap::found) return TOO_LARGE;
    return invalid(explain("strides[%d] is %lld and lets elements overlap: the dimensions of smaller strides span %lld",
                           dimension, static_cast<long long>(strides[dimension]), static_cast<long long>(span)));
}

} // namespace jitnorm::impl
