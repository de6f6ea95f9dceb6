/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The types of allocators that a program brings; acl/acl_rt.h has the functions that take one.
 */
/* PyTorch for Ascend brings this header, too: where a program has both, that one is it, as it defines the same. */
#if defined(__has_include) && __has_include(<third_party/acl/inc/acl/acl_rt_allocator.h>)
#include <third_party/acl/inc/acl/acl_rt_allocator.h>
#elif !defined(BELAY_ACL_ACL_RT_ALLOCATOR_H)
#define BELAY_ACL_ACL_RT_ALLOCATOR_H

#include "acl/acl_base.h"

typedef void *aclrtAllocatorDesc;
typedef void *aclrtAllocator;
typedef void *aclrtAllocatorBlock;
typedef void *aclrtAllocatorAddr;

#endif
