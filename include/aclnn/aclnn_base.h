/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#ifndef BELAY_ACLNN_ACLNN_BASE_H
#define BELAY_ACLNN_ACLNN_BASE_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

aclnnStatus aclnnInit(const char *configPath);
aclnnStatus aclnnFinalize(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
