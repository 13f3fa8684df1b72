// SPDX-License-Identifier: Apache-2.0
// Fills the tensors of a graph, and compares the outputs of an operation with the oracle, row by row.
#include "graph_check.hpp"

#include <algorithm>

#include "../correctness/random.hpp"

namespace benchdnn_lite {

namespace {

using enum graph_role;
using jitnorm::graph::logical_tensor;

// A scalar becomes a tensor of one element.
layout layout_of(const logical_tensor &t) {
    layout l;
    l.type = data_type(t.get_data_type());
    l.dims = t.get_dims();
    l.strides = t.get_strides();
    if (l.dims.empty()) l.dims = l.strides = {1};
    l.padded_dims = l.dims;
    return l;
}

double value_for(graph_role role, random_numbers &random) {
    switch (role) {
    case gamma:
        return random.uniform(0.5, 1.5);
    case src:
        return 0.5 + random.bell();
    default:
        return random.bell();
    }
}

const char *name_of(graph_role role) {
    constexpr const char *NAMES[] = {"src",  "residual", "diff_dst", "mean",     "variance",   "gamma",
                                     "beta", "dst",      "sum",      "diff_src", "diff_gamma", "diff_beta"};
    return NAMES[size_t(role)];
}

// Broadcasts a tensor to `dims`: returns a value for each element. The dimensions of the tensor are the last ones of
// `dims`, or 1 in their place.
std::vector<double> broadcast(const buffer &b, const std::vector<dim_t> &dims) {
    const std::vector<double> values = values_of(b);
    std::vector<dim_t> own = b.shape().dims;
    own.insert(own.begin(), dims.size() - std::min(dims.size(), own.size()), 1);
    std::vector<double> result(size_t(product(dims)));
    for (size_t i = 0; i < result.size(); ++i) {
        size_t rest = i, at = 0, step = 1;
        for (size_t d = dims.size(); d-- > 0; rest /= size_t(dims[d])) {
            if (own[d] != 1) at += rest % size_t(dims[d]) * step;
            step *= size_t(own[d]);
        }
        result[i] = values[at];
    }
    return result;
}

class checker {
public:
    checker(const graph_norm &n, const graph_memory &memory)
        : norm_(n), memory_(memory), diff_dst_(input(diff_dst)), beta_(input(beta)), mean_(input(mean)),
          variance_(input(variance)), src_(input(src)), gamma_(input(gamma)) {
        const std::vector<dim_t> &dims = memory.at(n.inputs.at(src)).shape().dims;
        const size_t gamma_ndims = n.inputs.contains(gamma) ? memory.at(n.inputs.at(gamma)).shape().dims.size() : 0;
        const size_t axis = n.axis(dims.size(), gamma_ndims);
        rows_ = size_t(product(std::span(dims).first(axis)));
        columns_ = size_t(product(std::span(dims).subspan(axis)));
        expected_.resize(columns_);
        gradients_ = gradient_sums(columns_);
        if (n.inputs.contains(residual)) add_residual(dims);
        for (const graph_follower &f : n.followers)
            others_.push_back(std::holds_alternative<binary_post_op>(f.step) ? broadcast(memory.at(f.other), dims)
                                                                             : std::vector<double>{});
        if (gamma_.size() == 1) gamma_.assign(columns_, gamma_[0]); // that of RMSNorm may be a single value
        in_.scale = gamma_;
        in_.shift = beta_;
        in_.epsilon = n.epsilon;
        in_.flags = n.is_rms ? jitnorm_rms_norm : 0;
        for (const auto &[role, id] : n.outputs) {
            const buffer &b = memory.at(id);
            outputs_.emplace(role, judged{values_of(b), comparison(name_of(role), b.shape())});
        }
    }

    std::vector<comparison> check() {
        for (size_t row = 0; row < rows_; ++row) {
            in_.src = std::span(src_).subspan(row * columns_, columns_);
            norm_.is_forward ? check_forward_row(row) : check_backward_row(row);
        }
        if (!norm_.is_forward) check_gradients();
        std::vector<comparison> results;
        for (auto &[role, out] : outputs_) results.push_back(std::move(out.comparing));
        return results;
    }

private:
    // An output: its values and their comparison.
    struct judged {
        std::vector<double> values;
        comparison comparing;
        void add(size_t number, const expectation &e) { comparing.add(dim_t(number), e, values[number]); }
    };

    std::vector<double> input(graph_role role) const {
        const auto found = norm_.inputs.find(role);
        return found == norm_.inputs.end() ? std::vector<double>{} : values_of(memory_.at(found->second));
    }
    judged *output(graph_role role) {
        const auto found = outputs_.find(role);
        return found == outputs_.end() ? nullptr : &found->second;
    }

    // By the definition of the library, the sum is f32. If the sum is an output, it is rounded to the type of its
    // tensor, and the rounded values are normalized.
    void add_residual(const std::vector<dim_t> &dims) {
        const std::vector<double> added = broadcast(memory_.at(norm_.inputs.at(residual)), dims);
        const auto kept = norm_.outputs.find(sum);
        for (size_t i = 0; i < src_.size(); ++i) {
            src_[i] = double(float(src_[i]) + float(added[i]));
            if (kept != norm_.outputs.end()) src_[i] = round_to(memory_.at(kept->second).type(), src_[i]);
        }
    }

