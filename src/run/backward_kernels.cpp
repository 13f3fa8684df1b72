// SPDX-License-Identifier: Apache-2.0
#include "backward_kernels.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

bool wants_weights(const problem &p) { return p.writes(DIFF_SCALE) || p.writes(DIFF_SHIFT); }
bool wants_sums(const problem &p) { return p.writes(DIFF_SRC) && !p.has(jitnorm_use_global_stats); }

template <typename T>
std::optional<typename backward_kernels<T>::sums_kernels> make_sums_kernels(const problem &p, jit::isa vectors) {
    if (!wants_sums(p) && !wants_weights(p)) return {};
    const auto kernel = [&](bool prefetching) {
        jit::backward_sums_conf conf = {
            vectors,     p[SRC].data_type, p[DIFF_DST].data_type, p.scale_shift_type,   p.reads(SCALE),
            !p.is_rms(), wants_sums(p),    p.writes(DIFF_SCALE),  p.writes(DIFF_SHIFT), prefetching};
        conf.scale_plus_one = p.adds_one_to_scale();
        return jit::backward_sums_kernel<T>(conf);
    };
    return typename backward_kernels<T>::sums_kernels{kernel(false), kernel(true)};
}

enum stores { ORDINARY, PREFETCHING, NON_TEMPORAL };

jit::backward_data_conf data_conf(const problem &p, jit::isa vectors, stores kind) {
    jit::backward_data_conf conf = {vectors,
                                    p[SRC].data_type,
                                    p[DIFF_DST].data_type,
                                    p[DIFF_SRC].data_type,
                                    p.reads(DIFF_SUM) ? p[DIFF_SUM].data_type : jitnorm_data_type_undef,
                                    p.scale_shift_type,
                                    p.reads(SCALE),
                                    !p.is_rms(),
                                    wants_sums(p),
                                    kind != ORDINARY,
                                    kind == NON_TEMPORAL};
    conf.scale_plus_one = p.adds_one_to_scale();
    return conf;
}

template <typename T>
std::optional<typename backward_kernels<T>::data_kernels> make_data_kernels(const problem &p, jit::isa vectors) {
    if (!p.writes(DIFF_SRC)) return {};
    const auto kernel = [&](stores kind) { return jit::backward_data_kernel<T>(data_conf(p, vectors, kind)); };
    return typename backward_kernels<T>::data_kernels{kernel(ORDINARY), kernel(PREFETCHING), kernel(NON_TEMPORAL)};
}

template <typename T>
std::optional<typename backward_kernels<T>::weights_kernels> make_weights_kernels(const problem &p, jit::isa vectors) {
    if (!wants_weights(p)) return {};
    const auto kernel = [&](jitnorm_data_type_t sums, jitnorm_data_type_t to) {
        return jit::backward_weights_kernel({vectors, sums, to});
    };
    return typename backward_kernels<T>::weights_kernels{
        kernel(sizeof(T) == sizeof(float) ? jitnorm_f32 : jitnorm_f64, jitnorm_f64), kernel(jitnorm_f64, jitnorm_f64),
        kernel(jitnorm_f64, p.diff_scale_shift_type)};
}

} // namespace

template <typename T>
backward_kernels<T>::backward_kernels(const problem &p, jit::isa vectors)
    : sums(make_sums_kernels<T>(p, vectors)), data(make_data_kernels<T>(p, vectors)),
      weights(make_weights_kernels<T>(p, vectors)) {}

template struct backward_kernels<float>;
template struct backward_kernels<double>;

} // namespace jitnorm::impl::layer_norm
