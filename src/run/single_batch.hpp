// SPDX-License-Identifier: Apache-2.0
// single_batch: the executor of forward where one batch is the whole problem and its rows are dense and evenly spaced
// in each tensor, as in each step of a language model. An execution does little more than to fill in the arguments of
// the kernel that does bands of rows, or one row: there are no threads, cursors or panels.
#pragma once

#include <array>
#include <memory>

#include "../base/bytes.hpp"
#include "../tensor/tensor_axis.hpp"
#include "forward.hpp"

namespace jitnorm::impl::layer_norm {

class single_batch final : public executor {
public:
    using kernels = forward_kernels<float>;

    // The problem and the plan must be for it (takes_single_batch()).
    single_batch(const problem &p, const plan &planned, const std::shared_ptr<const kernels> &made)
        : problem_(p), plan_(planned), forward_(problem_, plan_, made),
          kernel_(p.rows() == 1 ? *made->one_row : made->bands->ordinary),
          has_attributes_(p.attr.src_scale || p.attr.dst_scale || p.writes(PRE_QUANTIZATION)),
          has_post_ops_or_dynamic_scales_(!p.attr.post_ops.entries.empty() || p.has_dynamic_scales()),
          writes_statistics_(p.writes(MEAN) || p.writes(VARIANCE)),
          is_plain_(p.rows() == 1 && p.row_length() <= CHUNK && !has_attributes_ && !has_post_ops_or_dynamic_scales_ &&
                    !writes_statistics_),
          rows_(p.rows()) {
        for (size_t s = 0; s < offset_.size(); ++s)
            if (const memory_desc *md = p.descriptor(slot(s))) offset_[s] = md->offset0 * element_size(*md);
        if (rows_ == 1) return;
        for (const slot s : {SRC, RESIDUAL, SUM, DST, PRE_QUANTIZATION, SCALE, SHIFT, MEAN, VARIANCE})
            if (const memory_desc *md = p.descriptor(s)) {
                step_[s] = tensor_axis(*md, 0, p.row_ndims()).step();
                if (s == MEAN || s == VARIANCE) statistics_stride_ = step_[s] / element_size(*md);
            }
    }

    // Most members of the arguments stay unset: a kernel reads few of them, and storing zeros to all others made a row
    // of 16 elements take 38 ns in place of 30.
    jitnorm_status_t execute(const arguments &args) const override {
        forward_batch<float> call;
        call.rows = rows_;
        call.count = call.chunk = forward_.C_;
        call.dst.first = at_given(args, DST);
        call.scale.first = at(args, SCALE);
        call.shift.first = at(args, SHIFT);
        forward_.adds_ ? set_terms(args, call) : void(call.x.first = at_given(args, SRC));
        forward_.set_scalar_steps(call);
        is_plain_ ? kernel_(call) : execute_others(args, call);
        return jitnorm_success;
    }

private:
    std::byte *at(const arguments &args, slot s) const {
        return static_cast<std::byte *>(args[s]) + offset_[size_t(s)];
    }

    // The same for a tensor that each execution has.
    std::byte *at_given(const arguments &args, slot s) const {
        return static_cast<std::byte *>(args.given(s)) + offset_[size_t(s)];
    }

    [[gnu::always_inline]] void set_terms(const arguments &args, jit::forward_arguments<float> &call) const {
        const bool has_tile = forward_.sum_pitch_ != 0;
        call.src.first = at_given(args, SRC);
        call.residual.first = at_given(args, RESIDUAL);
        call.sum.first = at(args, SUM);
        call.sum_bias = args[BIAS];
        call.gate = at(args, GATE);
        call.x.first = has_tile ? plan_.scratchpad.get(scratch::sum_rows, args[SCRATCHPAD]) : call.sum.first;
    }

    // Several rows or chunks, attributes, post-ops, dynamic scales, or statistics as outputs.
    [[gnu::noinline]] void execute_others(const arguments &args, forward_batch<float> &call) const {
        if (has_attributes_) {
            call.pre_quantization = {at(args, PRE_QUANTIZATION), step_[PRE_QUANTIZATION]};
            if (args[SRC_SCALE] != nullptr) call.src_scale = load<float>(args[SRC_SCALE]);
            if (args[DST_SCALE] != nullptr) call.inverse_dst_scale = 1.0F / load<float>(args[DST_SCALE]);
        }
        if (rows_ > 1) go_from_row_to_row(call);
        moments<float> rows[MAX_BATCH_ROWS];
        if (forward_.C_ > CHUNK) forward_.begin_chunks(call, rows);
        has_post_ops_or_dynamic_scales_ ? do_with_post_ops(args, call) : kernel_(call);
        if (writes_statistics_) write_statistics(args, call);
    }

    // Strides mean nothing to a kernel for one row.
    void go_from_row_to_row(jit::forward_arguments<float> &call) const {
        call.band_rows = plan_.band_rows;
        call.x.stride = forward_.sum_pitch_ != 0 ? forward_.sum_pitch_ : step_[forward_.adds_ ? SUM : SRC];
        call.dst.stride = step_[DST];
        call.scale.stride = step_[SCALE];
        call.shift.stride = step_[SHIFT];
        call.src.stride = step_[SRC];
        call.residual.stride = step_[RESIDUAL];
        call.sum.stride = step_[SUM];
    }

    // With post-ops, or dynamic scales. A function of its own, because the table takes much of the stack.
    [[gnu::noinline]] void do_with_post_ops(const arguments &args, jit::forward_arguments<float> &call) const {
        post_op_operands<float>::table operands;
        if (!problem_.attr.post_ops.entries.empty())
            forward_.operands_.locate(args, {0, rows_, 0, forward_.C_},
                                      plan_.scratchpad.get(scratch::operands, args[SCRATCHPAD]), operands);
        call.operands = operands.pointers;
        call.parameters = forward_.kernels_->post_op_parameters.data();
        call.values = plan_.scratchpad.get(scratch::values, args[SCRATCHPAD]);
        kernel_(call);
        if (!forward_.quantizer_) return;
        if (rows_ == 1) return store(call.dst_scales[0], at(args, DST_SCALE));
        forward_.quantizer_->store_scales(0, rows_, {0, 1}, call.dst_scales, args[DST_SCALE]);
    }

    void write_statistics(const arguments &args, const forward_batch<float> &b) const {
        if (rows_ > 1 || forward_.statistics_type_ != jitnorm_f32) {
            statistics_rows to = {.stride = statistics_stride_};
            for (const slot s : {MEAN, VARIANCE})
                if (args[s] != nullptr) to[s] = at(args, s);
            return forward_.write_statistics(b, to);
        }
        if (forward_.writes_mean_) store(b.hi[0], at(args, MEAN));
        if (forward_.writes_variance_)
            store(forward_.form_ == statistics_form::variance ? float(b.variance[0]) : b.rstd[0], at(args, VARIANCE));
    }

    const problem problem_;
    const plan plan_;
    const forward<float> forward_;
    const jit::forward_kernel<float> &kernel_; // belongs to forward_
    const bool has_attributes_, has_post_ops_or_dynamic_scales_, writes_statistics_;
    const bool is_plain_; // one row of at most one chunk, and none of these
    const dim_t rows_;
    dim_t statistics_stride_ = 1;                  // elements
    std::array<dim_t, FIRST_POST_OP> offset_ = {}; // of each tensor's first element, in bytes
    std::array<dim_t, FIRST_POST_OP> step_ = {};   // from row to row of each tensor that has rows, in bytes
};

} // namespace jitnorm::impl::layer_norm
