// SPDX-License-Identifier: Apache-2.0
// LayerNormGrad: every mask, type and awkward shape, against the oracle's gradient for the statistics given and for src
// alone.
#include "graph_tensor.hpp"
#include "whole_gradient.hpp"

namespace jitnorm::tests {
namespace {

constexpr float EPSILON = 0.01F;
constexpr const char *LAYOUTS[] = {"dense", "spread", "reversed"};

struct ascend_case {
    shape dims;
    size_t gamma_axes;
    jitnorm_data_type_t data, statistics, gamma;
    std::vector<int64_t> mask = {1, 1, 1};
    unsigned turn = 0; // which layout each tensor has
    bool ones_after_rows = true;

    size_t axis() const { return dims.size() - gamma_axes; }
    shape rows() const {
        shape result(dims.begin(), dims.begin() + int64_t(axis()));
        if (ones_after_rows) result.resize(dims.size(), 1);
        return result;
    }
    shape columns() const { return {dims.begin() + int64_t(axis()), dims.end()}; }
};

enum id : size_t { DY, X, VARIANCE, MEAN, GAMMA, PD_X, PD_GAMMA, PD_BETA };

class backward {
public:
    explicit backward(const ascend_case &c) : c_(c) {
        dy_ = made(DY, c.dims, c.data).filled(random_values(count(c.dims), 0.1, 1, 1));
        x_ = made(X, c.dims, c.data).filled(random_values(count(c.dims), 0.5, 1, 2));
        gamma_ = made(GAMMA, c.columns(), c.gamma).filled(random_values(count(c.columns()), 1, 0.5, 3));
        oracle_problem<double> q = question();
        use_exact_statistics(q);
        variance_ = made(VARIANCE, c.rows(), c.statistics).filled(q.variance);
        mean_ = made(MEAN, c.rows(), c.statistics).filled(q.mean);
        pd_x_ = made(PD_X, c.dims, c.data);
        pd_gamma_ = made(PD_GAMMA, c.columns(), c.gamma);
        pd_beta_ = made(PD_BETA, c.columns(), c.gamma);
    }

    void check() const {
        SCOPED_TRACE("data " + std::to_string(c_.data) + " statistics " + std::to_string(c_.statistics) + " gamma " +
                     std::to_string(c_.gamma) + " rank " + std::to_string(c_.dims.size()) + " mask " +
                     std::to_string(c_.mask[0]) + std::to_string(c_.mask[1]) + std::to_string(c_.mask[2]) + " turn " +
                     std::to_string(c_.turn));
        run_op(op::kind::LayerNormGrad, {&dy_, &x_, &variance_, &mean_, &gamma_}, {&pd_x_, &pd_gamma_, &pd_beta_},
               [&](op &o) {
                   o.set_attr<std::vector<int64_t>>(op::attr::output_mask, c_.mask);
                   o.set_attr<float>(op::attr::epsilon, EPSILON);
               });
        judge();
    }

private:
    static dim_t count(const shape &dims) {
        dim_t result = 1;
        for (const dim_t d : dims) result *= d;
        return result;
    }
    graph_tensor made(id i, const shape &dims, jitnorm_data_type_t type) const {
        return graph_tensor(i, dims, type, LAYOUTS[(i + c_.turn) % std::size(LAYOUTS)]);
    }

    oracle_problem<double> question() const {
        oracle_problem<double> q;
        q.src = x_.data.values();
        q.columns = size_t(count(c_.columns()));
        q.rows = q.src.size() / q.columns;
        q.epsilon = EPSILON;
        q.scale = gamma_.data.values();
        q.diff_dst = dy_.data.values();
        return q;
    }

    // What is masked out is as it was made: canaries.
    values written(size_t output, const graph_tensor &t) const {
        if (c_.mask[output] != 0) return t.data.values();
        const auto *bytes = static_cast<const unsigned char *>(t.data.data());
        const size_t size = impl::bytes(t.data.md());
        EXPECT_EQ(size_t(std::count(bytes, bytes + size, guarded_buffer::CANARY)), size) << "output " << output;
        return {};
    }

    void judge() const {
        const gradients got{written(0, pd_x_), written(1, pd_gamma_), written(2, pd_beta_)};
        oracle_problem<double> q = question();
        q.mean = mean_.data.values();
        q.variance = variance_.data.values();
        expect_gradients(got, q, 1e-6, c_.data, c_.gamma, "of the statistics given");
        use_exact_statistics(q);
        const double moved = effect_of_rounded_statistics(q, c_.statistics);
        expect_gradients(got, q, 1e-6 + moved, c_.data, c_.gamma, "of x alone");
    }

    ascend_case c_;
    graph_tensor dy_, x_, variance_, mean_, gamma_, pd_x_, pd_gamma_, pd_beta_;
};

struct type_case {
    jitnorm_data_type_t data, statistics, gamma;
};
constexpr auto F32 = jitnorm_f32, BF16 = jitnorm_bf16, F16 = jitnorm_f16;
constexpr type_case TYPES[] = {{F32, F32, F32},    {BF16, F32, F32}, {BF16, F32, BF16}, {BF16, BF16, F32},
                               {BF16, BF16, BF16}, {F16, F32, F32},  {F16, F32, F16},   {F16, F16, F32},
                               {F16, F16, F16},    {F32, F32, BF16}, {F32, F32, F16},   {BF16, F32, F16},
                               {BF16, F16, F16},   {F16, BF16, BF16}};

const std::vector<std::vector<int64_t>> MASKS = {{1, 1, 1}, {1, 1, 0}, {1, 0, 1}, {1, 0, 0},
                                                 {0, 1, 1}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};

TEST(layer_norm_grad, every_type_mask_and_axis) {
    for (const shape &dims : {shape{11}, shape{5, 13}, shape{3, 4, 7}, shape{2, 3, 4, 5}, shape{2, 2, 3, 2, 5}})
        for (size_t axes = 1; axes <= dims.size(); ++axes)
            for (const type_case &t : TYPES)
                for (const auto &mask : MASKS)
                    backward({dims, axes, t.data, t.statistics, t.gamma, mask, unsigned(axes)}).check();
}

TEST(layer_norm_grad, every_layout_in_every_position) {
    for (unsigned turn = 0; turn < std::size(LAYOUTS); ++turn)
        for (const type_case &t : TYPES)
            for (const bool ones : {false, true})
                backward({{3, 4, 5, 6}, 2, t.data, t.statistics, t.gamma, MASKS[0], turn, ones}).check();
}

class awkward : public testing::TestWithParam<std::pair<shape, size_t>> {};

TEST_P(awkward, bf16_with_every_mask) {
    for (const jitnorm_data_type_t gamma : {F32, BF16})
        for (const auto &mask : MASKS) backward({GetParam().first, GetParam().second, BF16, F32, gamma, mask}).check();
    backward({GetParam().first, GetParam().second, BF16, F32, BF16, MASKS[0], 1}).check();
}

INSTANTIATE_TEST_SUITE_P(shapes, awkward,
                         testing::Values(std::pair{shape{2, 4, 3, 2, 2, 2, 1}, size_t(2)},
                                         std::pair{shape{42740}, size_t(1)}, std::pair{shape{200000, 1}, size_t(1)},
                                         std::pair{shape{8214, 1, 11}, size_t(1)}));

} // namespace
} // namespace jitnorm::tests
