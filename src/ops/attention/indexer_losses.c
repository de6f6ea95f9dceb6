/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How far the weights by which an indexer chooses keys are from those of attention, and the gradients of that: over all
 * keys that a row may see, or those that were chosen. In doubles; sequences follow one another, so that sums have an
 * order.
 */
#include "aclnnop/aclnn_dense_lightning_indexer_grad_kl_loss.h"
#include "aclnnop/aclnn_dense_lightning_indexer_softmax_lse.h"
#include "aclnnop/aclnn_sparse_lightning_indexer_grad_kl_loss.h"
#include "aclnnop/aclnn_sparse_lightning_indexer_grad_kl_loss_v2.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ops/attention/indexer_losses.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { ELEMENT_PS = 900 };

#define ROWS(X, of, name, sample_) \
    X(of, IN, name, &dtypes_fp16_bf16, .sample = sample_, .is_partly_read = true)
#define STATISTIC(X, of, name, sample_) \
    X(of, IN, name, &dtypes_fp32, .sample = sample_, .is_partly_read = true)
#define INDEXER(X, of)                         \
    ROWS(X, of, queryIndex, "2x3x2x4:FLOAT16") \
    ROWS(X, of, keyIndex, "2x3x1x4:FLOAT16")   \
    X(of, IN, weights, &dtypes_fp32_fp16_bf16, .sample = "2x3x2:FLOAT16", .is_partly_read = true)
#define ATTENTION(X, of) \
    ROWS(X, of, query, "2x3x2x4:FLOAT16") ROWS(X, of, key, "2x3x2x4:FLOAT16") INDEXER(X, of)
#define STATISTICS(X, of) STATISTIC(X, of, softmaxMax, "2x2x3x1") STATISTIC(X, of, softmaxSum, "2x2x3x1")
#define ROPES(X, of)                                                                   \
    X(of, IN, queryRopeOptional, &dtypes_fp16_bf16, .is_optional = true, .sample = "", \
      .is_partly_read = true)                                                          \
    X(of, IN, keyRopeOptional, &dtypes_fp16_bf16, .is_optional = true, .sample = "", .is_partly_read = true)
#define LENGTHS(X, of)                                                            \
    X(of, INTS, actualSeqLengthsQueryOptional, .is_optional = true, .sample = "") \
    X(of, INTS, actualSeqLengthsKeyOptional, .is_optional = true, .sample = "")
#define MODE(X, of)                                         \
    X(of, TEXT, layout, .usual = "BSND")                    \
    X(of, INT64, sparseMode, .usual = "3")                  \
    X(of, INT64, preTokens, .usual = "9223372036854775807") \
    X(of, INT64, nextTokens, .usual = "9223372036854775807")
#define SCALE(X, of)  X(of, DOUBLE, scaleValue, .usual = "1")
#define CHOSEN(X, of) X(of, IN, sparseIndices, &dtypes_int32, .sample = "2x3x2:INT32", .is_partly_read = true)
#define SINKS(X, of)  X(of, IN, sinksOptional, &dtypes_fp32, .is_optional = true, .sample = "")
#define GRADIENTS(X, of)                          \
    X(of, OUT, dQueryIndexOut, &dtypes_fp16_bf16) \
    X(of, OUT, dKeyIndexOut, &dtypes_fp16_bf16)   \
    X(of, OUT, dWeightsOut, &dtypes_fp32_fp16_bf16) X(of, OUT, lossOut, &dtypes_fp32)
#define LSE(X, of) \
    INDEXER(X, of) \
    LENGTHS(X, of) MODE(X, of) X(of, OUT, softmaxMaxOut, &dtypes_fp32) X(of, OUT, softmaxSumOut, &dtypes_fp32)
#define DENSE(X, of)                           \
    ATTENTION(X, of)                           \
    STATISTICS(X, of)                          \
    STATISTIC(X, of, softmaxMaxIndex, "2x1x3") \
    STATISTIC(X, of, softmaxSumIndex, "2x1x3") \
    ROPES(X, of) LENGTHS(X, of) SCALE(X, of) MODE(X, of) GRADIENTS(X, of)
#define SPARSE_BEGIN(X, of) ATTENTION(X, of) CHOSEN(X, of) STATISTICS(X, of) ROPES(X, of) LENGTHS(X, of)
#define SPARSE_END(X, of) \
    SCALE(X, of) MODE(X, of) X(of, BOOL, deterministic, .usual = "true") GRADIENTS(X, of)
