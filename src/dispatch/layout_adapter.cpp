// SPDX-License-Identifier: Apache-2.0
#include "layout_adapter.hpp"

#include <cstring>

#include "../base/bytes.hpp"
#include "../math/convert.hpp"
#include "../math/statistics_io.hpp"
#include "../tensor/row_space.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

template <size_t Size>
void copy_line(const char *from, dim_t from_step, char *to, dim_t to_step, dim_t count) {
    for (dim_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, Size);
}

// Copies from one type to another by way of f32. It rounds at most once, because f32 has every value of `From`.
template <typename From, typename To>
void convert_line(const char *from, dim_t from_step, char *to, dim_t to_step, dim_t count) {
    for (dim_t i = 0; i < count; ++i)
        store(narrow<To>(widen<float>(load<From>(from + i * from_step, 0))), to + i * to_step, 0);
}

using line_copy = void (*)(const char *, dim_t, char *, dim_t, dim_t);

line_copy choose_copy(jitnorm_data_type_t from, jitnorm_data_type_t to) {
    if (from == to) return size_of(from) == 4 ? copy_line<4> : copy_line<2>;
    return visit_single_or_half(from, [&]<typename From>(stored_as<From>) { // these tensors have no other types
        return visit_single_or_half(to, []<typename To>(stored_as<To>) -> line_copy { return convert_line<From, To>; });
    });
}

// Copies all elements in row-major order, in runs that are evenly spaced in both tensors, which must have elements.
void copy_tensor(const memory_desc &from, const void *source, const memory_desc &to, void *target) {
    const memory_desc *const both[] = {&from, &to};
    const row_space elements(both, from.ndims);
    const dim_t from_size = element_size(from), to_size = element_size(to);
    const line_copy copy = choose_copy(from.data_type, to.data_type);
    elements.for_each_run(0, elements.rows(), [&](const row_space::run &run) {
        copy(static_cast<const char *>(source) + run.offset[0] * from_size, elements.stride(0) * from_size,
             static_cast<char *>(target) + run.offset[1] * to_size, elements.stride(1) * to_size, run.count);
    });
}

} // namespace

layout_adapter::layout_adapter(const problem &p, const adapted_layouts &layouts, std::shared_ptr<const executor> inner,
                               size_t inner_bytes)
    : inner_(std::move(inner)), bytes_(size_t(in_whole_lines(dim_t(inner_bytes)))) {
    for (const auto &[s, outside] : layouts) {
        if (!p.uses(s) || outside.ndims == 0) continue;
        if (!p.writes(s) && !p.has_elements()) continue; // without rows nobody reads it, however long it is
        const bool is_vector = p[s].ndims == 0;
        add({s, outside, is_vector ? make_dense({outside.dims, size_t(outside.ndims)}, p.layout(s).data_type) : p[s],
             p.writes(s)});
    }
}

void layout_adapter::add(copy what) {
    if (nelems(what.outside) == 0 || same_tensor(what.outside, what.inside)) return;
    what.offset = bytes_;
    bytes_ += size_t(in_whole_lines(dim_t(bytes(what.inside))));
    copies_.push_back(what);
}

jitnorm_status_t layout_adapter::execute(const arguments &args) const {
    arguments inside = args;
    const auto place_of = [&](const copy &c) { return static_cast<std::byte *>(args[SCRATCHPAD]) + c.offset; };
    for (const copy &c : copies_) {
        if (!c.is_output) copy_tensor(c.outside, args[c.place], c.inside, place_of(c));
        inside.set(c.place, place_of(c));
    }
    const jitnorm_status_t code = inner_->execute(inside);
    if (code != jitnorm_success) return code;
    for (const copy &c : copies_)
        if (c.is_output) copy_tensor(c.inside, place_of(c), c.outside, args[c.place]);
    return jitnorm_success;
}

} // namespace jitnorm::impl::layer_norm
