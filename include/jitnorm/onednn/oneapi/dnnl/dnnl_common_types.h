/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_common_types.h: engines, streams and statuses, which primitives and graphs share. It has everything that
 * dnnl_types.h has. */
#include "dnnl_types.h"
