// SPDX-License-Identifier: Apache-2.0
// Reads a result as its next user would.
#include "read_pass.hpp"

#include <cstring>

namespace benchdnn_lite {

uint64_t read_words(const void *data, size_t bytes, int threads) {
    const auto *first = static_cast<const char *>(data);
    const size_t count = bytes / sizeof(uint64_t);
    uint64_t sum = 0;
#pragma omp parallel for simd num_threads(threads) schedule(static) reduction(+ : sum) if (threads > 1)
    for (size_t i = 0; i < count; ++i) {
        uint64_t word;
        std::memcpy(&word, first + i * sizeof word, sizeof word);
        sum += word;
    }
    return sum;
}

uint64_t read_outputs(const execution &e, int threads) {
    uint64_t sum = 0;
    for (const argument &a : e.arguments())
        if (a.use == role::output || a.use == role::both) sum += read_words(a.data.data(), a.data.size(), threads);
    return sum;
}

} // namespace benchdnn_lite
