// SPDX-License-Identifier: Apache-2.0
#include "primitive_target.hpp"

#include <algorithm>

#include "norm/tensors.hpp"

namespace jitnorm::fuzz {

using namespace impl::layer_norm; // the table of tensors

namespace {

using benchdnn_lite::post_op;

class checked_primitive {
public:
    checked_primitive(const primitive_choice &what, const_jitnorm_primitive_desc_t pd,
                      const std::map<int, dense_tensor> &inputs, const std::map<int, dense_tensor> &outputs)
        : what_(what), inputs_(inputs), outputs_(outputs), dims_(inputs.at(JITNORM_ARG_SRC).where.dims),
          attr_(tests::queried(jitnorm_primitive_desc_get_attr, pd)),
          post_ops_(tests::queried(jitnorm_primitive_attr_get_post_ops, attr_)) {
        describe();
    }

    void check() {
        if (has_silu_) return; // only the reference checks what is normalized then
        if (has(JITNORM_ARG_DST_1)) near("sum", JITNORM_ARG_DST_1, exactly(sum_));
        if (has(JITNORM_ARG_DIFF_SRC_1)) check_gate();
        std::optional<answers> exact = are_ordinary(operands()) ? conditioned_answers(n_) : std::nullopt;
        if (!exact) return;
        if (!flag(jitnorm_rms_norm)) near("mean", JITNORM_ARG_MEAN, exact->mean);
        near("variance", JITNORM_ARG_VARIANCE, exact->variance);
        near("diff_src", JITNORM_ARG_DIFF_SRC, exact->diff_src);
        near("diff_scale", JITNORM_ARG_DIFF_SCALE, exact->diff_scale);
        near("diff_shift", JITNORM_ARG_DIFF_SHIFT, exact->diff_shift);
        if (what_.is_forward()) check_dst(std::move(exact->dst));
        count(what_.is_forward() ? "checked forward" : "checked backward");
        if (inputs_.contains(JITNORM_ARG_SRC_1) || !n_.diff_sum.empty()) count("checked residuals");
        if (what_.is_forward() && inputs_.contains(JITNORM_ARG_SRC_2)) count("checked gates");
        if (n_.groups() > 1 || n_.scale.size() > n_.columns) count("checked modulations");
    }

private:
    bool flag(unsigned one) const { return (what_.flags & one) != 0; }
    bool has(int index) const { return outputs_.contains(index); }
    numbers input(int index) const { return inputs_.contains(index) ? inputs_.at(index).values : numbers{}; }
    // A vector, or the values for each element of src where the tensor has row dimensions.
    numbers parameter(int index) const {
        return inputs_.contains(index) && inputs_.at(index).where.dims.size() > 1
                   ? broadcast(input(index), inputs_.at(index).where.dims, dims_)
                   : input(index);
    }
    // For each row of src the number of its row in a gradient; empty if that is a vector or not there.
    std::vector<size_t> groups_in(int index) const {
        if (!has(index) || outputs_.at(index).where.dims.size() == 1) return {};
        std::vector<int64_t> own = outputs_.at(index).where.dims, to = dims_;
        own.back() = to.back() = 1;
        numbers numbered;
        for (size_t i = 0; i < outputs_.at(index).values.size() / n_.columns; ++i) numbered.push_back(double(i));
        const numbers of_rows = broadcast(numbered, own, to);
        return {of_rows.begin(), of_rows.end()};
    }

    void near(const char *name, int index, const expectations &expected) const {
        if (!has(index)) return;
        const dense_tensor &got = outputs_.at(index);
        require_near(name, expected, got.where.type, got.values, n_.unit());
    }

    // All tensors of rows decide whether doubles are computed, except those of the gate in backward (check_gate).
    bool is_in_double() const {
        const auto is_double = [](const std::map<int, dense_tensor> &all, int index) {
            return all.contains(index) && all.at(index).where.type == jitnorm_f64;
        };
        return std::ranges::any_of(TENSORS, [&](const tensor_kind &t) {
            const bool is_of_gate = !what_.is_forward() && t.descriptor == RESIDUAL;
            return t.dims == extent::rows && !is_of_gate && (is_double(inputs_, t.arg) || is_double(outputs_, t.arg));
        });
    }

