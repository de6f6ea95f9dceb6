/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = onValue at the class that self names, along an axis of numClasses that self lacks, offValue
 * elsewhere; a class that there is not leaves offValue alone.
 */
#include "aclnnop/aclnn_one_hot.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/numbered.h"
#include "ops/dtypes.h"
#include "ops/signature.h"

#define ONE_HOT(X, of)                                                           \
    X(of, IN, self, &dtypes_int32_int64_uint8, .sample = "2x3:INT64")            \
    X(of, INT32, numClasses, .sample = "4")                                      \
    X(of, IN, onValue, &dtypes_fp32_fp16_int8_int32_int64_uint8, .sample = "1")  \
    X(of, IN, offValue, &dtypes_fp32_fp16_int8_int32_int64_uint8, .sample = "1") \
    X(of, INT64, axis, .usual = "-1")                                            \
    X(of, OUT, out, &dtypes_fp32_fp16_int8_int32_int64_uint8)
SIGNATURE(ONE_HOT)

struct parameters {
    uint64_t classes, inner; /* elements from one class to the next */
    uint32_t bytes;
};

enum { NAMED, ON_VALUE, OFF_VALUE };

static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct parameters *parameters = (const struct parameters *)walk->parameters;
    int64_t named[NUMBERED_PIECE] __attribute__((uninitialized));
    unsigned char *element = (unsigned char *)elements;
    const uint32_t bytes = parameters->bytes;
    const unsigned char *const value[] = {numbered_first(walk, OFF_VALUE), numbered_first(walk, ON_VALUE)};
    numbered_read_as(walk, NAMED, at, count, ACL_INT64, named);
    uint64_t inner = at % parameters->inner, class = at / parameters->inner % parameters->classes;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(element + i * bytes, value[named[i] == (int64_t) class], bytes);
        if (++inner < parameters->inner)
            continue;
        inner = 0;
        class = class + 1 < parameters->classes ? class + 1 : 0;
    }
}

/* The axis among out's dims: -1 is the last. */
static aclnnStatus check_axis(const struct call *call, uint32_t *axis)
{
    const int64_t given = call->argument[ONE_HOT_axis].int64, rank = call->tensor[ONE_HOT_self].rank;
    if (given < -1 || given > rank)
        return refuse(call, "axis is %" PRId64 "; -1 to %" PRId64 " are expected", given, rank);
    *axis = (uint32_t)(given < 0 ? rank : given);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[ONE_HOT_self];
    const int64_t classes = call->argument[ONE_HOT_numClasses].int64;
    uint32_t axis;
    TRY(check_dtype(call, ONE_HOT_self));
    TRY(check_dtype(call, ONE_HOT_onValue));
    TRY(check_dtype(call, ONE_HOT_offValue));
    TRY(check_same_dtype(call, ONE_HOT_offValue, ONE_HOT_onValue, NULL));
    if (self->rank >= OPERAND_RANK_MAX)
        return refuse(call, "self has %u dims; at most %d are expected", self->rank, OPERAND_RANK_MAX - 1);
    for (unsigned i = ONE_HOT_onValue; i <= ONE_HOT_offValue; i++)
        if (call->tensor[i].count == 0)
            return refuse(call, "%s has no elements; one is expected", call_name(call, i));
    if (classes < 0 || (classes == 0 && self->count == 0))
        return refuse(
            call, "numClasses is %" PRId64 "; 0 or more is expected, 1 or more for a self without elements",
            classes);
    TRY(check_axis(call, &axis));
    result->computed = call->tensor[ONE_HOT_onValue].dtype;
    struct output *output = result_add(result, result->computed, DTYPE_EQUAL);
    output->like = ONE_HOT_onValue;
    output->shape_rule = SHAPE_EQUAL;
    output->shape.rank = self->rank + 1;
    for (uint32_t i = 0; i <= self->rank; i++)
        output->shape.dim[i] = i == axis ? classes : self->shape[i - (i > axis)];
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[ONE_HOT_self], *out = &call->tensor[ONE_HOT_out];
    struct parameters parameters = {.classes = (uint64_t)call->argument[ONE_HOT_numClasses].int64,
                                    .inner = 1,
                                    .bytes = dtype_bytes(result->computed)};
    uint32_t axis;
    if (out->count == 0)
        return call_idle(call);
    TRY(check_axis(call, &axis));
    struct tensor_view repeated = *out; /* self as out has it: the same for every class */
    repeated.dtype = self->dtype;
    for (uint32_t i = 0; i < out->rank; i++) {
        repeated.stride[i] = i == axis ? 0 : self->stride[i - (i > axis)];
        parameters.inner *= i > axis ? (uint64_t)out->shape[i] : 1;
    }
    struct numbered_request request = numbered_request(call, ONE_HOT_out, make, result->computed);
    numbered_add_input(&request, call, ONE_HOT_self, false);
    request.input[NAMED].port.span = span_of(&repeated, SPAN_AS_IT_IS);
    numbered_add_input(&request, call, ONE_HOT_onValue, false);
    numbered_add_input(&request, call, ONE_HOT_offValue, false);
    request.parameters = &parameters;
    request.parameter_bytes = sizeof parameters;
    return numbered_plan(call, &request, 1);
}

FUNCTION_OF(aclnnOneHot, ONE_HOT, .stem = "one_hot", .family = FAMILY_CREATE, .promise = &promise_exact,
            NUMBERED, .infer = infer, .plan = plan);
