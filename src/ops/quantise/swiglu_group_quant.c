/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * silu(a) b weight of rows as floats of 8 bits, with a scale for each 128 of a row, a power of two for each 32, one that
 * is given or one that is made for each group of rows; and the gradients of silu(a) b weight. In doubles.
 */
#include "aclnnop/aclnn_swiglu_group_quant.h"
#include "aclnnop/aclnn_swiglu_group_quant_grad.h"

#include <inttypes.h>
#include <math.h>

#include "ops/quantise/mx_number.h"
#include "ops/quantise/number.h"
#include "ops/rows/normalise.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { ELEMENT_PS = 9000, LENGTH = 128 };
enum mode { BY_128, BY_MX, GIVEN, MADE };

#define FLT3                              &dtypes_fp32_fp16_bf16
#define OPTION(X, of, name, set, sample_) X(of, IN, name, set, .is_optional = true, .sample = sample_)
#define GROUP_QUANT(X, of)                                      \
    X(of, IN, x, FLT3, .sample = "3x64")                        \
    OPTION(X, of, weightOptional, &dtypes_fp32, "3")            \
    OPTION(X, of, groupIndexOptional, &dtypes_int64, "1:INT64") \
    OPTION(X, of, scaleOptional, &dtypes_fp32, "1")             \
    X(of, INT64, dstType, .usual = "36")                        \
    X(of, INT64, quantMode, .usual = "0")                       \
    X(of, INT64, blockSize, .usual = "0")                       \
    X(of, BOOL, roundScale, .usual = "false")                   \
    X(of, DOUBLE, clampLimit, .usual = "-1")                    \
    X(of, DOUBLE, dstTypeMax, .usual = "15")                    \
    X(of, BOOL, outputOrigin, .usual = "true")                  \
    X(of, OUT, yOut, &dtypes_hifloat8_float8)                   \
    X(of, OUT, yScaleOut, &dtypes_fp32_float8_e8m0)             \
    X(of, OUT, yOriginOut, FLT3, .is_optional = true)
#define GROUP_GRAD(X, of)                                       \
    X(of, IN, gradY, FLT3, .sample = "3x32")                    \
    X(of, IN, x, FLT3, .sample = "3x64")                        \
    OPTION(X, of, weightOptional, &dtypes_fp32, "3")            \
    OPTION(X, of, yOriginOptional, FLT3, "3x32")                \
    OPTION(X, of, groupIndexOptional, &dtypes_int64, "1:INT64") \
    X(of, DOUBLE, clampLimit, .usual = "0")                     \
    X(of, OUT, gradXOut, FLT3)                                  \
    X(of, OUT, gradWeightOut, &dtypes_fp32, .is_optional = true)
SIGNATURE(GROUP_QUANT)
SIGNATURE(GROUP_GRAD)

struct gated {
    struct number number;
    struct mx_number mx;
    uint64_t rows, width, groups;
    double clamp, most;
    enum mode mode;
    bool rounds_scale, has_origin;
    uint8_t x, weight, index;
};

/* What both functions have: x (.., 2 N), a weight for each row, counts of groups. */
static aclnnStatus read_gated(const struct call *call, unsigned x, unsigned weight, unsigned index,
                              unsigned clamp, struct gated *gated)
{
    const struct tensor_view *view = &call->tensor[x];
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (parameter_is_read(&call->function->parameter[i]) && call_has_elements(call, i))
            TRY(check_dtype(call, i));
    TRY(check_dtype(call, x));
    if (view->rank < 1 || view->rank > OPERAND_RANK_MAX - 1 || view->shape[view->rank - 1] % 2 != 0)
        return refuse(call, "x has shape %s; 1 to %d dims, the last one even, are expected",
                      shape_text(TEXT, view), OPERAND_RANK_MAX - 1);
    const uint64_t width = (uint64_t)view->shape[view->rank - 1] / 2;
    *gated = (struct gated){.rows = width > 0 ? (uint64_t)view->count / (2 * width) : 0,
                            .width = width,
                            .clamp = call->argument[clamp].fp64,
                            .x = (uint8_t)x,
                            .weight = (uint8_t)weight,
                            .index = (uint8_t)index};
    if (call_has_elements(call, weight) && (uint64_t)call->tensor[weight].count != gated->rows)
        return refuse(call, "%s has shape %s; %" PRIu64 " elements, one for each row, are expected",
                      call_name(call, weight), shape_text(TEXT, &call->tensor[weight]), gated->rows);
    if (call_has_elements(call, index)) {
        TRY(check_sizes(call, index, SIZES(-1)));
        gated->groups = (uint64_t)call->tensor[index].count;
    }
    return ACLNN_SUCCESS;
}

