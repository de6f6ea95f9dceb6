/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The context that is current, for whoever asks.
 */
#include "runtime/devices/context.h"

#include <stddef.h>

#include "base/error.h"
#include "base/report.h"
#include "base/settings_peek.h"
#include "runtime/devices/device.h"

struct handle_table context_table =
    HANDLE_TABLE(HANDLE_CONTEXT, struct context, DEVICES_MAX *DEVICE_CONTEXTS_MAX);

_Thread_local uint64_t context_of_thread;

static _Atomic int32_t default_device = -1;
static int (*_Atomic set_device)(int32_t device);

void context_set_default_device(int32_t device, int (*set)(int32_t device))
{
    atomic_store(&set_device, set);
    atomic_store(&default_device, device);
}

static const char no_context[] = "%s: the current context of this thread %s; aclrtSetDevice or "
                                 "aclrtSetCurrentContext is expected before";

/* *context is NULL where there is none and the configuration has no default device either. */
static int find_current(struct context **context)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    int32_t device = atomic_load(&default_device);
    *context = (struct context *)handle_find(&context_table, context_of_thread);
    if (*context != NULL || device < 0)
        return 0;
    TRY(atomic_load(&set_device)(device));
    *context = (struct context *)handle_find(&context_table, context_of_thread);
    return 0;
}

int context_current_or_default(const char *api, struct context **context)
{
    TRY(find_current(context));
    return *context != NULL ? 0
                            : report_misuse(RULE_STATE, ACL_ERROR_RT_CONTEXT_NULL, no_context, api,
                                            handle_fault(&context_table, context_of_thread));
}

int context_ask(const char *api, struct context **context)
{
    const struct settings *settings;
    TRY(settings_peek(&settings));
    *context = NULL;
    /* Who has not used the library has no context, and asking for it is no use either. */
    if (atomic_load_explicit(&settings_current, memory_order_acquire) != NULL)
        TRY(find_current(context));
    return *context != NULL ? 0
                            : fail_unreported(ACL_ERROR_RT_CONTEXT_NULL | ANSWER_IS_POLLED, no_context, api,
                                              handle_fault(&context_table, context_of_thread));
}

int context_device(const char *api, int32_t *device)
{
    struct context *context;
    TRY(context_current(api, &context));
    *device = atomic_load_explicit(&context->device, memory_order_relaxed);
    return 0;
}
