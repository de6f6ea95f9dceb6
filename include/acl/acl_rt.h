/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The runtime: one header for each kind of object. What holds for all of them stands in acl/acl_base_rt.h.
 */
/* PyTorch for Ascend brings this header, too: where a program has both, that one is it, as it defines the same. */
#if defined(__has_include) && __has_include(<third_party/acl/inc/acl/acl_rt.h>)
#include <third_party/acl/inc/acl/acl_rt.h>
#elif !defined(BELAY_ACL_ACL_RT_H)
#define BELAY_ACL_ACL_RT_H

#include "acl/acl_base.h"
#include "acl/rt/allocator.h"
#include "acl/rt/callback.h"
#include "acl/rt/capture.h"
#include "acl/rt/device.h"
#include "acl/rt/event.h"
#include "acl/rt/init.h"
#include "acl/rt/kernel.h"
#include "acl/rt/memory.h"
#include "acl/rt/stream.h"
#include "acl/rt/virtual_memory.h"

#endif
