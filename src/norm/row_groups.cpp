// SPDX-License-Identifier: Apache-2.0
#include "row_groups.hpp"

namespace jitnorm::impl::layer_norm {

bool problem::has_row_groups() const {
    if ((*this)[SCALE].ndims != 0 || (*this)[SHIFT].ndims != 0) return true;
    for (int d = 0; d < row_ndims(); ++d)
        if (changes_along(*this, d)) return true;
    return false;
}

bool groups_are_rows(const problem &p) {
    if (p.has_runtime_sizes() || !p.has_elements()) return false;
    const auto has_rows = [&](const memory_desc &md) {
        return md.ndims != 0 && std::equal(md.dims, md.dims + p.row_ndims(), p[SRC].dims);
    };
    const auto is_vector = [&](const memory_desc &md) { return md.ndims == 0; };
    const memory_desc &gate = p[GATE];
    if (p.is_forward())
        return (is_vector(p[SCALE]) || has_rows(p[SCALE])) && (is_vector(p[SHIFT]) || has_rows(p[SHIFT])) &&
               (is_vector(gate) || std::all_of(gate.dims, gate.dims + p.row_ndims(), [](dim_t n) { return n == 1; }));
    return (!(p.reads(SCALE) || p.writes(DIFF_SCALE)) || has_rows(p[SCALE])) &&
           (!p.writes(DIFF_SHIFT) || has_rows(p[SHIFT]));
}

problem one_group(const problem &p) {
    problem one = p;
    for (int d = 0; d < p.row_ndims(); ++d)
        if (changes_along(p, d)) one.for_each_descriptor([&](memory_desc &md) { md.dims[d] = md.padded_dims[d] = 1; });
    one[SCALE] = one[SHIFT] = {};
    return one;
}

row_groups::row_groups(const problem &p) {
    for (int d = 0; d < p.row_ndims(); ++d) {
        if (!changes_along(p, d)) continue;
        sizes_[ndims_++] = p[SRC].dims[d];
        count_ *= p[SRC].dims[d];
    }
    const size_t slots = FIRST_POST_OP + p.attr.post_ops.entries.size();
    for (size_t s = 0; s < slots; ++s)
        if (s != SCRATCHPAD && p.uses(slot(s))) tensor_[tensors_++] = find(p, slot(s));
}

row_groups::tensor row_groups::find(const problem &p, slot s) {
    const memory_desc md = p.layout(s);
    const dim_t size = element_size(md);
    // The scale and the shift of a group are vectors, which have no offset. Its gate has one of its own.
    tensor found = {s, s == SCALE || s == SHIFT ? md.offset0 * size : 0, {}};
    const bool is_statistic = s < FIRST_POST_OP && TENSORS[size_t(s)].dims == extent::statistics;
    if (!is_statistic && md.ndims != p[SRC].ndims) return found; // a vector, which all groups share
    size_t level = 0;
    for (int d = 0; d < p.row_ndims(); ++d) {
        if (!changes_along(p, d)) continue;
        if (md.dims[d] != 1) found.step[level] = md.strides[d] * size;
        ++level;
    }
    return found;
}

void row_groups::locate(dim_t group, const arguments &all, arguments &one) const {
    std::array<dim_t, MAX_NDIMS> index;
    for (size_t d = ndims_; d-- > 0; group /= sizes_[d]) index[d] = group % sizes_[d];
    for (size_t i = 0; i < tensors_; ++i) {
        const tensor &t = tensor_[i];
        dim_t bytes = t.begin;
        for (size_t d = 0; d < ndims_; ++d) bytes += index[d] * t.step[d];
        const auto *const first = static_cast<const std::byte *>(all[t.place]);
        one.set(t.place, first == nullptr ? nullptr : first + bytes); // tensors without elements may be null
    }
}

jitnorm_status_t row_groups::execute(const executor &one, range groups, const arguments &all) const {
    arguments mine;
    mine.set(SCRATCHPAD, all[SCRATCHPAD]);
    for (dim_t group = groups.begin; group < groups.end; ++group) {
        locate(group, all, mine);
        if (const jitnorm_status_t code = one.execute(mine); code != jitnorm_success) return code;
    }
    return jitnorm_success;
}

} // namespace jitnorm::impl::layer_norm
