// SPDX-License-Identifier: Apache-2.0
// dnnl_common.hpp: engines, streams and errors, which primitives and graphs share. It has everything that dnnl.hpp
// has.
#include "dnnl.hpp"
