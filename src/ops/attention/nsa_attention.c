/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention over compressed keys, and which blocks of keys have the most of it; and attention of one row for each
 * sequence over the blocks that were chosen, in pages that a table names. In doubles.
 */
#include "aclnnop/aclnn_nsa_compress_attention.h"
#include "aclnnop/aclnn_nsa_compress_attention_infer.h"
#include "aclnnop/aclnn_nsa_selected_attention_infer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ops/attention/attention.h"
#include "ops/attention/nsa_attention.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { ELEMENT_PS = 700 };

#define ROWS(X, of, name, sample_) \
    X(of, IN, name, &dtypes_fp16_bf16, .sample = sample_, .is_partly_read = true)
#define MASK(X, of, name, sample_) \
    X(of, IN, name, &dtypes_bool, .is_optional = true, .sample = sample_, .is_partly_read = true)
#define NUMBER(X, of, name, usual_) X(of, INT64, name, .usual = usual_)
#define SELECT(X, of)               NUMBER(X, of, selectBlockSize, "2") NUMBER(X, of, selectBlockCount, "2")
#define WINDOW(X, of)               NUMBER(X, of, compressBlockSize, "2") NUMBER(X, of, compressStride, "1")
#define TRAINED(X, of)                            \
    ROWS(X, of, query, "3x2x4:FLOAT16")           \
    ROWS(X, of, key, "4x1x4:FLOAT16")             \
    ROWS(X, of, value, "4x1x4:FLOAT16")           \
    MASK(X, of, attenMaskOptional, "3x4:BOOL")    \
    MASK(X, of, topkMaskOptional, "3x4:BOOL")     \
    X(of, INTS, actualSeqQLen, .sample = "3")     \
    X(of, INTS, actualCmpSeqKvLen, .sample = "4") \
    X(of, INTS, actualSelSeqKvLen, .sample = "2") \
    X(of, DOUBLE, scaleValue, .usual = "1")       \
    NUMBER(X, of, headNum, "2")                   \
    X(of, TEXT, inputLayout, .usual = "TND")      \
    NUMBER(X, of, sparseMode, "0")                \
    WINDOW(X, of)                                 \
    SELECT(X, of)                                 \
    X(of, OUT, softmaxMaxOut, &dtypes_fp32)       \
    X(of, OUT, softmaxSumOut, &dtypes_fp32)       \
    X(of, OUT, attentionOut, &dtypes_fp16_bf16) X(of, OUT, topkIndicesOut, &dtypes_int32)
#define PAGED(X, of) \
    ROWS(X, of, query, "2x2x4:FLOAT16") ROWS(X, of, key, "3x4x4:FLOAT16") ROWS(X, of, value, "3x4x4:FLOAT16")
#define TABLE(X, of)                                                                         \
    X(of, IN, blockTableOptional, &dtypes_int32, .is_optional = true, .sample = "2x1:INT32", \
      .is_partly_read = true)
#define OPTIONAL_INTS(X, of, name, sample_) X(of, INTS, name, .is_optional = true, .sample = sample_)
#define HEADS(X, of)                        NUMBER(X, of, numHeads, "2") NUMBER(X, of, numKeyValueHeads, "1")
#define PAGED_COMPRESSED(X, of)                                      \
    PAGED(X, of)                                                     \
    MASK(X, of, attentionMaskOptional, "")                           \
    TABLE(X, of)                                                     \
    OPTIONAL_INTS(X, of, actualQSeqLenOptional, "")                  \
    OPTIONAL_INTS(X, of, actualCmpKvSeqLenOptional, "3,4")           \
    OPTIONAL_INTS(X, of, actualSelKvSeqLenOptional, "")              \
    MASK(X, of, topKMaskOptional, "")                                \
    HEADS(X, of)                                                     \
    SELECT(X, of)                                                    \
    WINDOW(X, of)                                                    \
    X(of, DOUBLE, scaleValue, .usual = "1")                          \
    X(of, TEXT, layoutOptional, .is_optional = true, .usual = "TND") \
    NUMBER(X, of, pageBlockSize, "4")                                \
    NUMBER(X, of, sparseMode, "0") X(of, OUT, output, &dtypes_fp16_bf16) X(of, OUT, topKOutput, &dtypes_int32)
