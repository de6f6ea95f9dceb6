/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out becomes true where an element of gradient is infinite or NaN; else it stays.
 */
#include "aclnnop/aclnn_all_finite.h"

#include <stdatomic.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define ALL_FINITE(X, of)                       \
    X(of, IN, gradient, &dtypes_fp32_fp16_bf16) \
    X(of, BOTH, out, &dtypes_bool, .sample = "1:BOOL", .is_partly_read = true)
SIGNATURE(ALL_FINITE)
enum { PIECE = 4096, PIECES_AT_ONCE = 4, PIECE_NS = 2000 };

struct finite_plan {
    uint32_t found; /* its address */
    struct port gradient;
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, ALL_FINITE_gradient));
    TRY(check_dtype(call, ALL_FINITE_out));
    TRY(check_rank(call, ALL_FINITE_gradient));
    result->computed = call_dtype(call, ALL_FINITE_gradient);
    result_add(result, ACL_BOOL, DTYPE_EQUAL)->shape_rule = SHAPE_ONE;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, sizeof(struct finite_plan), &content, &made));
    struct finite_plan *plan = made;
    *plan = (struct finite_plan){.found = call->first_operand[ALL_FINITE_out],
                                 .gradient = port_of(call, ALL_FINITE_gradient, result->computed)};
    content->cost_ns = plan->gradient.span.count * PIECE_NS / PIECE;
    content->is_idle = false;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* The search through one tensor. */
struct finite_work {
    const struct port *gradient;
    void *const *address;
    _Atomic bool found;
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

static void take_piece(void *context, uint64_t at, uint64_t count)
{
    struct finite_work *work = context;
    float element[PIECE] __attribute__((uninitialized));
    if (atomic_load_explicit(&work->found, memory_order_relaxed))
        return;
    port_bring(work->gradient, work->address, at, count, element);
    if (has_infinite(work->gradient->dtype, element, count))
        atomic_store_explicit(&work->found, true, memory_order_relaxed);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct finite_plan *plan = prepared;
    struct finite_work work = {.address = address, .gradient = &plan->gradient};
    const uint64_t count = plan->gradient.span.count;
    (void)scratch;
    pieces_run(take_piece, &work, count, PIECE, PIECES_AT_ONCE, (count + PIECE - 1) / PIECE * PIECE_NS);
    if (work.found)
        memset(address[plan->found], 1, 1);
    return 0;
}

FUNCTION_OF(aclnnAllFinite, ALL_FINITE, .stem = "all_finite", .family = FAMILY_FOREACH,
            .promise = &promise_exact, .operation.run = run, .operation.reads_first = true, .infer = infer,
            .plan = plan);
