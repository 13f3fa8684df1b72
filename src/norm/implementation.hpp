// SPDX-License-Identifier: Apache-2.0
// implementation: one way to solve problems, as a value, and the executors that it makes. src/dispatch ranks the
// implementations.
#pragma once

#include <memory>
#include <string>

#include "../base/machine.hpp"
#include "plan.hpp"
#include "problem.hpp"

namespace jitnorm::impl::layer_norm {

// A problem made ready to run. Executors are immutable, and several threads may execute one at once: only the memory of
// the arguments changes.
class executor {
public:
    executor() = default;
    executor(const executor &) = delete;
    executor &operator=(const executor &) = delete;
    virtual ~executor() = default;

    virtual jitnorm_status_t execute(const arguments &args) const = 0;
};

struct implementation {
    // "ref:any", for example. JITNORM_IMPL takes this name, and jitnorm_query_impl_info_str returns it.
    const char *name;

    // Why this implementation does not solve the problem on this machine, for the verbose log; empty if it does.
    std::string (*refusal)(const problem &p);

    // The plan by which this implementation solves a problem that validate() accepts. Allocates nothing. For a problem
    // with run-time sizes only plan::scratchpad counts: it is enough for any size, or empty if no number of bytes is.
    // Executions of such a problem bring their sizes and a plan for them (arguments::sizes).
    plan (*make_plan)(const problem &p, const machine &m);

    // Makes the executor; `planned` is a plan that make_plan() of this implementation returned for p. Throws
    // std::bad_alloc, or std::system_error when the system refuses executable pages.
    std::shared_ptr<const executor> (*create)(const problem &p, const plan &planned);

    // Whether this implementation plans and executes a problem with groups of rows (row_groups.hpp) as it is;
    // otherwise, and if this is null, each group by itself.
    bool (*takes_groups)(const problem &p) = nullptr;
};

} // namespace jitnorm::impl::layer_norm
