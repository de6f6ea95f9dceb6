/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Data sets of channels and their items.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_tdt.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/handle_refusal.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/addresses/reach.h"
#include "runtime/channels/message.h"
#include "runtime/memory/memory_side.h"

enum { RANK_MAX = 128 };

struct data_item {
    struct handle_slot slot;
    struct message_item held; /* dims are the item's; data as well where is_received */
    bool is_received;
};

struct dataset {
    struct handle_slot slot;
    uint64_t *item; /* handles, of count, and room for more */
    size_t count, room;
};

static struct handle_table items = HANDLE_TABLE(HANDLE_DATA_ITEM, struct data_item, HANDLES_MAX);
static struct handle_table datasets = HANDLE_TABLE(HANDLE_CHANNEL_DATASET, struct dataset, HANDLES_MAX);

/* Guards what is in both; whether one is live is looked at with it held. Copies are made with it held, so that
 * nobody destroys what is copied. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* With the lock held where it succeeds. */
static int lock_object(const char *api, const char *argument, struct handle_table *table, const void *handle,
                       void **object)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    pthread_mutex_lock(&lock);
    *object = handle_find(table, (uintptr_t)handle);
    if (*object != NULL)
        return 0;
    pthread_mutex_unlock(&lock);
    return handle_refuse(api, argument, "a live one is", table, handle);
}

static int lock_item(const char *api, const acltdtDataItem *handle, struct data_item **item)
{
    void *object = NULL;
    const int status = lock_object(api, "argument dataItem", &items, handle, &object);
    *item = (struct data_item *)object;
    return status;
}

static int lock_dataset(const char *api, const acltdtDataset *handle, struct dataset **dataset)
{
    void *object = NULL;
    const int status = lock_object(api, "argument dataset", &datasets, handle, &object);
    *dataset = (struct dataset *)object;
    return status;
}

static struct data_item *acquire_item(const char *api)
{
    struct data_item *item = (struct data_item *)handle_acquire(&items);
    if (item == NULL)
        fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another item", api);
    return item;
}

/* Whether a tensor of these dims fits into so many bytes. What has no size of its own, as
 * text, or shares bytes, does. */
static bool holds(const int64_t *dims, size_t rank, aclDataType dtype, size_t bytes)
{
    const bool is_known = dtype != ACL_INT4 && dtype != ACL_UINT1 &&
                          (aclDataTypeSize(dtype) != 8 || dtype == ACL_INT64 || dtype == ACL_UINT64 ||
                           dtype == ACL_DOUBLE || dtype == ACL_COMPLEX64);
    uint64_t needed = is_known ? aclDataTypeSize(dtype) : 0;
    bool fits = true, is_empty = false;
    for (size_t i = 0; i < rank; i++) {
        fits = fits && !__builtin_mul_overflow(needed, (uint64_t)dims[i], &needed);
        is_empty |= dims[i] == 0;
    }
    return is_empty || (fits && needed <= bytes);
}

