// SPDX-License-Identifier: Apache-2.0
// Every operation gives the bits that the reference gives for dense rows of the same values: over types, normalized
// axes, layouts of each tensor, and with or without gamma, beta, their gradients and the mask.
#include <map>
#include <optional>

#include "graph_tensor.hpp"
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr float EPSILON = 0.01F;
constexpr const char *LAYOUTS[] = {"dense", "spread", "reversed", "gap", "rotated"};

struct norm_case {
    shape dims;
    size_t axes = 1; // how many dimensions are normalized, the last ones
    jitnorm_data_type_t data = jitnorm_f32, statistics = jitnorm_f32, gamma = jitnorm_f32; // gamma: beta, gradients too
    unsigned turn = 0;                                                                     // chooses layouts and names
    bool ones_after_rows = false;                                                          // in the statistics' shape
    std::optional<shape> gamma_dims = {};                                                  // if not the columns
    bool is_flat = false; // gamma, beta and their gradients have one dimension

    shape rows() const {
        shape result(dims.begin(), dims.end() - int64_t(axes));
        if (ones_after_rows) result.resize(dims.size(), 1);
        return result;
    }
    shape columns() const { return {dims.end() - int64_t(axes), dims.end()}; }
    int64_t begin_norm_axis() const { return turn % 2 == 0 ? -int64_t(axes) : int64_t(dims.size() - axes); }
};

setup with_types(const norm_case &c, setup s) {
    s.dims = {count(c.rows()), count(c.columns())};
    s.src_type = s.dst_type = s.diff_src_type = c.data;
    s.statistics_type = c.statistics;
    s.affine_type = c.gamma;
    s.seed = c.turn;
    return s;
}

// An operation's tensors with the values that a run of the reference has.
class operation {
public:
    operation(const norm_case &c, const setup &s) : c_(c), expected_(with_types(c, s)) {
        expected_.p.epsilon = EPSILON;
        if (c.gamma_dims && count(*c.gamma_dims) == 1)
            expected_[SCALE].fill(std::vector<double>(size_t(s.dims.back()), 0.75));
        for (const slot input : expected_.read()) {
            std::vector<double> values = expected_[input].values();
            if (input == SCALE && c.gamma_dims) values.resize(size_t(count(*c.gamma_dims)));
            made(input).data.fill(values);
        }
        for (const slot output : expected_.written()) made(output);
    }

    // Makes a tensor that the problem does not use, with canaries.
    graph_tensor &made(slot s) {
        const std::string layout = LAYOUTS[(size_t(s) + c_.turn) % std::size(LAYOUTS)];
        return tensors_[s] = graph_tensor(size_t(s) + 1, dims_of(s), expected_.p.layout(s).data_type, layout);
    }

    void check(op::kind kind, const std::vector<slot> &inputs, const std::vector<slot> &outputs,
               const configuration &configure) {
        run_op(kind, present(inputs), present(outputs), [&](op &o) {
            o.set_attr<float>(op::attr::epsilon, EPSILON);
            configure(o);
        });
        expected_.execute();
        for (const slot s : outputs) {
            if (!tensors_.contains(s)) continue;
            if (expected_.p.writes(s))
                EXPECT_TRUE(same_bits(tensors_[s].data.values(), expected_[s].values())) << text(s);
            else
                EXPECT_TRUE(tensors_[s].data.is_untouched()) << text(s);
        }
    }

private:
    shape dims_of(slot s) const {
        if (s == SCALE && c_.gamma_dims) return *c_.gamma_dims;
        const bool is_statistic = s == MEAN || s == VARIANCE;
        const bool is_data = s == SRC || s == DST || s == DIFF_DST || s == DIFF_SRC;
        return is_data ? c_.dims : is_statistic ? c_.rows() : c_.is_flat ? shape{count(c_.columns())} : c_.columns();
    }
    std::vector<const graph_tensor *> present(const std::vector<slot> &slots) const {
        std::vector<const graph_tensor *> result;
        for (const slot s : slots)
            if (tensors_.contains(s)) result.push_back(&tensors_.at(s));
        return result;
    }
    std::string text(slot s) const {
        return impl::layer_norm::tensor_name(s) + (" of " + describe(expected_.p)) + " turn " + std::to_string(c_.turn);
    }

