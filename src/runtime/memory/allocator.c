/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Allocators of the program's: descriptions, and which one is registered for which stream. Nothing here asks
 * them for memory.
 */
#include <pthread.h>
#include <stdlib.h>

#include "acl/acl_rt.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/handle_refusal.h"
#include "base/settings.h"
#include "runtime/streams/stream_queue.h"

struct allocator {
    aclrtAllocator object;
    aclrtAllocatorAllocFunc allocate;
    aclrtAllocatorFreeFunc free;
    aclrtAllocatorAllocAdviseFunc advise;
    aclrtAllocatorGetAddrFromBlockFunc address_of;
};

struct description {
    struct handle_slot slot;
    struct allocator allocator;
};

/* A stream's, by its number, which no other stream ever has. */
struct registration {
    struct registration *next;
    const struct stream *stream;
    uint64_t identity;
    aclrtAllocatorDesc description;
    struct allocator allocator;
};

static struct handle_table descriptions = HANDLE_TABLE(HANDLE_ALLOCATOR, struct description, 1u << 20);

/* Guards the contents of descriptions, and the registrations. No other lock is taken while it is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct registration *registrations;

/* With the lock held where it succeeds. */
static int lock_description(const char *api, aclrtAllocatorDesc handle, struct description **description)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    pthread_mutex_lock(&lock);
    *description = (struct description *)handle_find(&descriptions, (uintptr_t)handle);
    if (*description != NULL)
        return 0;
    pthread_mutex_unlock(&lock);
    return handle_refuse(api, "argument allocatorDesc", "a live description is", &descriptions, handle);
}

aclrtAllocatorDesc aclrtAllocatorCreateDesc(void)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return NULL;
    struct description *description = (struct description *)handle_acquire(&descriptions);
    if (description == NULL) {
        fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another description", __func__);
        return NULL;
    }
    description->allocator = (struct allocator){0};
    return (aclrtAllocatorDesc)(uintptr_t)handle_publish(&descriptions, description);
}

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc)
{
    struct description *description;
    TRY(lock_description(__func__, allocatorDesc, &description));
    handle_retire(description, (uintptr_t)allocatorDesc);
    handle_release(&descriptions, description);
    pthread_mutex_unlock(&lock);
    return 0;
}

aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator)
{
    struct description *description;
    TRY(lock_description(__func__, allocatorDesc, &description));
    description->allocator.object = allocator;
    pthread_mutex_unlock(&lock);
    return 0;
}

aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocFunc func)
{
    struct description *description;
    TRY(lock_description(__func__, allocatorDesc, &description));
    description->allocator.allocate = func;
    pthread_mutex_unlock(&lock);
    return 0;
}

aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorFreeFunc func)
{
    struct description *description;
    TRY(lock_description(__func__, allocatorDesc, &description));
    description->allocator.free = func;
    pthread_mutex_unlock(&lock);
    return 0;
}

aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                aclrtAllocatorAllocAdviseFunc func)
{
    struct description *description;
    TRY(lock_description(__func__, allocatorDesc, &description));
    description->allocator.advise = func;
    pthread_mutex_unlock(&lock);
    return 0;
}

aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorGetAddrFromBlockFunc func)
{
    struct description *description;
    TRY(lock_description(__func__, allocatorDesc, &description));
    description->allocator.address_of = func;
    pthread_mutex_unlock(&lock);
    return 0;
}

/* The link to the stream's, or to NULL. The lock is held. Those of streams that have ended leave meanwhile. */
static struct registration **find(const struct stream *stream, uint64_t identity)
{
    struct registration **link = &registrations;
    while (*link != NULL && ((*link)->stream != stream || (*link)->identity != identity)) {
        struct registration *other = *link;
        if (handle_is_live(other->stream, other->identity)) {
            link = &other->next;
        } else {
            *link = other->next;
            free(other);
        }
    }
    return link;
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc)
{
    static const char api[] = "aclrtAllocatorRegister";
    struct description *description;
    struct stream *found;
    uint64_t identity;
    TRY(stream_resolve(api, stream, &found, &identity));
    struct registration *made = malloc(sizeof *made);
    if (made == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another registration", api);
    const int status = lock_description(api, allocatorDesc, &description);
    if (status != 0) {
        free(made);
        return status;
    }
    const struct allocator allocator = description->allocator;
    const bool is_complete = allocator.allocate != NULL && allocator.free != NULL;
    if (is_complete) {
        struct registration **link = find(found, identity), *before = *link;
        *made = (struct registration){before != NULL ? before->next : NULL, found, identity, allocatorDesc,
                                      allocator};
        *link = made;
        made = before;
    }
    pthread_mutex_unlock(&lock);
    free(made);
    return is_complete ? 0
                       : fail(ACL_ERROR_INVALID_PARAM,
                              "%s: argument allocatorDesc has no function that %s; both are expected", api,
                              allocator.allocate == NULL ? "allocates" : "frees");
}

aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc *allocatorDesc,
                                   aclrtAllocator *allocator, aclrtAllocatorAllocFunc *allocFunc,
                                   aclrtAllocatorFreeFunc *freeFunc,
                                   aclrtAllocatorAllocAdviseFunc *allocAdviseFunc,
                                   aclrtAllocatorGetAddrFromBlockFunc *getAddrFromBlockFunc)
{
    static const char api[] = "aclrtAllocatorGetByStream";
    struct stream *found;
    uint64_t identity;
    TRY(stream_resolve(api, stream, &found, &identity));
    TRY(check_result(api, "allocatorDesc", allocatorDesc));
    TRY(check_result(api, "allocator", allocator));
    TRY(check_result(api, "allocFunc", (const void *)allocFunc));
    TRY(check_result(api, "freeFunc", (const void *)freeFunc));
    TRY(check_result(api, "allocAdviseFunc", (const void *)allocAdviseFunc));
    TRY(check_result(api, "getAddrFromBlockFunc", (const void *)getAddrFromBlockFunc));
    pthread_mutex_lock(&lock);
    const struct registration *registration = *find(found, identity);
    if (registration != NULL) {
        *allocatorDesc = registration->description;
        *allocator = registration->allocator.object;
        *allocFunc = registration->allocator.allocate;
        *freeFunc = registration->allocator.free;
        *allocAdviseFunc = registration->allocator.advise;
        *getAddrFromBlockFunc = registration->allocator.address_of;
    }
    pthread_mutex_unlock(&lock);
    return registration != NULL
               ? 0
               : fail(ACL_ERROR_INVALID_PARAM,
                      "%s: argument stream has no allocator; one for which one was registered is expected",
                      api);
}

aclError aclrtAllocatorUnregister(aclrtStream stream)
{
    struct stream *found;
    uint64_t identity;
    TRY(stream_resolve("aclrtAllocatorUnregister", stream, &found, &identity));
    pthread_mutex_lock(&lock);
    struct registration **link = find(found, identity), *ended = *link;
    if (ended != NULL)
        *link = ended->next;
    pthread_mutex_unlock(&lock);
    free(ended);
    return 0;
}
