/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Keys and values of tokens to their slots of caches, and from there: rows are copied as bits.
 */
#include "aclnnop/aclnn_scatter_pa_kv_cache.h"
#include "aclnnop/aclnn_scatter_pa_cache.h"
#include "aclnnop/aclnn_gather_pa_kv_cache.h"

#include <inttypes.h>
#include <string.h>

#include "ops/cache/slots.h"
#include "ops/sizes.h"
#include "runtime/streams/fault.h"

enum { ROW_NS = 30 };

#define CACHED(X, of, kind, name, sample_) \
    X(of, kind, name, &dtypes_fp32_fp16_bf16_int8_int16_int32_uint8_uint16_uint32_float8, .sample = sample_)
#define COMPRESSION(X, of)                                                               \
    X(of, IN, compressLensOptional, &dtypes_all, .is_optional = true, .sample = "")      \
    X(of, IN, compressSeqOffsetOptional, &dtypes_all, .is_optional = true, .sample = "") \
    X(of, IN, seqLensOptional, &dtypes_all, .is_optional = true, .sample = "")

#define SCATTER(X, of)                                                     \
    CACHED(X, of, IN, key, "2x1x8")                                        \
    CACHED(X, of, BOTH, keyCacheRef, "2x2x1x8")                            \
    X(of, IN, slotMapping, &dtypes_int32_int64, .sample = "2:INT32")       \
    CACHED(X, of, IN, value, "2x1x8")                                      \
    CACHED(X, of, BOTH, valueCacheRef, "2x2x1x8")                          \
    COMPRESSION(X, of)                                                     \
    X(of, TEXT, cacheModeOptional, .is_optional = true, .usual = "Norm")   \
    X(of, TEXT, scatterModeOptional, .is_optional = true, .usual = "None") \
    X(of, INTS, stridesOptional, .is_optional = true, .sample = "")        \
    X(of, INTS, offsetsOptional, .is_optional = true, .sample = "")
SIGNATURE(SCATTER)

#define SCATTER_ONE(X, of)                                           \
    CACHED(X, of, IN, key, "2x1x8")                                  \
    CACHED(X, of, BOTH, keyCacheRef, "2x2x1x8")                      \
    X(of, IN, slotMapping, &dtypes_int32_int64, .sample = "2:INT32") \
    COMPRESSION(X, of)                                               \
    X(of, TEXT, cacheMode, .is_optional = true, .usual = "Norm")
SIGNATURE(SCATTER_ONE)

/* Where both have their first three, and their mode. */
enum { KEY = SCATTER_key, KEY_CACHE, SLOT_MAPPING };
_Static_assert((int)SCATTER_slotMapping == (int)SCATTER_ONE_slotMapping, "both begin alike");

static const char *const layouts[] = {"Norm", "PA_NZ", NULL};

struct scatter {
    struct slots slots[2]; /* of keys, and of values */
    unsigned caches;
    uint64_t tokens;
};

static bool has_values(const struct call *call)
{
    return call->function->parameter_count == SCATTER_offsetsOptional + 1;
}

static aclnnStatus check_row(const struct call *call, unsigned parameter)
{
    const struct tensor_view *key = &call->tensor[KEY], *view = &call->tensor[parameter];
    TRY(check_dtype(call, parameter));
    TRY(check_dtype(call, parameter + 1));
    TRY(check_same_dtype(call, parameter + 1, parameter, NULL));
    return view->rank == 3 && view->shape[0] == key->shape[0] && view->shape[1] == key->shape[1]
               ? ACLNN_SUCCESS
               : refuse(
                     call,
                     "%s has shape %s; tokens, heads and elements of a head, of the tokens and heads of key, "
                     "are expected",
                     call_name(call, parameter), shape_text(TEXT, view));
}

static aclnnStatus check_ones(const struct call *call, unsigned parameter, int64_t number)
{
    const struct call_values *values = &call->values[parameter];
    for (uint64_t i = 0; call_has(call, parameter) && i < values->count; i++)
        if (values->value.int64[i] != number)
            return refuse(call, "%s has %" PRId64 "; %" PRId64 " is expected", call_name(call, parameter),
                          values->value.int64[i], number);
    return ACLNN_SUCCESS;
}

