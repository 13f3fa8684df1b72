// SPDX-License-Identifier: Apache-2.0
// Dimensions and strides that are known at execution only: the same bits as with a descriptor of those sizes, for every
// implementation, and each way in which the memories of an execution do not make one problem.
#include <algorithm>
#include <atomic>
#include <thread>

#include "runtime_requests.hpp"

using namespace jitnorm::tests;

namespace {

// ---------------------------------------------------------------- the same bits

// Each size that the open request may meet, executed by one primitive of each implementation.
struct open_case {
    const char *name;
    dims sizes; // R where open
    layout src, dst;
    std::vector<request> meets; // kind and flags are the test's
};

class open_sizes : public testing::TestWithParam<open_case> {};

void expect_bits_of(const owned_pd &open, const owned_pd &closed) {
    execution run(open, closed), expected(closed);
    expect_same(run, expected);
}

TEST_P(open_sizes, give_the_bits_of_given_ones) {
    const open_case &open = GetParam();
    const std::pair<jitnorm_prop_kind_t, unsigned> variants[] = {
        {jitnorm_forward_training, C | H}, {jitnorm_forward_inference, 0U}, {jitnorm_forward_inference, G | C},
        {jitnorm_forward_training, M | H}, {jitnorm_backward, C | H},       {jitnorm_backward_data, G | C},
        {jitnorm_backward, M | C}};
    for (const auto &[kind, flags] : variants) {
        const owned_pd pd = request{kind, flags, open.sizes, open.src, open.dst}.create();
        do {
            for (request closed : open.meets) {
                closed.kind = kind;
                closed.flags = flags;
                SCOPED_TRACE(testing::Message() << implementation_of(pd) << ", kind " << kind << ", flags " << flags
                                                << ", " << testing::PrintToString(closed.sizes));
                expect_bits_of(pd, closed.create());
            }
        } while (jitnorm_primitive_desc_next_impl(pd) == jitnorm_success);
    }
}

// Around the widths of vectors and chunks, and work for several threads.
std::vector<request> matrices() {
    return {sized({1, 1}), sized({3, 16}),    sized({5, 33}),  sized({0, 7}),
            sized({2, 0}), sized({150, 515}), sized({1, 9001})};
}

std::vector<request> with_layouts(std::vector<request> list, const layout &src, const layout &dst) {
    for (request &r : list) {
        r.src = src;
        r.dst = dst;
    }
    return list;
}

INSTANTIATE_TEST_SUITE_P(
    all, open_sizes,
    testing::Values(
        open_case{"rows", {R, 33}, {}, {}, {sized({1, 33}), sized({7, 33}), sized({0, 33}), sized({2000, 33})}},
        open_case{"columns", {6, R}, {}, {}, {sized({6, 1}), sized({6, 24}), sized({6, 0}), sized({6, 9000})}},
        open_case{"both", {R, R}, {}, {}, matrices()},
        open_case{"all_of_3", {R, R, R}, {}, {}, {sized({2, 3, 24}), sized({3, 1, 5}), sized({2, 0, 4})}},
        open_case{"middle_of_4", {2, R, 3, 8}, {}, {}, {sized({2, 1, 3, 8}), sized({2, 5, 3, 8})}},
        open_case{"columns_first",
                  {R, R},
                  tag(jitnorm_ba),
                  tag(jitnorm_ba),
                  with_layouts(matrices(), tag(jitnorm_ba), tag(jitnorm_ba))},
        open_case{"blocked",
                  {R, R, R},
                  tag(jitnorm_aBc8b),
                  tag(jitnorm_aBc8b),
                  {sized({2, 3, 24}, tag(jitnorm_aBc8b), tag(jitnorm_aBc8b)),
                   sized({2, 17, 5}, tag(jitnorm_aBc8b), tag(jitnorm_aBc8b))}},
        open_case{"row_stride",
                  {R, R},
                  strides({R, 1}),
                  strides({R, 1}),
                  {sized({4, 24}), sized({4, 24}, strides({29, 1}), strides({32, 1})),
                   sized({5, 3}, strides({3, 1}), strides({100, 1}))}},
        open_case{"all_strides",
                  {R, R},
                  strides({R, R}),
                  strides({R, R}),
                  {sized({4, 24}), sized({4, 24}, strides({29, 1}), strides({32, 1})),
                   sized({5, 30}, strides({1, 5}), {}), sized({5, 30}, {}, strides({2, 11})),
                   sized({5, 30}, strides({0, 1}), {}), sized({70, 5000}, strides({1, 70}), strides({1, 71}))}},
        open_case{"strides_of_known_sizes",
                  {5, 30},
                  strides({R, R}),
                  {},
                  {sized({5, 30}), sized({5, 30}, strides({1, 5}), {})}}),
    [](const auto &instance) { return instance.param.name; });

// ---------------------------------------------------------------- other ways to execute

// Layouts that are equal while they are open need not be when it comes to it.
TEST(runtime_sizes, in_place_needs_equal_memories) {
    const owned_pd open = request{jitnorm_forward_inference, 0, {R, R}, strides({R, 1}), strides({R, 1})}.create();
    const owned_pd sizes = request{jitnorm_forward_inference, 0, {6, 24}, {}, strides({25, 1})}.create();
    execution run(open, sizes);
    fill_tensors(run);
    const auto before = run.tensors().at(JITNORM_ARG_DST).bytes;
    EXPECT_OK(
        jitnorm_memory_set_data_handle(run.tensors().at(JITNORM_ARG_SRC).memory, run.data<void>(JITNORM_ARG_DST)));
    EXPECT_EQ(run.run(), INVALID);
    EXPECT_EQ(run.tensors().at(JITNORM_ARG_DST).bytes, before);
}

TEST(runtime_sizes, of_only_the_statistics) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward}) {
        request open{kind, C | H, {4, 3, 24}, {}, {}}, closed = open;
        open.statistics = strides({R, R});
        for (const layout &meets : {strides({3, 1}), strides({1, 4}), strides({20, 3})}) {
            closed.statistics = meets;
            const owned_pd pd = open.create();
            do {
                SCOPED_TRACE(implementation_of(pd));
                expect_bits_of(pd, closed.create());
            } while (jitnorm_primitive_desc_next_impl(pd) == jitnorm_success);
        }
    }
}

