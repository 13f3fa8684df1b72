// SPDX-License-Identifier: Apache-2.0
// LayerNorm's statistics feed LayerNormBackward: the results against the oracle's, over types, axes, layouts of every
// tensor, with and without gamma and beta.
#include "graph_tensor.hpp"
#include "whole_gradient.hpp"

namespace jitnorm::tests {
namespace {

constexpr float EPSILON = 0.01F;
constexpr const char *LAYOUTS[] = {"dense", "spread", "reversed", "gap", "rotated"};

struct affine_case {
    bool use_affine, gamma, beta;
};
constexpr affine_case AFFINES[] = {
    {true, true, true}, {true, true, false}, {true, false, false}, {false, false, false}};

struct chain_case {
    shape dims;
    int64_t begin;
    jitnorm_data_type_t data, side; // side: gamma, beta, statistics and their like
    affine_case affine;
    unsigned turn; // which layout each tensor has, which name backward
    bool ones_after_rows = false;

    size_t axis() const { return size_t(begin < 0 ? begin + int64_t(dims.size()) : begin); }
    shape rows() const {
        shape result(dims.begin(), dims.begin() + int64_t(axis()));
        if (ones_after_rows) result.resize(dims.size(), 1);
        return result;
    }
    shape columns() const { return {dims.begin() + int64_t(axis()), dims.end()}; }

    std::string text() const {
        std::string result = "dims";
        for (const dim_t d : dims) result += " " + std::to_string(d);
        return result + " begin " + std::to_string(begin) + " types " + std::to_string(data) + " " +
               std::to_string(side) + " affine " + std::to_string(affine.use_affine) + std::to_string(affine.gamma) +
               std::to_string(affine.beta) + " turn " + std::to_string(turn);
    }
};

enum id : size_t { SRC, GAMMA, BETA, DST, MEAN, VARIANCE, DIFF_DST, DIFF_SRC, DIFF_GAMMA, DIFF_BETA };

class chain {
public:
    explicit chain(const chain_case &c) : c_(c) {
        src_ = filled(SRC, c.dims, c.data, 0.5, 1);
        diff_dst_ = filled(DIFF_DST, c.dims, c.data, 0.1, 1);
        if (c.affine.gamma) gamma_ = filled(GAMMA, c.columns(), c.side, 1, 0.5);
        if (c.affine.beta) beta_ = filled(BETA, c.columns(), c.side, 0, 1);
        dst_ = made(DST, c.dims, c.data);
        mean_ = made(MEAN, c.rows(), c.side);
        variance_ = made(VARIANCE, c.rows(), c.side);
        diff_src_ = made(DIFF_SRC, c.dims, c.data);
        if (!c.affine.use_affine) return;
        diff_gamma_ = made(DIFF_GAMMA, c.columns(), c.side);
        diff_beta_ = made(DIFF_BETA, c.columns(), c.side);
    }

    void check() {
        SCOPED_TRACE(c_.text());
        run_op(op::kind::LayerNorm, present({&src_, &gamma_, &beta_}), {&dst_, &mean_, &variance_}, attributes());
        judge_forward();
        const auto kind = c_.turn % 2 == 0 ? op::kind::LayerNormBackward : op::kind::LayerNormBackprop;
        run_op(kind, present({&src_, &diff_dst_, &mean_, &variance_, &gamma_, &beta_}),
               present({&diff_src_, &diff_gamma_, &diff_beta_}), attributes());
        judge_backward();
    }

private:
    graph_tensor made(id i, const shape &dims, jitnorm_data_type_t type) const {
        return graph_tensor(i, dims, type, LAYOUTS[(i + c_.turn) % std::size(LAYOUTS)]);
    }
    graph_tensor filled(id i, const shape &dims, jitnorm_data_type_t type, double mean, double deviation) const {
        dim_t count = 1;
        for (const dim_t d : dims) count *= d;
        return made(i, dims, type).filled(random_values(count, mean, deviation, unsigned(i) + c_.turn));
    }
    static std::vector<const graph_tensor *> present(std::vector<const graph_tensor *> tensors) {
        std::erase_if(tensors, [](const graph_tensor *t) { return !t->exists(); });
        return tensors;
    }
    configuration attributes() const {
        return [&](op &o) {
            o.set_attr<int64_t>(op::attr::begin_norm_axis, c_.begin);
            o.set_attr<bool>(op::attr::use_affine, c_.affine.use_affine);
            o.set_attr<float>(op::attr::epsilon, EPSILON);
        };
    }

