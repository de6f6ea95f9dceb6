/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows that have a small product of matrices added which each row chooses itself: out = y, and a slice of out += scale
 * (x A[w]^T) B[w]^T with w = indices[row]. In doubles, rounded once.
 */
#include "aclnnop/aclnn_add_lora.h"

#include <inttypes.h>

#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"
#include "runtime/streams/fault.h"

enum { PRODUCT_PS = 1000 };

#define LORA(X, of)                                                                              \
    X(of, IN, y, &dtypes_fp32_fp16_bf16, .sample = "3x5")                                        \
    X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = "3x4")                                        \
    X(of, IN, weightB, &dtypes_fp32_fp16_bf16, .sample = "2x1x5x2", .is_partly_read = true)      \
    X(of, IN, indices, &dtypes_int32, .sample = "3:INT32")                                       \
    X(of, IN, weightAOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "2x1x2x4", \
      .is_partly_read = true)                                                                    \
    X(of, INT64, layerIdx, .usual = "0")                                                         \
    X(of, DOUBLE, scale, .usual = "1")                                                           \
    X(of, INT64, yOffset, .usual = "0")                                                          \
    X(of, INT64, ySliceSize, .usual = "-1")                                                      \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(LORA)

struct lora {
    uint64_t rows, width, depth, ranks, slice, offset, layers, layer, weights;
    double scale;
};

static aclnnStatus read_lora(const struct call *call, struct lora *lora)
{
    const int64_t *y = call->tensor[LORA_y].shape, *x = call->tensor[LORA_x].shape,
                  *b = call->tensor[LORA_weightB].shape;
    const bool has_a = call_has_elements(call, LORA_weightAOptional);
    TRY(check_all_dtypes(call));
    for (unsigned i = LORA_x; i <= LORA_weightAOptional; i++)
        if (i != LORA_indices && (i != LORA_weightAOptional || has_a))
            TRY(check_same_dtype(call, i, LORA_y, NULL));
    TRY(check_sizes(call, LORA_y, SIZES(-1, -1)));
    TRY(check_sizes(call, LORA_x, SIZES(y[0], -1)));
    TRY(check_sizes(call, LORA_weightB, SIZES(-1, -1, -1, has_a ? -1 : x[1])));
    TRY(check_sizes(call, LORA_indices, SIZES(y[0])));
    TRY(check_optional_sizes(call, LORA_weightAOptional, SIZES(b[0], b[1], b[3], x[1])));
    const int64_t layer = call->argument[LORA_layerIdx].int64, offset = call->argument[LORA_yOffset].int64,
                  size = call->argument[LORA_ySliceSize].int64;
    if (layer < 0 || layer >= b[1])
        return refuse(call, "layerIdx is %" PRId64 "; 0 to %" PRId64 " are expected", layer, b[1] - 1);
    if (size != b[2] && size != -1)
        return refuse(call, "ySliceSize is %" PRId64 "; %" PRId64 ", as weightB has, or -1 is expected", size,
                      b[2]);
    if (offset < 0 || offset > y[1] || b[2] > y[1] - offset)
        return refuse(call, "yOffset is %" PRId64 "; a slice of %" PRId64 " in %" PRId64 " is expected",
                      offset, b[2], y[1]);
    *lora = (struct lora){.rows = (uint64_t)y[0],
                          .width = (uint64_t)y[1],
                          .depth = (uint64_t)x[1],
                          .ranks = (uint64_t)b[3],
                          .slice = (uint64_t)b[2],
                          .offset = (uint64_t)offset,
                          .layers = (uint64_t)b[1],
                          .layer = (uint64_t)layer,
                          .weights = (uint64_t)b[0],
                          .scale = call->argument[LORA_scale].fp64};
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct lora lora;
    TRY(read_lora(call, &lora));
    result_like(result, call, LORA_y);
    return ACLNN_SUCCESS;
}

static int start(struct task *task)
{
    const struct lora *lora = task->parameters;
    for (uint64_t row = 0; row < lora->rows; row++) {
        const int64_t index = task_integer(task, LORA_indices, row);
        if (index < -1 || index > (int64_t)lora->weights)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "indices holds %" PRId64 " at [%" PRIu64 "]; -1 to %" PRIu64
                                  " are expected, these two for none",
                                  index, row, lora->weights);
    }
    return 0;
}

static void add_row(const struct task *task, uint64_t row)
{
    const struct lora *lora = task->parameters;
    const int64_t index = task_integer(task, LORA_indices, row);
    const uint64_t weight = ((uint64_t)index * lora->layers + lora->layer) * lora->ranks;
    double *y = task->room, *x = y + lora->width, *inner = x + lora->depth, *line = inner + lora->ranks;
    task_read(task, LORA_y, row * lora->width, lora->width, y);
    if (index >= 0 && (uint64_t)index < lora->weights && lora->ranks > 0 && lora->depth > 0) {
        task_read(task, LORA_x, row * lora->depth, lora->depth, x);
        for (uint64_t r = 0; task_has(task, LORA_weightAOptional) && r < lora->ranks; r++) {
            task_read(task, LORA_weightAOptional, (weight + r) * lora->depth, lora->depth, line);
            inner[r] = task->maths->dot(line, x, lora->depth);
        }
        const double *factor = task_has(task, LORA_weightAOptional) ? inner : x;
        const uint64_t first = ((uint64_t)index * lora->layers + lora->layer) * lora->slice;
        for (uint64_t i = 0; i < lora->slice; i++) {
            task_read(task, LORA_weightB, (first + i) * lora->ranks, lora->ranks, line);
            y[lora->offset + i] += lora->scale * task->maths->dot(line, factor, lora->ranks);
        }
    }
    task_write(task, LORA_out, row * lora->width, lora->width, y);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct lora lora;
    (void)result;
    TRY(read_lora(call, &lora));
    return row_tasks_plan(
        call,
        &(struct row_tasks_request){
            .body = add_row,
            .start = start,
            .count = lora.width == 0 ? 0 : lora.rows,
            .task_ns = (lora.depth + lora.slice) * (lora.ranks + 4) * PRODUCT_PS / 1000 + lora.width + 200,
            .room = lora.width + 2 * lora.depth + 2 * lora.ranks,
            .parameters = &lora,
            .parameter_bytes = sizeof lora});
}

FUNCTION_OF(aclnnAddLora, LORA, .stem = "add_lora", .family = FAMILY_CONTRACTION, .promise = &promise_sum,
            ROW_TASKS, .infer = infer, .plan = plan);
