// SPDX-License-Identifier: Apache-2.0
#include "residual_sums.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T>
residual_addition<T>::residual_addition(const problem &p, const plan &given, const forward_kernels<T> &made)
    : planned(given), kernels(made), exists(p.reads(RESIDUAL)), has_tile(given.sum_pitch != 0), has_dst(p.writes(DST)),
      is_reduced(p.finds_statistics()), C(p.row_length()), row_size(dim_t(size_of(p.row_type()))),
      src_size(element_size(p[SRC])), residual_size(element_size(p[RESIDUAL])),
      bias_size(dim_t(size_of(p.attr.bias_type))), gate_size(element_size(p[GATE])), gate_begin(p[GATE].offset0) {}

template <typename T>
strip residual_sums<T>::sums_to_reduce(const panel &here, range columns, dim_t rows) {
    const bool whole = columns.end - columns.begin == of_.C;
    if (!are_added(columns)) add(*of_.kernels.addition, of_.has_tile && (whole || !of_.has_dst), here, columns, rows);
    return rows_of(here, columns);
}

template <typename T>
strip residual_sums<T>::sums_to_write(const panel &here, range columns, dim_t rows) {
    if (of_.has_tile ? !written_ || !are_added(columns) : !of_.is_reduced && !are_added(columns))
        add(*of_.kernels.addition, of_.has_tile, here, columns, rows);
    return rows_of(here, columns);
}

template <typename T>
strip residual_sums<T>::add_and_reduce(const panel &here, range columns, dim_t rows, const first_sums &sums) {
    add(*of_.kernels.reducing_addition, of_.has_tile, here, columns, rows, sums);
    return rows_of(here, columns);
}

template <typename T>
void residual_sums<T>::begin_panel(range columns) {
    added_ = {of_.has_tile ? columns.begin : 0, columns.end};
    written_ = of_.has_tile && columns.end - columns.begin == of_.C;
}

template <typename T>
strip residual_sums<T>::add_and_reduce_chunk(const panel &here, range chunk, dim_t rows, const first_sums &sums) {
    const auto &with = *of_.kernels.reducing_addition;
    const strip to = rows_of(here, chunk);
    (written_ ? with.add_and_write : with.add)(arguments_for(here, to, chunk, rows, sums));
    return to;
}

template <typename T>
jit::addition_arguments<T> residual_sums<T>::arguments_for(const panel &here, const strip &to, range columns,
                                                           dim_t rows, const first_sums &sums) const {
    return {.src = here.src.first,
            .residual = here.second.first,
            .bias = behind(args_[BIAS], columns.begin * of_.bias_size),
            .gate = behind(args_[GATE], (of_.gate_begin + columns.begin) * of_.gate_size),
            .sum = here.sum.first,
            .row = to.first,
            .src_row_stride = here.src.stride,
            .residual_row_stride = here.second.stride,
            .sum_row_stride = here.sum.stride,
            .row_stride = to.stride,
            .rows = rows,
            .count = columns.end - columns.begin,
            .pivot = sums.pivot,
            .s = sums.s,
            .q = sums.q,
            .src_prefetch = prefetch_distance(here.src, of_.C * of_.src_size),
            .residual_prefetch = prefetch_distance(here.second, of_.C * of_.residual_size)};
}

template <typename T>
void residual_sums<T>::add(const typename forward_kernels<T>::addition_kernels &with, bool writes, const panel &here,
                           range columns, dim_t rows, const first_sums &sums) {
    const strip to = of_.has_tile ? tile() : here.sum;
    (writes ? with.add_and_write : with.add)(arguments_for(here, to, columns, rows, sums));
    added_ = {of_.has_tile ? columns.begin : 0, columns.end};
    written_ = writes;
}

template <typename T>
strip residual_sums<T>::rows_of(const panel &here, range columns) const {
    if (!of_.has_tile) return here.sum;
    const strip from = tile();
    return {from.first + (columns.begin - added_.begin) * of_.row_size, from.stride};
}

template <typename T>
strip residual_sums<T>::tile() const {
    const plan &given = of_.planned;
    std::byte *const tiles = given.scratchpad.get(scratch::sum_rows, args_[SCRATCHPAD], share_);
    return {tiles + tile_ * given.batch_rows * given.sum_pitch, given.sum_pitch};
}

template struct residual_addition<float>;
template struct residual_addition<double>;
template class residual_sums<float>;
template class residual_sums<double>;

} // namespace jitnorm::impl::layer_norm
