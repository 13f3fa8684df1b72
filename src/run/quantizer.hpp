// SPDX-License-Identifier: Apache-2.0
// quantizer: the last steps of a batch where the library finds the scales of dst. Rows are normalized to a tile of
// floats, one group of columns or several at a time. Then the scales of these groups are found and written, and the
// floats are converted to dst. A group that is longer than the tile is normalized twice, in pieces: to find its scale,
// and to convert it.
#pragma once

#include <cstddef>

#include "../norm/problem.hpp"
#include "../tensor/row_packer.hpp"
#include "forward_kernels.hpp"
#include "row_tensors.hpp"

namespace jitnorm::impl::layer_norm {

class quantizer {
public:
    // The problem must find scales. Keeps a reference to the kernels.
    quantizer(const problem &p, const plan &planned, const quantize_kernels &kernels);

    static dim_t scratchpad_bytes(const problem &p, const plan &planned);

    // Some rows of the problem.
    struct batch {
        void *scales;      // the data handle of the scales' tensor
        std::byte *room;   // scratchpad_bytes() of scratchpad
        dim_t first, rows; // the first row, and how many
    };

    // The caller normalizes. look(columns, strip of floats) normalizes these columns to the strip.
    // normalize(columns, strip of floats) does the same for the last time and returns the strip of dst; close(columns)
    // is called when dst has been written there. Both look() and normalize() write the pre-quantization output, if
    // there is one. A look() that does not was measured to be as fast on the mean, because the lines that it writes are
    // still in a cache when normalize() writes them again.
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

    // In the scratchpad lie the tile of floats, then the maxima of all groups of the first row, of the second row and
    // so on, which become scales, then as many factors.
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
    dim_t width_, groups_, groups_at_once_; // columns of a group, groups of a row, groups of a row in the tile
    dim_t float_columns_, pitch_;           // columns of the tile, bytes from row to row of it
    dim_t batch_rows_;                      // rows of the tile
    float largest_;                         // the largest number of dst's type
    dim_t dst_size_;                        // bytes of an element of dst
};

} // namespace jitnorm::impl::layer_norm
