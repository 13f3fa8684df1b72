// SPDX-License-Identifier: Apache-2.0
// The two-phase calls' adapter for the contract of every front end (support/contract.hpp), and promises of their own.
#include "support/contract.hpp"
#include "jitnorm/jitnorm.h"
#include "operands.hpp"
#include "support/allocation_failures.hpp"

namespace jitnorm::tests {
namespace {

// An object that `make` makes through a pointer and `end` ends.
template <typename Object, typename Make, typename End>
int made_by(Make make, End end) {
    Object object = nullptr;
    const aclError status = make(&object);
    if (status == ACL_SUCCESS) end(object);
    return status;
}

// A tensor or an array; null is the failure.
template <typename Object>
int returned(Object *object) {
    return acl_owned<Object>(object) == nullptr ? -1 : 0;
}

int first_call_of(operands &call) {
    call.executor = nullptr;
    const aclnnStatus status = call.first();
    EXPECT_EQ(call.executor == nullptr, status != ACLNN_SUCCESS);
    if (status == ACLNN_SUCCESS) aclDestroyAclOpExecutor(call.executor);
    return status;
}

std::vector<creation> creations() {
    static const int64_t dims[] = {2, 3};
    static const bool values[] = {true, false};
    constexpr auto ND = ACL_FORMAT_ND;
    const auto context = [](aclrtContext *made) { return aclrtCreateContext(made, 0); };
    const auto memory = [](void **made) { return aclrtMalloc(made, 64, ACL_MEM_MALLOC_HUGE_FIRST); };
    std::vector<creation> all = {
        {"stream", ACL_ERROR_BAD_ALLOC, [] { return made_by<aclrtStream>(aclrtCreateStream, aclrtDestroyStream); }},
        {"context", ACL_ERROR_BAD_ALLOC, [=] { return made_by<aclrtContext>(context, aclrtDestroyContext); }},
        {"memory", ACL_ERROR_BAD_ALLOC, [=] { return made_by<void *>(memory, aclrtFree); }},
        {"tensor", -1, [] { return returned(aclCreateTensor(dims, 2, ACL_FLOAT, dims, 0, ND, dims, 2, nullptr)); }},
        {"int array", -1, [] { return returned(aclCreateIntArray(dims, 2)); }},
        {"bool array", -1, [] { return returned(aclCreateBoolArray(values, 2)); }}};
    for (const operation &op : OPERATIONS)
        all.push_back({op.name, ACLNN_ERR_INNER_CREATE_EXECUTOR,
                       [call = std::make_shared<operands>(op)] { return first_call_of(*call); }});
    return all;
}

// The executor and its place among those that live; nothing of what was made before. The run that ends the executor
// allocates nothing.
TEST(allocations, of_a_call_that_was_made_before_are_few) {
    for (const operation &op : OPERATIONS) {
        operands call(op);
        std::vector<char> workspace;
        const auto allocations_of_first = [&] {
            const long before = allocations;
            EXPECT_EQ(call.first(), ACLNN_SUCCESS);
            const long made = allocations - before;
            workspace.resize(call.bytes + 1);
            const long before_second = allocations;
            EXPECT_EQ(op.second(workspace.data(), call.bytes, call.executor, nullptr), ACLNN_SUCCESS);
            EXPECT_EQ(allocations, before_second) << op.name;
            return made;
        };
        operands(op).run(); // starts the OpenMP runtime
        allocations_of_first();
        EXPECT_LE(allocations_of_first(), 3) << op.name; // the table of those that live may grow
        if (!op.has_epsilon) continue;
        call.with.epsilon = 1e-3;
        EXPECT_GT(allocations_of_first(), 3) << op.name;
        EXPECT_LE(allocations_of_first(), 3) << op.name;
    }
}

// An executor with its tensors and its workspace.
struct bound_call : operands {
    std::vector<acl_owned<aclTensor>> owned = {};
    std::unique_ptr<guarded_buffer> workspace = nullptr;