static aclnnStatus read_scatter(const struct call *call, struct scatter *scatter)
{
    static const char *const ways[] = {"None", "Nct", NULL};
    const struct tensor_view *index = &call->tensor[SLOT_MAPPING];
    const unsigned compression =
        has_values(call) ? SCATTER_compressLensOptional : SCATTER_ONE_compressLensOptional;
    unsigned layout, way;
    scatter->caches = has_values(call) ? 2 : 1;
    TRY(check_row(call, KEY));
    TRY(check_dtype(call, SLOT_MAPPING));
    if (has_values(call))
        TRY(check_row(call, SCATTER_value));
    for (unsigned i = 0; i < 3; i++)
        if (call_has_elements(call, compression + i))
            return refuse(call, "%s was given; rows that are not compressed are expected",
                          call_name(call, compression + i));
    scatter->tokens = (uint64_t)call->tensor[KEY].shape[0];
    if (index->rank != 1 || index->shape[0] != call->tensor[KEY].shape[0])
        return refuse(call, "slotMapping has shape %s; a slot for each of %" PRIu64 " tokens is expected",
                      shape_text(TEXT, index), scatter->tokens);
    TRY(slots_mode(call, compression + 3, layouts, &layout));
    if (has_values(call)) {
        TRY(slots_mode(call, SCATTER_scatterModeOptional, ways, &way));
        TRY(check_ones(call, SCATTER_stridesOptional, 1));
        TRY(check_ones(call, SCATTER_offsetsOptional, 0));
    }
    for (unsigned i = 0; i < scatter->caches; i++) {
        const unsigned row = i == 0 ? (unsigned)KEY : (unsigned)SCATTER_value;
        TRY(slots_of(call, row + 1, call->tensor[row].shape[1] * call->tensor[row].shape[2], layout == 1,
                     &scatter->slots[i]));
    }
    if (scatter->caches == 2 && slots_count(&scatter->slots[0]) != slots_count(&scatter->slots[1]))
        return refuse(call, "valueCacheRef has shape %s; the slots of keyCacheRef are expected",
                      shape_text(TEXT, &call->tensor[SCATTER_valueCacheRef]));
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_scatter(const struct call *call, struct result *result)
{
    struct scatter scatter;
    TRY(read_scatter(call, &scatter));
    result->computed = call_dtype(call, KEY);
    slots_kept(result, call, KEY_CACHE);
    if (has_values(call))
        slots_kept(result, call, SCATTER_valueCacheRef);
    return ACLNN_SUCCESS;
}

static int64_t slot_of_token(const struct task *task, uint64_t number)
{
    return task_integer(task, SLOT_MAPPING, number);
}

static int start_scatter(struct task *task)
{
    const struct scatter *scatter = task->parameters;
    return slots_check(task, &scatter->slots[0], scatter->tokens, "slotMapping", slot_of_token);
}

static void scatter_token(const struct task *task, uint64_t number)
{
    const struct scatter *scatter = task->parameters;
    const int64_t slot = slot_of_token(task, number);
    for (unsigned i = 0; slot >= 0 && i < scatter->caches; i++) {
        const unsigned row = i == 0 ? (unsigned)KEY : (unsigned)SCATTER_value;
        slots_store(task, row + 1, &scatter->slots[i], (uint64_t)slot, row, number * scatter->slots[i].width);
    }
}

static aclnnStatus plan_scatter(const struct call *call, const struct result *result)
{
    struct scatter scatter;
    (void)result;
    TRY(read_scatter(call, &scatter));
    return row_tasks_plan(call, &(struct row_tasks_request){.body = scatter_token,
                                                            .start = start_scatter,
                                                            .count = scatter.tokens,
                                                            .task_ns = ROW_NS + scatter.slots[0].width / 8,
                                                            .shared_bytes = slots_bytes(&scatter.slots[0]),
                                                            .parameters = &scatter,
                                                            .parameter_bytes = sizeof scatter});
}

#define CACHES_BITS .family = FAMILY_CACHE, .promise = &promise_exact, ROW_TASKS
FUNCTION_OF(aclnnScatterPaKvCache, SCATTER, .stem = "scatter_pa_kv_cache", CACHES_BITS,
            .infer = infer_scatter, .plan = plan_scatter);
FUNCTION_OF(aclnnScatterPaCache, SCATTER_ONE, .stem = "scatter_pa_cache", CACHES_BITS, .infer = infer_scatter,
            .plan = plan_scatter);

/* From the slots: the rows of each sequence, by its blocks. */
#define GATHER(X, of)                                                                           \
    CACHED(X, of, IN, keyCache, "2x2x1x8")                                                      \
    CACHED(X, of, IN, valueCache, "2x2x1x8")                                                    \
    X(of, IN, blockTables, &dtypes_int32, .sample = "2x2:INT32")                                \
    X(of, IN, seqLens, &dtypes_int32_int64, .sample = "2:INT32")                                \
    CACHED(X, of, BOTH, keyRef, "4x1x8")                                                        \
    CACHED(X, of, BOTH, valueRef, "4x1x8")                                                      \
    X(of, IN, seqOffsetOptional, &dtypes_int32_int64, .is_optional = true, .sample = "2:INT32") \
    X(of, TEXT, cacheMode, .is_optional = true, .usual = "Norm")                                \
    X(of, BOOL, isSeqLensCumsum, .usual = "false")
SIGNATURE(GATHER)

struct gather {
    struct slots slots[2];
    uint64_t sequences, rows, columns; /* rows: what there is room for */
    bool is_cumulated;
};

static aclnnStatus read_gather(const struct call *call, struct gather *gather)
{
    const struct tensor_view *table = &call->tensor[GATHER_blockTables],
                             *lengths = &call->tensor[GATHER_seqLens],
                             *offset = &call->tensor[GATHER_seqOffsetOptional];
    unsigned layout;
    for (unsigned i = GATHER_keyCache; i <= GATHER_seqOffsetOptional; i++)
        if (call_has(call, i))
            TRY(check_dtype(call, i));
    TRY(check_same_dtype(call, GATHER_keyRef, GATHER_keyCache, NULL));
    TRY(check_same_dtype(call, GATHER_valueRef, GATHER_valueCache, NULL));
    TRY(slots_mode(call, GATHER_cacheMode, layouts, &layout));
    gather->is_cumulated = call->argument[GATHER_isSeqLensCumsum].boolean;
    if (table->rank != 2)
        return refuse(call, "blockTables has shape %s; sequences and blocks are expected",
                      shape_text(TEXT, table));
    const int64_t count = table->shape[0] + gather->is_cumulated;
    if (lengths->rank != 1 || lengths->shape[0] != count)
        return refuse(call, "seqLens has shape %s; %" PRId64 " numbers are expected",
                      shape_text(TEXT, lengths), count);
    if (call_has(call, GATHER_seqOffsetOptional) && offset->count > 0 &&
        (offset->rank != 1 || offset->shape[0] != table->shape[0]))
        return refuse(
            call, "seqOffsetOptional has shape %s; a number for each of %" PRId64 " sequences is expected",
            shape_text(TEXT, offset), table->shape[0]);
    for (unsigned i = 0; i < 2; i++) {
        const struct tensor_view *rows = &call->tensor[GATHER_keyRef + i],
                                 *keys = &call->tensor[GATHER_keyRef];
        if (rows->rank < 2 || rows->shape[0] != keys->shape[0])
            return refuse(call, "%s has shape %s; as many rows as keyRef has are expected",
                          call_name(call, GATHER_keyRef + i), shape_text(TEXT, rows));
        int64_t width = 1;
        for (uint32_t k = 1; k < rows->rank; k++)
            width *= rows->shape[k];
        TRY(slots_of(call, GATHER_keyCache + i, width, layout == 1, &gather->slots[i]));
    }
    if (gather->slots[0].rows != gather->slots[1].rows || gather->slots[0].blocks != gather->slots[1].blocks)
        return refuse(call, "valueCache has shape %s; the blocks of keyCache are expected",
                      shape_text(TEXT, &call->tensor[GATHER_valueCache]));
    gather->sequences = (uint64_t)table->shape[0];
    gather->columns = (uint64_t)table->shape[1];
    gather->rows = (uint64_t)call->tensor[GATHER_keyRef].shape[0];
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_gather(const struct call *call, struct result *result)
{
    struct gather gather;
    TRY(read_gather(call, &gather));
    result->computed = call_dtype(call, GATHER_keyRef);
    slots_kept(result, call, GATHER_keyRef);
    slots_kept(result, call, GATHER_valueRef);
    return ACLNN_SUCCESS;
}

/* Where the rows of each sequence end. */
static int start_gather(struct task *task)
{
    const struct gather *gather = task->parameters;
    int64_t *end = task->shared,
            first = gather->is_cumulated && gather->sequences > 0 ? task_integer(task, GATHER_seqLens, 0) : 0,
            all = 0;
    for (uint64_t b = 0; b < gather->sequences; b++) {
        const int64_t number = task_integer(task, GATHER_seqLens, b + gather->is_cumulated),
                      length = gather->is_cumulated ? number - first : number;
        first = number;
        if (length < 0 || length > (int64_t)gather->rows - all)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "seqLens leads to %" PRId64 " rows of sequence %" PRIu64
                                  "; 0 or more are expected, and %" PRIu64 " at most of all",
                                  length, b, gather->rows);
        end[b] = all += length;
        const int64_t offset =
            task_has(task, GATHER_seqOffsetOptional) ? task_integer(task, GATHER_seqOffsetOptional, b) : 0;
        if (offset < 0)
            return operation_fail(
                ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                "seqOffsetOptional holds %" PRId64 " at [%" PRIu64 "]; 0 or more is expected", offset, b);
    }
    return 0;
}

/* A row of what comes out. */
static void gather_row(const struct task *task, uint64_t number)
{
    const struct gather *gather = task->parameters;
    const int64_t *end = task->shared;
    uint64_t b = 0;
    while (b < gather->sequences && (int64_t)number >= end[b])
        b++;
    if (b == gather->sequences)
        return;
    const uint64_t row = number - (b > 0 ? (uint64_t)end[b - 1] : 0), rows = gather->slots[0].rows;
    const int64_t offset = task_has(task, GATHER_seqOffsetOptional)
                               ? task_integer(task, GATHER_seqOffsetOptional, b) / (int64_t)rows
                               : 0,
                  column = offset + (int64_t)(row / rows);
    const int64_t block =
        column < 0 || column >= (int64_t)gather->columns
            ? -1
            : task_integer(task, GATHER_blockTables, b * gather->columns + (uint64_t)column);
    const bool is_there = block >= 0 && block < (int64_t)gather->slots[0].blocks;
    for (unsigned i = 0; i < 2; i++) {
        const struct slots *slots = &gather->slots[i];
        if (is_there)
            slots_load(task, GATHER_keyCache + i, slots, (uint64_t)block * rows + row % rows,
                       GATHER_keyRef + i, number * slots->width);
        else
            task_clear(task, GATHER_keyRef + i, number * slots->width, slots->width);
    }
}

static aclnnStatus plan_gather(const struct call *call, const struct result *result)
{
    struct gather gather;
    (void)result;
    TRY(read_gather(call, &gather));
    return row_tasks_plan(call,
                          &(struct row_tasks_request){.body = gather_row,
                                                      .start = start_gather,
                                                      .count = gather.rows,
                                                      .task_ns = 2 * ROW_NS + gather.slots[0].width / 8,
                                                      .shared_bytes = gather.sequences * sizeof(int64_t),
                                                      .parameters = &gather,
                                                      .parameter_bytes = sizeof gather});
}

FUNCTION_OF(aclnnGatherPaKvCache, GATHER, .stem = "gather_pa_kv_cache", CACHES_BITS, .infer = infer_gather,
            .plan = plan_gather);
