/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What of a row of logits may be sampled: the k greatest, then those that have the most probable part p of what
 * is left; and a sample of them. Probabilities and their sums are doubles.
 */
#include "aclnnop/aclnn_apply_top_k_top_p.h"
#include "aclnnop/aclnn_top_k_top_p_sample.h"
#include "aclnnop/aclnn_top_k_top_p_sample_v2.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/row_tasks.h"
#include "ops/loops/order.h"
#include "ops/signature.h"
#include "ops/sizes.h"
#include "runtime/streams/fault.h"

enum { ELEMENT_PS = 20000 };

#define APPLY(X, of)                                                                 \
    X(of, IN, logits, &dtypes_fp32_fp16_bf16, .sample = "2x5")                       \
    X(of, IN, pOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "2") \
    X(of, IN, kOptional, &dtypes_int32, .is_optional = true, .sample = "2:INT32")    \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16, .may_be_infinite = true)
SIGNATURE(APPLY)

struct rows {
    uint64_t rows, width;
    uint64_t most; /* TopKTopPSample: a greater topK is none */
    double epsilon;
    uint8_t first_out;
    bool is_of_logits, wants_logits, wants_order, has_least;
};

/* Rows of numbers, and a number of each. */
static aclnnStatus check_rows(const struct call *call, unsigned logits, struct rows *rows)
{
    const struct tensor_view *view = &call->tensor[logits];
    TRY(check_dtype(call, logits));
    if (view->rank != 2 || view->shape[1] > UINT32_MAX)
        return refuse(call, "%s has shape %s; rows and elements are expected", call_name(call, logits),
                      shape_text(TEXT, view));
    rows->rows = (uint64_t)view->shape[0];
    rows->width = (uint64_t)view->shape[1];
    return ACLNN_SUCCESS;
}

static aclnnStatus check_each(const struct call *call, unsigned parameter, const struct rows *rows)
{
    const struct tensor_view *view = &call->tensor[parameter];
    if (!call_has(call, parameter))
        return ACLNN_SUCCESS;
    TRY(check_dtype(call, parameter));
    return view->rank == 1 && (uint64_t)view->shape[0] == rows->rows
               ? ACLNN_SUCCESS
               : refuse(call, "%s has shape %s; a number for each of %" PRIu64 " rows is expected",
                        call_name(call, parameter), shape_text(TEXT, view), rows->rows);
}

static aclnnStatus read_apply(const struct call *call, struct rows *rows)
{
    *rows = (struct rows){.rows = 0};
    TRY(check_rows(call, APPLY_logits, rows));
    TRY(check_each(call, APPLY_pOptional, rows));
    TRY(check_each(call, APPLY_kOptional, rows));
    return call_has(call, APPLY_pOptional) ? check_same_dtype(call, APPLY_pOptional, APPLY_logits, NULL)
                                           : ACLNN_SUCCESS;
}

static aclnnStatus infer_apply(const struct call *call, struct result *result)
{
    struct rows rows;
    TRY(read_apply(call, &rows));
    result_like(result, call, APPLY_logits);
    return ACLNN_SUCCESS;
}

static int start_apply(struct task *task)
{
    const struct rows *rows = task->parameters;
    for (uint64_t i = 0; task_has(task, APPLY_kOptional) && i < rows->rows; i++) {
        const int64_t k = task_integer(task, APPLY_kOptional, i);
        if (k < 1)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "k holds %" PRId64 " at [%" PRIu64 "]; 1 or more is expected", k, i);
    }
    return 0;
}

/* e^(x - greatest) of the elements with these numbers, which are in descending order; and their sum. A row of
 * -inf alone, or with NaN, has none. */
static double exponentials(const struct task *task, const double *row, const uint32_t *index, uint64_t count,
                           double *to)
{
    double sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        const double apart = row[index[i]] == row[index[0]] ? 0 : row[index[i]] - row[index[0]];
        to[i] = apart < -745 ? -745 : apart;
    }
    task->maths->exponential(to, count);
    for (uint64_t i = count; i-- > 0;)
        sum += to[i] = to[i] < 0x1p-1070 ? 0 : to[i];
    return sum;
}

