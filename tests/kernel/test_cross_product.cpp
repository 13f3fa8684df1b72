// SPDX-License-Identifier: Apache-2.0
// Types x flags x kinds x layouts x masks x post-ops x sizes x threads: the whole product would take days, so each test
// draws cases from it, always the same ones, and every implementation of the machine must give the reference's bits.
#include <random>
#include <span>

#include "dispatch/ranking.hpp"
#include "norm/attributes.hpp"
#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr unsigned SEED = 20;

// Cases in a fixed order, by a generator whose sequence the standard prescribes.
class picker {
public:
    explicit picker(unsigned seed) : generator_(seed) {}
    size_t below(size_t count) { return generator_() % count; }
    bool toss() { return below(2) == 0; }
    template <typename Values>
    auto one_of(const Values &values) {
        return std::data(values)[below(std::size(values))];
    }

private:
    std::mt19937 generator_;
};

constexpr jitnorm_data_type_t FORWARD_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16,
                                                 jitnorm_f64, jitnorm_s8,   jitnorm_u8};
constexpr jitnorm_data_type_t BACKWARD_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};
constexpr jitnorm_data_type_t AFFINE_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16};

// Around vectors, unrolled loops, blocks and chunks of both instruction sets.
constexpr dim_t LENGTHS[] = {1,  2,  3,  4,  5,  7,  8,  9,   11,  13,  15,  16,  17,  23,  31,   32,   33,  47,
                             48, 49, 63, 64, 65, 80, 96, 127, 128, 129, 255, 257, 511, 512, 1000, 4097, 9001};
constexpr dim_t ROWS[] = {1, 2, 3, 5, 8, 17, 40};

// By number of dimensions; "dense" comes often, since it has code of its own.
const std::vector<const char *> LAYOUTS[] = {
    {"dense", "dense", "gap", "gap+7", "spread", "ba", "aB8b", "AB16b16a", "AB16a16b"},
    {"dense", "dense", "gap", "cba", "bac", "acb", "aBc8b", "aBc16b", "aBC8b8c+7", "ABc16a16b"},
    {"dense", "gap", "acdb", "dcba", "aBcd8b", "abdc"},
};
const std::vector<const char *> STATISTICS_LAYOUTS[] = {
    {"dense", "gap", "spread", "a"}, {"dense", "ba", "aB8b", "gap"}, {"dense", "cba", "aBc8b"}};

std::vector<dim_t> pick_dims(picker &pick) {
    const size_t outer = pick.below(3);
    std::vector<dim_t> dims;
    for (size_t d = 0; d < outer; ++d) dims.push_back(dim_t(1 + pick.below(4)));
    dims.push_back(pick.one_of(ROWS));
    const dim_t length = pick.one_of(LENGTHS);
    dims.push_back(length > 1000 && outer > 0 ? 1000 : length);
    return dims;
}

setup pick_setup(picker &pick, bool forward) {
    setup s;
    s.dims = pick_dims(pick);
    const size_t rank = s.dims.size() - 2;
    const std::span<const jitnorm_data_type_t> types =
        forward ? std::span<const jitnorm_data_type_t>(FORWARD_TYPES) : BACKWARD_TYPES;
    const bool first = pick.toss();
    s.kind = forward ? first ? jitnorm_forward_training : jitnorm_forward_inference
                     : (first ? jitnorm_backward : jitnorm_backward_data);
    s.flags = unsigned(pick.below(8)) | (pick.toss() ? unsigned(jitnorm_rms_norm) : 0);
#define FLAG(...)
#define AFFINE_FLAG(name, number, letter, needed)                                                                      \
    if ((s.flags & jitnorm_##needed) != 0 && pick.toss()) s.flags |= jitnorm_##name;
#include "../../tables/normalization_flags.inc"
    s.src = pick.one_of(LAYOUTS[rank]);
    s.dst = pick.one_of(LAYOUTS[rank]);
    s.diff_src = pick.one_of(LAYOUTS[rank]);
    s.statistics = pick.one_of(STATISTICS_LAYOUTS[rank]);
    s.src_type = pick.one_of(types);
    s.dst_type = pick.one_of(types);
    s.diff_src_type = pick.one_of(types);
    s.affine_type = pick.one_of(AFFINE_TYPES);
    s.gradient_type = pick.one_of(AFFINE_TYPES);
    s.side = pick.toss() ? guard_side::before : guard_side::after;
    s.seed = unsigned(pick.below(1000));
    if (pick.below(4) == 0) { // in place
        s.in_place = true;
        (forward ? s.dst : s.diff_src) = forward ? s.src : s.dst;
        (forward ? s.dst_type : s.diff_src_type) = forward ? s.src_type : s.dst_type;
    }
    return s;
}

// ---------------------------------------------------------------- post-ops

constexpr jitnorm_data_type_t OPERAND_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_s32,
                                                 jitnorm_s8,  jitnorm_u8,   jitnorm_f64};

impl::post_op pick_post_op(picker &pick, const setup &s) {
    switch (pick.below(3)) {
    case 0:
        return impl::sum_post_op{0.5F};
    case 1:
        return impl::eltwise_post_op{pick.one_of(impl::ELTWISE_ALGORITHMS), 0.5F, 1.5F};
    default:
        std::vector<dim_t> dims = s.dims;
        for (dim_t &d : dims) d = pick.toss() ? d : 1;
        impl::binary_post_op binary;
        binary.alg = pick.one_of(impl::BINARY_ALGORITHMS);
        binary.src1 = make_layout(pick.one_of(LAYOUTS[dims.size() - 2]), dims, pick.one_of(OPERAND_TYPES));
        return binary;
    }
}

void pick_attributes(picker &pick, setup &s) {
    s.attr.src_scale = pick.below(4) == 0;
    s.attr.dst_scale = pick.below(4) == 0;
    for (size_t i = pick.below(4); i > 0; --i) s.attr.post_ops.entries.push_back(pick_post_op(pick, s));
}

// ---------------------------------------------------------------- to the bit

constexpr int THREADS[] = {1, 2, 3, 4, 7};

void sweep(bool forward, int cases, unsigned seed) {
    picker pick(seed);
    for (int i = 0; i < cases && !testing::Test::HasFailure(); ++i) {
        setup s = pick_setup(pick, forward);
        if (forward) pick_attributes(pick, s);
        const outputs expected = outputs_by(reference_entry, s);
        const int threads = pick.one_of(THREADS);
        const thread_count limited(threads);
        for (const implementation &entry : impl::layer_norm::implementations())
            if (entry.refusal(make_problem(s)).empty())
                expect_same(outputs_by(entry, s), expected, s,
                            std::string(entry.name) + " on " + std::to_string(threads) + " threads");
    }
}

TEST(cross_product, forward) { sweep(true, 1500, SEED); }
TEST(cross_product, backward) { sweep(false, 1500, SEED); }

} // namespace
} // namespace jitnorm::tests
