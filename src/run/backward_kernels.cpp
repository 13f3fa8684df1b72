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

jit::backward_data_conf data_conf_of(const problem &p, jit::isa vectors, bool non_temporal) {
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
    return conf;
}

// Kernels with both passes.
template <typename Kernel>
jit::stores_of<Kernel> kernels_of_both_passes(const problem &p, jit::isa vectors, jit::prefetch_to ahead) {
    const jit::backward_sums_conf sums = sums_conf_of(p, vectors, ahead);
    return {Kernel({sums, data_conf_of(p, vectors, false)}), Kernel({sums, data_conf_of(p, vectors, true)})};
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

} // namespace

template <typename T>
bool backward_kernels<T>::may_go_in_one_loop(const problem &p) {
    return p.writes(DIFF_SRC) && (wants_sums(p) || wants_weights(p));
}

template <typename T>
bool backward_kernels<T>::may_go_in_one_kernel(const problem &p) {
    return wants_sums(p);
}

template <typename T>
backward_kernels<T>::backward_kernels(const problem &p, const plan *planned, jit::isa vectors)
    : weights(make_weights_kernels<T>(p, vectors)) {
    const bool in_place = planned != nullptr && planned->rows == row_access::in_place; // not in tiles, which are near
    const jit::prefetch_to ahead = !in_place                 ? jit::prefetch_to::nowhere
                                   : planned->prefetch_to_l2 ? jit::prefetch_to::l2
                                   : planned->prefetch_to_l1 ? jit::prefetch_to::l1
                                                             : jit::prefetch_to::nowhere;
    if (wants_sums(p) || wants_weights(p)) sums.emplace(sums_conf_of(p, vectors, ahead));
    if (p.writes(DIFF_SRC)) data.emplace(data_conf_of(p, vectors, false));
    if (p.writes(DIFF_SRC) && (planned == nullptr || planned->non_temporal_threads > 0))
        data_non_temporal.emplace(data_conf_of(p, vectors, true));
    if (planned == nullptr ? may_go_in_one_loop(p) : planned->one_loop_threads > 0)
        loop = kernels_of_both_passes<jit::backward_loop_kernel<T>>(p, vectors, jit::prefetch_to::l1);
    if (planned == nullptr ? may_go_in_one_kernel(p) : planned->row_by_row)
        row = kernels_of_both_passes<jit::backward_row_kernel<T>>(p, vectors, ahead);
}

template struct backward_kernels<float>;
template struct backward_kernels<double>;

} // namespace jitnorm::impl::layer_norm
