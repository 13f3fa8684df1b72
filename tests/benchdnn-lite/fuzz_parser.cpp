// SPDX-License-Identifier: Apache-2.0
// The parser as libFuzzer's target. Each input is a batch file's text:
//     benchdnn_lite_fuzz -max_len=512 -max_total_time=600 CORPUS benchdnn-lite/inputs/lnorm
#include <cstddef>
#include <cstdint>

#include "hostile_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    benchdnn_lite::mistake_in_hostile(benchdnn_lite::arguments_in({reinterpret_cast<const char *>(data), size}));
    return 0;
}
