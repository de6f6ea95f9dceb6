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

enum { SELF, CLASSES, ON, OFF, AXIS, OUT };

struct parameters {
    uint64_t classes, inner; /* elements from one class to the next */
    uint32_t bytes;
};

enum { NAMED, ON_VALUE, OFF_VALUE };

static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct parameters *parameters = (const struct parameters *)walk->parameters;
    const bool is_long = walk->dtype[NAMED] == ACL_INT64;
    int64_t named[NUMBERED_PIECE] __attribute__((uninitialized));
    int32_t narrow[NUMBERED_PIECE] __attribute__((uninitialized));
    unsigned char *element = (unsigned char *)elements;
    const uint32_t bytes = parameters->bytes;
    numbered_read(walk, NAMED, at, count, is_long ? (void *)named : narrow);
    if (!is_long)
        walk->transfer->convert(narrow, walk->dtype[NAMED], named, ACL_INT64, (size_t)count);
    uint64_t inner = at % parameters->inner, class = at / parameters->inner % parameters->classes;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(element + i * bytes, walk->input[named[i] == (int64_t) class ? ON_VALUE : OFF_VALUE], bytes);
        if (++inner < parameters->inner)
            continue;
        inner = 0;
        class = class + 1 < parameters->classes ? class + 1 : 0;
    }
}

/* The axis among out's dims: -1 is the last. */
static aclnnStatus check_axis(const struct call *call, uint32_t *axis)
{
    const int64_t given = call->argument[AXIS].int64, rank = call->tensor[SELF].rank;
    if (given < -1 || given > rank)
        return refuse(call, "axis is %" PRId64 "; -1 to %" PRId64 " are expected", given, rank);
    *axis = (uint32_t)(given < 0 ? rank : given);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF];
    const int64_t classes = call->argument[CLASSES].int64;
    uint32_t axis;
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, ON));
    TRY(check_dtype(call, OFF));
    TRY(check_same_dtype(call, OFF, ON, NULL));
    if (self->rank >= OPERAND_RANK_MAX)
        return refuse(call, "self has %u dims; at most %d are expected", self->rank, OPERAND_RANK_MAX - 1);
    for (unsigned i = ON; i <= OFF; i++)
        if (call->tensor[i].count == 0)
            return refuse(call, "%s has no elements; one is expected", call_name(call, i));
    if (classes < 0 || (classes == 0 && self->count == 0))
        return refuse(
            call, "numClasses is %" PRId64 "; 0 or more is expected, 1 or more for a self without elements",
            classes);
    TRY(check_axis(call, &axis));
    result->computed = call->tensor[ON].dtype;
    struct output *output = result_add(result, result->computed, DTYPE_EQUAL);
    output->like = ON;
    output->shape_rule = SHAPE_EQUAL;
    output->shape.rank = self->rank + 1;
    for (uint32_t i = 0; i <= self->rank; i++)
        output->shape.dim[i] = i == axis ? classes : self->shape[i - (i > axis)];
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF], *out = &call->tensor[OUT];
    struct parameters parameters = {.classes = (uint64_t)call->argument[CLASSES].int64,
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
    struct numbered_request request = numbered_request(call, OUT, make, result->computed);
    request.input[request.input_count++] =
        (struct numbered_input){SELF, span_of(&repeated, SPAN_AS_IT_IS), false};
    numbered_add_input(&request, call, ON, false);
    numbered_add_input(&request, call, OFF, false);
    request.parameters = &parameters;
    request.parameter_bytes = sizeof parameters;
    return numbered_plan(call, &request, 1);
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_int32_int64_uint8, .sample = "2x3:INT64"),
    [CLASSES] = {.name = "numClasses", .kind = PARAMETER_INT32, .sample = "4"},
    [ON] = READ("onValue", &dtypes_fp32_fp16_int8_int32_int64_uint8, .sample = "1"),
    [OFF] = READ("offValue", &dtypes_fp32_fp16_int8_int32_int64_uint8, .sample = "1"),
    [AXIS] = USUAL("axis", INT64, "-1"),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_int8_int32_int64_uint8),
};

FUNCTION(aclnnOneHot,
         (const aclTensor *self, int numClasses, const aclTensor *onValue, const aclTensor *offValue,
          int64_t axis, aclTensor *out),
         (ARG(self), ARG(numClasses), ARG(onValue), ARG(offValue), ARG(axis), ARG(out)), .stem = "one_hot",
         PARAMETERS(parameters), .family = FAMILY_CREATE, .promise = &promise_exact, NUMBERED, .infer = infer,
         .plan = plan);
