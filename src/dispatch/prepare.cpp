// SPDX-License-Identifier: Apache-2.0
#include "prepare.hpp"

#include <system_error>

#include "../base/environment.hpp"
#include "../base/status.hpp"
#include "../base/verbose.hpp"
#include "../jit/isa.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

solution solution_by(const implementation &by, const problem &p) {
    const solution made = {&by, by.make_plan(p, the_machine())};
    if (verbose_level() >= 2) {
        log_machine_once();
        log_line("plan", std::string(by.name) + "," + describe(made.plan) + "," + describe(p));
    }
    return made;
}

} // namespace

status prepare(const problem &p, solution &chosen) {
    if (!jit::isa_cap_is_valid())
        return {jitnorm_runtime_error,
                explain("JITNORM_MAX_CPU_ISA is %s, which names no instruction set", the_environment().max_cpu_isa)};
    JITNORM_TRY(validate(p));
    jitnorm_status_t code;
    const implementation *first = choose(p, nullptr, &code);
    if (first == nullptr)
        return {code,
                code == jitnorm_runtime_error
                    ? explain("JITNORM_IMPL is %s, which names no implementation", the_environment().implementation)
                    : "the implementation that was asked for does not take it (JITNORM_VERBOSE=2 says why)"};
    chosen = solution_by(*first, p);
    return {};
}

bool move_to_next(const problem &p, solution &chosen) {
    const implementation *next = choose(p, chosen.by + 1);
    if (next == nullptr) return false;
    chosen = solution_by(*next, p);
    return true;
}

std::shared_ptr<const executor> make_executor(const problem &p, solution &chosen) {
    for (;;) {
        try {
            return chosen.by->create(p, chosen.plan);
        } catch (const std::system_error &error) {
            const char *refused = chosen.by->name;
            if (!move_to_next(p, chosen)) throw;
            if (verbose_level() >= 1)
                log_line("fallback", std::string(refused) + "," + error.what() + ",taking " + chosen.by->name);
        }
    }
}

plan plan_for_sizes(const solution &chosen, const problem &sizes, size_t scratchpad_bytes) {
    plan planned = chosen.by->make_plan(sizes, the_machine());
    if (planned.scratchpad.bytes() > scratchpad_bytes) planned.give_up_chunks();
    return planned;
}

} // namespace jitnorm::impl::layer_norm
