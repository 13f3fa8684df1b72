// SPDX-License-Identifier: Apache-2.0
#include "forward.hpp"

#include <algorithm>

#include "make_plan.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T>
forward<T>::forward(const problem &p, const plan &planned, std::shared_ptr<const kernels> made)
    : problem_(p), plan_(planned), kernels_(std::move(made)), operands_(p, kernels_->post_ops),
      given_(!p.finds_statistics()), adds_(p.reads(RESIDUAL)), writes_moments_(p.writes(ROW_SUMS)),
      has_dst_(p.writes(DST)), own_scale_(p[SCALE].ndims != 0), own_shift_(p[SHIFT].ndims != 0),
      writes_mean_(p.writes(MEAN)), writes_variance_(p.writes(VARIANCE)), rms_(p.is_rms()), form_(p.form),
      statistics_type_(p[VARIANCE].data_type), C_(p.row_length()), sum_pitch_(sum_pitch(p, planned)),
      row_size_(dim_t(size_of(p.row_type()))), scale_size_(dim_t(size_of(p.scale_shift_type))), epsilon_(p.epsilon),
      inv_C_(1.0 / double(p.whole_row_length())) {
    if (p.has_dynamic_scales()) quantizer_.emplace(p);
}

template <typename T>
void forward<T>::refine_band(jit::forward_arguments<T> &call, dim_t first, dim_t rows) {
    batch b;
    b.rows = rows;
    std::copy_n(call.pivot + first, rows, b.pivot);
    std::copy_n(call.s + first, rows, b.s);
    std::copy_n(call.q + first, rows, b.q);
    static_cast<const forward *>(call.context)->find_statistics({call.x.row(first), call.x.stride}, b);
    store_results(b, call, first);
}

template <typename T>
void forward<T>::store_results(const batch &b, jit::forward_arguments<T> &call, dim_t first) {
    std::copy_n(b.hi, b.rows, call.hi + first);
    std::copy_n(b.rstd, b.rows, call.rstd + first);
    std::copy_n(b.bias, b.rows, call.bias + first);
    std::copy_n(b.variance, b.rows, call.variance + first);
}

template <typename T>
void forward<T>::begin_chunks(jit::forward_arguments<T> &call, moments<T> *rows) const {
    call.next_chunk = next_chunk;
    call.moments = rows;
    call.chunk = CHUNK;
    call.rest = C_ - CHUNK;
}

template <typename T>
bool forward<T>::next_chunk(jit::forward_arguments<T> &call, dim_t first, dim_t rows) {
    const forward &f = *static_cast<const forward *>(call.context);
    auto *const all = static_cast<moments<T> *>(call.moments);
    const dim_t before = f.C_ - call.rest - call.chunk; // columns
    for (dim_t r = first; r < first + rows; ++r)
        add_chunk(all[r], before == 0,
                  f.refine_chunk(call.x.row(r), call.chunk, call.pivot[r], {call.s[r], call.q[r]}));
    if (call.rest > 0) {
        f.move_columns(call, CHUNK);
        call.chunk = std::min(CHUNK, call.rest);
        call.rest -= call.chunk;
        return true;
    }
    f.move_columns(call, -before);
    f.begin_chunks(call, all);
    batch b;
    b.rows = rows;
    f.set_statistics(all + first, b);
    store_results(b, call, first);
    return false;
}

template <typename T>
void forward<T>::move_columns(jit::forward_arguments<T> &call, dim_t columns) const {
    const auto move = [&](auto &first, dim_t size) { first = after(first, columns * size); };
    move(call.x.first, row_size_);
    if (!adds_) return;
    move(call.src.first, element_size(problem_[SRC]));
    move(call.residual.first, element_size(problem_[RESIDUAL]));
    move(call.sum.first, element_size(problem_[SUM]));
    move(call.sum_bias, dim_t(size_of(problem_.attr.bias_type)));
    move(call.gate, element_size(problem_[GATE]));
}

