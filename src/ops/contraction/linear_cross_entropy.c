/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Cross entropy of logits x = input weight^T of which a rank has a part of the vocabulary: of each row the greatest, the
 * sum of e^(x - greatest) and the target's x; the loss of these, when all ranks' are merged; and the gradients by
 * P = (e^(x - max) / sum - 1 at the target) grad. The logits of a piece of the vocabulary at a time, in doubles.
 */
#include "aclnnop/aclnn_fused_cross_entropy_loss_with_max_sum.h"
#include "aclnnop/aclnn_fused_linear_cross_entropy_loss_grad.h"
#include "aclnnop/aclnn_fused_linear_online_max_sum.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"
#include "runtime/streams/fault.h"

/* Rows of a task, as many as a byte of the mask has, and columns of a piece. */
enum { ROWS = 8, COLUMNS = 256, PRODUCT_PS = 300, ELEMENT_PS = 6000 };

#define OPTIONAL(X, of, name, dtypes, sample_) X(of, IN, name, dtypes, .is_optional = true, .sample = sample_)
#define MAX_SUM(X, of)                                          \
    X(of, IN, input, &dtypes_fp32_fp16_bf16, .sample = "3x4")   \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .sample = "5x4")  \
    X(of, IN, target, &dtypes_int32_int64, .sample = "3:INT32") \
    X(of, INT64, vocabStartIndex, .usual = "0")                 \
    X(of, INT64, vocabEndIndex, .usual = "4")                   \
    X(of, OUT, logitsMaxLocalOut, &dtypes_fp32)                 \
    X(of, OUT, sumExpLogitsLocalOut, &dtypes_fp32)              \
    X(of, OUT, predictedLogitsLocalOut, &dtypes_fp32)           \
    X(of, OUT, targetMaskOut, &dtypes_uint8)                    \
    X(of, OUT, maskedTargetOut, &dtypes_int32_int64)            \
    X(of, OUT, vocabParallelLogitsOutOptional, &dtypes_fp32_fp16_bf16, .is_optional = true)
#define LOSS(X, of)                                                             \
    X(of, IN, logitsMax, &dtypes_fp32, .sample = "3:FLOAT")                     \
    X(of, IN, sumExpLogits, &dtypes_fp32, .sample = "3:FLOAT")                  \
    X(of, IN, predictedLogits, &dtypes_fp32, .sample = "3:FLOAT")               \
    X(of, FLOAT, labelSmoothing, .usual = "0")                                  \
    OPTIONAL(X, of, inputOptional, &dtypes_fp32_fp16_bf16, "")                  \
    OPTIONAL(X, of, weightOptional, &dtypes_fp32_fp16_bf16, "")                 \
    OPTIONAL(X, of, vocabParallelLogitsOptional, &dtypes_fp32_fp16_bf16, "3x5") \
    X(of, OUT, lossOut, &dtypes_fp32)                                           \
    X(of, OUT, softMaxOutOptional, &dtypes_fp32, .is_optional = true)
