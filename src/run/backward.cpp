// SPDX-License-Identifier: Apache-2.0
#include "backward.hpp"

#include "../norm/row_groups.hpp"
#include "make_plan.hpp"

namespace jitnorm::impl::layer_norm {

// ---- kernels

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

// ---- the end of an execution

template <typename T>
backward<T>::backward(const problem &p, const plan &planned, std::shared_ptr<const kernels> made)
    : problem_(p), plan_(planned), kernels_(std::move(made)), layout_(p, kernels_->weights.has_value()),
      gradients_(p, layout_, kernels_->weights), rms_(p.is_rms()), wants_row_sums_(wants_row_sums(p)),
      own_rows_(has_own_rows(p)), gradients_of_rows_(!kernels_->weights),
      scale_size_(dim_t(size_of(p.scale_shift_type))), gradient_size_(dim_t(size_of(p.diff_scale_shift_type))),
      inv_C_(1.0 / double(p.row_length())) {}

template <typename T>
void backward<T>::end(const arguments &args, const schedule &now) const {
    if (now.through_rows == way::chunks || layout_.gradients() == 0) return;
    auto *const sums = plan_.scratchpad.get<double>(scratch::gradient_sums, args[SCRATCHPAD]);
    const auto *const kept = plan_.scratchpad.get<T>(scratch::kept_blocks, args[SCRATCHPAD]);
    if (is_interleaved() && !layout_.keeps_blocks())
        parallel_parts(now.threads, [&](int share) {
            const range mine = split(layout_.cut().parts(), now.threads, share);
            for (dim_t part = mine.begin; part < mine.end; ++part) {
                const range blocks = layout_.cut().part(part);
                gradients_.add(nullptr, kept + blocks.begin * layout_.width(), sums + part * layout_.width(),
                               layout_.width(), blocks.end - blocks.begin);
            }
        });
    gradients_.finish_parts(args, sums, kept, now.threads);
}

// ---- the numbers of a batch

template <typename T>
void backward<T>::read_statistics(const statistics_rows &from, batch &b) const {
    const auto load = [&](slot s, auto *to) {
        load_statistics(from[s], problem_[s].data_type, from.stride, b.rows, to);
    };
    rms_ ? void(std::fill_n(b.mean, b.rows, T(0))) : load(MEAN, b.mean);
    if (problem_.form == statistics_form::variance) {
        load(VARIANCE, b.variance);
        find_rstd(b.variance, b.rows, problem_.epsilon, b.rstd);
    } else {
        load(VARIANCE, b.rstd);
    }
    b.find_factors(rms_);
}

template struct backward_kernels<float>;
template struct backward_kernels<double>;
template class backward<float>;
template class backward<double>;

} // namespace jitnorm::impl::layer_norm
