// SPDX-License-Identifier: Apache-2.0
// The contract of every front end (contract.hpp), which the adapter makes that is linked with this file.
#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

#include "allocation_failures.hpp"
#include "contract.hpp"
#include "log.hpp"

namespace jitnorm::tests {
namespace {

const front_end &door() {
    static const front_end all = adapter();
    return all;
}

// A call on buffers of its own, one for each tensor.
struct own_run {
    ready_call call;
    std::vector<buffer> buffers;
    std::function<int()> execute;

    explicit own_run(const std::function<ready_call()> &make) : call(make()) {
        std::vector<size_t> places;
        for (const call_tensor &t : call.tensors) {
            places.push_back(places.size());
            buffers.push_back(t.start);
        }
        execute = call.bind(buffers, places);
    }
    int execute_anew() {
        for (size_t i = 0; i < buffers.size(); ++i) std::ranges::copy(call.tensors[i].start, buffers[i].begin());
        return execute();
    }
    void expect_equal(const std::vector<buffer> &expected) const {
        for (size_t i = 0; i < buffers.size(); ++i)
            EXPECT_TRUE(!call.tensors[i].is_compared || buffers[i] == expected[i]) << call.tensors[i].name;
    }
};

TEST(allocation_failures, of_creations_are_reported) {
    for (const creation &c : door().creations) {
        SCOPED_TRACE(c.what);
        { const without_caches nothing_kept; } // no objects of other tests
        const long before = allocations;
        fail_each_allocation(c.make, [&](int status, bool) {
            EXPECT_TRUE(status == 0 || status == c.out_of_memory) << status;
            return status != 0;
        });
        EXPECT_GT(allocations, before + 1); // one failed, and one did not
    }
}

// In a new thread, whose scratchpad is empty. The execution before it starts the OpenMP runtime: clang's allocates by
// new when it starts.
TEST(allocations, executions_make_none) {
    for (const auto &make : door().calls) {
        EXPECT_EQ(own_run(make).execute(), 0);
        std::thread([&] {
            const own_run run(make);
            for (const bool may_allocate : {!run.call.has_scratchpad, false}) {
                const long before = allocations;
                EXPECT_EQ(run.execute(), 0) << run.call.name;
                EXPECT_TRUE(may_allocate || allocations == before) << run.call.name;
            }
        }).join();
    }
}

// The text of a line needs memory when the work is done. Without it the line is lost, and a later line says so.
TEST(allocation_failures, executions_do_not_fail_for_the_log) {
    for (const auto &make : door().calls) {
        own_run run(make);
        SCOPED_TRACE(run.call.name);
        EXPECT_EQ(run.execute(), 0); // the thread's scratchpad
        const auto expected = run.buffers;
        const std::string log = log_of(1, [&] {
            fail_each_allocation([&] { return run.execute_anew(); },
                                 [&](int status, bool) {
                                     EXPECT_EQ(status, 0);
                                     run.expect_equal(expected);
                                     return true;
                                 });
        });
        EXPECT_NE(log.find("jitnorm_verbose,v1,lost,"), log.npos) << log;
    }
}

TEST(code_pages, without_them_the_reference_takes_over) {
    if (jitnorm_get_effective_cpu_isa() == jitnorm_cpu_isa_sse41) GTEST_SKIP() << "this machine generates no code";
    for (const auto &make : door().calls) {
        const own_run usual(make);
        SCOPED_TRACE(usual.call.name);
        EXPECT_EQ(usual.execute(), 0);
        const std::string log = log_of(1, [&] {
            std::optional<own_run> refused;
            {
                const without_code_pages now;
                refused.emplace(make);
            }
            EXPECT_EQ(refused->execute(), 0);
            refused->expect_equal(usual.buffers);
        });
        EXPECT_NE(log.find("jitnorm_verbose,v1,fallback,jit:"), log.npos) << log;
        const size_t line = log.find("jitnorm_verbose,v1," + door().logged);
        EXPECT_TRUE(line != log.npos && log.find(",ref:any,", line) != log.npos) << log;
    }
}

bool may_share(const ready_call &call, const std::vector<size_t> &group) {
    for (const size_t a : group)
        for (const size_t b : group) {
            const char other = call.tensors[b].use;
            if (a == b || call.tensors[a].use != '>' || (other != '<' && other != '>')) continue;
            if (other == '>' || !call.in_place.contains({b, a})) return false;
        }
    return true;
}

void check_reason(const ready_call &call, const std::vector<size_t> &group) {
    const std::string reason = jitnorm_get_last_error();
    EXPECT_NE(reason.find(" is an output and has the memory of "), reason.npos) << reason;
    size_t named = 0;
    for (const size_t i : group) named += reason.find(call.tensors[i].name) != reason.npos;
    EXPECT_TRUE(named >= 2 || !door().reasons_name_tensors) << reason;
}

// Tensors at one address, with the contents of an input, if there is one. The execution is accepted, and has the bits
// that separate buffers of these contents have; or it is refused, with a reason, and writes nothing.
void try_group(const ready_call &call, const std::vector<size_t> &group) {
    const auto use = [&](size_t i) { return call.tensors[i].use; };
    const auto input = std::ranges::find_if(group, [&](size_t i) { return use(i) == '<'; });
    const size_t source = input == group.end() ? group.front() : *input;
    std::vector<buffer> before;
    std::vector<size_t> apart, shared; // the number of the buffer of each tensor
    for (size_t i = 0; i < call.tensors.size(); ++i) {
        const bool is_shared = std::ranges::find(group, i) != group.end();
        before.push_back(call.tensors[is_shared ? source : i].start);
        apart.push_back(i);
        shared.push_back(is_shared ? source : i);
    }
    std::vector<buffer> expected = before, got = before;
    EXPECT_EQ(call.bind(expected, apart)(), 0);
    const int status = call.bind(got, shared)();
    EXPECT_EQ(status, may_share(call, group) ? 0 : door().refused);
    if (status != 0) check_reason(call, group);
    for (size_t i = 0; i < shared.size(); ++i) {
        size_t written = use(i) == '>' ? i : 0; // the output in the tensor's buffer, if there is one
        while (written < shared.size() && (shared[written] != shared[i] || use(written) != '>')) ++written;
        const buffer &wanted = status != 0 || written == shared.size() ? before[i] : expected[written];
        EXPECT_TRUE(!call.tensors[i].is_compared || got[shared[i]] == wanted) << call.tensors[i].name << " differs";
    }
}

void try_groups(const ready_call &call) {
    const auto try_one = [&](const std::vector<size_t> &group) {
        std::string names = call.name + ":";
        for (const size_t i : group) {
            if (call.tensors[i].start.empty()) return;
            names += " " + call.tensors[i].name;
        }
        SCOPED_TRACE(names);
        try_group(call, group);
    };
    for (size_t a = 0; a < call.tensors.size(); ++a)
        for (size_t b = a + 1; b < call.tensors.size(); ++b) {
            try_one({a, b});
            for (size_t c = b + 1; c < call.tensors.size(); ++c) try_one({a, b, c});
        }
}

TEST(aliases, of_every_two_and_three_tensors) {
    for (const jitnorm_cpu_isa_t isa : {jitnorm_cpu_isa_sse41, jitnorm_cpu_isa_default}) {
        ASSERT_EQ(jitnorm_set_max_cpu_isa(isa), jitnorm_success);
        for (const auto &make : door().calls) try_groups(make());
    }
}

// A refusal, never an overflow (which the undefined-behaviour sanitizer sees).
TEST(sizes, that_memory_cannot_have_are_refused) {
    for (const refusal &r : door().refusals) {
        EXPECT_EQ(r.make(), r.status) << r.what;
        const std::string reason = jitnorm_get_last_error();
        EXPECT_NE(reason.find(r.reason), reason.npos) << r.what << ": " << reason;
    }
}

TEST(strides, along_which_nobody_steps_mean_nothing) {
    for (const empty_case &c : door().empty) {
        SCOPED_TRACE(c.what);
        const written found = c.execute();
        for (const double zero : found.zeros) EXPECT_EQ(zero, 0);
        for (const double variance : found.nans) EXPECT_TRUE(std::isnan(variance)) << variance;
    }
}

} // namespace
} // namespace jitnorm::tests
