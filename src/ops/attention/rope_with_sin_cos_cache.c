/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Heads of queries and keys, turned by the angles of their tokens' positions, which a cache has: cosines and then
 * sines in a row of it. With several positions for each token (axes: time, height, width) a section of a row's
 * angles is of each. In doubles, rounded once.
 */
#include "aclnnop/aclnn_rope_with_sin_cos_cache.h"
#include "aclnnop/aclnn_rope_with_sin_cos_cache_v2.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

enum { ELEMENT_PS = 3000, AXES_MAX = 4 };

#define HEADS(X, of, kind, name, sample_) X(of, kind, name, &dtypes_fp32_fp16_bf16, sample_)
#define INPUTS(X, of)                                              \
    X(of, IN, positions, &dtypes_int32_int64, .sample = "3:INT32") \
    HEADS(X, of, IN, queryIn, .sample = "3x8")                     \
    HEADS(X, of, IN, keyIn, .sample = "3x4")                       \
    HEADS(X, of, IN, cosSinCache, .sample = "5x4")                 \
    X(of, INTS, mropeSection, .is_optional = true, .sample = "")   \
    X(of, INT64, headSize, .usual = "4")                           \
    X(of, BOOL, isNeoxStyle, .usual = "true")
#define OUTPUTS(X, of)                           \
    X(of, OUT, queryOut, &dtypes_fp32_fp16_bf16) \
    X(of, OUT, keyOut, &dtypes_fp32_fp16_bf16)
#define ROPE_V1(X, of) INPUTS(X, of) OUTPUTS(X, of)
#define ROPE_V2(X, of) INPUTS(X, of) X(of, INT64, cacheMode, .usual = "0") OUTPUTS(X, of)
SIGNATURE(ROPE_V1)
SIGNATURE(ROPE_V2)
enum { POSITIONS, QUERY, KEY, ANGLES, SECTION, HEAD_SIZE, NEOX };

struct rope {
    uint64_t tokens, heads[2], head_size, turned, axes;
    int64_t positions, section[AXES_MAX]; /* of the cache; elements of cosines of each axis */
    bool is_neox, is_interleaved;
    uint8_t out;
};

static aclnnStatus check_section(const struct call *call, struct rope *rope)
{
    const struct call_values *section = &call->values[SECTION];
    int64_t sum = 0;
    const bool fits = call_has(call, SECTION) && section->count == rope->axes;
    for (uint64_t i = 0; fits && i < rope->axes; i++) {
        rope->section[i] = section->value.int64[i];
        if (rope->section[i] < 0 || rope->section[i] > (int64_t)rope->turned)
            return refuse(call, "mropeSection has %" PRId64 "; 0 or more are expected", rope->section[i]);
        sum += rope->section[i];
    }
    return fits && sum == (int64_t)rope->turned / 2
               ? ACLNN_SUCCESS
               : refuse(call,
                        "mropeSection has %" PRIu64 " numbers, %" PRId64 " in all; %" PRIu64
                        " numbers, %" PRIu64 " in all, are expected of these positions",
                        call_has(call, SECTION) ? section->count : 0, sum, rope->axes, rope->turned / 2);
}

static aclnnStatus read_call(const struct call *call, struct rope *rope)
{
    const struct tensor_view *positions = &call->tensor[POSITIONS], *cache = &call->tensor[ANGLES];
    const int64_t size = call->argument[HEAD_SIZE].int64;
    const bool is_v2 = call->function->parameter_count == ROPE_V2_keyOut + 1;
    const int64_t mode = is_v2 ? call->argument[ROPE_V2_cacheMode].int64 : 0;
    for (unsigned i = POSITIONS; i <= ANGLES; i++)
        TRY(check_dtype(call, i));
    for (unsigned i = KEY; i <= ANGLES; i++)
        TRY(check_same_dtype(call, i, QUERY, NULL));
    if (positions->rank != 1 &&
        (positions->rank != 2 || positions->shape[0] < 3 || positions->shape[0] > AXES_MAX))
        return refuse(call, "positions has shape %s; one number for each token, or 3 or 4, are expected",
                      shape_text(TEXT, positions));
    *rope = (struct rope){.axes = positions->rank == 2 ? (uint64_t)positions->shape[0] : 0,
                          .tokens = (uint64_t)positions->shape[positions->rank - 1],
                          .is_neox = call->argument[NEOX].boolean,
                          .is_interleaved = mode == 1,
                          .out = is_v2 ? ROPE_V2_queryOut : ROPE_V1_queryOut};
    if (size < 2 || cache->rank != 2 || cache->shape[1] > size || cache->shape[1] % 2 != 0)
        return refuse(call,
                      "headSize is %" PRId64
                      " and cosSinCache has shape %s; rows of an even number of elements, "
                      "no more than a head has, are expected",
                      size, shape_text(TEXT, cache));
    rope->head_size = (uint64_t)size;
    rope->turned = (uint64_t)cache->shape[1];
    rope->positions = cache->shape[0];
    for (unsigned i = 0; i < 2; i++) {
        const struct tensor_view *heads = &call->tensor[QUERY + i];
        if (heads->rank != 2 || (uint64_t)heads->shape[0] != rope->tokens || heads->shape[1] % size != 0)
            return refuse(
                call, "%s has shape %s; %" PRIu64 " tokens and heads of %" PRId64 " elements are expected",
                call_name(call, QUERY + i), shape_text(TEXT, heads), rope->tokens, size);
        rope->heads[i] = (uint64_t)(heads->shape[1] / size);
    }
    if (mode < 0 || mode > 1 || (mode == 1 && rope->axes == 4))
        return refuse(call, "cacheMode is %" PRId64 "; 0, or 1 of up to 3 positions, is expected", mode);
    return rope->axes > 0 ? check_section(call, rope) : ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct rope rope;
    TRY(read_call(call, &rope));
    result_like(result, call, QUERY);
    result_add(result, call_dtype(call, KEY), DTYPE_EQUAL)->like = KEY;
    return ACLNN_SUCCESS;
}

