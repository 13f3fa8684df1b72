// SPDX-License-Identifier: Apache-2.0
// log: what a test makes the library log.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "jitnorm/jitnorm.h"

namespace jitnorm::tests {

// The standard output of body at the verbose level.
template <typename Body>
std::string log_of(int level, Body &&body) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(jitnorm_set_verbose(level), jitnorm_success);
    body();
    EXPECT_EQ(jitnorm_set_verbose(0), jitnorm_success);
    return testing::internal::GetCapturedStdout();
}

} // namespace jitnorm::tests
