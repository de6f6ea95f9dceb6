/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The attention family: softmax(scale * query key^T, masked) value, and its gradients, a block of rows (of
 * the query) by a block of keys at a time, so that memory grows with neither.
 *
 * What fixes every bit of a result: rows and keys are cut into blocks by their numbers alone. A score is a
 * chain of fused multiply-adds in FLOAT in increasing order of the elements of a head, of BFLOAT16 in pairs of
 * which the odd one comes first; and so is the gradient of a probability. Blocks of keys are met
 * in order, with the greatest score so far; what was added up before is multiplied by e^(old - new greatest).
 * The sum of a block's exponentials is made in groups of 16 keys, and sums of blocks are added in DOUBLE. A
 * block that no row may see is left out, and so are keys at a block's end, or all of it, to whose scaled scores
 * pse adds -infinity in each row of the block: what they hold, be it NaN, is not looked at, and their gradients
 * are 0. NaN and infinity that are hidden from a row but not left out may reach it. Otherwise rows are
 * independent of one another, and so are batches and heads; gradients of keys and values take blocks of rows in
 * order, head by head.
 *
 * Scores of a block lie transposed, rows of the query side by side: a row is a lane of vectors then, and the
 * exponentials are, as they lie, the left operand of the product with the values.
 */
#ifndef BELAY_OPS_ATTENTION_ATTENTION_H
#define BELAY_OPS_ATTENTION_ATTENTION_H

#include "ops/attention/block.h"
#include "ops/contraction/contraction.h"
#include "ops/operands.h"
#include "ops/random/draw.h"
#include "ops/transfer.h"

/* How many times softmaxMax and softmaxSum have each number, but for those of quantised operands. */
enum { STATISTIC_REPEATS = 8 };

/* Rows, or keys, of quantised operands that have a scale in common. */
enum { SCALED_QUERIES = 128, SCALED_KEYS = 256 };

/* The tensors; of those that were not given `bytes` is 0. */
enum attention_tensor {
    QUERY,
    KEY,
    VALUE,
    QUERY_ROPE, /* more elements of each head */
    KEY_ROPE,
    PSE,
    MASK,
    DROP,
    SINK,
    DY,
    PAGES,     /* of keys: which block of the memory each has */
    PADDING,   /* of keys: how many follow the last one */
    KEY_SCALE, /* of INT8 keys (head, element), then what is added to them before, and so of values */
    KEY_OFFSET,
    VALUE_SCALE,
    VALUE_OFFSET,
    QUERY_BLOCKS, /* scales of quantised operands: of so many rows or keys each */
    KEY_BLOCKS,
    VALUE_BLOCKS,
    DY_BLOCKS,
    MAXIMUM,
    SUM,
    OUT,
    LSE,                /* the logarithm of the sum of all exponentials */
    INPUTS_OF_GRADIENT, /* from MAXIMUM to here they are outputs otherwise */
    D_QUERY = INPUTS_OF_GRADIENT,
    D_KEY,
    D_VALUE,
    D_QUERY_ROPE,
    D_KEY_ROPE,
    D_PSE,
    D_SINK,
    ATTENTION_TENSORS
};

/* A tensor by batch, head, row or key, and what is left. Strides count elements. */
struct attention_view {
    struct operand operand;
    int64_t batch, head, row, element;
    uint32_t tile; /* so many elements of a row lie together, and the next ones tile_step on; or 0 */
    int64_t tile_step;
};

/* A sequence of rows that meets one of keys: a batch, or a part of the first dim of TND. */
struct attention_sequence {
    uint64_t batch, row, key; /* where it begins */
    uint64_t rows, keys;
    uint64_t elements_before; /* of all scores: what bits of dropMask are counted by */
    /* Row i sees key j where i + lower <= j <= max(i + upper, last). */
    int64_t lower, upper, last;
    uint64_t member, room; /* of the lists of keys and values; how many keys there are in memory */
    bool is_apart;         /* rows and keys beyond all sequences, which see nothing */
};

