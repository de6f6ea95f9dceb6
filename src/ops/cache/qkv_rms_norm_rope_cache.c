/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Queries, keys and values of a product that has them side by side: heads of queries and keys over their root mean
 * square, times gamma, and turned; keys and values to their slots of caches in tiles, maybe as INT8, divided by a
 * scale. In doubles, rounded once.
 */
#include "aclnnop/aclnn_qkv_rms_norm_rope_cache.h"

#include <inttypes.h>
#include <math.h>

#include "ops/cache/slots.h"

enum { ELEMENT_PS = 4000 };

#define NUMBERS(X, of, kind, name, sample_) X(of, kind, name, &dtypes_fp16_bf16, .sample = sample_)
#define SCALES(X, of, name)                 X(of, IN, name, &dtypes_fp32, .is_optional = true, .sample = "")
#define ROW_OUT(X, of, name)                X(of, OUT, name, &dtypes_fp16_bf16, .is_optional = true)
#define QKV(X, of)                                                            \
    NUMBERS(X, of, IN, qkv, "2x64:FLOAT16")                                   \
    NUMBERS(X, of, IN, qGamma, "16:FLOAT16")                                  \
    NUMBERS(X, of, IN, kGamma, "16:FLOAT16")                                  \
    NUMBERS(X, of, IN, cos, "2x16:FLOAT16")                                   \
    NUMBERS(X, of, IN, sin, "2x16:FLOAT16")                                   \
    X(of, IN, index, &dtypes_int64, .sample = "2:INT64")                      \
    NUMBERS(X, of, BOTH, qOut, "2x32:FLOAT16")                                \
    X(of, BOTH, kCache, &dtypes_fp16_bf16_int8, .sample = "2x1x2x16:FLOAT16") \
    X(of, BOTH, vCache, &dtypes_fp16_bf16_int8, .sample = "2x1x2x16:FLOAT16") \
    SCALES(X, of, kScaleOptional)                                             \
    SCALES(X, of, vScaleOptional)                                             \
    SCALES(X, of, kOffsetOptional)                                            \
    SCALES(X, of, vOffsetOptional)                                            \
    X(of, INTS, qkvSize, .sample = "1,2,4,16")                                \
    X(of, INTS, headNums, .sample = "2,1,1")                                  \
    X(of, DOUBLE, epsilon, .usual = "1e-06")                                  \
    X(of, TEXT, cacheModeOptional, .is_optional = true, .usual = "PA_NZ")     \
    ROW_OUT(X, of, qOutBeforeQuantOptional)                                   \
    ROW_OUT(X, of, kOutBeforeQuantOptional)                                   \
    ROW_OUT(X, of, vOutBeforeQuantOptional)
SIGNATURE(QKV)

struct qkv {
    double epsilon;
    uint64_t tokens, depth, heads[3], first[3]; /* of queries, keys, values */
    struct slots slots[2];
};

static aclnnStatus check_row(const struct call *call, unsigned parameter, uint32_t rank, uint64_t rows,
                             uint64_t width)
{
    const struct tensor_view *view = &call->tensor[parameter];
    const bool fits = view->rank == rank && (uint64_t)view->shape[rank - 1] == width &&
                      (rank == 1 || (uint64_t)view->shape[0] == rows);
    return fits ? ACLNN_SUCCESS
                : refuse(call, "%s has shape %s; %s%" PRIu64 " elements are expected",
                         call_name(call, parameter), shape_text(TEXT, view), rank == 1 ? "" : "tokens and ",
                         width);
}

static aclnnStatus check_cache(const struct call *call, struct qkv *qkv, unsigned i)
{
    const unsigned cache = QKV_kCache + i, scale = QKV_kScaleOptional + i, offset = QKV_kOffsetOptional + i;
    const uint64_t width = qkv->heads[1 + i] * qkv->depth;
    TRY(slots_of(call, cache, (int64_t)width, true, &qkv->slots[i]));
    TRY(slots_check_scale(call, cache, QKV_qkv, scale));
    for (unsigned p = scale; p <= offset; p += offset - scale)
        if (call_has(call, p) && (uint64_t)call->tensor[p].count != width)
            return refuse(call, "%s has shape %s; %" PRIu64 " numbers are expected", call_name(call, p),
                          shape_text(TEXT, &call->tensor[p]), width);
    return ACLNN_SUCCESS;
}