#define LINEAR_GRAD(X, of)                                            \
    X(of, IN, grad, &dtypes_fp32, .sample = "3:FLOAT")                \
    X(of, IN, input, &dtypes_fp32_fp16_bf16, .sample = "3x4")         \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .sample = "5x4")        \
    X(of, IN, targetMask, &dtypes_uint8, .sample = "1:UINT8")         \
    X(of, IN, maskedTarget, &dtypes_int32_int64, .sample = "3:INT32") \
    X(of, FLOAT, labelSmoothing, .usual = "0")                        \
    OPTIONAL(X, of, logitsMaxOptional, &dtypes_fp32, "")              \
    OPTIONAL(X, of, sumExpLogitsOptional, &dtypes_fp32, "")           \
    OPTIONAL(X, of, softmaxOptional, &dtypes_fp32, "3x5:FLOAT")       \
    X(of, OUT, inputGradOut, &dtypes_fp32_fp16_bf16)                  \
    X(of, OUT, weightGradOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(MAX_SUM)
SIGNATURE(LOSS)
SIGNATURE(LINEAR_GRAD)

struct linear_loss {
    uint64_t rows, depth, columns;
    int64_t first, last; /* targets of this rank */
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static aclnnStatus check_linear(const struct call *call, unsigned input, unsigned weight,
                                struct linear_loss *loss)
{
    const int64_t *shape = call->tensor[input].shape;
    TRY(check_all_dtypes(call));
    TRY(check_same_dtype(call, weight, input, NULL));
    TRY(check_sizes(call, input, SIZES(-1, -1)));
    TRY(check_sizes(call, weight, SIZES(-1, shape[1])));
    *loss = (struct linear_loss){.rows = (uint64_t)shape[0],
                                 .depth = (uint64_t)shape[1],
                                 .columns = (uint64_t)call->tensor[weight].shape[0]};
    return ACLNN_SUCCESS;
}

static aclnnStatus check_smoothing(const struct call *call, unsigned parameter)
{
    const float smoothing = call->argument[parameter].fp32;
    return smoothing == 0 ? ACLNN_SUCCESS
                          : refuse(call, "labelSmoothing is %g; 0 is expected", (double)smoothing);
}

/* An optional output that was given without elements is none. */
static bool is_asked(const struct call *call, unsigned parameter)
{
    return !call->has_outputs || call_has_elements(call, parameter);
}

static aclnnStatus infer_max_sum(const struct call *call, struct result *result)
{
    struct linear_loss loss;
    TRY(check_linear(call, MAX_SUM_input, MAX_SUM_weight, &loss));
    const int64_t rows = (int64_t)loss.rows, bytes = (rows + ROWS - 1) / ROWS;
    TRY(check_sizes(call, MAX_SUM_target, SIZES(rows)));
    result->computed = call_dtype(call, MAX_SUM_input);
    for (int i = 0; i < 3; i++)
        result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES(rows));
    result_sized(result, ACL_UINT8, DTYPE_EQUAL, SIZES(bytes));
    result_sized(result, call_dtype(call, MAX_SUM_target), DTYPE_EQUAL, SIZES(rows));
    result_sized(result, result->computed, DTYPE_EQUAL, SIZES(rows, (int64_t)loss.columns))->is_unwanted =
        !is_asked(call, MAX_SUM_vocabParallelLogitsOutOptional);
    return ACLNN_SUCCESS;
}

static bool is_outside(const struct linear_loss *loss, int64_t target)
{
    return target < loss->first || target > loss->last;
}

static int start_max_sum(struct task *task)
{
    const struct linear_loss *loss = task->parameters;
    for (uint64_t row = 0; row < loss->rows; row++) {
        const int64_t target = task_integer(task, MAX_SUM_target, row);
        if (!is_outside(loss, target) && (uint64_t)target - (uint64_t)loss->first >= loss->columns)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "target holds %" PRId64 " at [%" PRIu64 "], the row of weight with number "
                                  "%" PRIu64 "; there are %" PRIu64,
                                  target, row, (uint64_t)target - (uint64_t)loss->first, loss->columns);
    }
    return 0;
}

/* Some rows with some columns: products [row][column], which lie COLUMNS apart. */
static void multiply(const struct task *task, unsigned weight, const double *rows, uint64_t row_count,
                     uint64_t depth, uint64_t first, uint64_t count, double *weights, double *products)
{
    for (uint64_t c = 0; c < count; c++) {
        if (depth > 0)
            task_read(task, weight, (first + c) * depth, depth, weights);
        for (uint64_t r = 0; r < row_count; r++)
            products[r * COLUMNS + c] = task->maths->dot(rows + r * depth, weights, depth);
    }
}

struct row_state {
    double greatest, sum, predicted;
    int64_t place; /* of the target; -1: another rank has it */
};

