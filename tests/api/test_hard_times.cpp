// SPDX-License-Identifier: Apache-2.0
// When the system gives no memory: each allocation of each creation fails once, executions allocate nothing, and
// without pages for code the reference takes over.
#include <cstdlib>
#include <string>
#include <thread>

#include <unistd.h>

#include "rig/execution.hpp"
#include "rig/scarce_memory.hpp"

using namespace jitnorm::tests;

namespace {

const std::string REFERENCE = "ref:any";

struct model {
    owned_md data = make_md({3, 8}, jitnorm_f32);
    owned_attr attr = make_attr();
    owned_post_ops post_ops = make_post_ops();
    owned_pd forward = forward_request{jitnorm_forward_training, data, data}.make(),
             backward =
                 backward_request{jitnorm_backward, data, data, data}.make(jitnorm_use_scale | jitnorm_use_shift);

    model() {
        EXPECT_OK(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_eltwise_relu, 0.f, 0.f));
        EXPECT_OK(jitnorm_primitive_attr_set_post_ops(attr, post_ops));
    }
};

TEST(out_of_memory, objects_say_so) {
    const model m;
    expect_each_failure_told("stream", jitnorm_out_of_memory, [] {
        owned_stream result;
        return jitnorm_stream_create(&result, cpu(), jitnorm_stream_in_order);
    });
    expect_each_failure_told("memory descriptor", jitnorm_out_of_memory, [] {
        owned_md result;
        const jitnorm_dim_t sizes[] = {2, 3};
        return jitnorm_memory_desc_create_with_tag(&result, 2, sizes, jitnorm_f32, jitnorm_ab);
    });
    expect_each_failure_told("memory", jitnorm_out_of_memory, [&] {
        owned_memory result;
        return jitnorm_memory_create(&result, m.data, cpu(), JITNORM_MEMORY_ALLOCATE);
    });
    expect_each_failure_told("clone of attributes", jitnorm_out_of_memory, [&] {
        owned_attr result;
        return jitnorm_primitive_attr_clone(&result, m.attr);
    });
    expect_each_failure_told("append", jitnorm_out_of_memory, [&] {
        owned_post_ops result;
        const jitnorm_status_t status = jitnorm_post_ops_create(&result);
        return status != jitnorm_success ? status
                                         : jitnorm_post_ops_append_sum(result, 1.f, 0, jitnorm_data_type_undef);
    });
}

// The library's first use, in a process of its own: to report an error it reads the environment.
TEST(out_of_memory, errors_are_told_without_memory) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto report_first = [] {
        setenv("JITNORM_JIT_DUMP", std::string(1000, '/').c_str(), 1);
        no_memory = true;
        const jitnorm_status_t status = jitnorm_stream_wait(nullptr);
        const bool is_told = *jitnorm_get_last_error() != '\0';
        no_memory = false;
        std::exit(status == jitnorm_invalid_arguments && is_told ? 0 : 1);
    };
    EXPECT_EXIT(report_first(), testing::ExitedWithCode(0), "");
}

TEST(out_of_memory, primitive_descriptors_say_so) {
    const model m;
    forward_request request{jitnorm_forward_inference, m.data, m.data};
    request.attr = m.attr;
    expect_each_failure_told("primitive descriptor", jitnorm_out_of_memory, [&] {
        owned_pd result;
        return request.create(&result);
    });
}

TEST(out_of_memory, primitives_say_so) {
    const model m;
    for (const owned_pd *pd : {&m.forward, &m.backward})
        expect_each_failure_told("primitive", jitnorm_out_of_memory, [&] {
            int capacity = 0;
            EXPECT_OK(jitnorm_get_primitive_cache_capacity(&capacity));
            EXPECT_OK(jitnorm_set_primitive_cache_capacity(0)); // kernels are made anew each time
            owned_primitive result;
            const jitnorm_status_t status = jitnorm_primitive_create(&result, *pd);
            EXPECT_OK(jitnorm_set_primitive_cache_capacity(capacity));
            return status;
        });
}

