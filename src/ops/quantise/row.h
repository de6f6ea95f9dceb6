/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows that become numbers of few bits: an input stage makes a row, of doubles, of what the call has; a rule makes
 * one or two outputs of numbers of it, with scales that are given, or are made of the row and written. A function is
 * a form: where it has the parts and choices of this, which input stage, which rule.
 */
#ifndef BELAY_OPS_QUANTISE_ROW_H
#define BELAY_OPS_QUANTISE_ROW_H

#include "ops/check.h"
#include "ops/loops/row_tasks.h"
#include "ops/quantise/number.h"
#include "ops/signature.h"

/* Tensors. Those of two are side by side here. */
enum part {
    X,
    X2,       /* added to x */
    GRADIENT, /* of what the gates of x give */
    GAMMA,
    BETA,
    WEIGHT_SCALE, /* of INT32, by columns */
    ROW_SCALE,    /* of INT32, by rows */
    BIAS,
    GROUPS,
    ROTATION, /* a matrix that a row is multiplied by, in parts of its size */
    CLIP,     /* what of the greatest size is kept */
    FACTOR,
    FACTOR2,
    OFFSET,
    OFFSET2,
    Y,
    Y2,
    SUM,  /* x + x2, rounded */
    NORM, /* the row before beta */
    RSTD,
    SCALE,
    SCALE2,
    ZERO,  /* the offset that is made of the row */
    LEVEL, /* scales of 512, before those of MX blocks */
    PARTS
};

enum choice {
    EPSILON,
    DIVIDES,
    AXIS,
    MASK, /* which pairs of a row and its scale are asked for */
    SYMMETRIC,
    WITH_RSTD,
    DST_TYPE,
    ROUND_MODE,
    QUANT_MODE, /* "static" or "dynamic" */
    SCALE_MODE, /* what has a scale of its own */
    MOST,
    GROUP_TYPE,
    LEFT, /* which half goes through the sigmoid */
    ACTIVATE_DIM,
    SWIGLU_MODE,
    CLAMP,
    ALPHA,
    SHIFT,
    APPROXIMATE,
    SCALE_RULE, /* of MX blocks */
    BLOCK_AXIS,
    BLOCK_SIZE,
    LEVEL_SIZE, /* of what a scale of the first level is of */
    CHOICES
};

enum scale_rule {
    UNCHANGED,     /* y = v, in a dtype of floats */
    TIMES,         /* y = v factor + offset */
    OVER,          /* y = v / factor + offset */
    BY_SIZE,       /* u = v factor; scale = the greatest |u| / most; y = u / scale */
    BY_SIZE_TIMES, /* the same, but for scale = most / the greatest |u|, y = u scale */
    BY_ENDS,       /* scale and offset of the least u and the greatest */
};

/* What ends a group's rows. */
enum group_kind { NO_GROUPS, ENDS, ALL_ENDS, COUNTS };

struct row_plan;

/* Where an input stage has its row; `room` doubles per element of a row are its own. */
typedef void row_input(const struct task *task, const struct row_plan *plan, uint64_t row, uint64_t group,
                       double *to, double *room);

struct row_form {
    uint8_t part[PARTS], choice[CHOICES]; /* AT(parameter); 0: there is none */
    /* Checks the input stage's parts and says how many rows of which width there are. */
    aclnnStatus (*stage)(const struct call *call, struct row_plan *plan);
    aclnnStatus (*check)(
        const struct call *call); /* what is the function's own, before all others; or NULL */
    enum scale_rule given,
        made; /* the rule of scales that are given, and of those that are made of the row */
    enum group_kind groups;
    bool is_made;          /* what there is without QUANT_MODE, or where that is NULL */
    bool may_be_by_group;  /* a factor may be a number for each group */
    bool has_given_groups; /* groups with scales that are given */
    bool may_be_pairs;     /* INT4 may lie two to an element of INT8, too */
    bool has_rounded_sum;  /* the norm is of the rounded sum */
    bool dtype_is_of_y;    /* MX blocks are of the dtype of y */
};
#define AT(parameter) ((parameter) + 1)

/* A factor or an offset for the elements of a row. */
struct row_factor {
    uint8_t parameter; /* + 1; 0: there is none */
    bool is_row, is_by_group;
};

struct row_output {
    struct row_factor factor, offset;
    uint8_t y, scale, zero; /* parameters + 1 */
    enum scale_rule rule;
    struct number number;
};

