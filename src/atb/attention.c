/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention over paged caches and over packed sequences, by aclnnFusedInferAttentionScoreV3 where keys are
 * seen by their place alone, and by aclnnFlashAttentionScoreV2 for each sequence where a mask is added to the
 * scores.
 */
#include "atb/attention.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v3.h"
#include "aclnnop/aclnn_mul.h"

void end_sequences(struct sequences *sequences)
{
    free(sequences->queries);
    free(sequences->keys);
    *sequences = (struct sequences){0};
}

/*
 * Lengths of queries and keys of all sequences: one each, where the client says nothing of queries and has so
 * many tokens; the same where it says nothing of keys.
 */
static int32_t read_sequences(struct setup *setup, const struct operand *queries, const struct operand *keys,
                              struct sequences *sequences)
{
    const struct operand *said = keys != NULL ? keys : queries;
    const uint64_t most = (uint64_t)operand_count(said);
    uint64_t count = 0;
    *sequences = (struct sequences){.queries = (int64_t *)calloc(most + 1, sizeof(int64_t)),
                                    .keys = (int64_t *)calloc(most + 1, sizeof(int64_t))};
    if (sequences->queries == NULL || sequences->keys == NULL) {
        end_sequences(sequences);
        return atb_refuse(setup, ATB_INTERNAL_ERROR, "there is no memory for %" PRIu64 " lengths", most);
    }
    int32_t status = read_lengths(setup, said, sequences->keys, most, &sequences->count);
    for (uint64_t i = 0; i < sequences->count && status == 0; i++)
        sequences->queries[i] = queries != NULL ? sequences->keys[i] : 1;
    if (status == 0 && queries != NULL && keys != NULL) {
        status = read_lengths(setup, queries, sequences->queries, most, &count);
        if (status == 0 && count != sequences->count)
            status = atb_refuse(setup, ATB_INVALID_TENSOR,
                                "%s has %" PRIu64 " lengths and %s %" PRIu64 "; as many are expected",
                                queries->name, count, keys->name, sequences->count);
    }
    if (status != 0)
        end_sequences(sequences);
    return status;
}

/* The lengths as they are, or the ends that they add up to. */
static aclIntArray *array_of(struct setup *setup, const int64_t *length, uint64_t count, bool is_ends)
{
    int64_t *number = (int64_t *)calloc(count + 1, sizeof *number), end = 0;
    if (number == NULL) {
        setup->is_short = true;
        return NULL;
    }
    for (uint64_t i = 0; i < count; i++) {
        end += length[i];
        number[i] = is_ends ? end : length[i];
    }
    aclIntArray *array = make_array(setup, number, count);
    free(number);
    return array;
}

/* A cache as the operator takes it: [blocks, rows, heads and elements]. */
static aclTensorList *list_of(struct setup *setup, const struct operand *keys, bool is_paged)
{
    if (!is_paged)
        return make_list(setup, keys, keys->rank, keys->size, keys->stride);
    const int64_t size[] = {keys->size[0], keys->size[1], keys->size[2] * keys->size[3]};
    const int64_t stride[] = {keys->stride[0], keys->stride[1], keys->stride[3]};
    return make_list(setup, keys, 3, size, stride);
}

/* Queries and keys by their places alone. */
int32_t attention_add(struct setup *setup, const struct attended *of, const struct sequences *sequences)
{
    static char layout[] = "TND";
    const bool is_paged = of->table != NULL;
    const int64_t one[] = {1, 1};
    aclTensor *mask = NULL, *rope = NULL, *key_rope = NULL;
    if (of->mode != SEES_ALL)
        make_temporary(setup, ACL_INT8, 2, one, &mask); /* which is not looked into */
    if (of->query_rope != NULL) {
        const struct operand *keys = of->key_rope;
        const int64_t size[] = {keys->size[0], keys->size[1],
                                keys->rank == 4 ? keys->size[2] * keys->size[3] : 1};
        const int64_t stride[] = {keys->stride[0], keys->stride[1], keys->rank == 4 ? keys->stride[3] : 1};
        rope = make_tensor(setup, of->query_rope);
        key_rope = is_paged ? make_view(setup, keys, 3, size, stride, 0) : make_tensor(setup, keys);
    }
    CALL(setup, aclnnFusedInferAttentionScoreV3, make_tensor(setup, &of->query),
         list_of(setup, &of->key, is_paged), list_of(setup, &of->value, is_paged), NULL, mask,
         array_of(setup, sequences->queries, sequences->count, true),
         array_of(setup, sequences->keys, sequences->count, !is_paged), NULL, NULL, NULL, NULL, NULL, NULL,
         NULL, is_paged ? make_tensor(setup, of->table) : NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
         NULL, NULL, rope, key_rope, NULL, of->heads, of->scale, INT32_MAX, INT32_MAX, layout, of->key_heads,
         of->mode, 0, is_paged ? of->key.size[1] : 0, 0, of->lse != NULL, 0, 0,
         of->out_tensor != NULL ? of->out_tensor : make_tensor(setup, &of->out), of->lse);
    return ATB_NO_ERROR;
}

