/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of a fuzzed program: tensor descriptions, data buffers, and the addresses and storage of tensors
 * beside the usual calls.
 */
#include <limits.h>
#include <string.h>

#include "fuzz/draw_format.h"
#include "fuzz/verdict.h"
#include "support/release.h"

enum { NAME_MOST = 255, CALLS_MOST = 12 };

struct description {
    aclTensorDesc *handle;
    bool is_live;
    aclDataType dtype;
    aclFormat format;
    int rank;
    int64_t dims[DIMS_MOST];
    size_t range_count;
    int64_t range[DIMS_MOST][2];
    void *address;
    char name[NAME_MOST + 1];
};

/* A shape as it is given, right or not. One more dim is there than is allowed. */
struct shape {
    int rank;
    int64_t storage[DIMS_MOST + 1];
    const int64_t *dims;
    bool is_good;
};

static void draw_shape(struct world *world, struct shape *shape)
{
    static const int ranks[] = {0, 1, 2, 3, 4, 4, 4, 5, 5, 24, 25, 26, -1, INT_MAX, INT_MIN, 1};
    shape->rank = ranks[draw(world, sizeof ranks / sizeof ranks[0])];
    memset(shape->storage, 0, sizeof shape->storage);
    for (int i = 0; i < shape->rank && i <= DIMS_MOST; i++)
        shape->storage[i] = draw_dim(world);
    shape->dims = draw(world, 8) == 7 ? NULL : shape->storage;
    shape->is_good =
        shape->rank >= 0 && shape->rank <= DIMS_MOST && (shape->rank == 0 || shape->dims != NULL);
}

static void keep_shape(struct description *description, const struct shape *shape)
{
    description->rank = shape->rank;
    for (int i = 0; i < shape->rank; i++)
        description->dims[i] = shape->dims[i];
}

/* 0 when a dim is unknown or the product is too large. */
static uint64_t count_of(const struct description *description, uint64_t bytes)
{
    uint64_t count = bytes;
    for (int i = 0; i < description->rank; i++)
        if (description->dims[i] == 0)
            return 0;
    for (int i = 0; i < description->rank; i++)
        if (description->dims[i] < 0 || __builtin_mul_overflow(count, (uint64_t)description->dims[i], &count))
            return 0;
    return count;
}

static void hold_dims(const struct description *description, aclTensorDesc *handle)
{
    for (size_t i = 0; i < DIMS_MOST + 1; i++) {
        const bool is_there = description->is_live && i < (size_t)description->rank;
        int64_t dim = 77;
        DEMAND(aclGetTensorDescDim(handle, i) == (is_there ? description->dims[i] : -1), "dim %zu", i);
        DEMAND(aclGetTensorDescDimV2(handle, i, &dim) == (is_there ? 0 : 100000), "dim %zu", i);
        DEMAND(dim == (is_there ? description->dims[i] : 77), "dim %zu is %lld", i, (long long)dim);
    }
    DEMAND(aclGetTensorDescDimV2(handle, 0, NULL) == 100000, "no place for a dim");
    DEMAND(aclGetTensorDescDim(handle, SIZE_MAX) == -1, "dim of the greatest index");
}

/* Holds what a description tells against what was set; a dead one tells nothing. */
static void hold_description(const struct description *description, aclTensorDesc *handle)
{
    const bool is_live = description->is_live;
    const bool has_no_rank = description->rank == 1 && description->dims[0] == -2;
    const size_t rank = has_no_rank ? (size_t)ACL_UNKNOWN_RANK : (size_t)description->rank;
    const size_t bytes = aclDataTypeSize(description->dtype);
    DEMAND(aclGetTensorDescType(handle) == (is_live ? description->dtype : ACL_DT_UNDEFINED), "dtype");
    DEMAND(aclGetTensorDescFormat(handle) == (is_live ? description->format : ACL_FORMAT_UNDEFINED),
           "format");
    DEMAND(aclGetTensorDescNumDims(handle) == (is_live ? rank : 0), "rank");
    DEMAND(aclGetTensorDescElementCount(handle) == (is_live ? count_of(description, 1) : 0), "elements");
    DEMAND(aclGetTensorDescSize(handle) == (is_live ? count_of(description, bytes) : 0), "bytes");
    DEMAND(strcmp(aclGetTensorDescName(handle), is_live ? description->name : "") == 0, "name");
    DEMAND(aclGetTensorDescAddress(handle) == (is_live ? description->address : NULL), "address");
    DEMAND(aclGetTensorDescByIndex(handle, 0) == (is_live ? handle : NULL), "itself");
    DEMAND(aclGetTensorDescByIndex(handle, 1) == NULL, "another one");
    hold_dims(description, handle);
}

