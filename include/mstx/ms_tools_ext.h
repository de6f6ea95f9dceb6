/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Marks and ranges that a program names, for timelines (libms_tools_ext.so, or libascendcl.so). They are kept
 * while a timeline is recorded, by `belay trace` or between aclprofStart and aclprofStop; otherwise a call
 * costs a load and a branch.
 *
 * No function returns a status. What cannot be kept, because a text is NULL or a handle stale, is left out,
 * and aclGetRecentErrMsg has the sentence. A stream that is not NULL gets the mark, too: it is told when
 * the stream has come there. Texts are copied; messages are kept to 1023 bytes, names of domains to 191.
 */
#ifndef BELAY_MSTX_MS_TOOLS_EXT_H
#define BELAY_MSTX_MS_TOOLS_EXT_H

#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef uint64_t mstxRangeId;
#define MSTX_INVALID_RANGE_ID 0

typedef struct mstxDomainRegistration_st mstxDomainRegistration_t;
typedef mstxDomainRegistration_t *mstxDomainHandle_t;
typedef struct mstxMemHeap_st mstxMemHeap_t;
typedef mstxMemHeap_t *mstxMemHeapHandle_t;
typedef struct mstxMemHeapDesc_t mstxMemHeapDesc_t;
typedef struct mstxMemRegionsRegisterBatch_t mstxMemRegionsRegisterBatch_t;
typedef struct mstxMemRegionsUnregisterBatch_t mstxMemRegionsUnregisterBatch_t;

/* In the domain "default". */
void mstxMarkA(const char *message, aclrtStream stream);

/* Its end names it by the result, on any thread; MSTX_INVALID_RANGE_ID where nothing is recorded. The end of
 * a range that has a stream is in that stream, too. Ending 0, or what has ended, does nothing. */
mstxRangeId mstxRangeStartA(const char *message, aclrtStream stream);
void mstxRangeEnd(mstxRangeId id);

/* A domain of its own, the program's to destroy; NULL without memory or with a name that is NULL. */
mstxDomainHandle_t mstxDomainCreateA(const char *name);
void mstxDomainDestroy(mstxDomainHandle_t domain);
void mstxDomainMarkA(mstxDomainHandle_t domain, const char *message, aclrtStream stream);
mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char *message, aclrtStream stream);
void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id);

/* What a program's own allocator tells of its memory. Belay knows its blocks itself: nothing is looked at,
 * and the heap is NULL. */
mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t domain, const mstxMemHeapDesc_t *description);
void mstxMemHeapUnregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap);
void mstxMemRegionsRegister(mstxDomainHandle_t domain, const mstxMemRegionsRegisterBatch_t *description);
void mstxMemRegionsUnregister(mstxDomainHandle_t domain, const mstxMemRegionsUnregisterBatch_t *description);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