struct row_plan {
    row_input *input;
    uint64_t rows, width, groups;
    uint64_t steps, half;  /* of gates along another dim than the last; 0: along that */
    uint64_t factor_width; /* numbers of a factor; 0: those of a row */
    uint32_t room;
    /* What does the work, where it is not that of rows; and how many tasks there are then, 0: rows. */
    int (*start)(struct task *task);
    void (*body)(const struct task *task, uint64_t number);
    uint64_t tasks, shared_bytes;
    uint8_t part[PARTS]; /* those that there are */
    struct row_output output[2];
    struct shape shape, outer; /* of numbers, and of what is one for each row */
    enum group_kind group_kind;
    uint8_t gates; /* how they are clipped; of gelu whether it is approximate */
    bool is_left, has_rounded_sum, has_whole_bias, has_columns_by_group;
    double epsilon, clamp, alpha, shift;
};

static inline const struct row_form *row_form(const struct call *call)
{
    return call->function->of_family;
}

static inline bool has_part(const struct call *call, enum part part)
{
    return row_form(call)->part[part] > 0 && call_has(call, row_form(call)->part[part] - 1U);
}

static inline unsigned part_at(const struct call *call, enum part part)
{
    return row_form(call)->part[part] - 1U;
}

static inline const struct tensor_view *part_view(const struct call *call, enum part part)
{
    return &call->tensor[part_at(call, part)];
}

/* A choice of the call, or NULL where the function has none. */
static inline const union argument *row_choice(const struct call *call, enum choice choice)
{
    const uint8_t at = row_form(call)->choice[choice];
    return at > 0 ? &call->argument[at - 1] : NULL;
}

/* The stages of inputs: x as it is, over the last dim; the norm of x or x + x2 over the dims of gamma; halves of
 * which one goes through a sigmoid; gelu. */
aclnnStatus row_of_x(const struct call *call, struct row_plan *plan);
aclnnStatus row_of_norm(const struct call *call, struct row_plan *plan);
aclnnStatus row_of_gates(const struct call *call, struct row_plan *plan);
aclnnStatus row_of_gelu(const struct call *call, struct row_plan *plan);
aclnnStatus row_of_gate_gradients(const struct call *call, struct row_plan *plan);
aclnnStatus row_of_levels(const struct call *call, struct row_plan *plan);  /* x over scales of 512 */
aclnnStatus row_of_rotated(const struct call *call, struct row_plan *plan); /* x times a matrix */

aclnnStatus row_infer(const struct call *call, struct result *result);
aclnnStatus row_contract(const struct call *call, struct row_plan *plan);
aclnnStatus row_plan(const struct call *call, const struct result *result);

/* How many groups there are. */
aclnnStatus row_groups(const struct call *call, struct row_plan *plan);

/* The same of rows in MX blocks: y and its scales along the last dim, y2 and its scales, or where there is a
 * BLOCK_AXIS that asks for it y, along the one before. */
aclnnStatus mx_rows_infer(const struct call *call, struct result *result);
aclnnStatus mx_rows_plan(const struct call *call, const struct result *result);

/* The work: where groups end, and a row. */
int row_start(struct task *task);
void row_quantise(const struct task *task, uint64_t row);

/* A row of the input stage, and times the factor of an output. */
void row_scaled_input(const struct task *task, const struct row_output *output, uint64_t row, uint64_t group,
                      double *value, double *scaled);

/* What makes numbers of u: u / scale + offset, or u scale. */
struct row_scale_pair {
    float scale, offset;
    bool multiplies, is_nothing; /* a row has one number alone, or hardly more, which has no scale: y = 0 */
};

/* Of values between two, of which all are numbers, or one is not. */
struct row_scale_pair row_pair_of(const struct row_output *output, double least, double greatest,
                                  bool is_number);
void row_pair_write(const struct task *task, const struct row_output *output, uint64_t at,
                    const struct row_scale_pair *pair);

/* Zeros have no scale, and stay. */
static inline double row_scaled(const struct row_scale_pair *pair, double u)
{
    if (pair->scale == 0 && (pair->is_nothing || u == 0))
        return 0;
    return pair->multiplies ? u * (double)pair->scale : u / (double)pair->scale + (double)pair->offset;
}

#define QUANTISED_ROWS(form) \
    .family = FAMILY_QUANTISE, .of_family = &(form), .infer = row_infer, .plan = row_plan, ROW_TASKS

#define MX_ROWS(form) \
    .family = FAMILY_QUANTISE, .of_family = &(form), .infer = mx_rows_infer, .plan = mx_rows_plan, ROW_TASKS

#endif