static void set_name(struct world *world, struct description *description, aclTensorDesc *handle)
{
    char name[2 * NAME_MOST];
    const size_t lengths[] = {
        0, 1, draw(world, 256), NAME_MOST - 1, NAME_MOST, NAME_MOST + 1, sizeof name - 1};
    const size_t length = lengths[draw(world, sizeof lengths / sizeof lengths[0])];
    memset(name, 1 + (int)draw(world, 255), length);
    name[length] = '\0';
    const bool is_given = draw(world, 8) != 0;
    aclSetTensorDescName(handle, is_given ? name : NULL);
    if (!description->is_live || handle != description->handle)
        return;
    name[NAME_MOST] = '\0'; /* where it is cut */
    strcpy(description->name, is_given && length > 0 ? name : "");
}

static void set_ranges(struct world *world, struct description *description, aclTensorDesc *handle,
                       bool is_known)
{
    static const size_t counts[] = {0, 1, 2, 3, 4, DIMS_MOST, DIMS_MOST + 1, SIZE_MAX};
    const size_t count = counts[draw(world, sizeof counts / sizeof counts[0])];
    const int64_t least = draw_dim(world);
    const bool is_given = draw(world, 8) != 0;
    int64_t range[DIMS_MOST + 1][2];
    for (int i = 0; i <= DIMS_MOST; i++)
        range[i][0] = least / (i + 1), range[i][1] = i;
    struct reasons reasons = {.count = 0};
    reason(&reasons, !is_known || count > DIMS_MOST || (!is_given && count > 0), 100000);
    const int status = aclSetTensorShapeRange(handle, count, is_given ? range : NULL);
    judge_reasons(&reasons, status, "aclSetTensorShapeRange");
    if (status == 0) {
        description->range_count = count;
        memcpy(description->range, range, sizeof description->range);
    }
    /* Of values there may be an array for as many as are given. */
    const bool has_values = is_given && count <= DIMS_MOST;
    reasons.count = 0;
    reason(&reasons, !is_known || (!has_values && count > 0), 100000);
    judge_reasons(&reasons, aclSetTensorValueRange(handle, count, has_values ? range : NULL),
                  "aclSetTensorValueRange");
}

static void get_range(struct world *world, const struct description *description, aclTensorDesc *handle,
                      bool is_known)
{
    const size_t index = draw(world, 16) == 0 ? (size_t)draw_word(world) : draw(world, DIMS_MOST + 2);
    const size_t room = draw(world, 8) == 0 ? draw(world, 2) : 2 + draw(world, 2);
    const bool has_place = draw(world, 8) != 0;
    int64_t range[3] = {71, 72, 73};
    struct reasons reasons = {.count = 0};
    reason(&reasons, !is_known || !has_place || room < 2 || index >= description->range_count, 100000);
    const int status = aclGetTensorDescDimRange(handle, index, room, has_place ? range : NULL);
    judge_reasons(&reasons, status, "aclGetTensorDescDimRange");
    DEMAND(range[0] == (status == 0 ? description->range[index][0] : 71) &&
               range[1] == (status == 0 ? description->range[index][1] : 72) && range[2] == 73,
           "the range of dim %zu is %lld to %lld", index, (long long)range[0], (long long)range[1]);
}

/* The letters of the axes of a format that can be made of others; NULL of other formats. */
static const char *axes_of(aclFormat format)
{
    return format == ACL_FORMAT_NCHW    ? "NCHW"
           : format == ACL_FORMAT_NHWC  ? "NHWC"
           : format == ACL_FORMAT_HWCN  ? "HWCN"
           : format == ACL_FORMAT_NCDHW ? "NCDHW"
           : format == ACL_FORMAT_NDHWC ? "NDHWC"
                                        : NULL;
}

