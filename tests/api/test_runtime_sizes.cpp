// SPDX-License-Identifier: Apache-2.0
// Dimensions and strides that are known at execution only: the same bits as with a descriptor of those sizes, for every
// implementation, and each way in which the memories of an execution do not make one problem.
#include <algorithm>
#include <atomic>
#include <thread>

#include "runtime_requests.hpp"

using namespace jitnorm::tests;

namespace {

// Tensors whose sizes and strides are known, or open.
struct shape {
    dims sizes;
    layout src = {}, dst = {}, statistics = {};
};

// An open request, and what it may meet, executed by one primitive of each implementation.
struct open_case {
    const char *name;
    shape open;
    std::vector<shape> meets;
};

class open_sizes : public testing::TestWithParam<open_case> {};

void expect_bits_of(const owned_pd &open, const owned_pd &closed) {
    execution run(open, closed), expected(closed);
    expect_same(run, expected);
}

TEST_P(open_sizes, give_the_bits_of_given_ones) {
    const std::pair<jitnorm_prop_kind_t, unsigned> variants[] = {
        {jitnorm_forward_training, C | H}, {jitnorm_forward_inference, 0U}, {jitnorm_forward_inference, G | C},
        {jitnorm_forward_training, M | H}, {jitnorm_backward, C | H},       {jitnorm_backward_data, G | C},
        {jitnorm_backward, M | C}};
    for (const auto &[kind, flags] : variants) {
        const auto create = [kind = kind, flags = flags](const shape &s) {
            return request{kind, flags, s.sizes, s.src, s.dst, jitnorm_f32, nullptr, s.statistics}.create();
        };
        const owned_pd pd = create(GetParam().open);
        do {
            for (const shape &closed : GetParam().meets) {
                SCOPED_TRACE(testing::Message() << implementation_of(pd) << ", kind " << kind << ", flags " << flags
                                                << ", " << testing::PrintToString(closed.sizes));
                expect_bits_of(pd, create(closed));
            }
        } while (jitnorm_primitive_desc_next_impl(pd) == jitnorm_success);
    }
}

// Around the widths of vectors and chunks, and work for several threads.
std::vector<shape> matrices(const layout &both) {
    std::vector<shape> all;
    for (const dims &sizes : {dims{1, 1}, {3, 16}, {5, 33}, {0, 7}, {2, 0}, {150, 515}, {1, 9001}})
        all.push_back({sizes, both, both});
    return all;
}

const layout ROWS = {}, COLUMNS = tag(jitnorm_ba), BLOCKED = tag(jitnorm_aBc8b), ANY_ROWS = strides({R, 1}),
             ANYWHERE = strides({R, R});
const open_case OPEN_CASES[] = {
    {"rows", {{R, 33}}, {{{1, 33}}, {{7, 33}}, {{0, 33}}, {{2000, 33}}}},
    {"columns", {{6, R}}, {{{6, 1}}, {{6, 24}}, {{6, 0}}, {{6, 9000}}}},
    {"both", {{R, R}}, matrices(ROWS)},
    {"both_with_columns_first", {{R, R}, COLUMNS, COLUMNS}, matrices(COLUMNS)},
    {"all_of_3", {{R, R, R}}, {{{2, 3, 24}}, {{3, 1, 5}}, {{2, 0, 4}}}},
    {"middle_of_4", {{2, R, 3, 8}}, {{{2, 1, 3, 8}}, {{2, 5, 3, 8}}}},
    {"blocked", {{R, R, R}, BLOCKED, BLOCKED}, {{{2, 3, 24}, BLOCKED, BLOCKED}, {{2, 17, 5}, BLOCKED, BLOCKED}}},
    {"row_stride",
     {{R, R}, ANY_ROWS, ANY_ROWS},
     {{{4, 24}}, {{4, 24}, strides({29, 1}), strides({32, 1})}, {{5, 3}, strides({3, 1}), strides({100, 1})}}},
    {"all_strides",
     {{R, R}, ANYWHERE, ANYWHERE},
     {{{4, 24}},
      {{4, 24}, strides({29, 1}), strides({32, 1})},
      {{5, 30}, strides({1, 5})},
      {{5, 30}, ROWS, strides({2, 11})},
      {{5, 30}, strides({0, 1})},
      {{70, 5000}, strides({1, 70}), strides({1, 71})}}},
    {"strides_of_known_sizes", {{5, 30}, ANYWHERE}, {{{5, 30}}, {{5, 30}, strides({1, 5})}}},
    {"strides_of_statistics",
     {{4, 3, 24}, ROWS, ROWS, ANYWHERE},
     {{{4, 3, 24}, ROWS, ROWS, strides({1, 4})}, {{4, 3, 24}, ROWS, ROWS, strides({20, 3})}}},
};
INSTANTIATE_TEST_SUITE_P(all, open_sizes, testing::ValuesIn(OPEN_CASES),
                         [](const auto &instance) { return instance.param.name; });

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

// They would have to hand on sums in a scratchpad, which nobody has asked the user for.
TEST(runtime_sizes, threads_share_no_long_row_where_the_user_gives_the_scratchpad) {
    const auto shares = [](const_jitnorm_primitive_attr_t attr) {
        bool is_called = false;
        const auto call_all = [](void *called, int count, void (*body)(void *, int), void *argument) {
            *static_cast<bool *>(called) = true;
            for (int i = 0; i < count; ++i) body(argument, i);
        };
        const layout rows = strides({R, 1});
        const owned_pd open = request{jitnorm_forward_training, C, {R, R}, rows, rows, jitnorm_f32, attr}.create();
        const execution run(open, request{jitnorm_forward_training, C, {1, 1 << 20}, {}, {}}.create());
        EXPECT_OK(run.run_on(make_stream({call_all, &is_called, 4})));
        return is_called;
    };
    EXPECT_TRUE(shares(nullptr));
    EXPECT_FALSE(shares(with_user_scratchpad()));
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

// What they compute is for the fuzz targets.
TEST(runtime_sizes, of_an_operand_are_those_of_dst) {
    const auto create = [](const dims &sizes, const dims &src1) {
        const owned_attr attr = make_attr();
        append(attr, [&](jitnorm_post_ops_t post_ops) {
            return jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_mul, make_md(src1, jitnorm_f32));
        });
        return request{jitnorm_forward_inference, C, sizes, {}, {}, jitnorm_f32, attr}.create();
    };
    const owned_pd broadcast = create({R, R}, {1, R}), full = create({R, R}, {R, R});
    for (const dims &sizes : {dims{3, 24}, dims{70, 33}, dims{1, 5}, dims{3, 1}}) {
        const owned_pd one_row = create(sizes, {1, sizes[1]});
        expect_bits_of(broadcast, one_row);
        expect_bits_of(full, create(sizes, sizes));
        execution mixed(full, one_row);
        EXPECT_EQ(mixed.run(), sizes[0] == 1 ? jitnorm_success : INVALID);
        EXPECT_EQ(mixed.is_untouched(), sizes[0] != 1);
    }
}

TEST(runtime_sizes, queries_show_them) {
    const owned_pd pd = request{jitnorm_backward, C | H, {R, 3, R}, {}, {jitnorm_format_tag_any}}.create();
    const auto md = [&](jitnorm_query_t what, int index) { return jitnorm_primitive_desc_query_md(pd, what, index); };
    EXPECT_EQ(dims_of(md(jitnorm_query_src_md, 0), jitnorm_query_dims), (dims{R, 3, R}));
    EXPECT_EQ(dims_of(md(jitnorm_query_diff_dst_md, 0), jitnorm_query_dims), (dims{R, 3, R}));
    EXPECT_EQ(dims_of(md(jitnorm_query_diff_dst_md, 0), jitnorm_query_strides), (dims{R, R, 1})); // row major
    EXPECT_EQ(dims_of(md(jitnorm_query_src_md, 1), jitnorm_query_dims), (dims{R, 3}));
    EXPECT_EQ(dims_of(md(jitnorm_query_weights_md, 0), jitnorm_query_dims), (dims{R}));
    EXPECT_EQ(jitnorm_memory_desc_get_size(md(jitnorm_query_diff_weights_md, 1)), JITNORM_RUNTIME_SIZE_VAL);
    const auto consumption = [](jitnorm_prop_kind_t kind, const_jitnorm_primitive_attr_t attr) {
        int64_t bytes = -1;
        const owned_pd open = request{kind, C | H, {R, 3, R}, {}, {}, jitnorm_f32, attr}.create();
        EXPECT_OK(jitnorm_primitive_desc_query(open, jitnorm_query_memory_consumption_s64, 0, &bytes));
        return bytes;
    };
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward}) EXPECT_EQ(consumption(kind, nullptr), R);
    EXPECT_EQ(consumption(jitnorm_forward_training, with_user_scratchpad()), 0);
    EXPECT_EQ(consumption(jitnorm_backward, with_user_scratchpad()), R) << "is always the library's";
}