static aclnnStatus read_call(const struct call *call, struct qkv *qkv)
{
    static const char *const modes[] = {"PA_NZ", NULL};
    const struct call_values *size = &call->values[QKV_qkvSize], *heads = &call->values[QKV_headNums];
    unsigned mode;
    *qkv = (struct qkv){.epsilon = call->argument[QKV_epsilon].fp64};
    for (unsigned i = QKV_qkv; i <= QKV_vOffsetOptional; i++)
        if (call_has(call, i))
            TRY(check_dtype(call, i));
    for (unsigned i = QKV_qGamma; i <= QKV_qOut; i++)
        if (i != QKV_index)
            TRY(check_same_dtype(call, i, QKV_qkv, NULL));
    if (size->count != 4 || heads->count != 3)
        return refuse(call,
                      "qkvSize and headNums have %" PRIu64 " and %" PRIu64 " numbers; 4 and 3 are expected",
                      size->count, heads->count);
    const int64_t *s = size->value.int64, *n = heads->value.int64;
    const bool are_counts =
        s[0] >= 0 && s[1] >= 0 && s[3] >= 2 && s[3] % 2 == 0 && n[0] >= 1 && n[1] >= 1 && n[2] >= 1;
    if (!are_counts || s[0] > INT32_MAX || s[1] > INT32_MAX || s[3] > INT32_MAX || n[0] > INT32_MAX ||
        n[1] > INT32_MAX || n[2] > INT32_MAX || s[2] != n[0] + n[1] + n[2])
        return refuse(call,
                      "qkvSize says %" PRId64 " heads of %" PRId64 " elements and headNums %" PRId64
                      ", %" PRId64 " and %" PRId64
                      " heads; as many of an even number of elements are expected",
                      s[2], s[3], n[0], n[1], n[2]);
    qkv->tokens = (uint64_t)(s[0] * s[1]);
    qkv->depth = (uint64_t)s[3];
    for (unsigned i = 0; i < 3; i++) {
        qkv->heads[i] = (uint64_t)n[i];
        qkv->first[i] = i == 0 ? 0 : qkv->first[i - 1] + qkv->heads[i - 1];
    }
    TRY(check_row(call, QKV_qkv, 2, qkv->tokens, (uint64_t)s[2] * qkv->depth));
    for (unsigned i = QKV_qGamma; i <= QKV_sin; i++)
        TRY(check_row(call, i, i <= QKV_kGamma ? 1 : 2, qkv->tokens, qkv->depth));
    TRY(check_row(call, QKV_index, 1, 0, qkv->tokens));
    TRY(check_row(call, QKV_qOut, 2, qkv->tokens, qkv->heads[0] * qkv->depth));
    TRY(slots_mode(call, QKV_cacheModeOptional, modes, &mode));
    TRY(check_cache(call, qkv, 0));
    TRY(check_cache(call, qkv, 1));
    return slots_count(&qkv->slots[0]) == slots_count(&qkv->slots[1])
               ? ACLNN_SUCCESS
               : refuse(call, "vCache has shape %s; the slots of kCache are expected",
                        shape_text(TEXT, &call->tensor[QKV_vCache]));
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct qkv qkv;
    TRY(read_call(call, &qkv));
    result->computed = call_dtype(call, QKV_qkv);
    for (unsigned i = QKV_qOut; i <= QKV_vCache; i++)
        slots_kept(result, call, i);
    for (unsigned i = 0; i < 3; i++) {
        const int64_t dim[] = {(int64_t)qkv.tokens, (int64_t)(qkv.heads[i] * qkv.depth)};
        slots_output(result, result->computed, 2, dim)->is_unwanted =
            call->has_outputs && !call_has(call, QKV_qOutBeforeQuantOptional + i);
    }
    return ACLNN_SUCCESS;
}