/* false when a format or the rank does not allow it. */
static bool transpose(struct description *description, aclFormat format)
{
    const struct description before = *description;
    const char *from = axes_of(before.format), *to = axes_of(format);
    description->format = format;
    if (before.format == format)
        return true;
    if (from == NULL || to == NULL || strlen(from) != strlen(to) || (size_t)before.rank != strlen(from))
        return false;
    for (int i = 0; i < before.rank; i++)
        description->dims[i] = before.dims[strchr(from, to[i]) - from];
    return true;
}

static void change_format(struct world *world, const struct description *description, aclTensorDesc *handle,
                          bool is_known)
{
    struct description expected = {.is_live = true,
                                   .dtype = description->dtype,
                                   .format = description->format,
                                   .rank = description->rank};
    memcpy(expected.dims, description->dims, sizeof expected.dims);
    const aclFormat format = draw_format(world);
    const bool has_place = draw(world, 16) != 0;
    aclTensorDesc *const untouched = (aclTensorDesc *)(uintptr_t)54321;
    aclTensorDesc *made = untouched;
    struct reasons reasons = {.count = 0};
    reason(&reasons, !is_known || !has_place, 100000);
    reason(&reasons, !transpose(&expected, format) && is_known, 100027);
    const int status = aclTransTensorDescFormat(handle, format, has_place ? &made : NULL);
    judge_reasons(&reasons, status, "aclTransTensorDescFormat");
    if (status != 0) {
        DEMAND(made == untouched, "a result was written");
        return;
    }
    expected.handle = made;
    hold_description(&expected, made);
    aclDestroyTensorDesc(made);
}

static void set_constant(struct world *world, struct description *description, aclTensorDesc *handle,
                         bool is_known)
{
    void *const address = draw(world, 4) == 0 ? NULL : world->block[draw(world, BLOCKS)].address;
    const size_t length = draw(world, 4) == 0 ? 0 : draw(world, 4) == 0 ? SIZE_MAX : draw(world, 256) + 1;
    struct reasons reasons = {.count = 0};
    reason(&reasons, !is_known || address == NULL || length == 0, 100000);
    const int status = aclSetTensorConst(handle, address, length);
    judge_reasons(&reasons, status, "aclSetTensorConst");
    if (status == 0)
        description->address = address;
}

/* What is checked and not kept. */
static void give_hint(struct world *world, aclTensorDesc *handle, bool is_known)
{
    static const int memory_types[] = {0, 1, 2, 3, -1, INT_MAX, INT_MIN, 0};
    struct shape shape;
    struct reasons reasons = {.count = 0};
    reason(&reasons, !is_known, 100000);
    const uint32_t choice = draw(world, 6);
    if (choice < 2) {
        aclFormat format = draw_format(world);
        judge_reasons(&reasons,
                      choice == 0 ? aclSetTensorStorageFormat(handle, format)
                                  : aclSetTensorOriginFormat(handle, format),
                      "format that is not kept");
    } else if (choice < 4) {
        draw_shape(world, &shape);
        reason(&reasons, !shape.is_good, 100000);
        judge_reasons(&reasons,
                      choice == 2 ? aclSetTensorStorageShape(handle, shape.rank, shape.dims)
                                  : aclSetTensorOriginShape(handle, shape.rank, shape.dims),
                      "shape that is not kept");
    } else if (choice == 4) {
        const char *name = draw(world, 4) == 0 ? NULL : "x";
        reason(&reasons, name == NULL, 100000);
        judge_reasons(&reasons, aclSetTensorDynamicInput(handle, name), "aclSetTensorDynamicInput");
    } else {
        const int type = memory_types[draw(world, 8)];
        reason(&reasons, type < 0 || type > 2, 100000);
        judge_reasons(&reasons, aclSetTensorPlaceMent(handle, (aclMemType)type), "aclSetTensorPlaceMent");
    }
}

