// SPDX-License-Identifier: Apache-2.0
// dnnl_common.hpp: engines, streams and errors, which primitives and graphs share. It has everything that dnnl.hpp
// has.
#ifndef JITNORM_ONEDNN_COMMON_HPP
#define JITNORM_ONEDNN_COMMON_HPP

#include "dnnl.hpp"

#endif
