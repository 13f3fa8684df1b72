// SPDX-License-Identifier: Apache-2.0
// dnnl.hpp: the short path of oneapi/dnnl/dnnl.hpp.
#include "oneapi/dnnl/dnnl.hpp"
