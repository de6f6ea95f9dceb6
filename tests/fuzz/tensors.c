/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of a fuzzed program: tensors, scalars, arrays and lists.
 */
#include <math.h>
#include <string.h>

#include "aclnnop/aclnn_npu_format_cast.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "fuzz/world.h"
#include "support/release.h"

static const aclDataType dtypes[] = {ACL_FLOAT,     ACL_FLOAT16, ACL_BF16,         ACL_DOUBLE,     ACL_FLOAT,
                                     ACL_FLOAT16,   ACL_BF16,    ACL_INT8,         ACL_INT32,      ACL_INT64,
                                     ACL_BOOL,      ACL_STRING,  ACL_DT_UNDEFINED, ACL_UINT1,      ACL_INT4,
                                     ACL_COMPLEX32, ACL_UINT64,  ACL_COMPLEX64,    ACL_COMPLEX128, ACL_UINT8};

static int64_t draw_extreme(struct world *world)
{
    static const int64_t extremes[] = {INT64_MAX,
                                       INT64_MIN,
                                       -1,
                                       INT64_C(1) << 31,
                                       (INT64_C(1) << 31) + 1,
                                       INT64_C(1) << 32,
                                       INT64_C(1) << 62,
                                       INT64_C(1) << 20,
                                       INT64_MAX - 1,
                                       INT64_C(3037000500),
                                       1 << 10,
                                       INT64_C(1) << 61,
                                       0,
                                       65536};
    uint32_t choice = draw(world, 16);
    return choice < 14 ? extremes[choice] : (int64_t)draw_word(world);
}

static int64_t draw_dim(struct world *world)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 0, 9, 16, 33, 257};
    uint32_t choice = draw(world, 16);
    return choice < 11 ? sizes[choice] : choice < 14 ? 2 : draw_extreme(world);
}

static int64_t draw_stride(struct world *world)
{
    uint32_t choice = draw(world, 16);
    return choice < 12 ? choice : choice < 14 ? 20 + choice : draw_extreme(world);
}

static void contiguous(struct view *view)
{
    int64_t step = 1;
    for (uint32_t i = view->rank; i-- > 0;) {
        view->stride[i] = step;
        if (__builtin_mul_overflow(step, view->shape[i], &step))
            step = INT64_MAX;
    }
}

static unsigned char *draw_address(struct world *world)
{
    uint32_t choice = draw(world, 64);
    const struct block *block = &world->block[choice % BLOCKS];
    if (choice == 60)
        return NULL;
    if (choice == 61)
        return (unsigned char *)(uintptr_t)draw_word(world);
    if (choice == 62)
        return behind(block->address, block->bytes);
    if (choice == 63)
        return behind(block->address, block->bytes - 1);
    return behind(block->address, draw(world, 64) * 2);
}

/* Draws a view; true when strides are to be given. */
static bool draw_view(struct world *world, struct view *view)
{
    static const uint32_t ranks[] = {0, 1, 1, 2, 2, 3, 3, 4, 5, 8, 9, 25};
    *view = (struct view){.dtype = dtypes[draw(world, sizeof dtypes / sizeof dtypes[0])],
                          .rank = ranks[draw(world, sizeof ranks / sizeof ranks[0])]};
    for (uint32_t i = 0; i < view->rank; i++)
        view->shape[i] = draw_dim(world);
    uint32_t choice = draw(world, 4);
    contiguous(view);
    for (uint32_t i = 0; i < view->rank && choice >= 2; i++)
        view->stride[i] = draw_stride(world);
    view->offset = choice == 3 ? draw_stride(world) : 0;
    view->data = draw_address(world);
    return choice != 0;
}

