/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclIntArray, aclFloatArray and aclBoolArray, and what they share with the lists.
 */
#include "tensor/array.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/made.h"
#include "base/error.h"
#include "base/report.h"
#include "tensor/lifetime.h"
#include "tensor/tensor_slot.h"

struct array {
    struct handle_slot slot;
    _Atomic bool
        is_claimed; /* belongs to the slot: while set, values stays, and nobody else retires the handle */
    uint64_t count; /* under the claim, as is values */
    void *values;   /* owned; NULL when count is 0 */
};

enum { KIND_FIRST = HANDLE_INT_ARRAY, KINDS = HANDLE_SCALAR_LIST - HANDLE_INT_ARRAY + 1 };

static struct handle_table tables[KINDS] = {
    HANDLE_TABLE(HANDLE_INT_ARRAY, struct array, HANDLES_MAX),
    HANDLE_TABLE(HANDLE_FLOAT_ARRAY, struct array, HANDLES_MAX),
    HANDLE_TABLE(HANDLE_BOOL_ARRAY, struct array, HANDLES_MAX),
    HANDLE_TABLE(HANDLE_TENSOR_LIST, struct array, HANDLES_MAX),
    HANDLE_TABLE(HANDLE_SCALAR_LIST, struct array, HANDLES_MAX),
};

static const size_t value_bytes[KINDS] = {
    sizeof(int64_t), sizeof(float), sizeof(bool), sizeof(const aclTensor *), sizeof(const aclScalar *),
};

/* What the getters call their first argument. */
static const char *const argument_names[KINDS] = {"array", "array", "array", "tensorList", "scalarList"};

static struct handle_table *table_of(enum handle_kind kind)
{
    return &tables[kind - KIND_FIRST];
}

static uint64_t handle_of(const void *array)
{
    return (uint64_t)(uintptr_t)array;
}

/* Waits for others: they copy at most as much as the caller is about to. NULL when the handle is not live. */
static struct array *claim_live(enum handle_kind kind, const void *array)
{
    struct array *object = (struct array *)handle_find(table_of(kind), handle_of(array));
    if (object == NULL)
        return NULL;
    while (atomic_exchange_explicit(&object->is_claimed, true, memory_order_acquire))
        sched_yield();
    if (handle_is_live(object, handle_of(array)))
        return object;
    atomic_store_explicit(&object->is_claimed, false, memory_order_release);
    return NULL;
}

static void unclaim(struct array *object)
{
    atomic_store_explicit(&object->is_claimed, false, memory_order_release);
}

void *array_create(const char *api, enum handle_kind kind, const void *values, uint64_t count)
{
    if (lifetime_check() != 0)
        return NULL;
    if (values == NULL)
        count = 0;
    void *copy = NULL;
    size_t bytes;
    if (__builtin_mul_overflow(count, value_bytes[kind - KIND_FIRST], &bytes) || bytes > PTRDIFF_MAX ||
        (bytes > 0 && (copy = malloc(bytes)) == NULL)) {
        fail(ACLNN_ERR_INNER, "%s: size is %llu; there is no memory for a copy", api,
             (unsigned long long)count);
        return NULL;
    }
    if (bytes > 0 && values != NULL)
        memcpy(copy, values, bytes);
    struct array *object = (struct array *)handle_acquire(table_of(kind));
    if (object == NULL) {
        free(copy);
        fail(ACLNN_ERR_INNER, "%s: there is no memory for another %s", api, handle_kind_name(kind));
        return NULL;
    }
    /* Whoever still looks for the last object in this slot reads the handle alone. */
    object->count = count;
    object->values = copy;
    uint64_t handle = handle_publish(table_of(kind), object);
    made((int32_t)kind, handle, 0, -1, api);
    return (void *)(uintptr_t)handle;
}

bool array_count(enum handle_kind kind, const void *array, uint64_t *count)
{
    struct array *object = claim_live(kind, array);
    if (object == NULL)
        return false;
    *count = object->count;
    unclaim(object);
    return true;
}

