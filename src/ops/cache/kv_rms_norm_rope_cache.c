/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What latent attention keeps of a token, in one step: its row over the root mean square of its elements, times
 * gamma; the rest of the row turned; both to their slots of caches, maybe as INT8, times a scale. Everything is
 * in doubles, and rounded once.
 */
#include "aclnnop/aclnn_kv_rms_norm_rope_cache.h"
#include "aclnnop/aclnn_kv_rms_norm_rope_cache_v2.h"

#include <inttypes.h>
#include <math.h>

#include "ops/cache/slots.h"

enum { ELEMENT_PS = 4000 };

#define NUMBERS(X, of, name, sample_) X(of, IN, name, &dtypes_fp16_bf16, .sample = sample_)
#define SCALES(X, of, name)           X(of, IN, name, &dtypes_fp32, .is_optional = true, .sample = "")
#define KEPT(X, of, name, sample_)    X(of, BOTH, name, &dtypes_fp16_bf16_int8, .sample = sample_)
#define ROW_OUT(X, of, name)          X(of, OUT, name, &dtypes_fp16_bf16, .is_optional = true)
#define INPUTS_V1(X, of)                                 \
    NUMBERS(X, of, kv, "2x1x1x12:FLOAT16")               \
    NUMBERS(X, of, gamma, "8:FLOAT16")                   \
    NUMBERS(X, of, cos, "2x1x1x4:FLOAT16")               \
    NUMBERS(X, of, sin, "2x1x1x4:FLOAT16")               \
    X(of, IN, index, &dtypes_int64, .sample = "2:INT64") \
    KEPT(X, of, kCacheRef, "2x2x1x4:FLOAT16")            \
    KEPT(X, of, cKvCacheRef, "2x2x1x8:FLOAT16")          \
    SCALES(X, of, kRopeScaleOptional)                    \
    SCALES(X, of, cKvScaleOptional)                      \
    SCALES(X, of, kRopeOffsetOptional)                   \
    SCALES(X, of, cKvOffsetOptional)
#define OPTIONS(X, of)                                                 \
    X(of, DOUBLE, epsilon, .usual = "1e-05")                           \
    X(of, TEXT, cacheModeOptional, .is_optional = true, .usual = "PA") \
    X(of, BOOL, isOutputKv, .usual = "true")                           \
    ROW_OUT(X, of, kRopeOut)                                           \
    ROW_OUT(X, of, cKvOut)
#define KV_V1(X, of) INPUTS_V1(X, of) OPTIONS(X, of)
#define KV_V2(X, of)                                                           \
    INPUTS_V1(X, of)                                                           \
    X(of, IN, vOptional, &dtypes_fp16_bf16, .is_optional = true, .sample = "") \
    OPTIONS(X, of)
SIGNATURE(KV_V1)
SIGNATURE(KV_V2)

enum {
    KV = KV_V1_kv,
    GAMMA,
    COS,
    SIN,
    INDEX,
    K_CACHE,
    V_CACHE,
    K_SCALE,
    V_SCALE,
    K_OFFSET,
    V_OFFSET,
    VALUES
};
enum { NORM, PAGES, PAGES_BY_HEADS, PAGES_IN_TILES, BLOCKS_BY_HEADS, BLOCKS_IN_TILES };
static const char *const modes[] = {"Norm", "PA", "PA_BNSD", "PA_NZ", "PA_BLK_BNSD", "PA_BLK_NZ", NULL};

struct kv {
    double epsilon;
    uint64_t rows, tokens, norm, turned; /* rows: of all batches; norm, turned: elements of each part */
    uint64_t key_width, value_width;     /* of the caches' rows */
    uint64_t per_block, outputs;         /* consecutive rows of an index; the first output's place */
    uint64_t numbers[2][2];              /* of scales and of offsets, of both caches */
    bool is_by_batch, has_values;
    struct slots slots[2];
};

static bool is_v2(const struct call *call)
{
    return call->function->parameter_count == KV_V2_cKvOut + 1;
}