#define SPARSE(X, of)    SPARSE_BEGIN(X, of) SPARSE_END(X, of)
#define SPARSE_V2(X, of) SPARSE_BEGIN(X, of) SINKS(X, of) SPARSE_END(X, of)
SIGNATURE(LSE)
SIGNATURE(DENSE)
SIGNATURE(SPARSE)
SIGNATURE(SPARSE_V2)

#define FORM_OF(list)                                                                  \
    .query = list##_query, .indexer = list##_queryIndex, .maximum = list##_softmaxMax, \
    .rope = list##_queryRopeOptional, .lengths = list##_actualSeqLengthsQueryOptional, \
    .scale = list##_scaleValue, .layout = list##_layout, .out = list##_dQueryIndexOut, .is_loss = true
static const struct loss_form lse = {.indexer = LSE_queryIndex,
                                     .lengths = LSE_actualSeqLengthsQueryOptional,
                                     .layout = LSE_layout,
                                     .out = LSE_softmaxMaxOut};
static const struct loss_form dense = {FORM_OF(DENSE), .index_maximum = DENSE_softmaxMaxIndex};
static const struct loss_form sparse = {FORM_OF(SPARSE), .chosen = SPARSE_sparseIndices};
static const struct loss_form sparse_v2 = {FORM_OF(SPARSE_V2), .chosen = SPARSE_V2_sparseIndices,
                                           .sinks = SPARSE_V2_sinksOptional};

/* Rows (B, S, ..) or (T, ..), then these sizes. */
static aclnnStatus check_rows_of(const struct call *call, const struct losses *losses, unsigned parameter,
                                 bool is_key, uint32_t count, const int64_t *last)
{
    int64_t size[OPERAND_RANK_MAX] = {0};
    uint32_t rank = 0;
    const uint64_t all = is_key ? losses->keys : losses->rows;
    if (!losses->is_packed)
        size[rank++] = (int64_t)losses->sequences;
    size[rank++] = (int64_t)(losses->is_packed ? all : losses->sequences > 0 ? all / losses->sequences : 0);
    memcpy(size + rank, last, count * sizeof *last);
    return check_sizes(call, parameter, rank + count, size);
}

