// SPDX-License-Identifier: Apache-2.0
// work: the gradients of a layer normalization, for moments without a test framework. A mistake ends the process with a
// line on standard error.
#pragma once

#include <cstdio>

#include <unistd.h>

#include "support/shared_work.hpp"

namespace jitnorm::tests {

inline void need(bool fine, const char *what) {
    if (fine) return;
    std::fprintf(stderr, "failed: %s\n", what);
    _exit(1);
}
inline void need(jitnorm_status_t status, const char *what) { need(status == jitnorm_success, what); }

// Large enough for several threads and a scratchpad of some hundred KB, which is memory that the system takes back as
// soon as it is freed: whoever uses it later crashes.
class work : public shared_work {
public:
    explicit work(jitnorm_data_type_t type = jitnorm_f32, unsigned flags = jitnorm_use_scale | jitnorm_use_shift,
                  jitnorm_dim_t rows = 1024, jitnorm_dim_t columns = 1027)
        : shared_work({"gradients", jitnorm_backward, {rows, columns}, type, BY_LIBRARY, false, flags}) {}
};

} // namespace jitnorm::tests
