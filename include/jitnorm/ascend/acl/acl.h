/* SPDX-License-Identifier: Apache-2.0 */
/* acl/acl.h: CANN's runtime for programs of layer normalization, on CPUs. */
#ifndef JITNORM_ASCEND_ACL_H
#define JITNORM_ASCEND_ACL_H

#include "acl_rt.h"

/* The configuration file is not read. */
static inline aclError aclInit(const char *configPath) {
    (void)configPath;
    return jitnorm_acl_init();
}
static inline aclError aclFinalize(void) { return jitnorm_acl_finalize(); }

static inline const char *aclGetRecentErrMsg(void) { return jitnorm_acl_recent_error(); }

#endif
