/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether this process can use the library at all.
 */
#ifndef BELAY_TENSOR_LIFETIME_H
#define BELAY_TENSOR_LIFETIME_H

#include "aclnn/acl_meta.h"

/*
 * 0, or 361001 with a recorded sentence when a variable of the environment is not understood or the process
 * was forked from one that used the library. Every public function of this folder asks before it looks at an
 * object: in a forked child, claims may be held by threads that no longer exist.
 */
aclnnStatus lifetime_check(void);

#endif
