// SPDX-License-Identifier: Apache-2.0
// The reason of the last error: whose it is, how long it stays, and where it is to be had.
#include <string>
#include <thread>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jitnorm/jitnorm.hpp"
#include "rig/execution.hpp"
#include "rig/scarce_memory.hpp"

namespace jitnorm::tests {
namespace {

constexpr auto INVALID = jitnorm_invalid_arguments;

class last_error : public testing::Test {
protected:
    void SetUp() override { EXPECT_OK(jitnorm_set_verbose(0)); }
};

void fail_with_stream() { EXPECT_EQ(jitnorm_stream_wait(nullptr), INVALID); }
void fail_with_engine() { EXPECT_EQ(jitnorm_engine_get_kind(nullptr, nullptr), INVALID); }

TEST_F(last_error, is_empty_before_the_first) {
    std::thread([] { EXPECT_STREQ(jitnorm_get_last_error(), ""); }).join();
}

TEST_F(last_error, is_the_threads_and_stays) {
    fail_with_stream();
    std::thread([] {
        fail_with_engine();
        EXPECT_STREQ(jitnorm_get_last_error(), "engine is null");
    }).join();
    EXPECT_STREQ(jitnorm_get_last_error(), "stream is null");
    const owned_stream good = make_stream();
    EXPECT_STREQ(jitnorm_get_last_error(), "stream is null") << "success leaves it";
    fail_with_engine();
    EXPECT_STREQ(jitnorm_get_last_error(), "engine is null") << "the next failure replaces it";
}

TEST_F(last_error, of_a_status_without_words_is_its_name) {
    const owned_md any = make_md({3, 8}, jitnorm_f32, jitnorm_format_tag_any);
    const jitnorm_dim_t *strides = nullptr;
    EXPECT_EQ(jitnorm_memory_desc_query(any, jitnorm_query_strides, &strides), jitnorm_not_required);
    EXPECT_STREQ(jitnorm_get_last_error(), "not_required");
}

TEST_F(last_error, long_ones_are_cut) {
    const std::string name(10000, 'x');
    EXPECT_EQ(jitnorm_set_implementation(name.c_str()), INVALID);
    const std::string reason = jitnorm_get_last_error();
    EXPECT_LT(reason.size(), 512u);
    EXPECT_EQ(reason.find("no implementation has the name xxx"), 0u) << reason;
}

TEST_F(last_error, is_in_the_child_of_a_fork) {
    fail_with_stream();
    const pid_t child = fork();
    if (child == 0) {
        const bool inherited = std::string(jitnorm_get_last_error()) == "stream is null";
        const bool works = jitnorm_engine_get_kind(nullptr, nullptr) == INVALID &&
                           std::string(jitnorm_get_last_error()) == "engine is null";
        _exit(inherited && works ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

// ---------------------------------------------------------------- in threads that end

std::string said_at_the_end; // by the destructor of a key of the thread's

void fail_at_the_end(void *) {
    fail_with_stream();
    said_at_the_end = jitnorm_get_last_error();
}

// Whichever key's destructor comes first: with the library's state, or after it is freed.
TEST_F(last_error, serves_threads_that_end) {
    pthread_key_t key;
    ASSERT_EQ(pthread_key_create(&key, fail_at_the_end), 0);
    for (const bool has_failed_before : {false, true}) {
        said_at_the_end.clear();
        std::thread([&] {
            if (has_failed_before) fail_with_engine();
            pthread_setspecific(key, &key);
        }).join();
        EXPECT_TRUE(said_at_the_end == "stream is null" || said_at_the_end == "there is no memory for the reason")
            << said_at_the_end;
    }
    EXPECT_EQ(pthread_key_delete(key), 0);
}

// ---------------------------------------------------------------- when memory is out

TEST_F(last_error, serves_when_memory_is_out) {
    std::thread([] { // with nothing of the library's yet
        no_memory = true;
        fail_with_stream();
        const std::string_view reason = jitnorm_get_last_error();
        no_memory = false;
        EXPECT_EQ(reason, "there is no memory for the reason");
        fail_with_stream();
        EXPECT_STREQ(jitnorm_get_last_error(), "stream is null") << "memory is back";
    })
        .join();
    fail_with_engine();
    owned_stream stream;
    const jitnorm_engine_t engine = cpu();
    no_memory = true;
    const jitnorm_status_t status = jitnorm_stream_create(&stream, engine, jitnorm_stream_default_flags);
    no_memory = false;
    EXPECT_EQ(status, jitnorm_out_of_memory);
    EXPECT_STREQ(jitnorm_get_last_error(), "out of memory");
}

TEST_F(last_error, takes_no_memory_once_a_thread_has_it) {
    fail_with_engine();
    const long before = allocations;
    fail_with_stream();
    const owned_md six = make_md({1}, jitnorm_f32);
    EXPECT_GT(allocations, before) << "allocations are counted";
    const long then = allocations;
    jitnorm_primitive_desc_t pd = nullptr;
    const jitnorm_status_t status = jitnorm_layer_normalization_forward_primitive_desc_create(
        &pd, cpu(), jitnorm_forward_training, six, six, nullptr, 0, 0x1000, nullptr);
    EXPECT_EQ(status, INVALID);
    EXPECT_EQ(allocations, then) << "a reason with values allocates nothing";
    EXPECT_STREQ(jitnorm_get_last_error(), "src has 1 dimension, 2 to 5 are supported");
}

// ---------------------------------------------------------------- which tensor, which number

struct told {
    jitnorm_status_t status;
    const char *reason;
};

// Fails to create a descriptor of what works with these dimensions, spoiled.
void expect_told(const told &expected, const owned_md &src, const owned_md &dst, const owned_md &statistics = {},
                 const owned_attr &attr = {}) {
    owned_pd pd;
    forward_request request{jitnorm_forward_training, src, dst, statistics};
    request.attr = attr;
    EXPECT_EQ(request.create(&pd), expected.status);
    EXPECT_STREQ(jitnorm_get_last_error(), expected.reason);
}

TEST_F(last_error, tells_which_dimension_of_which_tensor) {
    const owned_md src = make_md({4, 3, 8}, jitnorm_f32), rows = make_md({4, 3}, jitnorm_f32);
    const owned_md open = make_md({4, JITNORM_RUNTIME_DIM_VAL, 8}, jitnorm_f32);
    expect_told({INVALID, "dimension 2 of dst is 9, of src 8 (4x3x9 and 4x3x8)"}, src, make_md({4, 3, 9}, jitnorm_f32));
    expect_told({INVALID, "dst has 2 dimensions (4x3), src has 3 (4x3x8)"}, src, rows);
    expect_told({INVALID, "dimension 1 of dst is *, of src 3 (4x*x8 and 4x3x8)"}, src, open);
    expect_told({INVALID,
                 "dimension 1 of statistics (mean and variance) is 2, of src without its normalized dimensions "
                 "3 (4x2 and 4x3)"},
                src, src, make_md({4, 2}, jitnorm_f32));
    expect_told({INVALID,
                 "statistics (mean and variance) has 3 dimensions (4x3x1), src without its normalized dimensions "
                 "has 2 (4x3)"},
                src, src, make_md({4, 3, 1}, jitnorm_f32));
    owned_pd forward, backward;
    ASSERT_OK((forward_request{jitnorm_forward_training, src, src}.create(&forward)));
    const owned_md wide = make_md({4, 3, 9}, jitnorm_f32);
    backward_request with_hint{jitnorm_backward, wide, wide, wide};
    with_hint.hint = forward;
    EXPECT_EQ(with_hint.create(&backward), INVALID);
    EXPECT_STREQ(jitnorm_get_last_error(), "dimension 2 of hint_fwd_pd's src is 8, of src_desc 9 (4x3x8 and 4x3x9)");
}

TEST_F(last_error, tells_types_and_the_direction) {
    const auto unimplemented = jitnorm_unimplemented;
    const owned_md f32 = make_md({4, 8}, jitnorm_f32), s8 = make_md({4, 8}, jitnorm_s8),
                   s32 = make_md({4, 8}, jitnorm_s32);
    expect_told({unimplemented, "src is s32, forward takes f32, bf16, f16, f64, s8 and u8"}, s32, f32);
    expect_told({unimplemented, "dst is s32, forward takes f32, bf16, f16, f64, s8, u8, f8_e5m2 and f8_e4m3 as dst"},
                f32, s32);
    owned_pd pd;
    EXPECT_EQ((backward_request{jitnorm_backward, f32, s8, f32}.create(&pd)), unimplemented);
    EXPECT_STREQ(jitnorm_get_last_error(), "diff_dst is s8, backward takes f32, bf16, f16 and f64");
}

TEST_F(last_error, tells_which_post_op) {
    const owned_md data = make_md({4, 3, 8}, jitnorm_f32);
    owned_post_ops ops;
    owned_attr attr;
    ASSERT_OK(jitnorm_post_ops_create(&ops));
    ASSERT_OK(jitnorm_primitive_attr_create(&attr));
    ASSERT_OK(jitnorm_post_ops_append_eltwise(ops, jitnorm_eltwise_relu, 0, 0));
    ASSERT_OK(jitnorm_post_ops_append_binary(ops, jitnorm_binary_add, make_md({1, 3, 9}, jitnorm_f32)));
    ASSERT_OK(jitnorm_primitive_attr_set_post_ops(attr, ops));
    expect_told({INVALID, "post-op 1: dimension 2 of src1, broadcast, is 9, of dst 8 (4x3x9 and 4x3x8)"}, data, data,
                {}, attr);
    EXPECT_EQ(jitnorm_post_ops_get_params_sum(ops, 1, nullptr, nullptr, nullptr), INVALID);
    EXPECT_STREQ(jitnorm_get_last_error(), "post-op 1 is no sum");
    EXPECT_EQ(jitnorm_post_ops_get_params_sum(ops, 2, nullptr, nullptr, nullptr), INVALID);
    EXPECT_STREQ(jitnorm_get_last_error(), "index is 2, there are 2 post-ops");
}

TEST_F(last_error, tells_one_of_two_causes) {
    const auto reason = [](const dims &sizes, const dims &strides) {
        owned_md md;
        EXPECT_EQ(
            jitnorm_memory_desc_create_with_strides(&md, int(sizes.size()), sizes.data(), jitnorm_f32, strides.data()),
            INVALID);
        return std::string(jitnorm_get_last_error());
    };
    EXPECT_EQ(reason({4, 3, 8}, {24, 7, 1}),
              "strides[1] is 7 and lets elements overlap: the dimensions of smaller strides span 8");
    EXPECT_EQ(reason({2, 3}, {1, 1}),
              "strides[1] is 1 and lets elements overlap: the dimensions of smaller strides span 2");
    EXPECT_EQ(reason({4, 2}, {jitnorm_dim_t(1) << 61, 1}), "the tensor is too large to be addressed");
}

TEST_F(last_error, tells_both_tensors_of_one_place) {
    const owned_md data = make_md({2, 4}, jitnorm_f32);
    const owned_pd pd = forward_request{jitnorm_forward_training, data, data}.make();
    owned_primitive primitive;
    ASSERT_OK(jitnorm_primitive_create(&primitive, pd));
    float values[8] = {}, mean[2] = {};
    const owned_md rows = make_md({2}, jitnorm_f32);
    const owned_memory src = make_memory(data, values), one = make_memory(rows, mean),
                       other = make_memory(rows, values);
    const jitnorm_exec_arg_t args[] = {
        {JITNORM_ARG_SRC, src}, {JITNORM_ARG_DST, src}, {JITNORM_ARG_MEAN, one}, {JITNORM_ARG_VARIANCE, other}};
    EXPECT_EQ(jitnorm_primitive_execute(primitive, make_stream(), 4, args), INVALID);
    EXPECT_STREQ(jitnorm_get_last_error(), "DST is an output and has the memory of VARIANCE");
}

// ---------------------------------------------------------------- in exceptions

TEST_F(last_error, is_in_exceptions) {
    try {
        const stream s(engine{}, stream::flags(77));
        FAIL();
    } catch (const error &e) { // thrown by the header, not by the library
        EXPECT_STREQ(e.what(), "the engine is not initialized");
    }
    try {
        memory().get_desc();
        FAIL();
    } catch (const error &e) {
        EXPECT_STREQ(e.what(), "the memory is not initialized");
    }
    try {
        const stream s(engine(engine::kind::cpu, 0), stream::flags(77));
        FAIL();
    } catch (const error &e) {
        const error copy = e; // NOLINT: copies are what is tried
        fail_with_engine();
        EXPECT_STREQ(copy.what(), "could not create a stream: flags is 0x4d, in_order or out_of_order is expected");
        EXPECT_STREQ(copy.message, "could not create a stream");
    }
}

TEST_F(last_error, exceptions_get_by_without_memory) {
    const error before(INVALID, "what", "why");
    EXPECT_STREQ(before.what(), "what: why");
    no_memory = true;
    const error without(jitnorm_out_of_memory, "what", "why");
    no_memory = false;
    EXPECT_STREQ(without.what(), "what");
}

} // namespace
} // namespace jitnorm::tests
