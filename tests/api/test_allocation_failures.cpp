// SPDX-License-Identifier: Apache-2.0
// When the system gives no memory, beyond the contract of every front end (contract.cpp): errors and profiles without
// memory, groups of rows whose sizes come late, and what a primitive without pages for code keeps.
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "row_tensors.hpp"
#include "support/allocation_failures.hpp"

using namespace jitnorm::tests;

namespace {

const std::string REFERENCE = "ref:any";

owned_pd make_forward() { return forward_pd(jitnorm_forward_training, {3, 8}); }

// The library's first use, in a process of its own: to report an error it reads the environment.
TEST(out_of_memory, errors_are_reported_without_memory) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto report_first = [] {
        setenv("JITNORM_JIT_DUMP", std::string(1000, '/').c_str(), 1);
        no_memory = true;
        const jitnorm_status_t status = jitnorm_stream_wait(nullptr);
        const bool is_reported = *jitnorm_get_last_error() != '\0';
        no_memory = false;
        std::exit(status == jitnorm_invalid_arguments && is_reported ? 0 : 1);
    };
    EXPECT_EXIT(report_first(), testing::ExitedWithCode(0), "");
}

// A profile that there is no memory for is left out; the kernel is not.
TEST(out_of_memory, profiles_are_left_out) {
    const owned_pd forward = make_forward();
    char folder[] = "/tmp/jitnorm-failing-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    EXPECT_OK(jitnorm_set_jit_dump_folder((std::string(folder) + "/" + std::string(100, 'x')).c_str()));
    EXPECT_OK(jitnorm_set_jit_dump(1));
    int created_without = 0;
    owned_primitive primitive;
    const auto create = [&] {
        primitive.reset();
        const without_caches now; // kernels are made anew each time
        return jitnorm_primitive_create(&primitive, forward);
    };
    fail_each_allocation(create, [&](jitnorm_status_t status, bool one_failed) {
        EXPECT_TRUE(status == jitnorm_success || status == jitnorm_out_of_memory) << status;
        created_without += one_failed && status == jitnorm_success;
        return true;
    });
    EXPECT_OK(jitnorm_set_jit_dump(0));
    rmdir(folder);
    if (jitnorm_get_effective_cpu_isa() != jitnorm_cpu_isa_sse41) {
        EXPECT_GT(created_without, 0);
    }
}

std::map<int, std::vector<std::byte>> bytes_of(const execution &run) {
    std::map<int, std::vector<std::byte>> all;
    for (const auto &[arg, tensor] : run.tensors()) all[arg] = tensor.bytes;
    return all;
}

// Each allocation of the execution fails in turn. An execution that fails for it must have written nothing, and any
// other everything. Returns how many failed.
int failures_without_harm(execution &run) {
    fill_tensors(run);
    const auto before = bytes_of(run);
    const auto list = run.args();
    const auto as_before = [&] {
        for (auto &[arg, tensor] : run.tensors()) std::ranges::copy(before.at(arg), tensor.bytes.begin());
    };
    EXPECT_OK(run.run(list)); // the thread's scratchpad
    const auto expected = bytes_of(run);
    int failures = 0;
    as_before();
    fail_each_allocation([&] { return run.run(list); },
                         [&](jitnorm_status_t status, bool one_failed) {
                             failures += status != jitnorm_success;
                             EXPECT_TRUE(status == jitnorm_success || (status == jitnorm_out_of_memory && one_failed))
                                 << status;
                             EXPECT_TRUE(bytes_of(run) == (status == jitnorm_success ? expected : before))
                                 << "status " << status;
                             as_before();
                             return true;
                         });
    return failures;
}

// Calls body(forward, whether it is by the reference).
template <typename Body>
void for_each_direction(Body &&body) {
    for (const std::string &implementation : {std::string(), REFERENCE})
        for (const bool forward : {true, false}) {
            SCOPED_TRACE(testing::Message() << "by '" << implementation << "', forward " << forward);
            EXPECT_OK(jitnorm_set_implementation(implementation.c_str()));
            body(forward, implementation == REFERENCE);
        }
    EXPECT_OK(jitnorm_set_implementation(nullptr));
}