acltdtDataItem *acltdtCreateDataItem(acltdtTensorType tdtType, const int64_t *dims, size_t dimNum,
                                     aclDataType dataType, void *data, size_t size)
{
    static const char api[] = "acltdtCreateDataItem";
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return NULL;
    if ((int)tdtType < ACL_TENSOR_DATA_TENSOR || tdtType > ACL_TENSOR_DATA_END_TENSOR) {
        fail(ACL_ERROR_INVALID_PARAM, "%s: tdtType is %d; 0 to %d are expected", api, (int)tdtType,
             (int)ACL_TENSOR_DATA_END_TENSOR);
        return NULL;
    }
    if (dimNum > RANK_MAX) {
        fail(ACL_ERROR_INVALID_PARAM, "%s: dimNum is %zu; at most %d is expected", api, dimNum, RANK_MAX);
        return NULL;
    }
    if ((dimNum > 0 && dims == NULL) || (size > 0 && data == NULL)) {
        fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "%s: %s is NULL; an address is expected", api,
             size > 0 && data == NULL ? "data" : "dims");
        return NULL;
    }
    for (size_t i = 0; i < dimNum; i++)
        if (dims[i] < 0) {
            fail(ACL_ERROR_INVALID_PARAM, "%s: dims[%zu] is %lld; 0 or more is expected", api, i,
                 (long long)dims[i]);
            return NULL;
        }
    if (tdtType == ACL_TENSOR_DATA_TENSOR && !holds(dims, dimNum, dataType, size)) {
        fail(ACL_ERROR_INVALID_PARAM,
             "%s: size is %zu bytes; what dims have of elements of %zu bytes, or more, is expected", api,
             size, aclDataTypeSize(dataType));
        return NULL;
    }
    struct data_item *item = acquire_item(api);
    if (item == NULL)
        return NULL;
    if (!message_fill(&item->held, tdtType, dataType, dims, dimNum, NULL, 0)) {
        handle_release(&items, item);
        fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for %zu dims", api, dimNum);
        return NULL;
    }
    item->held.data = data;
    item->held.bytes = size;
    item->is_received = false;
    return (acltdtDataItem *)(uintptr_t)handle_publish(&items, item);
}

/* The lock is held, and its handle gone. */
static void end_item(struct data_item *item)
{
    free(item->held.dims);
    if (item->is_received)
        free(item->held.data);
    item->held = (struct message_item){0};
    handle_release(&items, item);
}

aclError acltdtDestroyDataItem(acltdtDataItem *dataItem)
{
    struct data_item *item;
    TRY(lock_item(__func__, dataItem, &item));
    handle_retire(item, (uintptr_t)dataItem);
    end_item(item);
    pthread_mutex_unlock(&lock);
    return 0;
}

/* A copy of what it says; false with a sentence where it is none. */
static bool read_item(const char *api, const acltdtDataItem *handle, struct message_item *held)
{
    struct data_item *item;
    if (lock_item(api, handle, &item) != 0)
        return false;
    *held = item->held;
    pthread_mutex_unlock(&lock);
    return true;
}

acltdtTensorType acltdtGetTensorTypeFromItem(const acltdtDataItem *dataItem)
{
    struct message_item held;
    return read_item(__func__, dataItem, &held) ? held.type : ACL_TENSOR_DATA_UNDEFINED;
}

aclDataType acltdtGetDataTypeFromItem(const acltdtDataItem *dataItem)
{
    struct message_item held;
    return read_item(__func__, dataItem, &held) ? held.dtype : ACL_DT_UNDEFINED;
}

void *acltdtGetDataAddrFromItem(const acltdtDataItem *dataItem)
{
    struct message_item held;
    return read_item(__func__, dataItem, &held) ? held.data : NULL;
}

size_t acltdtGetDataSizeFromItem(const acltdtDataItem *dataItem)
{
    struct message_item held;
    return read_item(__func__, dataItem, &held) ? held.bytes : 0;
}

size_t acltdtGetDimNumFromItem(const acltdtDataItem *dataItem)
{
    struct message_item held;
    return read_item(__func__, dataItem, &held) ? held.rank : 0;
}

aclError acltdtGetDimsFromItem(const acltdtDataItem *dataItem, int64_t *dims, size_t dimNum)
{
    struct data_item *item;
    TRY(lock_item(__func__, dataItem, &item));
    const size_t rank = item->held.rank;
    if (dims != NULL && dimNum >= rank && rank > 0)
        memcpy(dims, item->held.dims, rank * sizeof *dims);
    pthread_mutex_unlock(&lock);
    if (rank > 0)
        TRY(check_result(__func__, "dims", dims));
    return dimNum >= rank ? 0
                          : fail(ACL_ERROR_INVALID_PARAM, "%s: dimNum is %zu; at least %zu is expected",
                                 __func__, dimNum, rank);
}

