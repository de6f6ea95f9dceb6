/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The calls of QuantMatmul's generations: where each has what, and the checks and sizes that they share.
 */
#ifndef BELAY_OPS_CONTRACTION_QUANT_CALL_H
#define BELAY_OPS_CONTRACTION_QUANT_CALL_H

#include "ops/contraction/numbers.h"
#include "ops/sizes.h"

/* Where a generation has each part: one more than the place, 0 where it has none. */
enum {
    ROWS_SCALE,
    SCALE,
    OFFSET,
    Y_OFFSET,
    BIAS_PART,
    TURNS_LEFT,
    GROUPS,
    OUT,
    FUSED_TYPE,
    Y_SCALE,
    X_OFFSET,
    X3,
    PARTS
};
struct generation {
    uint8_t at[PARTS];
    bool adds; /* the result to what is in out */
    bool sums; /* the products of the one dim before the last two, whose rows have scales */
};

static inline const struct generation *quant_generation(const struct call *call)
{
    return call->function->of_family;
}

static inline unsigned quant_part_at(const struct call *call, unsigned part)
{
    return quant_generation(call)->at[part] - 1U;
}

static inline bool quant_has(const struct call *call, unsigned part)
{
    return quant_generation(call)->at[part] > 0;
}

/* Frameworks pass empty tensors for what is absent. */
static inline bool quant_given(const struct call *call, unsigned part)
{
    return quant_has(call, part) && call_has_elements(call, quant_part_at(call, part));
}

static inline const struct tensor_view *quant_view(const struct call *call, unsigned part)
{
    return &call->tensor[quant_part_at(call, part)];
}

static inline bool quant_turns(const struct call *call, unsigned side)
{
    return quant_has(call, TURNS_LEFT) && call->argument[quant_part_at(call, TURNS_LEFT) + side].boolean;
}

enum { LEFT, RIGHT, SIDES, BATCH_DIMS = 6 };

/* What the call has for sizes: the result's, and of the parts of the sums that have scales of their own. */
struct sizes {
    int64_t rows, columns, depth;
    int64_t row_block, column_block, part, parts; /* 0 blocks: no scales by blocks */
    bool is_mixed, is_halved;                     /* INT8 by INT4; INT4 by INT4 */
    bool is_float;                                /* floats of 8 and of 4 bits */
};

/* Whether a scale is one of MX: powers of two of blocks of 32, two of which lie side by side, in a dim more. */
static inline bool is_mx(const struct tensor_view *scale)
{
    return scale->dtype == ACL_FLOAT8_E8M0;
}

/* The matrix that x1 or x2 has in its last two dims, the other way round if asked for. */
bool quant_matrix(const struct call *call, unsigned side, struct numbers *numbers);
aclnnStatus quant_find_batch(const struct call *call, struct shape *batch);
aclnnStatus quant_find_sizes(const struct call *call, struct sizes *sizes);
aclnnStatus quant_infer(const struct call *call, struct result *result);
aclnnStatus quant_plan(const struct call *call, const struct result *result);
size_t quant_work_bytes(const void *plan);
int quant_run(const void *plan, void *const *address, void *scratch);

#define AT(place) ((place) + 1)
#define QUANT_MULTIPLIES(generation, infer_, plan_)                                   \
    .family = FAMILY_CONTRACTION, .promise = &promise_sum, .of_family = (generation), \
    .operation.run = quant_run, .operation.work_bytes = quant_work_bytes, .infer = (infer_), .plan = (plan_)

#endif
