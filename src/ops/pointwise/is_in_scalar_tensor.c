/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = whether one of testElements equals element, or with invert whether none does. The number is rounded
 * to the dtype of floats, NaN equals nothing, and integers are compared with integers exactly. Complex
 * numbers are equal where both parts are.
 */
#include "aclnnop/aclnn_is_in_scalar_tensor.h"

#include <stdatomic.h>
#include <string.h>

#include "ops/check.h"
#include "ops/check_message.h"
#include "ops/dtypes.h"
#include "ops/operands.h"
#include "ops/scalar.h"
#include "ops/signature.h"
#include "ops/span.h"
#include "runtime/streams/workers.h"

#define IS_IN_SCALAR_TENSOR(X, of)                                       \
    X(of, SCALAR, element, &dtypes_floats_integers_bool_complex)         \
    X(of, IN, testElements, &dtypes_floats_integers_uint16_bool_complex) \
    X(of, BOOL, assumeUnique, .usual = "false")                          \
    X(of, BOOL, invert, .usual = "false")                                \
    X(of, OUT, out, &dtypes_bool)
SIGNATURE(aclnnIsInScalarTensor, IS_IN_SCALAR_TENSOR)
enum { PIECE = 512, PIECES_AT_ONCE = 16, ELEMENT_PS = 1500 };

struct plan {
    const struct transfer *transfer;
    aclDataType dtype, computed;
    bool invert;
    aclDataType wide; /* DOUBLE, INT64 or COMPLEX128, in which numbers are compared */
    struct span span;
    uint32_t from, out;
    uint64_t cost_ns;
    double number[2]; /* of integers the bits of an INT64 */
};

#define FLOATS (DTYPES_COMMON_FLOATS | DTYPE_BIT(ACL_BF16))

static bool is_float(aclDataType dtype)
{
    return (DTYPE_BIT(dtype) & FLOATS) != 0;
}

static bool is_complex(aclDataType dtype)
{
    return (DTYPE_BIT(dtype) & DTYPES_COMPLEX) != 0;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const aclDataType element = call->scalar[IS_IN_SCALAR_TENSOR_element].dtype,
                      tested = call->tensor[IS_IN_SCALAR_TENSOR_testElements].dtype;
    TRY(check_dtype(call, IS_IN_SCALAR_TENSOR_element));
    TRY(check_dtype(call, IS_IN_SCALAR_TENSOR_testElements));
    TRY(check_rank(call, IS_IN_SCALAR_TENSOR_testElements));
    const bool promotes = (is_float(element) && !is_float(tested)) || is_complex(element);
    result->computed = promotes && !is_complex(tested) ? promote(tested, element) : tested;
    if (result->computed == ACL_DT_UNDEFINED)
        return tell_promotion(call, IS_IN_SCALAR_TENSOR_element, tested);
    result_add(result, ACL_BOOL, DTYPE_EQUAL)->shape_rule = SHAPE_ONE;
    return ACLNN_SUCCESS;
}

/* The number as the tensor's dtype has it, in DOUBLE; beside integers an integer as it is. */
static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *tested = &call->tensor[IS_IN_SCALAR_TENSOR_testElements];
    struct executor_content *content;
    unsigned char element[16];
    void *made;
    TRY(call_begin(call, sizeof(struct plan), &content, &made));
    struct plan *plan = made;
    *plan = (struct plan){.transfer = transfer_of(call->settings->isa),
                          .dtype = tested->dtype,
                          .computed = result->computed,
                          .wide = is_complex(result->computed) ? ACL_COMPLEX128
                                  : is_float(result->computed) ? ACL_DOUBLE
                                                               : ACL_INT64,
                          .invert = call->argument[IS_IN_SCALAR_TENSOR_invert].boolean,
                          .span = span_of(tested, SPAN_AS_IT_IS),
                          .from = call->first_operand[IS_IN_SCALAR_TENSOR_testElements],
                          .out = call->first_operand[IS_IN_SCALAR_TENSOR_out],
                          .cost_ns = (uint64_t)((double)tested->count * ELEMENT_PS / 1000)};
    scalar_convert(&call->scalar[IS_IN_SCALAR_TENSOR_element],
                   plan->wide == ACL_INT64 ? ACL_INT64 : plan->computed, element);
    if (plan->wide == ACL_INT64 || plan->computed == plan->wide)
        memcpy(plan->number, element, dtype_bytes(plan->wide));
    else
        plan->transfer->convert(element, plan->computed, plan->number, plan->wide, 1);
    content->cost_ns = plan->cost_ns;
    content->is_idle = false;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

struct work {
    const struct plan *plan;
    const void *first;
    _Atomic bool is_found;
};

/* Elements of the plan's dtype as those of another one. */
static const void *converted(const struct plan *plan, const void *from, aclDataType dtype, aclDataType to,
                             void *room, uint64_t count)
{
    if (dtype == to)
        return from;
    plan->transfer->convert(from, dtype, room, to, (size_t)count);
    return room;
}

static void look_through(void *context, uint64_t begin, uint64_t end)
{
    struct work *work = context;
    const struct plan *plan = work->plan;
    _Alignas(64) double raw[2 * PIECE], cast[2 * PIECE], value[2 * PIECE];
    int64_t whole;
    memcpy(&whole, plan->number, sizeof whole);
    bool is_found = false;
    for (uint64_t at = begin * PIECE; at < end * PIECE && at < plan->span.count; at += PIECE) {
        const uint64_t left = plan->span.count - at, count = left < PIECE ? left : PIECE;
        span_read(&plan->span, plan->transfer, work->first, at, raw, count);
        const void *from = converted(plan, raw, plan->dtype, plan->computed, cast, count);
        from = converted(plan, from, plan->computed, plan->wide, value, count);
        const double *real = from;
        for (uint64_t i = 0; plan->wide == ACL_INT64 && i < count; i++)
            is_found |= ((const int64_t *)from)[i] == whole;
        for (uint64_t i = 0; plan->wide == ACL_DOUBLE && i < count; i++)
            is_found |= real[i] == plan->number[0];
        for (uint64_t i = 0; plan->wide == ACL_COMPLEX128 && i < count; i++)
            is_found |= (real[2 * i] == plan->number[0]) & (real[2 * i + 1] == plan->number[1]);
    }
    if (is_found)
        atomic_store_explicit(&work->is_found, true, memory_order_relaxed);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct plan *plan = prepared;
    struct work work = {.plan = plan, .first = address[plan->from]};
    (void)scratch;
    const uint64_t pieces = (plan->span.count + PIECE - 1) / PIECE;
    workers_share(look_through, &work, pieces, PIECES_AT_ONCE, plan->cost_ns);
    *(unsigned char *)address[plan->out] = work.is_found != plan->invert;
    return 0;
}

FUNCTION_OF(aclnnIsInScalarTensor, IS_IN_SCALAR_TENSOR, .stem = "is_in_scalar_tensor",
            .family = FAMILY_COMPOSITE, .promise = &promise_exact, .operation.run = run, .infer = infer,
            .plan = plan);
