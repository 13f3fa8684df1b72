// SPDX-License-Identifier: Apache-2.0
// quantizer: what follows normalization where the library finds dst's scales. Rows are normalized to a tile of floats,
// group by group or several at once; then their scales are found, and written, and the floats become dst. A group that
// is longer than the tile is normalized twice, in pieces.
#pragma once

#include <cstddef>

#include "../core/found_scales.hpp"
#include "../layout/row_packer.hpp"
#include "../layout/row_tensors.hpp"
#include "forward_kernels.hpp"

namespace jitnorm::impl::layer_norm {

class quantizer {
public:
    // The kernels are those that the problem has, which finds scales.
    quantizer(const problem &p, const plan &how, const quantize_kernels &kernels);

    static dim_t scratchpad_bytes(const problem &p, const plan &how);

    // Some rows, to be normalized by a caller who has the cursor.
    struct batch {
        void *scales;    // the tensor
        std::byte *room; // of scratchpad_bytes()
        dim_t first, rows;
    };

    // look(columns, strip of floats) normalizes to the strip; normalize(columns, strip of floats) does so for the last
    // time and answers the strip of dst; close(columns) says that it has been written. Both write the unquantized rows,
    // where there are any: a look that does not was measured to be as fast on the mean, for the lines that it writes are
    // in a cache when they are written again.
    template <typename Look, typename Normalize, typename Close>
    void run(const batch &b, Look &&look, Normalize &&normalize, Close &&close) const {
        for (dim_t first = 0; first < groups_; first += groups_at_once_) {
            const range some = {first, std::min(first + groups_at_once_, groups_)};
            const range columns = {some.begin * width_, some.end * width_};
            clear_maxima(b, some);
            if (columns.end - columns.begin > float_columns_) {
                for_each_piece(columns, [&](range piece) {
                    look(piece, floats(b));
                    find_maxima(b, some, piece);
                });
                find_scales(b, some);
                for_each_piece(columns, [&](range piece) {
                    store(b, some, piece, normalize(piece, floats(b)));
                    close(piece);
                });
            } else {
                const strip dst = normalize(columns, floats(b));
                find_maxima(b, some, columns);
                find_scales(b, some);
                store(b, some, columns, dst);
                close(columns);
            }
        }
    }

private:
    template <typename Body>
    void for_each_piece(range columns, Body &&body) const {
        for (dim_t begin = columns.begin; begin < columns.end; begin += float_columns_)
            body(range{begin, std::min(begin + float_columns_, columns.end)});
    }

    // In the scratchpad: the tile; of each group of a row and then of the next row's its maximum, which becomes its
    // scale, and then as many factors.
    strip floats(const batch &b) const { return {b.room, pitch_}; }
    float *maxima(const batch &b) const { return reinterpret_cast<float *>(b.room + batch_rows_ * pitch_); }
    float *factors(const batch &b) const { return maxima(b) + batch_rows_ * groups_at_once_; }

    void clear_maxima(const batch &b, range groups) const;
    void find_maxima(const batch &b, range groups, range columns) const;
    void find_scales(const batch &b, range groups) const;
    void store(const batch &b, range groups, range columns, const strip &dst) const;
    void multiply(const strip &from, const strip &to, dim_t rows, dim_t count, const float *factors) const;

    const quantize_kernels &kernels_;
    row_packer scales_;
    dim_t width_, groups_, groups_at_once_; // columns of a group, groups of a row, and of those in the tile
    dim_t float_columns_, pitch_;           // of the tile, the latter in bytes
    dim_t batch_rows_;
    float largest_; // number of dst's type
    dim_t dst_size_;
};

} // namespace jitnorm::impl::layer_norm
