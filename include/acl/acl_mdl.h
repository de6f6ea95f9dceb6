/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Offline models. Belay runs none and declares none of their functions, but for those that frameworks call
 * where a user asks for dumps. Captured work (aclmdlRI) is in acl/rt/capture.h.
 */
#ifndef BELAY_ACL_ACL_MDL_H
#define BELAY_ACL_ACL_MDL_H

#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Dumps of what operators compute: none are made. 0, and a line in the log. 100000: configPath is NULL. */
aclError aclmdlInitDump(void);
aclError aclmdlSetDump(const char *configPath);
aclError aclmdlFinalizeDump(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
