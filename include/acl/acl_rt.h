/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The runtime: one header for each kind of object. What holds for all of them stands in acl/acl_base_rt.h.
 */
#ifndef BELAY_ACL_ACL_RT_H
#define BELAY_ACL_ACL_RT_H

#include "acl/acl_base.h"
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
