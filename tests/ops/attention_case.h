/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A call of attention and one of its gradients: what they are of, their tensors, drawn at random, and the
 * calls, whose parameters are found by their names. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_ATTENTION_CASE_H
#define BELAY_TESTS_OPS_ATTENTION_CASE_H

#include "ops/arena.h"
#include "ops/attempt.h"
#include "ops/layout.h"

#define F32 ACL_FLOAT
#define F16 ACL_FLOAT16
#define B16 ACL_BF16

enum mask_kind { NO_MASK, MASK_OF_PAIRS, MASK_OF_BATCHES, MASK_OF_HEADS, MASK_OF_KEYS, MASK_LARGER };
enum { SEQUENCES_MAX = 4, ROOM = 1 << 17 };

struct attention_case {
    const char *api, *grad_api, *layout;
    aclDataType dtype;
    int64_t batches, heads, key_heads, rows, keys, depth, value_depth, rope;
    enum mask_kind mask;
    int64_t mode, pre, next;
    double keep;
    bool draws, has_pse, has_sink, same_as_input;
    int64_t pse_type;
    /* So many keys at the end, which hold NaN, pse hides from every row; if these are all, the first head's sink is
     * -infinity. */
    int64_t unseen;
    int64_t prefix[SEQUENCES_MAX];
    int64_t sequences, row_end[SEQUENCES_MAX], key_end[SEQUENCES_MAX];
};

/* Operands as doubles, (batch, head, row, element); of TND the batch is 1. */
enum { Q, K, V, QR, KR, DY, OUT, DQ, DK, DV, DQR, DKR, OPERANDS };
struct drawn {
    const struct attention_case *of;
    struct layout tensor[OPERANDS], mask, pse, drop, sink, max, sum, dpse, dsink;
    double scale;
    int64_t mask_shape[4], starts[2];
};

static inline int64_t heads_of(const struct attention_case *of, int operand)
{
    return operand == K || operand == V || operand == KR || operand == DK || operand == DV || operand == DKR
               ? of->key_heads
               : of->heads;
}

static inline int64_t rows_of(const struct attention_case *of, int operand)
{
    return operand == K || operand == V || operand == KR || operand == DK || operand == DV || operand == DKR
               ? of->keys
               : of->rows;
}

static inline int64_t depth_of(const struct attention_case *of, int operand)
{
    return operand == V || operand == DY || operand == OUT || operand == DV     ? of->value_depth
           : operand == QR || operand == KR || operand == DQR || operand == DKR ? of->rope
                                                                                : of->depth;
}

static inline unsigned shape_of_operand(const struct attention_case *of, int operand, int64_t *shape)
{
    const int64_t b = of->batches, n = heads_of(of, operand), s = rows_of(of, operand),
                  d = depth_of(of, operand);
    const char *layout = of->layout;
    const int64_t all[][4] = {{b, s, n * d, 0}, {s, b, n * d, 0}, {b, n, s, d}, {b, s, n, d}, {s, n, d, 0}};
    const int which = strcmp(layout, "BSH") == 0    ? 0
                      : strcmp(layout, "SBH") == 0  ? 1
                      : strcmp(layout, "BNSD") == 0 ? 2
                      : strcmp(layout, "BSND") == 0 ? 3
                                                    : 4;
    memcpy(shape, all[which], sizeof all[which]);
    return which == 2 || which == 3 ? 4 : 3;
}

static inline int64_t index_of(const struct attention_case *of, int operand, int64_t b, int64_t n, int64_t s,
                               int64_t d)
{
    const int64_t heads = heads_of(of, operand), rows = rows_of(of, operand), depth = depth_of(of, operand);
    if (strcmp(of->layout, "SBH") == 0)
        return ((s * of->batches + b) * heads + n) * depth + d;
    if (strcmp(of->layout, "BNSD") == 0)
        return ((b * heads + n) * rows + s) * depth + d;
    return ((b * rows + s) * heads + n) * depth + d; /* BSH, BSND, TND */
}

static inline double number(const struct layout *layout, int64_t index)
{
    double value;
    conversion_reference(layout_element(layout, index), layout->dtype, &value, ACL_DOUBLE);
    return value;
}

static inline double operand(const struct drawn *drawn, int which, int64_t b, int64_t n, int64_t s, int64_t d)
{
    return number(&drawn->tensor[which], index_of(drawn->of, which, b, n, s, d));
}

static inline enum layout_kind any_kind(void)
{
    return (enum layout_kind)random_below(LAYOUT_REPEATED);
}

