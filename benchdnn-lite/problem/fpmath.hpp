// SPDX-License-Identifier: Apache-2.0
// fpmath: the value of --attr-fpmath: which lower precision a problem allows.
#pragma once

#include <string>
#include <string_view>

#include "jitnorm/jitnorm_graph_types.h"

namespace benchdnn_lite {

struct fpmath {
    jitnorm_fpmath_mode_t mode = jitnorm_fpmath_mode_strict;
    bool for_integers = false;
    bool operator==(const fpmath &) const = default;
};

// Reads strict, bf16, f16, tf32 or any. :true or :false may follow: whether this holds for integers too. Throws
// input_error.
fpmath parse_fpmath(std::string_view text);
std::string to_text(const fpmath &f);

} // namespace benchdnn_lite