bool array_read(enum handle_kind kind, const void *array, uint64_t first, uint64_t capacity, void *values,
                uint64_t *count)
{
    struct array *object = claim_live(kind, array);
    if (object == NULL)
        return false;
    *count = object->count;
    if (first < object->count && capacity > 0) { /* who asks for the count alone has no place */
        uint64_t left = object->count - first;
        size_t bytes = value_bytes[kind - KIND_FIRST];
        if (left < capacity)
            capacity = left;
        memcpy(values, (const unsigned char *)object->values + first * bytes, capacity * bytes);
    }
    unclaim(object);
    return true;
}

bool array_values(enum handle_kind kind, const void *array, const void **values)
{
    struct array *object = claim_live(kind, array);
    if (object == NULL)
        return false;
    *values = object->values;
    unclaim(object);
    return true;
}

bool array_is_whole(enum handle_kind kind, const void *array)
{
    if (kind != HANDLE_SCALAR_LIST)
        return handle_find(table_of(kind), handle_of(array)) != NULL;
    struct array *object = claim_live(kind, array);
    if (object == NULL)
        return false;
    const aclScalar *const *scalar = (const aclScalar *const *)object->values;
    bool is_whole = true;
    for (uint64_t i = 0; is_whole && i < object->count; i++)
        is_whole = scalar[i] == NULL || handle_find(&scalar_table, handle_of(scalar[i])) != NULL;
    unclaim(object);
    return is_whole;
}

bool array_take(enum handle_kind kind, const void *array, void **values, uint64_t *count)
{
    struct array *object = claim_live(kind, array);
    if (object == NULL)
        return false;
    *values = object->values;
    *count = object->count;
    object->values = NULL;
    object->count = 0;
    handle_retire(object, handle_of(array));
    unclaim(object);
    handle_release(table_of(kind), object);
    return true;
}

const char *array_fault(enum handle_kind kind, const void *array)
{
    return handle_fault(table_of(kind), handle_of(array));
}

enum rule array_rule(enum handle_kind kind, const void *array)
{
    return handle_rule(table_of(kind), handle_of(array));
}

aclnnStatus array_destroy(const char *api, enum handle_kind kind, const void *array)
{
    void *values;
    uint64_t count;
    if (array == NULL)
        return ACLNN_SUCCESS;
    TRY(lifetime_check());
    if (!array_take(kind, array, &values, &count))
        return report_misuse(array_rule(kind, array), ACLNN_ERR_PARAM_INVALID,
                             "%s: array %s; a live %s or NULL is expected", api, array_fault(kind, array),
                             handle_kind_name(kind));
    free(values);
    return ACLNN_SUCCESS;
}

aclnnStatus array_size(const char *api, enum handle_kind kind, const void *array, uint64_t *size)
{
    TRY(lifetime_check());
    const char *argument = argument_names[kind - KIND_FIRST];
    if (array == NULL)
        return report_misuse(RULE_HANDLE, ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL; a live %s is expected",
                             api, argument, handle_kind_name(kind));
    if (size == NULL)
        return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: size is NULL; where to put the result is expected", api);
    if (!array_count(kind, array, size))
        return report_misuse(array_rule(kind, array), ACLNN_ERR_PARAM_INVALID,
                             "%s: %s %s; a live %s is expected", api, argument, array_fault(kind, array),
                             handle_kind_name(kind));
    return ACLNN_SUCCESS;
}

aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size)
{
    return (aclIntArray *)array_create("aclCreateIntArray", HANDLE_INT_ARRAY, value, size);
}

aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size)
{
    return (aclFloatArray *)array_create("aclCreateFloatArray", HANDLE_FLOAT_ARRAY, value, size);
}

aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size)
{
    return (aclBoolArray *)array_create("aclCreateBoolArray", HANDLE_BOOL_ARRAY, value, size);
}

aclnnStatus aclDestroyIntArray(const aclIntArray *array)
{
    return array_destroy("aclDestroyIntArray", HANDLE_INT_ARRAY, array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray *array)
{
    return array_destroy("aclDestroyFloatArray", HANDLE_FLOAT_ARRAY, array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray *array)
{
    return array_destroy("aclDestroyBoolArray", HANDLE_BOOL_ARRAY, array);
}

aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size)
{
    return array_size("aclGetIntArraySize", HANDLE_INT_ARRAY, array, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size)
{
    return array_size("aclGetFloatArraySize", HANDLE_FLOAT_ARRAY, array, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size)
{
    return array_size("aclGetBoolArraySize", HANDLE_BOOL_ARRAY, array, size);
}
