// SPDX-License-Identifier: Apache-2.0
#include "memory_desc.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>

#include "names.hpp"

namespace jitnorm::impl {

namespace {

// a = a * b and a = a + b; false if the result overflows.
bool multiply(dim_t &a, dim_t b) { return !__builtin_mul_overflow(a, b, &a); }
bool add(dim_t &a, dim_t b) { return !__builtin_add_overflow(a, b, &a); }

bool any_runtime(std::span<const dim_t> values) { return std::ranges::count(values, RUNTIME_DIM) != 0; }
bool any_zero(const memory_desc &md) { return std::ranges::count(dims_of(md), 0) != 0; }

// Elements of the dense inner tile.
dim_t tile_size(const memory_desc &md) { return product_of({md.inner_blks, size_t(md.inner_nblks)}); }

dim_t outer_dim(const memory_desc &md, int d) {
    return md.inner_nblks == 0 ? md.padded_dims[d] : md.padded_dims[d] / block_of(md, d);
}

// Sets `end` to one past the largest offset, in elements; false if it overflows.
bool find_end(const memory_desc &md, dim_t &end) {
    end = md.offset0;
    for (int d = 0; d < md.ndims; ++d) {
        dim_t reach = outer_dim(md, d) - 1;
        if (!multiply(reach, md.strides[d]) || !add(end, reach)) return false;
    }
    return add(end, tile_size(md));
}

// Whether the elements, padding included, are at most so many, and the last of them ends at most so many bytes after
// the data handle. A dimension of size 0 or of run time counts as 1: the others still count rows or columns.
bool is_within(const memory_desc &md, dim_t most_elements, dim_t most_bytes) {
    dim_t elements = 1, end;
    for (int d = 0; d < md.ndims; ++d)
        if (!multiply(elements, std::max<dim_t>(md.padded_dims[d], 1)) || elements > most_elements) return false;
    if (md.format_kind != jitnorm_blocked || has_runtime_dims(md) || any_zero(md)) return true;
    return find_end(md, end) && multiply(end, element_size(md)) && end <= most_bytes;
}

status check_signs(const char *name, const dim_t *values, int count) {
    for (int d = 0; d < count; ++d)
        if (values[d] < 0 && values[d] != RUNTIME_DIM)
            return invalid(explain("%s[%d] is %lld, which is negative", name, d, as_number(values[d])));
    return ACCEPTED;
}

// Sets the dimensions and the type of an empty md.
status start(memory_desc &md, int ndims, const dim_t *dims, jitnorm_data_type_t type) {
    if (ndims < 0 || ndims > MAX_NDIMS) return invalid(explain("ndims is %d; 0 to %d are possible", ndims, MAX_NDIMS));
    if (dims == nullptr) return invalid("dims is null");
    if (size_of(type) == 0) return unknown_data_type(type);
    JITNORM_TRY(check_signs("dims", dims, ndims));
    md.ndims = ndims;
    md.data_type = type;
    std::copy(dims, dims + ndims, md.dims);
    std::copy(dims, dims + ndims, md.padded_dims);
    std::fill(md.strides, md.strides + ndims, 0);
    return ACCEPTED;
}

bool set_blocks(memory_desc &md, const layout_rule &rule) {
    md.inner_nblks = rule.inner_nblks;
    std::copy(rule.inner_blks, rule.inner_blks + rule.inner_nblks, md.inner_blks);
    std::copy(rule.inner_idxs, rule.inner_idxs + rule.inner_nblks, md.inner_idxs);
    for (int d = 0; d < md.ndims && md.inner_nblks != 0; ++d) {
        if (md.dims[d] == RUNTIME_DIM) continue;
        const dim_t block = block_of(md, d);
        dim_t rounded = md.dims[d];
        if (!add(rounded, block - 1)) return false;
        md.padded_dims[d] = rounded / block * block;
    }
    return true;
}

// Sets the strides of a tensor without gaps whose outer dimensions have the given order, outermost first. A dimension
// of size 0 counts as 1, so that no stride becomes 0. Dimensions outside a run-time dimension have run-time strides.
bool set_dense_strides(memory_desc &md, const int *order) {
    dim_t stride = tile_size(md);
    for (int i = md.ndims - 1; i >= 0; --i) {
        const int d = order[i];
        md.strides[d] = stride;
        if (stride == RUNTIME_DIM || md.dims[d] == RUNTIME_DIM)
            stride = RUNTIME_DIM;
        else if (!multiply(stride, std::max<dim_t>(outer_dim(md, d), 1)))
            return false;
    }
    return true;
}

status set_strides(memory_desc &md, const dim_t *strides) {
    JITNORM_TRY(check_signs("strides", strides, md.ndims));
    std::copy(strides, strides + md.ndims, md.strides);
    if (has_runtime_dims(md) || any_zero(md)) return ACCEPTED;
    dim_t end;
    return find_end(md, end) ? check_overlap(md) : TOO_LARGE;
}

status finish(memory_desc &md, status made) {
    // Every number of elements and every offset, in elements and in bytes, can be represented.
    constexpr dim_t ANY = std::numeric_limits<dim_t>::max();
    if (!made.failed() && !is_within(md, ANY, ANY)) made = TOO_LARGE;
    if (made.failed()) md = {};
    return made;
}

} // namespace

dim_t block_of(const memory_desc &md, int d) {
    dim_t block = 1;
    for (int i = 0; i < md.inner_nblks; ++i)
        if (md.inner_idxs[i] == d) block *= md.inner_blks[i];
    return block;
}

status make_with_strides(memory_desc &md, int ndims, const dim_t *dims, jitnorm_data_type_t type,
                         const dim_t *strides) {
    md = {};
    if (ndims == 0) return ACCEPTED;
    JITNORM_TRY(start(md, ndims, dims, type));
    md.format_kind = jitnorm_blocked;
    if (strides != nullptr) return finish(md, set_strides(md, strides));
    int row_major[MAX_NDIMS];
    std::iota(row_major, row_major + ndims, 0);
    return finish(md, set_dense_strides(md, row_major) ? ACCEPTED : TOO_LARGE);
}

status make_with_tag(memory_desc &md, int ndims, const dim_t *dims, jitnorm_data_type_t type,
                     jitnorm_format_tag_t tag) {
    md = {};
    if (ndims == 0) return ACCEPTED;
    JITNORM_TRY(start(md, ndims, dims, type));
    md.format_kind = jitnorm_format_kind_any;
    if (tag == jitnorm_format_tag_any) return finish(md, ACCEPTED);
    const std::string_view name = tag_name(tag);
    const layout_rule rule = parse_layout(name);
    if (rule.ndims == ndims) return make_with_rule(md, dims, type, rule);
    return finish(md, invalid(name.empty()
                                  ? explain("unknown tag %d; jitnorm_format_tag_t has those that there are", int(tag))
                                  : explain("the tag %.*s has %d dimensions, the tensor has %d", int(name.size()),
                                            name.data(), rule.ndims, ndims)));
}

status make_with_rule(memory_desc &md, const dim_t *dims, jitnorm_data_type_t type, const layout_rule &rule) {
    md = {};
    JITNORM_TRY(start(md, rule.ndims, dims, type));
    md.format_kind = jitnorm_blocked;
    return finish(md, set_blocks(md, rule) && set_dense_strides(md, rule.order) ? ACCEPTED : TOO_LARGE);
}

memory_desc make_dense(std::span<const dim_t> dims, jitnorm_data_type_t type) {
    memory_desc md;
    make_with_strides(md, int(dims.size()), dims.data(), type, nullptr);
    return md;
}

dim_t product_of(std::span<const dim_t> dims) {
    if (any_runtime(dims)) return RUNTIME_DIM;
    return std::accumulate(dims.begin(), dims.end(), dim_t(1), std::multiplies<>());
}

dim_t nelems(const memory_desc &md) { return md.ndims == 0 ? 0 : product_of(dims_of(md)); }

size_t bytes(const memory_desc &md) {
    if (has_runtime_dims(md)) return size_t(RUNTIME_DIM);
    if (md.format_kind != jitnorm_blocked || nelems(md) == 0) return 0;
    dim_t end;
    find_end(md, end);
    return size_t(end) * size_of(md.data_type);
}

bool has_runtime_dims(const memory_desc &md) {
    return any_runtime(dims_of(md)) || any_runtime({md.strides, size_t(md.ndims)});
}

bool fits_in_memory(const memory_desc &md) { return is_within(md, MOST_ELEMENTS, MOST_BYTES); }

bool same_dims(const memory_desc &a, const memory_desc &b) { return std::ranges::equal(dims_of(a), dims_of(b)); }

// A tensor without elements shares nothing, whatever its strides.
bool is_broadcast(const memory_desc &md) {
    if (any_zero(md)) return false;
    for (int d = 0; d < md.ndims; ++d)
        if (md.strides[d] == 0 && md.dims[d] > 1) return true;
    return false;
}

bool has_dense_rows(const memory_desc &md, int row_ndims) {
    dim_t step = 1;
    for (int d = md.ndims - 1; d >= row_ndims; --d) {
        if (md.dims[d] != 1 && (md.strides[d] != step || step == RUNTIME_DIM)) return false;
        step = md.dims[d] == RUNTIME_DIM || step == RUNTIME_DIM ? RUNTIME_DIM : step * md.dims[d];
    }
    return md.inner_nblks == 0;
}

bool is_aligned(const memory_desc &md, const void *data, dim_t bytes) {
    const dim_t offset = md.offset0 * element_size(md);
    return (reinterpret_cast<uintptr_t>(data) + uintptr_t(offset)) % uintptr_t(bytes) == 0;
}

bool has_rows_in_lines(const memory_desc &md, int row_ndims) {
    for (int d = 0; d < row_ndims; ++d)
        if (md.dims[d] > 1 && md.strides[d] * element_size(md) % CACHE_LINE != 0) return false;
    return true;
}

dim_t offset(const memory_desc &md, const dim_t *position) {
    jitnorm_dims_t outer;
    std::copy(position, position + md.ndims, outer);
    dim_t result = md.offset0, step = 1;
    for (int i = md.inner_nblks - 1; i >= 0; --i) {
        dim_t &index = outer[md.inner_idxs[i]];
        result += index % md.inner_blks[i] * step;
        index /= md.inner_blks[i];
        step *= md.inner_blks[i];
    }
    for (int d = 0; d < md.ndims; ++d) result += outer[d] * md.strides[d];
    return result;
}

dim_t offset_of_index(const memory_desc &md, dim_t index) {
    jitnorm_dims_t position;
    for (int d = md.ndims - 1; d >= 0; --d) {
        position[d] = index % md.dims[d];
        index /= md.dims[d];
    }
    return offset(md, position);
}

} // namespace jitnorm::impl

bool jitnorm_memory_desc::operator==(const jitnorm_memory_desc &other) const {
    const auto equal = [](const auto &a, const auto &b, int count) { return std::equal(a, a + count, b); };
    return ndims == other.ndims && data_type == other.data_type && format_kind == other.format_kind &&
           inner_nblks == other.inner_nblks && offset0 == other.offset0 && equal(dims, other.dims, ndims) &&
           equal(padded_dims, other.padded_dims, ndims) && equal(strides, other.strides, ndims) &&
           equal(inner_blks, other.inner_blks, inner_nblks) && equal(inner_idxs, other.inner_idxs, inner_nblks);
}
