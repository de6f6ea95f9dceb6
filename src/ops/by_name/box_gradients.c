/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Gradients of how far two boxes overlap, by name, of both boxes: GIoU (H. Rezatofighi and others, 2019), DIoU and
 * CIoU (Z. Zheng and others, 2020). The weight of CIoU's last term is a constant there, as in torchvision. Where two
 * sides lie at one place each has half the gradient; boxes that only touch have nothing in common. In doubles, rounded
 * once; the sums over pairs in the order of the boxes.
 */
#include "ops/by_name/program.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { CORNERS = 4, PAIR_NS = 60, LESS_HULL = 0, LESS_CENTRES = 1, LESS_SHAPES = 2 };

#define GRADIENT(X, of)                                                             \
    X(of, IN, dy, &dtypes_fp32_fp16_bf16, .sample = "1x3")                          \
    X(of, IN, boxes, &dtypes_fp32_fp16_bf16, .sample = "4x3")                       \
    X(of, IN, others, &dtypes_fp32_fp16_bf16, .sample = "4x3")                      \
    X(of, IN, angles, &dtypes_fp32_fp16_bf16, .sample = "1x3", .is_optional = true) \
    X(of, BOOL, trans)                                                              \
    X(of, BOOL, crosses)                                                            \
    X(of, BOOL, ofOthers)                                                           \
    X(of, INT64, less)                                                              \
    X(of, OUT, boxesGradient, &dtypes_fp32_fp16_bf16)                               \
    X(of, OUT, othersGradient, &dtypes_fp32_fp16_bf16)
SIGNATURE(GRADIENT)

struct gradient {
    uint64_t columns, others; /* how many boxes, and how many others */
    bool has_centres, crosses, is_of_others;
    int64_t less;
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const bool crosses = call->argument[GRADIENT_crosses].boolean;
    const int64_t less = call->argument[GRADIENT_less].int64;
    TRY(check_dtype(call, GRADIENT_boxes));
    TRY(check_same_dtype(call, GRADIENT_others, GRADIENT_boxes, NULL));
    TRY(check_same_dtype(call, GRADIENT_dy, GRADIENT_boxes, NULL));
    TRY(check_sizes(call, GRADIENT_boxes, SIZES(CORNERS, -1)));
    const int64_t columns = call->tensor[GRADIENT_boxes].shape[1];
    TRY(check_sizes(call, GRADIENT_others, SIZES(CORNERS, crosses ? -1 : columns)));
    const int64_t others = call->tensor[GRADIENT_others].shape[1], pairs = columns * (crosses ? others : 1);
    if (call->tensor[GRADIENT_dy].count != pairs)
        return refuse(call, "dy has %lld numbers; %lld are expected",
                      (long long)call->tensor[GRADIENT_dy].count, (long long)pairs);
    if (less == LESS_SHAPES && call_has(call, GRADIENT_angles)) {
        TRY(check_dtype(call, GRADIENT_angles));
        if (call->tensor[GRADIENT_angles].count != pairs)
            return refuse(call, "atan_sub has %lld numbers; %lld are expected",
                          (long long)call->tensor[GRADIENT_angles].count, (long long)pairs);
    }
    result->computed = call->tensor[GRADIENT_boxes].dtype;
    result_sized(result, result->computed, DTYPE_EQUAL, SIZES(CORNERS, columns));
    result_sized(result, result->computed, DTYPE_EQUAL, SIZES(CORNERS, others));
    return ACLNN_SUCCESS;
}

/* Of each axis where a box begins and ends. */
struct box {
    double begin[2], end[2];
};

static struct box read_box(const struct task *task, unsigned parameter, uint64_t column, uint64_t columns)
{
    const struct gradient *gradient = task->parameters;
    double given[CORNERS];
    struct box box;
    for (uint64_t k = 0; k < CORNERS; k++)
        given[k] = task_number(task, parameter, k * columns + column);
    for (int k = 0; k < 2; k++) {
        box.begin[k] = gradient->has_centres ? given[k] - given[k + 2] / 2 : given[k];
        box.end[k] = gradient->has_centres ? given[k] + given[k + 2] / 2 : given[k + 2];
    }
    return box;
}