TEST(runtime_sizes, the_log_tells_them) {
    const std::string log = log_of(2, [] {
        const owned_pd open = request{jitnorm_forward_inference, 0, {R, R}, {}, {}}.create();
        const owned_pd closed = request{jitnorm_forward_inference, 0, {5, 9}, {}, {}}.create();
        EXPECT_OK(execution(open, closed).run());
    });
    size_t at = 0;
    for (const char *next : {"primitive,create,", " *x*,", "primitive,exec,", " 5x9,"}) {
        at = log.find(next, at);
        ASSERT_NE(at, std::string::npos) << next << " is missing in " << log;
    }
}

// Nothing is written then, and the log says why in one line. The memory of `arg` has another descriptor than 2x3x8.
void expect_refused(const request &open, int arg, const owned_md &md) {
    SCOPED_TRACE(testing::Message() << "kind " << open.kind << ", argument " << arg << ", "
                                    << testing::PrintToString(dims_of(md, jitnorm_query_dims)));
    const request closed{open.kind, open.flags, {2, 3, 8}, {}, {}};
    execution run(open.create(), closed.create());
    ASSERT_OK(run.run());
    execution spoiled(open.create(), closed.create());
    ASSERT_EQ(spoiled.tensors().count(arg), 1u);
    std::vector<std::byte> bytes(jitnorm_memory_desc_get_size(md) + 1, std::byte(0x3f));
    spoiled.tensors().at(arg).memory = make_memory(md, bytes.data());
    const std::string log = log_of(1, [&] { EXPECT_EQ(spoiled.run(), INVALID); });
    EXPECT_NE(log.find("error,jitnorm_primitive_execute,invalid_arguments,"), std::string::npos) << log;
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
    EXPECT_TRUE(spoiled.is_untouched());
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), std::byte(0x3f)), std::ptrdiff_t(bytes.size()));
}

