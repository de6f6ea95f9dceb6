/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention over all keys, of attention over parts of them: each part counts by the sum of its exponentials. In
 * doubles, rounded once.
 */
#include "aclnnop/aclnn_attention_update.h"
#include "aclnnop/aclnn_ring_attention_update_v2.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

enum { ELEMENT_PS = 3000, REPEATS = 8 };

#define UPDATE(X, of)                                                 \
    X(of, IN_LIST, lse, &dtypes_fp32, .sample = "3:FLOAT")            \
    X(of, IN_LIST, localOut, &dtypes_fp32_fp16_bf16, .sample = "3x4") \
    X(of, INT64, updateType, .usual = "1")                            \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                           \
    X(of, OUT, lseOut, &dtypes_fp32, .is_optional = true, .may_be_infinite = true)
SIGNATURE(UPDATE)

struct parts {
    uint64_t count, rows, depth;
};

static aclnnStatus infer_update(const struct call *call, struct result *result)
{
    const struct call_values *lse = &call->values[UPDATE_lse], *part = &call->values[UPDATE_localOut];
    const int64_t type = call->argument[UPDATE_updateType].int64;
    if (lse->count < 1 || lse->count != part->count)
        return refuse(call,
                      "lse and localOut have %" PRIu64 " and %" PRIu64
                      " tensors; as many, 1 or more, are expected",
                      lse->count, part->count);
    const struct tensor_view *first = &part->value.tensor[0];
    if (first->rank != 2)
        return refuse(call, "localOut has shape %s; rows and elements are expected", shape_text(TEXT, first));
    for (uint64_t i = 0; i < lse->count; i++) {
        const struct tensor_view *sum = &lse->value.tensor[i], *own = &part->value.tensor[i];
        TRY(check_dtype_in_list(call, UPDATE_lse, sum->dtype));
        TRY(check_dtype_in_list(call, UPDATE_localOut, own->dtype));
        if (own->dtype != first->dtype || own->rank != 2 || own->shape[0] != first->shape[0] ||
            own->shape[1] != first->shape[1])
            return refuse(call,
                          "tensor %" PRIu64
                          " of localOut has dtype %s and shape %s; those of the first are expected",
                          i, dtype_name(own->dtype), shape_text(TEXT, own));
        if (sum->rank != 1 || sum->shape[0] != first->shape[0])
            return refuse(call,
                          "tensor %" PRIu64 " of lse has shape %s; one number for each of %" PRId64
                          " rows is expected",
                          i, shape_text(TEXT, sum), first->shape[0]);
    }
    if (type != 0 && type != 1)
        return refuse(call, "updateType is %" PRId64 "; 0 or 1 is expected", type);
    result->computed = first->dtype;
    struct output *out = result_add(result, first->dtype, DTYPE_EQUAL);
    out->shape_rule = SHAPE_EQUAL;
    out->shape = shape_of(first);
    out = result_add(result, ACL_FLOAT, DTYPE_EQUAL);
    out->shape_rule = SHAPE_EQUAL;
    out->shape = (struct shape){.rank = 1, .dim = {first->shape[0]}};
    out->is_unwanted = type == 0 || (call->has_outputs && !call_has(call, UPDATE_lseOut));
    return ACLNN_SUCCESS;
}

/* +inf is what a part without keys has, which counts as nothing. */
static void update_row(const struct task *task, uint64_t row)
{
    const struct parts *parts = task->parameters;
    double *weight = task->room, *sum = weight + parts->count, *part = sum + parts->depth;
    double greatest = -(double)INFINITY, all = 0;
    for (uint64_t i = 0; i < parts->count; i++) {
        task_read_member(task, UPDATE_lse, i, row, 1, &weight[i]);
        weight[i] = weight[i] == (double)INFINITY ? -(double)INFINITY : weight[i];
        greatest = weight[i] > greatest || weight[i] != weight[i] ? weight[i] : greatest;
    }
    const bool is_empty = greatest == -(double)INFINITY;
    for (uint64_t i = 0; i < parts->count; i++)
        weight[i] = is_empty || weight[i] - greatest < -745 ? -745 : weight[i] - greatest;
    task->maths->exponential(weight, parts->count);
    for (uint64_t i = 0; i < parts->count; i++)
        all += weight[i] = weight[i] < 0x1p-1070 ? 0 : weight[i];
    memset(sum, 0, parts->depth * sizeof *sum);
    for (uint64_t i = 0; !is_empty && i < parts->count; i++) {
        if (weight[i] == 0)
            continue;
        task_read_member(task, UPDATE_localOut, i, row * parts->depth, parts->depth, part);
        for (uint64_t e = 0; e < parts->depth; e++)
            sum[e] += part[e] * weight[i];
    }
    for (uint64_t e = 0; !is_empty && e < parts->depth; e++)
        sum[e] /= all;
    if (task_has(task, UPDATE_out))
        task_write(task, UPDATE_out, row * parts->depth, parts->depth, sum);
    if (!task_has(task, UPDATE_lseOut))
        return;
    task->maths->logarithm(&all, 1);
    task_set(task, UPDATE_lseOut, row, is_empty ? (double)INFINITY : greatest + all);
}