aclError acltdtGetSliceInfoFromItem(const acltdtDataItem *dataItem, size_t *sliceNum, size_t *sliceId)
{
    struct data_item *item;
    TRY(lock_item(__func__, dataItem, &item));
    pthread_mutex_unlock(&lock);
    TRY(check_result(__func__, "sliceNum", sliceNum));
    TRY(check_result(__func__, "sliceId", sliceId));
    *sliceNum = 1;
    *sliceId = 0;
    return 0;
}

acltdtDataset *acltdtCreateDataset(void)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return NULL;
    struct dataset *dataset = (struct dataset *)handle_acquire(&datasets);
    if (dataset == NULL) {
        fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another data set", __func__);
        return NULL;
    }
    dataset->count = 0;
    return (acltdtDataset *)(uintptr_t)handle_publish(&datasets, dataset);
}

/* The lock is held: received items end, the others are forgotten. */
static void empty(struct dataset *dataset)
{
    for (size_t i = 0; i < dataset->count; i++) {
        struct data_item *item = (struct data_item *)handle_find(&items, dataset->item[i]);
        if (item != NULL && item->is_received && handle_retire(item, dataset->item[i]))
            end_item(item);
    }
    dataset->count = 0;
}

aclError acltdtDestroyDataset(acltdtDataset *handle)
{
    struct dataset *dataset;
    TRY(lock_dataset("acltdtDestroyDataset", handle, &dataset));
    handle_retire(dataset, (uintptr_t)handle);
    empty(dataset);
    free(dataset->item);
    dataset->item = NULL;
    dataset->room = 0;
    handle_release(&datasets, dataset);
    pthread_mutex_unlock(&lock);
    return 0;
}

/* The lock is held. */
static bool make_room(struct dataset *dataset, size_t count)
{
    if (count <= dataset->room)
        return true;
    const size_t room = count > 2 * dataset->room ? count : 2 * dataset->room;
    uint64_t *larger = realloc(dataset->item, room * sizeof *larger);
    if (larger == NULL)
        return false;
    dataset->item = larger;
    dataset->room = room;
    return true;
}

aclError acltdtAddDataItem(acltdtDataset *handle, acltdtDataItem *dataItem)
{
    static const char api[] = "acltdtAddDataItem";
    struct dataset *dataset;
    TRY(lock_dataset(api, handle, &dataset));
    const bool is_live = handle_find(&items, (uintptr_t)dataItem) != NULL;
    const bool has_room = is_live && make_room(dataset, dataset->count + 1);
    if (has_room)
        dataset->item[dataset->count++] = (uintptr_t)dataItem;
    pthread_mutex_unlock(&lock);
    if (!is_live)
        return handle_refuse(api, "argument dataItem", "a live one is", &items, dataItem);
    return has_room ? 0 : fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another item", api);
}

acltdtDataItem *acltdtGetDataItem(const acltdtDataset *handle, size_t index)
{
    struct dataset *dataset;
    if (lock_dataset("acltdtGetDataItem", handle, &dataset) != 0)
        return NULL;
    const size_t count = dataset->count;
    const uint64_t item = index < count ? dataset->item[index] : 0;
    pthread_mutex_unlock(&lock);
    if (index >= count)
        fail(ACL_ERROR_INVALID_PARAM, "acltdtGetDataItem: index is %zu; one below %zu is expected", index,
             count);
    return (acltdtDataItem *)(uintptr_t)item;
}

size_t acltdtGetDatasetSize(const acltdtDataset *handle)
{
    struct dataset *dataset;
    if (lock_dataset("acltdtGetDatasetSize", handle, &dataset) != 0)
        return 0;
    const size_t count = dataset->count;
    pthread_mutex_unlock(&lock);
    return count;
}

const char *acltdtGetDatasetName(const acltdtDataset *handle)
{
    struct dataset *dataset;
    if (lock_dataset("acltdtGetDatasetName", handle, &dataset) != 0)
        return NULL;
    pthread_mutex_unlock(&lock);
    return "";
}

