/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls that are refused and fail as work of their stream, where the next synchronise says why.
 *
 * torch_npu hands its calls to a thread of its own. Told at the call, that thread drops everything that comes
 * later without a word, and every result of the process is wrong from then on; told at the next synchronise,
 * torch_npu raises an exception and goes on. So operators by name, which frameworks call alone, always fail
 * in the stream, and what else is called in stream order does on that thread, which is known by its name.
 */
#ifndef BELAY_RUNTIME_STREAMS_REFUSAL_H
#define BELAY_RUNTIME_STREAMS_REFUSAL_H

#include <stdbool.h>

#include "acl/acl_base.h"
#include "base/export.h"

/* Queues work that fails with the sentence, which is copied first and may be the thread's last; api, of static storage, opens it unless it does
 * already. 0, or why nothing could be queued. */
int refusal_queue(const char *api, aclrtStream stream, const char *sentence) SHARED(refusal_queue);

/* Whether calls of this thread are to fail in their streams. */
bool refusal_is_for_stream(void) SHARED(refusal_is_for_stream) __attribute__((cold));

/* What a call in stream order answers that ends with status: that, or 0 where it fails in the stream
 * instead, with the sentence that the thread has recorded last. */
int refusal_of_call(const char *api, aclrtStream stream, int status) SHARED(refusal_of_call)
    __attribute__((cold));

/*
 * A kernel was launched that nobody could load. Who does that may not look at the status, and would read later
 * what was never written: the work of the stream fails, too.
 */
void refusal_of_launch(const char *api, aclrtStream stream);

/*
 * The calling thread was told that work of the stream failed, by a function whose callers do not look: the next
 * synchronise through acl says so once more.
 */
void refusal_tell_again(aclrtStream stream);

static inline int refusal_or(const char *api, aclrtStream stream, int status)
{
    return __builtin_expect(status == 0, 1) ? 0 : refusal_of_call(api, stream, status);
}

#endif
