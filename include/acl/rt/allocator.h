/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Allocators of the program's, for operators that are called by name and need memory of their own. Belay's
 * need none, so that no function of a registered allocator is called; descriptions and registrations are kept,
 * and given back to who asks.
 */
#ifndef BELAY_ACL_RT_ALLOCATOR_H
#define BELAY_ACL_RT_ALLOCATOR_H

#include "acl/acl_base.h"
#include "acl/acl_rt_allocator.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Each gets the object of the description first: memory of so many bytes, as a block; its end; memory at an
 * address, if possible; and the address of a block. */
typedef void *(*aclrtAllocatorAllocFunc)(aclrtAllocator allocator, size_t size);
typedef void (*aclrtAllocatorFreeFunc)(aclrtAllocator allocator, aclrtAllocatorBlock block);
typedef void *(*aclrtAllocatorAllocAdviseFunc)(aclrtAllocator allocator, size_t size,
                                               aclrtAllocatorAddr addr);
typedef void *(*aclrtAllocatorGetAddrFromBlockFunc)(aclrtAllocatorBlock block);

/* An empty description; NULL where there is no memory. */
aclrtAllocatorDesc aclrtAllocatorCreateDesc(void);

/* 100000 from each of these: allocatorDesc is no live description. Registrations have copies of theirs. */
aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc);
aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator);
aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocFunc func);
aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorFreeFunc func);
aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                aclrtAllocatorAllocAdviseFunc func);
aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorGetAddrFromBlockFunc func);

/*
 * Registers an allocator for a stream, in place of one that it had; NULL is the default stream. 100000: no live
 * description, or one without a function that allocates or one that frees. 107002: no
 * current context. 107017: a destroyed or foreign stream. 200000: no memory.
 */
aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc);

/* What is registered for the stream, as it was then: the description, which may have ended, and what it held.
 * 100000: nothing is, or a place for a result is NULL. 107002, 107017: as above. */
aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc *allocatorDesc,
                                   aclrtAllocator *allocator, aclrtAllocatorAllocFunc *allocFunc,
                                   aclrtAllocatorFreeFunc *freeFunc,
                                   aclrtAllocatorAllocAdviseFunc *allocAdviseFunc,
                                   aclrtAllocatorGetAddrFromBlockFunc *getAddrFromBlockFunc);

/* Ends it, if there is one. 107002, 107017: as above. */
aclError aclrtAllocatorUnregister(aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