/* The lock is held. */
static int copy_item(const char *api, uint64_t handle, struct message_item *to)
{
    const struct data_item *item = (struct data_item *)handle_find(&items, handle);
    struct memory_side side;
    if (item == NULL)
        return report_misuse(RULE_DESTROYED, ACL_ERROR_INVALID_PARAM,
                             "%s: an item of the data set was destroyed; live ones are expected", api);
    if (item->held.bytes > 0)
        TRY(memory_side_find(api, "an item's data", item->held.data, item->held.bytes, &side));
    return message_fill(to, item->held.type, item->held.dtype, item->held.dims, item->held.rank,
                        item->held.data, item->held.bytes)
               ? 0
               : fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for a copy of the data set", api);
}

int dataset_copy(const char *api, const acltdtDataset *handle, struct message **message)
{
    struct dataset *dataset;
    TRY(lock_dataset(api, handle, &dataset));
    struct message *made = message_make(dataset->count);
    int status = made != NULL
                     ? 0
                     : fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for a copy of the data set", api);
    for (size_t i = 0; status == 0 && i < dataset->count; i++)
        status = copy_item(api, dataset->item[i], &made->item[i]);
    pthread_mutex_unlock(&lock);
    *message = made;
    if (status != 0)
        message_free(made);
    return status;
}

/* The lock is held. */
static bool has_own_items(const struct dataset *dataset)
{
    for (size_t i = 0; i < dataset->count; i++) {
        const struct data_item *item = (struct data_item *)handle_find(&items, dataset->item[i]);
        if (item != NULL && !item->is_received)
            return true;
    }
    return false;
}

static int refuse_own_items(const char *api)
{
    return fail(ACL_ERROR_INVALID_PARAM,
                "%s: dataset has items that the program added; one without is expected", api);
}

int dataset_check_receiving(const char *api, const acltdtDataset *handle)
{
    struct dataset *dataset;
    TRY(lock_dataset(api, handle, &dataset));
    const bool is_refused = has_own_items(dataset);
    pthread_mutex_unlock(&lock);
    return is_refused ? refuse_own_items(api) : 0;
}

int dataset_receive(const char *api, const acltdtDataset *handle, struct message *message)
{
    struct dataset *dataset;
    TRY(lock_dataset(api, handle, &dataset));
    if (has_own_items(dataset)) {
        pthread_mutex_unlock(&lock);
        return refuse_own_items(api);
    }
    empty(dataset);
    bool is_good = make_room(dataset, message->count);
    for (size_t i = 0; is_good && i < message->count; i++) {
        struct data_item *item = (struct data_item *)handle_acquire(&items);
        is_good = item != NULL;
        if (!is_good)
            break;
        item->held = message->item[i];
        item->is_received = true;
        message->item[i] = (struct message_item){0};
        dataset->item[dataset->count++] = handle_publish(&items, item);
    }
    if (!is_good)
        empty(dataset);
    pthread_mutex_unlock(&lock);
    if (!is_good)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for %zu items", api, message->count);
    message_free(message);
    return 0;
}

struct message *message_make(size_t count)
{
    struct message *made = calloc(1, sizeof *made + count * sizeof made->item[0]);
    if (made != NULL)
        made->count = count;
    return made;
}

bool message_fill(struct message_item *item, acltdtTensorType type, aclDataType dtype, const int64_t *dims,
                  size_t rank, const void *data, size_t bytes)
{
    *item = (struct message_item){.type = type, .dtype = dtype, .rank = rank, .bytes = bytes};
    if (rank > 0) {
        item->dims = malloc(rank * sizeof *dims);
        if (item->dims == NULL)
            return false;
        memcpy(item->dims, dims, rank * sizeof *dims);
    }
    if (bytes > 0) {
        item->data = malloc(bytes);
        if (item->data == NULL)
            return false;
        memcpy(item->data, memory_reach(data), bytes);
    }
    return true;
}

void message_free(struct message *message)
{
    if (message == NULL)
        return;
    for (size_t i = 0; i < message->count; i++) {
        free(message->item[i].dims);
        free(message->item[i].data);
    }
    free(message);
}
