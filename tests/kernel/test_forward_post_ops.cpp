// SPDX-License-Identifier: Apache-2.0
// Post-ops: kernels give the reference's bits for every algorithm, type of operand, way of broadcasting and layout.
#include "norm/attributes.hpp"
#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

using impl::post_op;

constexpr jitnorm_data_type_t OPERAND_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_s32,
                                                 jitnorm_s8,  jitnorm_u8,   jitnorm_f64};
constexpr jitnorm_data_type_t DATA_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16,
                                              jitnorm_f64, jitnorm_s8,   jitnorm_u8};

post_op eltwise(jitnorm_alg_kind_t alg, float alpha = 0.25F, float beta = 0.75F) {
    return impl::eltwise_post_op{alg, alpha, beta};
}
post_op binary(jitnorm_alg_kind_t alg, const memory_desc &src1) { return impl::binary_post_op{alg, src1}; }

setup setup_of(const std::vector<dim_t> &dims, jitnorm_data_type_t type, std::vector<post_op> post_ops,
               unsigned flags = jitnorm_use_scale | jitnorm_use_shift) {
    setup s{.flags = flags,
            .dims = dims,
            .src_type = type,
            .dst_type = type,
            .side = dims.back() % 2 == 0 ? guard_side::before : guard_side::after,
            .mean = 20,
            .deviation = 30,
            .seed = unsigned(dims.back())};
    s.attr.post_ops.entries = std::move(post_ops);
    return s;
}

// With scales that let integers reach the ends of their range.
void use_the_range(run &r) {
    if (r[SRC_SCALE].exists()) r[SRC_SCALE].fill({0.7});
    if (r[DST_SCALE].exists()) r[DST_SCALE].fill({0.03});
}

// Around the widths of AVX2 and AVX-512, float and double.
constexpr dim_t LENGTHS[] = {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 50, 64, 100};

void sweep_eltwise(isa vectors, std::span<const dim_t> lengths) {
    for (dim_t C : lengths)
        for (auto alg : impl::ELTWISE_ALGORITHMS)
            for (auto type : {jitnorm_f32, jitnorm_f64}) {
                for (float alpha : {0.0F, 0.25F, -1.5F})
                    for (float beta : {0.75F, 3.0F}) // of pow, which is defined for negative numbers or not
                        expect_equal_to_reference(
                            vectors, setup_of({5, C}, type,
                                              {eltwise(jitnorm_eltwise_linear, 4, 0.5F), eltwise(alg, alpha, beta)}));
                if (testing::Test::HasFailure()) return;
            }
}

void sweep_binary(isa vectors, std::span<const dim_t> lengths) {
    for (dim_t C : lengths)
        for (auto alg : impl::BINARY_ALGORITHMS)
            for (auto type : OPERAND_TYPES)
                for (auto data : {jitnorm_f32, jitnorm_f64}) {
                    const dim_t rows = alg % 2 == 0 ? 1 : 3, columns = (int(alg) + int(type)) % 3 == 0 ? 1 : C;
                    expect_equal_to_reference(vectors,
                                              setup_of({3, C}, data, {binary(alg, dense({rows, columns}, type))}));
                    if (testing::Test::HasFailure()) return;
                }
}

// A sum of every type that a dst may be read as.
void sweep_sum(isa vectors, std::span<const dim_t> lengths) {
    for (dim_t C : lengths)
        for (auto data : DATA_TYPES)
            for (auto type : {jitnorm_data_type_undef, jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64, jitnorm_s32,
                              jitnorm_s8, jitnorm_u8}) {
                if (type != jitnorm_data_type_undef && impl::size_of(type) != impl::size_of(data)) continue;
                const bool is_int8 = type == jitnorm_s8 || type == jitnorm_u8;
                setup s = setup_of({3, C}, data, {impl::sum_post_op{0.5F, is_int8 ? 7 : 0, type}});
                s.attr.src_scale = s.attr.dst_scale = C % 3 == 0;
                expect_equal_to_reference(vectors, s, use_the_range);
                if (testing::Test::HasFailure()) return;
            }
}

class forward_post_ops : public on_isa {};
class emulated_forward_post_ops : public on_isa {};

TEST_P(forward_post_ops, eltwise) { sweep_eltwise(GetParam(), LENGTHS); }
TEST_P(forward_post_ops, binary) { sweep_binary(GetParam(), LENGTHS); }
TEST_P(forward_post_ops, sum) { sweep_sum(GetParam(), LENGTHS); }