/* The greatest so far and the sum that belongs to it, with the next columns. */
static void take_columns(const struct task *task, struct row_state *state, double *x, uint64_t first,
                         uint64_t count)
{
    double greatest = state->greatest, kept;
    if (state->place >= (int64_t)first && state->place < (int64_t)(first + count))
        state->predicted = x[(uint64_t)state->place - first];
    for (uint64_t c = 0; c < count; c++)
        greatest = x[c] > greatest ? x[c] : greatest;
    const double base = greatest == -(double)INFINITY ? 0 : greatest;
    for (uint64_t c = 0; c < count; c++)
        x[c] -= base;
    kept = state->greatest - base;
    task->maths->exponential(x, count);
    task->maths->exponential(&kept, 1);
    state->sum *= kept;
    for (uint64_t c = 0; c < count; c++)
        state->sum += x[c];
    state->greatest = greatest;
}

static void find_max_sum(const struct task *task, uint64_t number)
{
    const struct linear_loss *loss = task->parameters;
    const uint64_t first = number * ROWS, rows = least(ROWS, loss->rows - first), depth = loss->depth;
    double *row = task->room, *weight = row + ROWS * depth, *x = weight + depth;
    struct row_state state[ROWS];
    int64_t outside = 0xff; /* bits behind the last row are set */
    if (depth > 0)
        task_read(task, MAX_SUM_input, first * depth, rows * depth, row);
    for (uint64_t r = 0; r < rows; r++) {
        const int64_t target = task_integer(task, MAX_SUM_target, first + r);
        state[r] = (struct row_state){.greatest = -(double)INFINITY,
                                      .place = is_outside(loss, target) ? -1 : target - loss->first};
        if (state[r].place >= 0)
            outside &= ~(INT64_C(0x80) >> r);
        task_set_integer(task, MAX_SUM_maskedTargetOut, first + r, state[r].place < 0 ? 0 : state[r].place);
    }
    task_set_integer(task, MAX_SUM_targetMaskOut, number, outside);
    for (uint64_t c = 0; c < loss->columns; c += COLUMNS) {
        const uint64_t count = least(COLUMNS, loss->columns - c);
        multiply(task, MAX_SUM_weight, row, rows, depth, c, count, weight, x);
        for (uint64_t r = 0; r < rows; r++) {
            if (task_has(task, MAX_SUM_vocabParallelLogitsOutOptional))
                task_write(task, MAX_SUM_vocabParallelLogitsOutOptional, (first + r) * loss->columns + c,
                           count, x + r * COLUMNS);
            take_columns(task, &state[r], x + r * COLUMNS, c, count);
        }
    }
    for (uint64_t r = 0; r < rows; r++) {
        task_set(task, MAX_SUM_logitsMaxLocalOut, first + r, state[r].greatest);
        task_set(task, MAX_SUM_sumExpLogitsLocalOut, first + r, state[r].sum);
        task_set(task, MAX_SUM_predictedLogitsLocalOut, first + r,
                 state[r].place < 0 ? 0 : state[r].predicted - state[r].greatest);
    }
}

static aclnnStatus plan_max_sum(const struct call *call, const struct result *result)
{
    struct linear_loss loss;
    (void)result;
    TRY(check_linear(call, MAX_SUM_input, MAX_SUM_weight, &loss));
    loss.first = call->argument[MAX_SUM_vocabStartIndex].int64;
    loss.last = call->argument[MAX_SUM_vocabEndIndex].int64;
    return row_tasks_plan(
        call, &(struct row_tasks_request){
                  .body = find_max_sum,
                  .start = start_max_sum,
                  .count = (loss.rows + ROWS - 1) / ROWS,
                  .task_ns = ROWS * loss.columns * (loss.depth * PRODUCT_PS + ELEMENT_PS) / 1000 + 1000,
                  .room = (ROWS + 1) * loss.depth + ROWS * COLUMNS,
                  .parameters = &loss,
                  .parameter_bytes = sizeof loss});
}