// Sizes that come with the execution of groups of rows: what they need is made before the first group is executed.
TEST(execution, of_groups_without_memory_writes_nothing) {
    const auto described = [](bool forward, bool open) {
        const dims sizes = open ? dims{R, R, R} : dims{5, 4, 24}, strides = open ? dims{R, R, R} : dims{};
        const owned_md data = make_md(sizes, jitnorm_f32, strides),
                       scale = make_md({sizes[0], 1, sizes[2]}, jitnorm_f32, strides);
        const owned_attr attr = make_attr();
        EXPECT_OK(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, scale));
        if (!forward) return backward_request{jitnorm_backward, data, data, data}.make(CH, attr);
        append(attr, [&](jitnorm_post_ops_t post_ops) {
            EXPECT_OK(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_eltwise_relu, 0.F, 0.F));
            return jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, data);
        });
        return forward_request{jitnorm_forward_training, data, data}.make(CH, attr);
    };
    for_each_direction([&](bool forward, bool is_reference) {
        execution run(described(forward, true), described(forward, false));
        EXPECT_EQ(failures_without_harm(run) > 0, forward || is_reference);
    });
}

// The executor of a group knows all its sizes where only the number of groups is left to the execution.
TEST(execution, of_a_number_of_groups_that_the_execution_tells) {
    const auto described = [](bool forward, jitnorm_dim_t groups) {
        const owned_attr attr = make_attr();
        EXPECT_OK(jitnorm_primitive_attr_set_scale_shift_descs(attr, make_md({groups, 1, 24}, jitnorm_f32), nullptr));
        return forward ? forward_pd(jitnorm_forward_training, {groups, 4, 24}, jitnorm_use_scale, attr)
                       : backward_pd(jitnorm_backward, {groups, 4, 24}, jitnorm_use_scale, attr);
    };
    for_each_direction([&](bool forward, bool) {
        const owned_pd known = described(forward, 5);
        execution late(described(forward, R), known), all(known);
        expect_same(late, all);
    });
}

// The descriptor goes on as it is, also where what it names is forced.
TEST(code_pages, the_reference_takes_over_unless_another_is_forced) {
    const owned_pd forward = make_forward();
    const std::string chosen = implementation_of(forward);
    if (chosen == REFERENCE) GTEST_SKIP() << "this machine generates no code";
    owned_primitive primitive, none;
    const std::string log = log_of(1, [&] {
        const without_code_pages now;
        EXPECT_OK(jitnorm_primitive_create(&primitive, forward));
    });
    EXPECT_NE(log.find("fallback," + chosen + ","), std::string::npos) << log;
    EXPECT_EQ(implementation_of(queried(jitnorm_primitive_get_primitive_desc, primitive)), REFERENCE);
    EXPECT_EQ(implementation_of(forward), chosen);

    ASSERT_OK(jitnorm_set_implementation(chosen.c_str()));
    {
        const without_code_pages now;
        EXPECT_EQ(jitnorm_primitive_create(&none, forward), jitnorm_runtime_error);
    }
    EXPECT_OK(jitnorm_set_implementation(nullptr));
    EXPECT_TRUE(none.is_empty());
}

// The user has made a scratchpad as the descriptor asked, so the primitive goes on asking for that one.
TEST(code_pages, the_users_scratchpad_stays_as_promised) {
    const owned_md columns = make_md({3, 8}, jitnorm_f32, jitnorm_ba); // rows must be packed
    const owned_pd pd = forward_request{jitnorm_forward_inference, columns, columns}.make(0, with_user_scratchpad());
    const without_code_pages now;
    owned_primitive primitive;
    ASSERT_OK(jitnorm_primitive_create(&primitive, pd));
    const auto *taken = queried(jitnorm_primitive_get_primitive_desc, primitive);
    EXPECT_TRUE(jitnorm_memory_desc_equal(jitnorm_primitive_desc_query_md(pd, jitnorm_query_scratchpad_md, 0),
                                          jitnorm_primitive_desc_query_md(taken, jitnorm_query_scratchpad_md, 0)));
    EXPECT_OK(execution(pd).run_by(primitive, make_stream()));
}

} // namespace
