/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest element of each window, with its own bits: MaxPool, whose windows are ONNX's, with pads on
 * each side of each axis. The first of equal elements counts, -0 equals +0, and the last NaN counts before
 * every number. Pads are below every element: a window on nothing else has -inf, or the least integer.
 */
#include "aclnnop/aclnn_max_pool.h"

#include <inttypes.h>
#include <string.h>

#include "ops/dtypes.h"
#include "ops/signature.h"
#include "ops/window/greatest.h"
#include "ops/window/pool.h"

#define MAX_POOL(X, of)                                                                 \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_integers_on_950_uint16, .sample = "2x3x4x5") \
    X(of, INTS, kernelShape, .sample = "2")                                             \
    X(of, INTS, strides, .sample = "2")                                                 \
    X(of, INT64, autoPad, .usual = "0")                                                 \
    X(of, INTS, pads, .sample = "0")                                                    \
    X(of, INTS, dilations, .sample = "1")                                               \
    X(of, INT64, ceilMode, .usual = "0")                                                \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16_integers_on_950_uint16)
SIGNATURE(MAX_POOL)
enum { AXES = 2 };

/* The array's number of an axis, or the usual one of an array without any. */
static aclnnStatus number_along(const struct call *call, unsigned parameter, uint32_t axis, int64_t usual,
                                int64_t *number)
{
    const struct call_values *values = &call->values[parameter];
    const bool is_kernel = parameter == MAX_POOL_kernelShape;
    if (values->count > AXES || (is_kernel && values->count == 0))
        return refuse(call, "%s has %" PRIu64 " numbers; %s1 or 2 are expected", call_name(call, parameter),
                      values->count, is_kernel ? "" : "0, ");
    *number = values->count == 0 ? usual : values->value.int64[values->count == 1 ? 0 : axis];
    return *number >= 1 ? ACLNN_SUCCESS
                        : refuse(call, "%s has %" PRId64 "; 1 or more is expected",
                                 call_name(call, parameter), *number);
}

/* Before and behind the elements of an axis: {height, width}, or {top, left, bottom, right}. */
static aclnnStatus pads_along(const struct call *call, uint32_t axis, int64_t kernel, int64_t *before,
                              int64_t *behind)
{
    const struct call_values *pads = &call->values[MAX_POOL_pads];
    if (pads->count > 2 * AXES || pads->count == 3)
        return refuse(call, "pads has %" PRIu64 " numbers; 0, 1, 2 or 4 are expected", pads->count);
    const bool has_one = pads->count == 1;
    *before = pads->count == 0 ? 0 : pads->value.int64[has_one ? 0 : axis];
    *behind = pads->count == 2 * AXES ? pads->value.int64[axis + AXES] : *before;
    if (*before < 0 || *behind < 0 || *before > kernel || *behind > kernel - *before)
        return refuse(call,
                      "pads has %" PRId64 " and %" PRId64 " for a kernel of %" PRId64
                      "; neither is expected to be negative, nor both together more than it",
                      *before, *behind, kernel);
    return ACLNN_SUCCESS;
}

/* A window that is not whole counts, where it is asked for, if it begins before the pads behind. */
static int64_t count_windows(const struct pool_axis *axis, int64_t behind, bool rounds_up)
{
    const int64_t last = axis->in + axis->padding + behind - axis->kernel; /* where the last one can begin */
    if (axis->in == 0 || last < 0)
        return 0;
    const int64_t count = last / axis->stride + 1;
    const bool has_more =
        rounds_up && last % axis->stride != 0 && count <= (axis->in + axis->padding - 1) / axis->stride;
    return count + has_more;
}

static aclnnStatus read_windows(const struct call *call, struct pool *pool)
{
    const struct tensor_view *self = &call->tensor[MAX_POOL_self];
    const struct call_values *dilations = &call->values[MAX_POOL_dilations];
    *pool = (struct pool){.dtype = self->dtype};
    if (self->rank != AXES + 1 && self->rank != AXES + 2)
        return refuse(call, "self has %u dims; 3 or 4 are expected", self->rank);
    if (call->argument[MAX_POOL_autoPad].int64 != 0)
        return refuse(call, "autoPad is %" PRId64 "; 0 is expected", call->argument[MAX_POOL_autoPad].int64);
    for (uint64_t i = 0; i < dilations->count; i++)
        if (dilations->count > 2 * AXES || dilations->count == 3 || dilations->value.int64[i] != 1)
            return refuse(call,
                          "dilations has %" PRIu64 " numbers, one of them %" PRId64
                          "; 0, 1, 2 or 4 numbers of 1 are expected",
                          dilations->count, dilations->value.int64[i]);
    for (uint32_t i = 0; i < POOL_AXES; i++)
        pool->axis[i] = (struct pool_axis){1, 1, 1, 1, 0, 1, false};
    for (uint32_t i = 0; i < AXES; i++) {
        struct pool_axis *axis = &pool->axis[POOL_AXES - AXES + i];
        int64_t behind = 0;
        axis->in = self->shape[self->rank - AXES + i];
        TRY(number_along(call, MAX_POOL_kernelShape, i, 1, &axis->kernel));
        TRY(number_along(call, MAX_POOL_strides, i, 1, &axis->stride));
        TRY(pads_along(call, i, axis->kernel, &axis->padding, &behind));
        if (axis->in <= INT64_MAX - 2 * (axis->kernel / 2 + 1) - axis->kernel && axis->kernel < INT64_MAX / 4)
            axis->out = count_windows(axis, behind, call->argument[MAX_POOL_ceilMode].int64 != 0);
        else
            axis->out = 0;
        if (axis->out < 1)
            return refuse(call,
                          "a kernel of %" PRId64 " with pads %" PRId64 " and %" PRId64
                          " finds no window on %" PRId64 " elements",
                          axis->kernel, axis->padding, behind, axis->in);
    }
    return ACLNN_SUCCESS;
}

