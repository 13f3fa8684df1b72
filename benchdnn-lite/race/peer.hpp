// SPDX-License-Identifier: Apache-2.0
// peer: another library, made ready to run a problem that ours runs too.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../problem/execution.hpp"

namespace benchdnn_lite {

// The other library does not take the problem; what() says why.
struct refusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct peer {
    std::function<void()> run;
    const execution *tensors; // those that it reads and writes: of the execution that it was made for, or its own
    std::string implementation;
};

struct peer_library {
    std::string name; // for people: with its version, or of its file
    // Makes the ways in which the library runs the problem of the execution, which must outlive them: at least one. The
    // fastest of them counts. Throws refusal if it does not take the problem.
    std::function<std::vector<peer>(const execution &)> make;
    bool promises_our_bits = false;
    // Whether it goes through the rows of the problem as our library does. Null: it cannot be asked.
    std::function<bool(const problem &)> plans_as_ours = {};
    double tolerance = 1e-3; // by how much its results may differ, relative to the largest element of a tensor
};

// Another build of this library in `file`, which stays in the process until its end. Its executions use the tensors of
// ours, as far as both choose the same layouts. `caches`: the sizes of caches that it plans for, as in JITNORM_CACHES;
// empty: the same ones as for our library. Throws input_error if the file is no library or lacks a function that a race
// needs.
peer_library another_build(const std::string &file, const std::string &caches = {});

// This build a second time, with plans for caches of these sizes (as in JITNORM_CACHES). Throws input_error if this
// program has no libjitnorm.so.
peer_library this_build(const std::string &caches);

// Normalizations that are compiled into this program: "passes" goes over each row twice, "rows" over each band of rows.
// They have neither checks nor exactness: what a plain function takes that somebody writes for dense rows of f32 or
// bf16. Threads share the rows.
peer_library plain_loops(int threads);

// oneDNN of version 2 or 3: the version of its headers decides.
peer_library onednn();

} // namespace benchdnn_lite
