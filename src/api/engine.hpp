// SPDX-License-Identifier: Apache-2.0
// engine and stream as the C interface's handles know them.
#pragma once

#include "jitnorm/jitnorm_types.h"

struct jitnorm_engine {
    jitnorm_engine_kind_t kind;
};

struct jitnorm_stream {
    jitnorm_engine_t engine;
};