static int64_t slot_of_token(const struct task *task, uint64_t number)
{
    return task_integer(task, QKV_index, number);
}

static int start(struct task *task)
{
    const struct qkv *qkv = task->parameters;
    return slots_check(task, &qkv->slots[0], qkv->tokens, "index", slot_of_token);
}

/* Over the root of the mean of its squares, times gamma; the halves turned. */
static void turn_head(const struct task *task, const double *gamma, const double *cosine, const double *sine,
                      double *head)
{
    const struct qkv *qkv = task->parameters;
    const uint64_t half = qkv->depth / 2;
    const double root = sqrt(task->maths->dot(head, head, qkv->depth) / (double)qkv->depth + qkv->epsilon);
    for (uint64_t e = 0; e < qkv->depth; e++)
        head[e] = head[e] / root * gamma[e];
    for (uint64_t e = 0; e < half; e++) {
        const double a = head[e], b = head[e + half];
        head[e] = a * cosine[e] - b * sine[e];
        head[e + half] = b * cosine[e + half] + a * sine[e + half];
    }
}

static void store(const struct task *task, uint64_t number, unsigned i, double *row)
{
    const struct qkv *qkv = task->parameters;
    const uint64_t width = qkv->heads[1 + i] * qkv->depth;
    const int64_t slot = slot_of_token(task, number);
    for (uint64_t e = 0; slot >= 0 && task_has(task, QKV_kScaleOptional + i) && e < width; e++) {
        const double offset =
            task_has(task, QKV_kOffsetOptional + i) ? task_number(task, QKV_kOffsetOptional + i, e) : 0;
        row[e] = task_int8(row[e] / task_number(task, QKV_kScaleOptional + i, e) + offset);
    }
    if (slot >= 0)
        slots_write(task, QKV_kCache + i, &qkv->slots[i], (uint64_t)slot, row);
}

static void take_token(const struct task *task, uint64_t number)
{
    const struct qkv *qkv = task->parameters;
    const uint64_t depth = qkv->depth, all = qkv->first[2] + qkv->heads[2];
    double *gamma = task->room, *cosine = gamma + depth, *sine = cosine + depth, *row = sine + depth;
    task_read(task, QKV_cos, number * depth, depth, cosine);
    task_read(task, QKV_sin, number * depth, depth, sine);
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t width = qkv->heads[i] * depth;
        task_read(task, QKV_qkv, (number * all + qkv->first[i]) * depth, width, row);
        if (i < 2)
            task_read(task, QKV_qGamma + i, 0, depth, gamma);
        for (uint64_t head = 0; i < 2 && head < qkv->heads[i]; head++)
            turn_head(task, gamma, cosine, sine, row + head * depth);
        if (task_has(task, QKV_qOutBeforeQuantOptional + i))
            task_write(task, QKV_qOutBeforeQuantOptional + i, number * width, width, row);
        if (i == 0)
            task_write(task, QKV_qOut, number * width, width, row);
        else
            store(task, number, i - 1, row);
    }
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct qkv qkv;
    (void)result;
    TRY(read_call(call, &qkv));
    const uint64_t all = qkv.first[2] + qkv.heads[2];
    return row_tasks_plan(call, &(struct row_tasks_request){.body = take_token,
                                                            .start = start,
                                                            .count = qkv.tokens,
                                                            .task_ns = all * qkv.depth * ELEMENT_PS / 1000,
                                                            .room = 3 * qkv.depth + all * qkv.depth,
                                                            .shared_bytes = slots_bytes(&qkv.slots[0]),
                                                            .parameters = &qkv,
                                                            .parameter_bytes = sizeof qkv});
}

FUNCTION_OF(aclnnQkvRmsNormRopeCache, QKV, .stem = "qkv_rms_norm_rope_cache", .family = FAMILY_CACHE,
            .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan);
