/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Configurations for aclrtCreateStreamV2. The interface shows their members, so they are memory that the
 * program may read; which of them are live is known from a list, and no other address is ever looked at.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "base/error.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/streams/stream.h"

struct stream_configuration {
    aclrtStreamConfigHandle visible; /* first: its address is what the program holds */
    struct stream_configuration *next;
};

/* lock guards the list and the members of everything in it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stream_configuration *live;

/* The link that leads to a live configuration, or to NULL. lock is held. */
static struct stream_configuration **find(const aclrtStreamConfigHandle *handle)
{
    struct stream_configuration **link = &live;
    while (*link != NULL && &(*link)->visible != handle)
        link = &(*link)->next;
    return link;
}

static int refuse(const char *api, const aclrtStreamConfigHandle *handle)
{
    return report_misuse(RULE_HANDLE, ACL_ERROR_INVALID_PARAM | (handle == NULL ? ARGUMENT_IS_NULL : 0),
                         "%s: argument handle %s; one made by aclrtCreateStreamConfigHandle is expected", api,
                         handle == NULL ? "is NULL" : "is not a live configuration");
}

aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return NULL;
    struct stream_configuration *created = (struct stream_configuration *)calloc(1, sizeof *created);
    if (created == NULL) {
        fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another configuration", __func__);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    created->next = live;
    live = created;
    pthread_mutex_unlock(&lock);
    return &created->visible;
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    pthread_mutex_lock(&lock);
    struct stream_configuration **link = find(handle);
    struct stream_configuration *found = *link;
    if (found != NULL)
        *link = found->next;
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return refuse(__func__, handle);
    free(found);
    return 0;
}

/* Bytes of an attribute's value, 0 for one that does not exist. */
static size_t value_bytes(aclrtStreamConfigAttr attr)
{
    switch (attr) {
    case ACL_RT_STREAM_WORK_ADDR_PTR:
        return sizeof(void *);
    case ACL_RT_STREAM_WORK_SIZE:
    case ACL_RT_STREAM_FLAG:
        return sizeof(size_t);
    case ACL_RT_STREAM_PRIORITY:
        return sizeof(uint32_t);
    default:
        return 0;
    }
}

static void *value_place(aclrtStreamConfigHandle *configuration, aclrtStreamConfigAttr attr)
{
    switch (attr) {
    case ACL_RT_STREAM_WORK_ADDR_PTR:
        return &configuration->workptr;
    case ACL_RT_STREAM_WORK_SIZE:
        return &configuration->workSize;
    case ACL_RT_STREAM_FLAG:
        return &configuration->flag;
    default:
        return &configuration->priority;
    }
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle, aclrtStreamConfigAttr attr,
                                 const void *attrValue, size_t valueSize)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (handle == NULL)
        return refuse(__func__, handle);
    if (attrValue == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "%s: argument attrValue is NULL; a value is expected", __func__);
    size_t expected = value_bytes(attr);
    if (expected == 0)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: argument attr is %d; an attribute of aclrtStreamConfigAttr (0 to 3) is expected",
                    __func__, (int)attr);
    if (valueSize != expected)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: argument valueSize is %zu; %zu is expected for attribute %d", __func__, valueSize,
                    expected, (int)attr);
    pthread_mutex_lock(&lock);
    struct stream_configuration *found = *find(handle);
    if (found != NULL)
        memcpy(value_place(&found->visible, attr), attrValue, expected);
    pthread_mutex_unlock(&lock);
    return found != NULL ? 0 : refuse(__func__, handle);
}

aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "stream", stream));
    if (handle == NULL)
        return refuse(__func__, handle);
    aclrtStreamConfigHandle copy = {0};
    pthread_mutex_lock(&lock);
    const struct stream_configuration *found = *find(handle);
    if (found != NULL)
        copy = found->visible;
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return refuse(__func__, handle);
    if (copy.flag > UINT32_MAX)
        return fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "%s: the flag of the configuration is 0x%zx; a combination of ACL_STREAM_ flags is expected",
            __func__, copy.flag);
    return stream_create_with(__func__, stream, copy.priority, (uint32_t)copy.flag);
}