// Of a tensor that the primitive does not have.
TEST(runtime_sizes, of_statistics_that_are_not_used) {
    request open{jitnorm_forward_inference, C, {4, 3, 24}, {}, {}}, closed = open;
    open.statistics = strides({R, R});
    expect_bits_of(open.create(), closed.create());
}

TEST(runtime_sizes, the_users_scratchpad_serves_all_sizes) {
    const owned_attr attr = with_user_scratchpad();
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward})
        for (const layout &both : {tag(jitnorm_ab), tag(jitnorm_ba)}) {
            const owned_pd open = request{kind, C | H, {R, R}, both, both, jitnorm_f32, attr}.create();
            for (const dims &sizes : {dims{3, 24}, dims{200, 1000}, dims{2, 9000}, dims{1, 300000}})
                expect_bits_of(open, request{kind, C | H, sizes, both, both}.create());
        }
}

TEST(runtime_sizes, rows_that_lie_dense_and_backward_ask_the_user_for_no_scratchpad) {
    const owned_attr attr = with_user_scratchpad();
    const auto asks = [&](jitnorm_prop_kind_t kind, const layout &both) {
        const owned_pd open = request{kind, C, {R, R}, both, both, jitnorm_f32, attr}.create();
        return ndims_of(jitnorm_primitive_desc_query_md(open, jitnorm_query_scratchpad_md, 0)) != 0;
    };
    EXPECT_FALSE(asks(jitnorm_forward_training, strides({R, 1})));
    EXPECT_TRUE(asks(jitnorm_forward_training, tag(jitnorm_ba)));
    EXPECT_FALSE(asks(jitnorm_backward, strides({R, 1})));
    EXPECT_FALSE(asks(jitnorm_backward, tag(jitnorm_ba)));
}

TEST(runtime_sizes, several_threads_with_sizes_of_their_own) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward}) {
        const owned_pd open = request{kind, C | H, {R, R}, {}, {}}.create();
        const owned_pd any_size = request{kind, C | H, {1, 1}, {}, {}}.create();
        const execution shared(open, any_size);
        std::atomic<int> wrong = 0;
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                const owned_pd closed = request{kind, C | H, {3 + t, 20 + 7 * t}, {}, {}}.create();
                execution run(open, closed), expected(closed);
                fill_tensors(run);
                fill_tensors(expected);
                EXPECT_OK(expected.run());
                const owned_stream stream = make_stream();
                for (int i = 0; i < 20; ++i) wrong += run.run_by(shared.primitive(), stream) != jitnorm_success;
                for (auto &[arg, tensor] : expected.tensors()) wrong += run.tensors().at(arg).bytes != tensor.bytes;
            });
        threads.clear();
        EXPECT_EQ(wrong, 0);
    }
}

