/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What programs hold of offline models that is plain data: descriptions, which describe nothing, and data
 * sets, which are lists of the program's data buffers and of descriptions of them.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "acl/acl_mdl.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/handle_refusal.h"
#include "base/settings.h"
#include "runtime/named/tensor_desc.h"

struct description {
    struct handle_slot slot;
};

struct entry {
    aclDataBuffer *buffer;
    aclTensorDesc *desc;
};

struct dataset {
    struct handle_slot slot;
    struct entry *entry; /* of count, and room for more */
    size_t count, room;
};

static struct handle_table descriptions = HANDLE_TABLE(HANDLE_MODEL_DESC, struct description, HANDLES_MAX);
static struct handle_table datasets = HANDLE_TABLE(HANDLE_DATASET, struct dataset, HANDLES_MAX);

/* Guards what is in data sets; whether one is live is looked at with it held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *create(const char *api, struct handle_table *table, uint64_t *handle)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return NULL;
    void *object = handle_acquire(table);
    if (object == NULL)
        fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another", api);
    else
        *handle = handle_publish(table, object);
    return object;
}

aclmdlDesc *aclmdlCreateDesc(void)
{
    uint64_t handle;
    return create(__func__, &descriptions, &handle) != NULL ? (aclmdlDesc *)(uintptr_t)handle : NULL;
}

aclError aclmdlDestroyDesc(aclmdlDesc *modelDesc)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    struct description *object = (struct description *)handle_find(&descriptions, (uintptr_t)modelDesc);
    if (object == NULL || !handle_retire(object, (uintptr_t)modelDesc))
        return handle_refuse(__func__, "argument modelDesc", "a live one is", &descriptions, modelDesc);
    handle_release(&descriptions, object);
    return 0;
}

aclmdlDataset *aclmdlCreateDataset(void)
{
    uint64_t handle;
    struct dataset *object = (struct dataset *)create(__func__, &datasets, &handle);
    return object != NULL ? (aclmdlDataset *)(uintptr_t)handle : NULL;
}

/* Locks the data of a live data set, which the caller unlocks. */
static int lock_dataset(const char *api, const aclmdlDataset *handle, struct dataset **object)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    pthread_mutex_lock(&lock);
    *object = (struct dataset *)handle_find(&datasets, (uintptr_t)handle);
    if (*object != NULL && handle_is_live(*object, (uintptr_t)handle))
        return 0;
    pthread_mutex_unlock(&lock);
    return handle_refuse(api, "argument dataset", "a live one is", &datasets, handle);
}

aclError aclmdlDestroyDataset(const aclmdlDataset *dataset)
{
    struct dataset *object;
    TRY(lock_dataset(__func__, dataset, &object));
    struct entry *entry = object->entry;
    object->entry = NULL;
    object->count = object->room = 0;
    handle_retire(object, (uintptr_t)dataset);
    pthread_mutex_unlock(&lock);
    free(entry);
    handle_release(&datasets, object);
    return 0;
}

/* Lock held. */
static bool make_room(struct dataset *object)
{
    if (object->count < object->room)
        return true;
    const size_t room = object->room == 0 ? 8 : 2 * object->room;
    struct entry *entry = (struct entry *)realloc(object->entry, room * sizeof *entry);
    if (entry == NULL)
        return false;
    object->entry = entry;
    object->room = room;
    return true;
}

aclError aclmdlAddDatasetBuffer(aclmdlDataset *dataset, aclDataBuffer *dataBuffer)
{
    struct dataset *object;
    void *data;
    size_t bytes;
    TRY(data_buffer_read(__func__, dataBuffer, &data, &bytes));
    TRY(lock_dataset(__func__, dataset, &object));
    const bool has_room = make_room(object);
    if (has_room)
        object->entry[object->count++] = (struct entry){.buffer = dataBuffer};
    pthread_mutex_unlock(&lock);
    return has_room ? 0 : fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another buffer", __func__);
}

size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset *dataset)
{
    struct dataset *object;
    if (lock_dataset(__func__, dataset, &object) != 0)
        return 0;
    const size_t count = object->count;
    pthread_mutex_unlock(&lock);
    return count;
}

/* Changes the description of an entry where desc is given, and copies the entry. */
static int visit(const char *api, const aclmdlDataset *dataset, size_t index, aclTensorDesc *const *desc,
                 struct entry *found)
{
    struct dataset *object;
    TRY(lock_dataset(api, dataset, &object));
    const size_t count = object->count;
    if (index < count) {
        if (desc != NULL)
            object->entry[index].desc = *desc;
        *found = object->entry[index];
    }
    pthread_mutex_unlock(&lock);
    return index < count
               ? 0
               : fail(ACL_ERROR_INVALID_PARAM,
                      "%s: argument index is %zu; one below the %zu buffers of the data set is expected", api,
                      index, count);
}

aclDataBuffer *aclmdlGetDatasetBuffer(const aclmdlDataset *dataset, size_t index)
{
    struct entry entry = {.buffer = NULL};
    return visit(__func__, dataset, index, NULL, &entry) == 0 ? entry.buffer : NULL;
}

aclError aclmdlSetDatasetTensorDesc(aclmdlDataset *dataset, aclTensorDesc *tensorDesc, size_t index)
{
    struct entry entry = {.buffer = NULL};
    return visit(__func__, dataset, index, &tensorDesc, &entry);
}

aclTensorDesc *aclmdlGetDatasetTensorDesc(const aclmdlDataset *dataset, size_t index)
{
    struct entry entry = {.buffer = NULL};
    return visit(__func__, dataset, index, NULL, &entry) == 0 ? entry.desc : NULL;
}
