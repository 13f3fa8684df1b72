// SPDX-License-Identifier: Apache-2.0
// stopwatch: the time since it was made.
#pragma once

#include <chrono>

namespace benchdnn_lite {

class stopwatch {
public:
    double ms() const { return std::chrono::duration<double, std::milli>(clock::now() - start_).count(); }
    double us() const { return std::chrono::duration<double, std::micro>(clock::now() - start_).count(); }

private:
    using clock = std::chrono::steady_clock;
    clock::time_point start_ = clock::now();
};

} // namespace benchdnn_lite