static struct shape halved(const struct tensor_view *view)
{
    struct shape shape = shape_of(view);
    shape.dim[shape.rank - 1] /= 2;
    return shape;
}

static aclnnStatus read_quant(const struct call *call, struct gated *gated)
{
    const struct tensor_view *x = &call->tensor[GROUP_QUANT_x];
    const int64_t mode = call->argument[GROUP_QUANT_quantMode].int64;
    TRY(read_gated(call, GROUP_QUANT_x, GROUP_QUANT_weightOptional, GROUP_QUANT_groupIndexOptional,
                   GROUP_QUANT_clampLimit, gated));
    if (mode < BY_128 || mode > MADE)
        return refuse(call, "quantMode is %" PRId64 "; 0, 1, 2 or 3 is expected", mode);
    gated->mode = (enum mode)mode;
    gated->rounds_scale = call->argument[GROUP_QUANT_roundScale].boolean;
    gated->most = call->argument[GROUP_QUANT_dstTypeMax].fp64;
    gated->has_origin = call->argument[GROUP_QUANT_outputOrigin].boolean;
    if (gated->has_origin && call->has_outputs)
        TRY(check_given(call, GROUP_QUANT_yOriginOut, "outputOrigin"));
    TRY(check_numbers(call, GROUP_QUANT_yOut, GROUP_QUANT_dstType, GROUP_QUANT_x, (int64_t)gated->width,
                      &gated->number));
    const bool is_hifloat8 = gated->number.dtype == ACL_HIFLOAT8;
    if (is_hifloat8 != (gated->mode >= GIVEN))
        return refuse(call, "dstType is %s with quantMode %" PRId64 "; %s is expected",
                      dtype_name(gated->number.dtype), mode,
                      gated->mode >= GIVEN ? "HIFLOAT8" : "FLOAT8_E5M2 or FLOAT8_E4M3FN");
    gated->mx = (struct mx_number){.format = gated->number.format, .rule = MX_QUOTIENT};
    if (gated->mode == GIVEN) {
        TRY(call_has_elements(call, GROUP_QUANT_scaleOptional)
                ? ACLNN_SUCCESS
                : refuse(call, "scaleOptional is not given; quantMode 2 takes it"));
        TRY(check_sizes(call, GROUP_QUANT_scaleOptional,
                        SIZES(gated->groups > 0 ? (int64_t)gated->groups : 1)));
    }
    if (gated->mode == MADE && !(gated->most > 0 && gated->most <= gated->number.format->most))
        return refuse(call, "dstTypeMax is %g; more than 0, up to %g, is expected", gated->most,
                      gated->number.format->most);
    return x->count == 0 && gated->width == 0 && x->rank > 1
               ? refuse(call, "x has shape %s; rows with elements are expected", shape_text(TEXT, x))
               : ACLNN_SUCCESS;
}

