/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclTensorDesc: what programs say about a tensor to the operators of the older interface. What getters can
 * ask for is kept; hints for the vendor's compiler of graphs are checked and go no further.
 *
 * They are used rarely and by one thread at a time, so that one lock for all of them is enough.
 */
#include "runtime/named/tensor_desc.h"

#include <pthread.h>
#include <string.h>

#include "acl/acl_base.h"
#include "base/made.h"
#include "runtime/named/block_format.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/handle_refusal.h"
#include "base/settings.h"

enum { RANK_MAX = TENSOR_DESC_RANK_MAX, NAME_BYTES = 256 };
enum { DIMENSION_UNKNOWN = -1, RANK_UNKNOWN = -2 }; /* as the one dimension of a shape */

struct shape {
    int32_t rank;
    int64_t dims[RANK_MAX];
};

struct tensor_desc {
    struct handle_slot slot;
    aclDataType type;
    aclFormat format;
    struct shape shape;
    struct shape origin;      /* of a tensor in blocks: what it was created with, or was said since */
    aclFormat storage_format; /* ACL_FORMAT_UNDEFINED: the format */
    struct shape storage;     /* rank -1: the shape */
    uint32_t range_count;
    int64_t ranges[RANK_MAX][ACL_TENSOR_SHAPE_RANGE_NUM];
    void *constant; /* aclSetTensorConst; the program's memory */
    char name[NAME_BYTES];
};

static struct handle_table tensor_descs = HANDLE_TABLE(HANDLE_TENSOR_DESC, struct tensor_desc, (1u << 20));

/* Guards the contents of all descriptions. Slots stay where they are, so that names may be handed out. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* On success lock is held and *found stays until unlock. */
static int find_and_lock(const char *function, const aclTensorDesc *desc, struct tensor_desc **found)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    pthread_mutex_lock(&lock);
    *found = (struct tensor_desc *)handle_find(&tensor_descs, (uintptr_t)desc);
    if (*found != NULL)
        return 0;
    pthread_mutex_unlock(&lock);
    return handle_refuse(function, "desc", "a tensor description is", &tensor_descs, desc);
}

static void unlock(void)
{
    pthread_mutex_unlock(&lock);
}

static int check_shape(const char *function, int count, const int64_t *dims)
{
    if (count < 0 || count > RANK_MAX)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: numDims is %d; 0 to %d is expected", function, count,
                    RANK_MAX);
    if (dims == NULL && count > 0)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "%s: dims is NULL; %d dimensions are expected", function, count);
    return 0;
}

/* The shape has been checked. */
static void copy_shape(struct shape *shape, int count, const int64_t *dims)
{
    shape->rank = count;
    if (count > 0)
        memcpy(shape->dims, dims, (size_t)count * sizeof dims[0]);
}

aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims, aclFormat format)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0 || check_shape("aclCreateTensorDesc", numDims, dims) != 0)
        return NULL;
    struct tensor_desc *desc = (struct tensor_desc *)handle_acquire(&tensor_descs);
    if (desc == NULL) {
        fail(ACL_ERROR_BAD_ALLOC, "aclCreateTensorDesc: there is no memory for another tensor description");
        return NULL;
    }
    pthread_mutex_lock(&lock);
    desc->type = dataType;
    desc->format = format;
    copy_shape(&desc->shape, numDims, dims);
    copy_shape(&desc->origin, numDims, dims);
    desc->storage_format = ACL_FORMAT_UNDEFINED;
    desc->storage.rank = -1;
    desc->range_count = 0;
    desc->constant = NULL;
    desc->name[0] = '\0';
    uint64_t handle = handle_publish(&tensor_descs, desc);
    pthread_mutex_unlock(&lock);
    made(HANDLE_TENSOR_DESC, handle, 0, -1, "aclCreateTensorDesc");
    return (aclTensorDesc *)(uintptr_t)handle;
}

int tensor_desc_copy(const char *api, const aclTensorDesc *desc, aclTensorDesc **copy)
{
    struct tensor_desc *from, *to;
    TRY(find_and_lock(api, desc, &from));
    to = (struct tensor_desc *)handle_acquire(&tensor_descs);
    if (to != NULL) {
        memcpy((unsigned char *)to + sizeof to->slot, (const unsigned char *)from + sizeof from->slot,
               sizeof *to - sizeof to->slot);
        *copy = (aclTensorDesc *)(uintptr_t)handle_publish(&tensor_descs, to);
    }
    unlock();
    return to != NULL ? 0 : fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another description", api);
}