static aclnnStatus plan_update(const struct call *call, const struct result *result)
{
    const struct tensor_view *first = &call->values[UPDATE_localOut].value.tensor[0];
    const struct parts parts = {.count = call->values[UPDATE_lse].count,
                                .rows = (uint64_t)first->shape[0],
                                .depth = (uint64_t)first->shape[1]};
    (void)result;
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = update_row,
                                          .count = parts.rows,
                                          .task_ns = parts.count * (parts.depth * ELEMENT_PS / 1000 + 50),
                                          .room = parts.count + 2 * parts.depth,
                                          .parameters = &parts,
                                          .parameter_bytes = sizeof parts});
}

#define MERGES .family = FAMILY_ATTENTION, .promise = &promise_sum, ROW_TASKS
FUNCTION_OF(aclnnAttentionUpdate, UPDATE, .stem = "attention_update", MERGES, .infer = infer_update,
            .plan = plan_update);

/* Of two parts, which say the greatest score and the sum of their exponentials apart. */
#define STATISTICS(X, of, name) X(of, IN, name, &dtypes_fp32, .sample = "2x1x8:FLOAT")
#define RING(X, of)                                                                    \
    X(of, IN, prevAttnOut, &dtypes_fp32_fp16_bf16, .sample = "2x1x4")                  \
    STATISTICS(X, of, prevSoftmaxMax)                                                  \
    STATISTICS(X, of, prevSoftmaxSum)                                                  \
    X(of, IN, curAttnOut, &dtypes_fp32_fp16_bf16, .sample = "2x1x4")                   \
    STATISTICS(X, of, curSoftmaxMax)                                                   \
    STATISTICS(X, of, curSoftmaxSum)                                                   \
    X(of, IN, actualSeqQlenOptional, &dtypes_int64, .is_optional = true, .sample = "") \
    X(of, TEXT, inputLayout, .usual = "TND")                                           \
    X(of, TEXT, inputSoftmaxLayout, .is_optional = true, .usual = "TND")               \
    X(of, OUT, attnOut, &dtypes_fp32_fp16_bf16)                                        \
    X(of, OUT, softmaxMax, &dtypes_fp32)                                               \
    X(of, OUT, softmaxSum, &dtypes_fp32)
SIGNATURE(RING)

struct ring {
    uint64_t rows, batches, heads, depth, ends; /* rows: of a batch, or of all sequences */
    bool is_packed, has_blocks;                 /* has_blocks: statistics of a sequence are by heads */
};

static aclnnStatus read_ring(const struct call *call, struct ring *ring)
{
    const struct tensor_view *attention = &call->tensor[RING_prevAttnOut],
                             *most = &call->tensor[RING_prevSoftmaxMax];
    const char *layout = call->argument[RING_inputLayout].string,
               *statistics = call->argument[RING_inputSoftmaxLayout].string;
    for (unsigned i = 0; i <= RING_actualSeqQlenOptional; i++)
        if (call_has(call, i))
            TRY(check_dtype(call, i));
    TRY(check_same_dtype(call, RING_curAttnOut, RING_prevAttnOut, NULL));
    TRY(check_same_shape(call, RING_curAttnOut, RING_prevAttnOut, NULL));
    for (unsigned i = 0; i < 3; i++)
        TRY(check_same_shape(call,
                             i == 0   ? RING_prevSoftmaxSum
                             : i == 1 ? RING_curSoftmaxMax
                                      : RING_curSoftmaxSum,
                             RING_prevSoftmaxMax, NULL));
    const bool is_packed = strcmp(layout, "TND") == 0;
    if (!is_packed && strcmp(layout, "SBH") != 0)
        return refuse(call, "inputLayout is \"%s\"; SBH or TND is expected", layout);
    if (statistics != NULL && *statistics != 0 && strcmp(statistics, "SBH") != 0 &&
        strcmp(statistics, "TND") != 0)
        return refuse(call, "inputSoftmaxLayout is \"%s\"; SBH or TND is expected", statistics);
    const int64_t *a = attention->shape, *m = most->shape;
    const bool fits = attention->rank == 3 &&
                      (is_packed ? most->rank == 3 && m[0] == a[0] && m[1] == a[1] && m[2] == REPEATS
                                 : most->rank == 4 && m[0] == a[1] && m[2] == a[0] && m[3] == REPEATS &&
                                       m[1] > 0 && a[2] % m[1] == 0);
    if (!fits)
        return refuse(call, "prevAttnOut has shape %s and prevSoftmaxMax %s; %s are expected",
                      shape_text(TEXT, attention), shape_text(TEXT, most),
                      is_packed ? "[rows, heads, elements] and [rows, heads, 8]"
                                : "[rows, batches, heads * elements] and [batches, heads, rows, 8]");
    *ring = (struct ring){.rows = (uint64_t)a[0],
                          .batches = is_packed ? 1 : (uint64_t)a[1],
                          .heads = (uint64_t)m[1],
                          .depth = (uint64_t)(is_packed ? a[2] : a[2] / m[1]),
                          .is_packed = is_packed,
                          .has_blocks = is_packed && (statistics == NULL || strcmp(statistics, "TND") != 0)};
    ring->ends = ring->has_blocks && call_has(call, RING_actualSeqQlenOptional)
                     ? (uint64_t)call->tensor[RING_actualSeqQlenOptional].count
                     : 0;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_ring(const struct call *call, struct result *result)
{
    struct ring ring;
    TRY(read_ring(call, &ring));
    result_like(result, call, RING_prevAttnOut);
    for (unsigned i = 0; i < 2; i++)
        result_add(result, ACL_FLOAT, DTYPE_EQUAL)->like = RING_prevSoftmaxMax;
    return ACLNN_SUCCESS;
}

/* Where sequences end do not fall, and not beyond the rows. */
static int start_ring(struct task *task)
{
    const struct ring *ring = task->parameters;
    int64_t before = 0;
    for (uint64_t i = 0; i < ring->ends; i++) {
        const int64_t end = task_integer(task, RING_actualSeqQlenOptional, i);
        if (end < before || end > (int64_t)ring->rows)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "actualSeqQlen holds %" PRId64 " at [%" PRIu64 "]; ends from %" PRId64
                                  " to %" PRIu64 " are expected",
                                  end, i, before, ring->rows);
        before = end;
    }
    return 0;
}

