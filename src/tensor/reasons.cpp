// SPDX-License-Identifier: Apache-2.0
#include "reasons.hpp"

#include <algorithm>
#include <cstdio>

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
    return explain("dimension %zu of %s is %s, that of %s is %s (%s and %s)", d, name, one.text, other, wanted.text,
                   mine.text, theirs.text);
}

const char *explain_part(const char *name, const char *reason) noexcept {
    char kept[256]; // explain() would overwrite its own result while it reads it
    std::snprintf(kept, sizeof kept, "%s", reason);
    return explain("%s: %s", name, kept);
}

} // namespace jitnorm::impl
