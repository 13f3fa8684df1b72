// SPDX-License-Identifier: Apache-2.0
// Every error that the contracts of the first calls name, provoked one at a time: first the errors of each tensor of
// each call, then those of one call.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "jitnorm/jitnorm.h"
#include "operands.hpp"

namespace jitnorm::tests {
namespace {

constexpr int64_t HUGE_NUMBER = std::numeric_limits<int64_t>::max();

// A tensor to put in place of a right one.
acl_owned<aclTensor> wrong(const dims_t &dims, aclDataType type, const dims_t &strides = {}, int64_t offset = 0,
                           aclFormat format = ACL_FORMAT_ND) {
    static float memory[4096];
    return tensor_at(memory, dims, type, strides, offset, format);
}

// The first call answers the status, says why, and gives nothing.
void refuse(aclnnStatus status, const std::string &what, const operands &call) {
    SCOPED_TRACE(std::string(call.op.name) + ": " + what);
    uint64_t bytes = 12345;
    aclOpExecutor *executor = nullptr;
    (void)aclGetRecentErrMsg();
    EXPECT_EQ(call.op.first(call.given.data(), call.with, &bytes, &executor), status);
    const char *reason = aclGetRecentErrMsg();
    ASSERT_NE(reason, nullptr);
    EXPECT_NE(std::string(reason).find(std::to_string(status)), std::string::npos) << reason;
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "the message is given once";
    EXPECT_EQ(executor, nullptr);
    EXPECT_EQ(bytes, 12345u);
}

constexpr auto CHECKED = "<>-", WRITTEN = ">";
using replacement = std::function<acl_owned<aclTensor>(const parameter &, const operation &)>;

// Calls each operation with each of its tensors of such a use replaced, one at a time. No replacement: not that one.
void refuse_everywhere(aclnnStatus operation::*status, const std::string &what, const replacement &replace,
                       const std::string &uses = CHECKED) {
    for (const operation &op : OPERATIONS) {
        operands call(op);
        for (size_t i = 0; i < call.given.size(); ++i) {
            const parameter &p = call.parameters[i];
            if (!p.exists() || uses.find(p.use) == uses.npos) continue;
            const auto other = replace(p, op);
            if (other == nullptr) continue;
            aclTensor *const right = std::exchange(call.given[i], other.get());
            refuse(op.*status, what + " for " + p.name, call);
            call.given[i] = right;
        }
    }
}

// ---------------------------------------------------------------- each tensor of each call

TEST(aclnn_errors, null_pointers) {
    for (const operation &op : OPERATIONS) {
        operands call(op);
        for (size_t i = 0; i < call.given.size(); ++i) {
            const parameter &p = call.parameters[i];
            if (!p.exists() || p.is_optional || p.use == '!') continue;
            aclTensor *const right = std::exchange(call.given[i], nullptr);
            refuse(NULLPTR, p.name, call);
            call.given[i] = right;
        }
        EXPECT_EQ(op.first(call.given.data(), call.with, nullptr, &call.executor), NULLPTR) << op.name;
        EXPECT_EQ(op.first(call.given.data(), call.with, &call.bytes, nullptr), NULLPTR) << op.name;
        EXPECT_EQ(call.executor, nullptr);
    }
}

TEST(aclnn_errors, types_that_are_not_taken) {
    for (const aclDataType type : {ACL_DOUBLE, ACL_INT32, ACL_BOOL, ACL_DT_UNDEFINED, ACL_COMPLEX64, ACL_UINT8,
                                   ACL_HIFLOAT8, ACL_INT8, ACL_FLOAT8_E4M3FN})
        refuse_everywhere(&operation::wrong_type, "type " + std::to_string(type), [=](const parameter &p, auto &) {
            const bool may_be = p.type == ACL_INT8 && (type == ACL_INT8 || type == ACL_FLOAT8_E4M3FN);
            return may_be ? nullptr : wrong(p.dims, type);
        });
}

TEST(aclnn_errors, types_that_do_not_fit) {
    for (const aclDataType type : {ACL_FLOAT16, ACL_BF16})
        refuse_everywhere(&operation::wrong_type, "a narrow type", [=](const parameter &p, const operation &op) {
            return p.type == type || op.typed_freely.contains(p.name) ? nullptr : wrong(p.dims, type);
        });
}

TEST(aclnn_errors, numbers_of_dimensions_that_are_not_taken) {
    for (const dims_t &dims : {dims_t{}, {1, 1, 1, 1, 1, 1, 1, 20, 40}})
        refuse_everywhere(&operation::wrong_shape, std::to_string(dims.size()) + " dimensions",
                          [&](const parameter &p, auto &) { return wrong(dims, p.type); });
}

TEST(aclnn_errors, shapes_that_do_not_match) {
    const auto refuse_shapes = [](const char *what, const std::function<void(dims_t &)> &change) {
        refuse_everywhere(&operation::wrong_shape, what, [&](const parameter &p, auto &) {
            dims_t dims = p.dims;
            change(dims);
            return dims == p.dims ? nullptr : wrong(dims, p.type);
        });
    };
    refuse_shapes("one column more", [](dims_t &dims) { ++dims.back(); });
    refuse_shapes("one row more", [](dims_t &dims) { ++dims.front(); });
    refuse_shapes("seven", [](dims_t &dims) { dims = {7}; });
    refuse_shapes("rows and columns exchanged", [](dims_t &dims) { std::reverse(dims.begin(), dims.end()); });
    refuse_shapes("one more dimension", [](dims_t &dims) {
        if (dims == call_shape().dims) dims.push_back(1);
    });
}

TEST(aclnn_errors, views_that_cannot_be) {
    const struct {
        const char *what;
        int64_t stride, offset; // of the first dimension of more than one element; 0: the right one
        aclFormat format = ACL_FORMAT_ND;
    } cases[] = {{"a negative stride", -6, 0},
                 {"a stride too large", HUGE_NUMBER / 2, 0},
                 {"a negative offset", 0, -1},
                 {"an offset too large", 0, HUGE_NUMBER},
                 {"a format that is not plain", 0, 0, ACL_FORMAT_NC1HWC0},
                 {"a format that is not plain", 0, 0, ACL_FORMAT_FRACTAL_NZ},
                 {"a format that is not plain", 0, 0, ACL_FORMAT_UNDEFINED}};
    for (const auto &c : cases)
        refuse_everywhere(&operation::wrong_shape, c.what, [&](const parameter &p, auto &) {
            dims_t strides = strides_of(p.dims);
            const auto first = std::ranges::find_if(p.dims, [](int64_t d) { return d > 1; }) - p.dims.begin();
            if (c.stride != 0) strides[size_t(first)] = c.stride;
            return wrong(p.dims, p.type, strides, c.offset, c.format);
        });
    for (const int64_t size : {int64_t(-4), HUGE_NUMBER / 2})
        refuse_everywhere(&operation::wrong_shape, "a size that cannot be", [&](const parameter &p, auto &) {
            return wrong({size, 40}, p.type, {0, 0});
        });
}

TEST(aclnn_errors, outputs_whose_elements_share_memory) {
    for (const int64_t stride : {0, 1})
        refuse_everywhere(
            &operation::wrong_shape, "a first stride of " + std::to_string(stride),
            [&](const parameter &p, auto &) {
                dims_t strides = strides_of(p.dims);
                if (strides[0] == 1 && stride == 1) return acl_owned<aclTensor>();
                strides[0] = stride;
                return wrong(p.dims, p.type, strides);
            },
            WRITTEN);
}

TEST(aclnn_errors, outputs_that_must_be_contiguous) {
    refuse_everywhere(
        &operation::wrong_shape, "gaps",
        [](const parameter &p, const operation &op) {
            return op.contiguous.contains(p.name) ? wrong(p.dims, p.type, strides_of(p.dims, SPREAD)) : nullptr;
        },
        WRITTEN);
}

TEST(aclnn_errors, epsilons_that_are_none_and_tensors_without_elements) {
    for (const operation &op : OPERATIONS) {
        for (const double epsilon : {-1e-5, -1e-50, double(INFINITY), double(NAN), 1e300}) {
            operands call(op);
            call.with.epsilon = epsilon;
            if (op.has_epsilon) refuse(op.wrong_shape, "epsilon", call);
        }
        for (const dims_t &dims : {dims_t{0, 40}, {20, 0}}) {
            const operands call(op, ACL_FLOAT, {dims, 1});
            if (!op.takes_no_elements) refuse(op.wrong_shape, "no elements", call);
        }
    }
}

TEST(aclnn_errors, tensors_that_are_not_looked_at_may_be_anything) {
    const dims_t dims = {-1, 2, 3, 4, 5, 6, 7, 8, 9};
    const auto nonsense = tensor_at(nullptr, dims, ACL_COMPLEX64, dims, -5, ACL_FORMAT_FRACTAL_NZ);
    for (const operation &op : OPERATIONS) {
        operands call(op);
        for (size_t i = 0; i < call.given.size(); ++i)
            if (call.parameters[i].exists() && call.parameters[i].use == '!') call.given[i] = nonsense.get();
        call.run();
    }
}

TEST(aclnn_errors, normalized_shapes_that_are_no_suffix) {
    for (const operation &op : OPERATIONS) {
        if (op.in_place.contains({0, 3}) == op.in_place.contains({0, 6})) continue; // has none
        if (std::string(op.tensors).starts_with("x1")) continue;
        for (const dims_t &dims : {dims_t{}, {20}, {40, 20}, {5, 40}, {20, 40, 40}, {1, 20, 40}, {0}, {-40}}) {
            operands call(op);
            call.with.shape = int_array(dims);
            refuse(INVALID, testing::PrintToString(dims), call);
        }
    }
}

// ---------------------------------------------------------------- errors of one call

// A tensor in the place of one of the call's; without dimensions null.
struct exchanged {
    size_t place;
    dims_t dims;
    aclDataType type = ACL_FLOAT;
    dims_t strides = {};
};
struct one_call {
    const char *operation, *what;
    aclnnStatus status;
    std::vector<exchanged> by;
    aclDataType type = ACL_FLOAT;
    call_shape shape = {};
};
constexpr auto F32 = ACL_FLOAT, F16 = ACL_FLOAT16, BF16 = ACL_BF16, E4M3 = ACL_FLOAT8_E4M3FN;
const one_call CALLS[] = {
    {"layer norm", "weight as input and bias as FLOAT", INVALID, {{2, {40}}}, BF16},
    // rows in an order that no strides over the input's dimensions have
    {"backward", "mean and rstd", INVALID, {{2, {3, 2}, F32, {3, 1}}, {3, {3, 2}, F32, {3, 1}}}, F32, {{2, 3, 4}, 1}},
    {"add, layer norm", "x1 and x2 narrow in two ways", INVALID, {{1, {20, 40}, F16}}, BF16},
    {"add, layer norm", "gamma narrow in another way", INVALID, {{2, {40}, F16}}, BF16},
    {"add, layer norm", "x2 with which the sum is FLOAT, and yOut is not", INVALID, {{1, {20, 40}}}, BF16},
    {"add, RMS norm", "no rstdOut, which FLOAT needs", INVALID, {{4, {}}}},
    {"add, RMS norm", "no rstdOut, which gamma of one dimension needs", INVALID, {{4, {}}}, BF16},
    {"RMS norm", "gamma without elements", TILING, {{1, {0}}}},
    {"RMS norm, backward", "gamma without elements", TILING, {{3, {0}}, {5, {0}}}},
    {"RMS norm", "x without elements, too", TILING, {{0, {20, 0}}, {1, {0}}, {2, {20, 0}}, {3, {20, 1}}}},
    {"RMS norm to 8 bits", "yOut of another type than dstType", TILING, {{4, {20, 40}, E4M3}}},
    {"RMS norm to 8 bits, plain", "a matrix of gamma", TILING, {{1, {1, 40}, F16}}},
    {"RMS norm to 8 bits, plain", "x of one dimension", TILING, {{0, {40}, F16}, {1, {40}, F16}}},
    {"add, RMS norm to 8 bits twice", "y1Out and y2Out of two types", INVALID, {{5, {20, 40}, E4M3}}},
    {"add, RMS norm to 8 bits twice", "y2Out and y1Out of two types", INVALID, {{6, {20, 40}, E4M3}}},
    {"add, RMS norm to 8 bits twice", "smoothScale2Optional alone", TILING, {{3, {}}}},
    {"add, RMS norm to 8 bits", "no y2Out, which is not asked for", NULLPTR, {{6, {}}}},
    {"add, RMS norm to 8 bits", "no scale2Out, which is not asked for", NULLPTR, {{9, {}}}},
    {"adaptive layer norm with statistics", "x of one dimension", INVALID, {{0, {40}}, {5, {40}}}},
    {"adaptive layer norm with statistics", "a scale of one batch", INVALID, {{0, {2, 20, 40}}, {5, {2, 20, 40}}}},
    {"adaptive layer norm with statistics", "a scale of each row", INVALID, {{1, {20, 40}}}},
    {"adaptive layer norm with statistics", "a mean without the last 1", INVALID, {{6, {20}}}},
    {"adaptive layer norm with statistics", "weight and bias of two types", INVALID, {{4, {40}}}, BF16},
    {"adaptive layer norm", "FLOAT weights of the first version", INVALID, {{3, {40}}, {4, {40}}}, BF16},
    {"adaptive layer norm with statistics", "narrow weights", INVALID, {{3, {40}, BF16}, {4, {40}, BF16}}},
};

TEST(aclnn_errors, tensors_that_do_not_go_together) {
    for (const one_call &c : CALLS) {
        operands call(operation_named(c.operation), c.type, c.shape);
        std::vector<acl_owned<aclTensor>> others;
        for (const exchanged &e : c.by) {
            others.push_back(e.dims.empty() ? nullptr : wrong(e.dims, e.type, e.strides));
            call.given[e.place] = others.back().get();
        }
        refuse(c.status, c.what, call);
    }
}

TEST(aclnn_errors, settings_that_do_not_fit) {
    const auto refuse_with = [](const char *name, aclnnStatus status, const char *what, const auto &change) {
        operands call(operation_named(name));
        change(call.with);
        refuse(status, what, call);
    };
    for (const char *name : {"layer norm", "backward"})
        refuse_with(name, NULLPTR, "normalizedShape", [](auto &with) { with.shape = nullptr; });
    refuse_with("backward", NULLPTR, "outputMask", [](auto &with) { with.mask = nullptr; });
    const bool values[4] = {true, true, true, true};
    for (const uint64_t length : {0, 2, 4})
        refuse_with("backward", INVALID, "outputMask",
                    [&](auto &with) { with.mask.reset(aclCreateBoolArray(values, length)); });
    for (const int64_t type : {-1, 0, 3, 34, 36})
        refuse_with("RMS norm to 8 bits", TILING, "dstType", [=](auto &with) { with.dst_type = type; });
    refuse_with("RMS norm to 8 bits", TILING, "epsilon", [](auto &with) { with.epsilon = 0; });
    for (const int32_t mode : {-1, 2, 3}) // 2: only FLOAT16
        refuse_with("layer norm, implementation mode", INVALID, "implMode", [=](auto &with) { with.mode = mode; });
}

TEST(aclnn_errors, rows_that_are_too_long_for_the_fast_one) {
    constexpr int64_t LONG = 583705601;
    const auto x = wrong({1, LONG}, ACL_FLOAT, {0, 0}), out = wrong({1, LONG}, ACL_FLOAT, {LONG, 1});
    for (const char *name : {"layer norm, fast", "layer norm"}) {
        operands call(operation_named(name));
        call.with.shape = int_array({LONG});
        call.given = {x.get(), nullptr, nullptr, out.get(), nullptr, nullptr};
        EXPECT_EQ(call.first(), name == std::string("layer norm") ? ACLNN_SUCCESS : 561103);
        if (call.executor != nullptr) {
            EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), ACLNN_SUCCESS);
        }
    }
}