    norm_case c_;
    run expected_;
    std::map<slot, graph_tensor> tensors_;
};

struct affine_case {
    bool use_affine, gamma, beta;
};
constexpr affine_case AFFINES[] = {
    {true, true, true}, {true, true, false}, {true, false, false}, {false, false, false}};

void check_layer_norm(const norm_case &c, const affine_case &affine) {
    const auto attributes = [&](op &o) {
        o.set_attr<int64_t>(op::attr::begin_norm_axis, c.begin_norm_axis());
        o.set_attr<bool>(op::attr::use_affine, affine.use_affine);
    };
    const unsigned scale = affine.gamma ? unsigned(jitnorm_use_scale) : 0;
    const unsigned shift = affine.beta ? unsigned(jitnorm_use_shift) : 0;
    operation forward(c, {.kind = jitnorm_forward_training, .flags = scale | shift});
    forward.check(op::kind::LayerNorm, {SRC, SCALE, SHIFT}, {DST, MEAN, VARIANCE}, attributes);

    const unsigned gradients = affine.use_affine ? unsigned(jitnorm_use_scale) | unsigned(jitnorm_use_shift) : 0;
    operation backward(
        c, {.kind = jitnorm_backward, .flags = gradients, .scale_is_ones = affine.use_affine && !affine.gamma});
    if (affine.beta) backward.made(SHIFT); // which is not read
    backward.check(c.turn % 4 < 2 ? op::kind::LayerNormBackward : op::kind::LayerNormBackprop,
                   {SRC, DIFF_DST, MEAN, VARIANCE, SCALE, SHIFT}, {DIFF_SRC, DIFF_SCALE, DIFF_SHIFT}, attributes);
}

struct type_pair {
    jitnorm_data_type_t data, side; // side: statistics, gamma and beta
};
constexpr auto F32 = jitnorm_f32, BF16 = jitnorm_bf16, F16 = jitnorm_f16;
constexpr type_pair PAIRS[] = {{F32, F32}, {BF16, F32}, {BF16, BF16}, {F16, F32}};

TEST(same_bits, layer_norm) {
    unsigned turn = 0;
    const shape shapes[] = {{9},          {3, 37},         {4, 3, 19}, {2, 3, 4, 5},
                            {70, 16, 16}, {2, 2, 3, 2, 5}, {9, 5000},  {1, 2, 1, 3, 2, 2, 1, 5}};
    for (const shape &dims : shapes)
        for (size_t axes = 1; axes <= dims.size(); ++axes)
            for (const auto &[data, side] : PAIRS)
                for (const affine_case &affine : AFFINES)
                    for (const bool ones : {false, true})
                        check_layer_norm({dims, axes, data, side, side, turn++, ones}, affine);
}

TEST(same_bits, vectors_of_one_dimension) {
    unsigned turn = 0;
    for (const shape &dims : {shape{9}, {100, 1, 1}, {3, 4, 5}, {2, 3, 4, 5}})
        for (size_t axes = 1; axes <= dims.size(); ++axes)
            for (const auto &[data, side] : PAIRS) {
                norm_case c = {dims, axes, data, side, side, turn++};
                c.is_flat = true;
                check_layer_norm(c, AFFINES[0]);
            }
}