    void describe() {
        n_.columns = size_t(dims_.back());
        n_.src = input(JITNORM_ARG_SRC);
        n_.rows = n_.src.size() / n_.columns;
        n_.in_double = is_in_double();
        n_.flags = what_.flags;
        n_.epsilon = what_.epsilon;
        if (flag(jitnorm_use_scale)) n_.scale = parameter(JITNORM_ARG_SCALE);
        if (what_.is_forward() && flag(jitnorm_use_shift)) n_.shift = parameter(JITNORM_ARG_SHIFT);
        n_.group = groups_in(has(JITNORM_ARG_DIFF_SCALE) ? JITNORM_ARG_DIFF_SCALE : JITNORM_ARG_DIFF_SHIFT);
        n_.mean = input(JITNORM_ARG_MEAN);
        n_.variance = input(JITNORM_ARG_VARIANCE);
        n_.diff_dst = input(JITNORM_ARG_DIFF_DST);
        n_.diff_sum = input(JITNORM_ARG_DIFF_DST_1);
        if (what_.is_forward() && inputs_.contains(JITNORM_ARG_SRC_1)) add_residual();
        require(what_.is_forward() || (residual_flags() & jitnorm_residual_mul_silu) == 0,
                "backward refuses a residual that is multiplied, whose gradients no output has");
        describe_attributes();
        describe_rounding();
    }

    // The steps after the normalization.
    void describe_attributes() {
        const auto scale = [&](int index) {
            const numbers one = input(JITNORM_ARG_ATTR_SCALES | index);
            return one.empty() ? std::nullopt : std::optional(float(one[0]));
        };
        attributes_.scales = {scale(JITNORM_ARG_SRC), scale(JITNORM_ARG_DST), {}};
        for (int i = 0; i < jitnorm_post_ops_len(post_ops_); ++i) attributes_.post_ops.push_back(post_op_at(i));
    }

    post_op post_op_at(int index) const {
        jitnorm_alg_kind_t algorithm = {};
        float alpha = 0, beta = 0;
        int32_t zero_point = 0;
        jitnorm_data_type_t type = {};
        const_jitnorm_memory_desc_t src1 = nullptr;
        if (jitnorm_post_ops_get_params_eltwise(post_ops_, index, &algorithm, &alpha, &beta) == jitnorm_success)
            return benchdnn_lite::eltwise_post_op{algorithm, alpha, beta};
        if (jitnorm_post_ops_get_params_sum(post_ops_, index, &alpha, &zero_point, &type) == jitnorm_success)
            return benchdnn_lite::sum_post_op{alpha, zero_point, type};
        jitnorm_post_ops_get_params_binary(post_ops_, index, &algorithm, &src1);
        return benchdnn_lite::binary_post_op{algorithm, src1_of(index).where.type, 0, {}, {}};
    }
    const dense_tensor &src1_of(int index) const {
        return inputs_.at(JITNORM_ARG_ATTR_MULTIPLE_POST_OP(index) | JITNORM_ARG_SRC_1);
    }

    // A product with silu is rounded as src is.
    void describe_rounding() {
        const auto type_of = [&](int index) {
            return inputs_.contains(index) ? inputs_.at(index).where.type : jitnorm_data_type_undef;
        };
        const bool is_sum = has(JITNORM_ARG_DST_1) && !has_silu_;
        n_.rounded = benchdnn_lite::rounded_types_of(what_.flags, is_sum ? type_of_sum() : type_of(JITNORM_ARG_SRC),
                                                     type_of(n_.scale.empty() ? JITNORM_ARG_SHIFT : JITNORM_ARG_SCALE));
        if (n_.rounded.normalized != jitnorm_data_type_undef) count("checked rounded values");
    }

    unsigned residual_flags() const {
        unsigned flags = 0;
        require(jitnorm_primitive_attr_get_residual(attr_, nullptr, nullptr, nullptr, &flags) == jitnorm_success,
                "attributes tell their residual");
        return flags;
    }

    void add_residual() {
        const unsigned flags = residual_flags();
        has_silu_ = (flags & jitnorm_residual_mul_silu) != 0;
        const numbers bias = input(JITNORM_ARG_BIAS);
        const numbers gate = parameter(JITNORM_ARG_SRC_2);
        for (size_t i = 0; i < gate.size(); ++i) n_.src[i] *= gate[i];
        if (!gate.empty()) n_.src = rounded(n_.src, n_.in_double ? jitnorm_f64 : jitnorm_f32);
        sum_ = sum_of(n_.src, input(JITNORM_ARG_SRC_1), bias.empty() ? bias : broadcast(bias, {dims_.back()}, dims_),
                      n_.in_double);
        n_.src = sum_;
        if ((flags & jitnorm_residual_normalize_rounded) != 0)
            n_.src = rounded(rounded(sum_, is_rounded_to_float() ? jitnorm_f32 : jitnorm_f64), type_of_sum());
    }

