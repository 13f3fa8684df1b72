/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_graph.h: the short path of oneapi/dnnl/dnnl_graph.h. */
#include "oneapi/dnnl/dnnl_graph.h"