static inline struct layout fresh(aclDataType dtype, unsigned rank, const int64_t *shape, double size)
{
    struct layout layout = layout_create(dtype, rank, shape, any_kind());
    layout_fill(&layout, size, false);
    return layout;
}

static inline bool is_packed(const struct attention_case *of)
{
    return strcmp(of->layout, "TND") == 0;
}

static inline void hide_end(struct drawn *drawn)
{
    const struct attention_case *of = drawn->of;
    const double hidden = -(double)INFINITY, nan = (double)NAN;
    for (int64_t i = 0; of->unseen > 0 && i < drawn->pse.count; i++)
        if (i % of->keys >= of->keys - of->unseen)
            conversion_reference(&hidden, ACL_DOUBLE, layout_element(&drawn->pse, i), of->dtype);
    if (of->unseen > 0 && of->unseen == of->keys)
        conversion_reference(&hidden, ACL_DOUBLE, layout_element(&drawn->sink, 0), F32);
    for (int64_t n = 0; n < of->batches * of->key_heads; n++)
        for (int64_t j = of->keys - of->unseen; j < of->keys; j++)
            for (int which = K; which <= V; which++)
                for (int64_t d = 0; d < depth_of(of, which); d++) {
                    const int64_t at = index_of(of, which, n / of->key_heads, n % of->key_heads, j, d);
                    conversion_reference(&nan, ACL_DOUBLE, layout_element(&drawn->tensor[which], at),
                                         of->dtype);
                }
}

static inline struct drawn draw(const struct attention_case *of)
{
    struct drawn drawn = {.of = of, .scale = 0.4, .starts = {3, 1}};
    const int64_t b = of->batches, n = of->heads, s = of->rows, t = of->keys;
    for (int i = 0; i < OPERANDS; i++) {
        int64_t shape[4];
        unsigned rank = shape_of_operand(of, i, shape);
        drawn.tensor[i] = fresh(of->dtype, rank, shape, 1);
    }
    const int64_t masks[][4] = {{1, 1, 1, 1}, {1, 1, s, t}, {b, 1, s, t},
                                {b, n, s, t}, {b, 1, 1, t}, {b, 1, s + 3, t + 2}};
    memcpy(drawn.mask_shape, masks[of->mask], sizeof drawn.mask_shape);
    drawn.mask = fresh(random_below(2) == 0 ? ACL_BOOL : ACL_UINT8, 4, drawn.mask_shape, 0);
    if (drawn.mask.dtype == ACL_UINT8)
        for (int64_t i = 0; i <= drawn.mask.reach; i++)
            drawn.mask.memory[i] &= drawn.mask.memory[i] & 0x60;
    const int64_t pse_shape[] = {1, n, s, t}, slopes[] = {n}, bytes[] = {b * n * s * t / 8 + 1};
    const bool is_slopes = of->pse_type > 1;
    drawn.pse = is_slopes ? fresh(F32, 1, slopes, 0.3) : fresh(of->dtype, 4, pse_shape, 1);
    drawn.dpse = is_slopes ? fresh(F32, 1, slopes, 0.3) : fresh(of->dtype, 4, pse_shape, 1);
    drawn.sink = fresh(F32, 1, slopes, 2);
    drawn.dsink = fresh(F32, 1, slopes, 2);
    drawn.drop = fresh(ACL_UINT8, 1, bytes, 0);
    const int64_t statistics[] = {b, n, s, 8}, packed[] = {s, n, 8};
    drawn.max = is_packed(of) ? fresh(F32, 3, packed, 1) : fresh(F32, 4, statistics, 1);
    drawn.sum = is_packed(of) ? fresh(F32, 3, packed, 1) : fresh(F32, 4, statistics, 1);
    hide_end(&drawn);
    return drawn;
}

static inline void release_drawn(struct drawn *drawn)
{
    struct layout *others[] = {&drawn->mask, &drawn->pse, &drawn->drop, &drawn->sink,
                               &drawn->max,  &drawn->sum, &drawn->dpse, &drawn->dsink};
    for (int i = 0; i < OPERANDS; i++)
        layout_destroy(&drawn->tensor[i]);
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        layout_destroy(others[i]);
}

