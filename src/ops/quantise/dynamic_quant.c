/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of x, times smooth scales, as numbers of few bits and a scale: of u the greatest |u| / MOST, or with an offset
 * (greatest - least) / (MOST - LEAST), and the offset MOST - greatest / scale; both rounded to FLOAT. Or columns, or
 * all of x, as one row: what they have in common is found first.
 */
#include "aclnnop/aclnn_dynamic_quant.h"
#include "aclnnop/aclnn_dynamic_quant_v2.h"
#include "aclnnop/aclnn_dynamic_quant_v3.h"
#include "aclnnop/aclnn_dynamic_quant_v4.h"

#include <inttypes.h>
#include <math.h>

#include "ops/quantise/row.h"

#define FLT3 &dtypes_fp32_fp16_bf16
#define INPUTS(X, of)  \
    X(of, IN, x, FLT3) \
    X(of, IN, smoothScalesOptional, FLT3, .is_optional = true, .sample = "3")
#define DYNAMIC_QUANT(X, of)                                  \
    INPUTS(X, of)                                             \
    X(of, OUT, yOut, &dtypes_int8_int32_int4_hifloat8_float8) \
    X(of, OUT, scaleOut, &dtypes_fp32)
#define CHOSEN(X, of)                                                               \
    INPUTS(X, of)                                                                   \
    X(of, IN, groupIndexOptional, &dtypes_int32, .is_optional = true, .sample = "") \
    X(of, INT64, dstType, .usual = "2")
#define RESULTS(X, of)                                        \
    X(of, OUT, yOut, &dtypes_int8_int32_int4_hifloat8_float8) \
    X(of, OUT, scaleOut, &dtypes_fp32)                        \
    X(of, OUT, offsetOut, &dtypes_fp32, .is_optional = true)
#define BY_MODE(X, of)                          \
    CHOSEN(X, of)                               \
    X(of, BOOL, isSymmetrical, .usual = "true") \
    X(of, CONST_TEXT, quantMode, .is_optional = true, .usual = "pertoken")
#define DYNAMIC_QUANT_V2(X, of) CHOSEN(X, of) RESULTS(X, of)
#define DYNAMIC_QUANT_V3(X, of) BY_MODE(X, of) RESULTS(X, of)
#define DYNAMIC_QUANT_V4(X, of) BY_MODE(X, of) X(of, FLOAT, dstTypeMax, .usual = "0") RESULTS(X, of)
SIGNATURE(DYNAMIC_QUANT)
SIGNATURE(DYNAMIC_QUANT_V2)
SIGNATURE(DYNAMIC_QUANT_V3)
SIGNATURE(DYNAMIC_QUANT_V4)

enum mode { BY_TOKEN, BY_TENSOR, BY_CHANNEL };

static bool has_groups(const struct call *call)
{
    return has_part(call, GROUPS);
}

static aclnnStatus check_smooth(const struct call *call, int64_t width)
{
    const struct tensor_view *smooth = part_view(call, FACTOR);
    const uint32_t rank = has_groups(call) ? 2 : 1;
    if (smooth->rank != rank || smooth->shape[rank - 1] != width)
        return refuse(call, "smoothScalesOptional has %u dims; %u, the last of %" PRId64 ", are expected",
                      smooth->rank, rank, width);
    if (!has_groups(call))
        return ACLNN_SUCCESS;
    const struct tensor_view *groups = part_view(call, GROUPS);
    if (groups->count == 0)
        return refuse(call, "groupIndexOptional has 0 elements; 1 or more are expected");
    if (groups->rank != 1 || groups->shape[0] != smooth->shape[0])
        return refuse(call,
                      "groupIndexOptional has %" PRId64 " elements in %u dims; one dim of %" PRId64
                      " is expected",
                      groups->count, groups->rank, smooth->shape[0]);
    return ACLNN_SUCCESS;
}

static aclnnStatus read_mode(const struct call *call, enum mode *mode)
{
    static const char *const names[] = {"pertoken", "pertensor", "perchannel"};
    const union argument *text = row_choice(call, SCALE_MODE);
    *mode = BY_TOKEN;
    for (unsigned i = 0; text != NULL && text->string != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text->string, names[i]) == 0) {
            *mode = (enum mode)i;
            return ACLNN_SUCCESS;
        }
    return text == NULL || text->string == NULL
               ? ACLNN_SUCCESS
               : refuse(call,
                        "quantMode is \"%s\"; \"pertoken\", \"pertensor\" or \"perchannel\" is expected",
                        text->string);
}

