// SPDX-License-Identifier: Apache-2.0
#include "backward_kernels.hpp"

#include "../math/row_blocks.hpp"
#include "../norm/row_groups.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

bool wants_weights(const problem &p) { return p.writes(DIFF_SCALE) || p.writes(DIFF_SHIFT); }
bool wants_sums(const problem &p) { return p.writes(DIFF_SRC) && !p.has(jitnorm_use_global_stats); }

jit::backward_sums_conf sums_conf_of(const problem &p, jit::isa vectors, jit::prefetch_to ahead) {
    jit::backward_sums_conf conf = {
        vectors,     p[SRC].data_type, p[DIFF_DST].data_type, p.scale_shift_type,  p.reads(SCALE),
        !p.is_rms(), wants_sums(p),    p.writes(DIFF_SCALE),  p.writes(DIFF_SHIFT)};
    conf.affine_flags = p.affine_flags();
    conf.ahead = ahead;
    if (p.writes(DIFF_SCALE) && p.normalized_type() != p.compute_type()) conf.normalized = p.normalized_type();
    if (has_own_rows(p)) {
        conf.own_rows = true;
        conf.gradient = p.diff_scale_shift_type;
    }
    return conf;
}

jit::backward_data_conf data_conf_of(const problem &p, jit::isa vectors, bool non_temporal, jit::prefetch_to ahead) {
    jit::backward_data_conf conf = {vectors,
                                    p[SRC].data_type,
                                    p[DIFF_DST].data_type,
                                    p[DIFF_SRC].data_type,
                                    p.reads(DIFF_SUM) ? p[DIFF_SUM].data_type : jitnorm_data_type_undef,
                                    p.scale_shift_type,
                                    p.reads(SCALE),
                                    !p.is_rms(),
                                    wants_sums(p)};
    conf.non_temporal = non_temporal;
    conf.affine_flags = p.affine_flags();
    conf.ahead = ahead;
    return conf;
}

// Kernels with both passes, which prefetch to these caches while they reduce and while they write.
template <typename Kernel>
jit::stores_of<Kernel> kernels_of_both_passes(const problem &p, jit::isa vectors, jit::prefetch_to reduced,
                                              jit::prefetch_to written) {
    const auto kernel = [&](bool non_temporal) {
        return Kernel({sums_conf_of(p, vectors, reduced), data_conf_of(p, vectors, non_temporal, written)});
    };
    return {kernel(false), kernel(true)};
}

template <typename T>
std::optional<typename backward_kernels<T>::weights_kernels> make_weights_kernels(const problem &p, jit::isa vectors) {
    if (!wants_weights(p) || has_own_rows(p)) return {};
    const auto kernel = [&](jitnorm_data_type_t sums, jitnorm_data_type_t to) {
        return jit::backward_weights_kernel({vectors, sums, to});
    };
    const jitnorm_data_type_t of_block = jit::data_type_of<T>;
    typename backward_kernels<T>::weights_kernels made{kernel(of_block, jitnorm_f64), kernel(jitnorm_f64, jitnorm_f64),
                                                       kernel(jitnorm_f64, p.diff_scale_shift_type), std::nullopt};
    if (p.has_runtime_sizes() || row_blocks_of(p).blocks() == 1)
        made.finish_block.emplace(jit::backward_weights_conf{vectors, of_block, p.diff_scale_shift_type});
    return made;
}

// To which cache later rows are prefetched: rows in place, not in tiles, which are near.
jit::prefetch_to prefetches_of(const plan *planned) {
    if (planned == nullptr || planned->rows != row_access::in_place) return jit::prefetch_to::nowhere;
    return planned->prefetch_to_l2   ? jit::prefetch_to::l2
           : planned->prefetch_to_l1 ? jit::prefetch_to::l1
                                     : jit::prefetch_to::nowhere;
}

} // namespace

template <typename T>
bool backward_kernels<T>::does_both(const problem &p) {
    return p.writes(DIFF_SRC) && (wants_sums(p) || wants_weights(p));
}

template <typename T>
backward_kernels<T>::backward_kernels(const problem &p, const plan *planned, jit::isa vectors)
    : weights(make_weights_kernels<T>(p, vectors)) {
    const bool has_bands_alone = planned != nullptr && planned->band_rows > 0 && planned->one_loop_threads == 0;
    if (!has_bands_alone) make_steps(p, planned, vectors);
    if (planned == nullptr ? !does_both(p) : planned->band_rows == 0) return;
    constexpr auto nowhere = jit::prefetch_to::nowhere;
    const jit::prefetch_to ahead = prefetches_of(planned);
    const bool one_by_one = planned != nullptr && planned->band_rows == 1;
    rows = kernels_of_both_passes<jit::backward_rows_kernel<T>>(p, vectors, one_by_one ? ahead : nowhere,
                                                                one_by_one ? nowhere : ahead);
}

template <typename T>
void backward_kernels<T>::make_steps(const problem &p, const plan *planned, jit::isa vectors) {
    constexpr auto nowhere = jit::prefetch_to::nowhere;
    if (wants_sums(p) || wants_weights(p)) sums.emplace(sums_conf_of(p, vectors, nowhere));
    if (p.writes(DIFF_SRC)) data.emplace(data_conf_of(p, vectors, false, nowhere));
    if (p.writes(DIFF_SRC) && (planned == nullptr || planned->non_temporal_threads > 0))
        data_non_temporal.emplace(data_conf_of(p, vectors, true, nowhere));
    if (planned == nullptr ? does_both(p) : planned->one_loop_threads > 0)
        loop = kernels_of_both_passes<jit::backward_loop_kernel<T>>(p, vectors, nowhere, nowhere);
}

template struct backward_kernels<float>;
template struct backward_kernels<double>;

} // namespace jitnorm::impl::layer_norm