    oracle_problem<double> question() const {
        oracle_problem<double> q;
        q.src = src_.data.values();
        q.rows = size_t(nelems(mean_.data.md()));
        q.columns = q.src.size() / q.rows;
        q.epsilon = EPSILON;
        q.scale = gamma_.exists() ? gamma_.data.values() : values{};
        q.shift = beta_.exists() ? beta_.data.values() : values{};
        q.diff_dst = diff_dst_.data.values();
        return q;
    }

    void judge_forward() const {
        const oracle_forward_result<double> expected = oracle_forward(question());
        const double scale = largest(expected.dst) + 1;
        expect_all_close(dst_.data.values(), expected.dst, 1e-6 + half_ulp(c_.data), scale, "dst");
        const double bound = 1e-6 + half_ulp(c_.side);
        expect_all_close(mean_.data.values(), expected.mean, bound, largest(expected.mean) + 1, "mean");
        expect_all_close(variance_.data.values(), expected.variance, bound, largest(expected.variance) + 1, "variance");
    }

    void judge_backward() const {
        gradients got;
        got.diff_src = diff_src_.data.values();
        if (diff_gamma_.exists()) got.diff_scale = diff_gamma_.data.values();
        if (diff_beta_.exists()) got.diff_shift = diff_beta_.data.values();
        oracle_problem<double> q = question();
        q.mean = mean_.data.values();
        q.variance = variance_.data.values();
        expect_gradients(got, q, 1e-6, c_.data, c_.side, "of the statistics given");
        use_exact_statistics(q);
        const double moved = effect_of_rounded_statistics(q, c_.side);
        expect_gradients(got, q, 1e-6 + moved, c_.data, c_.side, "of src alone");
    }

    chain_case c_;
    graph_tensor src_, gamma_, beta_, dst_, mean_, variance_, diff_dst_, diff_src_, diff_gamma_, diff_beta_;
};

struct type_case {
    jitnorm_data_type_t data, side;
};
constexpr type_case TYPES[] = {
    {jitnorm_f32, jitnorm_f32}, {jitnorm_bf16, jitnorm_f32}, {jitnorm_bf16, jitnorm_bf16}, {jitnorm_f16, jitnorm_f32}};

class every_axis : public testing::TestWithParam<shape> {};

TEST_P(every_axis, chained) {
    const int64_t rank = int64_t(GetParam().size());
    unsigned turn = 0;
    for (const type_case &types : TYPES)
        for (int64_t begin = -rank; begin < rank; ++begin)
            for (const affine_case &affine : AFFINES)
                chain({GetParam(), begin, types.data, types.side, affine, turn++}).check();
}

INSTANTIATE_TEST_SUITE_P(shapes, every_axis,
                         testing::Values(shape{9}, shape{3, 37}, shape{4, 3, 19}, shape{2, 3, 4, 5},
                                         shape{2, 2, 3, 2, 5}, shape{1, 2, 1, 3, 2, 2, 1, 5}));

// Each layout in each position, whatever the turns above make of it.
TEST(chained, every_layout_in_every_position) {
    for (unsigned turn = 0; turn < std::size(LAYOUTS); ++turn)
        for (const type_case &types : TYPES) chain({{3, 4, 5, 6}, 2, types.data, types.side, AFFINES[0], turn}).check();
}

TEST(chained, statistics_with_ones) {
    for (int64_t begin = 0; begin < 3; ++begin)
        chain({{4, 3, 19}, begin, jitnorm_f32, jitnorm_f32, AFFINES[0], 1, true}).check();
}

TEST(chained, awkward_shapes) {
    const struct {
        shape dims;
        int64_t begin;
    } cases[] = {{{2, 4, 3, 2, 2, 2, 1}, -2}, {{42740}, 0}, {{200000, 1}, 1}, {{8214, 1, 11}, -1}};
    for (const auto &c : cases)
        for (const type_case &types : TYPES) {
            chain_case dense{c.dims, c.begin, types.data, types.side, AFFINES[0], 0};
            chain(dense).check();
            dense.turn = 1;
            chain(dense).check();
        }
}

} // namespace
} // namespace jitnorm::tests