    using operands::operands;
    bound_call(const bound_call &) = delete;
    bound_call &operator=(const bound_call &) = delete;
    ~bound_call() {
        EXPECT_TRUE(workspace->slack_untouched());
        EXPECT_EQ(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
    }
};

// Parameters at one place get one aclTensor, if wanted and if they are alike, otherwise an aclTensor each.
std::function<int()> bind(const operation &op, aclDataType type, std::vector<buffer> &buffers,
                          const std::vector<size_t> &places, bool as_one) {
    const auto call = std::make_shared<bound_call>(op, type);
    for (size_t i = 0; i < places.size(); ++i) {
        const parameter &p = call->parameters[i], &first = call->parameters[places[i]];
        if (!p.exists()) continue;
        const bool again = as_one && places[i] < i && p.dims == first.dims && p.type == first.type;
        if (!again) call->owned.push_back(tensor_at(buffers[places[i]].data(), p.dims, p.type));
        call->given[i] = again ? call->given[places[i]] : call->owned.back().get();
    }
    EXPECT_EQ(call->first(), ACLNN_SUCCESS);
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(call->executor), ACLNN_SUCCESS);
    call->workspace = std::make_unique<guarded_buffer>(call->bytes);
    return [call] {
        void *const workspace = call->bytes == 0 ? nullptr : call->workspace->data();
        return int(call->op.second(workspace, call->bytes, call->executor, nullptr));
    };
}

ready_call call_of(const operation &op, aclDataType type, bool as_one) {
    const operands values(op, type);
    ready_call call = {.name = op.name, .in_place = op.in_place};
    for (size_t i = 0; i < values.parameters.size(); ++i) {
        const parameter &p = values.parameters[i];
        buffer start(p.exists() ? 4096 : 0);
        if (p.exists())
            std::memcpy(start.data(), values.tensors[i]->data(), values.tensors[i]->count() * aclDataTypeSize(p.type));
        call.tensors.push_back({p.name, p.use, start});
    }
    call.bind = [&op, type, as_one](std::vector<buffer> &buffers, const std::vector<size_t> &places) {
        return bind(op, type, buffers, places, as_one);
    };
    return call;
}

// Views of one storage that begin at different elements are different tensors.
TEST(aliases, views_of_one_storage_are_fine) {
    float both[80];
    const auto dw = tensor_at(both, {40}, ACL_FLOAT, {2}), db = tensor_at(both, {40}, ACL_FLOAT, {2}, 1);
    operands call(operation_named("backward"));
    call.given[7] = dw.get();
    call.given[8] = db.get();
    call.run();
}

// The second call writes to the workspace.
TEST(aliases, tensors_in_the_workspace_are_refused) {
    const operation &op = operation_named("backward");
    std::vector<std::string> layouts(9, DENSE);
    layouts[2] = SPREAD; // the mean, which is copied
    operands call(op, ACL_FLOAT, {}, layouts);
    ASSERT_EQ(call.first(), ACLNN_SUCCESS);
    ASSERT_GT(call.bytes, 0u);
    std::vector<char> workspace(call.bytes + 20 * 40 * sizeof(float));
    ASSERT_EQ(aclSetInputTensorAddr(call.executor, 0, call.given[0], workspace.data() + call.bytes - 1), ACLNN_SUCCESS);
    EXPECT_EQ(op.second(workspace.data(), call.bytes, call.executor, nullptr), INVALID);
    EXPECT_NE(std::string(aclGetRecentErrMsg()).find("gradOut begins in the workspace"), std::string::npos);
    ASSERT_EQ(aclSetInputTensorAddr(call.executor, 0, call.given[0], workspace.data() + call.bytes), ACLNN_SUCCESS);
    EXPECT_EQ(op.second(workspace.data(), call.bytes, call.executor, nullptr), ACLNN_SUCCESS);
}

TEST(aliases, in_place_needs_one_layout) {
    operands call(operation_named("layer norm"));
    const auto columns = tensor_at(call.tensors[0]->data(), {20, 40}, ACL_FLOAT, {1, 20});
    call.given[3] = columns.get();
    ASSERT_EQ(call.first(), ACLNN_SUCCESS);
    EXPECT_EQ(call.second(), INVALID);
    EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), ACLNN_SUCCESS);
}