TEST(aclnn_errors, reasons_have_names_and_numbers) {
    const auto five = wrong({4, 5}, ACL_FLOAT), integers = wrong({4, 6}, ACL_INT32), seven = wrong({7}, ACL_FLOAT),
               backwards = wrong({4, 6}, ACL_FLOAT, {-6, 1}), before = wrong({4, 6}, ACL_FLOAT, {6, 1}, -1),
               three = wrong({3, 1}, ACL_FLOAT), narrow = wrong({6}, ACL_BF16);
    const std::pair<const char *, std::function<void(operands &)>> cases[] = {
        {"161001: out is null", [](auto &call) { call.given[3] = nullptr; }},
        {"161002: weight has the shape [7]; it must have that of normalizedShape, [6]",
         [&](auto &call) { call.given[1] = seven.get(); }},
        {"161002: out has the shape [4, 5]; it must have that of input, [4, 6]",
         [&](auto &call) { call.given[3] = five.get(); }},
        {"161002: input is INT32; supported: FLOAT, FLOAT16 and BF16",
         [&](auto &call) { call.given[0] = integers.get(); }},
        {"161002: input has a negative stride: [-6, 1]", [&](auto &call) { call.given[0] = backwards.get(); }},
        {"161002: input has the negative offset -1", [&](auto &call) { call.given[0] = before.get(); }},
        {"161002: normalizedShape [5] is not the end of the shape [4, 6] of input",
         [](auto &call) { call.with.shape = int_array({5}); }},
        {"161002: weight is BF16; it must be FLOAT or have the type of the data, FLOAT",
         [&](auto &call) { call.given[1] = narrow.get(); }},
        {"161002: meanOut has the shape [3, 1]; it must have as many elements as the axes that count rows, [4]",
         [&](auto &call) { call.given[4] = call.given[5] = three.get(); }},
        {"161002: epsilon is -1; it must be finite and not negative", [](auto &call) { call.with.epsilon = -1; }}};
    for (const auto &[reason, spoil] : cases) {
        operands call(operation_named("layer norm"), ACL_FLOAT, {{4, 6}, 1});
        spoil(call);
        (void)aclGetRecentErrMsg();
        EXPECT_NE(call.first(), ACLNN_SUCCESS);
        EXPECT_STREQ(aclGetRecentErrMsg(),
                     (std::string("jitnorm_aclnn_layer_norm_get_workspace_size: ") + reason).c_str());
    }
    operands modulated(operation_named("adaptive layer norm"));
    const auto doubles = wrong({20, 40}, ACL_DOUBLE);
    modulated.given[5] = doubles.get();
    EXPECT_NE(modulated.first(), ACLNN_SUCCESS);
    EXPECT_STREQ(jitnorm_get_last_error(), "out is DOUBLE; it must be FLOAT, as x");
    operands quantized(operation_named("add, RMS norm to 8 bits"));
    quantized.given[1] = doubles.get();
    EXPECT_EQ(quantized.first(), INVALID);
    EXPECT_NE(std::string(jitnorm_get_last_error()).find(", as x1"), std::string::npos);
    operands backward(operation_named("backward"));
    backward.given[6] = nullptr;
    EXPECT_EQ(backward.first(), NULLPTR);
    EXPECT_STREQ(jitnorm_get_last_error(), "gradInputOut is null and outputMask asks for it") << "whoever asks";
}

} // namespace
} // namespace jitnorm::tests
