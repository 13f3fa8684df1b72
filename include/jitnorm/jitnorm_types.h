/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_types.h: the enumerations, handles and argument indices of the C interface, by subject in types/.
 *
 * Names and values, except those of format tags, equal those in oneDNN's dnnl_types.h, as far as oneDNN has them: most
 * programs can be moved over by replacing the prefix. Values are part of the ABI, never renumbered and never reused. */
#ifndef JITNORM_TYPES_H
#define JITNORM_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* These paths begin at this header, so that a program for Ascend needs a single include directory. */
#include "types/arguments.h"
#include "types/attributes.h"
#include "types/format_tag.h"
#include "types/library.h"
#include "types/objects.h"
#include "types/operation.h"
#include "types/queries.h"
#include "types/status.h"
#include "types/tensor.h"

#endif
