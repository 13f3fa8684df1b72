// SPDX-License-Identifier: Apache-2.0
// implementation_cap: while one lives, new problems get the plain C++ reference: for the doors that do not let the
// caller choose among implementations.
#pragma once

#include "run_one.hpp"

#include "jitnorm/jitnorm.h"

namespace jitnorm::fuzz {

class reference_only {
public:
    reference_only() { set(jitnorm_cpu_isa_sse41); }
    ~reference_only() { set(jitnorm_cpu_isa_default); }
    reference_only(const reference_only &) = delete;
    reference_only &operator=(const reference_only &) = delete;

private:
    static void set(jitnorm_cpu_isa_t cap) {
        require(jitnorm_set_max_cpu_isa(cap) == jitnorm_success, "instruction sets can be capped");
    }
};

} // namespace jitnorm::fuzz
