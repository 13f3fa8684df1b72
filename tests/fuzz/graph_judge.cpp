// SPDX-License-Identifier: Apache-2.0
#include "graph_judge.hpp"

#include <algorithm>
#include <set>

namespace jitnorm::fuzz {

namespace {

using benchdnn_lite::binary_post_op;
using benchdnn_lite::eltwise_post_op;
using benchdnn_lite::post_op;

post_op step_of(const graph_link &link) {
    switch (link.kind) {
    case jitnorm_graph_op_gelu:
        return eltwise_post_op{jitnorm_eltwise_gelu_erf};
    case jitnorm_graph_op_relu:
        return eltwise_post_op{jitnorm_eltwise_relu};
    case jitnorm_graph_op_tanh:
        return eltwise_post_op{jitnorm_eltwise_tanh};
    case jitnorm_graph_op_abs:
        return eltwise_post_op{jitnorm_eltwise_abs};
    case jitnorm_graph_op_sqrt:
        return eltwise_post_op{jitnorm_eltwise_sqrt};
    case jitnorm_graph_op_sigmoid:
        return eltwise_post_op{jitnorm_eltwise_logistic};
    case jitnorm_graph_op_hard_swish:
        return eltwise_post_op{jitnorm_eltwise_hardswish, 1.0F / 6, 0.5F};
    case jitnorm_graph_op_round:
        return eltwise_post_op{jitnorm_eltwise_round};
    case jitnorm_graph_op_quantize:
        return eltwise_post_op{jitnorm_eltwise_linear, 1 / link.scale, float(link.zero_point)};
    case jitnorm_graph_op_add:
        return binary_post_op{jitnorm_binary_add, jitnorm_f32, 0, {}, {}};
    case jitnorm_graph_op_multiply:
        return binary_post_op{jitnorm_binary_mul, jitnorm_f32, 0, {}, {}};
    case jitnorm_graph_op_maximum:
        return binary_post_op{jitnorm_binary_max, jitnorm_f32, 0, {}, {}};
    case jitnorm_graph_op_minimum:
        return binary_post_op{jitnorm_binary_min, jitnorm_f32, 0, {}, {}};
    case jitnorm_graph_op_subtract:
        return binary_post_op{jitnorm_binary_sub, jitnorm_f32, 0, {}, {}};
    default:
        require(link.kind == jitnorm_graph_op_divide, "nothing else is fused", std::to_string(int(link.kind)));
        return binary_post_op{jitnorm_binary_div, jitnorm_f32, 0, {}, {}};
    }
}

class judged_partition {
public:
    judged_partition(const graph_choice &what, const std::vector<size_t> &ops, const values_by_id &before,
                     const values_by_id &after)
        : what_(what), before_(before), after_(after),
          is_backward_(what.kind != jitnorm_graph_op_layer_norm && what.kind != jitnorm_graph_op_rms_norm) {
        for (const graph_link &link : what.links)
            if (std::find(ops.begin(), ops.end(), link.op) != ops.end()) links_.push_back(link);
        describe();
    }

    void judge() {
        // A hostile id that several descriptions share may have the dimensions of another one.
        if (n_.src.empty() || n_.src.size() != n_.rows * n_.columns) return;
        for (const auto &[id, tensor] : before_)
            if (!are_ordinary(tensor.values)) return;
        const std::optional<answers> exact = telling_answers(n_);
        if (!exact) return;
        if (is_backward_) {
            const auto *const mask = what_.output_mask;
            if (mask[0] != 0) near("diff_src", output(0), exact->diff_src);
            if (mask[1] != 0) near("diff_gamma", output(1), exact->diff_scale);
            if (mask[2] != 0) near("diff_beta", output(2), exact->diff_shift);
        } else {
            near("mean", output(1), exact->mean);
            near("variance", output(2), exact->variance);
            judge_dst(exact->dst);
            if (is_modulated()) count("judged modulations");
        }
        count(is_backward_ ? "judged backward" : links_.empty() ? "judged forward" : "judged fusions");
    }

private:
    // The ids of the normalization's tensors; none where there are fewer.
    size_t input(size_t i) const { return i < what_.input_ports ? what_.inputs[i].id : SIZE_MAX; }
    size_t output(size_t i) const { return i < what_.output_ports ? what_.outputs[i].id : SIZE_MAX; }

