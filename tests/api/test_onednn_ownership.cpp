// SPDX-License-Identifier: Apache-2.0
// The same questions to oneDNN's own header, versions 2 and 3: that ownership.hpp asks for what oneDNN does.
#include "dnnl.hpp"
#define C_NAME(name) dnnl_##name
#define dnnl_const_primitive_desc_t const_dnnl_primitive_desc_t

#include "ownership.hpp"
