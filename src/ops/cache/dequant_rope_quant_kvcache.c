/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Queries, keys and values of a token from what a product of INT8 left: its scales and bias, the halves of query and
 * key turned, and keys and values as INT8, over their scales, to their rows of caches. In doubles, rounded once.
 */
#include "aclnnop/aclnn_dequant_rope_quant_kvcache.h"

#include <inttypes.h>

#include "ops/cache/slots.h"
#include "ops/sizes.h"

enum { ELEMENT_PS = 4000 };

#define NUMBERS(X, of, name, sample_) X(of, IN, name, &dtypes_fp32_fp16_bf16, .sample = sample_)
#define MAYBE(X, of, name, dtypes_)   X(of, IN, name, dtypes_, .is_optional = true, .sample = "")
#define RESULT(X, of, name)           X(of, OUT, name, &dtypes_fp32_fp16_bf16)
#define DEQUANT(X, of)                                                         \
    X(of, IN, x, &dtypes_fp32_fp16_bf16_int32, .sample = "2x3x16:FLOAT16")     \
    NUMBERS(X, of, cos, "2x3x1x4:FLOAT16")                                     \
    NUMBERS(X, of, sin, "2x3x1x4:FLOAT16")                                     \
    X(of, BOTH, kCacheRef, &dtypes_int8, .sample = "2x5x1x4:INT8")             \
    X(of, BOTH, vCacheRef, &dtypes_int8, .sample = "2x5x1x4:INT8")             \
    X(of, IN, indices, &dtypes_int32, .sample = "2:INT32")                     \
    X(of, IN, scaleK, &dtypes_fp32, .sample = "1x4:FLOAT")                     \
    X(of, IN, scaleV, &dtypes_fp32, .sample = "1x4:FLOAT")                     \
    MAYBE(X, of, offsetKOptional, &dtypes_fp32_fp16_bf16_int32)                \
    MAYBE(X, of, offsetVOptional, &dtypes_fp32_fp16_bf16_int32)                \
    MAYBE(X, of, weightScaleOptional, &dtypes_fp32)                            \
    MAYBE(X, of, activationScaleOptional, &dtypes_fp32)                        \
    MAYBE(X, of, biasOptional, &dtypes_fp32_fp16_bf16_int32)                   \
    X(of, INTS, sizeSplits, .sample = "8,4,4")                                 \
    X(of, TEXT, quantModeOptional, .is_optional = true, .usual = "static")     \
    X(of, TEXT, layoutOptional, .is_optional = true, .usual = "BSND")          \
    X(of, BOOL, kvOutput, .usual = "true")                                     \
    X(of, TEXT, cacheModeOptional, .is_optional = true, .usual = "contiguous") \
    RESULT(X, of, qOut)                                                        \
    RESULT(X, of, kOut)                                                        \
    RESULT(X, of, vOut)
SIGNATURE(DEQUANT)

enum { QUERY, KEY, VALUE, PARTS };

struct dequant {
    uint64_t tokens, batch_tokens, width, depth, heads[PARTS], first[PARTS]; /* first: element of a part */
    bool is_int32, by_pages;
    uint64_t outputs;
    struct slots slots;
};

static aclnnStatus check_count(const struct call *call, unsigned parameter, uint64_t count)
{
    const struct tensor_view *view = &call->tensor[parameter];
    return !call_has_elements(call, parameter) || (uint64_t)view->count == count
               ? ACLNN_SUCCESS
               : refuse(call, "%s has shape %s; %" PRIu64 " numbers are expected", call_name(call, parameter),
                        shape_text(TEXT, view), count);
}

static aclnnStatus read_splits(const struct call *call, struct dequant *dequant)
{
    const struct tensor_view *x = &call->tensor[DEQUANT_x], *cache = &call->tensor[DEQUANT_kCacheRef];
    const struct call_values *splits = &call->values[DEQUANT_sizeSplits];
    if ((x->rank != 2 && x->rank != 3) || cache->rank != 4 || cache->shape[3] < 2 || cache->shape[3] % 2 != 0)
        return refuse(call,
                      "x has shape %s and kCacheRef %s; rank 2 or 3, and rank 4 with an even number of "
                      "elements are expected",
                      shape_text(TEXT, x), shape_text(TEXT, cache));
    const int64_t depth = cache->shape[3];
    int64_t sum = 0;
    bool fits = splits->count == PARTS;
    for (unsigned i = 0; fits && i < PARTS; i++) {
        const int64_t size = splits->value.int64[i];
        fits = size >= 0 && size <= x->shape[x->rank - 1] - sum && size % depth == 0 &&
               (i == QUERY || size == cache->shape[2] * depth);
        if (fits) {
            dequant->first[i] = (uint64_t)sum;
            dequant->heads[i] = (uint64_t)(size / depth);
            sum += size;
        }
    }
    if (!fits || sum != x->shape[x->rank - 1])
        return refuse(
            call,
            "sizeSplits do not fit x of shape %s and kCacheRef of shape %s; three sizes, of whole heads, "
            "the last two as many as the cache has, and x in all are expected",
            shape_text(TEXT, x), shape_text(TEXT, cache));
    dequant->depth = (uint64_t)depth;
    dequant->width = (uint64_t)sum;
    dequant->batch_tokens = x->rank == 2 ? 1 : (uint64_t)x->shape[1];
    dequant->tokens = (uint64_t)x->shape[0] * dequant->batch_tokens;
    return ACLNN_SUCCESS;
}

