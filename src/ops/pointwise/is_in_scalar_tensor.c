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
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/scalar.h"
#include "ops/signature.h"

#define IS_IN_SCALAR_TENSOR(X, of)                                       \
    X(of, SCALAR, element, &dtypes_floats_integers_bool_complex)         \
    X(of, IN, testElements, &dtypes_floats_integers_uint16_bool_complex) \
    X(of, BOOL, assumeUnique, .usual = "false")                          \
    X(of, BOOL, invert, .usual = "false")                                \
    X(of, OUT, out, &dtypes_bool)
SIGNATURE(IS_IN_SCALAR_TENSOR)
enum { PIECE = 512, PIECES_AT_ONCE = 16, ELEMENT_PS = 1500 };

struct plan {
    struct port tested; /* in the dtype that is computed in */
    bool invert;
    aclDataType wide; /* DOUBLE, INT64 or COMPLEX128, in which numbers are compared */
    uint32_t out;
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
    *plan = (struct plan){.tested = port_of(call, IS_IN_SCALAR_TENSOR_testElements, result->computed),
                          .wide = is_complex(result->computed) ? ACL_COMPLEX128
                                  : is_float(result->computed) ? ACL_DOUBLE
                                                               : ACL_INT64,
                          .invert = call->argument[IS_IN_SCALAR_TENSOR_invert].boolean,
                          .out = call->first_operand[IS_IN_SCALAR_TENSOR_out],
                          .cost_ns = (uint64_t)((double)tested->count * ELEMENT_PS / 1000)};
    scalar_convert(&call->scalar[IS_IN_SCALAR_TENSOR_element],
                   plan->wide == ACL_INT64 ? ACL_INT64 : result->computed, element);
    if (plan->wide == ACL_INT64 || result->computed == plan->wide)
        memcpy(plan->number, element, dtype_bytes(plan->wide));
    else
        plan->tested.transfer->convert(element, result->computed, plan->number, plan->wide, 1);
    content->cost_ns = plan->cost_ns;
    content->is_idle = false;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

struct work {
    const struct plan *plan;
    void *const *address;
    _Atomic bool is_found;
};

static void look_through(void *context, uint64_t at, uint64_t count)
{
    struct work *work = context;
    const struct plan *plan = work->plan;
    _Alignas(64) double brought[2 * PIECE] __attribute__((uninitialized)),
        value[2 * PIECE] __attribute__((uninitialized));
    const double *real = brought;
    int64_t whole;
    memcpy(&whole, plan->number, sizeof whole);
    bool is_found = false;
    port_bring(&plan->tested, work->address, at, count, brought);
    if (plan->tested.carried != plan->wide) {
        plan->tested.transfer->convert(brought, plan->tested.carried, value, plan->wide, (size_t)count);
        real = value;
    }
    const int64_t *integer = (const int64_t *)(const void *)real;
    for (uint64_t i = 0; plan->wide == ACL_INT64 && i < count; i++)
        is_found |= integer[i] == whole;
    for (uint64_t i = 0; plan->wide == ACL_DOUBLE && i < count; i++)
        is_found |= real[i] == plan->number[0];
    for (uint64_t i = 0; plan->wide == ACL_COMPLEX128 && i < count; i++)
        is_found |= (real[2 * i] == plan->number[0]) & (real[2 * i + 1] == plan->number[1]);
    if (is_found)
        atomic_store_explicit(&work->is_found, true, memory_order_relaxed);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct plan *plan = prepared;
    struct work work = {.plan = plan, .address = address};
    (void)scratch;
    pieces_run(look_through, &work, plan->tested.span.count, PIECE, PIECES_AT_ONCE, plan->cost_ns);
    *(unsigned char *)address[plan->out] = work.is_found != plan->invert;
    return 0;
}

FUNCTION_OF(aclnnIsInScalarTensor, IS_IN_SCALAR_TENSOR, .stem = "is_in_scalar_tensor",
            .family = FAMILY_COMPOSITE, .promise = &promise_exact, .operation.run = run, .infer = infer,
            .plan = plan);