static aclnnStatus infer_loss(const struct call *call, struct result *result)
{
    const struct tensor_view *logits = &call->tensor[LOSS_vocabParallelLogitsOptional];
    TRY(check_all_dtypes(call));
    TRY(check_sizes(call, LOSS_logitsMax, SIZES(-1)));
    const int64_t rows = call->tensor[LOSS_logitsMax].shape[0];
    TRY(check_sizes(call, LOSS_sumExpLogits, SIZES(rows)));
    TRY(check_sizes(call, LOSS_predictedLogits, SIZES(rows)));
    TRY(check_optional_sizes(call, LOSS_vocabParallelLogitsOptional, SIZES(rows, -1)));
    TRY(check_smoothing(call, LOSS_labelSmoothing));
    const bool has_logits = call_has_elements(call, LOSS_vocabParallelLogitsOptional);
    if (call->has_outputs && rows > 0 && !has_logits && call_has_elements(call, LOSS_softMaxOutOptional))
        return refuse(call,
                      "softMaxOutOptional is given without vocabParallelLogitsOptional, of which it is");
    result->computed = ACL_FLOAT;
    result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES(rows));
    if (has_logits && is_asked(call, LOSS_softMaxOutOptional))
        result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES(rows, logits->shape[1]));
    else
        result_unwanted(result, ACL_FLOAT);
    return ACLNN_SUCCESS;
}

static void find_loss(const struct task *task, uint64_t row)
{
    const struct linear_loss *loss = task->parameters;
    const double sum = task_number(task, LOSS_sumExpLogits, row),
                 greatest = task_number(task, LOSS_logitsMax, row);
    double *x = task->room;
    x[0] = sum;
    task->maths->logarithm(x, 1);
    task_set(task, LOSS_lossOut, row, x[0] - task_number(task, LOSS_predictedLogits, row));
    if (!task_has(task, LOSS_softMaxOutOptional))
        return;
    task_read(task, LOSS_vocabParallelLogitsOptional, row * loss->columns, loss->columns, x);
    for (uint64_t c = 0; c < loss->columns; c++)
        x[c] -= greatest;
    task->maths->exponential(x, loss->columns);
    for (uint64_t c = 0; c < loss->columns; c++)
        x[c] /= sum;
    task_write(task, LOSS_softMaxOutOptional, row * loss->columns, loss->columns, x);
}

static aclnnStatus plan_loss(const struct call *call, const struct result *result)
{
    struct linear_loss loss = {.rows = (uint64_t)call->tensor[LOSS_logitsMax].count};
    if (!result->output[1].is_unwanted)
        loss.columns = (uint64_t)call->tensor[LOSS_vocabParallelLogitsOptional].shape[1];
    return row_tasks_plan(call, &(struct row_tasks_request){.body = find_loss,
                                                            .count = loss.rows,
                                                            .task_ns = loss.columns * ELEMENT_PS / 1000 + 100,
                                                            .room = loss.columns + 1,
                                                            .parameters = &loss,
                                                            .parameter_bytes = sizeof loss});
}