/*
 * A mask that is added to the scores, of a sequence's batch, head, query and key: its rank is at least 2, and
 * a dim of size 1 holds for all.
 */
struct added_mask {
    struct operand operand;
    bool has_batches;
};

static aclTensor *rows_of(struct setup *setup, const struct operand *tokens, int64_t first, int64_t count)
{
    const int64_t size[] = {1, count, tokens->size[1], tokens->size[2]};
    const int64_t stride[] = {count * tokens->stride[0], tokens->stride[0], tokens->stride[1],
                              tokens->stride[2]};
    return make_view(setup, tokens, 4, size, stride, first * tokens->stride[0]);
}

/* One call for each sequence, with its corner of the mask. Queries are the last of the keys. */
static int32_t add_masked(struct setup *setup, const struct attended *of, const struct sequences *sequences,
                          const struct added_mask *mask)
{
    static char layout[] = "BSND";
    const struct operand *added = &mask->operand;
    int64_t first = 0;
    for (uint64_t b = 0; b < sequences->count; b++) {
        const int64_t rows = sequences->queries[b];
        int64_t size[4] = {1, 1, rows, rows}, stride[4] = {0};
        int64_t offset = mask->has_batches ? (int64_t)b * added->stride[0] : 0;
        aclTensor *most, *sum, *pse;
        if (rows == 0)
            continue;
        for (unsigned i = 0; i < added->rank; i++)
            stride[4 - added->rank + i] = added->stride[i];
        if (added->rank > 2 && !(added->rank == 3 && mask->has_batches)) {
            size[1] = added->size[added->rank - 3];
            stride[1] = added->stride[added->rank - 3];
        }
        if (added->size[added->rank - 2] < rows || added->size[added->rank - 1] < rows ||
            (mask->has_batches && added->size[0] <= (int64_t)b))
            return atb_refuse(setup, ATB_INVALID_TENSOR,
                              "%s has no %" PRId64 " rows and keys for sequence %" PRIu64
                              ", which are expected",
                              added->name, rows, b);
        const int64_t statistics[] = {1, of->heads, rows, 8};
        make_temporary(setup, ACL_FLOAT, 4, statistics, &most);
        make_temporary(setup, ACL_FLOAT, 4, statistics, &sum);
        pse = make_view(setup, added, 4, size, stride, offset);
        if (added->dtype == ACL_BF16 && added->rank <= 3) {
            /* Ones say what is left out there. */
            const aclTensor *ones = pse;
            float left_out = -10000;
            aclScalar *scalar = aclCreateScalar(&left_out, ACL_FLOAT);
            make_temporary(setup, ACL_BF16, 4, size, &pse);
            const aclnnStatus status = PLAN(setup, aclnnMuls, ones, scalar, pse);
            aclDestroyScalar(scalar);
            TRY(add_step(setup, aclnnMuls, status));
        }
        CALL(setup, aclnnFlashAttentionScoreV2, rows_of(setup, &of->query, first, rows),
             rows_of(setup, &of->key, first, rows), rows_of(setup, &of->value, first, rows), pse, NULL, NULL,
             NULL, NULL, NULL, NULL, of->scale, 1.0, INT32_MAX, INT32_MAX, of->heads, layout, 0, SEES_ALL, 0,
             most, sum, NULL, rows_of(setup, &of->out, first, rows));
        first += rows;
    }
    return ATB_NO_ERROR;
}

/* [tokens, heads * elements] becomes [tokens, heads, elements]; false for what is neither. */
static bool has_heads(struct operand *operand, int64_t heads)
{
    if (operand->rank == 3)
        return operand->size[1] == heads;
    if (operand->rank != 2 || heads <= 0 || operand->size[1] % heads != 0)
        return false;
    const int64_t size[] = {operand->size[0], heads, operand->size[1] / heads};
    return operand_reshape(operand, 3, size);
}