/* The number of a row's statistics among all. */
static uint64_t statistics_of(const struct task *task, uint64_t batch, uint64_t head, uint64_t row)
{
    const struct ring *ring = task->parameters;
    uint64_t first = 0, end = ring->rows;
    if (!ring->is_packed)
        return (batch * ring->heads + head) * ring->rows + row;
    if (!ring->has_blocks)
        return row * ring->heads + head;
    for (uint64_t i = 0; i < ring->ends; i++) {
        const uint64_t next = (uint64_t)task_integer(task, RING_actualSeqQlenOptional, i);
        if (next > row) {
            end = next;
            break;
        }
        first = next;
    }
    return first * ring->heads + head * (end - first) + row - first;
}

static void merge_row(const struct task *task, uint64_t number)
{
    const struct ring *ring = task->parameters;
    const uint64_t head = number % ring->heads, line = number / ring->heads, row = line / ring->batches;
    const uint64_t at = statistics_of(task, line % ring->batches, head, row) * REPEATS, depth = ring->depth;
    double *attention = task->room, *other = attention + depth;
    const double most[2] = {task_number(task, RING_prevSoftmaxMax, at),
                            task_number(task, RING_curSoftmaxMax, at)},
                 own[2] = {task_number(task, RING_prevSoftmaxSum, at),
                           task_number(task, RING_curSoftmaxSum, at)};
    const double greatest = most[0] > most[1] || most[0] != most[0] ? most[0] : most[1];
    double weight[2], numbers[REPEATS];
    for (unsigned i = 0; i < 2; i++)
        weight[i] = most[i] - greatest < -700 ? -700 : most[i] == greatest ? 0 : most[i] - greatest;
    task->maths->exponential(weight, 2);
    for (unsigned i = 0; i < 2; i++)
        weight[i] = weight[i] < 0x1p-1000 ? 0 : weight[i] * own[i];
    const bool sees_nothing = greatest == -(double)FLT_MAX;
    const double sum = sees_nothing ? (double)FLT_MAX : weight[0] + weight[1];
    const bool is_empty = sees_nothing || sum == 0;
    task_read(task, RING_prevAttnOut, number * depth, depth, attention);
    task_read(task, RING_curAttnOut, number * depth, depth, other);
    for (uint64_t e = 0; e < depth; e++)
        attention[e] = is_empty ? 0 : (attention[e] * weight[0] + other[e] * weight[1]) / sum;
    if (task_has(task, RING_attnOut))
        task_write(task, RING_attnOut, number * depth, depth, attention);
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; k < REPEATS; k++)
            numbers[k] = i == 0 ? greatest : sum;
        task_write(task, RING_softmaxMax + i, at, REPEATS, numbers);
    }
}

static aclnnStatus plan_ring(const struct call *call, const struct result *result)
{
    struct ring ring;
    (void)result;
    TRY(read_ring(call, &ring));
    return row_tasks_plan(call, &(struct row_tasks_request){.body = merge_row,
                                                            .start = start_ring,
                                                            .count = ring.rows * ring.batches * ring.heads,
                                                            .task_ns = ring.depth * ELEMENT_PS / 1000 + 200,
                                                            .room = 2 * ring.depth,
                                                            .parameters = &ring,
                                                            .parameter_bytes = sizeof ring});
}

FUNCTION_OF(aclnnRingAttentionUpdateV2, RING, .stem = "ring_attention_update_v2", MERGES, .infer = infer_ring,
            .plan = plan_ring);