static aclnnStatus check_grad(const struct call *call, struct linear_loss *loss)
{
    TRY(check_linear(call, LINEAR_GRAD_input, LINEAR_GRAD_weight, loss));
    const int64_t rows = (int64_t)loss->rows, columns = (int64_t)loss->columns;
    TRY(check_sizes(call, LINEAR_GRAD_grad, SIZES(rows)));
    TRY(check_sizes(call, LINEAR_GRAD_targetMask, SIZES((rows + ROWS - 1) / ROWS)));
    TRY(check_sizes(call, LINEAR_GRAD_maskedTarget, SIZES(rows)));
    TRY(check_optional_sizes(call, LINEAR_GRAD_logitsMaxOptional, SIZES(rows)));
    TRY(check_optional_sizes(call, LINEAR_GRAD_sumExpLogitsOptional, SIZES(rows)));
    TRY(check_optional_sizes(call, LINEAR_GRAD_softmaxOptional, SIZES(rows, columns)));
    TRY(check_smoothing(call, LINEAR_GRAD_labelSmoothing));
    if (rows > 0 && columns > 0 && !call_has_elements(call, LINEAR_GRAD_softmaxOptional) &&
        (!call_has_elements(call, LINEAR_GRAD_logitsMaxOptional) ||
         !call_has_elements(call, LINEAR_GRAD_sumExpLogitsOptional)))
        return refuse(call, "softmaxOptional is not given; then logitsMaxOptional and sumExpLogitsOptional "
                            "are expected");
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_grad(const struct call *call, struct result *result)
{
    struct linear_loss loss;
    TRY(check_grad(call, &loss));
    result->computed = call_dtype(call, LINEAR_GRAD_input);
    for (unsigned i = LINEAR_GRAD_input; i <= LINEAR_GRAD_weight; i++)
        result_sized(result, result->computed, DTYPE_EQUAL, 2, call->tensor[i].shape);
    return ACLNN_SUCCESS;
}

static bool is_inside(const struct task *task, uint64_t row)
{
    return (task_integer(task, LINEAR_GRAD_targetMask, row / ROWS) << row % ROWS & 0x80) == 0;
}

static int start_grad(struct task *task)
{
    const struct linear_loss *loss = task->parameters;
    for (uint64_t row = 0; loss->columns > 0 && row < loss->rows; row++) {
        const int64_t place = task_integer(task, LINEAR_GRAD_maskedTarget, row);
        if (is_inside(task, row) && (place < 0 || (uint64_t)place >= loss->columns))
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "maskedTarget holds %" PRId64 " at [%" PRIu64 "]; 0 to %" PRIu64
                                  " are expected",
                                  place, row, loss->columns - 1);
    }
    return 0;
}

/* A row's P of some columns, of their logits where no softmax is given. */
static void differentiate(const struct task *task, uint64_t row, uint64_t first, uint64_t count, double *p)
{
    const struct linear_loss *loss = task->parameters;
    const double grad = task_number(task, LINEAR_GRAD_grad, row);
    if (task_has(task, LINEAR_GRAD_softmaxOptional)) {
        task_read(task, LINEAR_GRAD_softmaxOptional, row * loss->columns + first, count, p);
    } else {
        const double greatest = task_number(task, LINEAR_GRAD_logitsMaxOptional, row),
                     sum = task_number(task, LINEAR_GRAD_sumExpLogitsOptional, row);
        for (uint64_t c = 0; c < count; c++)
            p[c] -= greatest;
        task->maths->exponential(p, count);
        for (uint64_t c = 0; c < count; c++)
            p[c] /= sum;
    }
    const uint64_t place = (uint64_t)task_integer(task, LINEAR_GRAD_maskedTarget, row) - first;
    if (is_inside(task, row) && place < count)
        p[place] -= 1;
    for (uint64_t c = 0; c < count; c++)
        p[c] *= grad;
}