static aclnnStatus read_lengths(const struct call *call, struct losses *losses,
                                struct losses_sequence *sequence)
{
    const uint8_t at = losses->form->lengths;
    const bool has[] = {call_has(call, at) && call->values[at].count > 0,
                        call_has(call, at + 1U) && call->values[at + 1].count > 0};
    struct losses_sequence before = {0};
    for (uint64_t b = 0; b < losses->sequences; b++) {
        struct losses_sequence own = before;
        int64_t *const begin[] = {&own.row, &own.key}, *const length[] = {&own.rows, &own.keys};
        for (unsigned i = 0; i < 2; i++) {
            const int64_t all = (int64_t)(i == 0 ? losses->rows : losses->keys),
                          whole = all / (int64_t)losses->sequences, room = losses->is_packed ? all : whole;
            if ((losses->is_packed && !has[i]) || (has[i] && call->values[at + i].count != losses->sequences))
                return refuse(call, "%s has not a number for each of %" PRIu64 " sequences",
                              call_name(call, at + i), losses->sequences);
            *begin[i] = losses->is_packed ? *begin[i] + *length[i] : (int64_t)b * whole;
            *length[i] =
                has[i] ? call->values[at + i].value.int64[b] - (losses->is_packed ? *begin[i] : 0) : whole;
            if (*length[i] < 0 || *length[i] > room - (losses->is_packed ? *begin[i] : 0))
                return refuse(call, "%s has %" PRId64 " at [%" PRIu64 "]; %" PRId64 " are there",
                              call_name(call, at + i), call->values[at + i].value.int64[b], b, room);
        }
        losses->most_keys = (uint64_t)own.keys > losses->most_keys ? (uint64_t)own.keys : losses->most_keys;
        if (sequence != NULL)
            sequence[b] = own;
        before = own;
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus read_attention(const struct call *call, struct losses *losses)
{
    const struct loss_form *form = losses->form;
    const struct tensor_view *query = &call->tensor[form->query], *key = &call->tensor[form->query + 1],
                             *rope = &call->tensor[form->rope];
    const uint32_t rank = losses->is_packed ? 3 : 4;
    if (query->rank != rank || key->rank != rank || key->shape[rank - 2] < 1 ||
        query->shape[rank - 2] % key->shape[rank - 2] != 0)
        return refuse(call, "query has shape %s and key %s; %u dims, and a multiple of heads, are expected",
                      shape_text(TEXT, query), shape_text(TEXT, key), rank);
    losses->all_heads = (uint64_t)query->shape[rank - 2];
    losses->key_heads = (uint64_t)key->shape[rank - 2];
    losses->group = losses->all_heads / losses->key_heads;
    losses->over = (struct over_keys){.query = form->query,
                                      .key = (uint8_t)(form->query + 1),
                                      .depth = (uint64_t)query->shape[rank - 1],
                                      .scale = call->argument[form->scale].fp64};
    const int64_t heads = (int64_t)losses->all_heads, key_heads = (int64_t)losses->key_heads,
                  depth = (int64_t)losses->over.depth, sequences = (int64_t)losses->sequences,
                  rows = (int64_t)losses->own_rows, group = (int64_t)losses->group;
    TRY(check_rows_of(call, losses, form->query, false, SIZES(heads, depth)));
    TRY(check_rows_of(call, losses, form->query + 1U, true, SIZES(key_heads, depth)));
    if (call_has_elements(call, form->rope) || call_has_elements(call, form->rope + 1U)) {
        if (!call_has_elements(call, form->rope) || !call_has_elements(call, form->rope + 1U) ||
            rope->rank != rank)
            return refuse(call, "queryRopeOptional and keyRopeOptional are expected together, of %u dims",
                          rank);
        losses->over.rope = (uint64_t)rope->shape[rank - 1];
        losses->over.query_rope = form->rope;
        losses->over.key_rope = (uint8_t)(form->rope + 1);
        TRY(check_rows_of(call, losses, form->rope, false, SIZES(heads, (int64_t)losses->over.rope)));
        TRY(check_rows_of(call, losses, form->rope + 1U, true, SIZES(key_heads, (int64_t)losses->over.rope)));
    }
    for (unsigned i = 0; i < 2; i++) {
        TRY(losses->is_packed
                ? check_sizes(call, form->maximum + i, SIZES(key_heads, (int64_t)losses->rows, group))
                : check_sizes(call, form->maximum + i, SIZES(sequences, key_heads, rows, group)));
        if (form->index_maximum != 0)
            TRY(losses->is_packed
                    ? check_sizes(call, form->index_maximum + i, SIZES(1, (int64_t)losses->rows))
                    : check_sizes(call, form->index_maximum + i, SIZES(sequences, 1, rows)));
    }
    if (form->chosen != 0) {
        const struct tensor_view *chosen = &call->tensor[form->chosen];
        const uint32_t more = chosen->rank == rank ? 2 : 1; /* maybe with a dim of 1 for the one head */
        const int64_t count = chosen->rank > 0 ? chosen->shape[chosen->rank - 1] : 0;
        TRY(check_rows_of(call, losses, form->chosen, false, more,
                          more == 2 ? (const int64_t[]){1, count} : &count));
        losses->chosen = (uint64_t)count;
    }
    losses->has_sinks = form->sinks != 0 && call_has_elements(call, form->sinks);
    return ACLNN_SUCCESS;
}

static aclnnStatus read_losses(const struct call *call, struct losses *losses,
                               struct losses_sequence *sequence)
{
    const struct loss_form *form = call->function->of_family;
    const struct tensor_view *query = &call->tensor[form->indexer], *key = &call->tensor[form->indexer + 1];
    const char *const layout = call->argument[form->layout].string;
    const int64_t mode = call->argument[form->layout + 1].int64;
    TRY(check_all_dtypes(call));
    TRY(check_same_dtype(call, form->indexer + 1U, form->indexer, NULL));
    *losses = (struct losses){
        .form = form, .is_packed = layout != NULL && strcmp(layout, "TND") == 0, .is_causal = mode == 3};
    if (!losses->is_packed && layout != NULL && *layout != 0 && strcmp(layout, "BSND") != 0)
        return refuse(call, "layout is \"%s\"; \"BSND\" or \"TND\" is expected", layout);
    if (mode != 0 && mode != 3)
        return refuse(call, "sparseMode is %" PRId64 "; 0 or 3 is expected", mode);
    const uint32_t rank = losses->is_packed ? 3 : 4;
    if (query->rank != rank || key->rank != rank || key->shape[rank - 2] != 1 ||
        key->shape[rank - 1] != query->shape[rank - 1] ||
        (!losses->is_packed && key->shape[0] != query->shape[0]))
        return refuse(call,
                      "queryIndex has shape %s and keyIndex %s; %u dims, and one head of keys, are expected",
                      shape_text(TEXT, query), shape_text(TEXT, key), rank);
    losses->heads = (uint64_t)query->shape[rank - 2];
    losses->depth = (uint64_t)query->shape[rank - 1];
    losses->sequences = losses->is_packed
                            ? call_has(call, form->lengths) ? call->values[form->lengths].count : 0
                            : (uint64_t)query->shape[0];
    losses->own_rows = (uint64_t)query->shape[losses->is_packed ? 0 : 1];
    losses->rows = losses->own_rows * (losses->is_packed ? 1 : losses->sequences);
    losses->keys =
        (uint64_t)key->shape[losses->is_packed ? 0 : 1] * (losses->is_packed ? 1 : losses->sequences);
    if (losses->is_packed && losses->sequences == 0)
        return refuse(call, "%s is not given; ends of sequences are expected",
                      call_name(call, form->lengths));
    TRY(check_rows_of(call, losses, form->indexer + 2U, false, SIZES((int64_t)losses->heads)));
    TRY(read_lengths(call, losses, sequence));
    return form->is_loss ? read_attention(call, losses) : ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct losses losses;
    TRY(read_losses(call, &losses, NULL));
    const struct loss_form *form = losses.form;
    result->computed = call_dtype(call, form->indexer);
    for (unsigned i = 0; i < (form->is_loss ? 3U : 0U); i++)
        result_add(result, call_dtype(call, form->indexer + i), DTYPE_EQUAL)->like = form->indexer + i;
    if (form->is_loss) {
        result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES(1));
        return ACLNN_SUCCESS;
    }
    for (int i = 0; i < 2; i++)
        if (losses.is_packed)
            result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES(1, (int64_t)losses.rows));
        else
            result_sized(result, ACL_FLOAT, DTYPE_EQUAL,
                         SIZES((int64_t)losses.sequences, 1, (int64_t)losses.own_rows));
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct losses losses;
    (void)result;
    TRY(read_losses(call, &losses, NULL));
    const struct loss_form *form = losses.form;
    struct losses_sequence *sequence = calloc(losses.sequences + 1, sizeof *sequence);
    if (sequence == NULL)
        return fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, "%s: there is no memory for its sequences",
                    call->function->operation.name);
    aclnnStatus status = read_losses(call, &losses, sequence);
    const uint64_t elements = losses.heads * losses.depth + losses.all_heads * over_keys_whole(&losses.over);
    const bool is_empty =
        call->tensor[form->indexer].count == 0 || call->tensor[form->indexer + 1].count == 0;
    if (status == ACLNN_SUCCESS && is_empty && !form->is_loss && losses.rows > 0)
        status = refuse(call, "queryIndex has shape %s and keyIndex %s; elements are expected",
                        shape_text(TEXT, &call->tensor[form->indexer]),
                        shape_text(TEXT, &call->tensor[form->indexer + 1]));
    else if (status == ACLNN_SUCCESS)
        status = row_tasks_plan(
            call, &(struct row_tasks_request){
                      .body = form->is_loss ? losses_take_sequence : losses_take_statistics,
                      .start = form->is_loss ? losses_start : NULL,
                      .count = losses.sequences,
                      .task_ns = losses.rows * losses.most_keys * elements * ELEMENT_PS / 1000 + 1000,
                      .room = losses_room(&losses),
                      .shared_bytes = sizeof(double),
                      .parameters = &losses,
                      .parameter_bytes = sizeof losses,
                      .numbers = (const int64_t *)(const void *)sequence,
                      .number_count = losses.sequences * sizeof *sequence / sizeof(int64_t)});
    free(sequence);
    return status;
}

#define LOSS(form)                                                                                        \
    .family = FAMILY_ATTENTION, .promise = &promise_sum, ROW_TASKS, .of_family = &(form), .infer = infer, \
    .plan = plan
FUNCTION_OF(aclnnDenseLightningIndexerSoftmaxLse, LSE, .stem = "dense_lightning_indexer_softmax_lse",
            LOSS(lse));
FUNCTION_OF(aclnnDenseLightningIndexerGradKLLoss, DENSE, .stem = "dense_lightning_indexer_grad_kl_loss",
            LOSS(dense));
FUNCTION_OF(aclnnSparseLightningIndexerGradKLLoss, SPARSE, .stem = "sparse_lightning_indexer_grad_kl_loss",
            LOSS(sparse));
FUNCTION_OF(aclnnSparseLightningIndexerGradKLLossV2, SPARSE_V2,
            .stem = "sparse_lightning_indexer_grad_kl_loss_v2", LOSS(sparse_v2));
