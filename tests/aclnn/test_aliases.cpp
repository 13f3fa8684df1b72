// SPDX-License-Identifier: Apache-2.0
// Tensors that share memory, in all two-phase calls. A reason names two of those that do.
#include "jitnorm/jitnorm.h"
#include "operands.hpp"
#include "rig/alias_groups.hpp"

using namespace jitnorm::tests;

namespace {

constexpr size_t BYTES = 4096; // of each buffer

buffer filled_buffer(const parameter &p, unsigned seed) {
    buffer result(BYTES, 0);
    const acl_tensor values(p.dims, p.type);
    values.fill_normal(1, 0.5, seed);
    std::memcpy(result.data(), values.data(), values.count() * aclDataTypeSize(p.type));
    return result;
}

aclTensor *create(const parameter &p, void *data) {
    return aclCreateTensor(p.dims.data(), p.dims.size(), p.type, nullptr, 0, ACL_FORMAT_ND, p.dims.data(),
                           p.dims.size(), data);
}

// Parameters at one place get one aclTensor, if wanted and if they are alike, otherwise an aclTensor each.
alias_outcome run(const operation &op, const std::vector<parameter> &parameters, std::vector<buffer> buffers,
                  const std::vector<size_t> &places, bool as_one) {
    std::vector<acl_owned<aclTensor>> owned;
    std::vector<aclTensor *> tensors;
    for (size_t i = 0; i < parameters.size(); ++i) {
        const parameter &p = parameters[i], &first = parameters[places[i]];
        const bool again = as_one && places[i] < i && p.dims == first.dims && p.type == first.type;
        if (!again) owned.emplace_back(p.exists() ? create(p, buffers[places[i]].data()) : nullptr);
        tensors.push_back(again ? tensors[places[i]] : owned.back().get());
    }
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    EXPECT_EQ(op.first(tensors.data(), settings_of(parameters), &bytes, &executor), ACLNN_SUCCESS);
    (void)aclGetRecentErrMsg();
    const aclnnStatus status = run_exactly(op.second, bytes, executor);
    if (status == ACLNN_SUCCESS) return {std::move(buffers)};
    EXPECT_EQ(status, INVALID);
    EXPECT_EQ(jitnorm_acl_op_executor_destroy(executor), 0);
    const char *reason = aclGetRecentErrMsg();
    return {std::move(buffers), false, reason == nullptr ? "" : reason};
}

void try_all(const operation &op, aclDataType type) {
    const std::vector<parameter> parameters = parameters_of(op, type);
    std::vector<aliased_tensor> tensors;
    for (const parameter &p : parameters)
        tensors.push_back({p.name, p.use, p.exists() ? filled_buffer(p, unsigned(tensors.size())) : buffer()});
    const auto run_both_ways = [&](const std::vector<buffer> &buffers, const std::vector<size_t> &places) {
        const alias_outcome apart = run(op, parameters, buffers, places, false),
                            of_one = run(op, parameters, buffers, places, true);
        EXPECT_EQ(of_one.is_accepted, apart.is_accepted) << "given as one tensor";
        EXPECT_TRUE(of_one.buffers == apart.buffers) << "given as one tensor";
        return apart;
    };
    alias_groups(op.name, tensors, op.in_place).try_all(run_both_ways, [&](const std::string &reason, auto &group) {
        int named = 0;
        for (const size_t i : group) named += reason.find(parameters[i].name) != reason.npos;
        EXPECT_GE(named, 2) << reason;
    });
}

TEST(aliases, all_pairs_of_all_calls) {
    for (const jitnorm_cpu_isa_t isa : {jitnorm_cpu_isa_sse41, jitnorm_cpu_isa_default}) {
        ASSERT_EQ(jitnorm_set_max_cpu_isa(isa), jitnorm_success);
        for (const operation &op : OPERATIONS)
            for (const aclDataType type : {ACL_FLOAT, ACL_BF16}) try_all(op, type);
    }
}

} // namespace
