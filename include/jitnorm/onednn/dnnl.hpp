// SPDX-License-Identifier: Apache-2.0
// dnnl.hpp: the short path of oneapi/dnnl/dnnl.hpp.
#ifndef JITNORM_ONEDNN_SHORT_DNNL_HPP
#define JITNORM_ONEDNN_SHORT_DNNL_HPP

#include "oneapi/dnnl/dnnl.hpp"

#endif
