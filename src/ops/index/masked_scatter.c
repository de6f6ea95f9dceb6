/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * selfRef[mask] = source: the elements of source, in row-major order, to those of selfRef where mask, which
 * broadcasts, is true. With too few of them the work fails before anything is written.
 */
#include "aclnnop/aclnn_masked_scatter.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/numbered.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

#define INPLACE_MASKED_SCATTER(X, of)                                                \
    X(of, BOTH, selfRef, &dtypes_floats_integers_bool_small, .is_partly_read = true) \
    X(of, IN, mask, &dtypes_uint8_bool, .sample = "2x3:BOOL")                        \
    X(of, IN, source, &dtypes_floats_integers_bool_small)
SIGNATURE(INPLACE_MASKED_SCATTER)

/* Elements that a thread looks at once; of these, those on the stack. Picoseconds for an element. */
enum { SHARE = 1 << 14, PIECE = 512, ELEMENT_PS = 2000 };

struct plan {
    struct port self, mask, source; /* as they are; the mask as self has it */
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, INPLACE_MASKED_SCATTER_selfRef));
    TRY(check_dtype(call, INPLACE_MASKED_SCATTER_mask));
    TRY(check_dtype(call, INPLACE_MASKED_SCATTER_source));
    TRY(check_same_dtype(call, INPLACE_MASKED_SCATTER_source, INPLACE_MASKED_SCATTER_selfRef, NULL));
    TRY(check_rank(call, INPLACE_MASKED_SCATTER_selfRef));
    TRY(check_rank(call, INPLACE_MASKED_SCATTER_mask));
    TRY(check_rank(call, INPLACE_MASKED_SCATTER_source));
    const struct shape self = shape_of(&call->tensor[INPLACE_MASKED_SCATTER_selfRef]),
                       mask = shape_of(&call->tensor[INPLACE_MASKED_SCATTER_mask]);
    if (!broadcasts_to(&mask, &self))
        return tell_fit(call, INPLACE_MASKED_SCATTER_mask, &self, "selfRef");
    result_like(result, call, INPLACE_MASKED_SCATTER_selfRef);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_scatter(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[INPLACE_MASKED_SCATTER_selfRef],
                             *mask = &call->tensor[INPLACE_MASKED_SCATTER_mask];
    struct executor_content *content;
    void *made;
    (void)result;
    if (self->count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct plan), &content, &made));
    struct plan *plan = made;
    *plan = (struct plan){.self = port_of(call, INPLACE_MASKED_SCATTER_selfRef, self->dtype),
                          .mask = port_of(call, INPLACE_MASKED_SCATTER_mask, mask->dtype),
                          .source = port_of(call, INPLACE_MASKED_SCATTER_source, self->dtype)};
    plan->mask.span = numbered_broadcast(mask, self);
    content->cost_ns = (uint64_t)((double)self->count * ELEMENT_PS / 1000);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* Where the work is, which two passes share: the first one counts, the second one writes. */
struct work {
    const struct plan *plan;
    void *const *address;
    uint64_t *before; /* of each share: how many are true; then, in those before it */
};

static uint64_t share_count(const struct plan *plan)
{
    return (plan->self.span.count + SHARE - 1) / SHARE;
}

static size_t work_bytes(const void *plan)
{
    return whole_lines(share_count(plan) * sizeof(uint64_t));
}

/* Whether each of some elements from a number on is true, of BOOL or UINT8; returns how many are. */
static uint64_t read_truth(const struct work *work, uint64_t at, uint64_t count, unsigned char *truth)
{
    uint64_t found = 0;
    port_bring(&work->plan->mask, work->address, at, count, truth);
    for (uint64_t i = 0; i < count; i++) {
        truth[i] = truth[i] != 0;
        found += truth[i];
    }
    return found;
}

static void count_share(void *context, uint64_t at, uint64_t count)
{
    const struct work *work = context;
    unsigned char truth[PIECE] __attribute__((uninitialized));
    uint64_t *const before = &work->before[at / SHARE];
    *before = 0;
    for (uint64_t size; count > 0; at += size, count -= size) {
        size = count < PIECE ? count : PIECE;
        *before += read_truth(work, at, size, truth);
    }
}

static void write_share(void *context, uint64_t at, uint64_t count)
{
    const struct work *work = context;
    const struct plan *plan = work->plan;
    const uint32_t bytes = plan->self.span.bytes;
    _Alignas(64) unsigned char piece[PIECE * 8] __attribute__((uninitialized));
    _Alignas(64) unsigned char taken[PIECE * 8] __attribute__((uninitialized));
    unsigned char truth[PIECE] __attribute__((uninitialized));
    uint64_t from = work->before[at / SHARE];
    for (uint64_t size; count > 0; at += size, count -= size) {
        size = count < PIECE ? count : PIECE;
        const uint64_t found = read_truth(work, at, size, truth);
        if (found == 0)
            continue;
        port_bring(&plan->source, work->address, from, found, taken);
        port_bring(&plan->self, work->address, at, size, piece);
        for (uint64_t i = 0, k = 0; i < size; k += truth[i++])
            if (truth[i])
                memcpy(piece + i * bytes, taken + k * bytes, bytes);
        port_deliver(&plan->self, work->address, at, size, piece);
        from += found;
    }
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    const uint64_t shares = share_count(plan), cost_ns = plan->self.span.count * ELEMENT_PS / 1000;
    struct work work = {.plan = plan, .address = address, .before = scratch};
    uint64_t sum = 0;
    pieces_run(count_share, &work, plan->self.span.count, SHARE, 4, cost_ns);
    for (uint64_t i = 0; i < shares; i++) {
        const uint64_t found = work.before[i];
        work.before[i] = sum;
        sum += found;
    }
    if (sum > plan->source.span.count)
        return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                              "source holds %" PRIu64 " elements; %" PRIu64
                              ", as many as mask has that are true, are expected",
                              plan->source.span.count, sum);
    pieces_run(write_share, &work, plan->self.span.count, SHARE, 4, cost_ns);
    return 0;
}

FUNCTION_OF(aclnnInplaceMaskedScatter, INPLACE_MASKED_SCATTER, .stem = "masked_scatter",
            .family = FAMILY_INDEX, .promise = &promise_exact, .operation.work_bytes = work_bytes,
            .operation.run = run, .infer = infer, .plan = plan_scatter);
