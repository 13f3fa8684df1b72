// SPDX-License-Identifier: Apache-2.0
#include "problem_kernels.hpp"

#include <algorithm>

#include "../math/post_ops.hpp"
#include "../math/row_blocks.hpp"
#include "../norm/row_groups.hpp"
#include "make_plan.hpp"
#include "post_op_operands.hpp"
#include "rows.hpp"

namespace jitnorm::impl::layer_norm {

// ---- forward

namespace {

// The configuration of each post-op in a kernel, and its two numbers.
struct post_op_lists {
    std::vector<jit::post_op_conf> confs;
    std::vector<float> parameters;

    explicit post_op_lists(const problem &p) {
        using kind = jit::post_op_conf::kind;
        for (const post_op &entry : p.attr.post_ops.entries) {
            if (const auto *sum = std::get_if<sum_post_op>(&entry)) {
                const bool has_type = sum->data_type != jitnorm_data_type_undef;
                append({kind::sum, jitnorm_alg_kind_undef, false, has_type ? sum->data_type : p[DST].data_type},
                       sum->scale, float(sum->zero_point));
            } else if (const auto *eltwise = std::get_if<eltwise_post_op>(&entry)) {
                append({kind::eltwise, eltwise->alg, math::is_leaky(eltwise->alpha), jitnorm_data_type_undef},
                       eltwise->alpha, eltwise->beta);
            } else {
                const auto &binary = std::get<binary_post_op>(entry);
                append({kind::binary, binary.alg, false, type_for_kernel(binary, p)}, 0, 0);
            }
        }
    }

private:
    void append(const jit::post_op_conf &conf, float first, float second) {
        confs.push_back(conf);
        parameters.insert(parameters.end(), {first, second});
    }
};

// To which caches the passes of forward prefetch the rows that they read.
struct prefetches {
    jit::prefetch_to added, reduced, written;
};
// With a residual, the other passes read sums, which are in the caches. Rows whose results go past the caches come from
// memory, also where run-time sizes are not known yet. Bands prefetch rows while others are reduced, to L2 only if
// these are evenly spaced, and to L1 while others are written one by one (not in pairs). Rows of several chunks are
// prefetched as in steps.
prefetches prefetches_of(const problem &p, const plan &planned, bool in_bands, bool non_temporal) {
    using enum jit::prefetch_to;
    jit::prefetch_to ahead = prefetch_of(planned);
    if (non_temporal) ahead = std::max(ahead, l1);
    if (p.reads(RESIDUAL)) return {ahead, nowhere, nowhere};
    if (!in_bands || p.row_length() > CHUNK) return {nowhere, ahead, ahead};
    const bool not_to_l2 = ahead == l2 && !are_evenly_spaced(row_tensors_of(p));
    return {nowhere, not_to_l2 ? l1 : ahead, std::min(ahead, l1)};
}

// Whether scaled values are rounded to a type of their own. If nothing happens to them before they are converted to
// that type, they are not.
bool is_rounded_before_dst(const problem &p) {
    const jitnorm_data_type_t type = p.scaled_type();
    const bool goes_to_dst = p[DST].data_type == type && p.attr.post_ops.entries.empty() && !p.attr.src_scale &&
                             !p.attr.dst_scale && !p.writes(PRE_QUANTIZATION);
    return type != p.compute_type() && !goes_to_dst;
}

jit::normalize_conf normalize_conf_of(const problem &p, bool non_temporal, jit::prefetch_to ahead) {
    const jitnorm_data_type_t normalized = p.normalized_type(), none = jitnorm_data_type_undef;
    const bool has_groups = p.has_dynamic_scales() && scales_per_row(p) > 1;
    return {.src = p.row_type(),
            .dst = p[DST].data_type,
            .scale_shift = p.scale_shift_type,
            .scale = p.reads(SCALE),
            .shift = p.uses_shift(),
            .src_scale = p.attr.src_scale,
            .dst_scale = p.attr.dst_scale,
            .non_temporal = non_temporal,
            .post_ops = post_op_lists(p).confs,
            .pre_quantization = p.writes(PRE_QUANTIZATION) ? p[PRE_QUANTIZATION].data_type : none,
            .affine_flags = p.affine_flags(),
            .centered = !p.is_rms(),
            .normalized = normalized != p.compute_type() ? normalized : none,
            .scaled = is_rounded_before_dst(p) ? p.scaled_type() : none,
            .quantizes = p.has_dynamic_scales(),
            .groups = has_groups,
            .own_rows = has_groups || has_own_rows(p),
            .ahead = ahead};
}

jit::reduction_conf first_reduction_conf_of(const problem &p, const jit::vector_kind &kind, jit::prefetch_to ahead) {
    return {.src = p.row_type(),
            .centered = !p.is_rms(),
            .short_rows = !kind.is_f64() && jit::are_short_rows(p.row_length(), kind),
            .ahead = ahead};
}

// `sum`: the type of the output for the sum, which is written besides the rows; undef: it is not written.
jit::addition_conf addition_conf_of(const problem &p, jitnorm_data_type_t sum, bool reduces, jit::prefetch_to ahead) {
    return {.src = p[SRC].data_type,
            .residual = p[RESIDUAL].data_type,
            .bias = p.attr.bias_type,
            .gate = p[GATE].data_type,
            .sum = sum,
            .row = p.row_type(),
            .reduces = reduces,
            .centered = reduces && !p.is_rms(),
            .silu = p.attr.multiplies_silu,
            .ahead = ahead};
}
jitnorm_data_type_t sum_type_of(const problem &p) { return p.writes(SUM) ? p[SUM].data_type : jitnorm_data_type_undef; }

// Whether sums with a residual may be reduced as they are added. Not products with silu, which needs the registers.
bool may_reduce_sums(const problem &p) { return p.row_type() == p.compute_type() && !p.attr.multiplies_silu; }

// Of the kernel for bands, or for one row.
jit::forward_conf bands_conf_of(const problem &p, const plan &planned, const jit::vector_kind &kind,
                                jit::pass_order order, bool non_temporal) {
    const prefetches to = prefetches_of(p, planned, true, non_temporal);
    jit::forward_conf conf = {.kind = kind, .written = normalize_conf_of(p, non_temporal, to.written), .order = order};
    const auto besides = normalizes_the_sum(p) ? jitnorm_data_type_undef : sum_type_of(p);
    if (p.reads(RESIDUAL)) conf.added = addition_conf_of(p, besides, may_reduce_sums(p), to.added);
    if (conf.added && conf.added->reduces) return conf;
    conf.reduced = first_reduction_conf_of(p, kind, to.reduced);
    return conf;
}

} // namespace

template <typename T>
forward_kernels<T>::forward_kernels(const problem &p, const plan &planned, const jit::vector_kind &kind) {
    const post_op_lists lists(p);
    post_ops = lists.confs;
    post_op_parameters.assign(lists.parameters.begin(), lists.parameters.end());
    const jit::reduction_conf repeated = {.src = p.row_type(), .centered = !p.is_rms(), .repeated = true};
    if (p.finds_statistics()) repeat.emplace(jit::forward_conf{.kind = kind, .reduced = repeated});
    if (planned.band_rows > 0 && may_go_in_bands(p)) make_bands(p, planned, kind);
    if (!planned.goes_by_bands_only()) make_steps(p, planned, kind);
}

template <typename T>
void forward_kernels<T>::make_bands(const problem &p, const plan &planned, const jit::vector_kind &kind) {
    const auto kernel = [&](jit::pass_order order, bool non_temporal) {
        return jit::forward_kernel<T>(bands_conf_of(p, planned, kind, order, non_temporal));
    };
    const bool is_one_row = p.rows() == 1 && takes_single_batch(p, planned);
    if (p.has_runtime_sizes() || is_one_row) one_row.emplace(kernel(jit::pass_order::one_row, false));
    if (!is_one_row)
        bands = jit::both_stores(planned.non_temporal_threads > 0,
                                 [&](bool non_temporal) { return kernel(jit::pass_order::by_bands, non_temporal); });
}

template <typename T>
void forward_kernels<T>::make_steps(const problem &p, const plan &planned, const jit::vector_kind &kind) {
    const prefetches to = prefetches_of(p, planned, false, false);
    if (p.reads(RESIDUAL)) {
        const auto kernel = [&](jitnorm_data_type_t sum) {
            return jit::forward_kernel<T>({.kind = kind, .added = addition_conf_of(p, sum, false, to.added)});
        };
        const auto add = kernel(jitnorm_data_type_undef);
        const bool may_have_tile = p.has_runtime_sizes() || sum_pitch(p, planned) != 0;
        addition = addition_kernels{add, may_have_tile ? kernel(sum_type_of(p)) : add};
    }
    if (p.finds_statistics())
        reduce = jit::forward_kernel<T>({.kind = kind, .reduced = first_reduction_conf_of(p, kind, to.reduced)});
    if (p.writes(DST))
        normalize = jit::both_stores(planned.non_temporal_threads > 0, [&](bool non_temporal) {
            const jit::prefetch_to written = prefetches_of(p, planned, false, non_temporal).written;
            return jit::forward_kernel<T>({.kind = kind, .written = normalize_conf_of(p, non_temporal, written)});
        });
}

// ---- backward

namespace {

jit::backward_sums_conf sums_conf_of(const problem &p, jit::prefetch_to ahead) {
    const jitnorm_data_type_t normalized = p.normalized_type(), none = jitnorm_data_type_undef;
    const bool own_rows = has_own_rows(p) || writes_gradients_of_rows(p);
    return {.src = p[SRC].data_type,
            .diff_dst = p[DIFF_DST].data_type,
            .scale_type = p.scale_shift_type,
            .scale = p.reads(SCALE),
            .centered = !p.is_rms(),
            .sums = wants_row_sums(p),
            .diff_scale = p.writes(DIFF_SCALE),
            .diff_shift = p.writes(DIFF_SHIFT),
            .affine_flags = p.affine_flags(),
            .own_rows = own_rows,
            .gradient = own_rows ? p.diff_scale_shift_type : none,
            .normalized = p.writes(DIFF_SCALE) && normalized != p.compute_type() ? normalized : none,
            .ahead = ahead};
}

jit::backward_data_conf data_conf_of(const problem &p, bool non_temporal) {
    return {.src = p[SRC].data_type,
            .diff_dst = p[DIFF_DST].data_type,
            .diff_src = p[DIFF_SRC].data_type,
            .diff_sum = p.reads(DIFF_SUM) ? p[DIFF_SUM].data_type : jitnorm_data_type_undef,
            .scale_type = p.scale_shift_type,
            .scale = p.reads(SCALE),
            .centered = !p.is_rms(),
            .sums = wants_row_sums(p),
            .non_temporal = non_temporal,
            .affine_flags = p.affine_flags()};
}

std::optional<weights_kernels> make_weights_kernels(const problem &p, const jit::vector_kind &kind) {
    if (!wants_gradients(p) || writes_gradients_of_rows(p)) return {};
    const auto kernel = [&](jitnorm_data_type_t sums, jitnorm_data_type_t to) {
        return jit::backward_weights_kernel({{kind.vectors, jitnorm_f64}, sums, to});
    };
    weights_kernels made{kernel(kind.compute, jitnorm_f64), kernel(jitnorm_f64, jitnorm_f64),
                         kernel(jitnorm_f64, p.diff_scale_shift_type), std::nullopt};
    if (p.has_runtime_sizes() || (!p.is_partial() && row_blocks_of(p).blocks() == 1))
        made.finish_block.emplace(jit::backward_weights_conf{kind, kind.compute, p.diff_scale_shift_type});
    return made;
}

} // namespace

template <typename T>
backward_kernels<T>::backward_kernels(const problem &p, const plan &planned, const jit::vector_kind &kind)
    : weights(make_weights_kernels(p, kind)) {
    if (!planned.goes_by_bands_only()) make_steps(p, planned, kind);
    if (planned.band_rows == 0 || !may_go_in_bands(p)) return;
    const jit::backward_sums_conf reduced = sums_conf_of(p, prefetch_of(planned));
    bands = jit::both_stores(planned.non_temporal_threads > 0, [&](bool non_temporal) {
        return jit::backward_kernel<T>({kind, reduced, data_conf_of(p, non_temporal), jit::pass_order::by_bands});
    });
}

template <typename T>
void backward_kernels<T>::make_steps(const problem &p, const plan &planned, const jit::vector_kind &kind) {
    if (wants_row_sums(p) || wants_gradients(p))
        sums = jit::backward_kernel<T>({.kind = kind, .reduced = sums_conf_of(p, prefetch_of(planned))});
    if (p.writes(DIFF_SRC))
        data = jit::both_stores(planned.non_temporal_threads > 0, [&](bool non_temporal) {
            return jit::backward_kernel<T>({.kind = kind, .written = data_conf_of(p, non_temporal)});
        });
}

template struct forward_kernels<float>;
template struct forward_kernels<double>;
template struct backward_kernels<float>;
template struct backward_kernels<double>;

} // namespace jitnorm::impl::layer_norm