/* The place of the greatest element of a window, or -1 where there is none. */
static inline __attribute__((always_inline)) int64_t find_greatest(const struct pool *pool,
                                                                   enum plane_of plane_of, const void *plane,
                                                                   const struct pool_part *part)
{
    struct greatest greatest = {.place = -1};
    for (int64_t b = 0; b < part[1].count; b++) {
        int64_t place = (part[1].begin + b) * pool->axis[2].in + part[2].begin;
        for (int64_t c = 0; c < part[2].count; c++, place++)
            greatest_meet(&greatest, plane_of, plane, place);
    }
    return greatest.place;
}

static int64_t find_greatest_float(const struct pool *pool, const float *plane, const struct pool_part *part)
{
    return find_greatest(pool, PLANE_OF_FP32, plane, part);
}

static int64_t find_greatest_integer(const struct pool *pool, const int64_t *plane,
                                     const struct pool_part *part)
{
    return find_greatest(pool, PLANE_OF_INT64, plane, part);
}

static bool is_float(aclDataType dtype)
{
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16;
}

/* -inf, or the least integer: the sign bit, and of floats the exponent, in the last bytes. */
static void set_least(aclDataType dtype, unsigned char *element)
{
    const uint32_t bytes = dtype_bytes(dtype);
    memset(element, 0, bytes);
    element[bytes - 1] = dtype == ACL_UINT8 || dtype == ACL_UINT16 ? 0
                         : dtype == ACL_FLOAT16                    ? 0xfc
                         : is_float(dtype)                         ? 0xff
                                                                   : 0x80;
    if (dtype == ACL_FLOAT || dtype == ACL_BF16)
        element[bytes - 2] = 0x80;
}

static int64_t pool_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                          void *room)
{
    const struct pool *pool = (const struct pool *)(const void *)walk->parameters;
    const uint32_t bytes = dtype_bytes(pool->dtype);
    const float *floats = NULL;
    unsigned char *out = (unsigned char *)output[0];
    struct pool_part part[POOL_AXES];
    if (is_float(pool->dtype))
        floats = plane_floats(walk, input[0], pool->dtype, (float *)room, pool_in(pool));
    else
        plane_convert(walk, input[0], pool->dtype, room, ACL_INT64, pool_in(pool));
    for (int64_t b = 0; b < pool->axis[1].out; b++) {
        part[1] = pool_part(&pool->axis[1], b, false);
        for (int64_t c = 0; c < pool->axis[2].out; c++, out += bytes) {
            part[2] = pool_part(&pool->axis[2], c, false);
            const int64_t place = floats != NULL ? find_greatest_float(pool, floats, part)
                                                 : find_greatest_integer(pool, (const int64_t *)room, part);
            if (place < 0)
                set_least(pool->dtype, out);
            else
                memcpy(out, (const unsigned char *)input[0] + (uint64_t)place * bytes, bytes);
        }
    }
    return -1;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct pool pool;
    TRY(check_dtype(call, MAX_POOL_self));
    TRY(read_windows(call, &pool));
    result_reshaped(result, call, MAX_POOL_self, pool_shape(&call->tensor[MAX_POOL_self], AXES, &pool));
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct pool_parameters parameters = {.axes = AXES, .self = MAX_POOL_self};
    struct pool pool;
    (void)result;
    TRY(read_windows(call, &pool));
    if (call->tensor[MAX_POOL_out].count == 0)
        return call_idle(call);
    struct plane_request request = pool_request(call, &parameters, &pool);
    request.function = pool_plane;
    request.parameter[0] = MAX_POOL_self;
    request.parameter[1] = MAX_POOL_out;
    request.room_bytes = pool.dtype == ACL_FLOAT ? 0 : pool_in(&pool) * sizeof(int64_t);
    return plane_walk_plan(call, &request);
}

FUNCTION_OF(aclnnMaxPool, MAX_POOL, .stem = "max_pool", .promise = &promise_exact, .family = FAMILY_WINDOW,
            PLANE_WALK, .infer = infer, .plan = plan);
