/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What every operator header includes.
 */
#ifndef BELAY_ACLNN_ACLNN_BASE_H
#define BELAY_ACLNN_ACLNN_BASE_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Neither call is needed. configPath may be NULL; a file that is missing or malformed is ignored, and no key
 * changes anything here. 0, or 361001 when an environment variable is not understood.
 */
aclnnStatus aclnnInit(const char *configPath);
aclnnStatus aclnnFinalize(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
