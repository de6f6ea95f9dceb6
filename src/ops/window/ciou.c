/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How far boxes overlap, less how far their centres are apart and how much their shapes differ. In doubles, rounded
 * once.
 */
#include "aclnnop/aclnn_ciou.h"

#include <string.h>

#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { PAIR_NS = 60, NUMBERS = 4, PIECE = 64 };

#define CIOU(X, of)                                        \
    X(of, IN, bBoxes, &dtypes_fp32, .sample = "4x3")       \
    X(of, IN, gtBoxes, &dtypes_fp32, .sample = "4x3")      \
    X(of, BOOL, trans, .usual = "false")                   \
    X(of, BOOL, isCross, .usual = "true")                  \
    X(of, TEXT, mode, .is_optional = true, .usual = "iou") \
    X(of, OUT, overlap, &dtypes_fp32)                      \
    X(of, OUT, atanSub, &dtypes_fp32)
SIGNATURE(CIOU)

struct ciou {
    uint64_t boxes, others;
    bool has_centres, is_cross, is_of_second;
};

static aclnnStatus read_ciou(const struct call *call, struct ciou *ciou)
{
    const char *mode = call->argument[CIOU_mode].string;
    const bool is_cross = call->argument[CIOU_isCross].boolean, has_mode = mode != NULL && *mode != 0;
    TRY(check_all_dtypes(call));
    TRY(check_sizes(call, CIOU_bBoxes, SIZES(NUMBERS, -1)));
    const int64_t boxes = call->tensor[CIOU_bBoxes].shape[1];
    TRY(check_sizes(call, CIOU_gtBoxes, SIZES(NUMBERS, is_cross ? -1 : boxes)));
    if (has_mode && strcmp(mode, "iou") != 0 && strcmp(mode, "iof") != 0)
        return refuse(call, "mode is \"%s\"; iou or iof is expected", mode);
    *ciou = (struct ciou){.boxes = (uint64_t)boxes,
                          .others = is_cross ? (uint64_t)call->tensor[CIOU_gtBoxes].shape[1] : 1,
                          .has_centres = call->argument[CIOU_trans].boolean,
                          .is_cross = is_cross,
                          .is_of_second = has_mode && strcmp(mode, "iof") == 0};
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct ciou ciou;
    TRY(read_ciou(call, &ciou));
    result->computed = ACL_FLOAT;
    for (int i = 0; i < 2; i++)
        TRY(check_element_count(call, &result_sized(result, ACL_FLOAT, DTYPE_EQUAL,
                                                    SIZES((int64_t)ciou.others, (int64_t)ciou.boxes))
                                           ->shape));
    return ACLNN_SUCCESS;
}

struct box {
    double begin[2], end[2], size[2];
};

/* Numbers of each kind side by side, count of them. */
static struct box box_of(const double *numbers, uint64_t count, uint64_t i, bool has_centres)
{
    struct box box;
    for (unsigned k = 0; k < 2; k++) {
        const double first = numbers[k * count + i], second = numbers[(k + 2) * count + i];
        box.size[k] = has_centres ? second : second - first;
        box.begin[k] = has_centres ? first - second / 2 : first;
        box.end[k] = has_centres ? first + second / 2 : second;
    }
    return box;
}

static double quotient(double a, double b)
{
    return b == 0 ? 0 : a / b;
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static double overlap_of(const struct box *box, const struct box *other, double angles, bool is_of_second)
{
    static const double share = 0.40528473456935108578; /* 4 / pi^2 */
    double common = 1, apart = 0, hull = 0;
    for (unsigned k = 0; k < 2; k++) {
        const double length = lesser(box->end[k], other->end[k]) - greater(box->begin[k], other->begin[k]),
                     centres = (other->begin[k] + other->end[k] - box->begin[k] - box->end[k]) / 2,
                     whole = greater(box->end[k], other->end[k]) - lesser(box->begin[k], other->begin[k]);
        common *= length <= 0 ? 0 : length;
        apart += centres * centres;
        hull += whole * whole;
    }
    const double own = box->size[0] * box->size[1], second = other->size[0] * other->size[1],
                 iou = quotient(common, is_of_second ? second : own + second - common),
                 v = share * angles * angles;
    return iou - quotient(apart, hull) - quotient(v, 1 - iou + v) * v;
}

/* A piece of the boxes, with one of the others, or each with its own. */
static void take_piece(const struct task *task, uint64_t number)
{
    const struct ciou *ciou = task->parameters;
    const uint64_t pieces = (ciou->boxes + PIECE - 1) / PIECE, other = number / pieces,
                   first = number % pieces * PIECE, left = ciou->boxes - first,
                   count = left < PIECE ? left : PIECE, others = ciou->is_cross ? 1 : count;
    double box[NUMBERS * PIECE], second[NUMBERS * PIECE], angle[2 * PIECE], found[PIECE];
    for (uint64_t k = 0; k < NUMBERS; k++) {
        task_read(task, CIOU_bBoxes, k * ciou->boxes + first, count, box + k * count);
        task_read(task, CIOU_gtBoxes,
                  k * (ciou->is_cross ? ciou->others : ciou->boxes) + (ciou->is_cross ? other : first),
                  others, second + k * others);
    }
    for (uint64_t i = 0; i < count; i++) {
        const struct box a = box_of(box, count, i, ciou->has_centres),
                         b = box_of(second, others, ciou->is_cross ? 0 : i, ciou->has_centres);
        angle[i] = a.size[0] / a.size[1];
        angle[count + i] = b.size[0] / b.size[1];
    }
    task->maths->arctangent(angle, 2 * count);
    for (uint64_t i = 0; i < count; i++) {
        const struct box a = box_of(box, count, i, ciou->has_centres),
                         b = box_of(second, others, ciou->is_cross ? 0 : i, ciou->has_centres);
        angle[i] = angle[count + i] - angle[i];
        found[i] = overlap_of(&a, &b, angle[i], ciou->is_of_second);
    }
    task_write(task, CIOU_overlap, other * ciou->boxes + first, count, found);
    task_write(task, CIOU_atanSub, other * ciou->boxes + first, count, angle);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct ciou ciou;
    (void)result;
    TRY(read_ciou(call, &ciou));
    return row_tasks_plan(call,
                          &(struct row_tasks_request){.body = take_piece,
                                                      .count = (ciou.boxes + PIECE - 1) / PIECE * ciou.others,
                                                      .task_ns = PIECE * PAIR_NS,
                                                      .parameters = &ciou,
                                                      .parameter_bytes = sizeof ciou});
}

FUNCTION_OF(aclnnCIoU, CIOU, .stem = "ciou", .family = FAMILY_WINDOW, .promise = &promise_sum, ROW_TASKS,
            .infer = infer, .plan = plan);
