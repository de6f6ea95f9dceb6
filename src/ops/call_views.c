/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the checker and the timeline are told of a call's operands; nobody else asks.
 */
#include <string.h>

#include "ops/call.h"
#include "runtime/tasks/access.h"
#include "tensor/dtype.h"

static uint32_t mode_of(const struct parameter *parameter)
{
    return (parameter_is_read(parameter) ? (uint32_t)ACCESS_READ : 0) |
           (parameter_is_written(parameter) ? (uint32_t)ACCESS_WRITTEN : 0) |
           (parameter->is_partly_read ? (uint32_t)ACCESS_PARTLY : 0) |
           (parameter->may_be_infinite ? (uint32_t)ACCESS_NOT_FINITE : 0);
}

/* Less itself a finite number is 0; the dtypes of integers have nothing else. */
static bool is_finite(const struct scalar_value *scalar)
{
    return !dtype_is_one_of(scalar->dtype, DTYPES_FLOATS) || scalar->value.real - scalar->value.real == 0;
}

/* Whether no argument that is no tensor is infinite or not a number. */
static bool arguments_are_finite(const struct call *call)
{
    bool are_finite = true;
    for (unsigned i = 0; i < call->function->parameter_count && are_finite; i++) {
        const union argument *argument = &call->argument[i];
        switch (call->function->parameter[i].kind) {
        case PARAMETER_DOUBLE:
            are_finite = argument->fp64 - argument->fp64 == 0;
            break;
        case PARAMETER_FLOAT:
            are_finite = argument->fp32 - argument->fp32 == 0;
            break;
        case PARAMETER_SCALAR:
            are_finite = !call_has(call, i) || is_finite(&call->scalar[i]);
            break;
        case PARAMETER_SCALAR_LIST:
            for (uint64_t k = 0; call_has(call, i) && k < call->values[i].count; k++)
                are_finite &= is_finite(&call->values[i].value.scalar[k]);
            break;
        default:
            break;
        }
    }
    return are_finite;
}

/* The parameters that the function may write and this call does not: a bit each. */
static uint64_t unwritten(const struct call *call)
{
    uint64_t parameters = 0;
    for (unsigned n = 0; n < call->result->count; n++)
        if (call->result->output[n].is_unwanted)
            parameters |= UINT64_C(1) << call_written(call, n);
    return parameters;
}

void call_keep_views(const struct call *call, struct executor_view *view)
{
    const uint32_t more = arguments_are_finite(call) ? 0 : (uint32_t)ACCESS_NOT_FINITE;
    const uint64_t not_written = unwritten(call);
    for (unsigned n = 0; n < call->tensor_count; n++) {
        unsigned i = call->tensor_parameter[n];
        const struct parameter *parameter = &call->function->parameter[i];
        bool is_list = parameter->kind == PARAMETER_TENSOR_LIST;
        const struct tensor_view *from = is_list ? call->values[i].value.tensor : &call->tensor[i];
        uint64_t count = !call_has(call, i) ? 0 : is_list ? call->values[i].count : 1;
        struct executor_view *kept = view + call->first_operand[i];
        for (uint64_t k = 0; k < count; k++, kept++, from++) {
            kept->dtype = from->dtype;
            kept->mode = mode_of(parameter) | more;
            if ((not_written >> i & 1) != 0)
                kept->mode &= ~(uint32_t)ACCESS_WRITTEN;
            kept->rank = from->rank;
            memcpy(kept->shape, from->shape, from->rank * sizeof *kept->shape);
            memcpy(kept->stride, from->stride, from->rank * sizeof *kept->stride);
        }
    }
}
