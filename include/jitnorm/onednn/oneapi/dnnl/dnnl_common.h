/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_common.h: engines, streams and statuses, which primitives and graphs share. It has everything that dnnl.h has.
 */
#include "dnnl.h"