enum pse_kind { PSE_ADDED, PSE_SCALED, PSE_SLOPES, PSE_ROOTS };

struct attention {
    const struct transfer *transfer;
    const struct contraction_kernels *products;
    const struct attention_kernels *kernels;
    draw_words_function *words;
    bool is_gradient;
    bool is_packed;              /* sequences one after another: TND */
    bool has_rows_of_statistics; /* and softmaxMax and softmaxSum so too, not a block for each sequence */
    bool has_dropout, draws_dropout;
    bool has_rows_of_heads;                           /* rows are heads, which see the same keys */
    uint64_t batches, heads, group;                   /* group: heads that share a key */
    uint64_t rows, keys;                              /* the most of a sequence */
    uint32_t depth, rope_depth, value_depth, repeats; /* repeats: of each statistic */
    enum pse_kind pse_kind;
    int64_t row_start, key_start; /* of positions for slopes */
    float scale;
    double keep;
    uint64_t seed, offset, kept_words;
    struct attention_view tensor[ATTENTION_TENSORS];
    int64_t lower, upper, last; /* of a batch where there are neither sequences nor prefixes */
    bool upper_is_from_end, has_prefix, is_bounded;
    uint32_t slots, row_step;        /* threads at most; scores from key to key */
    uint64_t row_blocks, task_count; /* of the longest sequence */
    uint64_t cost_ns;
    uint64_t pse_count, sums_count; /* doubles that dpse is added up in, and with dsink */
    uint64_t pse_size[4];           /* of dpse: batches, heads, rows, keys, 1 where it broadcasts */
    int64_t pse_stride[4];
    uint64_t page, page_count; /* keys of a page, and pages in memory; or 0 */
    /* Tensors of the lists of keys and values, if there are several: their views, a key's and a value's in
     * turn, are behind the sequences. */
    uint64_t member_count;
    uint64_t sequence_count;
    /* of packed sequences, or one for each prefix; behind the plan */
    struct attention_sequence sequence[];
};

/* The view of one member of a list of keys or values, which has one for each sequence. */
static inline const struct attention_view *attention_member(const struct attention *plan, uint64_t member,
                                                            enum attention_tensor tensor)
{
    const void *behind = plan->sequence + plan->sequence_count;
    return (const struct attention_view *)behind + 2 * member + (tensor == VALUE);
}

static inline bool attention_has(const struct attention *plan, enum attention_tensor tensor)
{
    return plan->tensor[tensor].operand.bytes != 0;
}

struct call;
struct result;
aclnnStatus attention_infer(const struct call *call, struct result *result);
aclnnStatus attention_plan(const struct call *call, const struct result *result);
size_t attention_work_bytes(const void *plan);
int attention_run(const void *plan, void *const *address, void *scratch);

/* A function's of_family: the places of those parameters that are not the same in all. */
enum { NOWHERE = UINT8_MAX };
struct attention_form {
    bool is_gradient, has_lengths; /* has_lengths: its layout is TND alone */
    bool has_ropes_between;        /* queryRope follows query, keyRope key, and so their gradients */
    bool is_quantised;             /* floats of 8 bits, with scales; of `numbers` there is no keepProb */
    uint8_t rope, scales, scale_count, sink, prefix, lengths, starts; /* also of the next one: rope, ... */
    uint8_t numbers; /* scaleValue, keepProb, preTokens, nextTokens, headNum, inputLayout */
    uint8_t statistics_layout, sparse_mode, pse_type, seed, outputs;
};

#define ATTENTION(form)                                                                                 \
    .operation.run = attention_run, .operation.work_bytes = attention_work_bytes,                       \
    .family = FAMILY_ATTENTION, .promise = &promise_sum, .of_family = (form), .infer = attention_infer, \
    .plan = attention_plan

#endif
