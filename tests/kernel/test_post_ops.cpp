// SPDX-License-Identifier: Apache-2.0
// Post-ops: kernels give the reference's bits for every algorithm, every type of operand, the longest chains and long
// rows. Ways of broadcasting and layouts are in the cross product (test_cross_product.cpp).
#include "norm/attributes.hpp"
#include "support/sweep.hpp"

namespace jitnorm::tests {
namespace {

using post_ops = std::vector<impl::post_op>;

const std::vector<dim_t> LENGTHS = {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 50, 64, 100}; // around all vectors' widths

impl::post_op eltwise(jitnorm_alg_kind_t alg, float alpha = 0.25F, float beta = 0.75F) {
    return impl::eltwise_post_op{alg, alpha, beta};
}
impl::post_op binary(jitnorm_alg_kind_t alg, const memory_desc &src1) { return impl::binary_post_op{alg, src1}; }

choice with(post_ops entries) {
    return [=](setup &s) { s.attr.post_ops.entries = entries; };
}

choices each_eltwise() {
    choices list;
    for (const auto alg : impl::ELTWISE_ALGORITHMS)
        for (const float alpha : {0.0F, 0.25F, -1.5F})
            for (const float beta : {0.75F, 3.0F}) // of pow, which is defined for negative numbers or not
                list.push_back(with({eltwise(jitnorm_eltwise_linear, 4, 0.5F), eltwise(alg, alpha, beta)}));
    return list;
}

choices each_binary() {
    choices list;
    for (const auto alg : impl::BINARY_ALGORITHMS)
        for (const auto type : OPERAND_TYPES)
            list.push_back([=](setup &s) {
                const dim_t rows = alg % 2 == 0 ? 1 : s.dims[0],
                            columns = (int(alg) + int(type)) % 3 == 0 ? 1 : s.dims[1];
                s.attr.post_ops.entries = {binary(alg, dense({rows, columns}, type))};
            });
    return list;
}

// A sum of every type that a dst may be read as.
choices each_sum() {
    choices list;
    for (const auto data : ROW_TYPES)
        for (const auto type : {jitnorm_data_type_undef, jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64,
                                jitnorm_s32, jitnorm_s8, jitnorm_u8}) {
            if (type != jitnorm_data_type_undef && impl::size_of(type) != impl::size_of(data)) continue;
            const bool is_int8 = type == jitnorm_s8 || type == jitnorm_u8;
            list.push_back([=](setup &s) {
                s.src_type = s.dst_type = data;
                s.attr.post_ops.entries = {impl::sum_post_op{0.5F, is_int8 ? 7 : 0, type}};
                s.attr.src_scale = s.attr.dst_scale = s.dims.back() % 3 == 0;
            });
        }
    return list;
}

// Of every way of broadcasting, gathered or not.
const choices OPERANDS = each_value<std::string>({"ab", "ba"}, [](setup &s, const std::string &layout) {
    const dim_t rows = s.dims[0], C = s.dims[1];
    s.attr.post_ops.entries = {binary(jitnorm_binary_add, make_layout(layout, {rows, C}, jitnorm_bf16)),
                               binary(jitnorm_binary_mul, dense({1, C}, jitnorm_f64)),
                               binary(jitnorm_binary_sub, dense({rows, 1}, jitnorm_s32)), impl::sum_post_op{2},
                               eltwise(jitnorm_eltwise_gelu_erf)};
});

// As many post-ops as there may be, of all sorts, and of the ones that keep the most results at once.
choices longest_chains() {
    post_ops mixed;
    for (size_t i = 0; mixed.size() < size_t(impl::MAX_POST_OPS); ++i) {
        const auto type = OPERAND_TYPES[i % 7];
        if (i % 4 == 0) mixed.push_back(eltwise(impl::ELTWISE_ALGORITHMS[i / 4 % std::size(impl::ELTWISE_ALGORITHMS)]));
        if (i % 4 == 1) mixed.push_back(binary(impl::BINARY_ALGORITHMS[i / 4 % 4], dense({1, 77}, type)));
        if (i % 4 == 2) mixed.push_back(binary(jitnorm_binary_add, dense({70, 1}, type)));
        if (i % 4 == 3) mixed.push_back(impl::sum_post_op{0.125F});
    }
    return {with(mixed), with(post_ops(impl::MAX_POST_OPS, eltwise(jitnorm_eltwise_gelu_erf))),
            with(post_ops(impl::MAX_POST_OPS, eltwise(jitnorm_eltwise_pow, 1)))};
}

const setup IN_RANGE = {.mean = 20, .deviation = 30, .seed = 0}; // of integers
setup of_rows(dim_t rows) {
    setup s = IN_RANGE;
    s.dims = {rows, 1};
    return s;
}

std::vector<sweep> sweeps_of_algorithms(const std::vector<dim_t> &lengths) {
    const auto computed_in = row_types({jitnorm_f32, jitnorm_f64});
    return {{.name = "eltwise", .of = of_rows(5), .each = {columns(lengths), each_eltwise(), computed_in}},
            {.name = "binary", .of = of_rows(3), .each = {columns(lengths), each_binary(), computed_in}},
            {.name = "sum", .of = of_rows(3), .each = {columns(lengths), each_sum()}, .prepare = use_the_range}};
}

const std::vector<sweep> ALGORITHMS = sweeps_of_algorithms(LENGTHS);
// One length with whole vectors and a rest: the instructions are the same for all lengths.
const std::vector<sweep> EMULATED = sweeps_of_algorithms({37});

const std::vector<sweep> OTHERS = {
    {.name = "chains", .of = of_rows(70), .each = {columns({77}), row_types(ROW_TYPES), longest_chains()}},
    {.name = "long_rows_and_threads",
     .of = IN_RANGE,
     .each = {rows({1, 3}), columns({9000, 100003}), OPERANDS},
     .threads = {1, 2, 3, 4, 7}},
    {.name = "beside_reductions",
     .of = of_rows(37),
     .each = {columns({600}), each_eltwise(), {leave, add_residual}},
     .small_caches = true},
    {.name = "operands_beside_reductions",
     .of = IN_RANGE,
     .each = {rows({2, 9, 67}),
              columns({1, 16, 61, 192, 1000, 4096, 5000}),
              OPERANDS,
              row_layouts({"dense", "@ba"}),
              {leave, add_residual}},
     .small_caches = true},
};

class post_op_kernels : public equality_in_sweeps {};
TEST_P(post_op_kernels, equal_the_reference) { expect_equal(); }
INSTANTIATE_TEST_SUITE_P(algorithms, post_op_kernels, native(ALGORITHMS), name_of_sweep);
INSTANTIATE_TEST_SUITE_P(others, post_op_kernels, native(OTHERS), name_of_sweep);
INSTANTIATE_TEST_SUITE_P(emulated, post_op_kernels, emulated(EMULATED), name_of_sweep);

} // namespace
} // namespace jitnorm::tests