/* The same of a cache, whose dims before are blocks and their rows. */
static bool is_cache(struct operand *cache, int64_t heads)
{
    if (cache->rank == 4)
        return cache->size[2] == heads &&
               (heads == 1 || cache->size[3] <= 1 || cache->stride[2] == cache->size[3] * cache->stride[3]);
    if (cache->rank != 3 || heads <= 0 || cache->size[2] % heads != 0)
        return false;
    const int64_t size[] = {cache->size[0], cache->size[1], heads, cache->size[2] / heads};
    return operand_reshape(cache, 4, size);
}

int32_t attention_check(struct setup *setup, struct attended *of)
{
    const bool is_paged = of->table != NULL;
    if (of->heads <= 0 || of->key_heads <= 0 || of->heads % of->key_heads != 0)
        return atb_refuse(setup, ATB_INVALID_PARAM,
                          "headNum is %" PRId64 " and kvHeadNum %" PRId64
                          "; a divisor of headNum is expected",
                          of->heads, of->key_heads);
    const bool fits = has_heads(&of->query, of->heads) && has_heads(&of->out, of->heads) &&
                      (is_paged ? is_cache(&of->key, of->key_heads) && is_cache(&of->value, of->key_heads) &&
                                      of->table->rank == 2
                                : has_heads(&of->key, of->key_heads) && has_heads(&of->value, of->key_heads));
    return fits ? ATB_NO_ERROR
                : atb_refuse(setup, ATB_INVALID_TENSOR,
                             "query, key, value or out has not the heads of headNum %" PRId64
                             " and kvHeadNum %" PRId64 ", which are expected",
                             of->heads, of->key_heads);
}

struct paged_attention_param {
    int32_t heads;
    float scale;
    int32_t key_heads, mask;
    bool skips_batches;
    int32_t quant, out_dtype;
    bool has_quant_offset;
    int32_t compression, calculation, scale_type, layout;
    uint32_t value_elements;
    unsigned char more[68];
};

static_assert(sizeof(struct paged_attention_param) == 120 &&
                  offsetof(struct paged_attention_param, calculation) == 36 &&
                  offsetof(struct paged_attention_param, value_elements) == 48,
              "the layout is the clients'");

/* Inputs: query, key cache, value cache unless values are part of the keys, table, lengths, mask, lengths of
 * queries. */
static int32_t set_up_paged(struct setup *setup, const void *bytes)
{
    enum { MASK_NONE, MASK_SPEC = 3, MASK_COMPRESSED = 5, SPEC = 1 };
    const struct paged_attention_param *param = (const struct paged_attention_param *)bytes;
    const bool is_latent = param->value_elements > 0, has_queries = param->calculation == SPEC;
    const unsigned table = is_latent ? 2 : 3;
    unsigned next = table + 2;
    struct attended of = {.query = setup->in[0],
                          .key = setup->in[1],
                          .value = setup->in[is_latent ? 1 : 2],
                          .out = setup->out[0],
                          .table = &setup->in[table],
                          .heads = param->heads,
                          .key_heads = param->key_heads > 0 ? param->key_heads : param->heads,
                          .scale = (double)param->scale,
                          .mode = has_queries ? SEES_CAUSAL : SEES_ALL};
    struct sequences sequences;
    if (param->quant != 0 || param->compression != 0 || param->scale_type != 0 || param->layout != 0 ||
        param->skips_batches)
        return atb_refuse(setup, ATB_INVALID_PARAM,
                          "quantType is %d, compressType %d, scaleType %d, inputLayout %d; 0 of each is "
                          "expected: caches that are quantised or compressed are not supported",
                          param->quant, param->compression, param->scale_type, param->layout);
    if (has_queries ? param->mask != MASK_SPEC && param->mask != MASK_COMPRESSED : param->mask != MASK_NONE)
        return atb_refuse(
            setup, ATB_INVALID_PARAM,
            "maskType is %d and calcType %d; 0 and 0, or a causal mask (3, 5) and 1, are expected",
            param->mask, param->calculation);
    next += has_queries; /* the mask says what the places do */
    if (setup->in_count < next + has_queries)
        return atb_refuse(setup, ATB_INVALID_TENSOR_COUNT, "there are %u inputs; %u are expected",
                          setup->in_count, next + has_queries);
    TRY(attention_check(setup, &of));
    if (is_latent)
        of.value.size[3] = param->value_elements;
    TRY(read_sequences(setup, has_queries ? &setup->in[next] : NULL, &setup->in[table + 1], &sequences));
    const int32_t status = attention_add(setup, &of, &sequences);
    end_sequences(&sequences);
    return status;
}

const struct kind kind_paged_attention = {
    "PagedAttention", sizeof(struct paged_attention_param), 4, 8, 1, 1, 1 << 5 | 1 << 4, set_up_paged};

