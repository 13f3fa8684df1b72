// SPDX-License-Identifier: Apache-2.0
// Sizes and strides at the edge of what can be represented: a refusal, or a right result, never an overflow (which the
// undefined-behaviour sanitizer sees).
#include <limits>

#include "runtime_requests.hpp"

using namespace jitnorm::tests;

namespace {

constexpr jitnorm_dim_t LARGEST = std::numeric_limits<jitnorm_dim_t>::max();

// One primitive of each implementation, executed.
void execute_each(const owned_pd &pd) {
    do {
        execution run(pd);
        EXPECT_OK(run.run()) << implementation_of(pd);
    } while (jitnorm_primitive_desc_next_impl(pd) == jitnorm_success);
}

struct kind_and_flags {
    jitnorm_prop_kind_t kind;
    unsigned flags;
};
constexpr kind_and_flags KINDS[] = {{jitnorm_forward_training, C | H},
                                    {jitnorm_forward_inference, G | C},
                                    {jitnorm_backward, C | H},
                                    {jitnorm_backward, M | C},
                                    {jitnorm_backward_data, C}};

// ---------------------------------------------------------------- strides that lead nowhere

TEST(strides_without_elements, mean_nothing) {
    const struct {
        dims sizes, src, dst;
    } cases[] = {{{3, 0}, {0, 1}, {0, 1}}, // as frameworks compute them: products of the sizes further in
                 {{2, 3, 0, 4}, {0, 0, 4, 1}, {0, 0, 4, 1}},
                 {{3, 0}, {LARGEST / 2, 1}, {LARGEST, 1}},
                 {{3, 0}, {LARGEST, 2}, {LARGEST, 3}}, // packed
                 {{0, 3}, {1, LARGEST}, {LARGEST, LARGEST}},
                 {{3, 5, 0, 2}, {LARGEST, LARGEST - 1, 1, LARGEST / 3}, {LARGEST / 5, 0, 0, 7}}};
    for (const auto &[kind, flags] : KINDS)
        for (const auto &[sizes, src, dst] : cases)
            execute_each(request{kind, flags, sizes, strides(src), strides(dst)}.create());
}

TEST(strides_without_elements, known_at_execution_only) {
    for (const auto &[kind, flags] : KINDS)
        for (const dims &sizes : {dims{3, 0}, dims{0, 3}}) {
            const layout wide = strides({LARGEST, 2});
            const owned_pd closed = request{kind, flags, sizes, wide, wide}.create();
            const owned_pd open = request{kind, flags, {R, R}, strides({R, R}), strides({R, R})}.create();
            do {
                execution run(open, closed);
                EXPECT_OK(run.run()) << implementation_of(open);
            } while (jitnorm_primitive_desc_next_impl(open) == jitnorm_success);
        }
}

// Never stepped along, so it may have any stride.
TEST(strides_of_one_index, mean_nothing) {
    for (const auto &[kind, flags] : KINDS) {
        execute_each(request{kind, flags, {1, 8}, strides({LARGEST, 1}), strides({LARGEST, 1})}.create());
        execute_each(request{kind, flags, {2, 1, 8}, strides({16, LARGEST, 2}), strides({8, LARGEST, 1})}.create());
        execute_each(request{kind, flags, {5, 1}, strides({2, LARGEST}), strides({1, LARGEST})}.create());
    }
}

// ---------------------------------------------------------------- sizes that memory cannot have

void expect_refusal(const dims &sizes, const layout &how) {
    for (const auto &[kind, flags] : KINDS) {
        const owned_md data = how.of(sizes, jitnorm_f32);
        forward_request forward{kind, data, data};
        backward_request backward{kind, data, data, data};
        forward.flags = backward.flags = flags;
        const bool is_backward = kind == jitnorm_backward || kind == jitnorm_backward_data;
        owned_pd pd;
        const std::string log =
            log_of(1, [&] { EXPECT_EQ(is_backward ? backward.create(&pd) : forward.create(&pd), INVALID); });
        EXPECT_NE(log.find("larger than memory can be"), std::string::npos) << log;
    }
}

// A scale of 2^61 floats has 2^63 bytes.
TEST(sizes_without_elements, of_vectors) { expect_refusal({0, jitnorm_dim_t(1) << 61}, {}); }
TEST(sizes_without_elements, of_vectors_at_the_edge) { expect_refusal({0, LARGEST}, {}); }
TEST(sizes_without_elements, of_statistics) { expect_refusal({jitnorm_dim_t(1) << 60, 0}, {}); }
TEST(sizes, of_tensors) { expect_refusal({2, jitnorm_dim_t(1) << 55}, {}); }
TEST(sizes, between_rows) { expect_refusal({2, 8}, strides({jitnorm_dim_t(1) << 58, 1})); }
TEST(sizes, beside_those_of_run_time) { expect_refusal({R, jitnorm_dim_t(1) << 61}, {}); }

TEST(sizes_without_elements, that_memory_could_have) {
    const owned_md data = make_md({0, jitnorm_dim_t(1) << 50}, jitnorm_f32);
    const owned_pd pd = backward_request{jitnorm_backward, data, data, data}.make(C);
    EXPECT_EQ(jitnorm_memory_desc_get_size(jitnorm_primitive_desc_query_md(pd, jitnorm_query_diff_weights_md, 0)),
              size_t(1) << 52);
    make_primitive(pd);
}

// Whoever asks how much scratchpad it takes gets an answer.
TEST(sizes, the_largest) {
    const jitnorm_dim_t most = jitnorm_dim_t(1) << 53;
    for (const dims &sizes : {dims{1, most}, dims{most, 1}, dims{most / 64, 64}, dims{64, most / 64}})
        for (const layout &how : {layout{}, tag(jitnorm_ba)})
            for (const auto &[kind, flags] : KINDS)
                for (const auto type : {jitnorm_f32, jitnorm_f64}) {
                    const owned_pd pd = request{kind, flags, sizes, how, how, type}.create();
                    do {
                        int64_t bytes = -1;
                        EXPECT_OK(jitnorm_primitive_desc_query(pd, jitnorm_query_memory_consumption_s64, 0, &bytes));
                        EXPECT_GE(bytes, 0);
                    } while (jitnorm_primitive_desc_next_impl(pd) == jitnorm_success);
                }
}

// ---------------------------------------------------------------- undecided layouts

TEST(undecided_layout, of_a_size_that_blocks_round_up_too_far) {
    const owned_md src = make_md({0, 8}, jitnorm_f32, jitnorm_aB8b);
    const owned_md dst = make_md({0, LARGEST - 1}, jitnorm_f32, jitnorm_format_tag_any);
    owned_pd pd;
    EXPECT_EQ((forward_request{jitnorm_forward_inference, src, dst}.create(&pd)), INVALID);
}

TEST(undecided_layout, of_statistics_that_do_not_fit) {
    const owned_md data = make_md({LARGEST, 0}, jitnorm_u8);
    owned_pd pd;
    EXPECT_EQ((forward_request{jitnorm_forward_training, data, data}.create(&pd)), INVALID);
}

// ---------------------------------------------------------------- statistics of rows without elements

TEST(empty_rows, have_statistics) {
    const owned_pd pd = request{jitnorm_forward_training, 0, {3, 0}, strides({0, 1}), strides({0, 1})}.create();
    const owned_pd open = request{jitnorm_forward_training, 0, {R, R}, strides({R, R}), strides({R, R})}.create();
    for (jitnorm_primitive_desc_t of : {jitnorm_primitive_desc_t(pd), jitnorm_primitive_desc_t(open)}) do {
            execution run(of, pd);
            ASSERT_OK(run.run());
            EXPECT_EQ(run.get(JITNORM_ARG_MEAN), std::vector<float>(3, 0)) << implementation_of(of);
            for (const float variance : run.get(JITNORM_ARG_VARIANCE))
                EXPECT_NE(variance, variance) << implementation_of(of);
        } while (jitnorm_primitive_desc_next_impl(of) == jitnorm_success);
}

} // namespace