void check_layer_norm_grad(const norm_case &c, unsigned mask) {
    constexpr slot OUTPUTS[] = {DIFF_SRC, DIFF_SCALE, DIFF_SHIFT};
    unsigned omitted = 0;
    std::vector<int64_t> output_mask;
    for (unsigned i = 0; i < 3; ++i) {
        output_mask.push_back(mask >> i & 1);
        if (output_mask[i] == 0) omitted |= bit_of(OUTPUTS[i]);
    }
    operation backward(c, {.kind = jitnorm_backward, .omitted = omitted});
    for (unsigned i = 0; i < 3; ++i)
        if (output_mask[i] == 0) backward.made(OUTPUTS[i]);
    backward.check(op::kind::LayerNormGrad, {DIFF_DST, SRC, VARIANCE, MEAN, SCALE}, {DIFF_SRC, DIFF_SCALE, DIFF_SHIFT},
                   [&](op &o) { o.set_attr<std::vector<int64_t>>(op::attr::output_mask, output_mask); });
}

struct type_triple {
    jitnorm_data_type_t data, statistics, gamma;
};
constexpr type_triple TRIPLES[] = {{F32, F32, F32},    {BF16, F32, F32}, {BF16, F32, BF16}, {BF16, BF16, F32},
                                   {BF16, BF16, BF16}, {F16, F32, F32},  {F16, F32, F16},   {F16, F16, F32},
                                   {F16, F16, F16},    {F32, F32, BF16}, {F32, F32, F16},   {BF16, F32, F16},
                                   {BF16, F16, F16},   {F16, BF16, BF16}};

TEST(same_bits, layer_norm_grad) {
    for (const shape &dims : {shape{11}, {5, 13}, {3, 4, 7}, {2, 3, 4, 5}, {2, 2, 3, 2, 5}})
        for (size_t axes = 1; axes <= dims.size(); ++axes)
            for (const auto &[data, statistics, gamma] : TRIPLES)
                for (unsigned mask = 0; mask < 8; ++mask)
                    check_layer_norm_grad({dims, axes, data, statistics, gamma, unsigned(axes) + mask, mask % 2 == 0},
                                          mask);
}

TEST(same_bits, awkward_shapes) {
    for (const auto &[dims, axes] :
         {std::pair<shape, size_t>{{2, 4, 3, 2, 2, 2, 1}, 2}, {{42740}, 1}, {{200000, 1}, 1}, {{8214, 1, 11}, 1}})
        for (const unsigned turn : {0, 1}) {
            for (const auto &[data, side] : PAIRS) check_layer_norm({dims, axes, data, side, side, turn}, AFFINES[0]);
            for (unsigned mask = 1; mask < 8; ++mask)
                check_layer_norm_grad({dims, axes, BF16, F32, turn == 0 ? F32 : BF16, turn, true}, mask);
        }
}

void check_rms_norm(const norm_case &c, bool has_gamma = true) {
    const unsigned scale = has_gamma ? unsigned(jitnorm_use_scale) : 0;
    operation rms(c,
                  {.kind = jitnorm_forward_inference, .flags = jitnorm_rms_norm | scale, .dims = {1, c.dims.back()}});
    rms.check(op::kind::RMSNorm, {SRC, SCALE}, {DST}, [](op &) {});
}

TEST(same_bits, rms_norm) {
    for (const shape &dims : {shape{3, 1}, {5, 37}, {4, 3, 19}, {2, 3, 4, 64}, {2, 2, 3, 2, 129}, {9, 5000}})
        for (unsigned turn = 0; turn < std::size(LAYOUTS); ++turn)
            for (const auto &[data, gamma] : {type_pair{F32, F32}, {BF16, F32}, {BF16, BF16}, {F16, F16}, {F16, F32}})
                for (const bool has_gamma : {true, false})
                    check_rms_norm({.dims = dims, .data = data, .gamma = gamma, .turn = turn}, has_gamma);
}

TEST(same_bits, gamma_of_rms_norm_is_broadcast) {
    for (const shape &gamma : {shape{}, {1}, {1, 1, 1}, {1, 37}, {1, 1, 37}})
        for (const auto type : {F32, BF16})
            check_rms_norm({.dims = {3, 5, 37}, .data = type, .gamma = type, .gamma_dims = gamma});
}

} // namespace
} // namespace jitnorm::tests
