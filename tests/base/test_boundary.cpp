// SPDX-License-Identifier: Apache-2.0
// An exception leaves an extern "C" function as a status, and the thread keeps the reason.
#include <gtest/gtest.h>

#include <system_error>

#include "base/boundary.hpp"
#include "jitnorm/jitnorm.h"

using namespace jitnorm::impl;

namespace {

template <typename Thrown>
void expect_reported(const Thrown &thrown, jitnorm_status_t code, const std::string &reason) {
    EXPECT_EQ(guarded("function", [&]() -> status { throw thrown; }), code);
    EXPECT_NE(std::string(jitnorm_get_last_error()).find(reason), std::string::npos) << jitnorm_get_last_error();
}

TEST(boundary, whatever_is_thrown_becomes_a_status) {
    expect_reported(std::bad_alloc(), jitnorm_out_of_memory, "out of memory");
    expect_reported(std::runtime_error("no way"), jitnorm_runtime_error, "no way");
    expect_reported(std::system_error(std::make_error_code(std::errc::permission_denied), "no page"),
                    jitnorm_runtime_error, "no page");
    expect_reported(7, jitnorm_runtime_error, "an unknown error");
}

} // namespace
