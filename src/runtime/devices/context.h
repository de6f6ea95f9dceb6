/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Contexts: a device with a default stream and the settings of its streams. Each thread has a current one.
 */
#ifndef BELAY_RUNTIME_DEVICES_CONTEXT_H
#define BELAY_RUNTIME_DEVICES_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "base/export.h"
#include "base/handle.h"

enum { OPTIONS = 4 }; /* of aclSysParamOpt */

/* Values of options; 0 until they are set. */
struct options {
    _Atomic int64_t value[OPTIONS];
};

struct context {
    struct handle_slot slot;
    _Atomic int32_t device;
    _Atomic bool is_primary;
    _Atomic(struct stream *) default_stream;
    _Atomic uint64_t default_handle; /* of default_stream */
    struct options options;
};

extern struct handle_table context_table;

/* What is current on this thread: a handle, which may be stale, or 0. Read through context_current. */
extern _Thread_local uint64_t context_of_thread;

/* The slow half of context_current: the default device of the configuration, or the reason for 107002. */
int context_current_or_default(const char *api, struct context **context);

/* The current context of this thread; 107002 with a sentence when there is none. Any state of the library. */
static inline int context_current(const char *api, struct context **context)
{
    *context = (struct context *)handle_find(&context_table, context_of_thread);
    return __builtin_expect(*context != NULL, 1) ? 0 : context_current_or_default(api, context);
}

/* context_current for calls that ask whether there is one, where 107002 is an answer and no misuse. */
int context_ask(const char *api, struct context **context);

/* The device of the current context; 107002 when there is none. */
int context_device(const char *api, int32_t *device) SHARED(context_device);

/*
 * defaultDevice of the configuration: where it is not negative, a thread without a context gets the primary
 * context of this device instead of 107002, for which set is called.
 */
void context_set_default_device(int32_t device, int (*set)(int32_t device));

#endif