/* The tensor of a parameter, by its name; NULL: none. */
static inline const aclTensor *tensor_named(const struct drawn *drawn, const char *name)
{
    const struct attention_case *of = drawn->of;
    const struct layout *tensor = drawn->tensor;
    const struct {
        const char *name;
        const struct layout *layout;
        bool is_given;
    } known[] = {
        {"query", &tensor[Q], true},
        {"key", &tensor[K], true},
        {"keyIn", &tensor[K], true},
        {"value", &tensor[V], true},
        {"dy", &tensor[DY], true},
        {"realShiftOptional", &drawn->pse, of->has_pse},
        {"pseShiftOptional", &drawn->pse, of->has_pse},
        {"dropMaskOptional", &drawn->drop, of->keep < 1 && !of->draws},
        {"attenMaskOptional", &drawn->mask, of->mask != NO_MASK},
        {"queryRopeOptional", &tensor[QR], of->rope > 0},
        {"keyRopeOptional", &tensor[KR], of->rope > 0},
        {"sinkOptional", &drawn->sink, of->has_sink},
        {"softmaxMaxOut", &drawn->max, true},
        {"softmaxSumOut", &drawn->sum, true},
        {"softmaxMaxOptional", &drawn->max, true},
        {"softmaxSumOptional", &drawn->sum, true},
        {"attentionOutOut", &tensor[OUT], true},
        {"attentionInOptional", &tensor[OUT], true},
        {"dqOut", &tensor[DQ], true},
        {"dkOut", &tensor[DK], true},
        {"dvOut", &tensor[DV], true},
        {"dqRopeOut", &tensor[DQR], of->rope > 0},
        {"dkRopeOut", &tensor[DKR], of->rope > 0},
        {"dpseOut", &drawn->dpse, of->has_pse},
        {"dsinkOut", &drawn->dsink, of->has_sink},
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].is_given ? known[i].layout->tensor : NULL;
    return NULL;
}

static inline const aclIntArray *array_named(const struct drawn *drawn, const char *name)
{
    const struct attention_case *of = drawn->of;
    if (strncmp(name, "prefix", 6) == 0 && of->mode == 6)
        return aclCreateIntArray(of->prefix, (uint64_t)of->batches);
    if (strncmp(name, "actualSeqQ", 10) == 0 && of->sequences > 0)
        return aclCreateIntArray(of->row_end, (uint64_t)of->sequences);
    if (strncmp(name, "actualSeqK", 10) == 0 && of->sequences > 0)
        return aclCreateIntArray(of->key_end, (uint64_t)of->sequences);
    if (strncmp(name, "qStart", 6) == 0)
        return aclCreateIntArray(&drawn->starts[0], 1);
    if (strncmp(name, "kvStart", 7) == 0)
        return aclCreateIntArray(&drawn->starts[1], 1);
    return NULL;
}

static inline union argument value_named(const struct drawn *drawn, const char *name)
{
    const struct attention_case *of = drawn->of;
    const struct {
        const char *name;
        union argument value;
    } known[] = {
        {"scaleValue", argument_of_fp64(drawn->scale)},
        {"keepProb", argument_of_fp64(of->keep)},
        {"preTokens", argument_of_integer(of->pre)},
        {"nextTokens", argument_of_integer(of->next)},
        {"headNum", argument_of_integer(of->heads)},
        {"inputLayout", argument_of_pointer(of->layout)},
        {"sparseMode", argument_of_integer(of->mode)},
        {"pseType", argument_of_integer(of->pse_type)},
        {"seed", argument_of_integer(77)},
        {"offset", argument_of_integer(5)},
        {"softmaxOutLayout", argument_of_pointer(of->same_as_input ? "same_as_input" : "")},
        {"softmaxInLayout", argument_of_pointer(of->same_as_input ? "same_as_input" : "")},
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].value;
    return argument_of_integer(0);
}

static inline void call(const struct drawn *drawn, const char *api)
{
    const struct function *function = find(api);
    union argument argument[PARAMETERS_MAX];
    uint64_t bytes;
    aclOpExecutor *executor = NULL;
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        argument[i] = parameter->kind == PARAMETER_TENSOR
                          ? argument_of_pointer(tensor_named(drawn, parameter->name))
                      : parameter->kind == PARAMETER_INT_ARRAY
                          ? argument_of_pointer(array_named(drawn, parameter->name))
                          : value_named(drawn, parameter->name);
    }
    aclnnStatus status = function_plan_anew(function, argument, &bytes, &executor);
    finish(function->launch, status, executor);
    for (unsigned i = 0; i < function->parameter_count; i++)
        if (function->parameter[i].kind == PARAMETER_INT_ARRAY && argument[i].handle != NULL)
            assert_int_equal(aclDestroyIntArray(argument[i].ints), 0);
}

#endif
