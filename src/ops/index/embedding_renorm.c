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
#include "ops/nest.h"
#include "ops/operands.h"
#include "ops/signature.h"
#include "ops/transfer.h"
#include "runtime/streams/fault.h"

LEVEL_TABLE(renorm_function, renorm_functions, embedding_renorm);

#define EMBEDDING_RENORM(X, of)                                          \
    X(of, BOTH, selfRef, &dtypes_fp32_fp16_bf16, .is_partly_read = true) \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "2:INT64")         \
    X(of, DOUBLE, maxNorm, .usual = "1")                                 \
    X(of, DOUBLE, normType, .usual = "2")
SIGNATURE(EMBEDDING_RENORM)

struct plan {
    const struct transfer *transfer;
    renorm_function *renorm;
    double p, most;
    uint64_t rows, width, slots, cost_ns;
    struct operand self, index;
    struct nest self_nest, index_nest;
};

struct run {
    const struct plan *plan;
    unsigned char *self, *is_named;
};

/* The room of a thread: a row in its own dtype, as doubles, and what the kernel needs. */
static size_t slot_bytes(const struct plan *plan)
{
    return whole_lines(plan->width * plan->self.bytes) + 2 * whole_lines(plan->width * sizeof(double));
}

static size_t work_bytes(const void *plan_memory)
{
    const struct plan *plan = plan_memory;
    return whole_lines(plan->rows) + plan->slots * slot_bytes(plan);
}

static void renorm_row(void *context, uint64_t row, unsigned char *packed)
{
    const struct run *run = context;
    const struct plan *plan = run->plan;
    if (run->is_named[row] == 0)
        return;
    double *x = (double *)(void *)(packed + whole_lines(plan->width * plan->self.bytes)),
           *room = x + whole_lines(plan->width * sizeof(double)) / sizeof(double);
    const struct nest_place place = nest_place_at(&plan->self_nest, row * plan->width);
    nest_gather(&plan->self_nest, 0, place, plan->transfer, run->self, plan->self.bytes, packed,
                (size_t)plan->width);
    transfer_convert(plan->transfer, packed, plan->self.dtype, x, ACL_DOUBLE, plan->width);
    if (!plan->renorm(x, (size_t)plan->width, room, plan->p, plan->most))
        return;
    canonical_nans(x, (size_t)plan->width);
    transfer_convert(plan->transfer, x, ACL_DOUBLE, packed, plan->self.dtype, plan->width);
    nest_scatter(&plan->self_nest, 0, place, plan->transfer, run->self, plan->self.bytes, packed,
                 (size_t)plan->width);
}

static int run_plan(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    struct run run = {.plan = plan, .self = address[plan->self.address], .is_named = scratch};
    const struct task_memory memory = {(unsigned char *)scratch + whole_lines(plan->rows), slot_bytes(plan),
                                       plan->slots};
    const unsigned char *indices = address[plan->index.address];
    struct nest_place place = nest_place_at(&plan->index_nest, 0);
    memset(run.is_named, 0, (size_t)plan->rows);
    for (uint64_t i = 0; i < plan->index_nest.count; i++) {
        int64_t index = 0;
        int32_t narrow;
        const unsigned char *from = indices + place.offset[0] * (int64_t)plan->index.bytes;
        memcpy(&index, from, plan->index.bytes);
        memcpy(&narrow, from, sizeof narrow);
        index = plan->index.dtype == ACL_INT32 ? narrow : index;
        if (index < 0 || (uint64_t)index >= plan->rows)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "indices holds %" PRId64 " as element %" PRIu64 "; 0 to %" PRIu64
                                  " are expected",
                                  index, i, plan->rows - 1);
        run.is_named[index] = 1;
        nest_advance(&plan->index_nest, &place, 1);
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
    struct plan plan = {.transfer = transfer_of(call->settings->isa),
                        .renorm = renorm_functions[call->settings->isa],
                        .p = call->argument[EMBEDDING_RENORM_normType].fp64,
                        .most = call->argument[EMBEDDING_RENORM_maxNorm].fp64,
                        .rows = (uint64_t)self->shape[0],
                        .width = (uint64_t)self->shape[1],
                        .self = operand_of(call, EMBEDDING_RENORM_selfRef),
                        .index = operand_of(call, EMBEDDING_RENORM_indices)};
    const uint64_t named = (uint64_t)indices->count < plan.rows ? (uint64_t)indices->count : plan.rows;
    plan.slots = named < call->settings->thread_count ? named : call->settings->thread_count;
    plan.cost_ns = (uint64_t)indices->count + plan.rows / 4 + named * (20 + plan.width);
    nest_of_rows(&plan.self_nest, self, TENSOR_RANK_MAX);
    nest_of_rows(&plan.index_nest, indices, TENSOR_RANK_MAX);
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
