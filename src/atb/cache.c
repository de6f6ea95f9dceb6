/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of tokens and the slots of paged caches: rows go to the slots that a list names (ReshapeAndCache), and
 * the rows of sequences come from the blocks that a table names (PagedCacheLoad).
 *
 * A cache is [blocks, rows of a block, heads, elements], or in NZ [blocks, pieces, rows of a block, elements of
 * a piece], 32 bytes long. A negative slot writes nothing; of tokens with the same slot the last one counts.
 */
#include "atb/cache.h"

#include <inttypes.h>
#include <string.h>

#include "atb/own.h"
#include "runtime/streams/fault.h"
#include "tensor/dtype.h"

enum { PIECE_BYTES = 32 };

/* Bytes from one to the next, of a cache and of the tokens that go to it or come from it. */
struct paged_rows {
    int64_t blocks, block_rows;
    uint64_t block_step, row_step; /* in the cache */
    uint64_t token_step;
    uint64_t pieces, piece_bytes, piece_step; /* of a row, which lie behind one another in a token */
};

/* How a cache and tokens fit together; false where their shapes do not, or no row lies in one piece. */
static bool fit(const struct operand *cache, const struct operand *tokens, bool is_nz,
                struct paged_rows *rows)
{
    struct operand token = *tokens;
    const uint64_t bytes = dtype_bytes(cache->dtype);
    const int64_t count = tokens->rank > 0 ? tokens->size[0] : 0;
    int64_t elements = 1;
    for (unsigned i = 1; i < tokens->rank; i++)
        elements *= tokens->size[i];
    const int64_t flat[] = {count, elements};
    if (cache->rank != 4 || tokens->rank < 2 || cache->dtype != tokens->dtype || bytes == 0 ||
        !operand_reshape(&token, 2, flat) || (token.stride[1] != 1 && elements > 1))
        return false;
    *rows = (struct paged_rows){
        .blocks = cache->size[0],
        .block_rows = cache->size[is_nz ? 2 : 1],
        .block_step = (uint64_t)cache->stride[0] * bytes,
        .row_step = (uint64_t)cache->stride[is_nz ? 2 : 1] * bytes,
        .token_step = (uint64_t)token.stride[0] * bytes,
        .pieces = 1,
        .piece_bytes = (uint64_t)elements * bytes,
    };
    if (!is_nz)
        return cache->size[2] * cache->size[3] == elements &&
               (cache->stride[3] == 1 || cache->size[3] == 1) &&
               (cache->size[2] == 1 || cache->stride[2] == cache->size[3]);
    rows->pieces = (uint64_t)cache->size[1];
    rows->piece_bytes = PIECE_BYTES;
    rows->piece_step = (uint64_t)cache->stride[1] * bytes;
    return (uint64_t)cache->size[3] * bytes == PIECE_BYTES && cache->stride[3] == 1 &&
           cache->size[1] * cache->size[3] == elements;
}

static int32_t refuse_shapes(const struct setup *setup, const struct operand *cache,
                             const struct operand *tokens, bool is_nz)
{
    return atb_refuse(
        setup, ATB_INVALID_TENSOR,
        "%s of rank %u and %s of rank %u do not fit; a cache of rank 4%s and tokens of its heads, "
        "in one dtype, are expected",
        cache->name, cache->rank, tokens->name, tokens->rank, is_nz ? " in NZ" : "");
}

/* Where a row is in a cache. */
static unsigned char *row_at(const struct paged_rows *rows, void *cache, int64_t block, int64_t row)
{
    return (unsigned char *)cache + (uint64_t)block * rows->block_step + (uint64_t)row * rows->row_step;
}

enum { CACHES = 2 };

struct store_plan {
    int64_t tokens;
    unsigned caches;
    struct paged_rows rows[CACHES];
};

enum { SLOTS, FIRST_PAIR }; /* then the tokens and the cache of each */

static int run_store(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct store_plan *plan = (const struct store_plan *)plan_bytes;
    const int32_t *slots = (const int32_t *)address[SLOTS];
    (void)scratch;
    for (int64_t token = 0; token < plan->tokens; token++)
        for (unsigned i = 0; i < plan->caches && slots[token] >= 0; i++) {
            const struct paged_rows *rows = &plan->rows[i];
            const unsigned char *from =
                (const unsigned char *)address[FIRST_PAIR + 2 * i] + (uint64_t)token * rows->token_step;
            const int64_t block_rows = rows->block_rows, row = block_rows > 0 ? slots[token] % block_rows : 0,
                          block = block_rows > 0 ? slots[token] / block_rows : rows->blocks;
            if (block >= rows->blocks)
                return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                      "slotMapping holds %" PRId32 " at [%" PRId64 "]; less than %" PRId64
                                      " is expected",
                                      slots[token], token, rows->blocks * rows->block_rows);
            unsigned char *to = row_at(rows, address[FIRST_PAIR + 2 * i + 1], block, row);
            for (uint64_t piece = 0; piece < rows->pieces; piece++)
                memcpy(to + piece * rows->piece_step, from + piece * rows->piece_bytes, rows->piece_bytes);
        }
    return 0;
}

