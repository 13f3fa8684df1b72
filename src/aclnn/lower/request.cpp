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

dim_t count(shape dims) { return std::accumulate(dims.begin(), dims.end(), dim_t(1), std::multiplies<>()); }

bool equal(shape a, shape b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::optional<std::vector<dim_t>> strides_as(const tensor &t, shape dims) {
    std::vector<dim_t> strides(dims.size(), 1);
    if (count(dims) == 0) return strides;
    const std::vector<segment> segments = segments_of(t);
    auto now = segments.begin();
    dim_t taken = 1; // elements of the segment `now` that the dimensions after d have
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
