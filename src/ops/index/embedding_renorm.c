/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Each row of self that indices name, once however often, and whose norm n = (sum of |x|^p)^(1/p) is above
 * maxNorm becomes x maxNorm / (n + 1e-7), rounded once; other rows stay as they are. p = 0 counts what is not
 * 0, infinite p takes the greatest |x|. All indices are read before anything is written; one that is no row
 * fails the work.
 */
#include <stdbool.h>
#include <stddef.h>

#include "simd/vector/level_table.h"

/* A row becomes what it is to be; false where it stays. room has as many doubles. */
typedef bool renorm_function(double *row, size_t count, double *room, double p, double most);

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/row_norm.h"

renorm_function AT_LEVEL(embedding_renorm);
bool AT_LEVEL(embedding_renorm)(double *row, size_t count, double *room, double p, double most)
{
    const double norm = row_norm(ARITHMETIC_FP64, row, count, room, p);
    if (!(norm > most))
        return false;
    const double factor = most / (norm + 1e-7);
    for (size_t i = 0; i < count; i++)
        row[i] *= factor;
    return true;
}

#else

/* The contract. */
#include "aclnnop/aclnn_embedding_renorm.h"

#include <inttypes.h>
#include <string.h>

#include "ops/canonical.h"
#include "ops/check.h"
#include "ops/index/by_index.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

LEVEL_TABLE(renorm_function, renorm_functions, embedding_renorm);

#define EMBEDDING_RENORM(X, of)                                          \
    X(of, BOTH, selfRef, &dtypes_fp32_fp16_bf16, .is_partly_read = true) \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "2:INT64")         \
    X(of, DOUBLE, maxNorm, .usual = "1")                                 \
    X(of, DOUBLE, normType, .usual = "2")
SIGNATURE(EMBEDDING_RENORM)

struct plan {
    renorm_function *renorm;
    double p, most;
    uint64_t rows, width, slots, cost_ns;
    struct port self, index; /* in doubles and INT64 */
};

struct run {
    const struct plan *plan;
    void *const *address;
    unsigned char *is_named;
};

/* The room of a thread: a row, and what the kernel needs. */
static size_t slot_bytes(const struct plan *plan)
{
    return 2 * whole_lines(plan->width * sizeof(double));
}

static size_t work_bytes(const void *plan_memory)
{
    const struct plan *plan = plan_memory;
    return whole_lines(plan->rows) + plan->slots * slot_bytes(plan);
}

static void renorm_row(void *context, uint64_t row, unsigned char *memory)
{
    const struct run *run = context;
    const struct plan *plan = run->plan;
    double *x = (double *)(void *)memory,
           *room = x + whole_lines(plan->width * sizeof(double)) / sizeof(double);
    if (run->is_named[row] == 0)
        return;
    port_bring(&plan->self, run->address, row * plan->width, plan->width, x);
    if (!plan->renorm(x, (size_t)plan->width, room, plan->p, plan->most))
        return;
    canonical_nans(x, (size_t)plan->width);
    port_deliver(&plan->self, run->address, row * plan->width, plan->width, x);
}

static int run_plan(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    struct run run = {.plan = plan, .address = address, .is_named = scratch};
    const struct task_memory memory = {(unsigned char *)scratch + whole_lines(plan->rows), slot_bytes(plan),
                                       plan->slots};
    const uint64_t all = plan->index.span.count;
    int64_t index[PORT_PIECE];
    memset(run.is_named, 0, (size_t)plan->rows);
    for (uint64_t at = 0; at < all; at += PORT_PIECE) {
        const uint64_t count = all - at < PORT_PIECE ? all - at : PORT_PIECE;
        port_bring(&plan->index, address, at, count, index);
        for (uint64_t i = 0; i < count; i++) {
            if (index[i] < 0 || (uint64_t)index[i] >= plan->rows)
                return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                      "indices holds %" PRId64 " as element %" PRIu64 "; 0 to %" PRIu64
                                      " are expected",
                                      index[i], at + i, plan->rows - 1);
            run.is_named[index[i]] = 1;
        }
    }
    tasks_run_in_memory(renorm_row, &run, plan->rows, &memory, plan->cost_ns);
    return 0;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[EMBEDDING_RENORM_selfRef];
    TRY(check_dtype(call, EMBEDDING_RENORM_selfRef));
    TRY(by_index_check(call, EMBEDDING_RENORM_indices));
    if (self->rank != 2)
        return refuse(call, "selfRef has %u dims; 2 are expected", self->rank);
    TRY(by_index_check_size(call, EMBEDDING_RENORM_indices, EMBEDDING_RENORM_selfRef, self->shape[0]));
    for (unsigned i = EMBEDDING_RENORM_maxNorm; i <= EMBEDDING_RENORM_normType; i++)
        if (!(call->argument[i].fp64 >= 0))
            return refuse(call, "%s is %g; 0 or more is expected", call_name(call, i),
                          call->argument[i].fp64);
    result_like(result, call, EMBEDDING_RENORM_selfRef);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[EMBEDDING_RENORM_selfRef],
                             *indices = &call->tensor[EMBEDDING_RENORM_indices];
    struct executor_content *content;
    void *made;
    (void)result;
    if (self->count == 0 || indices->count == 0)
        return call_idle(call);
    struct plan plan = {.renorm = renorm_functions[call->settings->isa],
                        .p = call->argument[EMBEDDING_RENORM_normType].fp64,
                        .most = call->argument[EMBEDDING_RENORM_maxNorm].fp64,
                        .rows = (uint64_t)self->shape[0],
                        .width = (uint64_t)self->shape[1],
                        .self = port_of(call, EMBEDDING_RENORM_selfRef, ACL_DOUBLE),
                        .index = port_of(call, EMBEDDING_RENORM_indices, ACL_INT64)};
    const uint64_t named = (uint64_t)indices->count < plan.rows ? (uint64_t)indices->count : plan.rows;
    plan.slots = named < call->settings->thread_count ? named : call->settings->thread_count;
    plan.cost_ns = (uint64_t)indices->count + plan.rows / 4 + named * (20 + plan.width);
    TRY(call_begin(call, sizeof plan, &content, &made));
    memcpy(made, &plan, sizeof plan);
    content->cost_ns = plan.cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

FUNCTION_OF(aclnnEmbeddingRenorm, EMBEDDING_RENORM, .stem = "embedding_renorm", .promise = &promise_sum,
            .family = FAMILY_INDEX, .operation.run = run_plan, .operation.work_bytes = work_bytes,
            .operation.reads_first = true, .infer = infer, .plan = plan);

#endif
