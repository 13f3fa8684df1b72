// SPDX-License-Identifier: Apache-2.0
#include "layout_adapter.hpp"

#include <cstring>

#include "../base/bytes.hpp"
#include "../math/convert.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

constexpr size_t rounded_up(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

// Whether both have one type and each element has the same offset in both. The stride of a dimension of size 1 is never
// used, so it may differ.
bool is_laid_out_as(const memory_desc &a, const memory_desc &b) {
    if (a.data_type != b.data_type || a.offset0 != b.offset0 || a.inner_nblks != b.inner_nblks) return false;
    for (int d = 0; d < a.ndims; ++d)
        if (a.dims[d] > 1 && a.strides[d] != b.strides[d]) return false;
    return true;
}

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

// Calls body for the type f32, bf16 or f16; these tensors have no other types.
template <typename Body>
line_copy for_type(jitnorm_data_type_t type, Body &&body) {
    return type == jitnorm_f16    ? body(stored_as<f16>())
           : type == jitnorm_bf16 ? body(stored_as<bf16>())
                                  : body(stored_as<float>());
}

line_copy choose_copy(jitnorm_data_type_t from, jitnorm_data_type_t to) {
    if (from == to) return size_of(from) == 4 ? copy_line<4> : copy_line<2>;
    return for_type(from, [&]<typename From>(stored_as<From>) {
        return for_type(to, []<typename To>(stored_as<To>) -> line_copy { return convert_line<From, To>; });
    });
}

// The bytes from one index of a dimension to the next; 0 for a dimension of size 1, whose stride may be any number.
dim_t step_of(const memory_desc &md, int d) {
    return md.dims[d] > 1 ? md.strides[d] * dim_t(size_of(md.data_type)) : 0;
}

// Copies line by line along the last dimension. The indices of the other dimensions are counted up as an odometer does.
// The tensors must have elements.
void copy_tensor(const memory_desc &from, const void *source, const memory_desc &to, void *target) {
    const int last = from.ndims - 1;
    const auto *s = static_cast<const char *>(source) + from.offset0 * dim_t(size_of(from.data_type));
    auto *t = static_cast<char *>(target) + to.offset0 * dim_t(size_of(to.data_type));
    jitnorm_dims_t index = {};
    const line_copy copy = choose_copy(from.data_type, to.data_type);
    const dim_t lines = nelems(from) / from.dims[last];
    for (dim_t line = 0; line < lines; ++line) {
        copy(s, step_of(from, last), t, step_of(to, last), from.dims[last]);
        for (int d = last - 1; d >= 0; --d) {
            const bool is_last = index[d] + 1 == from.dims[d];
            const dim_t moved = is_last ? -index[d] : 1;
            s += moved * step_of(from, d);
            t += moved * step_of(to, d);
            index[d] += moved;
            if (!is_last) break;
        }
    }
}

} // namespace

layout_adapter::layout_adapter(const problem &p, const adapted_layouts &layouts, std::shared_ptr<const executor> inner,
                               size_t inner_bytes)
    : inner_(std::move(inner)), bytes_(rounded_up(inner_bytes)) {
    for (const auto &[s, outside] : layouts) {
        if (!p.uses(s) || outside.ndims == 0) continue;
        const bool is_vector = TENSORS[size_t(s)].dims != extent::statistics;
        add({s, outside, is_vector ? make_dense({outside.dims, size_t(outside.ndims)}, p.layout(s).data_type) : p[s],
             p.writes(s)});
    }
}

void layout_adapter::add(copy what) {
    if (nelems(what.outside) == 0 || is_laid_out_as(what.outside, what.inside)) return;
    what.offset = bytes_;
    bytes_ += rounded_up(bytes(what.inside));
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
