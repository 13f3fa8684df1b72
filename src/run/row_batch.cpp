// SPDX-License-Identifier: Apache-2.0
#include "row_batch.hpp"

#include "../math/statistics_io.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T>
void forward_batch<T>::set_no_pivots() {
    for (dim_t r = 0; r < this->rows; ++r) {
        this->pivot[r] = 0;
        this->s[r] = this->q[r] * T(0);
    }
}

// Results of comparisons of floats and of doubles are collected in different variables, so that the vector code need
// not convert one to the other.
template <typename T>
bool forward_batch<T>::take_first_reductions(double n, double inv_n) {
    int32_t out_of_range = 0;
    int64_t poor = 0;
    for (dim_t r = 0; r < this->rows; ++r) {
        const sums<T> found = {this->s[r], this->q[r]};
        out_of_range |= int32_t(!squares_in_range(found.q));
        poor |= int64_t(pivot_is_poor(found, inv_n));
        set(r, finish(moments_of_first_reduction(this->pivot[r], found, n, inv_n), inv_n));
    }
    return out_of_range == 0 && poor == 0;
}

template <typename T>
void forward_batch<T>::complete(double eps) {
    find_rstd(this->variance, this->rows, eps, this->rstd);
    for (dim_t r = 0; r < this->rows; ++r) this->bias[r] = bias_of(lo[r], this->rstd[r]);
}

template <typename T>
void backward_batch<T>::find_factors(bool rms) {
    for (dim_t r = 0; r < this->rows; ++r) this->factor[r] = rms ? this->rstd[r] : -this->rstd[r];
}

template <typename T>
void backward_batch<T>::clear_sums() {
    for (dim_t r = 0; r < this->rows; ++r) row_s1[r] = row_s2[r] = 0;
}

template <typename T>
void backward_batch<T>::add_chunk(const T *chunk1, const T *chunk2) {
    for (dim_t r = 0; r < this->rows; ++r) row_s1[r] += double(chunk1[r]);
    for (dim_t r = 0; r < this->rows; ++r) row_s2[r] += double(chunk2[r]);
}

template <typename T>
void backward_batch<T>::find_slopes(double inv_count) {
    for (dim_t r = 0; r < this->rows; ++r) {
        const row_slopes<T> slopes = slopes_of(row_s1[r], row_s2[r], inv_count, this->rstd[r]);
        this->m1[r] = slopes.m1;
        this->k[r] = slopes.k;
    }
}

template <typename T>
void find_rstd(const double *variance, dim_t count, double epsilon, T *rstd) {
    for (dim_t r = 0; r < count; ++r) rstd[r] = reciprocal_deviation<T>(variance[r], epsilon);
}

template <typename Number>
void load_statistics(const void *from, jitnorm_data_type_t type, dim_t stride, dim_t count, Number *to) {
    float values[MAX_BATCH_ROWS];
    const void *const floats = read_statistics(from, type, stride, count, values);
    for (dim_t r = 0; r < count; ++r) to[r] = Number(load<float>(floats, r));
}

template <typename Number>
void store_statistics(const Number *from, dim_t count, void *to, jitnorm_data_type_t type, dim_t stride) {
    alignas(64) float values[MAX_BATCH_ROWS];
    void *const floats = type == jitnorm_f32 && stride == 1 ? to : values;
    for (dim_t r = 0; r < count; ++r) store(float(from[r]), floats, r);
    if (floats == values) write_statistics(values, count, to, type, stride);
}

template struct forward_batch<float>;
template struct forward_batch<double>;
template struct backward_batch<float>;
template struct backward_batch<double>;
template void find_rstd(const double *, dim_t, double, float *);
template void find_rstd(const double *, dim_t, double, double *);
template void load_statistics(const void *, jitnorm_data_type_t, dim_t, dim_t, float *);
template void load_statistics(const void *, jitnorm_data_type_t, dim_t, dim_t, double *);
template void store_statistics(const float *, dim_t, void *, jitnorm_data_type_t, dim_t);
template void store_statistics(const double *, dim_t, void *, jitnorm_data_type_t, dim_t);

} // namespace jitnorm::impl::layer_norm
