// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>

#include "../../base/status.hpp"
#include "../objects/data_type.hpp"

namespace jitnorm::impl::aclnn {

namespace {

constexpr size_t MAX_DIMENSIONS = 8;

bool any_negative(shape values) {
    return std::any_of(values.begin(), values.end(), [](dim_t value) { return value < 0; });
}

// Whether dim_t can represent the bytes of a dense tensor with these dimensions. A dimension of 0 counts as 1, because
// the others still count rows or columns.
bool is_countable(const tensor &t) {
    dim_t bytes = sizeof(float);
    return std::all_of(t.dims.begin(), t.dims.end(),
                       [&](dim_t dim) { return !__builtin_mul_overflow(bytes, std::max<dim_t>(dim, 1), &bytes); });
}

// Whether dim_t can represent the bytes from `data` to the end of the last element. A tensor without elements may have
// any strides and offset.
bool is_addressable(const tensor &t) {
    if (!is_countable(t)) return false;
    if (count(t.dims) == 0) return true;
    dim_t end, bytes;
    if (__builtin_add_overflow(t.offset, 1, &end)) return false;
    for (size_t d = 0; d < t.dims.size(); ++d) {
        dim_t reach;
        if (__builtin_mul_overflow(t.dims[d] - 1, t.strides[d], &reach)) return false;
        if (__builtin_add_overflow(end, reach, &end)) return false;
    }
    return !__builtin_mul_overflow(end, dim_t(sizeof(float)), &bytes);
}

// Neighbouring dimensions whose elements, in row-major order, are at even distances, as one dimension.
struct segment {
    dim_t size, stride;
};

// The tensor's segments, the innermost first.
std::vector<segment> segments_of(const tensor &t) {
    std::vector<segment> segments;
    for (size_t d = t.dims.size(); d-- > 0;) {
        if (t.dims[d] == 1) continue;
        if (!segments.empty() && t.strides[d] == segments.back().size * segments.back().stride)
            segments.back().size *= t.dims[d];
        else
            segments.push_back({t.dims[d], t.strides[d]});
    }
    return segments;
}

} // namespace

shape_text::shape_text(shape dims) : text("[") {
    size_t at = 1;
    for (size_t d = 0; d < dims.size() && at < sizeof text; ++d)
        at += size_t(std::snprintf(text + at, sizeof text - at, d == 0 ? "%lld" : ", %lld", as_number(dims[d])));
    if (at < sizeof text) std::snprintf(text + at, sizeof text - at, "]");
}

acl_status check_tensor(const char *name, const tensor &t) {
    if (t.dims.empty() || t.dims.size() > MAX_DIMENSIONS) return check_view(name, t);
    return is_float(t.data_type)
               ? check_view(name, t)
               : invalid(explain("%s is %s, none of FLOAT, FLOAT16 and BF16", name, type_name(t.data_type)));
}

acl_status check_view(const char *name, const tensor &t) {
    if (t.dims.empty() || t.dims.size() > MAX_DIMENSIONS)
        return invalid(explain("%s has %zu dimensions, 1 to 8 are supported", name, t.dims.size()));
    if (!is_plain(t.format))
        return invalid(explain("%s has the format %d, neither ND (2) nor another plain one", name, t.format));
    if (any_negative(t.dims)) return invalid(explain("%s has a negative dimension: %s", name, shape_text(t.dims).text));
    if (any_negative(t.strides))
        return invalid(explain("%s has a negative stride: %s", name, shape_text(t.strides).text));
    if (t.offset < 0) return invalid(explain("%s has the negative offset %lld", name, as_number(t.offset)));
    return is_addressable(t) ? acl_status{}
                             : invalid(explain("%s is larger than memory: shape %s, strides %s", name,
                                               shape_text(t.dims).text, shape_text(t.strides).text));
}

acl_status check_writable(const char *name, const tensor &t) {
    memory_desc md;
    const bool apart = make_with_strides(md, int(t.dims.size()), t.dims.data(), core_type(t.data_type),
                                         t.strides.data()) == jitnorm_success;

    return apart && !is_broadcast(md) ? acl_status{} : invalid(explain("elements of %s share memory", name));
}

bool is_contiguous(const tensor &t) {
    dim_t stride = 1;
    for (size_t d = t.dims.size(); d-- > 0; stride *= t.dims[d])
        if (t.dims[d] > 1 && t.strides[d] != stride) return false;
    return true;
}

dim_t count(shape dims) { return std::accumulate(dims.begin(), dims.end(), dim_t(1), std::multiplies<>()); }

bool equal(shape a, shape b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::optional<std::vector<dim_t>> strides_as(const tensor &t, shape dims) {
    std::vector<dim_t> strides(dims.size(), 1);
    if (count(dims) == 0) return strides;
    const std::vector<segment> segments = segments_of(t);
    auto now = segments.begin();
    dim_t taken = 1; // elements of the segment `now` that the dimensions behind d have
    for (size_t d = dims.size(); d-- > 0;) {
        if (dims[d] == 1) continue;
        strides[d] = taken * now->stride;
        taken *= dims[d];
        if (now->size % taken != 0) return std::nullopt;
        if (taken == now->size) {
            ++now;
            taken = 1;
        }
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
    : name(given.name), part(given ? what : NO_SLOT), is_null(!given) {
    if (part == NO_SLOT) return;
    has_elements = count(given->dims) != 0;
    if (has_elements) offset = given->offset * dim_t(size_of(core_type(given->data_type)));
}

std::vector<parameter> with_slots(std::span<const named_tensor> given, std::initializer_list<slot> slots) {
    std::vector<parameter> result;
    result.reserve(given.size());
    for (size_t i = 0; i < given.size(); ++i) result.emplace_back(given[i], slots.begin()[i]);
    return result;
}

} // namespace jitnorm::impl::aclnn