struct self_attention_param {
    int32_t quant, out_dtype, heads, key_heads;
    float query_scale, scale;
    bool skips_batches;
    uint32_t is_triangle;
    int32_t calculation, kernel, clamp;
    float clamp_least, clamp_most;
    int32_t mask, cache_configuration, scale_type, layout;
    uint32_t value_elements;
    bool cache;
    uint32_t window;
    unsigned char more[64];
};

static_assert(sizeof(struct self_attention_param) == 144 &&
                  offsetof(struct self_attention_param, mask) == 52 &&
                  offsetof(struct self_attention_param, window) == 76,
              "the layout is the clients'");

enum { MASK_NONE, MASK_NORM, MASK_ALIBI, MASK_NORM_COMPRESSED };

/* Packed sequences: query, key, value, a mask where there is one, lengths. */
static int32_t set_up_encoder(struct setup *setup, const struct self_attention_param *param,
                              struct attended *of)
{
    enum { MASK = 3 };
    const bool has_mask = param->mask != MASK_NONE;
    struct sequences sequences;
    if (param->mask < MASK_NONE || param->mask > MASK_NORM_COMPRESSED)
        return atb_refuse(setup, ATB_INVALID_PARAM,
                          "maskType is %d; 0 to 3 is expected: slopes and windows are not supported",
                          param->mask);
    if (setup->in_count < MASK + 1u + has_mask)
        return atb_refuse(setup, ATB_INVALID_TENSOR_COUNT, "there are %u inputs; %u are expected",
                          setup->in_count, MASK + 1u + has_mask);
    TRY(attention_check(setup, of));
    struct added_mask mask = {.operand = setup->in[MASK]};
    mask.has_batches = mask.operand.rank == 4 || (mask.operand.rank == 3 && param->mask == MASK_NORM);
    if ((param->mask == MASK_NORM || param->mask == MASK_ALIBI) &&
        (mask.operand.rank < 2 || mask.operand.rank > 4))
        return atb_refuse(setup, ATB_INVALID_TENSOR, "the mask has rank %u; 2 to 4 is expected",
                          mask.operand.rank);
    TRY(read_sequences(setup, &setup->in[MASK + has_mask], NULL, &sequences));
    of->mode = param->mask == MASK_NORM_COMPRESSED ? SEES_CAUSAL : SEES_ALL;
    const int32_t status = param->mask == MASK_NORM || param->mask == MASK_ALIBI
                               ? add_masked(setup, of, &sequences, &mask)
                               : attention_add(setup, of, &sequences);
    end_sequences(&sequences);
    return status;
}

/* Queries that are the last of the keys, which are in caches: query, caches, table, mask, both lengths. */
static int32_t add_prefix(struct setup *setup, struct attended *of, unsigned lengths)
{
    struct sequences sequences;
    TRY(attention_check(setup, of));
    TRY(read_sequences(setup, &setup->in[lengths], &setup->in[lengths + 1], &sequences));
    const int32_t status = attention_add(setup, of, &sequences);
    end_sequences(&sequences);
    return status;
}

static int32_t set_up_self(struct setup *setup, const void *bytes)
{
    enum { PACKED_ENCODER = 3, PREFIX_ENCODER = 4, TABLE = 3 };
    const struct self_attention_param *param = (const struct self_attention_param *)bytes;
    const bool is_prefix = param->calculation == PREFIX_ENCODER;
    struct attended of = {.query = setup->in[0],
                          .key = setup->in[1],
                          .value = setup->in[2],
                          .out = setup->out[0],
                          .table = is_prefix ? &setup->in[TABLE] : NULL,
                          .heads = param->heads,
                          .key_heads = param->key_heads > 0 ? param->key_heads : param->heads,
                          .scale = (double)param->scale,
                          .mode = SEES_CAUSAL};
    if (param->quant != 0 || param->clamp != 0 || param->scale_type != 0 || param->layout != 0 ||
        param->cache_configuration != 0 || param->value_elements != 0 || param->skips_batches ||
        (param->calculation != PACKED_ENCODER && !is_prefix))
        return atb_refuse(
            setup, ATB_INVALID_PARAM,
            "calcType is %d, quantType %d, clampType %d, scaleType %d, inputLayout %d; 3 or 4, and "
            "0 of the others, are expected",
            param->calculation, param->quant, param->clamp, param->scale_type, param->layout);
    if (!is_prefix)
        return set_up_encoder(setup, param, &of);
    if (param->mask != MASK_NORM_COMPRESSED)
        return atb_refuse(setup, ATB_INVALID_PARAM, "maskType is %d; 3 is expected: slopes are not supported",
                          param->mask);
    if (setup->in_count < TABLE + 4)
        return atb_refuse(setup, ATB_INVALID_TENSOR_COUNT, "there are %u inputs; %u are expected",
                          setup->in_count, TABLE + 4);
    return add_prefix(setup, &of, TABLE + 2);
}