static aclnnStatus check(const struct call *call)
{
    const struct tensor_view *x = part_view(call, X);
    const union argument *most = row_choice(call, MOST);
    enum mode mode;
    if (has_part(call, FACTOR))
        TRY(check_same_dtype(call, part_at(call, FACTOR), part_at(call, X), NULL));
    if (x->rank < 1)
        return refuse(call, "x has 0 dims; 1 or more are expected");
    TRY(read_mode(call, &mode));
    if (mode == BY_CHANNEL && x->rank < 2)
        return refuse(call, "x has 1 dim; 2 or more are expected with quantMode \"perchannel\"");
    if (mode != BY_TOKEN && has_groups(call))
        return refuse(call, "groupIndexOptional is given; quantMode \"pertoken\" is expected then");
    if (has_groups(call) && !has_part(call, FACTOR))
        return refuse(call, "groupIndexOptional is given without smoothScalesOptional");
    if (most != NULL && !(most->fp32 >= 0 && most->fp32 < (float)INFINITY))
        return refuse(call, "dstTypeMax is %g; 0 or more is expected", (double)most->fp32);
    return has_part(call, FACTOR) ? check_smooth(call, x->shape[x->rank - (mode == BY_CHANNEL ? 2 : 1)])
                                  : ACLNN_SUCCESS;
}

/* Columns and whole tensors: what they have in common, of pieces, then their numbers. */

struct ends {
    double least, greatest;
    bool is_number;
};

static void take_ends(struct ends *ends, double value)
{
    ends->is_number = ends->is_number && value == value;
    ends->greatest = value > ends->greatest ? value : ends->greatest;
    ends->least = value < ends->least ? value : ends->least;
}

static const struct ends no_ends = {(double)INFINITY, -(double)INFINITY, true};

enum { COLUMNS = 128 }; /* at once: a multiple of the numbers in any element */

/* Some of the columns of a matrix, or in one matrix of all rows all columns as one. */
static void take_columns(const struct task *task, uint64_t number)
{
    const struct row_plan *plan = task->parameters;
    const struct row_output *output = &plan->output[0];
    const uint64_t pieces = (plan->width + COLUMNS - 1) / COLUMNS, first = number % pieces * COLUMNS,
                   count = plan->width - first < COLUMNS ? plan->width - first : COLUMNS,
                   matrix = number / pieces * plan->steps;
    struct ends ends[COLUMNS];
    struct row_scale_pair pair[COLUMNS];
    double value[COLUMNS];
    for (uint64_t i = 0; i < count; i++)
        ends[i] = no_ends;
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t row = 0; row < plan->steps; row++) {
            const uint64_t at = (matrix + row) * plan->width + first;
            const double smooth =
                output->factor.parameter == 0
                    ? 1
                    : task_number(task, output->factor.parameter - 1U, output->factor.is_row ? row : 0);
            task_read(task, plan->part[X] - 1U, at, count, value);
            for (uint64_t i = 0; i < count; i++)
                value[i] *= smooth;
            for (uint64_t i = 0; pass == 0 && i < count; i++)
                take_ends(&ends[i], value[i]);
            for (uint64_t i = 0; pass == 1 && i < count; i++)
                value[i] = row_scaled(&pair[i], value[i]);
            if (pass == 1)
                numbers_write(task, output->y - 1U, &output->number, at, count, value);
        }
        for (uint64_t i = 0; pass == 0 && i < count; i++) {
            pair[i] = row_pair_of(output, ends[i].least, ends[i].greatest, ends[i].is_number);
            row_pair_write(task, output, number / pieces * plan->width + first + i, &pair[i]);
        }
    }
}