/* From the least on, as long as their sum is no more than 1 - p; never the greatest. */
static void cut_least(const struct task *task, double *row, uint64_t width, double p, double *other)
{
    uint32_t *index = (uint32_t *)(void *)(other + width), *merged = index + width;
    uint64_t count = 0;
    for (uint64_t i = 0; i < width; i++)
        if (row[i] != -(double)INFINITY)
            index[count++] = (uint32_t)i;
    if (count == 0)
        return;
    order_row(row, count, index, merged);
    const double all = exponentials(task, row, index, count, other);
    double sum = 0;
    for (uint64_t end = count; end > 1;) { /* of equal ones the first in the row comes first here, too */
        uint64_t begin = end - 1;
        while (begin > 0 && row[index[begin - 1]] == row[index[end - 1]])
            begin--;
        for (uint64_t i = begin; i < end; i++) {
            sum += other[i] / all;
            if (!(sum <= 1 - p) || (begin == 0 && i + 1 == end))
                return;
            row[index[i]] = -(double)INFINITY;
        }
        end = begin;
    }
}

static void apply_row(const struct task *task, uint64_t number)
{
    const struct rows *rows = task->parameters;
    double *row = task->room, *other = row + rows->width;
    task_read(task, APPLY_logits, number * rows->width, rows->width, row);
    const int64_t k =
        task_has(task, APPLY_kOptional) ? task_integer(task, APPLY_kOptional, number) : INT64_MAX;
    if (k < (int64_t)rows->width) {
        const double least = order_find(row, rows->width, (uint64_t)k, other);
        for (uint64_t i = 0; i < rows->width; i++)
            row[i] = order_is_greater(least, row[i]) ? -(double)INFINITY : row[i];
    }
    if (task_has(task, APPLY_pOptional))
        cut_least(task, row, rows->width, task_number(task, APPLY_pOptional, number), other);
    task_write(task, APPLY_out, number * rows->width, rows->width, row);
}

static aclnnStatus plan_rows(const struct call *call, const struct rows *rows,
                             void (*body)(const struct task *, uint64_t), int (*start)(struct task *))
{
    return row_tasks_plan(call, &(struct row_tasks_request){.body = body,
                                                            .start = start,
                                                            .count = rows->width == 0 ? 0 : rows->rows,
                                                            .task_ns = rows->width * ELEMENT_PS / 1000 + 100,
                                                            .room = 3 * rows->width,
                                                            .parameters = rows,
                                                            .parameter_bytes = sizeof *rows});
}

static aclnnStatus plan_apply(const struct call *call, const struct result *result)
{
    struct rows rows;
    (void)result;
    TRY(read_apply(call, &rows));
    return plan_rows(call, &rows, apply_row, start_apply);
}

#define SAMPLES .family = FAMILY_SAMPLING, .promise = &promise_sum, ROW_TASKS
FUNCTION_OF(aclnnApplyTopKTopP, APPLY, .stem = "apply_top_k_top_p", SAMPLES, .infer = infer_apply,
            .plan = plan_apply);

#define SAMPLE_INPUTS(X, of)                                   \
    X(of, IN, logits, &dtypes_fp32_fp16_bf16, .sample = "2x5") \
    X(of, IN, topK, &dtypes_int32, .sample = "2:INT32")        \
    X(of, IN, topP, &dtypes_fp32_fp16_bf16, .sample = "2")     \
    X(of, IN, qOptional, &dtypes_fp32, .is_optional = true, .sample = "2x5:FLOAT")
#define SAMPLE_V1(X, of)                       \
    SAMPLE_INPUTS(X, of)                       \
    X(of, DOUBLE, eps, .usual = "1e-08")       \
    X(of, BOOL, isNeedLogits, .usual = "true") \
    X(of, INT64, topKGuess, .usual = "32")     \
    X(of, OUT, logitsSelectIdx, &dtypes_int64) \
    X(of, OUT, logitsTopKPSelect, &dtypes_fp32, .is_optional = true, .may_be_infinite = true)