const struct kind kind_self_attention = {
    "SelfAttention", sizeof(struct self_attention_param), 4, 8, 1, 1, 1 << 4 | 1 << 7, set_up_self};

/* SelfAttentionPrefixEncoder: query, caches, table, mask, lengths of queries and keys, slopes. */
static int32_t set_up_prefix_encoder(struct setup *setup, const void *bytes)
{
    enum { TABLE = 3, SLOPES = 7, MASK_CAUSAL = 9 };
    const struct prefix_encoder_param *param = (const struct prefix_encoder_param *)bytes;
    struct attended of = {.query = setup->in[0],
                          .key = setup->in[1],
                          .value = setup->in[2],
                          .out = setup->out[0],
                          .table = &setup->in[TABLE],
                          .heads = param->heads,
                          .key_heads = param->key_heads > 0 ? param->key_heads : param->heads,
                          .scale = (double)param->scale,
                          .mode = SEES_CAUSAL};
    if ((param->mask != MASK_NORM_COMPRESSED && param->mask != MASK_CAUSAL) || setup->in[SLOPES].is_there)
        return atb_refuse(setup, ATB_INVALID_PARAM,
                          "maskType is %d; 3 or 9, without slopes, is expected: slopes are not supported",
                          param->mask);
    return add_prefix(setup, &of, TABLE + 2);
}

const struct kind kind_prefix_encoder = {
    "SelfAttentionPrefixEncoder", sizeof(struct prefix_encoder_param), 8, 8, 1, 1, 1 << 4 | 1 << 7,
    set_up_prefix_encoder};

/* MLA: the parts of queries and keys, table, lengths of keys, mask, lengths of queries, scales. Values are the
 * keys' parts without rotation. */
static int32_t set_up_latent(struct setup *setup, const void *bytes)
{
    enum { Q, Q_ROPE, CACHE, CACHE_ROPE, TABLE, KEYS, MASK, QUERIES, SCALES };
    enum { OUT, LSE, SPEC = 1, RING = 2 };
    const struct latent_param *param = (const struct latent_param *)bytes;
    const bool has_queries = setup->in[QUERIES].is_there;
    struct attended of = {.query = setup->in[Q],
                          .key = setup->in[CACHE],
                          .value = setup->in[CACHE],
                          .out = setup->out[OUT],
                          .table = &setup->in[TABLE],
                          .query_rope = &setup->in[Q_ROPE],
                          .key_rope = &setup->in[CACHE_ROPE],
                          .lse = setup->out_count > LSE && param->calculation == RING
                                     ? make_tensor(setup, &setup->out[LSE])
                                     : NULL,
                          .heads = param->heads,
                          .key_heads = param->key_heads > 0 ? param->key_heads : param->heads,
                          .scale = (double)param->scale,
                          .mode = param->calculation == SPEC ? SEES_CAUSAL : SEES_ALL};
    struct sequences sequences;
    if (param->cache > 1 || setup->in[SCALES].is_there || setup->in[SCALES + 1].is_there)
        return atb_refuse(
            setup, ATB_INVALID_PARAM,
            "cacheMode is %d; 0 or 1, without scales, is expected: caches that are quantised or in "
            "NZ are not supported",
            param->cache);
    TRY(expect_rank(setup, &setup->in[Q_ROPE], 3));
    TRY(expect_rank(setup, &setup->in[CACHE_ROPE], 4));
    TRY(attention_check(setup, &of));
    struct operand rope = setup->in[CACHE_ROPE];
    if (!is_cache(&rope, of.key_heads))
        return atb_refuse(setup, ATB_INVALID_TENSOR,
                          "%s has not the heads of kvHeadNum %" PRId64 ", which are expected", rope.name,
                          of.key_heads);
    TRY(read_sequences(setup, has_queries ? &setup->in[QUERIES] : NULL, &setup->in[KEYS], &sequences));
    const int32_t status = attention_add(setup, &of, &sequences);
    end_sequences(&sequences);
    return status;
}

const struct kind kind_latent = {"MultiHeadLatentAttention",
                                 sizeof(struct latent_param),
                                 10,
                                 10,
                                 1,
                                 2,
                                 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9,
                                 set_up_latent};