static double quotient(double a, double b)
{
    return b == 0 ? 0 : a / b;
}

/* What the smaller of two gives to the first of them. */
static double part_of_first(double first, double second)
{
    return first < second ? 1 : first == second ? 0.5 : 0;
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

/* What belongs to both boxes. */
struct pair {
    double length[2], whole[2], gap[2]; /* in common, of the box around both, between the centres */
    double common, own, second, both, hull, apart, across;
};

static struct pair pair_of(const struct box *a, const struct box *b)
{
    struct pair pair = {.common = 1, .own = 1, .second = 1, .hull = 1};
    for (int k = 0; k < 2; k++) {
        const double length = lesser(a->end[k], b->end[k]) - greater(a->begin[k], b->begin[k]);
        pair.length[k] = length > 0 ? length : 0;
        pair.whole[k] = greater(a->end[k], b->end[k]) - lesser(a->begin[k], b->begin[k]);
        pair.gap[k] = (a->begin[k] + a->end[k] - b->begin[k] - b->end[k]) / 2;
        pair.common *= pair.length[k];
        pair.own *= a->end[k] - a->begin[k];
        pair.second *= b->end[k] - b->begin[k];
        pair.hull *= pair.whole[k];
        pair.apart += pair.gap[k] * pair.gap[k];
        pair.across += pair.whole[k] * pair.whole[k];
    }
    pair.both = pair.own + pair.second - pair.common;
    return pair;
}

/* What the result changes by with the areas and lengths of a pair, for dy. */
struct parts {
    double common, own, second, hull, apart, across, angle;
};

static struct parts parts_of(const struct gradient *gradient, const struct pair *pair, double angle,
                             double dy)
{
    static const double share = 0.40528473456935108578; /* 4 / pi^2 */
    const double below = gradient->is_of_others ? pair->second : pair->both,
                 by_below = -quotient(pair->common, below * below) * dy;
    struct parts parts = {.common = quotient(dy, below)};
    double both = 0; /* what the area that both cover changes it by */
    if (gradient->is_of_others)
        parts.second = by_below;
    else
        both = by_below;
    if (gradient->less == LESS_HULL) {
        both += quotient(dy, pair->hull);
        parts.hull = -quotient(pair->both, pair->hull * pair->hull) * dy;
    } else {
        parts.apart = -quotient(dy, pair->across);
        parts.across = quotient(pair->apart, pair->across * pair->across) * dy;
    }
    if (gradient->less == LESS_SHAPES) {
        const double v = share * angle * angle, weight = quotient(v, 1 - quotient(pair->common, below) + v);
        parts.angle = -weight * 2 * share * angle * dy;
    }
    parts.common -= both;
    parts.own += both;
    parts.second += both;
    return parts;
}

/* Adds what the pair gives to its first box, as the gradient of where that begins and ends. The angle is the second
 * box's less the first one's, or the reverse where the boxes have changed places. */
static void add_pair(const struct pair *pair, const struct parts *parts, double of_area, double of_angle,
                     const struct box *a, const struct box *b, double gap_sign, struct box *sum)
{
    double size[2], begin[2], end[2];
    for (int k = 0; k < 2; k++)
        size[k] = a->end[k] - a->begin[k];
    const double squares = size[0] * size[0] + size[1] * size[1];
    for (int k = 0; k < 2; k++) {
        const double of_length = pair->length[k] > 0 ? parts->common * pair->length[1 - k] : 0,
                     of_whole = parts->hull * pair->whole[1 - k] + 2 * parts->across * pair->whole[k],
                     of_gap = gap_sign * parts->apart * pair->gap[k], /* half of twice the gap */
            of_size = of_area * size[1 - k] +
                      of_angle * parts->angle * quotient(k == 0 ? size[1] : -size[0], squares);
        end[k] = of_length * part_of_first(a->end[k], b->end[k]) +
                 of_whole * part_of_first(b->end[k], a->end[k]) + of_gap + of_size;
        begin[k] = -of_length * part_of_first(b->begin[k], a->begin[k]) -
                   of_whole * part_of_first(a->begin[k], b->begin[k]) + of_gap - of_size;
    }
    for (int k = 0; k < 2; k++) {
        sum->begin[k] += begin[k];
        sum->end[k] += end[k];
    }
}

/* atan(width / height) of the second less that of the first. */
static double angle_of(const struct task *task, const struct box *a, const struct box *b, uint64_t at)
{
    if (task_has(task, GRADIENT_angles))
        return task_number(task, GRADIENT_angles, at);
    double angle[2] = {(a->end[0] - a->begin[0]) / (a->end[1] - a->begin[1]),
                       (b->end[0] - b->begin[0]) / (b->end[1] - b->begin[1])};
    task->maths->arctangent(angle, 2);
    return angle[1] - angle[0];
}

/* The gradient of one box, or behind these of one of the others. */
static void take_box(const struct task *task, uint64_t number)
{
    const struct gradient *gradient = task->parameters;
    const bool is_other = number >= gradient->columns;
    const uint64_t own = is_other ? number - gradient->columns : number,
                   against = is_other ? gradient->columns : gradient->others,
                   pairs = gradient->crosses ? against : 1;
    struct box sum = {{0, 0}, {0, 0}};
    for (uint64_t k = 0; k < pairs; k++) {
        const uint64_t second = gradient->crosses ? k : own, column = is_other ? second : own,
                       other = is_other ? own : second,
                       at = gradient->crosses ? other * gradient->columns + column : own;
        const struct box a = read_box(task, GRADIENT_boxes, column, gradient->columns),
                         b = read_box(task, GRADIENT_others, other, gradient->others);
        const struct pair pair = pair_of(&a, &b);
        const double angle = gradient->less == LESS_SHAPES ? angle_of(task, &a, &b, at) : 0;
        const struct parts parts = parts_of(gradient, &pair, angle, task_number(task, GRADIENT_dy, at));
        if (is_other)
            add_pair(&pair, &parts, parts.second, 1, &b, &a, -1, &sum);
        else
            add_pair(&pair, &parts, parts.own, -1, &a, &b, 1, &sum);
    }
    const unsigned out = is_other ? GRADIENT_othersGradient : GRADIENT_boxesGradient;
    const uint64_t columns = is_other ? gradient->others : gradient->columns;
    for (uint64_t k = 0; k < 2; k++) {
        const double begin = sum.begin[k], end = sum.end[k];
        task_set(task, out, k * columns + own, gradient->has_centres ? begin + end : begin);
        task_set(task, out, (k + 2) * columns + own, gradient->has_centres ? (end - begin) / 2 : end);
    }
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct gradient gradient = {
        .columns = (uint64_t)call->tensor[GRADIENT_boxes].shape[1],
        .others = (uint64_t)call->tensor[GRADIENT_others].shape[1],
        .has_centres = call->argument[GRADIENT_trans].boolean,
        .crosses = call->argument[GRADIENT_crosses].boolean,
        .is_of_others = call->argument[GRADIENT_ofOthers].boolean,
        .less = call->argument[GRADIENT_less].int64,
    };
    (void)result;
    return row_tasks_plan(
        call, &(struct row_tasks_request){
                  .body = take_box,
                  .count = gradient.columns + gradient.others,
                  .task_ns = (gradient.crosses ? gradient.columns + gradient.others : 1) * PAIR_NS,
                  .parameters = &gradient,
                  .parameter_bytes = sizeof gradient});
}

KIND_FUNCTION(BoxDistanceGradient, GRADIENT, .stem = "box_distance_gradient", .family = FAMILY_WINDOW,
              .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan);

__attribute__((constructor)) static void offer(void)
{
    program_offer_function(&BoxDistanceGradient_function);
}