void aclDestroyTensorDesc(const aclTensorDesc *desc)
{
    struct tensor_desc *found;
    if (desc == NULL || find_and_lock("aclDestroyTensorDesc", desc, &found) != 0)
        return;
    bool is_ours = handle_retire(found, (uintptr_t)desc);
    unlock();
    if (is_ours)
        handle_release(&tensor_descs, found);
}

aclError aclSetTensorShape(aclTensorDesc *desc, int numDims, const int64_t *dims)
{
    struct tensor_desc *found;
    TRY(find_and_lock("aclSetTensorShape", desc, &found));
    int code = check_shape("aclSetTensorShape", numDims, dims);
    if (code == 0)
        copy_shape(&found->shape, numDims, dims);
    unlock();
    return code;
}

aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format)
{
    struct tensor_desc *found;
    TRY(find_and_lock("aclSetTensorFormat", desc, &found));
    found->format = format;
    unlock();
    return ACL_SUCCESS;
}

static int check_desc(const char *function, const aclTensorDesc *desc)
{
    struct tensor_desc *found;
    TRY(find_and_lock(function, desc, &found));
    unlock();
    return 0;
}

aclError aclSetTensorStorageShape(aclTensorDesc *desc, int numDims, const int64_t *dims)
{
    struct tensor_desc *found;
    TRY(find_and_lock("aclSetTensorStorageShape", desc, &found));
    int code = check_shape("aclSetTensorStorageShape", numDims, dims);
    if (code == 0)
        copy_shape(&found->storage, numDims, dims);
    unlock();
    return code;
}

aclError aclSetTensorOriginShape(aclTensorDesc *desc, int numDims, const int64_t *dims)
{
    struct tensor_desc *found;
    TRY(find_and_lock("aclSetTensorOriginShape", desc, &found));
    int code = check_shape("aclSetTensorOriginShape", numDims, dims);
    if (code == 0)
        copy_shape(&found->origin, numDims, dims);
    unlock();
    return code;
}

aclError aclSetTensorStorageFormat(aclTensorDesc *desc, aclFormat format)
{
    struct tensor_desc *found;
    TRY(find_and_lock("aclSetTensorStorageFormat", desc, &found));
    found->storage_format = format;
    unlock();
    return ACL_SUCCESS;
}

aclError aclSetTensorOriginFormat(aclTensorDesc *desc, aclFormat format)
{
    (void)format;
    return check_desc("aclSetTensorOriginFormat", desc);
}

aclError aclSetTensorShapeRange(aclTensorDesc *desc, size_t dimsCount,
                                int64_t dimsRange[][ACL_TENSOR_SHAPE_RANGE_NUM])
{
    struct tensor_desc *found;
    TRY(find_and_lock("aclSetTensorShapeRange", desc, &found));
    int code = 0;
    if (dimsCount > RANK_MAX)
        code = fail(ACL_ERROR_INVALID_PARAM,
                    "aclSetTensorShapeRange: dimsCount is %zu; at most %d is expected", dimsCount, RANK_MAX);
    else if (dimsRange == NULL && dimsCount > 0)
        code = fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "aclSetTensorShapeRange: dimsRange is NULL; %zu ranges are expected", dimsCount);
    if (code == 0) {
        found->range_count = (uint32_t)dimsCount;
        if (dimsCount > 0)
            memcpy(found->ranges, dimsRange, dimsCount * sizeof found->ranges[0]);
    }
    unlock();
    return code;
}

aclError aclSetTensorValueRange(aclTensorDesc *desc, size_t valueCount,
                                int64_t valueRange[][ACL_TENSOR_VALUE_RANGE_NUM])
{
    TRY(check_desc("aclSetTensorValueRange", desc));
    if (valueRange == NULL && valueCount > 0)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "aclSetTensorValueRange: valueRange is NULL; %zu ranges are expected", valueCount);
    return ACL_SUCCESS;
}

aclDataType aclGetTensorDescType(const aclTensorDesc *desc)
{
    struct tensor_desc *found;
    if (find_and_lock("aclGetTensorDescType", desc, &found) != 0)
        return ACL_DT_UNDEFINED;
    aclDataType type = found->type;
    unlock();
    return type;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc)
{
    struct tensor_desc *found;
    if (find_and_lock("aclGetTensorDescFormat", desc, &found) != 0)
        return ACL_FORMAT_UNDEFINED;
    aclFormat format = found->format;
    unlock();
    return format;
}

/* Elements, each of element_bytes; 100000 with a sentence when a dimension is unknown or the product too
 * large. */