/* Of some rows: P weight. */
static void find_input_grad(const struct task *task, uint64_t number)
{
    const struct linear_loss *loss = task->parameters;
    const uint64_t first = number * ROWS, rows = least(ROWS, loss->rows - first), depth = loss->depth;
    double *row = task->room, *sum = row + ROWS * depth, *weight = sum + ROWS * depth, *p = weight + depth;
    task_read(task, LINEAR_GRAD_input, first * depth, rows * depth, row);
    memset(sum, 0, rows * depth * sizeof *sum);
    for (uint64_t c = 0; c < loss->columns; c += COLUMNS) {
        const uint64_t count = least(COLUMNS, loss->columns - c);
        if (!task_has(task, LINEAR_GRAD_softmaxOptional))
            multiply(task, LINEAR_GRAD_weight, row, rows, depth, c, count, weight, p);
        for (uint64_t r = 0; r < rows; r++)
            differentiate(task, first + r, c, count, p + r * COLUMNS);
        for (uint64_t k = 0; k < count; k++) {
            task_read(task, LINEAR_GRAD_weight, (c + k) * depth, depth, weight);
            for (uint64_t r = 0; r < rows; r++)
                task->maths->add_scaled(sum + r * depth, weight, p[r * COLUMNS + k], depth);
        }
    }
    task_write(task, LINEAR_GRAD_inputGradOut, first * depth, rows * depth, sum);
}

/* Of some columns: P^T input. */
static void find_weight_grad(const struct task *task, uint64_t number)
{
    const struct linear_loss *loss = task->parameters;
    const uint64_t first = number * ROWS, columns = least(ROWS, loss->columns - first), depth = loss->depth;
    double *weight = task->room, *sum = weight + ROWS * depth, *row = sum + ROWS * depth, p[ROWS];
    task_read(task, LINEAR_GRAD_weight, first * depth, columns * depth, weight);
    memset(sum, 0, columns * depth * sizeof *sum);
    for (uint64_t r = 0; r < loss->rows; r++) {
        task_read(task, LINEAR_GRAD_input, r * depth, depth, row);
        for (uint64_t k = 0; k < columns; k++)
            p[k] = task_has(task, LINEAR_GRAD_softmaxOptional)
                       ? 0
                       : task->maths->dot(row, weight + k * depth, depth);
        differentiate(task, r, first, columns, p);
        for (uint64_t k = 0; k < columns; k++)
            task->maths->add_scaled(sum + k * depth, row, p[k], depth);
    }
    task_write(task, LINEAR_GRAD_weightGradOut, first * depth, columns * depth, sum);
}

static void find_grad(const struct task *task, uint64_t number)
{
    const struct linear_loss *loss = task->parameters;
    const uint64_t row_tasks = (loss->rows + ROWS - 1) / ROWS;
    if (number < row_tasks)
        find_input_grad(task, number);
    else
        find_weight_grad(task, number - row_tasks);
}

static aclnnStatus plan_grad(const struct call *call, const struct result *result)
{
    struct linear_loss loss;
    (void)result;
    TRY(check_grad(call, &loss));
    const uint64_t count = (loss.rows + ROWS - 1) / ROWS + (loss.columns + ROWS - 1) / ROWS;
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = find_grad,
                                          .start = start_grad,
                                          .count = loss.depth == 0 ? 0 : count,
                                          .task_ns = loss.rows * loss.columns / (count + 1) * 4 *
                                                         (loss.depth * PRODUCT_PS + ELEMENT_PS) / 1000 +
                                                     1000,
                                          .room = (2 * ROWS + 1) * loss.depth + ROWS * COLUMNS,
                                          .parameters = &loss,
                                          .parameter_bytes = sizeof loss});
}

#define ENTROPY .family = FAMILY_CONTRACTION, .promise = &promise_sum, ROW_TASKS
FUNCTION_OF(aclnnFusedLinearOnlineMaxSum, MAX_SUM, .stem = "fused_linear_online_max_sum", ENTROPY,
            .infer = infer_max_sum, .plan = plan_max_sum);
FUNCTION_OF(aclnnFusedCrossEntropyLossWithMaxSum, LOSS, .stem = "fused_cross_entropy_loss_with_max_sum",
            ENTROPY, .infer = infer_loss, .plan = plan_loss);
FUNCTION_OF(aclnnFusedLinearCrossEntropyLossGrad, LINEAR_GRAD, .stem = "fused_linear_cross_entropy_loss_grad",
            ENTROPY, .infer = infer_grad, .plan = plan_grad);
