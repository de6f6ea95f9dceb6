/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclTensor: the description of a view of memory that the program owns. Hardly anything is refused here; the
 * operators judge what they are given.
 */
#include "tensor/tensor.h"

#include <sched.h>
#include <string.h>

#include "base/made.h"
#include "base/error.h"
#include "base/report.h"
#include "base/settings.h"
#include "tensor/blocks.h"
#include "tensor/description.h"
#include "tensor/lifetime.h"
#include "tensor/tensor_slot.h"
#include "tensor/view.h"

struct handle_table tensor_table = HANDLE_TABLE(HANDLE_TENSOR, struct tensor, HANDLES_MAX);

#define LOAD(member)         atomic_load_explicit(&(member), memory_order_relaxed)
#define STORE(member, value) atomic_store_explicit(&(member), (value), memory_order_relaxed)

static uint64_t handle_of(const aclTensor *tensor)
{
    return (uint64_t)(uintptr_t)tensor;
}

static inline struct tensor *find(const aclTensor *tensor)
{
    return (struct tensor *)handle_find(&tensor_table, handle_of(tensor));
}

static bool handles_have_grace(void)
{
    const struct settings *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
    return settings != NULL && settings->handles_have_grace;
}

/*
 * The object of a tensor that was destroyed a moment ago and whose slot has not been used again, where
 * BELAY_HANDLES=grace lets it be read; NULL otherwise. Whoever reads it looks at last again, as at a handle.
 */
static __attribute__((noinline, cold)) const struct tensor *find_destroyed(const aclTensor *tensor)
{
    if (!handles_have_grace() || !handle_was_destroyed(&tensor_table, handle_of(tensor)))
        return NULL;
    uint32_t index = (uint32_t)handle_of(tensor) & ((1u << HANDLE_INDEX_BITS) - 1);
    const struct tensor *object = (const struct tensor *)handle_slot_at(&tensor_table, index);
    if (atomic_load_explicit(&object->last, memory_order_acquire) != handle_of(tensor))
        return NULL;
    report_work(RULE_DESTROYED, ACLNN_ERR_PARAM_INVALID,
                "a tensor that was destroyed is read, which BELAY_HANDLES=grace allows");
    return object;
}

static bool is_still(const struct tensor *object, const aclTensor *tensor)
{
    return handle_is_live(object, handle_of(tensor)) || LOAD(object->last) == handle_of(tensor);
}

/* The version of a moment when no writer is at work. */
static uint32_t version_at_rest(const struct tensor *tensor)
{
    uint32_t version;
    while ((version = atomic_load_explicit(&tensor->version, memory_order_acquire)) & 1)
        sched_yield();
    return version;
}

/* True when what was read since version_at_rest belongs together. */
static bool is_unchanged(const struct tensor *tensor, uint32_t version)
{
    atomic_thread_fence(memory_order_acquire);
    return LOAD(tensor->version) == version;
}

/* Waits for other writers; they are short. */
static void claim(struct tensor *tensor)
{
    uint32_t version = version_at_rest(tensor);
    while (!atomic_compare_exchange_weak_explicit(&tensor->version, &version, version + 1,
                                                  memory_order_acquire, memory_order_relaxed))
        version = version_at_rest(tensor);
    /* Whoever sees one of the stores that follow must also see that the version is odd. */
    atomic_thread_fence(memory_order_release);
}

static void unclaim(struct tensor *tensor)
{
    atomic_store_explicit(&tensor->version, LOAD(tensor->version) + 1, memory_order_release);
}

/* Claims the tensor of a handle; NULL when it is not live. */
static struct tensor *claim_live(const aclTensor *tensor)
{
    struct tensor *object = find(tensor);
    if (object == NULL)
        return NULL;
    claim(object);
    if (handle_is_live(object, handle_of(tensor)))
        return object;
    unclaim(object);
    return NULL;
}

/* Row-major strides; where they exceed 2^63 - 1, that, since the view is impossible or empty then. */
static void stride_contiguous(uint32_t rank, const int64_t *shape, int64_t *stride)
{
    int64_t step = 1;
    for (uint32_t i = rank; i-- > 0;) {
        stride[i] = step;
        if (__builtin_mul_overflow(step, shape[i], &step))
            step = INT64_MAX;
    }
}

/* Writes all of the object; the caller has the claim, or the slot has no handle yet. */
static void fill(struct tensor *tensor, const struct tensor_description *description)
{
    int64_t count = 0;
    int64_t reach = 0;
    bool is_possible = view_check(description->rank, description->shape, description->stride,
                                  description->offset, &count, &reach);
    STORE(tensor->dtype, (int32_t)description->dtype);
    STORE(tensor->format, (int32_t)description->format);
    STORE(tensor->rank, description->rank);
    STORE(tensor->storage_rank, description->storage_rank);
    STORE(tensor->is_possible, is_possible);
    STORE(tensor->is_contiguous,
          view_is_contiguous(description->rank, description->shape, description->stride));
    STORE(tensor->is_in_blocks, blocks_are_meant(description));
    STORE(tensor->offset, description->offset);
    STORE(tensor->count, count);
    STORE(tensor->reach, reach);
    STORE(tensor->data, description->data);
    for (uint32_t i = 0; i < description->rank; i++) {
        STORE(tensor->dim[i].shape, description->shape[i]);
        STORE(tensor->dim[i].stride, description->stride[i]);
    }
    for (uint32_t i = 0; i < description->storage_rank; i++)
        STORE(tensor->storage_shape[i], description->storage_shape[i]);
}