const request FORWARD = {jitnorm_forward_training, C | H, {R, 3, R}, {}, {}},
              BACKWARD = {jitnorm_backward, C | H, {R, 3, R}, {}, {}};

TEST(mismatch, with_what_is_known_or_with_other_tensors) {
    const struct {
        const request &open;
        std::vector<int> args;
        std::vector<dims> sizes; // of the memories
    } cases[] = {
        {FORWARD, {JITNORM_ARG_SRC, JITNORM_ARG_DST}, {{2, 4, 8}, {2, 24}}},
        {FORWARD, {JITNORM_ARG_SRC, JITNORM_ARG_DST}, {{1, 3, 8}, {3, 3, 8}, {2, 3, 7}, {2, 3, 16}, {0, 3, 8}}},
        {FORWARD, {JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE}, {{3, 3}}},
        {FORWARD, {JITNORM_ARG_SCALE, JITNORM_ARG_SHIFT}, {{7}}},
        {BACKWARD, {JITNORM_ARG_SRC, JITNORM_ARG_DIFF_DST, JITNORM_ARG_DIFF_SRC}, {{2, 2, 8}, {2, 3, 9}}},
        {BACKWARD, {JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE}, {{1, 3}}},
        {BACKWARD, {JITNORM_ARG_SCALE, JITNORM_ARG_DIFF_SCALE, JITNORM_ARG_DIFF_SHIFT}, {{9}}},
    };
    for (const auto &[open, args, sizes] : cases)
        for (const int arg : args)
            for (const dims &other : sizes) expect_refused(open, arg, make_md(other, jitnorm_f32));
}

TEST(mismatch, of_types_and_layouts) {
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DST}) {
        expect_refused(FORWARD, arg, make_md({2, 3, 8}, jitnorm_bf16));
        expect_refused(FORWARD, arg, make_md({2, 3, 8}, jitnorm_f32, jitnorm_aBc8b));
    }
    expect_refused(FORWARD, JITNORM_ARG_SRC, make_md({2, 3, 8}, jitnorm_f32, dims{48, 16, 2}));
    expect_refused(FORWARD, JITNORM_ARG_MEAN, make_md({2, 3}, jitnorm_f32, dims{6, 2}));
    const layout open_strides = strides({R, R, 1});
    const request open{jitnorm_forward_training, 0, {R, 3, R}, open_strides, open_strides};
    // Mean and variance have one descriptor in a primitive, so they lie alike.
    expect_refused(open, JITNORM_ARG_MEAN, make_md({2, 3}, jitnorm_f32, dims{4, 1}));
    expect_refused(open, JITNORM_ARG_DST, make_md({2, 3, 8}, jitnorm_f32, dims{0, 8, 1})); // an output of stride zero
}

TEST(mismatch, memories_without_data) {
    request closed = FORWARD;
    closed.sizes = {2, 3, 8};
    execution run(FORWARD.create(), closed.create());
    for (const auto &[arg, tensor] : run.tensors()) {
        EXPECT_OK(jitnorm_memory_set_data_handle(tensor.memory, nullptr));
        EXPECT_EQ(run.run(), INVALID) << arg;
        EXPECT_OK(jitnorm_memory_set_data_handle(tensor.memory, run.data<void>(arg)));
    }
    EXPECT_TRUE(run.is_untouched());
}

} // namespace
