// SPDX-License-Identifier: Apache-2.0
#include "forward.hpp"

#include <algorithm>

#include "../math/post_ops.hpp"
#include "../norm/row_groups.hpp"
#include "make_plan.hpp"

namespace jitnorm::impl::layer_norm {

// ---- kernels: which a problem takes by its plan, and their configurations

namespace {

// ---- post-ops: the configuration of each in a kernel, and its two numbers

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

// ---- kernels

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

jit::forward_conf conf_of(const problem &p, const plan &planned, const jit::vector_kind &kind, jit::pass_order order,
                          bool non_temporal) {
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
        return jit::forward_kernel<T>(conf_of(p, planned, kind, order, non_temporal));
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

// ---- the statistics of rows

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

template struct forward_kernels<float>;
template struct forward_kernels<double>;
template class forward<float>;
template class forward<double>;

} // namespace jitnorm::impl::layer_norm