    // Computes the gradients of the gate and of what it multiplies from diff_src as it is stored, by the formulas of
    // backward for rows of mean 0 and deviation 1.
    void check_gate() const {
        const dense_tensor &gradient = outputs_.at(JITNORM_ARG_DIFF_SRC), &gated = inputs_.at(JITNORM_ARG_SRC_1);
        oracle_problem product;
        product.rows = n_.rows;
        product.columns = n_.columns;
        product.in_double = gradient.where.type == jitnorm_f64 || gated.where.type == jitnorm_f64 ||
                            inputs_.at(JITNORM_ARG_SRC_2).where.type == jitnorm_f64;
        product.flags = jitnorm_rms_norm | jitnorm_use_global_stats;
        product.src = gated.values;
        product.diff_dst = gradient.values;
        product.scale = parameter(JITNORM_ARG_SRC_2);
        product.group = groups_in(JITNORM_ARG_DIFF_SRC_2);
        product.variance.assign(n_.rows, 1);
        const std::optional<answers> exact = conditioned_answers(product);
        if (!exact) return;
        const auto near_product = [&](const char *name, int index, const expectations &expected) {
            if (!has(index)) return;
            require_near(name, expected, outputs_.at(index).where.type, outputs_.at(index).values, product.unit());
        };
        near_product("diff_src_1", JITNORM_ARG_DIFF_SRC_1, exact->diff_src);
        near_product("diff_src_2", JITNORM_ARG_DIFF_SRC_2, exact->diff_scale);
        count("checked gradients of gates");
    }
    // A double becomes a narrower floating-point number through float, and an integer by itself.
    bool is_rounded_to_float() const {
        return n_.in_double && type_of_sum() != jitnorm_f64 && !benchdnn_lite::is_integer(type_of_sum());
    }
    jitnorm_data_type_t type_of_sum() const { return outputs_.at(JITNORM_ARG_DST_1).where.type; }

    // The other inputs of what follows the normalization.
    numbers operands() const {
        numbers all;
        for (const auto &[index, tensor] : inputs_)
            if (index >= JITNORM_ARG_ATTR_SCALES || index == JITNORM_ARG_DST)
                all.insert(all.end(), tensor.values.begin(), tensor.values.end());
        for (const post_op &op : attributes_.post_ops)
            if (const auto *eltwise = std::get_if<benchdnn_lite::eltwise_post_op>(&op))
                all.insert(all.end(), {eltwise->alpha, eltwise->beta});
        return all;
    }

    void check_dst(expectations dst) {
        apply_attributes(
            dst, attributes_, n_.unit(), [&](size_t index) { return operand_of(index); },
            [&](int further_output) {
                if (!has(further_output)) return;
                near(std::ranges::find(TENSORS, further_output, &tensor_kind::arg)->name, further_output, dst);
                count("checked further outputs");
            });
        const int scales = JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST;
        if (has(scales)) {
            const dense_tensor &found = outputs_.at(scales);
            require_scales("scales", dst, n_.columns / size_t(found.where.dims.back()), type_of_dst(), found.values);
            count("checked dynamic scales");
        }
        near("dst", JITNORM_ARG_DST, dst);
    }
    jitnorm_data_type_t type_of_dst() const { return outputs_.at(JITNORM_ARG_DST).where.type; }

    numbers operand_of(size_t index) const {
        const post_op &op = attributes_.post_ops[index];
        if (const auto *sum = std::get_if<benchdnn_lite::sum_post_op>(&op)) {
            const dense_tensor &old = inputs_.at(JITNORM_ARG_DST);
            layout where = old.where;
            if (sum->type != jitnorm_data_type_undef) where.type = sum->type;
            return read(where, old.data);
        }
        if (!std::holds_alternative<benchdnn_lite::binary_post_op>(op)) return {};
        const dense_tensor &other = src1_of(int(index));
        return broadcast(other.values, other.where.dims, dims_);
    }

    const primitive_choice &what_;
    const std::map<int, dense_tensor> &inputs_, &outputs_;
    const std::vector<int64_t> dims_;
    const const_jitnorm_primitive_attr_t attr_;
    const const_jitnorm_post_ops_t post_ops_;
    oracle_problem n_;
    benchdnn_lite::attributes attributes_; // scales of src and dst, post-ops
    numbers sum_;
    bool has_silu_ = false; // the residual gates src
};

} // namespace

void check_primitive(const primitive_choice &what, const_jitnorm_primitive_desc_t pd,
                     const std::map<int, dense_tensor> &inputs, const std::map<int, dense_tensor> &outputs) {
    if (!inputs.at(JITNORM_ARG_SRC).values.empty()) checked_primitive(what, pd, inputs, outputs).check();
}

} // namespace jitnorm::fuzz