TEST(runtime_sizes, are_done_by_what_does_given_ones) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward})
        for (const layout &both : {tag(jitnorm_ab), tag(jitnorm_ba)}) {
            const owned_pd open = request{kind, C, {R, R}, both, both}.create();
            const owned_pd closed = request{kind, C, {6, 24}, both, both}.create();
            EXPECT_EQ(implementation_of(open), implementation_of(closed));
        }
}

TEST(runtime_sizes, post_ops) {
    const auto attr_with = [](const dims &src1, jitnorm_data_type_t type) {
        owned_attr attr = make_attr();
        append(attr, [&](jitnorm_post_ops_t post_ops) {
            EXPECT_OK(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_eltwise_relu, 0.f, 0.f));
            EXPECT_OK(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, make_md(src1, type)));
            return jitnorm_post_ops_append_sum(post_ops, 0.5f, 0, jitnorm_data_type_undef);
        });
        return attr;
    };
    for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64}) {
        const auto create = [&](const dims &sizes, const dims &src1) {
            const owned_attr attr = attr_with(src1, type);
            return request{jitnorm_forward_inference, C, sizes, {}, {}, jitnorm_f32, attr}.create();
        };
        const owned_pd open = create({R, R}, {1, R}), full = create({R, R}, {R, R});
        for (const dims &sizes : {dims{3, 24}, dims{70, 33}, dims{1, 5}, dims{3, 1}}) {
            const owned_pd closed = create(sizes, {1, sizes[1]}), closed_full = create(sizes, sizes);
            expect_bits_of(open, closed);
            expect_bits_of(full, closed_full);
            execution broadcast(full, closed);
            EXPECT_EQ(broadcast.run(), sizes[0] == 1 ? jitnorm_success : INVALID);
            EXPECT_EQ(broadcast.is_untouched(), sizes[0] != 1);
        }
    }
}

// ---------------------------------------------------------------- what queries answer

TEST(runtime_sizes, queries_show_them) {
    const owned_pd pd = request{jitnorm_backward, C | H, {R, 3, R}, {}, {jitnorm_format_tag_any}}.create();
    const auto md = [&](jitnorm_query_t what, int index) { return jitnorm_primitive_desc_query_md(pd, what, index); };
    EXPECT_EQ(dims_of(md(jitnorm_query_src_md, 0), jitnorm_query_dims), (dims{R, 3, R}));
    EXPECT_EQ(dims_of(md(jitnorm_query_diff_dst_md, 0), jitnorm_query_dims), (dims{R, 3, R}));
    EXPECT_EQ(dims_of(md(jitnorm_query_diff_dst_md, 0), jitnorm_query_strides), (dims{R, R, 1})); // row major
    EXPECT_EQ(dims_of(md(jitnorm_query_src_md, 1), jitnorm_query_dims), (dims{R, 3}));
    EXPECT_EQ(dims_of(md(jitnorm_query_weights_md, 0), jitnorm_query_dims), (dims{R}));
    EXPECT_EQ(jitnorm_memory_desc_get_size(md(jitnorm_query_diff_weights_md, 1)), JITNORM_RUNTIME_SIZE_VAL);
    int64_t consumption = 0;
    EXPECT_OK(jitnorm_primitive_desc_query(pd, jitnorm_query_memory_consumption_s64, 0, &consumption));
    EXPECT_EQ(consumption, R);
}

TEST(runtime_sizes, the_log_tells_them) {
    const std::string log = log_of(2, [] {
        const owned_pd open = request{jitnorm_forward_inference, 0, {R, R}, {}, {}}.create();
        const owned_pd closed = request{jitnorm_forward_inference, 0, {5, 9}, {}, {}}.create();
        EXPECT_OK(execution(open, closed).run());
    });
    const auto line = [&](const std::string &event, const std::string &sizes) {
        const size_t begin = log.find(event), end = log.find('\n', begin);
        return begin != std::string::npos && log.substr(begin, end - begin).find(sizes) != std::string::npos;
    };
    EXPECT_TRUE(line("primitive,create,", " *x*,")) << log;
    EXPECT_TRUE(line("primitive,exec,", " 5x9,")) << log;
}

// ---------------------------------------------------------------- mismatches