#define PAGED_SELECTED(X, of)                                                              \
    PAGED(X, of)                                                                           \
    X(of, IN, topkIndices, &dtypes_int32, .sample = "2x1x2:INT32", .is_partly_read = true) \
    MASK(X, of, attenMaskOptional, "")                                                     \
    TABLE(X, of)                                                                           \
    OPTIONAL_INTS(X, of, actualQSeqLenOptional, "")                                        \
    OPTIONAL_INTS(X, of, actualKvSeqLenOptional, "3,4")                                    \
    X(of, TEXT, layoutOptional, .is_optional = true, .usual = "TND")                       \
    HEADS(X, of)                                                                           \
    SELECT(X, of)                                                                          \
    NUMBER(X, of, pageBlockSize, "4")                                                      \
    X(of, DOUBLE, scaleValue, .usual = "1")                                                \
    NUMBER(X, of, sparseMode, "0") X(of, OUT, output, &dtypes_fp16_bf16)
SIGNATURE(TRAINED)
SIGNATURE(PAGED_COMPRESSED)
SIGNATURE(PAGED_SELECTED)

static const struct nsa_form trained = {.mask = TRAINED_attenMaskOptional,
                                        .chosen_mask = TRAINED_topkMaskOptional,
                                        .lengths = TRAINED_actualSeqQLen,
                                        .key_lengths = TRAINED_actualCmpSeqKvLen,
                                        .block_lengths = TRAINED_actualSelSeqKvLen,
                                        .scale = TRAINED_scaleValue,
                                        .heads = TRAINED_headNum,
                                        .layout = TRAINED_inputLayout,
                                        .window = TRAINED_compressBlockSize,
                                        .block = TRAINED_selectBlockSize,
                                        .maximum = TRAINED_softmaxMaxOut,
                                        .out = TRAINED_attentionOut,
                                        .indices = TRAINED_topkIndicesOut,
                                        .chooses = true};
#define PAGED_FORM(list)                                                                            \
    .table = list##_blockTableOptional, .scale = list##_scaleValue, .heads = list##_numHeads,       \
    .layout = list##_layoutOptional, .block = list##_selectBlockSize, .page = list##_pageBlockSize, \
    .out = list##_output, .has_pages = true
static const struct nsa_form paged_compressed = {PAGED_FORM(PAGED_COMPRESSED),
                                                 .mask = PAGED_COMPRESSED_attentionMaskOptional,
                                                 .chosen_mask = PAGED_COMPRESSED_topKMaskOptional,
                                                 .lengths = PAGED_COMPRESSED_actualQSeqLenOptional,
                                                 .key_lengths = PAGED_COMPRESSED_actualCmpKvSeqLenOptional,
                                                 .block_lengths = PAGED_COMPRESSED_actualSelKvSeqLenOptional,
                                                 .window = PAGED_COMPRESSED_compressBlockSize,
                                                 .indices = PAGED_COMPRESSED_topKOutput,
                                                 .chooses = true};
static const struct nsa_form paged_selected = {
    PAGED_FORM(PAGED_SELECTED), .mask = PAGED_SELECTED_attenMaskOptional,
    .lengths = PAGED_SELECTED_actualQSeqLenOptional, .key_lengths = PAGED_SELECTED_actualKvSeqLenOptional,
    .indices = PAGED_SELECTED_topkIndices};

static aclnnStatus read_mask(const struct call *call, unsigned parameter, uint64_t rows, uint64_t columns,
                             uint64_t *own)
{
    const struct tensor_view *mask = &call->tensor[parameter];
    if (parameter == 0 || !call_has_elements(call, parameter))
        return ACLNN_SUCCESS;
    if (mask->rank != 2 || (uint64_t)mask->shape[0] < rows || (uint64_t)mask->shape[1] < columns)
        return refuse(call, "%s has shape %s; rows for %" PRIu64 " and columns for %" PRIu64 " are expected",
                      call_name(call, parameter), shape_text(TEXT, mask), rows, columns);
    *own = (uint64_t)mask->shape[1];
    return ACLNN_SUCCESS;
}