static const struct operation store = {.name = "ReshapeAndCache", .run = run_store};
OWN_LAUNCH(launch_store, store)

enum { TOKEN_NS = 30, BYTES_OF_NS = 4 };

struct reshape_and_cache_param {
    int32_t compression, configuration;
    int64_t reserved[2];
};

static_assert(sizeof(struct reshape_and_cache_param) == 24, "the layout is the clients'");

/* Inputs: key, value, their caches, slots; or key, cache, slots. The outputs are the caches. */
static int32_t set_up_store(struct setup *setup, const void *bytes)
{
    enum { BOTH, KEY_ALONE, BOTH_IN_NZ };
    const struct reshape_and_cache_param *param = (const struct reshape_and_cache_param *)bytes;
    const bool is_nz = param->configuration == BOTH_IN_NZ;
    struct store_plan plan = {.caches = param->configuration == KEY_ALONE ? 1 : 2};
    if (param->compression != 0 || param->configuration < BOTH || param->configuration > BOTH_IN_NZ)
        return atb_refuse(setup, ATB_INVALID_PARAM,
                          "compressType is %d and kvCacheCfg %d; 0 and 0 to 2 are expected",
                          param->compression, param->configuration);
    if (setup->in_count != 2 * plan.caches + 1 || setup->out_count != plan.caches)
        return atb_refuse(setup, ATB_INVALID_TENSOR_COUNT,
                          "there are %u inputs and %u outputs; %u and %u are expected", setup->in_count,
                          setup->out_count, 2 * plan.caches + 1, plan.caches);
    struct operand slots = setup->in[2 * plan.caches];
    slots.name = "slotMapping";
    if (slots.dtype != ACL_INT32 || slots.rank != 1)
        return atb_refuse(setup, ATB_INVALID_TENSOR, "slotMapping is not a row of INT32, which is expected");
    struct own_operand operand[FIRST_PAIR + 2 * CACHES] = {
        [SLOTS] = {make_tensor(setup, &slots), slots.name, ACCESS_READ}};
    static const char *const names[CACHES][2] = {{"key", "keyCache"}, {"value", "valueCache"}};
    plan.tokens = slots.size[0];
    uint64_t cost = 0;
    for (unsigned i = 0; i < plan.caches; i++) {
        struct operand tokens = setup->in[i], cache = setup->out[i];
        tokens.name = names[i][0];
        cache.name = names[i][1];
        if (!fit(&cache, &tokens, is_nz, &plan.rows[i]))
            return refuse_shapes(setup, &cache, &tokens, is_nz);
        /* The lesser number counts. */
        plan.tokens = tokens.size[0] < plan.tokens ? tokens.size[0] : plan.tokens;
        cost += plan.rows[i].pieces * plan.rows[i].piece_bytes / BYTES_OF_NS + TOKEN_NS;
        operand[FIRST_PAIR + 2 * i] =
            (struct own_operand){make_tensor(setup, &tokens), tokens.name, ACCESS_READ};
        operand[FIRST_PAIR + 2 * i + 1] = (struct own_operand){make_tensor(setup, &cache), cache.name,
                                                               ACCESS_READ | ACCESS_WRITTEN | ACCESS_PARTLY};
    }
    return own_step(setup, &store, launch_store, operand, FIRST_PAIR + 2 * plan.caches, &plan, sizeof plan,
                    (uint64_t)plan.tokens * cost);
}

const struct kind kind_reshape_and_cache = {
    "ReshapeAndCache", sizeof(struct reshape_and_cache_param), 3, 5, 1, 2, 0, set_up_store};

/* What a sequence's rows are taken by. */
enum { TABLE, LENGTHS, STARTS, LOADED_PAIR }; /* then the cache and the tokens of each */

struct load_plan {
    int64_t sequences, columns, tokens;
    int64_t table_step; /* elements from a sequence's blocks to the next one's */
    bool is_cumulated, has_starts;
    struct paged_rows rows[CACHES];
};

static int load_row(const struct load_plan *plan, void *const *address, int64_t block, int64_t row,
                    int64_t token)
{
    for (unsigned i = 0; i < CACHES; i++) {
        const struct paged_rows *rows = &plan->rows[i];
        const unsigned char *from = row_at(rows, address[LOADED_PAIR + 2 * i], block, row);
        unsigned char *to =
            (unsigned char *)address[LOADED_PAIR + 2 * i + 1] + (uint64_t)token * rows->token_step;
        for (uint64_t piece = 0; piece < rows->pieces; piece++)
            memcpy(to + piece * rows->piece_bytes, from + piece * rows->piece_step, rows->piece_bytes);
    }
    return 0;
}

