// SPDX-License-Identifier: Apache-2.0
// Ascend's numbers for statuses of the core and for exceptions.
#include <gtest/gtest.h>

#include "aclnn/objects/objects.hpp"

namespace jitnorm::impl::aclnn {
namespace {

TEST(failure, each_status_has_its_number) {
    const std::pair<jitnorm_status_t, int> numbers[] = {
        {jitnorm_success, JITNORM_ACLNN_SUCCESS},
        {jitnorm_out_of_memory, JITNORM_ACLNN_ERR_INNER_CREATE_EXECUTOR},
        {jitnorm_invalid_arguments, JITNORM_ACLNN_ERR_PARAM_INVALID},
        {jitnorm_unimplemented, JITNORM_ACLNN_ERR_PARAM_INVALID},
        {jitnorm_runtime_error, JITNORM_ACLNN_ERR_RUNTIME_ERROR},
        {jitnorm_last_impl_reached, JITNORM_ACLNN_ERR_INNER}};
    for (const auto &[status, number] : numbers) EXPECT_EQ(translate({status, "why"}).code, number) << status;
}

template <typename Thrown>
void expect_reported(const Thrown &thrown, int number, const std::string &reason) {
    EXPECT_EQ(answer_from("function", [&]() -> acl_status { throw thrown; }), number);
    const char *error = jitnorm_acl_recent_error();
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error, "function: " + std::to_string(number) + ": " + reason);
}

TEST(failure, whatever_is_thrown_has_its_number) {
    expect_reported(std::bad_alloc(), JITNORM_ACLNN_ERR_INNER_CREATE_EXECUTOR, "out of memory");
    const std::system_error refused(std::make_error_code(std::errc::permission_denied), "no page");
    expect_reported(refused, JITNORM_ACLNN_ERR_RUNTIME_ERROR, refused.what());
    expect_reported(std::runtime_error("no way"), JITNORM_ACLNN_ERR_INNER, "no way");
    expect_reported(7, JITNORM_ACLNN_ERR_INNER, "an unknown error");
}

} // namespace
} // namespace jitnorm::impl::aclnn