static int count_elements(const char *function, const struct shape *shape, size_t element_bytes, size_t *sum)
{
    size_t count = element_bytes;
    bool overflows = false;
    *sum = 0;
    for (int32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] == 0)
            return 0;
    }
    for (int32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < 0)
            return fail(ACL_ERROR_INVALID_PARAM,
                        "%s: dimension %d of desc is %lld; known dimensions are expected", function, i,
                        (long long)shape->dims[i]);
        overflows |= __builtin_mul_overflow(count, (size_t)shape->dims[i], &count);
    }
    if (overflows)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: the shape of desc counts more than 2^64 - 1; less is expected", function);
    *sum = count;
    return 0;
}

size_t aclGetTensorDescSize(const aclTensorDesc *desc)
{
    struct tensor_desc *found;
    if (find_and_lock("aclGetTensorDescSize", desc, &found) != 0)
        return 0;
    size_t bytes;
    count_elements("aclGetTensorDescSize", &found->shape, aclDataTypeSize(found->type), &bytes);
    unlock();
    return bytes;
}

/* Lock held. The shape that counts in memory. */
static const struct shape *copy_view(const struct tensor_desc *desc, struct tensor_desc_view *view)
{
    const aclFormat stored =
        desc->storage_format != ACL_FORMAT_UNDEFINED ? desc->storage_format : desc->format;
    const bool is_in_blocks = block_format_name(stored) != NULL;
    const struct shape *shape = is_in_blocks ? &desc->origin : &desc->shape;
    const struct shape *storage = !is_in_blocks             ? shape
                                  : desc->storage.rank >= 0 ? &desc->storage
                                                            : &desc->shape;
    *view = (struct tensor_desc_view){
        .dtype = desc->type, .format = is_in_blocks ? stored : desc->format, .rank = shape->rank};
    memcpy(view->dims, shape->dims, (size_t)view->rank * sizeof view->dims[0]);
    if (is_in_blocks) {
        view->storage_rank = storage->rank;
        memcpy(view->storage_dims, storage->dims, (size_t)storage->rank * sizeof storage->dims[0]);
    }
    return storage;
}

int tensor_desc_read(const char *api, const aclTensorDesc *desc, struct tensor_desc_view *view)
{
    struct tensor_desc *found;
    size_t bytes;
    TRY(find_and_lock(api, desc, &found));
    const struct shape *storage = copy_view(found, view);
    int status = count_elements(api, storage, aclDataTypeSize(found->type), &view->bytes);
    if (status == 0 && view->storage_rank > 0) /* the other one is counted later, without a fault to tell */
        status = count_elements(api, &found->origin, aclDataTypeSize(found->type), &bytes);
    unlock();
    return status;
}

bool tensor_desc_peek(const aclTensorDesc *desc, struct tensor_desc_view *view)
{
    pthread_mutex_lock(&lock);
    const struct tensor_desc *found = (const struct tensor_desc *)handle_find(&tensor_descs, (uintptr_t)desc);
    if (found != NULL)
        (void)copy_view(found, view);
    pthread_mutex_unlock(&lock);
    return found != NULL;
}

int tensor_desc_declared(const char *api, const aclTensorDesc *desc, struct tensor_desc_view *view)
{
    struct tensor_desc *found;
    TRY(find_and_lock(api, desc, &found));
    *view =
        (struct tensor_desc_view){.dtype = found->type, .format = found->format, .rank = found->shape.rank};
    memcpy(view->dims, found->shape.dims, (size_t)view->rank * sizeof view->dims[0]);
    unlock();
    return 0;
}

size_t aclGetTensorDescElementCount(const aclTensorDesc *desc)
{
    struct tensor_desc *found;
    if (find_and_lock("aclGetTensorDescElementCount", desc, &found) != 0)
        return 0;
    size_t count;
    count_elements("aclGetTensorDescElementCount", &found->shape, 1, &count);
    unlock();
    return count;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc *desc)
{
    struct tensor_desc *found;
    if (find_and_lock("aclGetTensorDescNumDims", desc, &found) != 0)
        return 0;
    bool is_unknown = found->shape.rank == 1 && found->shape.dims[0] == RANK_UNKNOWN;
    size_t rank = is_unknown ? (size_t)ACL_UNKNOWN_RANK : (size_t)found->shape.rank;
    unlock();
    return rank;
}

static int get_dimension(const char *function, const aclTensorDesc *desc, size_t index, int64_t *dimension)
{
    struct tensor_desc *found;
    TRY(find_and_lock(function, desc, &found));
    int32_t rank = found->shape.rank;
    bool is_there = index < (size_t)rank;
    if (is_there)
        *dimension = found->shape.dims[index];
    unlock();
    if (!is_there)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: index is %zu; less than the rank %d is expected", function,
                    index, rank);
    return 0;
}

