/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The types of allocators that a program brings. Belay has no function that takes one.
 */
#ifndef BELAY_ACL_ACL_RT_ALLOCATOR_H
#define BELAY_ACL_ACL_RT_ALLOCATOR_H

#include "acl/acl_base.h"

typedef void *aclrtAllocatorDesc;
typedef void *aclrtAllocator;
typedef void *aclrtAllocatorBlock;
typedef void *aclrtAllocatorAddr;

#endif
