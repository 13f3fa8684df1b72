// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <algorithm>

namespace jitnorm_torch {

namespace {

using tensors = at::ArrayRef<const at::Tensor *>;

// Collects dimensions from the last to the first, and merges neighbours as far as possible.
class collector {
public:
    collector(tensors all, rows &to) : all_(all), to_(to) {}

    // Adds dimension d: merges it with the one that was added before, or, if that is not possible or close() was called
    // since, begins a new one. False if there is no room for a new one.
    bool add(int64_t d) {
        const int64_t size = all_[0]->size(d);
        if (size == 1) return true;
        if (is_open_ && continues(d)) {
            to_.dims[to_.ndims - 1] *= size;
            return true;
        }
        if (to_.ndims == rows::MAX_DIMS) return false;
        for (size_t t = 0; t < all_.size(); ++t) to_.strides[t][to_.ndims] = all_[t]->stride(d);
        to_.dims[to_.ndims++] = size;
        is_open_ = true;
        return true;
    }

    // The next dimension is not merged with those before it.
    void close() { is_open_ = false; }

    // Adds a dimension of size 1, for a place where primitives need a dimension and the tensors have none.
    void add_one(int64_t stride) {
        for (size_t t = 0; t < all_.size(); ++t) to_.strides[t][to_.ndims] = stride;
        to_.dims[to_.ndims++] = 1;
    }

    void reverse() {
        std::reverse(to_.dims, to_.dims + to_.ndims);
        for (size_t t = 0; t < all_.size(); ++t) std::reverse(to_.strides[t], to_.strides[t] + to_.ndims);
    }

private:
    // Whether the strides of all tensors allow to merge dimension d with the last one.
    bool continues(int64_t d) const {
        const int64_t last = to_.ndims - 1;
        return std::all_of(all_.begin(), all_.end(), [&, t = 0](const at::Tensor *tensor) mutable {
            return tensor->stride(d) == to_.strides[t++][last] * to_.dims[last];
        });
    }

    tensors all_;
    rows &to_;
    bool is_open_ = false; // whether there is a last dimension that others can be merged with
};

void make_dense(tensors all, int64_t normalized, rows &found) {
    const auto sizes = all[0]->sizes();
    found.ndims = 2;
    found.dims[0] = c10::multiply_integers(sizes.slice(0, sizes.size() - size_t(normalized)));
    found.dims[1] = c10::multiply_integers(sizes.slice(sizes.size() - size_t(normalized)));
    for (size_t t = 0; t < all.size(); ++t) {
        found.strides[t][0] = found.dims[1];
        found.strides[t][1] = 1;
    }
}

} // namespace

bool find_rows(tensors all, int64_t normalized, rows &found) {
    const bool dense = std::all_of(all.begin(), all.end(), [](const at::Tensor *t) { return t->is_contiguous(); });
    if (dense || all[0]->numel() == 0) {
        make_dense(all, normalized, found);
        return true;
    }
    collector to(all, found);
    const int64_t rank = all[0]->dim();
    for (int64_t d = rank - 1; d >= rank - normalized; --d)
        if (!to.add(d) || found.ndims > 1) return false;
    if (found.ndims == 0) to.add_one(1);
    to.close();
    for (int64_t d = rank - normalized - 1; d >= 0; --d)
        if (!to.add(d)) return false;
    if (found.ndims == 1) to.add_one(found.columns());
    to.reverse();
    return true;
}

} // namespace jitnorm_torch