// A profile that there is no memory for is left out; the kernel is not.
TEST(out_of_memory, profiles_are_left_out) {
    const model m;
    char folder[] = "/tmp/jitnorm-scarce-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    int capacity = 0;
    EXPECT_OK(jitnorm_get_primitive_cache_capacity(&capacity));
    EXPECT_OK(jitnorm_set_jit_dump_folder((std::string(folder) + "/" + std::string(100, 'x')).c_str()));
    EXPECT_OK(jitnorm_set_jit_dump(1));
    int created_without = 0;
    bool one_failed = true;
    for (long healthy = 0; one_failed; ++healthy) {
        ASSERT_LT(healthy, 1000);
        EXPECT_OK(jitnorm_set_primitive_cache_capacity(0)); // kernels are made anew each time
        owned_primitive result;
        allocations_left = healthy;
        const jitnorm_status_t status = jitnorm_primitive_create(&result, m.forward);
        one_failed = allocations_left < 0;
        allocations_left = -1;
        EXPECT_TRUE(status == jitnorm_success || status == jitnorm_out_of_memory) << status;
        created_without += one_failed && status == jitnorm_success;
    }
    EXPECT_OK(jitnorm_set_jit_dump(0));
    EXPECT_OK(jitnorm_set_primitive_cache_capacity(capacity));
    rmdir(folder);
    if (jitnorm_get_effective_cpu_isa() != jitnorm_cpu_isa_sse41) {
        EXPECT_GT(created_without, 0);
    }
}

// In a new thread, whose scratchpad is empty before it creates the primitive. The execution before it starts the OpenMP
// runtime: clang's allocates by new when it starts.
TEST(execution, allocates_nothing) {
    EXPECT_OK(execution(model().forward).run());
    std::thread([] {
        const model m;
        const owned_md columns = make_md({3, 8}, jitnorm_f32, jitnorm_ba); // rows must be packed
        const owned_pd strided = forward_request{jitnorm_forward_inference, columns, columns}.make();
        const owned_stream stream = make_stream();
        for (const_jitnorm_primitive_desc_t pd :
             std::initializer_list<const_jitnorm_primitive_desc_t>{m.forward, m.backward, strided}) {
            execution run(pd);
            const auto args = run.args();
            const long before = allocations;
            EXPECT_OK(jitnorm_primitive_execute(run.primitive(), stream, int(args.size()), args.data()));
            EXPECT_EQ(allocations, before);
        }
    }).join();
}

// Sizes that come with the execution are no reason to allocate, but for the plain C++ implementation.
TEST(execution, of_runtime_sizes_allocates_nothing) {
    constexpr jitnorm_dim_t R = JITNORM_RUNTIME_DIM_VAL;
    for (const auto tag : {jitnorm_ab, jitnorm_ba}) {
        const owned_md open = make_md({R, R}, jitnorm_f32, tag), closed = make_md({70, 90}, jitnorm_f32, tag);
        const owned_pd open_pd = forward_request{jitnorm_forward_training, open, open}.make(),
                       closed_pd = forward_request{jitnorm_forward_training, closed, closed}.make();
        if (implementation_of(open_pd) == REFERENCE) GTEST_SKIP() << "the plain C++ implementation";
        execution run(open_pd, closed_pd);
        const owned_stream stream = make_stream();
        const auto args = run.args();
        const auto execute = [&] {
            return jitnorm_primitive_execute(run.primitive(), stream, int(args.size()), args.data());
        };
        EXPECT_OK(execute()); // the thread's scratchpad
        const long before = allocations;
        EXPECT_OK(execute());
        EXPECT_EQ(allocations, before) << tag;
    }
}

std::map<int, std::vector<std::byte>> bytes_of(const execution &run) {
    std::map<int, std::vector<std::byte>> all;
    for (const auto &[arg, tensor] : run.tensors()) all[arg] = tensor.bytes;
    return all;
}

