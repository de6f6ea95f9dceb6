/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Data channels between host and device. Belay has none and declares no function of them; the header exists
 * because programs include it.
 */
/* PyTorch for Ascend brings this header, too: where a program has both, that one is it, as it defines the same. */
#if defined(__has_include) && __has_include(<third_party/acl/inc/acl/acl_tdt.h>)
#include <third_party/acl/inc/acl/acl_tdt.h>
#elif !defined(BELAY_ACL_ACL_TDT_H)
#define BELAY_ACL_ACL_TDT_H

#include "acl/acl_base.h"

#endif
