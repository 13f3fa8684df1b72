// SPDX-License-Identifier: Apache-2.0
// operands: the tensors of one two-phase call.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "operations.hpp"
#include "support/guarded_buffer.hpp"

namespace jitnorm::tests {

// Layouts with which the operation wants a workspace, in every implementation: gaps wherever they may be.
inline std::vector<std::string> spread(const operation &op) {
    std::vector<std::string> layouts;
    for (const parameter &p : parameters_of(op, ACL_BF16))
        layouts.push_back(op.contiguous.contains(p.name) ? DENSE : SPREAD);
    return layouts;
}

// Runs a second call with exactly the workspace asked for.
template <typename Second>
aclnnStatus run_exactly(Second &&second, uint64_t bytes, aclOpExecutor *executor) {
    const guarded_buffer workspace(bytes);
    const aclnnStatus status = second(bytes == 0 ? nullptr : workspace.data(), bytes, executor, nullptr);
    EXPECT_TRUE(workspace.slack_untouched());
    return status;
}

// The tensors of one call, which works: inputs are filled, outputs are not.
struct operands {
    const operation &op;
    std::vector<parameter> parameters;
    std::vector<std::unique_ptr<acl_tensor>> tensors; // null as their parameters are
    std::vector<aclTensor *> given;                   // a test may exchange one
    call_settings with;
    size_t normalized; // dimensions of x
    uint64_t bytes = 12345;
    aclOpExecutor *executor = nullptr;

    explicit operands(const operation &what, aclDataType type = ACL_FLOAT, const call_shape &shape = {},
                      const std::vector<std::string> &layouts = {}, const typing &types = {})
        : op(what), parameters(parameters_of(what, type, shape, types)), with(settings_of(parameters, shape)),
          normalized(shape.normalized) {
        for (size_t i = 0; i < parameters.size(); ++i) {
            const parameter &p = parameters[i];
            tensors.push_back(p.exists()
                                  ? std::make_unique<acl_tensor>(p.dims, p.type, layouts.empty() ? DENSE : layouts[i])
                                  : nullptr);
            const bool is_positive = p.name == "rstd";
            if (p.exists() && p.use != '>' && p.use != '!')
                tensors[i]->fill_normal(is_positive ? 1 : 0.5, is_positive ? 0.25 : 1, unsigned(i));
            given.push_back(p.exists() ? tensors[i]->get() : nullptr);
        }
    }

    aclnnStatus first() { return op.first(given.data(), with, &bytes, &executor); }
    aclnnStatus second() const { return run_exactly(op.second, bytes, executor); }
    void run() {
        ASSERT_EQ(first(), ACLNN_SUCCESS) << op.name << ": " << aclGetRecentErrMsg();
        EXPECT_EQ(second(), ACLNN_SUCCESS) << op.name << ": " << aclGetRecentErrMsg();
        for (const auto &t : tensors) EXPECT_TRUE(t == nullptr || t->gaps_are_untouched()) << op.name;
    }
    // The tensor that is given for a parameter of one of these names and looked at; null if there is none.
    const acl_tensor *find(std::initializer_list<std::string_view> names) const {
        for (size_t i = 0; i < given.size(); ++i)
            if (given[i] != nullptr && parameters[i].use != '!' &&
                std::find(names.begin(), names.end(), parameters[i].name) != names.end())
                return tensors[i].get();
        return nullptr;
    }
    // Of all outputs.
    std::vector<std::vector<unsigned char>> bits() const {
        std::vector<std::vector<unsigned char>> result;
        for (size_t i = 0; i < tensors.size(); ++i)
            if (parameters[i].is_output()) result.push_back(tensors[i]->bits());
        return result;
    }
    bool outputs_are_untouched() const {
        for (size_t i = 0; i < tensors.size(); ++i)
            if (parameters[i].is_output() && !tensors[i]->is_untouched()) return false;
        return true;
    }
};

} // namespace jitnorm::tests