// Executes again and again: first the first allocation fails, then the second, and so on, until none does. An execution
// that fails for it must have written nothing, and any other everything. Returns how many failed.
int failures_without_harm(execution &run) {
    for (size_t i = 0; i < run.tensors().at(JITNORM_ARG_SRC).bytes.size() / sizeof(float); ++i)
        run.data<float>(JITNORM_ARG_SRC)[i] = float(i * 7919 % 1013);
    const auto before = bytes_of(run);
    const auto execute = [&] { // on the tensors as they were before
        for (auto &[arg, tensor] : run.tensors())
            std::copy(before.at(arg).begin(), before.at(arg).end(), tensor.bytes.begin());
        return run.run();
    };
    EXPECT_OK(execute()); // the thread's scratchpad
    const auto expected = bytes_of(run);
    int failures = 0;
    bool one_failed = true;
    for (long healthy = 0; one_failed && healthy < 1000; ++healthy) {
        const auto list = run.args();
        const owned_stream stream = make_stream();
        for (auto &[arg, tensor] : run.tensors())
            std::copy(before.at(arg).begin(), before.at(arg).end(), tensor.bytes.begin());
        allocations_left = healthy;
        const jitnorm_status_t status =
            jitnorm_primitive_execute(run.primitive(), stream, int(list.size()), list.data());
        one_failed = allocations_left < 0;
        allocations_left = -1;
        failures += status != jitnorm_success;
        EXPECT_TRUE(status == jitnorm_success || (status == jitnorm_out_of_memory && one_failed)) << status;
        EXPECT_TRUE(bytes_of(run) == (status == jitnorm_success ? expected : before))
            << "allocation " << healthy << ", status " << status;
    }
    EXPECT_FALSE(one_failed);
    return failures;
}

// Sizes that come with the execution of groups of rows: what they need is made before the first group is executed.
TEST(execution, of_groups_without_memory_writes_nothing) {
    constexpr jitnorm_dim_t R = JITNORM_RUNTIME_DIM_VAL;
    const auto described = [](bool forward, bool open) {
        const dims sizes = open ? dims{R, R, R} : dims{5, 4, 24}, strides = open ? dims{R, R, R} : dims{};
        const owned_md data = make_md(sizes, jitnorm_f32, strides),
                       scale = make_md({sizes[0], 1, sizes[2]}, jitnorm_f32, strides);
        const owned_attr attr = make_attr();
        EXPECT_OK(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, scale));
        constexpr unsigned FLAGS = jitnorm_use_scale | jitnorm_use_shift;
        if (!forward) return backward_request{jitnorm_backward, data, data, data}.make(FLAGS, attr);
        const owned_post_ops post_ops = make_post_ops();
        EXPECT_OK(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_eltwise_relu, 0.F, 0.F));
        EXPECT_OK(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, data));
        EXPECT_OK(jitnorm_primitive_attr_set_post_ops(attr, post_ops));
        return forward_request{jitnorm_forward_training, data, data}.make(FLAGS, attr);
    };
    for (const char *implementation : {"", REFERENCE.c_str()})
        for (const bool forward : {true, false}) {
            SCOPED_TRACE(testing::Message() << "by '" << implementation << "', forward " << forward);
            EXPECT_OK(jitnorm_set_implementation(implementation));
            execution run(described(forward, true), described(forward, false));
            const bool allocates = forward || implementation == REFERENCE;
            EXPECT_EQ(failures_without_harm(run) > 0, allocates);
        }
    EXPECT_OK(jitnorm_set_implementation(nullptr));
}

// The executor of a group knows all its sizes where only the number of groups is left to the execution.
TEST(execution, of_a_number_of_groups_that_the_execution_tells) {
    const auto described = [](bool forward, jitnorm_dim_t groups) {
        const owned_md data = make_md({groups, 4, 24}, jitnorm_f32), scale = make_md({groups, 1, 24}, jitnorm_f32);
        const owned_attr attr = make_attr();
        EXPECT_OK(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, nullptr));
        return forward ? forward_request{jitnorm_forward_training, data, data}.make(jitnorm_use_scale, attr)
                       : backward_request{jitnorm_backward, data, data, data}.make(jitnorm_use_scale, attr);
    };
    for (const char *implementation : {"", REFERENCE.c_str()})
        for (const bool forward : {true, false}) {
            EXPECT_OK(jitnorm_set_implementation(implementation));
            const owned_pd known = described(forward, 5);
            execution late(described(forward, JITNORM_RUNTIME_DIM_VAL), known), all(known);
            for (execution *each : {&late, &all}) {
                for (auto &[arg, tensor] : each->tensors())
                    for (size_t i = 0; i < tensor.bytes.size() / sizeof(float); ++i)
                        each->data<float>(arg)[i] = 1 + float(i % 17) / 8;
                EXPECT_OK(each->run());
            }
            for (const auto &[arg, tensor] : all.tensors())
                if (arg != JITNORM_ARG_SCRATCHPAD) {
                    EXPECT_TRUE(late.tensors().at(arg).bytes == tensor.bytes) << forward << ' ' << arg;
                }
        }
    EXPECT_OK(jitnorm_set_implementation(nullptr));
}