    void check_forward_row(size_t row) {
        in_.stats = statistics_of(in_.src, norm_.is_rms);
        if (judged *out = output(sum))
            for (size_t c = 0; c < columns_; ++c) out->add(row * columns_ + c, {in_.src[c], 0});
        if (judged *out = output(dst)) {
            expect_forward(in_, F32_ERROR, expected_);
            apply_followers(row);
            compare_row(*out, row);
        }
        if (judged *out = output(mean)) out->add(row, expect_mean(in_.src, in_.stats, F32_ERROR));
        if (judged *out = output(variance)) out->add(row, expect_variance(in_.stats, F32_ERROR));
    }

    void apply_followers(size_t row) {
        for (size_t i = 0; i < norm_.followers.size(); ++i) {
            const auto &step = norm_.followers[i].step;
            for (size_t c = 0; c < columns_; ++c)
                if (const auto *function = std::get_if<eltwise_post_op>(&step))
                    expected_[c] = after_eltwise(expected_[c], *function, F32_ERROR);
                else
                    expected_[c] = after_binary(expected_[c], std::get<binary_post_op>(step),
                                                others_[i][row * columns_ + c], F32_ERROR);
        }
    }

    void check_backward_row(size_t row) {
        in_.stats = {mean_[row], 0, variance_[row]};
        in_.diff_dst = std::span(diff_dst_).subspan(row * columns_, columns_);
        if (judged *out = output(diff_src)) {
            expect_diff_src(in_, F32_ERROR, expected_);
            compare_row(*out, row);
        }
        gradients_.add_row(in_);
    }

    void compare_row(judged &out, size_t row) {
        for (size_t c = 0; c < columns_; ++c) out.add(row * columns_ + c, expected_[c]);
    }

    void check_gradients() {
        for (size_t c = 0; c < columns_; ++c) {
            if (judged *out = output(diff_gamma)) out->add(c, gradients_.diff_scale(c, F32_ERROR));
            if (judged *out = output(diff_beta)) out->add(c, gradients_.diff_shift(c, F32_ERROR));
        }
    }

    const graph_norm &norm_;
    const graph_memory &memory_;
    const std::vector<double> diff_dst_, beta_, mean_, variance_;
    std::vector<double> src_, gamma_;
    std::vector<std::vector<double>> others_; // second operand of each follower, for each element; empty if it has none
    size_t rows_ = 0, columns_ = 0;
    std::map<graph_role, judged> outputs_;
    row_inputs in_;
    std::vector<expectation> expected_;
    gradient_sums gradients_{0};
};

} // namespace

std::vector<double> values_of(const buffer &b) {
    std::vector<double> values(size_t(b.elements()));
    const size_t columns = size_t(b.shape().dims.back());
    for (dim_t row = 0; row < b.rows(); ++row)
        b.get_row(row, std::span(values).subspan(size_t(row) * columns, columns));
    return values;
}

void graph_memory::add(const logical_tensor &described) {
    if (!buffers_.contains(described.get_id()))
        buffers_.emplace(described.get_id(), buffer(layout_of(described), described.get_mem_size()));
}

jitnorm::graph::tensor graph_memory::tensor(const logical_tensor &described, const jitnorm::engine &on) const {
    return {described, on, at(described.get_id()).data()};
}

void graph_memory::fill(graph_role role, size_t id) {
    const buffer &b = at(id);
    random_numbers random(seed_, id);
    for (dim_t i = 0; i < b.elements(); ++i) b.set(i, value_for(role, random));
    filled_.insert(id);
}

void graph_memory::fill_statistics(const graph_norm &n) {
    const size_t mean_id = n.inputs.at(mean), variance_id = n.inputs.at(variance);
    const std::vector<double> values = values_of(at(n.inputs.at(src)));
    const size_t rows = size_t(at(mean_id).elements()), columns = rows == 0 ? 0 : values.size() / rows;
    for (size_t row = 0; row < rows; ++row) {
        const statistics s = statistics_of(std::span(values).subspan(row * columns, columns), false);
        if (!filled_.contains(mean_id)) at(mean_id).set(dim_t(row), columns == 0 ? 0 : double(s.mean));
        if (!filled_.contains(variance_id)) at(variance_id).set(dim_t(row), columns == 0 ? 0 : double(s.variance));
    }
    filled_.insert({mean_id, variance_id});
}

void graph_memory::fill_inputs(const graph_norm &n) {
    for (const auto &[role, id] : n.inputs)
        if (role != mean && role != variance && !filled_.contains(id)) fill(role, id);
    for (const graph_follower &f : n.followers) // like gamma: divisors should not be near zero
        if (std::holds_alternative<binary_post_op>(f.step) && !filled_.contains(f.other)) fill(gamma, f.other);
    if (!n.is_forward) fill_statistics(n);
}

void graph_memory::poison_outputs(const graph_norm &n) {
    for (const auto &[role, id] : n.outputs) {
        at(id).poison();
        filled_.insert(id);
    }
}

std::vector<size_t> graph_memory::broken_guards() const {
    std::vector<size_t> ids;
    for (const auto &[id, b] : buffers_)
        if (!b.guards_intact()) ids.push_back(id);
    return ids;
}

std::vector<comparison> check_graph_op(const graph_norm &n, const graph_memory &memory) {
    return checker(n, memory).check();
}

} // namespace benchdnn_lite