int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index)
{
    int64_t dimension;
    return get_dimension("aclGetTensorDescDim", desc, index, &dimension) == 0 ? dimension : DIMENSION_UNKNOWN;
}

aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result("aclGetTensorDescDimV2", "dimSize", dimSize));
    return get_dimension("aclGetTensorDescDimV2", desc, index, dimSize);
}

aclError aclGetTensorDescDimRange(const aclTensorDesc *desc, size_t index, size_t dimRangeNum,
                                  int64_t *dimRange)
{
    const struct settings *settings;
    struct tensor_desc *found;
    TRY(settings_get(&settings));
    if (dimRange == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "aclGetTensorDescDimRange: dimRange is NULL; room for 2 numbers is expected");
    if (dimRangeNum < ACL_TENSOR_SHAPE_RANGE_NUM)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclGetTensorDescDimRange: dimRangeNum is %zu; at least %d is expected", dimRangeNum,
                    ACL_TENSOR_SHAPE_RANGE_NUM);
    TRY(find_and_lock("aclGetTensorDescDimRange", desc, &found));
    uint32_t count = found->range_count;
    bool is_there = index < count;
    if (is_there)
        memcpy(dimRange, found->ranges[index], sizeof found->ranges[index]);
    unlock();
    if (!is_there)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclGetTensorDescDimRange: index is %zu; less than the %u ranges of "
                    "aclSetTensorShapeRange is expected",
                    index, count);
    return ACL_SUCCESS;
}

/* A name that is too long is cut: nothing here or in a message needs more of it. */
static void copy_name(char copy[NAME_BYTES], const char *name)
{
    size_t length = strnlen(name, NAME_BYTES - 1);
    memcpy(copy, name, length);
    copy[length] = '\0';
}

void aclSetTensorDescName(aclTensorDesc *desc, const char *name)
{
    struct tensor_desc *found;
    if (find_and_lock("aclSetTensorDescName", desc, &found) != 0)
        return;
    copy_name(found->name, name != NULL ? name : "");
    unlock();
}

const char *aclGetTensorDescName(aclTensorDesc *desc)
{
    struct tensor_desc *found;
    if (find_and_lock("aclGetTensorDescName", desc, &found) != 0)
        return "";
    const char *name = found->name;
    unlock();
    return name;
}

aclTensorDesc *aclGetTensorDescByIndex(aclTensorDesc *desc, size_t index)
{
    if (check_desc("aclGetTensorDescByIndex", desc) != 0)
        return NULL;
    if (index == 0)
        return desc;
    fail(ACL_ERROR_INVALID_PARAM,
         "aclGetTensorDescByIndex: index is %zu; 0 is expected, as desc is one description", index);
    return NULL;
}

void *aclGetTensorDescAddress(const aclTensorDesc *desc)
{
    struct tensor_desc *found;
    if (find_and_lock("aclGetTensorDescAddress", desc, &found) != 0)
        return NULL;
    void *address = found->constant;
    unlock();
    return address;
}

aclError aclSetTensorDynamicInput(aclTensorDesc *desc, const char *dynamicInputName)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (dynamicInputName == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "aclSetTensorDynamicInput: dynamicInputName is NULL; a name is expected");
    return check_desc("aclSetTensorDynamicInput", desc);
}

aclError aclSetTensorConst(aclTensorDesc *desc, void *dataBuffer, size_t length)
{
    const struct settings *settings;
    struct tensor_desc *found;
    TRY(settings_get(&settings));
    if (dataBuffer == NULL || length == 0)
        return fail(ACL_ERROR_INVALID_PARAM | (dataBuffer == NULL ? ARGUMENT_IS_NULL : 0),
                    "aclSetTensorConst: %s; at least one byte of data is expected",
                    dataBuffer == NULL ? "dataBuffer is NULL" : "length is 0");
    TRY(find_and_lock("aclSetTensorConst", desc, &found));
    found->constant = dataBuffer;
    unlock();
    return ACL_SUCCESS;
}

aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType)
{
    TRY(check_desc("aclSetTensorPlaceMent", desc));
    if ((int)memType < ACL_MEMTYPE_DEVICE || (int)memType > ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclSetTensorPlaceMent: memType is %d; ACL_MEMTYPE_DEVICE (0) to "
                    "ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT "
                    "(2) is expected",
                    (int)memType);
    return ACL_SUCCESS;
}
