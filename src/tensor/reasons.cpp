// SPDX-License-Identifier: Apache-2.0
#include "reasons.hpp"

#include <algorithm>
#include <cstdio>

#include "../base/status.hpp"
#include "memory_desc.hpp"
#include "names.hpp"

namespace jitnorm::impl {

namespace {

// The first dimension that differs; if only dimensions that are not known yet differ, the first of these.
size_t find_difference(std::span<const dim_t> given, std::span<const dim_t> expected) {
    size_t found = given.size();
    for (size_t d = given.size(); d-- > 0;)
        if (given[d] != expected[d] && (found == given.size() || given[d] != RUNTIME_DIM)) found = d;
    return found;
}

} // namespace

short_text dims_text(std::span<const dim_t> dims) noexcept {
    short_text result = {"none"};
    size_t at = 0;
    for (size_t d = 0; d < dims.size() && at < sizeof result.text; ++d) {
        const char *between = d == 0 ? "" : "x";
        const int written =
            dims[d] == RUNTIME_DIM
                ? std::snprintf(result.text + at, sizeof result.text - at, "%s*", between)
                : std::snprintf(result.text + at, sizeof result.text - at, "%s%lld", between, as_number(dims[d]));
        at += size_t(written);
    }
    return result;
}

const char *explain_dims(const char *name, std::span<const dim_t> given, const char *other,
                         std::span<const dim_t> expected) noexcept {
    const short_text mine = dims_text(given), theirs = dims_text(expected);
    if (given.size() != expected.size())
        return explain("%s has %zu dimensions (%s), %s has %zu (%s)", name, given.size(), mine.text, other,
                       expected.size(), theirs.text);
    const size_t d = find_difference(given, expected);
    if (d == given.size()) return explain("%s has the dimensions of %s", name, other);
    const short_text one = dims_text(given.subspan(d, 1)), wanted = dims_text(expected.subspan(d, 1));
    return explain("dimension %zu of %s is %s, of %s %s (%s and %s)", d, name, one.text, other, wanted.text, mine.text,
                   theirs.text);
}

const char *explain_part(const char *name, const char *reason) noexcept {
    char kept[256]; // explain() would overwrite its own result while it reads it
    std::snprintf(kept, sizeof kept, "%s", reason);
    return explain("%s: %s", name, kept);
}

namespace {

constexpr status TOO_LARGE = invalid("the tensor is too large to be addressed");

status explain_negative(const char *name, const dim_t *values, int count) {
    for (int d = 0; d < count; ++d)
        if (values[d] < 0 && values[d] != RUNTIME_DIM)
            return invalid(explain("%s[%d] is %lld, which is negative", name, d, as_number(values[d])));
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
                           dimension, as_number(strides[dimension]), as_number(span)));
}

} // namespace jitnorm::impl