static aclnnStatus infer_quant(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[GROUP_QUANT_x];
    struct gated gated;
    TRY(read_quant(call, &gated));
    const struct shape shape = halved(x);
    struct shape scale = shape;
    result->computed = x->dtype;
    add_numbers(result, &gated.number, &shape);
    if (gated.mode == BY_128)
        scale.dim[scale.rank - 1] = (int64_t)((gated.width + LENGTH - 1) / LENGTH);
    if (gated.mode == BY_MX) {
        scale.dim[scale.rank - 1] = (int64_t)mx_pairs(gated.width);
        scale.dim[scale.rank++] = 2;
    }
    if (gated.mode == MADE)
        scale = (struct shape){.rank = 1, .dim = {gated.groups > 0 ? (int64_t)gated.groups : 1}};
    struct output *output = result_sized(result, gated.mode == BY_MX ? ACL_FLOAT8_E8M0 : ACL_FLOAT,
                                         DTYPE_EQUAL, scale.rank, scale.dim);
    output->is_unwanted = gated.mode == GIVEN;
    output = result_sized(result, x->dtype, DTYPE_EQUAL, shape.rank, shape.dim);
    output->is_unwanted = !gated.has_origin;
    return ACLNN_SUCCESS;
}

/* Where groups end; counts that are negative, or more than there are rows, are at the ends. */
static int start(struct task *task)
{
    const struct gated *gated = task->parameters;
    uint64_t *end = task->shared, before = 0;
    for (uint64_t g = 0; g < gated->groups; g++) {
        const int64_t number = task_integer(task, gated->index, g);
        const uint64_t left = gated->rows - before;
        before += number <= 0 ? 0 : (uint64_t)number < left ? (uint64_t)number : left;
        end[g] = before;
    }
    if (gated->groups == 0)
        end[0] = gated->rows;
    return 0;
}

static uint64_t group_count(const struct gated *gated)
{
    return gated->groups > 0 ? gated->groups : 1;
}

static double clamped(double value, double limit)
{
    return value > limit ? limit : value < -limit ? -limit : value;
}

/* sigmoid of a, and a and b within the limit; x has both. */
static void open_row(const struct task *task, uint64_t row, double *a, double *part)
{
    const struct gated *gated = task->parameters;
    const uint64_t width = gated->width;
    task_read(task, gated->x, row * 2 * width, 2 * width, a);
    for (uint64_t i = 0; gated->clamp > 0 && i < width; i++) {
        a[i] = a[i] > gated->clamp ? gated->clamp : a[i];
        a[width + i] = clamped(a[width + i], gated->clamp);
    }
    memcpy(part, a, width * sizeof *part);
    task->maths->logistic(part, width);
}

static double weight_of(const struct task *task, uint64_t row)
{
    const struct gated *gated = task->parameters;
    return task_has(task, gated->weight) ? task_number(task, gated->weight, row) : 1;
}

/* A row, in room for two. */
static void make_row(const struct task *task, uint64_t row, double *to)
{
    const struct gated *gated = task->parameters;
    const double weight = weight_of(task, row);
    double *part = to + 2 * gated->width;
    open_row(task, row, to, part);
    for (uint64_t i = 0; i < gated->width; i++)
        to[i] = (part[i] == 0 ? 0 : to[i] * part[i]) * to[gated->width + i] * weight;
}

/* The greatest size of those that are finite. */
static double finite_size(const double *value, uint64_t count, double least)
{
    double greatest = least;
    for (uint64_t i = 0; i < count; i++) {
        const double size = fabs(value[i]);
        greatest = size > greatest && size - size == 0 ? size : greatest;
    }
    return greatest;
}

static float rounded_up(float scale)
{
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    bits = (bits + 0x7FFFFF) & 0xFF800000;
    memcpy(&scale, &bits, sizeof bits);
    return scale;
}

static void write_by_128(const struct task *task, uint64_t row, double *value)
{
    const struct gated *gated = task->parameters;
    const uint64_t pieces = (gated->width + LENGTH - 1) / LENGTH;
    for (uint64_t k = 0; k < pieces; k++) {
        const uint64_t first = k * LENGTH, left = gated->width - first, count = left < LENGTH ? left : LENGTH;
        float scale = (float)(finite_size(value + first, count, 1e-4) / gated->number.format->most);
        scale = gated->rounds_scale ? rounded_up(scale) : scale;
        task_set(task, GROUP_QUANT_yScaleOut, row * pieces + k, (double)scale);
        for (uint64_t i = first; i < first + count; i++)
            value[i] /= (double)scale;
    }
    numbers_write(task, GROUP_QUANT_yOut, &gated->number, row * gated->width, gated->width, value);
}