#define SAMPLE_V2(X, of)                                                                      \
    SAMPLE_INPUTS(X, of)                                                                      \
    X(of, IN, minPsOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "2")      \
    X(of, DOUBLE, eps, .usual = "1e-08")                                                      \
    X(of, BOOL, isNeedLogits, .usual = "true")                                                \
    X(of, INT64, topKGuess, .usual = "32")                                                    \
    X(of, INT64, ksMax, .usual = "1024")                                                      \
    X(of, BOOL, inputIsLogits, .usual = "true")                                               \
    X(of, BOOL, isNeedSampleResult, .usual = "true")                                          \
    X(of, OUT, logitsSelectIdx, &dtypes_int64, .is_optional = true)                           \
    X(of, OUT, logitsTopKPSelect, &dtypes_fp32, .is_optional = true, .may_be_infinite = true) \
    X(of, OUT, logitsIdx, &dtypes_int64, .is_optional = true)                                 \
    X(of, OUT, logitsSortMasked, &dtypes_fp32, .is_optional = true)
SIGNATURE(SAMPLE_V1)
SIGNATURE(SAMPLE_V2)
enum { LOGITS, TOP_K, TOP_P, Q, LEAST };

static aclnnStatus read_sample(const struct call *call, struct rows *rows)
{
    const bool is_v2 = call->function->parameter_count == SAMPLE_V2_logitsSortMasked + 1;
    *rows = (struct rows){
        .most = 1024,
        .epsilon = call->argument[is_v2 ? SAMPLE_V2_eps : SAMPLE_V1_eps].fp64,
        .first_out = is_v2 ? SAMPLE_V2_logitsSelectIdx : SAMPLE_V1_logitsSelectIdx,
        .is_of_logits = true,
        .wants_logits = call->argument[is_v2 ? SAMPLE_V2_isNeedLogits : SAMPLE_V1_isNeedLogits].boolean};
    TRY(check_rows(call, LOGITS, rows));
    TRY(check_each(call, TOP_K, rows));
    TRY(check_each(call, TOP_P, rows));
    TRY(check_same_dtype(call, TOP_P, LOGITS, NULL));
    if (call_has(call, Q)) {
        TRY(check_dtype(call, Q));
        TRY(check_same_shape(call, Q, LOGITS, NULL));
    }
    if (rows->width == 0)
        return refuse(call, "logits has shape %s; 1 element or more is expected",
                      shape_text(TEXT, &call->tensor[LOGITS]));
    if (!is_v2)
        return ACLNN_SUCCESS;
    TRY(check_each(call, LEAST, rows));
    if (call_has(call, LEAST))
        TRY(check_same_dtype(call, LEAST, LOGITS, NULL));
    const int64_t most = call->argument[SAMPLE_V2_ksMax].int64;
    if (most < 1)
        return refuse(call, "ksMax is %" PRId64 "; 1 or more is expected", most);
    rows->most = ((uint64_t)most + 7) / 8 * 8;
    rows->has_least = call_has(call, LEAST);
    rows->is_of_logits = call->argument[SAMPLE_V2_inputIsLogits].boolean;
    rows->wants_order = call->argument[SAMPLE_V2_isNeedSampleResult].boolean;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_sample(const struct call *call, struct result *result)
{
    struct rows rows;
    TRY(read_sample(call, &rows));
    const unsigned count = call->function->parameter_count - rows.first_out;
    const bool wants[] = {!rows.wants_order, rows.wants_logits, rows.wants_order, rows.wants_order};
    result->computed = ACL_FLOAT;
    for (unsigned i = 0; i < count; i++) {
        struct output *output = result_add(result, i % 2 == 0 ? ACL_INT64 : ACL_FLOAT, DTYPE_EQUAL);
        output->shape_rule = SHAPE_EQUAL;
        output->shape =
            (struct shape){.rank = i == 0 ? 1 : 2, .dim = {(int64_t)rows.rows, (int64_t)rows.width}};
        const unsigned out = rows.first_out + i;
        const bool is_there = call->has_outputs && call_has_elements(call, out);
        output->is_unwanted =
            i == 0 ? !wants[i] && !is_there : !wants[i] || (call->has_outputs && !call_has(call, out));
    }
    return ACLNN_SUCCESS;
}

/* How many of the first elements stay by the sum of those before each, and by the least part of the first. */
static uint64_t cut_rest(const double *part, uint64_t count, double all, double p, double least)
{
    double before = 0;
    uint64_t kept = 0;
    if (p <= 0 || least >= 1)
        return count > 0;
    for (; kept < count; before += part[kept++] / all)
        if (kept > 0 && ((p < 1 && !(before <= p)) || (least > 0 && part[kept] < least * part[0])))
            break;
    return kept;
}

static void write_sample(const struct task *task, uint64_t number, const uint32_t *index, const double *part,
                         uint64_t kept, double all)
{
    const struct rows *rows = task->parameters;
    const unsigned out = rows->first_out;
    uint64_t best = 0;
    double most = 0;
    for (uint64_t i = 0; task_has(task, Q) && i < kept; i++) {
        const double chance =
            part[i] / all / (task_number(task, Q, number * rows->width + i) + rows->epsilon);
        if (i == 0 || order_is_greater(chance, most)) {
            best = i;
            most = chance;
        }
    }
    if (!rows->wants_order) {
        if (task_has(task, out))
            task_set_integer(task, out, number, index[best]);
        return;
    }
    for (uint64_t i = 0; i < rows->width; i++) {
        const uint64_t to = number * rows->width + i;
        if (task_has(task, out + 2))
            task_set_integer(task, out + 2, to, i < kept ? index[i] : 0);
        if (task_has(task, out + 3))
            task_set(task, out + 3, to, i < kept ? part[i] / all : 0);
    }
}

static void sample_row(const struct task *task, uint64_t number)
{
    const struct rows *rows = task->parameters;
    const uint64_t width = rows->width, most = rows->most < width ? rows->most : width;
    double *row = task->room, *part = row + width;
    uint32_t *index = (uint32_t *)(void *)(part + width), *merged = index + width;
    task_read(task, LOGITS, number * width, width, row);
    const int64_t k = task_integer(task, TOP_K, number);
    const uint64_t count = k >= 1 && (uint64_t)k <= most ? (uint64_t)k : width;
    for (uint64_t i = 0; i < width; i++)
        index[i] = (uint32_t)i;
    order_row(row, width, index, merged);
    double all = 1;
    if (rows->is_of_logits)
        all = exponentials(task, row, index, count, part);
    for (uint64_t i = 0; !rows->is_of_logits && i < count; i++)
        part[i] = row[index[i]];
    const uint64_t kept = cut_rest(part, count, all, task_number(task, TOP_P, number),
                                   rows->has_least ? task_number(task, LEAST, number) : 0);
    write_sample(task, number, index, part, kept, all);
    if (!task_has(task, rows->first_out + 1U))
        return;
    for (uint64_t i = kept; i < width; i++)
        row[index[i]] = rows->is_of_logits ? -(double)INFINITY : 0;
    task_write(task, rows->first_out + 1U, number * width, width, row);
}

static aclnnStatus plan_sample(const struct call *call, const struct result *result)
{
    struct rows rows;
    (void)result;
    TRY(read_sample(call, &rows));
    return plan_rows(call, &rows, sample_row, NULL);
}

FUNCTION_OF(aclnnTopKTopPSample, SAMPLE_V1, .stem = "top_k_top_p_sample", SAMPLES, .infer = infer_sample,
            .plan = plan_sample);
FUNCTION_OF(aclnnTopKTopPSampleV2, SAMPLE_V2, .stem = "top_k_top_p_sample_v2", SAMPLES, .infer = infer_sample,
            .plan = plan_sample);
