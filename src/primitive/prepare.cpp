// SPDX-License-Identifier: Apache-2.0
#include "prepare.hpp"

#include <system_error>

#include "../core/environment.hpp"
#include "../core/last_error.hpp"
#include "../core/verbose.hpp"
#include "../jit/isa.hpp"

namespace jitnorm::impl::layer_norm {

verdict prepare(const problem &p, const implementation *&chosen) {
    if (!jit::isa_cap_is_valid()) 
        return {jitnorm_runtime_error,
                explain("JITNORM_MAX_CPU_ISA is %s, which names no instruction set", the_environment().max_cpu_isa)};
    if (verdict v = validate(p); v.status != jitnorm_success) return v;
    jitnorm_status_t status;
    const implementation *first = choose(p, nullptr, &status);
    if (first == nullptr)
        return {status, status == jitnorm_runtime_error
                            ? explain("JITNORM_IMPL is %s, which names no implementation",
                                      the_environment().implementation)
                            : "the implementation that was asked for does not take it (JITNORM_VERBOSE=2 says why)"};
    chosen = first;
    return {};
}

std::shared_ptr<const executor> make_executor(const problem &p, const implementation *&chosen) {
    for (;;) {
        try {
            return chosen->create(p);
        } catch (const std::system_error &error) {
            const implementation *next = choose(p, chosen + 1);
            if (next == nullptr) throw;
            if (verbose_level() >= 1)
                log_line("fallback", std::string(chosen->name) + "," + error.what() + ",taking " + next->name);
            chosen = next;
        }
    }
}

} // namespace jitnorm::impl::layer_norm