static void write_by_mx(const struct task *task, uint64_t row, const double *value)
{
    const struct gated *gated = task->parameters;
    const uint64_t width = gated->width, pairs = mx_pairs(width);
    for (uint64_t k = 0; k < 2 * pairs; k++) {
        const uint64_t first = k * MX_BLOCK, left = first < width ? width - first : 0,
                       count = left < MX_BLOCK ? left : MX_BLOCK;
        uint8_t code[MX_BLOCK], scale = 0;
        if (count > 0) {
            scale = mx_scale_of_block(gated->mx.format, gated->mx.rule,
                                      (float)finite_size(value + first, count, 1e-4), 0, 0);
            mx_encode_block(gated->mx.format, gated->mx.rounding, scale, value + first, count, code);
            task_put(task, GROUP_QUANT_yOut, row * width + first, count, code);
        }
        task_put(task, GROUP_QUANT_yScaleOut, row * 2 * pairs + k, 1, &scale);
    }
}

static void quantise_row(const struct task *task, uint64_t row)
{
    const struct gated *gated = task->parameters;
    const uint64_t *end = task->shared, width = gated->width;
    uint64_t group = 0;
    while (group < group_count(gated) && row >= end[group])
        group++;
    if (group == group_count(gated))
        return;
    make_row(task, row, task->room);
    if (gated->has_origin)
        task_write(task, GROUP_QUANT_yOriginOut, row * width, width, task->room);
    if (gated->mode == BY_128)
        write_by_128(task, row, task->room);
    else if (gated->mode == BY_MX)
        write_by_mx(task, row, task->room);
    else {
        const double factor = task_number(
            task, gated->mode == GIVEN ? GROUP_QUANT_scaleOptional : GROUP_QUANT_yScaleOut, group);
        for (uint64_t i = 0; i < width; i++)
            task->room[i] = gated->mode == GIVEN ? task->room[i] * factor : task->room[i] / factor;
        numbers_write(task, GROUP_QUANT_yOut, &gated->number, row * width, width, task->room);
    }
}

/* Scales of groups are known before the first row is written. */
static int start_made(struct task *task)
{
    const struct gated *gated = task->parameters;
    const uint64_t *end = task->shared;
    (void)start(task);
    for (uint64_t g = 0, row = 0; g < group_count(gated); g++) {
        double greatest = 1e-8;
        for (; row < end[g]; row++) {
            make_row(task, row, task->room);
            greatest = greatest_size(task->room, gated->width, greatest);
        }
        task_set(task, GROUP_QUANT_yScaleOut, g, greatest / gated->most);
    }
    return 0;
}

static aclnnStatus plan_rows(const struct call *call, const struct gated *gated, int (*begin)(struct task *),
                             void (*body)(const struct task *, uint64_t))
{
    return row_tasks_plan(call,
                          &(struct row_tasks_request){.body = body,
                                                      .start = begin,
                                                      .count = gated->rows,
                                                      .task_ns = gated->width * ELEMENT_PS / 1000 + 50,
                                                      .room = 6 * gated->width,
                                                      .shared_bytes = (gated->groups + 1) * sizeof(uint64_t),
                                                      .parameters = gated,
                                                      .parameter_bytes = sizeof *gated});
}

static aclnnStatus plan_quant(const struct call *call, const struct result *result)
{
    struct gated gated;
    (void)result;
    TRY(read_quant(call, &gated));
    return plan_rows(call, &gated, gated.mode == MADE ? start_made : start, quantise_row);
}

/* The gradients. */