static int start(struct task *task)
{
    const struct rope *rope = task->parameters;
    const uint64_t axes = rope->axes > 0 ? rope->axes : 1;
    for (uint64_t i = 0; i < axes * rope->tokens; i++) {
        const int64_t position = task_integer(task, POSITIONS, i);
        if (position < 0 || position >= rope->positions)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "positions holds %" PRId64 " for token %" PRIu64 "; 0 to %" PRId64
                                  " are expected",
                                  position, i % rope->tokens, rope->positions - 1);
    }
    return 0;
}

/* The axis that element e of cosines is of. */
static uint64_t axis_of(const struct rope *rope, uint64_t e)
{
    if (rope->is_interleaved)
        return e % 3 != 0 && (int64_t)e < 3 * rope->section[e % 3] ? e % 3 : 0;
    uint64_t axis = 0;
    for (int64_t end = rope->section[0]; (int64_t)e >= end && axis + 1 < rope->axes;
         end += rope->section[axis])
        axis++;
    return axis;
}

static void turn_token(const struct task *task, uint64_t token)
{
    const struct rope *rope = task->parameters;
    const uint64_t half = rope->turned / 2;
    double *cosine = task->room, *sine = cosine + half, *row = sine + half;
    if (rope->axes == 0)
        task_read(task, ANGLES, (uint64_t)task_integer(task, POSITIONS, token) * rope->turned, rope->turned,
                  cosine);
    for (uint64_t e = 0; rope->axes > 0 && e < half; e++) {
        const uint64_t place =
            (uint64_t)task_integer(task, POSITIONS, axis_of(rope, e) * rope->tokens + token);
        cosine[e] = task_number(task, ANGLES, place * rope->turned + e);
        sine[e] = task_number(task, ANGLES, place * rope->turned + half + e);
    }
    for (unsigned i = 0; i < 2; i++)
        for (uint64_t head = 0; head < rope->heads[i]; head++) {
            const uint64_t at = (token * rope->heads[i] + head) * rope->head_size;
            task_read(task, QUERY + i, at, rope->head_size, row);
            for (uint64_t e = 0; e < half; e++) {
                double *a = row + (rope->is_neox ? e : 2 * e), *b = rope->is_neox ? a + half : a + 1;
                const double first = *a * cosine[e] - *b * sine[e];
                *b = *b * cosine[e] + *a * sine[e];
                *a = first;
            }
            task_write(task, rope->out + i, at, rope->head_size, row);
        }
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct rope rope;
    (void)result;
    TRY(read_call(call, &rope));
    const uint64_t elements = (rope.heads[0] + rope.heads[1]) * rope.head_size;
    return row_tasks_plan(call, &(struct row_tasks_request){.body = turn_token,
                                                            .start = start,
                                                            .count = elements == 0 ? 0 : rope.tokens,
                                                            .task_ns = elements * ELEMENT_PS / 1000 + 20,
                                                            .room = rope.turned + rope.head_size,
                                                            .parameters = &rope,
                                                            .parameter_bytes = sizeof rope});
}

#define TURNS .family = FAMILY_ATTENTION, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan
FUNCTION_OF(aclnnRopeWithSinCosCache, ROPE_V1, .stem = "rope_with_sin_cos_cache", TURNS);
FUNCTION_OF(aclnnRopeWithSinCosCacheV2, ROPE_V2, .stem = "rope_with_sin_cos_cache_v2", TURNS);
