/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = 0 but where indices name an element of a plane: there it is self's, bit by bit, of several the last
 * one. An index outside of the plane fails the work.
 */
#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_max_unpool2d.h"
#include "aclnnop/aclnn_max_unpool3d.h"
#include "ops/check.h"
#include "ops/loops/plane_walk.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"
#include "tensor/dtype.h"

#define SIZES(X, of, name_, sample_) X(of, INTS, name_, .sample = sample_)
#define MAX_UNPOOL2D(X, of)                                          \
    X(of, IN, self, &dtypes_floats_integers, .sample = "2x2x3")      \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "2x2x3:INT64") \
    SIZES(X, of, outputSize, "4,6")                                  \
    X(of, OUT, out, &dtypes_floats_integers)
SIGNATURE(MAX_UNPOOL2D)
#define MAX_UNPOOL3D(X, of)                                            \
    X(of, IN, self, &dtypes_floats_integers, .sample = "2x2x3x1")      \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "2x2x3x1:INT64") \
    SIZES(X, of, outputSize, "4,6,2")                                  \
    SIZES(X, of, stride, "2,2,2")                                      \
    SIZES(X, of, padding, "0,0,0")                                     \
    X(of, OUT, out, &dtypes_floats_integers)
SIGNATURE(MAX_UNPOOL3D)

struct unpool {
    uint64_t in, out; /* elements of a plane */
    uint32_t bytes;
    aclDataType index_dtype;
};

static int64_t index_at(const struct unpool *unpool, const void *indices, uint64_t i)
{
    return unpool->index_dtype == ACL_INT32 ? ((const int32_t *)indices)[i] : ((const int64_t *)indices)[i];
}

static int64_t run_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                         void *room)
{
    const struct unpool *unpool = (const struct unpool *)(const void *)walk->parameters;
    const unsigned char *from = input[0];
    unsigned char *to = output[0];
    (void)room;
    memset(to, 0, (size_t)unpool->out * unpool->bytes);
    for (uint64_t i = 0; i < unpool->in; i++) {
        const int64_t index = index_at(unpool, input[1], i);
        if (index < 0 || (uint64_t)index >= unpool->out)
            return (int64_t)i;
        memcpy(to + (uint64_t)index * unpool->bytes, from + i * unpool->bytes, unpool->bytes);
    }
    return -1;
}

static int tell_index(const struct plane_walk *walk, const void *indices, int64_t plane, int64_t element)
{
    const struct unpool *unpool = (const struct unpool *)(const void *)walk->parameters;
    return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                          "indices holds %" PRId64 " for element %" PRId64 " of plane %" PRId64
                          "; 0 to %" PRIu64 " are expected",
                          index_at(unpool, indices, (uint64_t)element), element, plane, unpool->out - 1);
}

/* How many axes the planes have; the array outputSize has as many sizes. */
static uint32_t axes_of(const struct call *call)
{
    return call->function->parameter_count == MAX_UNPOOL3D_out + 1 ? 3 : 2;
}

static aclnnStatus check_array(const struct call *call, unsigned parameter, int64_t least)
{
    const struct call_values *values = &call->values[parameter];
    if (values->count != axes_of(call))
        return refuse(call, "%s has %" PRIu64 " elements; %u are expected", call_name(call, parameter),
                      values->count, axes_of(call));
    for (uint64_t i = 0; i < values->count; i++)
        if (values->value.int64[i] < least)
            return refuse(call, "%s holds %" PRId64 " at [%" PRIu64 "]; %" PRId64 " or more is expected",
                          call_name(call, parameter), values->value.int64[i], i, least);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[MAX_UNPOOL2D_self];
    const uint32_t axes = axes_of(call);
    TRY(check_dtype(call, MAX_UNPOOL2D_self));
    TRY(check_dtype(call, MAX_UNPOOL2D_indices));
    if (self->rank != axes + 1 && self->rank != axes + 2)
        return refuse(call, "self has %u dims; %u or %u are expected", self->rank, axes + 1, axes + 2);
    TRY(check_same_shape(call, MAX_UNPOOL2D_indices, MAX_UNPOOL2D_self, NULL));
    TRY(check_array(call, MAX_UNPOOL2D_outputSize, 1));
    if (axes == 3) {
        TRY(check_array(call, MAX_UNPOOL3D_stride, 1));
        TRY(check_array(call, MAX_UNPOOL3D_padding, INT64_MIN));
    }
    struct shape shape = shape_of(self);
    for (uint32_t i = 0; i < axes; i++)
        shape.dim[shape.rank - axes + i] = call->values[MAX_UNPOOL2D_outputSize].value.int64[i];
    TRY(check_element_count(call, &shape));
    result_reshaped(result, call, MAX_UNPOOL2D_self, shape);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[MAX_UNPOOL2D_self];
    const unsigned out = call_output(call);
    uint64_t planes = 1;
    (void)result;
    if (call->tensor[out].count == 0)
        return call_idle(call);
    for (uint32_t i = 0; i + axes_of(call) < self->rank; i++)
        planes *= (uint64_t)self->shape[i];
    const struct unpool unpool = {.in = (uint64_t)self->count / planes,
                                  .out = (uint64_t)call->tensor[out].count / planes,
                                  .bytes = dtype_bytes(self->dtype),
                                  .index_dtype = call->tensor[MAX_UNPOOL2D_indices].dtype};
    const struct plane_request request = {.function = run_plane,
                                          .explain = tell_index,
                                          .planes = planes,
                                          .inputs = 2,
                                          .outputs = 1,
                                          .parameter = {MAX_UNPOOL2D_self, MAX_UNPOOL2D_indices, out},
                                          .plane_ns = 2 * unpool.in + unpool.out / 4 + 20,
                                          .parameters = &unpool,
                                          .parameter_bytes = sizeof unpool};
    return plane_walk_plan(call, &request);
}

FUNCTION_OF(aclnnMaxUnpool2d, MAX_UNPOOL2D, .stem = "max_unpool2d", .promise = &promise_exact,
            .family = FAMILY_WINDOW, PLANE_WALK, .infer = infer, .plan = plan);

FUNCTION_OF(aclnnMaxUnpool3d, MAX_UNPOOL3D, .stem = "max_unpool3d", .promise = &promise_exact,
            .family = FAMILY_WINDOW, PLANE_WALK, .infer = infer, .plan = plan);