static bool has_list(const struct call *call, unsigned parameter)
{
    return parameter != 0 && call_has(call, parameter) && call->values[parameter].count > 0;
}

/* The sequences: ends, or with pages one row each and lengths. */
static aclnnStatus read_sequences(const struct call *call, struct nsa *nsa, struct nsa_sequence *sequence)
{
    const struct nsa_form *form = nsa->form;
    struct nsa_sequence before = {0};
    uint64_t most_rows = 0;
    for (uint64_t b = 0; b < nsa->sequences; b++) {
        const int64_t keys = call->values[form->key_lengths].value.int64[b];
        struct nsa_sequence own = {.row = (int64_t)b, .rows = 1, .keys = keys};
        if (!form->has_pages) {
            const int64_t end = call->values[form->lengths].value.int64[b],
                          blocks = call->values[form->block_lengths].value.int64[b];
            own = (struct nsa_sequence){.row = before.row + before.rows, .key = before.key + before.keys};
            own.rows = end - own.row;
            own.keys = keys - own.key;
            own.blocks = blocks - (b > 0 ? call->values[form->block_lengths].value.int64[b - 1] : 0);
        } else if (form->chooses)
            own.blocks = has_list(call, form->block_lengths) && b < call->values[form->block_lengths].count
                             ? call->values[form->block_lengths].value.int64[b]
                         : keys > 0
                             ? (int64_t)(((uint64_t)(keys - 1) + nsa->windows + nsa->parts - 1) / nsa->parts)
                             : 0;
        const uint64_t room = form->has_pages ? nsa->columns * nsa->page : (uint64_t)call->tensor[1].shape[0];
        if (own.rows < 0 || own.keys < 0 || own.blocks < 0 || own.row + own.rows > (int64_t)nsa->rows ||
            (uint64_t)(own.key + own.keys) > room || own.blocks > INT32_MAX)
            return refuse(call,
                          "sequence %" PRIu64 " has %" PRId64 " rows, %" PRId64 " keys and %" PRId64
                          " blocks; rows of query, no more than %" PRIu64 " keys, are expected",
                          b, own.rows, own.keys, own.blocks, room);
        nsa->most_keys = (uint64_t)own.keys > nsa->most_keys ? (uint64_t)own.keys : nsa->most_keys;
        nsa->most_blocks = (uint64_t)own.blocks > nsa->most_blocks ? (uint64_t)own.blocks : nsa->most_blocks;
        most_rows = (uint64_t)own.rows > most_rows ? (uint64_t)own.rows : most_rows;
        if (sequence != NULL)
            sequence[b] = own;
        before = own;
    }
    TRY(read_mask(call, form->mask, most_rows, nsa->most_keys, &nsa->mask_columns));
    return read_mask(call, form->chosen_mask, most_rows, nsa->most_blocks, &nsa->chosen_columns);
}

/* (.., heads, depth) or (.., heads * depth). */
static bool read_row(const struct tensor_view *view, uint32_t before, uint64_t heads, uint64_t *depth)
{
    if (view->rank == before + 1 && heads > 0 && (uint64_t)view->shape[before] % heads == 0) {
        *depth = (uint64_t)view->shape[before] / heads;
        return true;
    }
    *depth = view->rank == before + 2 ? (uint64_t)view->shape[before + 1] : 0;
    return view->rank == before + 2 && (uint64_t)view->shape[before] == heads;
}

