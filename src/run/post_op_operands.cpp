// SPDX-License-Identifier: Apache-2.0
#include "post_op_operands.hpp"

#include <algorithm>

#include "../base/bytes.hpp"
#include "../math/convert.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

bool is_one_value(const memory_desc &src1, int row_ndims) {
    return std::all_of(src1.dims + row_ndims, src1.dims + src1.ndims, [](dim_t dim) { return dim == 1; });
}

// False if src1 is broadcast along a normalized dimension, so that a row repeats elements.
bool has_whole_rows(const memory_desc &src1, const problem &p) {
    return std::equal(src1.dims + p.row_ndims(), src1.dims + src1.ndims, p[DST].dims + p.row_ndims());
}

// A kernel that computes in float cannot read rows of doubles.
bool is_narrowed(const memory_desc &src1, const problem &p) {
    return src1.data_type == jitnorm_f64 && !p.computes_in_double();
}

// Whether rows of src1 cannot be read in place.
bool is_gathered(const memory_desc &src1, const problem &p) {
    if (is_one_value(src1, p.row_ndims())) return false;
    const bool dense = has_whole_rows(src1, p) && has_dense_rows(src1, p.row_ndims());
    return !dense || is_narrowed(src1, p);
}

// Calls body(post-op, its index in the list) for each binary post-op.
template <typename Body>
void for_each_binary(const problem &p, Body &&body) {
    const auto &entries = p.attr.post_ops.entries;
    for (size_t i = 0; i < entries.size(); ++i)
        if (const auto *binary = std::get_if<binary_post_op>(&entries[i])) body(*binary, i);
}

template <typename T>
T value_at(const void *tensor, dim_t offset, jitnorm_data_type_t type) {
    return visit_data_type(type, [&]<typename Stored>(stored_as<Stored>) {
        return widen<T>(load<Stored>(static_cast<const char *>(tensor) + offset));
    });
}

// Converts a row of doubles to a row of floats that begins at the same address.
void convert_in_place(std::byte *row, dim_t columns) {
    for (dim_t c = 0; c < columns; ++c) store(float(load<double>(row, c)), row, c);
}

} // namespace

jitnorm_data_type_t type_for_kernel(const binary_post_op &op, const problem &p) {
    if (is_one_value(op.src1, p.row_ndims())) return jitnorm_data_type_undef;
    return is_narrowed(op.src1, p) ? jitnorm_f32 : op.src1.data_type;
}

dim_t operand_bytes(const problem &p, dim_t rows, dim_t columns) {
    dim_t bytes = 0;
    for_each_binary(p, [&](const binary_post_op &op, size_t) {
        if (is_gathered(op.src1, p)) bytes += rows * row_packer::pitch_for(op.src1.data_type, columns);
    });
    return bytes;
}

// A kernel that was made for run-time sizes may read rows of src1 where they turn out to have one element. Then this is
// not one value for the whole row but a row of src1's type.
template <typename T>
post_op_operands<T>::post_op_operands(const problem &p, const std::vector<jit::post_op_conf> &in_kernel)
    : count_(dim_t(p.attr.post_ops.entries.size())) {
    for_each_binary(p, [&](const binary_post_op &op, size_t i) {
        const bool one_value = is_one_value(op.src1, p.row_ndims()) && in_kernel[i].operand != op.src1.data_type;
        operands_.push_back(
            {i, op.src1.data_type, row_packer(op.src1, p[DST], p.row_ndims()), one_value, is_gathered(op.src1, p)});
    });
}

template <typename T>
void post_op_operands<T>::locate(const arguments &args, const window &where, std::byte *tiles, table &found) const {
    for (const operand &o : operands_) {
        const void *tensor = args[post_op_slot(o.index)];
        if (!o.gathered) {
            locate_one(o, tensor, where, found);
        } else {
            gather_one(o, tensor, where, tiles, found);
            tiles += where.rows * row_packer::pitch_for(o.type, where.columns);
        }
    }
}

template <typename T>
void post_op_operands<T>::locate_one(const operand &o, const void *tensor, const window &where, table &found) const {
    auto entry = o.index;
    o.rows.for_each_row(where.first_row, where.rows, [&](dim_t offset) {
        if (o.one_value) {
            found.values[entry] = value_at<T>(tensor, offset, o.type);
            found.pointers[entry] = &found.values[entry];
        } else {
            found.pointers[entry] =
                static_cast<const std::byte *>(tensor) + offset + where.first_column * dim_t(size_of(o.type));
        }
        entry += size_t(count_);
    });
}

template <typename T>
void post_op_operands<T>::gather_one(const operand &o, const void *tensor, const window &where, std::byte *tile,
                                     table &found) const {
    const dim_t pitch = row_packer::pitch_for(o.type, where.columns);
    o.rows.gather(tensor, where.first_row, where.rows, where.first_column, where.columns, tile, pitch);
    auto entry = o.index;
    for (dim_t r = 0; r < where.rows; ++r, tile += pitch, entry += size_t(count_)) {
        if (o.type == jitnorm_f64 && sizeof(T) < sizeof(double)) convert_in_place(tile, where.columns);
        found.pointers[entry] = tile;
    }
}

template class post_op_operands<float>;
template class post_op_operands<double>;

} // namespace jitnorm::impl::layer_norm