static aclnnStatus read_call(const struct call *call, struct dequant *dequant)
{
    static const char *const modes[] = {"contiguous", "page", NULL}, *const quantised[] = {"static", NULL},
                             *const layouts[] = {"BSND", NULL};
    const struct tensor_view *cache = &call->tensor[DEQUANT_kCacheRef],
                             *index = &call->tensor[DEQUANT_indices];
    unsigned mode, other;
    *dequant =
        (struct dequant){.is_int32 = call_dtype(call, DEQUANT_x) == ACL_INT32, .outputs = DEQUANT_qOut};
    for (unsigned i = DEQUANT_x; i <= DEQUANT_biasOptional; i++)
        if (call_has(call, i))
            TRY(check_dtype(call, i));
    TRY(check_same_dtype(call, DEQUANT_sin, DEQUANT_cos, NULL));
    if (!dequant->is_int32)
        TRY(check_same_dtype(call, DEQUANT_cos, DEQUANT_x, NULL));
    for (unsigned i = DEQUANT_weightScaleOptional; i <= DEQUANT_biasOptional; i++)
        if (!dequant->is_int32 && call_has_elements(call, i))
            return refuse(call, "%s was given and x has dtype %s; none is expected but of INT32",
                          call_name(call, i), dtype_name(call_dtype(call, DEQUANT_x)));
    if (dequant->is_int32 && !call_has_elements(call, DEQUANT_weightScaleOptional))
        return refuse(call, "weightScaleOptional was not given; one is expected of INT32");
    TRY(read_splits(call, dequant));
    TRY(slots_mode(call, DEQUANT_quantModeOptional, quantised, &other));
    TRY(slots_mode(call, DEQUANT_layoutOptional, layouts, &other));
    TRY(slots_mode(call, DEQUANT_cacheModeOptional, modes, &mode));
    for (unsigned i = DEQUANT_cos; i <= DEQUANT_sin; i++) {
        const struct tensor_view *view = &call->tensor[i];
        if ((uint64_t)view->count != dequant->tokens * dequant->depth || view->rank < 1 ||
            (uint64_t)view->shape[view->rank - 1] != dequant->depth)
            return refuse(call, "%s has shape %s; %" PRIu64 " elements of each token are expected",
                          call_name(call, i), shape_text(TEXT, view), dequant->depth);
    }
    const uint64_t numbers = dequant->heads[KEY] * dequant->depth;
    for (unsigned i = DEQUANT_scaleK; i <= DEQUANT_offsetVOptional; i++) {
        if (i <= DEQUANT_scaleV && (uint64_t)call->tensor[i].count != numbers)
            return refuse(call, "%s has shape %s; %" PRIu64 " numbers are expected", call_name(call, i),
                          shape_text(TEXT, &call->tensor[i]), numbers);
        TRY(check_count(call, i, numbers));
    }
    TRY(check_count(call, DEQUANT_weightScaleOptional, dequant->width));
    TRY(check_count(call, DEQUANT_activationScaleOptional, dequant->tokens));
    TRY(check_count(call, DEQUANT_biasOptional, dequant->width));
    const struct tensor_view *values = &call->tensor[DEQUANT_vCacheRef];
    if (values->rank != 4 || values->shape[0] != cache->shape[0] || values->shape[1] != cache->shape[1] ||
        values->shape[2] != cache->shape[2] || values->shape[3] != cache->shape[3])
        return refuse(call, "vCacheRef has shape %s; that of kCacheRef is expected",
                      shape_text(TEXT, values));
    dequant->by_pages = mode == 1;
    const uint64_t indices = dequant->by_pages            ? dequant->tokens
                             : dequant->batch_tokens == 0 ? 0
                                                          : dequant->tokens / dequant->batch_tokens;
    if (index->rank != 1 || ((uint64_t)index->shape[0] != indices && dequant->tokens > 0) ||
        (!dequant->by_pages && (uint64_t)cache->shape[0] < indices))
        return refuse(call,
                      "indices has shape %s and kCacheRef %s; %" PRIu64 " numbers, and as many batches of "
                      "a contiguous cache are expected",
                      shape_text(TEXT, index), shape_text(TEXT, cache), indices);
    if (numbers == 0) {
        dequant->slots = (struct slots){.rows = 1, .width = 1, .tile = 1};
        return ACLNN_SUCCESS;
    }
    return slots_of(call, DEQUANT_kCacheRef, (int64_t)numbers, false, &dequant->slots);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct dequant dequant;
    TRY(read_call(call, &dequant));
    const struct tensor_view *x = &call->tensor[DEQUANT_x];
    result->computed = call_dtype(call, DEQUANT_cos);
    slots_kept(result, call, DEQUANT_kCacheRef);
    slots_kept(result, call, DEQUANT_vCacheRef);
    for (unsigned i = QUERY; i < PARTS; i++) {
        int64_t dim[4] = {x->shape[0], x->shape[1]};
        dim[x->rank - 1] = (int64_t)dequant.heads[i];
        dim[x->rank] = (int64_t)dequant.depth;
        slots_output(result, result->computed, x->rank + 1, dim)->is_unwanted =
            i != QUERY && !call->argument[DEQUANT_kvOutput].boolean;
    }
    return ACLNN_SUCCESS;
}

