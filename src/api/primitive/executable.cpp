// SPDX-License-Identifier: Apache-2.0
#include "executable.hpp"

#include "../../base/aligned_bytes.hpp"
#include "../../dispatch/object_cache.hpp"

namespace jitnorm::impl::api {

namespace {

// The bytes that an execution takes from the executing thread's buffer: 0 if the user's scratchpad is large enough. It
// need not be, if another implementation than the chosen one had to be used, which may need more than the user was
// told. With run-time sizes and without a user's scratchpad the result is 0, because each execution finds out.
size_t library_scratchpad(const described &what) {
    if (what.problem.has_runtime_sizes() && !what.user_gives_scratchpad()) return 0;
    const size_t wanted = what.scratchpad_bytes();
    return wanted + ALIGNMENT - 1 <= bytes(what.tensors[SCRATCHPAD]) ? 0 : wanted;
}

} // namespace

executable::executable(const described &what, std::shared_ptr<const layer_norm::executor> made)
    : executor(std::move(made)), arguments(what), thread_bytes(library_scratchpad(what)) {}

// An executable of another implementation than the chosen one is not kept, so the next call tries the chosen one again.
std::shared_ptr<const executable> executable_of(std::shared_ptr<const described> &what) {
    const bool is_kept = layer_norm::caches_objects();
    if (is_kept)
        if (auto made = what->made()) return made;
    layer_norm::solution how = what->solution;
    auto executor = layer_norm::make_executor(what->problem, how);
    const bool is_as_chosen = how.by == what->solution.by;
    if (!is_as_chosen) what = std::make_shared<const described>(*what, how);
    auto made = std::make_shared<const executable>(*what, std::move(executor));
    return is_as_chosen && is_kept ? what->keep(std::move(made)) : made;
}

} // namespace jitnorm::impl::api