void step_tensor(struct world *world)
{
    struct view view;
    uint32_t choice = draw(world, 8);
    if (choice == 0) {
        aclTensor *handle = draw_tensor(world);
        struct tensor *tensor = find_tensor(world, handle);
        int status = aclDestroyTensor(handle);
        DEMAND(status == (handle == NULL || tensor != NULL ? 0 : 161002), "destroy gave %d", status);
        if (tensor != NULL)
            tensor->is_live = false;
        return;
    }
    if (choice == 1) {
        aclTensor *handle = draw_tensor(world);
        struct tensor *tensor = find_tensor(world, handle);
        unsigned char *address = draw_address(world);
        int status = aclSetRawTensorAddr(handle, address);
        int expected = handle == NULL || address == NULL ? 161001 : tensor == NULL ? 161002 : 0;
        DEMAND(status == expected, "%d, %d expected", status, expected);
        if (status == 0)
            tensor->view.data = address;
        return;
    }
    bool has_stride = draw_view(world, &view);
    const int64_t *stride = has_stride ? view.stride : NULL;
    if (choice == 2) {
        aclTensor *handle = draw_tensor(world);
        struct tensor *tensor = find_tensor(world, handle);
        bool keeps_shape = draw(world, 4) == 0;
        int status = aclInitTensor(handle, keeps_shape ? NULL : view.shape, view.rank, view.dtype, stride,
                                   view.offset, ACL_FORMAT_ND, NULL, 0, view.data);
        int expected = handle == NULL ? 161001 : tensor == NULL ? 161002 : 0;
        DEMAND(status == expected, "%d, %d expected", status, expected);
        if (status != 0)
            return;
        struct view *old = &tensor->view;
        if (keeps_shape) {
            bool takes_strides = has_stride && view.rank == old->rank;
            memcpy(view.shape, old->shape, sizeof view.shape);
            if (!takes_strides)
                memcpy(view.stride, old->stride, sizeof view.stride);
            view.rank = old->rank;
        }
        if (view.data == NULL)
            view.data = old->data;
        *old = view;
        return;
    }
    struct tensor *tensor = &world->tensor[draw(world, TENSORS)];
    if (tensor->is_live)
        DEMAND(aclDestroyTensor(tensor->handle) == 0, "tensor");
    tensor->is_live = false;
    if (choice == 3) {
        uint64_t rank = 26 + draw_word(world) % (UINT64_MAX - 26);
        DEMAND(aclCreateTensor(view.shape, rank, view.dtype, stride, 0, ACL_FORMAT_ND, view.shape, 1, NULL) ==
                   NULL,
               "rank %llu", (unsigned long long)rank);
        DEMAND(aclCreateTensor(NULL, 1, view.dtype, stride, 0, ACL_FORMAT_ND, view.shape, 0, NULL) == NULL,
               "no dims");
    }
    tensor->handle = aclCreateTensor(view.shape, view.rank, view.dtype, stride, view.offset,
                                     (aclFormat)draw(world, 40), view.shape, view.rank, view.data);
    DEMAND(tensor->handle != NULL, "tensor");
    tensor->is_live = true;
    tensor->view = view;
}

void step_scalar(struct world *world)
{
    struct scalar *scalar = &world->scalar[draw(world, SCALARS)];
    if (draw(world, 3) == 0) {
        aclScalar *handle = draw_scalar(world);
        struct scalar *found = find_scalar(world, handle);
        int status = aclDestroyScalar(handle);
        DEMAND(status == (handle == NULL || found != NULL ? 0 : 161002), "destroy gave %d", status);
        if (found != NULL)
            found->is_live = false;
        return;
    }
    if (scalar->is_live)
        DEMAND(aclDestroyScalar(scalar->handle) == 0, "scalar");
    static const double values[] = {0.01,  0.5,   -0.5,     1,  0,   -0.0,   1e-45,
                                    1e300, 3e-39, HUGE_VAL, -1, 127, 1e-320, -HUGE_VAL};
    double value = values[draw(world, sizeof values / sizeof values[0])];
    float single = (float)value;
    int64_t whole = fabs(value) < 200 ? (int64_t)value : (int64_t)draw_word(world);
    unsigned char truth = draw(world, 2) != 0;
    uint32_t choice = draw(world, 6);
    void *bytes = &single;
    *scalar = (struct scalar){.dtype = ACL_FLOAT, .value = (long double)single};
    if (choice == 1) {
        *scalar = (struct scalar){.dtype = ACL_DOUBLE, .value = (long double)value};
        bytes = &value;
    } else if (choice == 2) {
        *scalar = (struct scalar){.dtype = ACL_INT64, .value = (long double)whole};
        bytes = &whole;
    } else if (choice == 3) {
        *scalar = (struct scalar){.dtype = ACL_BOOL, .value = (long double)truth};
        bytes = &truth;
    } else if (choice == 4) {
        *scalar = (struct scalar){.dtype = ACL_UINT64, .value = (long double)(uint64_t)whole};
        bytes = &whole;
    }
    memcpy(scalar->bytes, bytes, aclDataTypeSize(scalar->dtype));
    DEMAND(aclCreateScalar(NULL, scalar->dtype) == NULL, "no value");
    DEMAND(aclCreateScalar(bytes, ACL_STRING) == NULL, "a string");
    scalar->handle = aclCreateScalar(bytes, scalar->dtype);
    DEMAND(scalar->handle != NULL, "scalar");
    scalar->is_live = true;
}