static aclnnStatus read_grad(const struct call *call, struct gated *gated)
{
    const struct tensor_view *x = &call->tensor[GROUP_GRAD_x];
    TRY(read_gated(call, GROUP_GRAD_x, GROUP_GRAD_weightOptional, GROUP_GRAD_groupIndexOptional,
                   GROUP_GRAD_clampLimit, gated));
    const struct shape half = halved(x);
    TRY(check_dtype(call, GROUP_GRAD_gradY));
    TRY(check_same_dtype(call, GROUP_GRAD_gradY, GROUP_GRAD_x, NULL));
    TRY(check_sizes(call, GROUP_GRAD_gradY, half.rank, half.dim));
    TRY(check_optional_sizes(call, GROUP_GRAD_yOriginOptional, half.rank, half.dim));
    const bool has_weight = call_has_elements(call, GROUP_GRAD_weightOptional);
    if (has_weight && !call_has_elements(call, GROUP_GRAD_yOriginOptional))
        return refuse(call, "yOriginOptional is not given; the gradient of weightOptional takes it");
    gated->has_origin = has_weight;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_grad(const struct call *call, struct result *result)
{
    struct gated gated;
    TRY(read_grad(call, &gated));
    result_like(result, call, GROUP_GRAD_x);
    struct output *output = result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES((int64_t)gated.rows));
    output->shape_rule = SHAPE_BY_COUNT;
    output->is_unwanted = !gated.has_origin;
    return ACLNN_SUCCESS;
}

/* A row: where a limit is reached nothing goes on. */
static void grad_row(const struct task *task, uint64_t row)
{
    const struct gated *gated = task->parameters;
    const uint64_t *end = task->shared, width = gated->width;
    double *a = task->room, *part = a + 2 * width, *gradient = part + width, *other = gradient + width;
    if (row >= end[group_count(gated) - 1]) {
        task_clear(task, GROUP_GRAD_gradXOut, row * 2 * width, 2 * width);
        if (gated->has_origin)
            task_set(task, GROUP_GRAD_gradWeightOut, row, 0);
        return;
    }
    task_read(task, GROUP_GRAD_gradY, row * width, width, gradient);
    if (gated->has_origin) {
        task_read(task, GROUP_GRAD_yOriginOptional, row * width, width, other);
        task_set(task, GROUP_GRAD_gradWeightOut, row, task->maths->dot(gradient, other, width));
    }
    open_row(task, row, a, part);
    task_read(task, GROUP_GRAD_x, row * 2 * width, 2 * width, other);
    const double weight = weight_of(task, row), limit = gated->clamp;
    for (uint64_t i = 0; i < width; i++) {
        const double g = gradient[i] * weight, opened = part[i] == 0 ? 0 : a[i] * part[i], left = other[i],
                     right = other[width + i];
        const bool keeps_left = !(limit > 0) || left < limit,
                   keeps_right = !(limit > 0) || (right < limit && right > -limit);
        gradient[i] = keeps_left ? g * a[width + i] * (part[i] + opened * (1 - part[i])) : 0;
        part[i] = keeps_right ? g * opened : 0;
    }
    task_write(task, GROUP_GRAD_gradXOut, row * 2 * width, width, gradient);
    task_write(task, GROUP_GRAD_gradXOut, row * 2 * width + width, width, part);
}

static aclnnStatus plan_grad(const struct call *call, const struct result *result)
{
    struct gated gated;
    (void)result;
    TRY(read_grad(call, &gated));
    return plan_rows(call, &gated, start, grad_row);
}

#define GATED .family = FAMILY_QUANTISE, .promise = &promise_formula, ROW_TASKS
FUNCTION_OF(aclnnSwigluGroupQuant, GROUP_QUANT, .stem = "swiglu_group_quant", GATED, .infer = infer_quant,
            .plan = plan_quant);
FUNCTION_OF(aclnnSwigluGroupQuantGrad, GROUP_GRAD, .stem = "swiglu_group_quant_grad", GATED,
            .infer = infer_grad, .plan = plan_grad);