// Nothing is written then, and the log says why in one line.
class mismatch : public testing::Test {
protected:
    // Every case starts from {R, 3, R} with 2x3x8; `arg` then gets a memory of another descriptor.
    void expect_refused(const request &open, int arg, const owned_md &md) {
        request closed{open.kind, open.flags, {2, 3, 8}, {}, {}};
        const owned_pd open_pd = open.create(), closed_pd = closed.create();
        execution run(open_pd, closed_pd);
        ASSERT_OK(run.run());
        execution spoiled(open_pd, closed_pd);
        ASSERT_EQ(spoiled.tensors().count(arg), 1u);
        std::vector<std::byte> bytes(jitnorm_memory_desc_get_size(md) + 1, std::byte(0x3f));
        spoiled.tensors().at(arg).memory = make_memory(md, bytes.data());
        const std::string log = log_of(1, [&] { EXPECT_EQ(spoiled.run(), INVALID); });
        EXPECT_NE(log.find("error,jitnorm_primitive_execute,invalid_arguments,"), std::string::npos) << log;
        EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
        EXPECT_TRUE(spoiled.is_untouched());
        EXPECT_EQ(std::count(bytes.begin(), bytes.end(), std::byte(0x3f)), std::ptrdiff_t(bytes.size()));
    }

    request forward_{jitnorm_forward_training, C | H, {R, 3, R}, {}, {}};
    request backward_{jitnorm_backward, C | H, {R, 3, R}, {}, {}};
};

TEST_F(mismatch, of_known_sizes_and_types) {
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DST}) {
        expect_refused(forward_, arg, make_md({2, 4, 8}, jitnorm_f32));
        expect_refused(forward_, arg, make_md({2, 3, 8}, jitnorm_bf16));
        expect_refused(forward_, arg, make_md({2, 24}, jitnorm_f32));
        expect_refused(forward_, arg, make_md({2, 3, 8}, jitnorm_f32, jitnorm_aBc8b));
    }
    for (const int arg : {JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST})
        expect_refused(backward_, arg, make_md({2, 2, 8}, jitnorm_f32));
}

TEST_F(mismatch, of_known_strides) {
    expect_refused(forward_, JITNORM_ARG_SRC, make_md({2, 3, 8}, jitnorm_f32, dims{48, 16, 2}));
    expect_refused(forward_, JITNORM_ARG_MEAN, make_md({2, 3}, jitnorm_f32, dims{6, 2}));
}

TEST_F(mismatch, between_tensors) {
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DST})
        for (const dims &sizes : {dims{1, 3, 8}, dims{3, 3, 8}, dims{2, 3, 7}, dims{2, 3, 16}, dims{0, 3, 8}})
            expect_refused(forward_, arg, make_md(sizes, jitnorm_f32));
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DIFF_DST, JITNORM_ARG_DIFF_SRC})
        expect_refused(backward_, arg, make_md({2, 3, 9}, jitnorm_f32));
    for (const int arg : {JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE}) {
        expect_refused(forward_, arg, make_md({3, 3}, jitnorm_f32));
        expect_refused(backward_, arg, make_md({1, 3}, jitnorm_f32));
    }
    for (const int arg : {JITNORM_ARG_SCALE, JITNORM_ARG_SHIFT})
        expect_refused(forward_, arg, make_md({7}, jitnorm_f32));
    for (const int arg : {JITNORM_ARG_SCALE, JITNORM_ARG_DIFF_SCALE, JITNORM_ARG_DIFF_SHIFT})
        expect_refused(backward_, arg, make_md({9}, jitnorm_f32));
}

TEST_F(mismatch, of_open_strides) {
    const layout open_strides = strides({R, R, 1});
    const request open{jitnorm_forward_training, 0, {R, 3, R}, open_strides, open_strides};
    // Mean and variance have one descriptor in a primitive, so they lie alike.
    expect_refused(open, JITNORM_ARG_MEAN, make_md({2, 3}, jitnorm_f32, dims{4, 1}));
    expect_refused(open, JITNORM_ARG_DST, make_md({2, 3, 8}, jitnorm_f32, dims{0, 8, 1})); // an output of stride zero
}

TEST_F(mismatch, memories_without_data) {
    request closed = forward_;
    closed.sizes = {2, 3, 8};
    const owned_pd open = forward_.create(), sizes = closed.create();
    execution run(open, sizes);
    for (const auto &[arg, tensor] : run.tensors()) {
        EXPECT_OK(jitnorm_memory_set_data_handle(tensor.memory, nullptr));
        EXPECT_EQ(run.run(), INVALID) << arg;
        EXPECT_OK(jitnorm_memory_set_data_handle(tensor.memory, run.data<void>(arg)));
    }
    EXPECT_TRUE(run.is_untouched());
}

} // namespace