/* The scale of all rows, before they are taken. */
static int start_tensor(struct task *task)
{
    const struct row_plan *plan = task->parameters;
    struct row_scale_pair *pair = task->shared;
    double *value = task->room, *room = value + plan->width;
    struct ends ends = no_ends;
    for (uint64_t row = 0; row < plan->rows; row++) {
        row_scaled_input(task, &plan->output[0], row, 0, value, room);
        for (uint64_t i = 0; i < plan->width; i++)
            take_ends(&ends, room[i]);
    }
    *pair = row_pair_of(&plan->output[0], ends.least, ends.greatest, ends.is_number);
    row_pair_write(task, &plan->output[0], 0, pair);
    return 0;
}

static void take_row_of_tensor(const struct task *task, uint64_t row)
{
    const struct row_plan *plan = task->parameters;
    double *value = task->room, *scaled = value + plan->width;
    row_scaled_input(task, &plan->output[0], row, 0, value, scaled);
    for (uint64_t i = 0; i < plan->width; i++)
        scaled[i] = row_scaled(task->shared, scaled[i]);
    numbers_write(task, plan->output[0].y - 1U, &plan->output[0].number, row * plan->width, plan->width,
                  scaled);
}

/* Rows as everywhere; the shape of scales and who does what by the mode. */
static aclnnStatus stage(const struct call *call, struct row_plan *plan)
{
    const struct tensor_view *x = part_view(call, X);
    enum mode mode;
    TRY(row_of_x(call, plan));
    TRY(read_mode(call, &mode));
    if (mode == BY_TENSOR) {
        plan->outer = (struct shape){.rank = 1, .dim = {1}};
        plan->body = take_row_of_tensor;
        plan->start = start_tensor;
        plan->shared_bytes = sizeof(struct row_scale_pair);
    }
    if (mode == BY_CHANNEL) {
        plan->outer.dim[plan->outer.rank - 1] = x->shape[x->rank - 1];
        plan->steps = (uint64_t)x->shape[x->rank - 2];
        plan->factor_width = plan->steps;
        plan->body = take_columns;
        plan->tasks =
            plan->steps > 0 ? plan->rows / plan->steps * ((plan->width + COLUMNS - 1) / COLUMNS) : 0;
    }
    return ACLNN_SUCCESS;
}

#define PARTS_OF(list)                                                                     \
    [X] = AT(list##_x), [FACTOR] = AT(list##_smoothScalesOptional), [Y] = AT(list##_yOut), \
    [SCALE] = AT(list##_scaleOut)
#define MORE_OF(list) PARTS_OF(list), [GROUPS] = AT(list##_groupIndexOptional), [ZERO] = AT(list##_offsetOut)
#define MODES_OF(list)                                                       \
    [DST_TYPE] = AT(list##_dstType), [SYMMETRIC] = AT(list##_isSymmetrical), \
    [SCALE_MODE] = AT(list##_quantMode)
#define MADE .stage = stage, .check = check, .made = BY_SIZE, .is_made = true, .groups = ALL_ENDS
static const struct row_form form = {{PARTS_OF(DYNAMIC_QUANT)}, {0}, MADE};
static const struct row_form form_v2 = {
    {MORE_OF(DYNAMIC_QUANT_V2)}, {[DST_TYPE] = AT(DYNAMIC_QUANT_V2_dstType)}, MADE};
static const struct row_form form_v3 = {{MORE_OF(DYNAMIC_QUANT_V3)}, {MODES_OF(DYNAMIC_QUANT_V3)}, MADE};
static const struct row_form form_v4 = {
    {MORE_OF(DYNAMIC_QUANT_V4)},
    {MODES_OF(DYNAMIC_QUANT_V4), [MOST] = AT(DYNAMIC_QUANT_V4_dstTypeMax)},
    MADE};

#define ROWS_OF(form) .promise = &promise_exact, QUANTISED_ROWS(form)
FUNCTION_OF(aclnnDynamicQuant, DYNAMIC_QUANT, .stem = "dynamic_quant", ROWS_OF(form));
FUNCTION_OF(aclnnDynamicQuantV2, DYNAMIC_QUANT_V2, .stem = "dynamic_quant_v2", ROWS_OF(form_v2));
FUNCTION_OF(aclnnDynamicQuantV3, DYNAMIC_QUANT_V3, .stem = "dynamic_quant_v3", ROWS_OF(form_v3));
FUNCTION_OF(aclnnDynamicQuantV4, DYNAMIC_QUANT_V4, .stem = "dynamic_quant_v4", ROWS_OF(form_v4));
