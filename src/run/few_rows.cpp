// SPDX-License-Identifier: Apache-2.0
#include "few_rows.hpp"

#include <new>

#include "../base/bytes.hpp"
#include "../math/statistics_io.hpp"
#include "../tensor/row_space.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// The arguments of a call, undefined until they are set: a kernel for one row reads few of them, and storing defaults
// to all others made a row of 16 elements take 38 ns in place of 30.
class unset_arguments {
public:
    jit::forward_row_arguments &operator*() {
        return *std::launder(reinterpret_cast<jit::forward_row_arguments *>(bytes_));
    }

private:
    alignas(jit::forward_row_arguments) std::byte bytes_[sizeof(jit::forward_row_arguments)];
};

} // namespace

bool few_rows::take(const problem &p, const row_tensors &tensors) {
    const auto is_even = [&](const memory_desc *md) {
        return md == nullptr || row_space({&md, 1}, tensors.row_ndims).run_length() == p.rows();
    };
    const std::span data(tensors.data.data(), size_t(tensors.count));
    return p.rows() <= MOST && is_even(tensors.statistics) &&
           std::ranges::all_of(data, [&](const row_tensor &tensor) { return is_even(tensor.md); });
}

few_rows::few_rows(const problem &p, const plan &planned, const std::shared_ptr<const kernels> &made)
    : problem_(p), plan_(planned), forward_(problem_, plan_, made), kernel_(*made->row),
      quantizes_(p.attr.src_scale || p.attr.dst_scale || p.writes(PRE_QUANTIZATION)),
      writes_statistics_(p.writes(MEAN) || p.writes(VARIANCE)), rows_(p.rows()), sum_size_(element_size(p[SUM])) {
    for (size_t s = 0; s < offset_.size(); ++s)
        if (const memory_desc *md = p.descriptor(slot(s))) offset_[s] = md->offset0 * element_size(*md);
    if (rows_ == 1) return;
    for (const slot s : {SRC, RESIDUAL, SUM, DST, PRE_QUANTIZATION, MEAN, VARIANCE})
        if (const memory_desc *md = p.descriptor(s))
            step_[s] = row_space({&md, 1}, p.row_ndims()).stride(0) * element_size(*md);
}

// The arguments that rows have in common are set once, since a kernel does not change them.
jitnorm_status_t few_rows::execute(const arguments &args) const {
    jit::forward_row_numbers numbers;
    unset_arguments unset;
    jit::forward_row_arguments &call = *unset;
    call.reduced.count = call.written.count = forward_.C_;
    call.written.scale = args[SCALE];
    call.written.shift = args[SHIFT];
    call.written.prefetch = 0;
    if (quantizes_) take_scales(args, call.written);
    call.inverse_count = forward_.inv_C_;
    call.epsilon = forward_.epsilon_;
    call.numbers = &numbers;
    for (dim_t row = 0; row < rows_; ++row) {
        call.reduced.src = call.written.src = forward_.addition_.exists ? row_of_sums(args, row) : at(args, SRC, row);
        call.written.dst = at(args, DST, row);
        if (quantizes_) call.written.pre_quantization = at(args, PRE_QUANTIZATION, row);
        if (forward_.addition_.exists) add_residual(args, row, call);
        numbers.are_given = false;
        if (forward_.C_ > CHUNK) {
            forward_.set_numbers(reduce_chunks(args, row, call), numbers);
            kernel_(call);
        } else {
            kernel_(call);
            if (!numbers.are_found) forward_.refine_row(call);
        }
        if (writes_statistics_) write_statistics(args, row, numbers);
    }
    return jitnorm_success;
}

std::byte *few_rows::row_of_sums(const arguments &args, dim_t row) const {
    return forward_.addition_.has_tile ? plan_.scratchpad.get(scratch::sum_rows, args[SCRATCHPAD]) : at(args, SUM, row);
}

void few_rows::take_scales(const arguments &args, jit::normalize_arguments<float> &call) const {
    if (args[SRC_SCALE] != nullptr) call.src_scale = load<float>(args[SRC_SCALE]);
    if (args[DST_SCALE] != nullptr) call.inverse_dst_scale = 1.0F / load<float>(args[DST_SCALE]);
}

void few_rows::add_residual(const arguments &args, dim_t row, jit::forward_row_arguments &call) const {
    call.added.src = at(args, SRC, row);
    call.added.residual = at(args, RESIDUAL, row);
    call.added.bias = args[BIAS];
    call.added.gate = at(args, GATE);
    call.added.sum = at(args, SUM, row);
    call.added.row = const_cast<void *>(call.reduced.src);
    call.added.rows = 1;
    call.added.count = forward_.C_;
}

moments<float> few_rows::reduce_chunks(const arguments &args, dim_t row, const jit::forward_row_arguments &call) const {
    const residual_addition<float> &addition = forward_.addition_;
    moments<float> all;
    if (!addition.exists || !forward_.kernels_->reducing_addition) {
        if (addition.exists) {
            const auto &add = *forward_.kernels_->addition;
            (addition.has_tile ? add.add_and_write : add.add)(call.added);
        }
        forward_.add_chunks(static_cast<const std::byte *>(call.reduced.src), {0, forward_.C_}, all);
        return all;
    }
    residual_sums<float> sums(addition, args, 0);
    sums.begin_panel({0, forward_.C_});
    float p = 0, s, q;
    for (dim_t begin = 0; begin < forward_.C_; begin += CHUNK) {
        const range chunk = {begin, std::min(begin + CHUNK, forward_.C_)};
        panel here;
        here.src.first = behind(at(args, SRC, row), begin * addition.src_size);
        here.second.first = behind(at(args, RESIDUAL, row), begin * addition.residual_size);
        here.sum.first = behind(at(args, SUM, row), begin * sum_size_);
        const strip added = sums.add_and_reduce_chunk(here, chunk, 1, {&p, &s, &q});
        const auto more = forward_.refine_chunk(added.first, chunk.end - chunk.begin, p, {s, q});
        all = begin == 0 ? more : merge(all, more);
    }
    return all;
}

void few_rows::write_statistics(const arguments &args, dim_t row, const jit::forward_row_numbers &found) const {
    const float variance = forward_.form_ == statistics_form::variance ? float(found.variance) : found.rstd;
    const auto write = [&](float value, slot s) {
        std::byte *const to = static_cast<std::byte *>(args.at(s)) + offset_[size_t(s)] + row * step_[size_t(s)];
        if (forward_.statistics_type_ == jitnorm_f32) return store(value, to); // nearly always
        layer_norm::write_statistics(&value, 1, to, forward_.statistics_type_, 1);
    };
    if (forward_.writes_mean_) write(found.hi, MEAN);
    if (forward_.writes_variance_) write(variance, VARIANCE);
}

} // namespace jitnorm::impl::layer_norm
