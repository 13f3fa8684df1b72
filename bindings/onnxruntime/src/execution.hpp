// SPDX-License-Identifier: Apache-2.0
// execution: a norm for tensors of certain shapes, as a primitive with memory objects. It is run again with other
// pointers, by one thread at a time.
#pragma once

#include <array>
#include <jitnorm/jitnorm.hpp>
#include <vector>

#include "claims.hpp"

namespace jitnorm_onnxruntime {

struct shape {
    static constexpr size_t MAX_RANK = 8;
    size_t rank = 0;
    std::array<int64_t, MAX_RANK> sizes = {};

    shape() = default;
    // An unknown size becomes 1. Throws a failure if there are too many dimensions.
    explicit shape(const dims &from);
    bool operator==(const shape &other) const {
        return rank == other.rank && std::equal(sizes.begin(), sizes.begin() + rank, other.sizes.begin());
    }
};

using pointers = std::array<void *, ROLES>; // to the data of each tensor; null if the caller does not have it

class execution {
public:
    // `threads`: how many threads a session may have. Throws a failure if the shapes do not fit together, and jitnorm's
    // error if jitnorm refuses the problem.
    execution(const runtime &ort, const norm &of, const shape &x, const shape &skip, int threads);
    execution(const execution &) = delete;
    execution &operator=(const execution &) = delete;

    bool is_for(const shape &x, const shape &skip) const { return x == x_ && skip == skip_; }
    const shape &output() const { return output_; }
    const shape &statistics() const { return statistics_; }

    // Runs on the session's threads, which the context knows.
    void run(OrtKernelContext *context, const pointers &data);

private:
    static void run_on_session(void *self, int count, void (*body)(void *argument, int index), void *argument);

    const runtime ort_;
    const shape x_, skip_;
    shape output_, statistics_;
    OrtKernelContext *context_ = nullptr; // of the run
    jitnorm::stream stream_;
    jitnorm::primitive primitive_;
    std::vector<jitnorm::memory> memories_;
    std::vector<jitnorm_exec_arg_t> arguments_;
    std::vector<role> roles_;                         // of each argument
    std::array<std::vector<std::byte>, ROLES> spare_; // for outputs that the primitive writes and nobody reads
};

} // namespace jitnorm_onnxruntime