static int destroy_array(int kind, void *handle)
{
    return kind == 0   ? aclDestroyIntArray((aclIntArray *)handle)
           : kind == 1 ? aclDestroyFloatArray((aclFloatArray *)handle)
           : kind == 2 ? aclDestroyBoolArray((aclBoolArray *)handle)
           : kind == 3 ? aclDestroyTensorList((aclTensorList *)handle)
                       : aclDestroyScalarList((aclScalarList *)handle);
}

static int array_size(int kind, void *handle, uint64_t *size)
{
    return kind == 0   ? aclGetIntArraySize((aclIntArray *)handle, size)
           : kind == 1 ? aclGetFloatArraySize((aclFloatArray *)handle, size)
           : kind == 2 ? aclGetBoolArraySize((aclBoolArray *)handle, size)
           : kind == 3 ? aclGetTensorListSize((aclTensorList *)handle, size)
                       : aclGetScalarListSize((aclScalarList *)handle, size);
}

static void end_array(struct world *world, struct array *array)
{
    array->is_live = false;
    for (uint64_t i = 0; i < array->count && i < 4; i++) {
        struct tensor *tensor = array->kind == 3 ? find_tensor(world, (aclTensor *)array->element[i]) : NULL;
        struct scalar *scalar = array->kind == 4 ? find_scalar(world, (aclScalar *)array->element[i]) : NULL;
        if (tensor != NULL)
            tensor->is_live = false;
        if (scalar != NULL)
            scalar->is_live = false;
    }
}

/* A forged handle of another kind may be that of an entry. */
static struct array *find_array(struct world *world, int kind, const void *handle)
{
    for (int i = 0; i < ARRAYS; i++)
        if (world->array[i].is_live && world->array[i].kind == kind && world->array[i].handle == handle)
            return &world->array[i];
    return NULL;
}

static void create_array(struct world *world, struct array *array, int kind)
{
    int64_t numbers[256] = {1};
    *array = (struct array){.kind = kind, .count = draw(world, kind >= 3 ? 5 : 256)};
    for (int i = 0; i < 4; i++)
        array->element[i] = kind == 3   ? (void *)draw_tensor(world)
                            : kind == 4 ? (void *)draw_scalar(world)
                                        : NULL;
    array->handle =
        kind == 0   ? (void *)aclCreateIntArray(numbers, array->count)
        : kind == 1 ? (void *)aclCreateFloatArray((const float *)(void *)numbers, array->count)
        : kind == 2 ? (void *)aclCreateBoolArray((const bool *)(void *)numbers, array->count)
        : kind == 3
            ? (void *)aclCreateTensorList((const aclTensor *const *)(void *)array->element, array->count)
            : (void *)aclCreateScalarList((const aclScalar *const *)(void *)array->element, array->count);
    DEMAND(array->handle != NULL, "array");
    array->is_live = true;
}

/* Functions of one phase: what they count is for tests/ops to judge. */
static void count_weights(const void *handle, bool is_right, bool is_int_array)
{
    uint64_t size = 99;
    const aclIntArray *shape = handle;
    const int status[] = {aclnnCalculateMatmulWeightSize(shape, &size),
                          aclnnCalculateMatmulWeightSizeV2(shape, ACL_INT8, &size)};
    for (int i = 0; i < 2; i++)
        DEMAND(handle == NULL             ? status[i] == 161001
               : is_right && is_int_array ? status[i] == 0 || status[i] == 161002
                                          : status[i] == 161002,
               "weight size %d gave %d", i, status[i]);
    DEMAND(size == 99 || status[0] == 0 || status[1] == 0, "size %llu", (unsigned long long)size);
}