static aclnnStatus check_cache(const struct call *call, struct kv *kv, unsigned i, bool has_tiles)
{
    const unsigned cache = K_CACHE + i, scale = K_SCALE + i, offset = K_OFFSET + i;
    const int64_t width = (int64_t)(i == 0 ? kv->key_width : kv->value_width);
    TRY(check_dtype(call, cache));
    TRY(slots_check_scale(call, cache, KV, scale));
    TRY(slots_of(call, cache, width, has_tiles, &kv->slots[i]));
    for (unsigned p = scale; p <= offset; p += offset - scale)
        if (call_has(call, p)) {
            TRY(check_dtype(call, p));
            kv->numbers[i][p == offset] = (uint64_t)call->tensor[p].count;
            if (call->tensor[p].count != width && call->tensor[p].count != 1)
                return refuse(call, "%s has shape %s; %" PRId64 " numbers or one are expected",
                              call_name(call, p), shape_text(TEXT, &call->tensor[p]), width);
        }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_shapes(const struct call *call, struct kv *kv)
{
    const struct tensor_view *row = &call->tensor[KV], *gamma = &call->tensor[GAMMA];
    if (row->rank != 4 || row->shape[1] != 1)
        return refuse(call, "kv has shape %s; batches, 1, rows and elements are expected",
                      shape_text(TEXT, row));
    if (gamma->rank != 1 || gamma->count < 1)
        return refuse(call, "gamma has shape %s; one dim is expected", shape_text(TEXT, gamma));
    for (unsigned i = COS; i <= SIN; i++)
        if (call->tensor[i].rank != 4 || call->tensor[i].shape[0] != row->shape[0] ||
            call->tensor[i].shape[1] != 1 || call->tensor[i].shape[2] != row->shape[2] ||
            call->tensor[i].shape[3] != call->tensor[COS].shape[3] || call->tensor[i].shape[3] % 2 != 0 ||
            call->tensor[i].shape[3] == 0)
            return refuse(call,
                          "%s has shape %s; batches, 1, rows and an even number of elements are expected",
                          call_name(call, i), shape_text(TEXT, &call->tensor[i]));
    kv->norm = (uint64_t)gamma->count;
    kv->turned = (uint64_t)call->tensor[COS].shape[3];
    kv->tokens = (uint64_t)row->shape[2];
    kv->rows = (uint64_t)row->shape[0] * kv->tokens;
    const struct tensor_view *values = &call->tensor[VALUES];
    kv->has_values = is_v2(call) && call_has(call, VALUES);
    kv->key_width = kv->has_values ? kv->norm : kv->turned;
    kv->value_width =
        kv->has_values && values->rank > 0 ? (uint64_t)values->shape[values->rank - 1] : kv->norm;
    const uint64_t length = kv->has_values ? kv->norm : kv->norm + kv->turned;
    if ((uint64_t)row->shape[3] != length || kv->norm < (kv->has_values ? kv->turned : 1))
        return refuse(call, "kv has shape %s; rows of %" PRIu64 " elements are expected",
                      shape_text(TEXT, row), length);
    if (kv->has_values && (values->rank != 4 || values->shape[0] != row->shape[0] || values->shape[1] != 1 ||
                           values->shape[2] != row->shape[2]))
        return refuse(call, "vOptional has shape %s; the batches and rows of kv are expected",
                      shape_text(TEXT, values));
    return ACLNN_SUCCESS;
}

static aclnnStatus read_call(const struct call *call, struct kv *kv)
{
    const unsigned epsilon = is_v2(call) ? KV_V2_epsilon : KV_V1_epsilon;
    unsigned mode;
    *kv = (struct kv){.epsilon = call->argument[epsilon].fp64, .outputs = epsilon + 3U};
    for (unsigned i = KV; i <= INDEX; i++)
        TRY(check_dtype(call, i));
    for (unsigned i = GAMMA; i <= SIN; i++)
        TRY(check_same_dtype(call, i, KV, NULL));
    if (is_v2(call) && call_has(call, VALUES)) {
        TRY(check_dtype(call, VALUES));
        TRY(check_same_dtype(call, VALUES, KV, NULL));
    }
    TRY(slots_mode(call, epsilon + 1, modes, &mode));
    TRY(check_shapes(call, kv));
    for (unsigned i = 0; i < 2; i++)
        TRY(check_cache(call, kv, i, mode == PAGES_IN_TILES || mode == BLOCKS_IN_TILES));
    if (kv->slots[0].blocks != kv->slots[1].blocks || kv->slots[0].rows != kv->slots[1].rows)
        return refuse(call, "cKvCacheRef has shape %s; the slots of kCacheRef are expected",
                      shape_text(TEXT, &call->tensor[V_CACHE]));
    const uint64_t batches = kv->tokens == 0 ? 0 : kv->rows / kv->tokens;
    kv->is_by_batch = mode == NORM;
    kv->per_block = mode >= BLOCKS_BY_HEADS ? kv->slots[0].rows : 1;
    const uint64_t indices =
        batches * ((kv->tokens + kv->per_block - 1) / (kv->per_block > 0 ? kv->per_block : 1));
    if ((uint64_t)call->tensor[INDEX].count != indices || (mode == NORM && kv->slots[0].blocks != batches))
        return refuse(call, "index has shape %s and kCacheRef %s; %" PRIu64 " numbers%s are expected",
                      shape_text(TEXT, &call->tensor[INDEX]), shape_text(TEXT, &call->tensor[K_CACHE]),
                      indices, mode == NORM ? ", and a part of the cache for each batch," : "");
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct kv kv;
    TRY(read_call(call, &kv));
    const struct tensor_view *row = &call->tensor[KV];
    result->computed = row->dtype;
    slots_kept(result, call, K_CACHE);
    slots_kept(result, call, V_CACHE);
    for (unsigned i = 0; i < 2; i++) {
        const int64_t dim[] = {row->shape[0], 1, row->shape[2],
                               (int64_t)(i == 0 ? kv.key_width : kv.value_width)};
        slots_output(result, row->dtype, 4, dim)->is_unwanted =
            !call->argument[kv.outputs - 1].boolean ||
            (call->has_outputs && !call_has(call, (unsigned)kv.outputs + i));
    }
    return ACLNN_SUCCESS;
}

static int64_t slot_of_row(const struct task *task, uint64_t number)
{
    const struct kv *kv = task->parameters;
    const uint64_t batch = number / kv->tokens, token = number % kv->tokens;
    const uint64_t per_batch = (kv->tokens + kv->per_block - 1) / kv->per_block;
    const int64_t slot = task_integer(task, INDEX, batch * per_batch + token / kv->per_block);
    if (slot < 0 || !kv->is_by_batch)
        return slot < 0 ? slot : slot + (int64_t)(token % kv->per_block);
    const int64_t rows = (int64_t)kv->slots[0].rows;
    return slot >= rows ? INT64_MAX : (int64_t)batch * rows + slot;
}

static int start(struct task *task)
{
    const struct kv *kv = task->parameters;
    return slots_check(task, &kv->slots[0], kv->rows, "index", slot_of_row);
}

/* The scale multiplies; one number stands for all. */
static void quantise(const struct task *task, unsigned i, double *row)
{
    const struct kv *kv = task->parameters;
    const bool has_offset = task_has(task, K_OFFSET + i);
    const uint64_t width = kv->slots[i].width, scales = kv->numbers[i][0], offsets = kv->numbers[i][1];
    for (uint64_t k = 0; k < width; k++) {
        const double offset = has_offset ? task_number(task, K_OFFSET + i, offsets == 1 ? 0 : k) : 0;
        row[k] = task_int8(row[k] * task_number(task, K_SCALE + i, scales == 1 ? 0 : k) + offset);
    }
}

static void store(const struct task *task, unsigned i, uint64_t number, int64_t slot, double *row)
{
    const struct kv *kv = task->parameters;
    const struct slots *slots = &kv->slots[i];
    if (task_has(task, (unsigned)kv->outputs + i))
        task_write(task, (unsigned)kv->outputs + i, number * slots->width, slots->width, row);
    if (slot < 0)
        return;
    if (task_has(task, K_SCALE + i))
        quantise(task, i, row);
    slots_write(task, K_CACHE + i, slots, (uint64_t)slot, row);
}

static void take_row(const struct task *task, uint64_t number)
{
    const struct kv *kv = task->parameters;
    const uint64_t length = kv->has_values ? kv->norm : kv->norm + kv->turned;
    double *row = task->room, *gamma = row + length, *cosine = gamma + kv->norm, *sine = cosine + kv->turned,
           *key = sine + kv->turned, *value = key + kv->key_width;
    const int64_t slot = slot_of_row(task, number);
    task_read(task, KV, number * length, length, row);
    task_read(task, GAMMA, 0, kv->norm, gamma);
    task_read(task, COS, number * kv->turned, kv->turned, cosine);
    task_read(task, SIN, number * kv->turned, kv->turned, sine);
    const double mean = task->maths->dot(row, row, kv->norm) / (double)kv->norm,
                 root = sqrt(mean + kv->epsilon);
    for (uint64_t k = 0; k < kv->norm; k++)
        row[k] = row[k] / root * gamma[k];
    turn_pairs_to_halves(kv->has_values ? row : row + kv->norm, cosine, sine, kv->turned, key);
    for (uint64_t k = kv->turned; k < kv->key_width; k++)
        key[k] = row[k];
    if (kv->has_values)
        task_read(task, VALUES, number * kv->value_width, kv->value_width, value);
    else
        value = row;
    store(task, 0, number, slot, key);
    store(task, 1, number, slot, value);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct kv kv;
    (void)result;
    TRY(read_call(call, &kv));
    const uint64_t room = 2 * kv.norm + 4 * kv.turned + kv.key_width + kv.value_width;
    return row_tasks_plan(call, &(struct row_tasks_request){.body = take_row,
                                                            .start = start,
                                                            .count = kv.rows,
                                                            .task_ns = room * ELEMENT_PS / 1000,
                                                            .room = room,
                                                            .shared_bytes = slots_bytes(&kv.slots[0]),
                                                            .parameters = &kv,
                                                            .parameter_bytes = sizeof kv});
}

#define STEP .family = FAMILY_CACHE, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan
FUNCTION_OF(aclnnKvRmsNormRopeCache, KV_V1, .stem = "kv_rms_norm_rope_cache", STEP);
FUNCTION_OF(aclnnKvRmsNormRopeCacheV2, KV_V2, .stem = "kv_rms_norm_rope_cache_v2", STEP);
