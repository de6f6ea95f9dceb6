/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * isFinite becomes true where one of the gradients has an element that is infinite or NaN; else it stays.
 */
#include "aclnnop/aclnn_all_finite.h"

#include <stdatomic.h>
#include <string.h>

#include "ops/foreach/foreach.h"
#include "ops/operands.h"
#include "ops/span.h"
#include "runtime/streams/workers.h"
#include "tensor/dtype.h"

enum { GRADIENTS, IS_FINITE };
enum { PIECE = 4096, PIECES_AT_ONCE = 4, PIECE_NS = 2000 };

struct gradient {
    uint32_t address;
    struct span span;
};

struct finite_plan {
    const struct transfer *transfer;
    uint64_t count;
    aclDataType dtype;
    uint32_t found;             /* its address */
    struct gradient gradient[]; /* count */
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_lists(call, 1, &result->computed));
    TRY(check_dtype(call, IS_FINITE));
    TRY(check_list_shapes(call, 1));
    result_add(result, ACL_BOOL, DTYPE_EQUAL)->shape_rule = SHAPE_ONE;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct call_values *list = &call->values[GRADIENTS];
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, sizeof(struct finite_plan) + list->count * sizeof(struct gradient), &content,
                   &made));
    struct finite_plan *plan = made;
    *plan = (struct finite_plan){.transfer = transfer_of(call->settings->isa),
                                 .count = list->count,
                                 .dtype = result->computed,
                                 .found = call->first_operand[IS_FINITE]};
    for (uint64_t i = 0; i < list->count; i++) {
        plan->gradient[i].address = call->first_operand[GRADIENTS] + (uint32_t)i;
        plan->gradient[i].span = span_of(&list->value.tensor[i], SPAN_AS_IT_IS);
        content->cost_ns += plan->gradient[i].span.count * PIECE_NS / PIECE;
    }
    content->is_idle = false;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* The search through one tensor. */
struct finite_work {
    const struct finite_plan *plan;
    const struct gradient *gradient;
    const void *from;
    _Atomic bool *found;
};

/* All bits of the exponent are set. */
static bool has_infinite(aclDataType dtype, const void *elements, uint64_t count)
{
    bool has = false;
    if (dtype == ACL_FLOAT)
        for (uint64_t i = 0; i < count; i++)
            has |= (((const uint32_t *)elements)[i] & 0x7F800000) == 0x7F800000;
    const unsigned mask = dtype == ACL_BF16 ? 0x7F80 : 0x7C00;
    if (dtype != ACL_FLOAT)
        for (uint64_t i = 0; i < count; i++)
            has |= (((const uint16_t *)elements)[i] & mask) == mask;
    return has;
}

static void take_pieces(void *context, uint64_t begin, uint64_t end)
{
    const struct finite_work *work = context;
    const struct span *span = &work->gradient->span;
    float element[PIECE] __attribute__((uninitialized));
    bool has = false;
    for (uint64_t piece = begin; piece < end && !has; piece++) {
        const uint64_t at = piece * PIECE, left = span->count - at, count = left < PIECE ? left : PIECE;
        span_read(span, work->plan->transfer, work->from, at, element, count);
        has = has_infinite(work->plan->dtype, element, count);
    }
    if (has)
        atomic_store_explicit(work->found, true, memory_order_relaxed);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct finite_plan *plan = prepared;
    _Atomic bool found = false;
    (void)scratch;
    for (uint64_t i = 0; i < plan->count; i++) {
        const struct gradient *gradient = &plan->gradient[i];
        struct finite_work work = {plan, gradient, address[gradient->address], &found};
        const uint64_t pieces = (gradient->span.count + PIECE - 1) / PIECE;
        if (pieces > 0)
            workers_share(take_pieces, &work, pieces, PIECES_AT_ONCE, pieces * PIECE_NS);
    }
    if (atomic_load_explicit(&found, memory_order_relaxed))
        memset(address[plan->found], 1, 1);
    return 0;
}

static const struct parameter parameters[] = {
    [GRADIENTS] = READ("gradients", &dtypes_fp32_fp16_bf16, .kind = PARAMETER_TENSOR_LIST),
    [IS_FINITE] = BOTH("isFinite", &dtypes_bool, .sample = "1:BOOL", .is_partly_read = true),
};

FUNCTION(aclnnAllFinite, (const aclTensorList *gradients, aclTensor *isFinite),
         (ARG(gradients), ARG(isFinite)), .stem = "all_finite", PARAMETERS(parameters),
         .family = FAMILY_FOREACH, .promise = &promise_exact, .operation.run = run,
         .operation.reads_first = true, .infer = infer, .plan = plan);
