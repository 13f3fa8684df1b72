/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn/aclnn_base.h: the declarations that every header of an aclnn operation includes. */
#ifndef JITNORM_ASCEND_ACLNN_BASE_H
#define JITNORM_ASCEND_ACLNN_BASE_H

#include "../../jitnorm_aclnn.h"
#include "acl_meta.h"

/* Nothing needs to be initialized. */
static inline aclnnStatus aclnnInit(const char *configPath) {
    (void)configPath;
    return ACLNN_SUCCESS;
}
static inline aclnnStatus aclnnFinalize(void) { return ACLNN_SUCCESS; }

/* Defines the second call of an operation, under CANN's name, by the function of jitnorm_aclnn.h. */
#define JITNORM_ASCEND_SECOND_CALL(cann_name, function)                                                                \
    static inline aclnnStatus cann_name(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,              \
                                        aclrtStream stream) {                                                          \
        return function(workspace, workspaceSize, executor, stream);                                                   \
    }

#endif