/* One call with the description, or with a handle that is none. */
static void use_description(struct world *world, struct description *description)
{
    aclTensorDesc *handle = (aclTensorDesc *)draw_object(world, description->handle);
    const bool is_known = description->is_live && handle == description->handle;
    const int expected = is_known ? 0 : 100000;
    struct shape shape;
    struct reasons reasons = {.count = 0};
    int status;
    switch (draw(world, 10)) {
    case 0:
        draw_shape(world, &shape);
        reason(&reasons, !is_known || !shape.is_good, 100000);
        status = aclSetTensorShape(handle, shape.rank, shape.dims);
        judge_reasons(&reasons, status, "aclSetTensorShape");
        if (status == 0)
            keep_shape(description, &shape);
        break;
    case 1: {
        const aclFormat format = draw_format(world);
        DEMAND(aclSetTensorFormat(handle, format) == expected, "%d expected", expected);
        if (is_known)
            description->format = format;
        break;
    }
    case 2:
        set_name(world, description, handle);
        break;
    case 3:
        set_ranges(world, description, handle, is_known);
        break;
    case 4:
        get_range(world, description, handle, is_known);
        break;
    case 5:
    case 6:
        change_format(world, description, handle, is_known);
        break;
    case 7:
        set_constant(world, description, handle, is_known);
        break;
    case 8:
        give_hint(world, handle, is_known);
        break;
    default: {
        const struct description none = {.is_live = false};
        hold_description(is_known ? description : &none, handle);
        if (!is_known)
            aclDestroyTensorDesc(handle); /* nothing happens */
    }
    }
}

void step_description(struct world *world)
{
    static const int dtypes[] = {ACL_FLOAT,        ACL_FLOAT16, ACL_DOUBLE,     ACL_STRING,
                                 ACL_DT_UNDEFINED, ACL_INT4,    ACL_COMPLEX128, ACL_COMPLEX32,
                                 ACL_UINT1,        ACL_BOOL,    INT_MAX,        INT_MIN};
    struct description description = {.dtype =
                                          (aclDataType)dtypes[draw(world, sizeof dtypes / sizeof dtypes[0])],
                                      .format = draw_format(world)};
    struct shape shape;
    draw_shape(world, &shape);
    description.handle = aclCreateTensorDesc(description.dtype, shape.rank, shape.dims, description.format);
    DEMAND((description.handle != NULL) == shape.is_good, "a description of rank %d", shape.rank);
    if (description.handle == NULL)
        return;
    description.is_live = true;
    keep_shape(&description, &shape);
    hold_description(&description, description.handle);
    for (uint32_t calls = draw(world, CALLS_MOST); calls > 0; calls--)
        use_description(world, &description);
    hold_description(&description, description.handle);
    aclDestroyTensorDesc(description.handle);
    description.is_live = false;
    for (uint32_t calls = draw(world, 3); calls > 0; calls--)
        use_description(world, &description);
    hold_description(&description, description.handle);
    aclDestroyTensorDesc(description.handle);
}

void step_data_buffer(struct world *world)
{
    static const size_t sizes[] = {0, 1, 512, UINT32_MAX - 1, UINT32_MAX, (size_t)UINT32_MAX + 1, SIZE_MAX};
    void *address = world->block[draw(world, BLOCKS)].address;
    size_t size = sizes[draw(world, sizeof sizes / sizeof sizes[0])];
    aclDataBuffer *const buffer = aclCreateDataBuffer(address, size);
    bool is_live = true;
    DEMAND(buffer != NULL, "data buffer");
    for (uint32_t calls = draw(world, CALLS_MOST) + 1; calls > 0; calls--) {
        aclDataBuffer *handle = (aclDataBuffer *)draw_object(world, buffer);
        const bool is_known = is_live && handle == buffer;
        const uint32_t choice = draw(world, 8);
        if (choice < 4) {
            void *new_address = choice == 0 ? NULL : (void *)(uintptr_t)draw_word(world);
            const size_t new_size = sizes[draw(world, sizeof sizes / sizeof sizes[0])];
            DEMAND(aclUpdateDataBuffer(handle, new_address, new_size) == (is_known ? 0 : 100000), "update");
            address = is_known ? new_address : address;
            size = is_known ? new_size : size;
        } else if (choice == 4) {
            DEMAND(aclDestroyDataBuffer(handle) == (is_known ? 0 : 100000), "destroy");
            is_live = is_live && !is_known;
        }
        const bool is_there = is_live && handle == buffer;
        const uint32_t low = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
        DEMAND(aclGetDataBufferAddr(handle) == (is_there ? address : NULL), "address");
        DEMAND(aclGetDataBufferSize(handle) == (is_there ? low : 0), "size");
        DEMAND(aclGetDataBufferSizeV2(handle) == (is_there ? size : 0), "size of %zu bytes", size);
    }
    DEMAND(aclDestroyDataBuffer(buffer) == (is_live ? 0 : 100000), "the end");
    DEMAND(aclUpdateDataBuffer(buffer, NULL, 0) == 100000, "a destroyed data buffer");
}