// One length with whole vectors and a rest for every algorithm: the instructions are the same for all lengths.
constexpr dim_t EMULATED_LENGTHS[] = {37};
TEST_P(emulated_forward_post_ops, eltwise) { sweep_eltwise(GetParam(), EMULATED_LENGTHS); }
TEST_P(emulated_forward_post_ops, binary) { sweep_binary(GetParam(), EMULATED_LENGTHS); }
TEST_P(emulated_forward_post_ops, sum) { sweep_sum(GetParam(), EMULATED_LENGTHS); }

// Every way of broadcasting to four dimensions, operands of any layout, on any layout of the data.
TEST_P(forward_post_ops, layouts) {
    const std::vector<dim_t> dims = {2, 3, 4, 21};
    const char *const layouts[] = {"abcd", "acdb", "dcba", "aBcd8b"};
    for (const char *layout : layouts)
        for (const char *operand_layout : layouts)
            for (unsigned broadcast = 0; broadcast < 16; ++broadcast) {
                std::vector<dim_t> shape = dims;
                for (size_t d = 0; d < 4; ++d)
                    if ((broadcast >> d & 1) != 0) shape[d] = 1;
                const auto type = OPERAND_TYPES[broadcast % std::size(OPERAND_TYPES)];
                setup s = setup_of(dims, jitnorm_f32,
                                   {eltwise(jitnorm_eltwise_relu),
                                    binary(jitnorm_binary_add, make_layout(operand_layout, shape, type)),
                                    impl::sum_post_op{0.5F}, binary(jitnorm_binary_mul, dense(shape))});
                s.src = s.dst = layout;
                if (broadcast % 3 == 0) s.dst = "bacd";
                if (broadcast % 3 == 0) s.dst_type = jitnorm_bf16;
                expect_equal_to_reference(GetParam(), s);
                if (HasFailure()) return;
            }
}

// As many as there may be, of the ones that keep the most results at once.
TEST_P(forward_post_ops, thirty_two) {
    for (auto type : {jitnorm_f32, jitnorm_f64})
        for (auto alg : {jitnorm_eltwise_gelu_erf, jitnorm_eltwise_pow})
            expect_equal_to_reference(GetParam(), setup_of({3, 37}, type, std::vector<post_op>(32, eltwise(alg, 1))));
}

// Rows of several chunks, shared by threads, dense and packed.
TEST_P(forward_post_ops, long_rows_and_threads) {
    for (dim_t rows : {1, 3})
        for (dim_t C : {9000, 100003})
            for (const char *layout : {"ab", "ba"})
                expect_equal_for_threads(
                    GetParam(),
                    setup_of({rows, C}, jitnorm_f32,
                             {binary(jitnorm_binary_add, make_layout(layout, {rows, C}, jitnorm_bf16)),
                              binary(jitnorm_binary_mul, dense({1, C}, jitnorm_f64)),
                              binary(jitnorm_binary_sub, dense({rows, 1}, jitnorm_s32)), impl::sum_post_op{2},
                              eltwise(jitnorm_eltwise_gelu_erf)}),
                    {1, 2, 3, 4, 7});
}

// As many post-ops as there may be, and more rows than a batch.
TEST_P(forward_post_ops, the_longest_chain) {
    std::vector<post_op> chain;
    for (size_t i = 0; chain.size() < size_t(impl::MAX_POST_OPS); ++i) {
        if (i % 4 == 0)
            chain.push_back(eltwise(impl::ELTWISE_ALGORITHMS[i / 4 % std::size(impl::ELTWISE_ALGORITHMS)], 0.5F, 1.5F));
        if (i % 4 == 1)
            chain.push_back(binary(impl::BINARY_ALGORITHMS[i / 4 % 4], dense({1, 77}, OPERAND_TYPES[i % 7])));
        if (i % 4 == 2) chain.push_back(binary(jitnorm_binary_add, dense({70, 1}, OPERAND_TYPES[i % 7])));
        if (i % 4 == 3) chain.push_back(impl::sum_post_op{0.125F});
    }
    for (auto type : DATA_TYPES) expect_equal_to_reference(GetParam(), setup_of({70, 77}, type, chain));
}

TEST_P(forward_post_ops, flags) {
    for (unsigned flags : {0U, unsigned(jitnorm_use_scale), unsigned(jitnorm_rms_norm | jitnorm_use_scale),
                           unsigned(jitnorm_use_global_stats | jitnorm_use_shift)})
        for (dim_t C : {5, 40})
            expect_equal_to_reference(GetParam(),
                                      setup_of({9, C}, jitnorm_f32, {eltwise(jitnorm_eltwise_swish, 1)}, flags));
}

INSTANTIATE_TEST_SUITE_P(native, forward_post_ops, testing::Values(isa::avx2, isa::avx512), on_isa::name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_forward_post_ops, testing::Values(isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