static aclnnStatus read_operands(const struct call *call, struct nsa *nsa)
{
    const struct nsa_form *form = nsa->form;
    const struct tensor_view *query = &call->tensor[0], *key = &call->tensor[1], *value = &call->tensor[2];
    const char *text = call->argument[form->layout].string;
    const bool is_packed = text == NULL || *text == 0 || strcmp(text, "TND") == 0,
               is_by_batch = form->has_pages && !is_packed &&
                             (strcmp(text, "BSND") == 0 || (!form->chooses && strcmp(text, "BSH") == 0));
    const int64_t heads = call->argument[form->heads].int64,
                  key_heads = form->has_pages ? call->argument[form->heads + 1].int64
                              : key->rank > 1 ? key->shape[1]
                                              : 0;
    if (!is_packed && !is_by_batch)
        return refuse(call, "%s is \"%s\"; \"TND\"%s is expected", call_name(call, form->layout), text,
                      form->has_pages ? form->chooses ? " or \"BSND\"" : ", \"BSND\" or \"BSH\"" : "");
    if (heads < 1 || key_heads < 1 || heads % key_heads != 0)
        return refuse(call, "there are %" PRId64 " heads, and %" PRId64 " of keys; a multiple is expected",
                      heads, key_heads);
    uint64_t depth = 0, key_depth = 0, wide = 0;
    const uint32_t before = is_packed ? 1 : 2, key_before = form->has_pages ? 2 : 1;
    const bool fits = read_row(query, before, (uint64_t)heads, &depth) &&
                      read_row(key, key_before, (uint64_t)key_heads, &key_depth) &&
                      read_row(value, key_before, (uint64_t)key_heads, &wide) && depth == key_depth &&
                      depth > 0 && key->shape[0] == value->shape[0] &&
                      (!form->has_pages || key->shape[1] == value->shape[1]) &&
                      (is_packed || query->shape[1] == 1);
    if (!fits)
        return refuse(call,
                      "query has shape %s, key %s and value %s; rows of %" PRId64 " heads%s, and of %" PRId64
                      " with as many elements, are expected",
                      shape_text(TEXT, query), shape_text(TEXT, key), shape_text(TEXT, value), heads,
                      is_packed ? "" : ", one for each batch", key_heads);
    nsa->rows = (uint64_t)query->shape[0];
    nsa->heads = (uint64_t)heads;
    nsa->key_heads = (uint64_t)key_heads;
    nsa->group = nsa->heads / nsa->key_heads;
    nsa->over = (struct over_keys){.query = 0,
                                   .key = 1,
                                   .value = 2,
                                   .depth = depth,
                                   .wide = wide,
                                   .scale = call->argument[form->scale].fp64};
    return ACLNN_SUCCESS;
}

