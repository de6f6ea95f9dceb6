/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Dumps of operators' data. Belay writes none and declares no function of them; the header exists because
 * programs include it.
 */
/* PyTorch for Ascend brings this header, too: where a program has both, that one is it, as it defines the same. */
#if defined(__has_include) && __has_include(<third_party/acl/inc/acl/acl_dump.h>)
#include <third_party/acl/inc/acl/acl_dump.h>
#elif !defined(BELAY_ACL_ACL_DUMP_H)
#define BELAY_ACL_ACL_DUMP_H

#include "acl/acl_base.h"

#endif
