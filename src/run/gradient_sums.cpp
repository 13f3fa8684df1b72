// SPDX-License-Identifier: Apache-2.0
#include "gradient_sums.hpp"

#include <cstring>

#include "../base/environment.hpp"
#include "../base/parallel.hpp"

namespace jitnorm::impl::layer_norm {

gradient_layout::gradient_layout(const problem &p, bool from_sums)
    : rows_(p.rows()), columns_(p.row_length()), cut_(row_blocks_of(p)),
      keeps_blocks_(cut_.blocks_per_part() == 1 && !p.is_partial()), has_scale_(from_sums && p.writes(DIFF_SCALE)),
      has_shift_(from_sums && p.writes(DIFF_SHIFT)), element_(p.compute_size()) {}

void gradient_layout::book(plan &to) const {
    constexpr dim_t WIDE = sizeof(double);
    const bool by_rows = to.may_share_rows(), by_chunks = to.may_share_chunks();
    const bool keeps = to.rows == row_access::interleaved || (by_rows && keeps_blocks_);
    to.scratchpad.book(scratch::column_sums,
                       std::max(by_rows && !keeps ? width() * element_ : 0,
                                by_chunks ? gradients() * gradient_pitch(CHUNK) * (element_ + 2 * WIDE) : 0));
    const dim_t parts = keeps_blocks_ ? 1 : cut_.parts();
    if (by_rows) to.scratchpad.book(scratch::gradient_sums, parts * width() * WIDE);
    if (by_chunks) to.scratchpad.book(scratch::row_sums, 2 * rows_ * chunks() * element_);
    if (keeps) to.scratchpad.book(scratch::kept_blocks, cut_.blocks() * width() * element_);
}

template <typename T>
column_sums<T> gradient_sums<T>::begin(T *sums, dim_t pitch) const {
    column_sums<T> found;
    for_each_gradient(pitch,
                      [&](slot s, dim_t first) { (s == DIFF_SCALE ? found.scale : found.shift) = sums + first; });
    return found;
}

template <typename T>
void gradient_sums<T>::finish_block(const arguments &args, const T *sums) const {
    for_each_gradient(layout_.pitch(), [&](slot gradient, dim_t first) {
        (*kernels_->finish_block)({.start = nullptr,
                                   .sums = sums + first,
                                   .sums_stride = 0,
                                   .number = 1,
                                   .count = layout_.columns(),
                                   .to = args[gradient]});
    });
}

template <typename T>
void gradient_sums<T>::finish(const arguments &args, const double *start, const double *sums, dim_t parts, dim_t pitch,
                              range columns) const {
    for_each_gradient(pitch, [&](slot gradient, dim_t first) {
        const dim_t offset = columns.begin * dim_t(size_of(type_));
        kernels_->finish({.start = start + first,
                          .sums = parts == 0 ? nullptr : sums + first,
                          .sums_stride = layout_.gradients() * pitch * dim_t(sizeof(double)),
                          .number = parts,
                          .count = columns.end - columns.begin,
                          .to = static_cast<std::byte *>(args[gradient]) + offset});
    });
}

template <typename T>
void gradient_sums<T>::store_part(const arguments &args, dim_t part, const double *sums, dim_t pitch,
                                  range columns) const {
    for_each_gradient(pitch, [&](slot gradient, dim_t first) {
        auto *const to = static_cast<std::byte *>(args[gradient]); // may have any alignment
        std::memcpy(to + (part * layout_.columns() + columns.begin) * dim_t(sizeof(double)), sums + first,
                    size_t(columns.end - columns.begin) * sizeof(double));
    });
}

template <typename T>
int gradient_sums<T>::threads_to_finish(int available) const {
    const dim_t parts = layout_.cut().parts(), sum = layout_.keeps_blocks() ? sizeof(T) : sizeof(double);
    // The sums lie in the caches of the cores that have computed them, from which one thread reads them slowly.
    constexpr dim_t MERGED_BYTES_PER_THREAD = 6 * 1024;
    return std::min(threads_for(parts * layout_.width() * sum, partial_ ? parts : lines(),
                                the_environment().threads_sleep, MERGED_BYTES_PER_THREAD),
                    available);
}

template <typename T>
template <typename Body>
void gradient_sums<T>::share_columns(int threads, Body &&body) const {
    parallel_parts(threads, [&](int share) {
        const range mine = split(lines(), threads, share);
        body(range{mine.begin * LINE, std::min(mine.end * LINE, layout_.columns())});
    });
}

template <typename T>
void gradient_sums<T>::finish_parts(const arguments &args, double *sums, const T *kept, int available) const {
    const dim_t parts = layout_.cut().parts();
    if (layout_.cut().blocks() == 1 && !partial_) return finish_block(args, kept);
    const int threads = threads_to_finish(available);
    if (partial_)
        return parallel_parts(threads, [&](int share) {
            const range mine = split(parts, threads, share);
            for (dim_t part = mine.begin; part < mine.end; ++part)
                store_part(args, part, sums + part * layout_.width(), layout_.pitch(), {0, layout_.columns()});
        });
    share_columns(threads, [&](range columns) {
        double *const total = sums + columns.begin;
        if (!layout_.keeps_blocks())
            return finish(args, total, total + layout_.width(), parts - 1, layout_.pitch(), columns);
        for (dim_t begin = columns.begin; begin < layout_.width(); begin += layout_.pitch())
            add(nullptr, kept + begin, sums + begin, columns.end - columns.begin, parts);
        finish(args, total, nullptr, 0, layout_.pitch(), columns);
    });
}

template class gradient_sums<float>;
template class gradient_sums<double>;

} // namespace jitnorm::impl::layer_norm