// The text of a line needs memory when the work is done. Without it the line is lost, and a later line says so.
TEST(execution, does_not_fail_for_the_log) {
    const model m;
    for (const owned_pd *pd : {&m.forward, &m.backward}) {
        execution run(*pd);
        const std::string log = log_of(1, [&] { EXPECT_EQ(failures_without_harm(run), 0); });
        EXPECT_NE(log.find("jitnorm_verbose,v1,lost,"), std::string::npos) << log;
    }
}

TEST(code_pages, the_reference_takes_over) {
    const model m;
    const std::string chosen = implementation_of(m.forward);
    if (chosen == REFERENCE) GTEST_SKIP() << "this machine generates no code";
    execution usual(m.forward);
    EXPECT_OK(usual.run());

    owned_primitive primitive;
    const std::string log = log_of(1, [&] {
        const without_code_pages now;
        EXPECT_OK(jitnorm_primitive_create(&primitive, m.forward));
    });
    EXPECT_NE(log.find("fallback," + chosen + ","), std::string::npos) << log;

    const_jitnorm_primitive_desc_t taken = nullptr;
    ASSERT_OK(jitnorm_primitive_get_primitive_desc(primitive, &taken));
    EXPECT_EQ(implementation_of(taken), REFERENCE);
    EXPECT_EQ(implementation_of(m.forward), chosen); // the caller's descriptor stays as it is
    execution other(m.forward);
    EXPECT_OK(other.run_by(primitive, make_stream()));
    EXPECT_EQ(other.get(JITNORM_ARG_DST), usual.get(JITNORM_ARG_DST));
}

// The user has made a scratchpad as the descriptor asked, so the primitive goes on asking for that one.
TEST(code_pages, the_users_scratchpad_stays_as_promised) {
    const owned_md columns = make_md({3, 8}, jitnorm_f32, jitnorm_ba); // rows must be packed
    const owned_pd pd = forward_request{jitnorm_forward_inference, columns, columns}.make(0, with_user_scratchpad());
    const without_code_pages now;
    owned_primitive primitive;
    ASSERT_OK(jitnorm_primitive_create(&primitive, pd));
    const_jitnorm_primitive_desc_t taken = nullptr;
    ASSERT_OK(jitnorm_primitive_get_primitive_desc(primitive, &taken));
    EXPECT_TRUE(jitnorm_memory_desc_equal(jitnorm_primitive_desc_query_md(pd, jitnorm_query_scratchpad_md, 0),
                                          jitnorm_primitive_desc_query_md(taken, jitnorm_query_scratchpad_md, 0)));
    EXPECT_OK(execution(pd).run_by(primitive, make_stream()));
}

TEST(code_pages, a_forced_implementation_does_not_fall_back) {
    const model m;
    const std::string name = implementation_of(m.forward);
    if (name == REFERENCE) GTEST_SKIP() << "this machine generates no code";
    ASSERT_OK(jitnorm_set_implementation(name.c_str()));
    owned_primitive primitive;
    {
        const without_code_pages now;
        EXPECT_EQ(jitnorm_primitive_create(&primitive, m.forward), jitnorm_runtime_error);
    }
    EXPECT_OK(jitnorm_set_implementation(nullptr));
    EXPECT_TRUE(primitive.is_empty());
}

} // namespace