// Each tensor of each operation, by its first stride and by its offset.
std::vector<refusal> refusals() {
    std::vector<refusal> all;
    const auto refused = [](const std::shared_ptr<operands> &call, size_t i, acl_owned<aclTensor> wrong) {
        aclTensor *const kept = std::exchange(call->given[i], wrong.get());
        const aclnnStatus status = call->first();
        call->given[i] = kept;
        return status;
    };
    for (const operation &op : OPERATIONS) {
        const auto call = std::make_shared<operands>(op);
        for (size_t i = 0; i < call->given.size(); ++i) {
            if (call->given[i] == nullptr || call->parameters[i].use == '!') continue;
            const acl_tensor &right = *call->tensors[i];
            dims_t strides(right.shape().size(), 1), far = strides;
            for (size_t d = strides.size(); d-- > 1;) far[d - 1] = strides[d - 1] = strides[d] * right.shape()[d];
            far[size_t(std::ranges::max_element(right.shape()) - right.shape().begin())] = int64_t(1) << 58;
            for (const auto &[steps, offset] : {std::pair(far, int64_t(0)), std::pair(strides, int64_t(1) << 56)})
                all.push_back({op.name + (": " + call->parameters[i].name), op.wrong_shape, "too large to be addressed",
                               [=, steps = steps, offset = offset, &right] {
                                   return refused(call, i,
                                                  tensor_at(right.data(), right.shape(), right.type(), steps, offset));
                               }});
        }
    }
    for (const int64_t columns : {LARGEST / 2, int64_t(1) << 60})
        all.push_back({"without elements, but too long", INVALID, "", [=] {
                           float nowhere = 0;
                           const auto rows = tensor_at(&nowhere, {0}),
                                      large = tensor_at(&nowhere, {0, columns}, ACL_FLOAT, {1, 1});
                           operands forward(operation_named("layer norm"));
                           forward.given = {large.get(), nullptr, nullptr, large.get(), rows.get(), rows.get()};
                           forward.with.shape = int_array({columns});
                           return forward.first();
                       }});
    return all;
}

struct shape_of_nothing {
    dims_t dims, rows, columns, strides;
    int64_t offset;
};

const shape_of_nothing SHAPES_OF_NOTHING[] = {
    {{3, 0}, {3, 1}, {0}, {0, 1}, 0},
    {{3, 0}, {3, 1}, {0}, {LARGEST, LARGEST}, LARGEST},
    {{3, 0, 2}, {3, 1, 1}, {0, 2}, {LARGEST, 0, LARGEST / 2}, LARGEST / 4},
    {{0, 4}, {0, 1}, {4}, {LARGEST, LARGEST - 1}, LARGEST},
    {{3, 0}, {1, 1}, {3, 0}, {LARGEST, 1}, 5},
};

// Forward, and backward with its results.
written results_of_nothing(const shape_of_nothing &c) {
    float nowhere = 0;
    const auto x = tensor_at(&nowhere, c.dims, ACL_FLOAT, c.strides, c.offset),
               y = tensor_at(&nowhere, c.dims, ACL_FLOAT, c.strides, c.offset);
    const acl_tensor mu(c.rows, ACL_FLOAT), rs(c.rows, ACL_FLOAT), w(c.columns, ACL_FLOAT), dw(c.columns, ACL_FLOAT);
    operands forward(operation_named("layer norm")), backward(operation_named("backward"));
    forward.given = {x.get(), w.get(), nullptr, y.get(), mu.get(), rs.get()};
    forward.with.shape = int_array(c.columns);
    forward.run();
    backward.given = {x.get(), x.get(), mu.get(), rs.get(), w.get(), nullptr, y.get(), dw.get(), nullptr};
    backward.with.shape = int_array(c.columns);
    backward.with.mask = mask_of(true, true, false);
    backward.run();
    written found = {mu.values(), rs.values()};
    for (const double gradient : dw.values()) found.zeros.push_back(gradient);
    EXPECT_EQ(found.zeros.size(), mu.count() + dw.count());
    return found;
}

std::vector<empty_case> empty_cases() {
    std::vector<empty_case> all;
    for (const shape_of_nothing &c : SHAPES_OF_NOTHING)
        all.push_back({testing::PrintToString(c.strides) + " of " + testing::PrintToString(c.dims),
                       [&c] { return results_of_nothing(c); }});
    all.push_back({"statistics in other types and layouts", [] {
                       const acl_tensor x({4, 3, 0}, ACL_FLOAT), mu({4, 3, 1}, ACL_BF16, REVERSED),
                           rs({4, 3, 1}, ACL_BF16, SPREAD);
                       operands forward(operation_named("layer norm"));
                       forward.given = {x.get(), nullptr, nullptr, x.get(), mu.get(), rs.get()};
                       forward.with.shape = int_array({0});
                       forward.run();
                       EXPECT_TRUE(mu.gaps_are_untouched() && rs.gaps_are_untouched());
                       EXPECT_EQ(mu.count(), 12u);
                       return written{mu.values(), rs.values()};
                   }});
    return all;
}

} // namespace

front_end adapter() {
    std::vector<std::function<ready_call()>> calls;
    for (const operation &op : OPERATIONS)
        for (const aclDataType type : {ACL_FLOAT, ACL_BF16})
            for (const bool as_one : {false, true}) calls.push_back([=, &op] { return call_of(op, type, as_one); });
    return {"aclnn,exec,cpu,layer_normalization,", creations(), INVALID, calls, true, refusals(), empty_cases()};
}

} // namespace jitnorm::tests