static int check_rank(const char *api, const char *argument, uint64_t rank)
{
    if (rank <= TENSOR_RANK_MAX)
        return 0;
    return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s is %llu; at most %d dims are expected", api, argument,
                (unsigned long long)rank, TENSOR_RANK_MAX);
}

/* What the caller says of a tensor, but for arrays that are NULL. */
static int describe(const char *api, struct tensor_description *description, const int64_t *view_dims,
                    uint64_t rank, aclDataType dtype, const int64_t *stride, int64_t offset, aclFormat format,
                    const int64_t *storage_dims, uint64_t storage_rank, void *data)
{
    TRY(check_rank(api, "viewDimsNum", rank));
    TRY(check_rank(api, "storageDimsNum", storage_rank));
    description->dtype = dtype;
    description->format = format;
    description->rank = (uint32_t)rank;
    description->storage_rank = (uint32_t)storage_rank;
    description->offset = offset;
    description->data = data;
    for (uint32_t i = 0; view_dims != NULL && i < description->rank; i++)
        description->shape[i] = view_dims[i];
    for (uint32_t i = 0; stride != NULL && i < description->rank; i++)
        description->stride[i] = stride[i];
    for (uint32_t i = 0; storage_dims != NULL && i < description->storage_rank; i++)
        description->storage_shape[i] = storage_dims[i];
    return 0;
}

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t *stride, int64_t offset, aclFormat format,
                           const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData)
{
    if (lifetime_check() != 0)
        return NULL;
    if (viewDims == NULL && viewDimsNum > 0) {
        fail(ACLNN_ERR_PARAM_NULLPTR, "aclCreateTensor: viewDims is NULL; %llu dims are expected",
             (unsigned long long)viewDimsNum);
        return NULL;
    }
    if (storageDims == NULL && storageDimsNum > 0) {
        fail(ACLNN_ERR_PARAM_NULLPTR, "aclCreateTensor: storageDims is NULL; %llu dims are expected",
             (unsigned long long)storageDimsNum);
        return NULL;
    }
    struct tensor_description description;
    if (describe("aclCreateTensor", &description, viewDims, viewDimsNum, dataType, stride, offset, format,
                 storageDims, storageDimsNum, tensorData) != 0)
        return NULL;
    if (stride == NULL)
        stride_contiguous(description.rank, description.shape, description.stride);

    struct tensor *tensor = (struct tensor *)handle_acquire(&tensor_table);
    if (tensor == NULL) {
        fail(ACLNN_ERR_INNER, "aclCreateTensor: there is no memory for another tensor");
        return NULL;
    }
    bool has_grace = handles_have_grace();
    if (has_grace) { /* readers of the last tensor in this slot are about, who have no handle to look at */
        claim(tensor);
        STORE(tensor->last, 0);
    }
    /* A reader of the last tensor in this slot that sees one of these stores must see that its handle is
     * gone. */
    atomic_thread_fence(memory_order_release);
    fill(tensor, &description);
    if (has_grace)
        unclaim(tensor);
    uint64_t handle = handle_publish(&tensor_table, tensor);
    made(HANDLE_TENSOR, handle, 0, -1, "aclCreateTensor");
    return (aclTensor *)(uintptr_t)handle;
}

/* What is NULL keeps its old value: the shape with its strides, the storage shape, the address. */
aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum,
                          aclDataType dataType, const int64_t *stride, int64_t offset, aclFormat format,
                          const int64_t *storageDims, uint64_t storageDimsNum, void *tensorDataAddr)
{
    TRY(lifetime_check());
    if (tensor == NULL)
        return report_misuse(RULE_HANDLE, ACLNN_ERR_PARAM_NULLPTR,
                             "aclInitTensor: tensor is NULL; a tensor is expected");
    /* The caller's arrays are read before the claim, since they may be slow or unmapped. */
    struct tensor_description description;
    TRY(describe("aclInitTensor", &description, viewDims, viewDimsNum, dataType, stride, offset, format,
                 storageDims, storageDimsNum, tensorDataAddr));

    struct tensor *object = claim_live(tensor);
    if (object == NULL)
        return report_misuse(tensor_rule(tensor), ACLNN_ERR_PARAM_INVALID,
                             "aclInitTensor: tensor %s; a tensor is expected", tensor_fault(tensor));
    if (viewDims == NULL) {
        bool has_stride = stride != NULL && viewDimsNum == LOAD(object->rank);
        description.rank = LOAD(object->rank);
        for (uint32_t i = 0; i < description.rank; i++) {
            description.shape[i] = LOAD(object->dim[i].shape);
            if (!has_stride)
                description.stride[i] = LOAD(object->dim[i].stride);
        }
    } else if (stride == NULL) {
        stride_contiguous(description.rank, description.shape, description.stride);
    }
    if (storageDims == NULL) {
        description.storage_rank = LOAD(object->storage_rank);
        for (uint32_t i = 0; i < description.storage_rank; i++)
            description.storage_shape[i] = LOAD(object->storage_shape[i]);
    }
    if (tensorDataAddr == NULL)
        description.data = LOAD(object->data);
    fill(object, &description);
    unclaim(object);
    return ACLNN_SUCCESS;
}

