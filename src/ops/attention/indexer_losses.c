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

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/attention/over_keys.h"
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

/* Where a function has what; keyIndex and weights follow queryIndex, key query, sum maximum, and keyRope queryRope. */
struct loss_form {
    uint8_t query, indexer, chosen, maximum, index_maximum, rope, lengths, scale, layout, sinks, out;
    bool is_loss;
};
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

struct losses {
    struct over_keys over; /* of attention */
    const struct loss_form *form;
    uint64_t rows, keys, sequences; /* of all */
    uint64_t heads, depth;          /* of the indexer */
    uint64_t all_heads, key_heads, group, own_rows, most_keys, chosen;
    bool is_packed, is_causal, has_sinks;
};

struct sequence {
    int64_t row, rows, key, keys;
};

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

static aclnnStatus read_lengths(const struct call *call, struct losses *losses, struct sequence *sequence)
{
    const uint8_t at = losses->form->lengths;
    const bool has[] = {call_has(call, at) && call->values[at].count > 0,
                        call_has(call, at + 1U) && call->values[at + 1].count > 0};
    struct sequence before = {0};
    for (uint64_t b = 0; b < losses->sequences; b++) {
        struct sequence own = before;
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

static aclnnStatus read_losses(const struct call *call, struct losses *losses, struct sequence *sequence)
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

/* The work. */

static const struct sequence *sequences_of(const struct task *task)
{
    return (const struct sequence *)(const void *)task->numbers;
}

struct room {
    double *query, *weight, *d_query, *d_weight, *key, *d_keys; /* of the indexer */
    double *score, *sum, *p, *s;       /* score: of each head; sum: of all, s by it */
    double *own, *own_key, *own_score; /* of attention */
    uint64_t *index, *place;
};

static uint64_t elements_of(const struct losses *losses)
{
    return losses->heads * losses->depth;
}

static struct room carve(const struct losses *losses, double *first)
{
    const uint64_t most = losses->form->chosen != 0 ? losses->chosen : losses->most_keys,
                   own = over_keys_whole(&losses->over);
    struct room room = {.query = first};
    room.d_query = room.query + elements_of(losses);
    room.weight = room.d_query + elements_of(losses);
    room.d_weight = room.weight + losses->heads;
    room.key = room.d_weight + losses->heads;
    room.score = room.key + losses->depth;
    room.sum = room.score + losses->heads * most;
    room.p = room.sum + most;
    room.s = room.p + most;
    room.own = room.s + most;
    room.own_key = room.own + own;
    room.own_score = room.own_key + own;
    room.index = (uint64_t *)(void *)(room.own_score + most);
    room.place = room.index + most;
    room.d_keys = (double *)(void *)(room.place + most);
    return room;
}

static uint64_t room_of(const struct losses *losses)
{
    const uint64_t most = losses->form->chosen != 0 ? losses->chosen : losses->most_keys;
    return 2 * elements_of(losses) + 2 * losses->heads + losses->depth + (losses->heads + 6) * most +
           2 * over_keys_whole(&losses->over) +
           (losses->form->is_loss ? losses->most_keys * losses->depth : 0) + 1;
}

/* The keys that a row of a sequence sees, or that were chosen for it. */
static uint64_t find_keys(const struct task *task, const struct sequence *sequence, int64_t row,
                          const struct room *room)
{
    const struct losses *losses = task->parameters;
    const int64_t end = row + sequence->keys - sequence->rows + 1,
                  seen = losses->is_causal && end < sequence->keys ? end : sequence->keys;
    uint64_t count = 0;
    for (int64_t j = 0; losses->form->chosen == 0 && j < seen; j++)
        room->index[count++] = (uint64_t)j;
    for (uint64_t i = 0; losses->form->chosen != 0 && i < losses->chosen; i++) {
        const int64_t j =
            task_integer(task, losses->form->chosen, (uint64_t)(sequence->row + row) * losses->chosen + i);
        if (j >= 0 && j < sequence->keys)
            room->index[count++] = (uint64_t)j;
    }
    return count;
}

/* What the indexer gives each key: of each head, and of all. */
static void score_keys(const struct task *task, const struct sequence *sequence, uint64_t row, uint64_t count,
                       const struct room *room)
{
    const struct losses *losses = task->parameters;
    const unsigned query = losses->form->indexer;
    task_read(task, query, row * elements_of(losses), elements_of(losses), room->query);
    task_read(task, query + 2, row * losses->heads, losses->heads, room->weight);
    for (uint64_t i = 0; i < count; i++) {
        task_read(task, query + 1, ((uint64_t)sequence->key + room->index[i]) * losses->depth, losses->depth,
                  room->key);
        room->sum[i] = 0;
        for (uint64_t n = 0; n < losses->heads; n++) {
            const double score = task->maths->dot(room->query + n * losses->depth, room->key, losses->depth);
            room->score[n * count + i] = score;
            room->sum[i] += room->weight[n] * (score < 0 ? 0 : score);
        }
    }
}

static void take_statistics(const struct task *task, uint64_t b)
{
    const struct losses *losses = task->parameters;
    const struct sequence *sequence = &sequences_of(task)[b];
    const struct room room = carve(losses, task->room);
    const unsigned out = losses->form->out;
    for (int64_t row = 0; row < sequence->rows; row++) {
        const uint64_t at = (uint64_t)(sequence->row + row), count = find_keys(task, sequence, row, &room);
        double greatest, sum;
        score_keys(task, sequence, at, count, &room);
        over_keys_weigh(task, NULL, room.sum, count, &greatest, &sum);
        task_set(task, out, at, count == 0 ? -(double)FLT_MAX : greatest);
        task_set(task, out + 1, at, count == 0 ? (double)FLT_MAX : sum);
    }
    const bool is_last = b + 1 == losses->sequences;
    const uint64_t own = losses->is_packed ? losses->rows : (b + 1) * losses->own_rows;
    for (uint64_t at = (uint64_t)(sequence->row + sequence->rows);
         (!losses->is_packed || is_last) && at < own; at++) {
        task_set(task, out, at, -(double)FLT_MAX);
        task_set(task, out + 1, at, (double)FLT_MAX);
    }
}

/* The weights of attention, of all heads alike. */
static void weigh(const struct task *task, const struct sequence *sequence, uint64_t row, uint64_t count,
                  const struct room *room)
{
    const struct losses *losses = task->parameters;
    const uint64_t own = losses->own_rows, b = losses->is_packed ? 0 : row / own,
                   in = losses->is_packed ? row : row % own;
    double all = 0;
    memset(room->p, 0, count * sizeof(double));
    for (uint64_t n = 0; n < losses->all_heads; n++) {
        const uint64_t head = n / losses->group,
                       at = ((b * losses->key_heads + head) * (losses->is_packed ? losses->rows : own) + in) *
                                losses->group +
                            n % losses->group;
        const double greatest = task_number(task, losses->form->maximum, at),
                     sum = task_number(task, losses->form->maximum + 1U, at);
        for (uint64_t i = 0; i < count; i++)
            room->place[i] = ((uint64_t)sequence->key + room->index[i]) * losses->key_heads + head;
        over_keys_queries(task, &losses->over, row * losses->all_heads + n, 1, room->own);
        over_keys_scores(task, &losses->over, room->own, 1, room->place, count, room->own_key,
                         room->own_score, count);
        for (uint64_t i = 0; i < count; i++)
            room->own_score[i] -= greatest;
        task->maths->exponential(room->own_score, count);
        for (uint64_t i = 0; i < count; i++)
            room->p[i] += room->own_score[i] / sum / (double)losses->all_heads;
    }
    for (uint64_t i = 0; losses->has_sinks && i < count; i++)
        all += room->p[i];
    for (uint64_t i = 0; losses->has_sinks && all > 0 && i < count; i++)
        room->p[i] /= all;
}

/* The weights of the indexer: of its own sum, or of one that is given. */
static void weigh_index(const struct task *task, uint64_t row, uint64_t count, const struct room *room)
{
    const struct losses *losses = task->parameters;
    double greatest, sum;
    memcpy(room->s, room->sum, count * sizeof(double));
    if (losses->form->index_maximum != 0) {
        greatest = task_number(task, losses->form->index_maximum, row);
        sum = task_number(task, losses->form->index_maximum + 1U, row);
        for (uint64_t i = 0; i < count; i++)
            room->s[i] -= greatest;
        task->maths->exponential(room->s, count);
    } else
        over_keys_weigh(task, NULL, room->s, count, &greatest, &sum);
    for (uint64_t i = 0; i < count; i++)
        room->s[i] /= sum;
}

/* The sum of p ln(p / s), none of which is below a least number there; own_score is room for both. */
static double divergence(const struct task *task, uint64_t count, const struct room *room)
{
    static const double least = 1e-8;
    double sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        double logarithm[2] = {room->p[i] < least ? least : room->p[i],
                               room->s[i] < least ? least : room->s[i]};
        task->maths->logarithm(logarithm, 2);
        sum += room->p[i] * (logarithm[0] - logarithm[1]);
    }
    return sum;
}

static double take_row(const struct task *task, const struct sequence *sequence, int64_t number,
                       const struct room *room)
{
    const struct losses *losses = task->parameters;
    const uint64_t row = (uint64_t)(sequence->row + number), elements = elements_of(losses),
                   count = find_keys(task, sequence, number, room);
    double loss = 0;
    memset(room->d_query, 0, elements * sizeof(double));
    memset(room->d_weight, 0, losses->heads * sizeof(double));
    if (count > 0) {
        score_keys(task, sequence, row, count, room);
        weigh(task, sequence, row, count, room);
        weigh_index(task, row, count, room);
        loss = divergence(task, count, room);
    }
    for (uint64_t i = 0; i < count; i++) {
        const double d = room->s[i] - room->p[i];
        task_read(task, losses->form->indexer + 1U,
                  ((uint64_t)sequence->key + room->index[i]) * losses->depth, losses->depth, room->key);
        for (uint64_t n = 0; n < losses->heads; n++) {
            const double score = room->score[n * count + i];
            double slope = d * room->weight[n];
            if (!(score > 0))
                continue;
            room->d_weight[n] += d * score;
            task_round(task, task_dtype(task, losses->form->indexer), 1, &slope);
            task->maths->add_scaled(room->d_query + n * losses->depth, room->key, slope, losses->depth);
            task->maths->add_scaled(room->d_keys + room->index[i] * losses->depth,
                                    room->query + n * losses->depth, slope, losses->depth);
        }
    }
    task_write(task, losses->form->out, row * elements, elements, room->d_query);
    task_write(task, losses->form->out + 2U, row * losses->heads, losses->heads, room->d_weight);
    return loss;
}

/* The loss of all sequences so far is in what they share. */
static int start(struct task *task)
{
    *(double *)task->shared = 0;
    task->in_order = true;
    return 0;
}

static void take_sequence(const struct task *task, uint64_t b)
{
    const struct losses *losses = task->parameters;
    const struct sequence *sequence = &sequences_of(task)[b];
    const struct room room = carve(losses, task->room);
    const unsigned out = losses->form->out;
    const bool is_last = b + 1 == losses->sequences;
    double *loss = task->shared;
    memset(room.d_keys, 0, losses->most_keys * losses->depth * sizeof(double));
    for (int64_t row = 0; row < sequence->rows; row++)
        *loss += take_row(task, sequence, row, &room);
    task_write(task, out + 1, (uint64_t)sequence->key * losses->depth,
               (uint64_t)sequence->keys * losses->depth, room.d_keys);
    /* What is of no sequence. */
    const uint64_t per = losses->keys / losses->sequences, row = (uint64_t)(sequence->row + sequence->rows),
                   key = (uint64_t)(sequence->key + sequence->keys),
                   row_end = losses->is_packed ? is_last ? losses->rows : row : (b + 1) * losses->own_rows,
                   key_end = losses->is_packed ? is_last ? losses->keys : key : (b + 1) * per;
    task_clear(task, out, row * elements_of(losses), (row_end - row) * elements_of(losses));
    task_clear(task, out + 2, row * losses->heads, (row_end - row) * losses->heads);
    task_clear(task, out + 1, key * losses->depth, (key_end - key) * losses->depth);
    task_set(task, out + 3, 0, *loss);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct losses losses;
    (void)result;
    TRY(read_losses(call, &losses, NULL));
    const struct loss_form *form = losses.form;
    struct sequence *sequence = calloc(losses.sequences + 1, sizeof *sequence);
    if (sequence == NULL)
        return fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, "%s: there is no memory for its sequences",
                    call->function->operation.name);
    aclnnStatus status = read_losses(call, &losses, sequence);
    const uint64_t elements = elements_of(&losses) + losses.all_heads * over_keys_whole(&losses.over);
    const bool is_empty =
        call->tensor[form->indexer].count == 0 || call->tensor[form->indexer + 1].count == 0;
    if (status == ACLNN_SUCCESS && is_empty && !form->is_loss && losses.rows > 0)
        status = refuse(call, "queryIndex has shape %s and keyIndex %s; elements are expected",
                        shape_text(TEXT, &call->tensor[form->indexer]),
                        shape_text(TEXT, &call->tensor[form->indexer + 1]));
    else if (status == ACLNN_SUCCESS)
        status = row_tasks_plan(
            call, &(struct row_tasks_request){
                      .body = form->is_loss ? take_sequence : take_statistics,
                      .start = form->is_loss ? start : NULL,
                      .count = losses.sequences,
                      .task_ns = losses.rows * losses.most_keys * elements * ELEMENT_PS / 1000 + 1000,
                      .room = room_of(&losses),
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