    numbers values_of(size_t id) const { return before_.contains(id) ? before_.at(id).values : numbers{}; }
    numbers columns_of(size_t id) const {
        if (!what_.has_affine || !before_.contains(id)) return {};
        const graph_values &t = before_.at(id);
        if (t.values.size() == n_.columns) return t.values; // a vector for several axes, too
        // Further dimensions, in front, are 1.
        const size_t dims = std::min(t.dims.size(), what_.normalized);
        return broadcast(t.values, {t.dims.end() - ptrdiff_t(dims), t.dims.end()},
                         {what_.dims.end() - ptrdiff_t(what_.normalized), what_.dims.end()});
    }
    numbers rows_of(size_t id) const { return broadcast(before_.at(id).values, before_.at(id).dims, what_.dims); }

    void describe() {
        n_.rows = n_.columns = 1;
        for (size_t d = 0; d < what_.dims.size(); ++d)
            (d + what_.normalized < what_.dims.size() ? n_.rows : n_.columns) *= size_t(what_.dims[d]);
        const bool is_grad = what_.kind == jitnorm_graph_op_layer_norm_grad;
        n_.flags = what_.kind == jitnorm_graph_op_rms_norm ? jitnorm_rms_norm : 0;
        n_.epsilon = what_.epsilon;
        n_.src = src(input(is_grad ? 1 : 0));
        n_.scale = columns_of(input(is_backward_ ? 4 : 1));
        if (!is_backward_) {
            n_.shift = n_.has(jitnorm_rms_norm) ? numbers{} : columns_of(input(2));
            return;
        }
        n_.diff_dst = values_of(input(is_grad ? 0 : 1));
        n_.mean = values_of(input(is_grad ? 3 : 2));
        n_.variance = values_of(input(is_grad ? 2 : 3));
    }

    numbers src(size_t id) {
        if (links_.empty() || links_.front().output != id) return values_of(id);
        const graph_link sum = links_.front();
        links_.erase(links_.begin());
        const numbers exact = sum_of(rows_of(sum.inputs[0]), rows_of(sum.inputs[1]), {}, false);
        if (!after_.contains(id)) return exact;
        near("sum", id, exactly(exact));
        return rounded(exact, after_.at(id).type);
    }

    void judge_dst(expectations values) const {
        size_t value = output(0);
        for (const graph_link &link : links_) {
            const auto place = std::find(link.inputs.begin(), link.inputs.end(), value);
            if (place == link.inputs.end()) continue; // computes a gate
            if (link.inputs.size() > 1)
                combine(values, link, link.inputs[place == link.inputs.begin() ? 1 : 0]);
            else if (link.kind != jitnorm_graph_op_type_cast)
                apply(values, step_of(link), {}, n_.unit());
            value = link.output;
        }
        near("dst", value, values);
    }

    // If the partition computes the other operand, this is z * Sigmoid(z), which it does not write.
    void combine(expectations &values, const graph_link &link, size_t other) const {
        const auto gate = std::find_if(links_.begin(), links_.end(), [&](auto &l) { return l.output == other; });
        if (gate == links_.end()) return apply(values, step_of(link), rows_of(other), n_.unit());
        require(link.kind == jitnorm_graph_op_multiply, "a gate is multiplied by");
        apply(values, binary_post_op{jitnorm_binary_mul_silu, jitnorm_f32, 0, {}, {}}, rows_of(gate->inputs[0]),
              n_.unit());
        count("judged gates");
    }

    bool is_modulated() const {
        return n_.scale.empty() && n_.shift.empty() && links_.size() > 1 &&
               links_[0].kind == jitnorm_graph_op_multiply && links_[1].kind == jitnorm_graph_op_add;
    }

    void near(const char *name, size_t id, const expectations &expected) const {
        if (after_.contains(id)) require_near(name, expected, after_.at(id).type, after_.at(id).values, n_.unit());
    }

    const graph_choice &what_;
    const values_by_id &before_, &after_;
    const bool is_backward_;
    std::vector<graph_link> links_; // of the partition, without an addition before the normalization
    oracle_problem n_;
};

// Tensors have ids of their own, unless they are hostile.
bool have_own_ids(const graph_choice &what) {
    std::set<size_t> ids;
    for (size_t i = 0; i < what.input_ports; ++i) ids.insert(what.inputs[i].id);
    for (size_t i = 0; i < what.output_ports; ++i) ids.insert(what.outputs[i].id);
    return ids.size() == what.input_ports + what.output_ports;
}

} // namespace

void judge_partition(const graph_choice &what, const std::vector<size_t> &ops, const values_by_id &before,
                     const values_by_id &after) {
    const bool has_normalization = std::find(ops.begin(), ops.end(), what.op) != ops.end();
    const bool has_elements = std::find(what.dims.begin(), what.dims.end(), 0) == what.dims.end();
    if (what.is_ordinary && has_normalization && have_own_ids(what) && has_elements)
        judged_partition(what, ops, before, after).judge();
}

} // namespace jitnorm::fuzz