static int64_t slot_of_token(const struct task *task, uint64_t token)
{
    const struct dequant *dequant = task->parameters;
    if (dequant->by_pages)
        return task_integer(task, DEQUANT_indices, token);
    const uint64_t batch = token / dequant->batch_tokens;
    const int64_t first = task_integer(task, DEQUANT_indices, batch),
                  row = first + (int64_t)(token % dequant->batch_tokens), rows = (int64_t)dequant->slots.rows;
    return first < 0 ? first : row >= rows ? INT64_MAX : (int64_t)batch * rows + row;
}

static int start(struct task *task)
{
    const struct dequant *dequant = task->parameters;
    return dequant->heads[KEY] == 0
               ? 0
               : slots_check(task, &dequant->slots, dequant->tokens, "indices", slot_of_token);
}

/* What a product of INT8 left, in numbers. */
static void dequantise(const struct task *task, uint64_t token, double *row, double *other)
{
    const struct dequant *dequant = task->parameters;
    const uint64_t width = dequant->width;
    const double own = task_has(task, DEQUANT_activationScaleOptional)
                           ? task_number(task, DEQUANT_activationScaleOptional, token)
                           : 1;
    const bool has_bias = task_has(task, DEQUANT_biasOptional),
               is_before = has_bias && task_dtype(task, DEQUANT_biasOptional) == ACL_INT32;
    if (has_bias)
        task_read(task, DEQUANT_biasOptional, 0, width, other);
    for (uint64_t e = 0; is_before && e < width; e++)
        row[e] += other[e];
    for (uint64_t e = 0; e < width; e++)
        row[e] *= task_number(task, DEQUANT_weightScaleOptional, e) * own;
    for (uint64_t e = 0; has_bias && !is_before && e < width; e++)
        row[e] += other[e];
}

static void store(const struct task *task, unsigned part, int64_t slot, const double *row, double *other)
{
    const struct dequant *dequant = task->parameters;
    const unsigned scale = DEQUANT_scaleK + (part == VALUE),
                   offset = DEQUANT_offsetKOptional + (part == VALUE);
    const uint64_t width = dequant->heads[part] * dequant->depth;
    for (uint64_t e = 0; e < width; e++)
        other[e] = task_int8(row[e] / task_number(task, scale, e) +
                             (task_has(task, offset) ? task_number(task, offset, e) : 0));
    slots_write(task, DEQUANT_kCacheRef + (part == VALUE), &dequant->slots, (uint64_t)slot, other);
}

static void take_token(const struct task *task, uint64_t token)
{
    const struct dequant *dequant = task->parameters;
    const uint64_t depth = dequant->depth;
    double *row = task->room, *other = row + dequant->width, *cosine = other + dequant->width,
           *sine = cosine + depth, *turned = sine + depth;
    const int64_t slot = dequant->heads[KEY] == 0 ? -1 : slot_of_token(task, token);
    task_read(task, DEQUANT_x, token * dequant->width, dequant->width, row);
    task_read(task, DEQUANT_cos, token * depth, depth, cosine);
    task_read(task, DEQUANT_sin, token * depth, depth, sine);
    if (dequant->is_int32)
        dequantise(task, token, row, other);
    for (unsigned i = QUERY; i < PARTS; i++) {
        double *part = row + dequant->first[i];
        const uint64_t width = dequant->heads[i] * depth;
        for (uint64_t head = 0; i != VALUE && head < dequant->heads[i]; head++) {
            task->maths->turn_halves(part + head * depth, cosine, sine, depth / 2, turned);
            for (uint64_t e = 0; e < depth; e++)
                part[head * depth + e] = turned[e];
        }
        if (task_has(task, (unsigned)dequant->outputs + i))
            task_write(task, (unsigned)dequant->outputs + i, token * width, width, part);
        if (i != QUERY && slot >= 0)
            store(task, i, slot, part, other);
    }
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct dequant dequant;
    (void)result;
    TRY(read_call(call, &dequant));
    return row_tasks_plan(call,
                          &(struct row_tasks_request){.body = take_token,
                                                      .start = start,
                                                      .count = dequant.tokens,
                                                      .task_ns = dequant.width * ELEMENT_PS / 1000 + 500,
                                                      .room = 2 * dequant.width + 3 * dequant.depth,
                                                      .shared_bytes = slots_bytes(&dequant.slots),
                                                      .parameters = &dequant,
                                                      .parameter_bytes = sizeof dequant});
}

FUNCTION_OF(aclnnDequantRopeQuantKvcache, DEQUANT, .stem = "dequant_rope_quant_kvcache",
            .family = FAMILY_CACHE, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan);