/* And of tensors: which of them have such a storage is for tests/ops, too. */
static void ask_for_storage(struct world *world)
{
    static const int formats[] = {29, 2, 3, 4, 32, 33, 50, 12, 77, -1}, counted[] = {-1, 0, 1, 2, 29, 36, 99};
    int64_t *dims = NULL;
    uint64_t rank = 99;
    int format = 99;
    aclTensor *tensor = draw_tensor(world);
    const int status = aclnnNpuFormatCastCalculateSizeAndFormat(
        tensor, formats[draw(world, sizeof formats / sizeof formats[0])],
        counted[draw(world, sizeof counted / sizeof counted[0])], &dims, &rank, &format);
    DEMAND(status == 0 || status == (tensor == NULL ? 161001 : 161002) || status == 361001, "storage gave %d",
           status);
    DEMAND(status == 0 ? dims != NULL && rank <= DIMS_MOST && format != 99
                       : dims == NULL && rank == 99 && format == 99,
           "storage of %llu dims", (unsigned long long)rank);
    release_array(dims);
}

void step_array(struct world *world)
{
    struct array *array = &world->array[draw(world, ARRAYS)];
    uint32_t choice = draw(world, 8);
    int kind = array->is_live && choice < 6 ? array->kind : (int)draw(world, 5);
    void *handle = choice == 7 ? draw_forged(world, array->handle) : array->handle;
    struct array *named = find_array(world, kind, handle);
    const bool is_right = named != NULL;
    uint64_t size = 99;
    int status = array_size(kind, handle, &size);
    DEMAND(status == (handle == NULL ? 161001 : is_right ? 0 : 161002), "size gave %d", status);
    DEMAND(size == (is_right ? named->count : 99), "size %llu", (unsigned long long)size);
    count_weights(handle, is_right, kind == 0);
    ask_for_storage(world);
    if (choice % 2 == 0 || handle != array->handle) {
        status = destroy_array(kind, handle);
        DEMAND(status == (handle == NULL || is_right ? 0 : 161002), "destroy gave %d", status);
        if (is_right)
            end_array(world, named);
    }
    if (!array->is_live)
        create_array(world, array, (int)draw(world, 5));
}

static void compare_list(const int64_t *found, uint64_t count, const int64_t *expected, uint32_t rank)
{
    DEMAND(count == rank && memcmp(found, expected, rank * sizeof *found) == 0, "%llu dims",
           (unsigned long long)count);
}

void step_getter(struct world *world)
{
    aclTensor *handle = draw_tensor(world);
    const struct tensor *tensor = find_tensor(world, handle);
    int expected = handle == NULL ? 161001 : tensor == NULL ? 161002 : 0;
    int64_t *shape = NULL, *stride = NULL, offset = 0;
    uint64_t shape_count = 0, stride_count = 0;
    aclDataType dtype = ACL_STRING;
    void *address = NULL;
    DEMAND(aclGetViewShape(handle, &shape, &shape_count) == expected, "shape");
    DEMAND(aclGetViewStrides(handle, &stride, &stride_count) == expected, "strides");
    DEMAND(aclGetViewOffset(handle, &offset) == expected, "offset");
    DEMAND(aclGetDataType(handle, &dtype) == expected, "dtype");
    DEMAND(aclGetRawTensorAddr(handle, &address) == expected, "address");
    if (expected != 0)
        return;
    compare_list(shape, shape_count, tensor->view.shape, tensor->view.rank);
    compare_list(stride, stride_count, tensor->view.stride, tensor->view.rank);
    DEMAND(offset == tensor->view.offset && dtype == tensor->view.dtype && address == tensor->view.data,
           "offset %lld, dtype %d, address %p", (long long)offset, (int)dtype, address);
    release_array(shape);
    release_array(stride);
}
