/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The base of acl: everything that needs no device.
 */
/* PyTorch for Ascend brings this header, too: where a program has both, that one is it, as it defines the same. */
#if defined(__has_include) && __has_include(<third_party/acl/inc/acl/acl_base.h>)
#include <third_party/acl/inc/acl/acl_base.h>
#elif !defined(BELAY_ACL_ACL_BASE_H)
#define BELAY_ACL_ACL_BASE_H

#include "acl/acl_base_mdl.h"
#include "acl/acl_base_rt.h"

#endif
