// SPDX-License-Identifier: Apache-2.0
#include "side_tensors.hpp"

#include <cstring>

#include "../core/aligned_bytes.hpp"

namespace jitnorm::impl::graph {

namespace {

// Whether each element lies where it would in the other; the stride of a dimension of size 1 is never used.
bool is_laid_out_as(const memory_desc &a, const memory_desc &b) {
    for (int d = 0; d < a.ndims; ++d)
        if (a.dims[d] > 1 && a.strides[d] != b.strides[d]) return false;
    return true;
}

// Element by element in row-major order, the offsets counted as an odometer does.
template <size_t Size>
void copy_elements(const memory_desc &from, const char *source, const memory_desc &to, char *target) {
    jitnorm_dims_t index = {};
    for (dim_t left = nelems(from); left > 0; --left) {
        std::memcpy(target, source, Size);
        for (int d = from.ndims - 1; d >= 0; --d) {
            source += from.strides[d] * dim_t(Size);
            target += to.strides[d] * dim_t(Size);
            if (++index[d] < from.dims[d]) break;
            source -= from.dims[d] * from.strides[d] * dim_t(Size);
            target -= to.dims[d] * to.strides[d] * dim_t(Size);
            index[d] = 0;
        }
    }
}

void copy_tensor(const memory_desc &from, const void *source, const memory_desc &to, void *target) {
    const auto *s = static_cast<const char *>(source);
    auto *t = static_cast<char *>(target);
    size_of(from.data_type) == 4 ? copy_elements<4>(from, s, to, t) : copy_elements<2>(from, s, to, t);
}

} // namespace

side_tensors::side_tensors(const norm_op &op, const lowered &what) {
    for (const role r : {GAMMA, BETA, DIFF_GAMMA, DIFF_BETA, MEAN}) {
        if (op[r].how == port::use::unused) continue;
        const memory_desc &outside = what.layouts[size_t(r)];
        const memory_desc dense = make_dense({outside.dims, size_t(outside.ndims)}, outside.data_type);
        const memory_desc &inside = r == MEAN ? what.problem.statistics : dense;
        if (!is_laid_out_as(outside, inside)) add(r, op.writes(r), outside, inside);
    }
}

void side_tensors::add(role r, bool is_output, const memory_desc &outside, const memory_desc &inside) {
    copies_.push_back({r, is_output, outside, inside, bytes_});
    bytes_ += (bytes(inside) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void side_tensors::enter(by_role<void *> &data, void *scratchpad) const {
    for (const copy &c : copies_) {
        char *inside = static_cast<char *>(scratchpad) + c.offset;
        if (!c.is_output) copy_tensor(c.outside, data[size_t(c.of)], c.inside, inside);
        data[size_t(c.of)] = inside;
    }
}

void side_tensors::leave(const by_role<void *> &data, const void *scratchpad) const {
    for (const copy &c : copies_)
        if (c.is_output)
            copy_tensor(c.inside, static_cast<const char *>(scratchpad) + c.offset, c.outside, data[size_t(c.of)]);
}

} // namespace jitnorm::impl::graph
