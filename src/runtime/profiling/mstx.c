/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions of mstx/ms_tools_ext.h.
 */
#include "mstx/ms_tools_ext.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/handle.h"
#include "base/handle_refusal.h"
#include "runtime/profiling/mark.h"
#include "base/settings.h"
#include "runtime/timeline/trace.h"

enum { DOMAINS_MAX = 1 << 16, NAME_WORDS = TRACE_TEXT_MAX / 8 };

/* The name is read by others while it may be written by the slot's next owner: in words, each whole. */
struct domain {
    struct handle_slot slot;
    _Atomic uint64_t name[NAME_WORDS];
};

static struct handle_table domains = HANDLE_TABLE(HANDLE_MARK_DOMAIN, struct domain, DOMAINS_MAX);

/* Whether there is something to do; the environment is read here where nobody has yet. */
static bool is_recorded(void)
{
    const struct settings *settings;
    return trace_is_on() && settings_get(&settings) == 0 && trace_is_on();
}

static bool is_text(const char *api, const char *text)
{
    return text != NULL || fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                                "%s: the text is NULL; a text is expected", api) == 0;
}

static bool find_name(const char *api, mstxDomainHandle_t handle, char name[TRACE_TEXT_MAX])
{
    struct domain *domain = (struct domain *)handle_find(&domains, (uintptr_t)handle);
    uint64_t words[NAME_WORDS];
    for (int i = 0; domain != NULL && i < NAME_WORDS; i++)
        words[i] = atomic_load_explicit(&domain->name[i], memory_order_relaxed);
    if (domain != NULL && handle_is_live(domain, (uintptr_t)handle)) {
        memcpy(name, words, TRACE_TEXT_MAX);
        return true;
    }
    return handle_refuse(api, "domain", "one of mstxDomainCreateA is", &domains, handle) == 0;
}

void mstxMarkA(const char *message, aclrtStream stream)
{
    TRACE_THIS_CALL;
    if (is_recorded() && is_text(__func__, message))
        mark_now(__func__, "default", message, stream);
}

mstxRangeId mstxRangeStartA(const char *message, aclrtStream stream)
{
    TRACE_THIS_CALL;
    int status;
    return is_recorded() && is_text(__func__, message)
               ? mark_begin(__func__, "default", message, 0, stream, &status)
               : MSTX_INVALID_RANGE_ID;
}

void mstxRangeEnd(mstxRangeId id)
{
    TRACE_THIS_CALL;
    if (id != MSTX_INVALID_RANGE_ID)
        mark_end(__func__, id, 0);
}

mstxDomainHandle_t mstxDomainCreateA(const char *name)
{
    if (!is_text(__func__, name))
        return NULL;
    struct domain *domain = (struct domain *)handle_acquire(&domains);
    if (domain == NULL) {
        fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another domain", __func__);
        return NULL;
    }
    uint64_t words[NAME_WORDS] = {0};
    memcpy(words, name, strnlen(name, TRACE_TEXT_MAX - 1));
    for (int i = 0; i < NAME_WORDS; i++)
        atomic_store_explicit(&domain->name[i], words[i], memory_order_relaxed);
    return (mstxDomainHandle_t)(uintptr_t)handle_publish(&domains, domain);
}

void mstxDomainDestroy(mstxDomainHandle_t domain)
{
    struct domain *found = (struct domain *)handle_find(&domains, (uintptr_t)domain);
    char name[TRACE_TEXT_MAX];
    if (found != NULL && handle_retire(found, (uintptr_t)domain))
        handle_release(&domains, found);
    else
        find_name(__func__, domain, name);
}

void mstxDomainMarkA(mstxDomainHandle_t domain, const char *message, aclrtStream stream)
{
    TRACE_THIS_CALL;
    char name[TRACE_TEXT_MAX];
    if (is_recorded() && is_text(__func__, message) && find_name(__func__, domain, name))
        mark_now(__func__, name, message, stream);
}

mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char *message, aclrtStream stream)
{
    TRACE_THIS_CALL;
    char name[TRACE_TEXT_MAX];
    int status;
    return is_recorded() && is_text(__func__, message) && find_name(__func__, domain, name)
               ? mark_begin(__func__, name, message, 0, stream, &status)
               : MSTX_INVALID_RANGE_ID;
}

void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id)
{
    TRACE_THIS_CALL;
    (void)domain; /* the number names the range */
    if (id != MSTX_INVALID_RANGE_ID)
        mark_end(__func__, id, 0);
}

/* The parameters stand here only to agree with the header. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t domain, const mstxMemHeapDesc_t *description)
{
    return NULL;
}

void mstxMemHeapUnregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap)
{
}

void mstxMemRegionsRegister(mstxDomainHandle_t domain, const mstxMemRegionsRegisterBatch_t *description)
{
}

void mstxMemRegionsUnregister(mstxDomainHandle_t domain, const mstxMemRegionsUnregisterBatch_t *description)
{
}