static int run_load(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct load_plan *plan = (const struct load_plan *)plan_bytes;
    const int32_t *table = (const int32_t *)address[TABLE], *lengths = (const int32_t *)address[LENGTHS],
                  *starts = (const int32_t *)address[STARTS];
    const int64_t block_rows = plan->rows[0].block_rows;
    int64_t token = 0;
    (void)scratch;
    for (int64_t sequence = 0; sequence < plan->sequences; sequence++) {
        const int64_t length =
                          plan->is_cumulated ? lengths[sequence + 1] - lengths[sequence] : lengths[sequence],
                      start = plan->has_starts ? starts[sequence] : 0;
        if (length < 0 || start < 0 || length > plan->tokens - token)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "contextLens and seqStarts ask for %" PRId64 " rows from %" PRId64
                                  " on at [%" PRId64 "]; at most %" PRId64 " more of key are expected",
                                  length, start, sequence, plan->tokens - token);
        for (int64_t i = start; i < start + length; i++) {
            const int64_t column = i / block_rows;
            const int64_t block =
                column < plan->columns ? table[sequence * plan->table_step + column] : INT64_MAX;
            if (block < 0 || block >= plan->rows[0].blocks || block >= plan->rows[1].blocks)
                return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                      "blockTable has no block of the cache at [%" PRId64 ", %" PRId64
                                      "], where row %" PRId64 " is wanted; 0 to %" PRId64 " are expected",
                                      sequence, column, i, plan->rows[0].blocks - 1);
            load_row(plan, address, block, i % block_rows, token++);
        }
    }
    return 0;
}

static const struct operation load = {.name = "PagedCacheLoad", .run = run_load};
OWN_LAUNCH(launch_load, load)

static int32_t set_up_load(struct setup *setup, const void *bytes)
{
    enum { KEY_CACHE, VALUE_CACHE, BLOCK_TABLE, CONTEXT_LENGTHS, SEQUENCE_STARTS };
    const struct paged_cache_load_param *param = (const struct paged_cache_load_param *)bytes;
    const struct operand *table = &setup->in[BLOCK_TABLE], *lengths = &setup->in[CONTEXT_LENGTHS],
                         *starts = &setup->in[SEQUENCE_STARTS];
    struct load_plan plan = {.is_cumulated = param->is_cumulated,
                             .has_starts = param->has_starts && starts->is_there};
    TRY(expect_rank(setup, table, 2));
    const bool has_table_rows = table->size[1] <= 1 || table->stride[1] == 1;
    for (unsigned i = BLOCK_TABLE; i <= SEQUENCE_STARTS; i++)
        if (setup->in[i].is_there &&
            (setup->in[i].dtype != ACL_INT32 ||
             !(i == BLOCK_TABLE ? has_table_rows : operand_is_packed(&setup->in[i]))))
            return atb_refuse(setup, ATB_INVALID_TENSOR, "%s is not of INT32 in one piece, which is expected",
                              setup->in[i].name);
    plan.sequences = operand_count(lengths) - (plan.is_cumulated ? 1 : 0);
    plan.columns = table->size[1];
    plan.table_step = table->stride[0];
    plan.tokens = setup->out[0].size[0];
    if (plan.sequences < 0 || plan.sequences > table->size[0] ||
        (plan.has_starts && operand_count(starts) < plan.sequences) || setup->out[1].size[0] != plan.tokens)
        return atb_refuse(setup, ATB_INVALID_TENSOR,
                          "contextLens names %" PRId64 " sequences, blockTable has %" PRId64
                          ", seqStarts %" PRId64
                          "; as many as are named, and as many rows of key as of value, "
                          "are expected",
                          plan.sequences, table->size[0], operand_count(starts));
    struct own_operand operand[LOADED_PAIR + 2 * CACHES] = {
        [TABLE] = {make_tensor(setup, table), table->name, ACCESS_READ | ACCESS_PARTLY},
        [LENGTHS] = {make_tensor(setup, lengths), lengths->name, ACCESS_READ},
        [STARTS] = {plan.has_starts ? make_tensor(setup, starts) : NULL, starts->name, ACCESS_READ}};
    uint64_t cost = 0;
    for (unsigned i = 0; i < CACHES; i++) {
        const struct operand *cache = &setup->in[i], *tokens = &setup->out[i];
        if (!fit(cache, tokens, param->is_nz, &plan.rows[i]) ||
            plan.rows[i].block_rows != plan.rows[0].block_rows || plan.rows[i].block_rows == 0)
            return refuse_shapes(setup, cache, tokens, param->is_nz);
        operand[LOADED_PAIR + 2 * i] =
            (struct own_operand){make_tensor(setup, cache), cache->name, ACCESS_READ | ACCESS_PARTLY};
        operand[LOADED_PAIR + 2 * i + 1] = (struct own_operand){make_tensor(setup, tokens), tokens->name,
                                                                ACCESS_READ | ACCESS_WRITTEN | ACCESS_PARTLY};
        cost += plan.rows[i].pieces * plan.rows[i].piece_bytes / BYTES_OF_NS + TOKEN_NS;
    }
    return own_step(setup, &load, launch_load, operand, LOADED_PAIR + 2 * CACHES, &plan, sizeof plan,
                    (uint64_t)plan.tokens * cost);
}

const struct kind kind_paged_cache_load = {
    "PagedCacheLoad", sizeof(struct paged_cache_load_param), 5, 5, 2, 2, 1 << 4, set_up_load};
