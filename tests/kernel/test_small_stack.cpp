// SPDX-License-Identifier: Apache-2.0
// A thread with a stack of 64 KB gets through every path: code generation, execution by each implementation, forward
// and backward, dense and packed, with every post-op there may be. Below the stack lie guard pages, more of them than
// any frame is large: who needs more crashes.
#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>

#include <functional>

#include "dispatch/prepare.hpp"
#include "jit/kernel_cache.hpp"
#include "jitnorm/jitnorm.hpp"
#include "support/sweep.hpp"

namespace jitnorm::tests {
namespace {

using impl::layer_norm::implementations;

constexpr size_t STACK_BYTES = 64 * 1024, GUARD_BYTES = 1024 * 1024;

void run_on_small_stack(const std::function<void()> &body) {
    void *const pages =
        mmap(nullptr, GUARD_BYTES + STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    void *const stack = static_cast<char *>(pages) + GUARD_BYTES;
    ASSERT_EQ(mprotect(stack, STACK_BYTES, PROT_READ | PROT_WRITE), 0);
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstack(&attributes, stack, STACK_BYTES), 0);
    const auto enter = [](void *argument) -> void * {
        (*static_cast<const std::function<void()> *>(argument))();
        return nullptr;
    };
    pthread_t thread = {};
    ASSERT_EQ(pthread_create(&thread, &attributes, enter, const_cast<std::function<void()> *>(&body)), 0);
    ASSERT_EQ(pthread_join(thread, nullptr), 0);
    ASSERT_EQ(pthread_attr_destroy(&attributes), 0);
    ASSERT_EQ(munmap(pages, GUARD_BYTES + STACK_BYTES), 0);
}

// Only calls of the library, which generates kernels anew: a test itself needs a larger stack.
void expect_success(const setup &s, const implementation &entry, int threads, sizes_come when) {
    const run r(s);
    const bool late = when == sizes_come::at_execution;
    const problem created = late ? with_runtime_sizes(r.p) : r.p;
    const plan how = plan_of(entry, r.p);
    const guarded_buffer scratchpad(how.scratchpad.bytes(), guard_side::before);
    jitnorm_status_t status = jitnorm_runtime_error;
    impl::jit::set_kernel_cache_capacity(0);
    run_on_small_stack([&] {
        omp_set_num_threads(threads);
        if (validate(created).code == jitnorm_success)
            status = r.call(*create(entry, created), scratchpad.data(), late ? &how : nullptr);
    });
    impl::jit::set_kernel_cache_capacity(1024);
    EXPECT_EQ(status, jitnorm_success) << entry.name << " " << s;
}

void expect_success_everywhere(const setup &s) {
    for (const implementation &entry : implementations()) {
        if (!entry.refusal(make_problem(s)).empty()) continue;
        for (const int threads : {1, 3}) expect_success(s, entry, threads, sizes_come::at_creation);
        expect_success(s, entry, 1, sizes_come::at_execution);
    }
}

// As many post-ops as there may be: the table of their operands is the largest thing on the stack.
void add_post_ops(setup &s) {
    const dim_t row[] = {1, s.dims.back()}, column[] = {s.dims.front(), 1};
    s.attr.src_scale = s.attr.dst_scale = true;
    s.attr.post_ops.entries = {impl::sum_post_op{0.5F, 0, jitnorm_data_type_undef}};
    while (s.attr.post_ops.entries.size() + 3 <= size_t(impl::MAX_POST_OPS)) {
        s.attr.post_ops.entries.emplace_back(impl::eltwise_post_op{jitnorm_eltwise_gelu_erf, 0, 0});
        s.attr.post_ops.entries.emplace_back(
            impl::binary_post_op{jitnorm_binary_add, impl::make_dense(row, jitnorm_f16)});
        s.attr.post_ops.entries.emplace_back(
            impl::binary_post_op{jitnorm_binary_max, impl::make_dense(column, jitnorm_s8)});
    }
}

class small_stack : public testing::Test {
protected:
    void SetUp() override {
#ifdef JITNORM_SANITIZED
        GTEST_SKIP() << "sanitizers put red zones and records of their own on the stack";
#endif
    }
};

// Few rows of long ones.
void shorten(setup &s) {
    if (s.dims.back() > 1000) s.dims.front() = s.dims.front() > 33 ? 5 : 3;
}

const choices TYPES = row_types({jitnorm_f64, jitnorm_f32, jitnorm_bf16, jitnorm_s8});
const choices LAYOUTS = row_layouts({"dense", "ba", "spread", "AB16b16a"});

const sweep SWEEPS[] = {
    {.name = "forward",
     .of = {.dims = {33, 0}},
     .each = {TYPES,
              LAYOUTS,
              columns({9, 300, 9000}),
              flags({6, 6 | jitnorm_use_global_stats, 6 | jitnorm_rms_norm}),
              {shorten}}},
    {.name = "forward_with_post_ops",
     .each = {TYPES, row_layouts({"dense", "ba", "spread"}), columns({9, 4500}), {add_post_ops}}},
    {.name = "backward",
     .of = {.dims = {70, 0}},
     .each = {kinds({jitnorm_backward, jitnorm_backward_data}),
              row_types({jitnorm_f64, jitnorm_f32, jitnorm_bf16}),
              LAYOUTS,
              columns({9, 300, 9000}),
              {shorten}}},
    {.name = "backward_by_units_of_rows_and_chunks",
     .of = {.kind = jitnorm_backward},
     .each = {each_layouts({{{3, 64, 9}, "cba", "cba", "cba", "ab"}, {{2, 40000}, "ab", "ab", "ab", "a"}}),
              row_types({jitnorm_f64})}}};

TEST_F(small_stack, is_enough_for_every_way) {
    for (const sweep &s : SWEEPS) {
        SCOPED_TRACE(s.name);
        for_each_case(s, expect_success_everywhere);
    }
}

// Through the public interface, where descriptors and attributes are on the stack as well.
TEST_F(small_stack, from_descriptors_to_an_execution) {
    std::vector<float> src(7 * 300, 1), dst(src.size(), 1);
    run_on_small_stack([&] {
        const engine cpu(engine::kind::cpu, 0);
        stream on(cpu);
        const memory::desc rows({7, 300}, memory::data_type::f32, memory::format_tag::ab);
        const layer_normalization_forward::primitive_desc desc(cpu, prop_kind::forward_inference, rows, rows, 1e-5F,
                                                               normalization_flags::none);
        layer_normalization_forward(desc).execute(
            on, {{JITNORM_ARG_SRC, memory(rows, cpu, src.data())}, {JITNORM_ARG_DST, memory(rows, cpu, dst.data())}});
    });
    EXPECT_EQ(dst, std::vector<float>(dst.size(), 0)); // the rows are constant
}

} // namespace
} // namespace jitnorm::tests