// Finds the statistics of the rows for which the first reduction was not enough. Consecutive rows that need the same
// factor share one reduction; often they are rows of one kind, such as padding.
template <typename T>
void forward<T>::refine_rest(const strip &src, batch &b) const {
    for (dim_t begin = 0, end = 0; begin < b.rows; begin = end) {
        const T k = rescale_factor(b.q[begin]);
        while (end < b.rows && rescale_factor(b.q[end]) == k) ++end;
        if (k != T(1)) {
            jit::forward_arguments<T> again;
            std::copy_n(b.pivot + begin, end - begin, again.pivot);
            again.factor = k;
            reduce(*kernels_->repeat, {src.row(begin), src.stride}, end - begin, C_, again);
            if (!rms_) std::copy_n(again.s, end - begin, b.s + begin);
            std::copy_n(again.q, end - begin, b.q + begin);
        }
        for (dim_t r = begin; r < end; ++r)
            if (k != T(1) || pivot_is_poor<T>({b.s[r], b.q[r]}, inv_C_))
                b.set(r, finish(refine_chunk(src.row(r), C_, b.pivot[r], {b.s[r], b.q[r]}, k), inv_C_));
    }
}

template <typename T>
void forward<T>::reduce(const jit::forward_kernel<T> &kernel, const strip &x, dim_t rows, dim_t count,
                        jit::forward_arguments<T> &call) {
    call.rows = rows;
    call.chunk = count;
    call.x = x;
    kernel(call);
}

template <typename T>
moments<T> forward<T>::refine_chunk(const std::byte *src, dim_t count, T p, const sums<T> &found, T k) const {
    const auto repeat = [&](T pivot, T factor) {
        jit::forward_arguments<T> again;
        again.pivot[0] = pivot;
        again.s[0] = 0; // with rms_norm the kernel does not write it
        again.factor = factor;
        reduce(*kernels_->repeat, {const_cast<std::byte *>(src), 0}, 1, count, again);
        return sums<T>{again.s[0], again.q[0]};
    };
    return refine(p, found, count, rms_, repeat, k);
}

template <typename T>
void forward<T>::set_statistics(const void *rows, batch &b) const {
    for (dim_t r = 0; r < b.rows; ++r) b.set(r, finish_given(load<moments<T>>(rows, r), rms_, inv_C_));
    b.complete(epsilon_);
}

template <typename T>
void forward<T>::read_statistics(const statistics_rows &from, batch &b) const {
    const auto load = [&](slot s, auto *to) { load_statistics(from[s], statistics_type_, from.stride, b.rows, to); };
    rms_ ? void(std::fill_n(b.hi, b.rows, T(0))) : load(MEAN, b.hi);
    if (form_ == statistics_form::inverse_deviation) {
        load(VARIANCE, b.rstd);
        std::fill_n(b.bias, b.rows, T(0));
        return;
    }
    load(VARIANCE, b.variance);
    std::fill_n(b.lo, b.rows, 0.0);
    b.complete(epsilon_);
}

// ---- normalization where scales are found

template <typename T>
void forward<T>::worker::quantize(batch &b) {
    const quantizer &q = *f_.quantizer_;
    const range all = {0, f_.C_};
    const panel here = at.open(all);
    const strip x = rows_to_write(here, b, all);
    q.for_each_unit(b.rows, [&](dim_t r, range groups) {
        jit::forward_arguments<T> unit;
        unit.rows = b.rows;
        set_arguments(unit, here, x, all);
        q.restrict_to(r, groups, unit);
        unit.hi[0] = b.hi[r];
        unit.rstd[0] = b.rstd[r];
        unit.bias[0] = b.bias[r];
        const dim_t row = b.first + r;
        with_operands(unit, {row, 1, q.first_column(groups), unit.count},
                      [&] { f_.kernels_->normalize->ordinary(unit); });
        q.store_scales(row, 1, groups, unit.dst_scales, args[DST_SCALE]);
    });
    at.close();
}

template class forward<float>;
template class forward<double>;

} // namespace jitnorm::impl::layer_norm