static aclnnStatus read_nsa(const struct call *call, struct nsa *nsa, struct nsa_sequence *sequence)
{
    const struct nsa_form *form = call->function->of_family;
    *nsa = (struct nsa){.form = form};
    TRY(check_all_dtypes(call));
    for (unsigned i = 1; i <= 2; i++)
        TRY(check_same_dtype(call, i, 0, NULL));
    TRY(read_operands(call, nsa));
    const int64_t block = call->argument[form->block].int64, count = call->argument[form->block + 1].int64;
    if (block < 1 || count < 1)
        return refuse(
            call, "selectBlockSize is %" PRId64 " and selectBlockCount %" PRId64 "; 1 or more are expected",
            block, count);
    nsa->block = (uint64_t)block;
    nsa->count = (uint64_t)count;
    if (form->chooses) {
        const int64_t size = call->argument[form->window].int64,
                      stride = call->argument[form->window + 1].int64;
        if (stride < 1 || size < stride || size % stride != 0 || block % stride != 0)
            return refuse(call,
                          "compressBlockSize is %" PRId64 ", compressStride %" PRId64
                          " and selectBlockSize %" PRId64 "; multiples of the stride are expected",
                          size, stride, block);
        nsa->parts = (uint64_t)(block / stride);
        nsa->windows = (uint64_t)(size / stride);
    }
    if (!has_list(call, form->key_lengths))
        return refuse(call, "%s is not given; lengths of keys are expected",
                      call_name(call, form->key_lengths));
    nsa->sequences = call->values[form->key_lengths].count;
    if (form->has_pages) {
        const int64_t page = call->argument[form->page].int64;
        if (!call_has_elements(call, form->table))
            return refuse(call, "%s is not given; pages are found by it", call_name(call, form->table));
        if (page != call->tensor[1].shape[1] || page < 1 || nsa->sequences != nsa->rows ||
            call->tensor[form->table].rank != 2 ||
            (uint64_t)call->tensor[form->table].shape[0] != nsa->sequences)
            return refuse(call,
                          "pageBlockSize is %" PRId64 ", blockTable has shape %s, and there are %" PRIu64
                          " lengths of keys; pages of %" PRId64 ", and one of the others for each of %" PRIu64
                          " rows, are expected",
                          page, shape_text(TEXT, &call->tensor[form->table]), nsa->sequences,
                          call->tensor[1].shape[1], nsa->rows);
        nsa->page = (uint64_t)page;
        nsa->pages = (uint64_t)call->tensor[1].shape[0];
        nsa->columns = (uint64_t)call->tensor[form->table].shape[1];
        for (unsigned i = 0; i < 2; i++) {
            const unsigned mask = i == 0 ? form->mask : form->chosen_mask;
            if (mask != 0 && call_has_elements(call, mask))
                return refuse(call, "%s was given; NULL is expected", call_name(call, mask));
        }
    } else if (!has_list(call, form->lengths) || call->values[form->lengths].count != nsa->sequences ||
               !has_list(call, form->block_lengths) ||
               call->values[form->block_lengths].count != nsa->sequences)
        return refuse(call, "lists of ends differ in their lengths; %" PRIu64 ", as %s has, are expected",
                      nsa->sequences, call_name(call, form->key_lengths));
    if (!form->chooses)
        TRY(check_sizes(call, form->indices, SIZES((int64_t)nsa->rows, (int64_t)nsa->key_heads, count)));
    return read_sequences(call, nsa, sequence);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *query = &call->tensor[0];
    struct nsa nsa;
    TRY(read_nsa(call, &nsa, NULL));
    struct shape out = shape_of(query);
    result->computed = query->dtype;
    if (!nsa.form->has_pages)
        for (int i = 0; i < 2; i++)
            result_sized(result, ACL_FLOAT, DTYPE_EQUAL,
                         SIZES((int64_t)nsa.rows, (int64_t)nsa.heads, STATISTIC_REPEATS));
    const bool is_joined = query->rank == 3 && nsa.form->has_pages && query->shape[1] == 1 &&
                           (uint64_t)query->shape[2] == nsa.heads * nsa.over.depth && nsa.heads > 1;
    out.dim[out.rank - 1] = (int64_t)(nsa.over.wide * (is_joined ? nsa.heads : 1));
    result_sized(result, query->dtype, DTYPE_EQUAL, out.rank, out.dim);
    if (nsa.form->chooses)
        result_sized(result, ACL_INT32, DTYPE_EQUAL,
                     SIZES((int64_t)nsa.rows, (int64_t)nsa.key_heads, (int64_t)nsa.count));
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct nsa nsa;
    (void)result;
    TRY(read_nsa(call, &nsa, NULL));
    struct nsa_sequence *sequence = calloc(nsa.sequences, sizeof *sequence);
    if (sequence == NULL)
        return fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, "%s: there is no memory for its sequences",
                    call->function->operation.name);
    aclnnStatus status = read_nsa(call, &nsa, sequence);
    if (status == ACLNN_SUCCESS)
        status = row_tasks_plan(
            call,
            &(struct row_tasks_request){
                .body = nsa_take,
                .start = nsa_start,
                .count = nsa.rows * nsa.key_heads,
                .task_ns =
                    nsa_most(&nsa) * nsa.group * (nsa.over.depth + nsa.over.wide) * ELEMENT_PS / 1000 + 300,
                .room = nsa_room(&nsa),
                .parameters = &nsa,
                .parameter_bytes = sizeof nsa,
                .numbers = (const int64_t *)(const void *)sequence,
                .number_count = nsa.sequences * sizeof *sequence / sizeof(int64_t)});
    free(sequence);
    return status;
}

#define NSA(form)                                                                                         \
    .family = FAMILY_ATTENTION, .promise = &promise_sum, ROW_TASKS, .of_family = &(form), .infer = infer, \
    .plan = plan
FUNCTION_OF(aclnnNsaCompressAttention, TRAINED, .stem = "nsa_compress_attention", NSA(trained));
FUNCTION_OF(aclnnNsaCompressAttentionInfer, PAGED_COMPRESSED, .stem = "nsa_compress_attention_infer",
            NSA(paged_compressed));
FUNCTION_OF(aclnnNsaSelectedAttentionInfer, PAGED_SELECTED, .stem = "nsa_selected_attention_infer",
            NSA(paged_selected));
