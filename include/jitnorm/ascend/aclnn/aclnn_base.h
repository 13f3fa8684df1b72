/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn/aclnn_base.h: the declarations that every header of an aclnn operation includes. */
#ifndef JITNORM_ASCEND_ACLNN_BASE_H
#define JITNORM_ASCEND_ACLNN_BASE_H

#include "../../jitnorm_aclnn.h"
#include "acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nothing needs to be initialized. */
static inline aclnnStatus aclnnInit(const char *configPath) {
    (void)configPath;
    return ACLNN_SUCCESS;
}
static inline aclnnStatus aclnnFinalize(void) { return ACLNN_SUCCESS; }

#ifdef __cplusplus
}
#endif

#endif
