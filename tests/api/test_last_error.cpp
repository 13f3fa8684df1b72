// SPDX-License-Identifier: Apache-2.0
// The reason of the last error: whose it is, how long it stays, and where it is to be had.
#include <string>
#include <thread>

#include <pthread.h>

#include "jitnorm/jitnorm.hpp"
#include "support/allocation_failures.hpp"
#include "support/child.hpp"
#include "support/execution.hpp"

namespace jitnorm::tests {
namespace {

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
    EXPECT_EQ(reason.find("unknown implementation 'xxx"), 0u) << reason;
}

TEST_F(last_error, is_in_the_child_of_a_fork) {
    fail_with_stream();
    expect_child_succeeds([] {
        const bool inherited = std::string(jitnorm_get_last_error()) == "stream is null";
        const bool works = jitnorm_engine_get_kind(nullptr, nullptr) == INVALID &&
                           std::string(jitnorm_get_last_error()) == "engine is null";
        _exit(inherited && works ? 0 : 1);
    });
}

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
    EXPECT_STREQ(jitnorm_get_last_error(), "src has 1 dimension; 2 to 5 are supported");
}

struct reasons : last_error {
    static std::string of(jitnorm_status_t status) {
        return status == jitnorm_success ? "no error" : jitnorm_get_last_error();
    }
    static std::string of_tag(int ndims, jitnorm_data_type_t type, jitnorm_format_tag_t tag) {
        const dims sizes(size_t(ndims), 3);
        owned_md md;
        return of(jitnorm_memory_desc_create_with_tag(&md, ndims, sizes.data(), type, tag));
    }
    static std::string of_strides(const dims &sizes, const dims &strides) {
        owned_md md;
        return of(
            jitnorm_memory_desc_create_with_strides(&md, int(sizes.size()), sizes.data(), jitnorm_f32, strides.data()));
    }
};

TEST_F(reasons, of_typical_mistakes_say_what_is_right) {
    const owned_attr attr = make_attr();
    const owned_pd last = forward_pd(jitnorm_forward_inference, {3, 8});
    while (jitnorm_primitive_desc_next_impl(last) == jitnorm_success) {
    }
    jitnorm_engine_t engine;
    EXPECT_EQ(of(jitnorm_engine_create(&engine, jitnorm_gpu, 0)),
              "there is no engine 0 of kind gpu; engine 0 of kind cpu is the only one");
    EXPECT_EQ(of_tag(2, jitnorm_data_type_undef, jitnorm_ab),
              "unknown data_type 0; known: f16, bf16, f32, s32, s8, u8, f64, f8_e5m2, f8_e4m3");
    EXPECT_EQ(of_tag(2, jitnorm_f32, jitnorm_format_tag_undef),
              "unknown tag 0; jitnorm_format_tag_t has those that there are");
    EXPECT_EQ(of_tag(2, jitnorm_f32, jitnorm_abc), "the tag abc has 3 dimensions, the tensor has 2");
    EXPECT_EQ(of_tag(13, jitnorm_f32, jitnorm_ab), "ndims is 13; 0 to 12 are possible");
    EXPECT_EQ(of(jitnorm_primitive_desc_next_impl(last)), "there is no further implementation");
    EXPECT_EQ(of(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_SCALE, 0)),
              "arg 51 takes neither scales nor zero points: JITNORM_ARG_SRC and JITNORM_ARG_DST do");
    EXPECT_EQ(of(jitnorm_set_verbose(9)), "level is 9; 0, 1 or 2 is expected");
}

TEST_F(reasons, tell_which_number_it_is) {
    const owned_post_ops ops = make_post_ops();
    ASSERT_OK(jitnorm_post_ops_append_eltwise(ops, jitnorm_eltwise_relu, 0, 0));
    const auto of_sum = [&](int index) {
        return of(jitnorm_post_ops_get_params_sum(ops, index, nullptr, nullptr, nullptr));
    };
    EXPECT_EQ(of_sum(0), "post-op 0 is not of kind sum");
    EXPECT_EQ(of_sum(2), "index is 2; the number of post-ops is 1");
    EXPECT_EQ(of_strides({4, 3, 8}, {24, 7, 1}),
              "strides[1] is 7 and makes elements overlap: the dimensions of smaller strides have elements at the "
              "distance 7, too");
    EXPECT_EQ(of_strides({4, 2}, {jitnorm_dim_t(1) << 61, 1}), "the tensor is too large to be addressed");
    EXPECT_EQ(of_strides({2, -3}, {3, 1}), "dims[1] is -3, which is negative");
}

template <typename Body>
error thrown_by(Body &&body) {
    try {
        body();
    } catch (const error &e) {
        return e;
    }
    ADD_FAILURE() << "nothing is thrown";
    return {jitnorm_success, ""};
}

TEST_F(last_error, is_in_exceptions) {
    // By the header, not by the library.
    EXPECT_STREQ(thrown_by([] { stream(engine{}, stream::flags(77)); }).what(), "the engine is not initialized");
    EXPECT_STREQ(thrown_by([] { memory().get_desc(); }).what(), "the memory is not initialized");
    const error copy = thrown_by([] { stream(engine(engine::kind::cpu, 0), stream::flags(77)); });
    fail_with_engine();
    EXPECT_STREQ(copy.what(), "could not create a stream: flags is 0x4d; in_order or out_of_order is expected");
    EXPECT_STREQ(copy.message, "could not create a stream");
    EXPECT_STREQ(thrown_by([] { engine(engine::kind::cpu, 1); }).what(),
                 "could not create an engine: there is no engine 1 of kind cpu; engine 0 of kind cpu is the only one");
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
