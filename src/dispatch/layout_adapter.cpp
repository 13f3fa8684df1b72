// SPDX-License-Identifier: Apache-2.0
#include "layout_adapter.hpp"

#include <cstring>

#include "../base/bytes.hpp"
#include "../math/convert.hpp"
#include "../math/statistics_io.hpp"
#include "../tensor/tensor_axis.hpp"

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
    const tensor_axis inputs(from, 0, from.ndims), outputs(to, 0, to.ndims);
    const char *const first_input = static_cast<const char *>(source) + from.offset0 * element_size(from);
    char *const first_output = static_cast<char *>(target) + to.offset0 * element_size(to);
    const line_copy copy = choose_copy(from.data_type, to.data_type);
    for (dim_t done = 0; done < inputs.size();) {
        const auto [input, most] = inputs.run_from(done, inputs.size() - done);
        const auto [output, count] = outputs.run_from(done, most);
        copy(first_input + input, inputs.step(), first_output + output, outputs.step(), count);
        done += count;
    }
}

// The caller's tensors other than the data.
struct tensors_beside {
    const adapted_layouts &layouts;

    const memory_desc &operator[](slot s) const {
        const auto found = layouts.find(s);
        return found == layouts.end() ? NO_TENSOR : found->second;
    }
    bool has(slot s) const { return (*this)[s].ndims != 0; }

    // The descriptors of both, or twice that of the one there is; empty if there is none.
    std::pair<const memory_desc &, const memory_desc &> both(slot a, slot b) const {
        return {(*this)[has(a) ? a : b], (*this)[has(b) ? b : a]};
    }
    jitnorm_data_type_t common_type(slot a, slot b) const {
        const auto [one, other] = both(a, b);
        return one.ndims != 0 && one.data_type == other.data_type ? one.data_type : jitnorm_f32;
    }
};

void choose_kind(problem &p, const tensors_beside &given) {
    const auto has_any = [&](slot a, slot b) { return given.has(a) || given.has(b); };
    if (has_any(SCALE, DIFF_SCALE)) p.flags |= unsigned(jitnorm_use_scale);
    if (has_any(SHIFT, DIFF_SHIFT)) p.flags |= unsigned(jitnorm_use_shift);
    p.scale_is_ones = given.has(DIFF_SCALE) && !given.has(SCALE);
    if (p[DIFF_DST].ndims == 0) {
        p.prop_kind = has_any(MEAN, VARIANCE) ? jitnorm_forward_training : jitnorm_forward_inference;
        return;
    }
    p.prop_kind = has_any(DIFF_SCALE, DIFF_SHIFT) ? jitnorm_backward : jitnorm_backward_data;
    if (p[DIFF_SRC].ndims != 0) return;
    p[DIFF_SRC] = p[DIFF_DST];
    p.omitted |= bit_of(DIFF_SRC);
}

} // namespace

void complete(problem &p, const adapted_layouts &layouts) {
    const tensors_beside given = {layouts};
    choose_kind(p, given);
    for (const slot s : {MEAN, VARIANCE, DIFF_SCALE, DIFF_SHIFT})
        if (p.writes(s) && !given.has(s)) p.omitted |= bit_of(s);
    p.scale_shift_type = given.common_type(SCALE, SHIFT);
    p.diff_scale_shift_type = given.common_type(DIFF_SCALE, DIFF_SHIFT);
    p.attr.bias_type = given[BIAS].data_type;
    for (const slot s : {SCALE, SHIFT}) {
        const memory_desc &md = given[s];
        if (md.ndims <= p.normalized_axes) continue; // a vector
        const bool is_taken = md.data_type == p.scale_shift_type && has_dense_rows(md, md.ndims - 1);
        p[s] = is_taken ? md : make_dense({md.dims, size_t(md.ndims)}, p.scale_shift_type);
    }
    const auto [mean, variance] = given.both(MEAN, VARIANCE);
    p[VARIANCE] = mean.ndims != 0 && mean == variance
                      ? mean
                      : make_dense({p[SRC].dims, size_t(p.row_ndims())}, given.common_type(MEAN, VARIANCE));
}

layout_adapter::layout_adapter(const problem &p, const adapted_layouts &layouts, std::shared_ptr<const executor> inner,
                               size_t inner_bytes)
    : inner_(std::move(inner)), bytes_(size_t(in_whole_lines(dim_t(inner_bytes)))) {
    for (const auto &[s, outside] : layouts) {
        if (!p.uses(s) || nelems(outside) == 0) continue;
        if (!p.writes(s) && !p.has_elements()) continue; // without rows nobody reads it, however long it is
        const bool is_vector = p[s].ndims == 0;
        const memory_desc inside =
            is_vector ? make_dense({outside.dims, size_t(outside.ndims)}, p.layout(s).data_type) : p[s];
        if (same_tensor(outside, inside)) continue;
        copies_.push_back({s, outside, inside, p.writes(s), bytes_});
        bytes_ += size_t(in_whole_lines(dim_t(bytes(inside))));
    }
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