bool tensor_destroy(const aclTensor *tensor)
{
    struct tensor *object = claim_live(tensor);
    if (object == NULL)
        return false;
    /* Nobody else retires this handle: that takes the claim. */
    handle_retire(object, handle_of(tensor));
    if (handles_have_grace())
        STORE(object->last, handle_of(tensor));
    unclaim(object);
    handle_release(&tensor_table, object);
    return true;
}

aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
    if (tensor == NULL)
        return ACLNN_SUCCESS;
    TRY(lifetime_check());
    if (tensor_destroy(tensor))
        return ACLNN_SUCCESS;
    return report_misuse(tensor_rule(tensor), ACLNN_ERR_PARAM_INVALID,
                         "aclDestroyTensor: tensor %s; a tensor or NULL is expected", tensor_fault(tensor));
}

/* False when a writer was at work meanwhile. */
static inline bool copy_view(const struct tensor *object, struct tensor_view *view)
{
    uint32_t version = atomic_load_explicit(&object->version, memory_order_acquire);
    uint32_t rank = LOAD(object->rank);
    view->dtype = (aclDataType)LOAD(object->dtype);
    view->rank = rank;
    view->version = version;
    view->offset = LOAD(object->offset);
    view->count = LOAD(object->count);
    view->reach = LOAD(object->reach);
    view->is_possible = LOAD(object->is_possible);
    view->is_contiguous = LOAD(object->is_contiguous);
    view->is_in_blocks = LOAD(object->is_in_blocks);
    view->data = LOAD(object->data);
    for (uint32_t i = 0; i < rank; i++) {
        view->shape[i] = LOAD(object->dim[i].shape);
        view->stride[i] = LOAD(object->dim[i].stride);
    }
    return (version & 1) == 0 && is_unchanged(object, version);
}

static __attribute__((noinline, cold)) void copy_view_between_writers(const struct tensor *object,
                                                                      struct tensor_view *view)
{
    do
        version_at_rest(object);
    while (!copy_view(object, view));
}

bool tensor_read(const aclTensor *tensor, struct tensor_view *view)
{
    const struct tensor *object = find(tensor);
    if (__builtin_expect(object == NULL, 0) && (object = find_destroyed(tensor)) == NULL)
        return false;
    if (__builtin_expect(!copy_view(object, view), 0))
        copy_view_between_writers(object, view);
    return is_still(object, tensor);
}

const char *tensor_fault(const aclTensor *tensor)
{
    return handle_fault(&tensor_table, handle_of(tensor));
}

enum rule tensor_rule(const aclTensor *tensor)
{
    return handle_rule(&tensor_table, handle_of(tensor));
}

bool tensor_address(const aclTensor *tensor, void **data)
{
    return tensor_slot_address(tensor, data);
}

bool tensor_set_address(const aclTensor *tensor, void *data, uint32_t *version)
{
    struct tensor *object = claim_live(tensor);
    if (object == NULL)
        return false;
    STORE(object->data, data);
    *version = LOAD(object->version) + 1;
    unclaim(object);
    return true;
}

bool tensor_set_view(const aclTensor *tensor, uint32_t rank, const int64_t *shape, const int64_t *stride)
{
    struct tensor_description description;
    if (!tensor_describe(tensor, &description))
        return false;
    description.rank = rank;
    memcpy(description.shape, shape, rank * sizeof *shape);
    memcpy(description.stride, stride, rank * sizeof *stride);
    struct tensor *object = claim_live(tensor);
    if (object == NULL)
        return false;
    fill(object, &description);
    unclaim(object);
    return true;
}

bool tensor_describe(const aclTensor *tensor, struct tensor_description *description)
{
    const struct tensor *object = find(tensor);
    if (object == NULL && (object = find_destroyed(tensor)) == NULL)
        return false;
    uint32_t version;
    do {
        version = version_at_rest(object);
        description->dtype = (aclDataType)LOAD(object->dtype);
        description->format = (aclFormat)LOAD(object->format);
        description->offset = LOAD(object->offset);
        description->data = LOAD(object->data);
        description->rank = LOAD(object->rank);
        description->storage_rank = LOAD(object->storage_rank);
        for (uint32_t i = 0; i < description->rank; i++) {
            description->shape[i] = LOAD(object->dim[i].shape);
            description->stride[i] = LOAD(object->dim[i].stride);
        }
        for (uint32_t i = 0; i < description->storage_rank; i++)
            description->storage_shape[i] = LOAD(object->storage_shape[i]);
    } while (!is_unchanged(object, version));
    return is_still(object, tensor);
}
