/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Boxes that are turned, by name: what two of them have in common, and those that do not overlap a better one. A box
 * is a centre, a width and a height, or two corners, and an angle in degrees, by which x turns to y around the centre.
 * What two have in common is the area of a polygon, of a box whose corners are cut off along the sides of the other. In
 * doubles, rounded once.
 */
#include "ops/by_name/boxes.h"
#include "ops/by_name/program.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { NUMBERS = 5, CORNERS = BOX_CORNERS, POLYGON = 2 * CORNERS, PAIR_NS = 200 };
enum { OF_NOTHING = 0, OF_BOTH = 1, OF_OTHERS = 2 };

/* Half a width and half a height. */
struct turned {
    double centre[2], half[2], cosine, sine;
};

struct point {
    double at[2];
};

static struct turned turned_of(const struct task *task, const double *given, bool has_corners)
{
    double cosine = given[4] * BOX_DEGREE, sine = cosine;
    struct turned box;
    for (int k = 0; k < 2; k++) {
        box.centre[k] = has_corners ? (given[k] + given[k + 2]) / 2 : given[k];
        box.half[k] = __builtin_fabs(has_corners ? given[k + 2] - given[k] : given[k + 2]) / 2;
    }
    task->maths->cosine(&cosine, 1);
    task->maths->sine(&sine, 1);
    box.cosine = cosine;
    box.sine = sine;
    return box;
}

static double area_of(const struct turned *box)
{
    return 4 * box->half[0] * box->half[1];
}

/* Cuts off what lies beyond limit along an axis, or before -limit; a polygon has two corners more at most for all four
 * sides of a box, being convex, but for rounding, for which there is room. */
static int cut(struct point *polygon, int corners, int axis, double sign, double limit)
{
    struct point left[POLYGON + CORNERS];
    int count = 0;
    for (int i = 0; i < corners; i++) {
        const struct point from = polygon[i], to = polygon[i + 1 < corners ? i + 1 : 0];
        const double a = limit - sign * from.at[axis], b = limit - sign * to.at[axis];
        if (a >= 0 && count < POLYGON + CORNERS)
            left[count++] = from;
        if ((a < 0) != (b < 0) && count < POLYGON + CORNERS) {
            const double share = a / (a - b);
            for (int k = 0; k < 2; k++)
                left[count].at[k] = k == axis ? sign * limit : from.at[k] + share * (to.at[k] - from.at[k]);
            count++;
        }
    }
    for (int i = 0; i < count; i++)
        polygon[i] = left[i];
    return count;
}

/* The corners of a, seen from b. */
static double common_area(const struct turned *a, const struct turned *b)
{
    static const double side[CORNERS][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    const double apart[2] = {a->centre[0] - b->centre[0], a->centre[1] - b->centre[1]};
    struct point polygon[POLYGON + CORNERS];
    int corners = CORNERS;
    for (int i = 0; i < CORNERS; i++) {
        const double along = side[i][0] * a->half[0], across = side[i][1] * a->half[1],
                     x = apart[0] + along * a->cosine - across * a->sine,
                     y = apart[1] + along * a->sine + across * a->cosine;
        polygon[i].at[0] = x * b->cosine + y * b->sine;
        polygon[i].at[1] = y * b->cosine - x * b->sine;
    }
    for (int axis = 0; axis < 2; axis++)
        for (int sign = -1; sign <= 1; sign += 2)
            corners = cut(polygon, corners, axis, sign, b->half[axis]);
    double twice = 0;
    for (int i = 2; i < corners; i++)
        twice += (polygon[i - 1].at[0] - polygon[0].at[0]) * (polygon[i].at[1] - polygon[0].at[1]) -
                 (polygon[i - 1].at[1] - polygon[0].at[1]) * (polygon[i].at[0] - polygon[0].at[0]);
    return twice > 0 ? twice / 2 : 0;
}

static double share_of(const struct turned *a, const struct turned *b, int64_t how)
{
    const double common = common_area(a, b);
    if (how == OF_NOTHING)
        return common;
    const double whole = how == OF_OTHERS ? area_of(b) : area_of(a) + area_of(b) - common;
    return whole > 0 ? common / whole : 0;
}

/* Rows of numbers for each sample, a column for each box. */
#define OVERLAP(X, of)                                           \
    X(of, IN, boxes, &dtypes_fp32_fp16_bf16, .sample = "2x5x3")  \
    X(of, IN, others, &dtypes_fp32_fp16_bf16, .sample = "2x5x3") \
    X(of, BOOL, hasCorners)                                      \
    X(of, BOOL, crosses)                                         \
    X(of, INT64, how)                                            \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(OVERLAP)

struct overlap {
    uint64_t boxes, others;
    bool has_corners, crosses;
    int64_t how;
};

static aclnnStatus infer_overlap(const struct call *call, struct result *result)
{
    const bool crosses = call->argument[OVERLAP_crosses].boolean;
    TRY(check_dtype(call, OVERLAP_boxes));
    TRY(check_same_dtype(call, OVERLAP_others, OVERLAP_boxes, NULL));
    TRY(check_sizes(call, OVERLAP_boxes, SIZES(-1, NUMBERS, -1)));
    const int64_t *shape = call->tensor[OVERLAP_boxes].shape;
    TRY(check_sizes(call, OVERLAP_others, SIZES(shape[0], NUMBERS, crosses ? -1 : shape[2])));
    result->computed = call->tensor[OVERLAP_boxes].dtype;
    const struct output *output =
        result_sized(result, result->computed, DTYPE_EQUAL,
                     SIZES(shape[0], shape[2], crosses ? call->tensor[OVERLAP_others].shape[2] : 1));
    return check_element_count(call, &output->shape);
}

static struct turned read_turned(const struct task *task, unsigned parameter, uint64_t sample,
                                 uint64_t column, uint64_t columns)
{
    const struct overlap *overlap = task->parameters;
    double given[NUMBERS];
    for (uint64_t k = 0; k < NUMBERS; k++)
        given[k] = task_number(task, parameter, (sample * NUMBERS + k) * columns + column);
    return turned_of(task, given, overlap->has_corners);
}

static void overlap_row(const struct task *task, uint64_t row)
{
    const struct overlap *overlap = task->parameters;
    const uint64_t sample = row / overlap->boxes, column = row % overlap->boxes,
                   pairs = overlap->crosses ? overlap->others : 1;
    const struct turned box = read_turned(task, OVERLAP_boxes, sample, column, overlap->boxes);
    for (uint64_t k = 0; k < pairs; k++) {
        const struct turned other = read_turned(task, OVERLAP_others, sample, overlap->crosses ? k : column,
                                                overlap->crosses ? overlap->others : overlap->boxes);
        task_set(task, OVERLAP_out, row * pairs + k, share_of(&box, &other, overlap->how));
    }
}

static aclnnStatus plan_overlap(const struct call *call, const struct result *result)
{
    const struct overlap overlap = {
        .boxes = (uint64_t)call->tensor[OVERLAP_boxes].shape[2],
        .others = (uint64_t)call->tensor[OVERLAP_others].shape[2],
        .has_corners = call->argument[OVERLAP_hasCorners].boolean,
        .crosses = call->argument[OVERLAP_crosses].boolean,
        .how = call->argument[OVERLAP_how].int64,
    };
    const uint64_t pairs = overlap.crosses ? overlap.others : 1;
    (void)result;
    return row_tasks_plan(
        call, &(struct row_tasks_request){
                  .body = overlap_row,
                  .count = pairs == 0 ? 0 : (uint64_t)call->tensor[OVERLAP_boxes].shape[0] * overlap.boxes,
                  .task_ns = pairs * PAIR_NS,
                  .parameters = &overlap,
                  .parameter_bytes = sizeof overlap});
}

KIND_FUNCTION(TurnedOverlap, OVERLAP, .stem = "turned_overlap", .family = FAMILY_WINDOW,
              .promise = &promise_sum, ROW_TASKS, .infer = infer_overlap, .plan = plan_overlap);

/* Boxes of one label suppress each other; a label alone, or none, is that of all. */
#define CHOICE(X, of)                                                          \
    X(of, IN, boxes, &dtypes_fp32_fp16_bf16, .sample = "3x5")                  \
    X(of, IN, scores, &dtypes_fp32_fp16_bf16, .sample = "3")                   \
    X(of, IN, labels, &dtypes_int32, .sample = "3:INT32", .is_optional = true) \
    X(of, FLOAT, threshold, .usual = "0.5")                                    \
    X(of, FLOAT, least, .usual = "0")                                          \
    X(of, INT64, most, .usual = "-1")                                          \
    X(of, BOOL, hasCorners)                                                    \
    X(of, OUT, best, &dtypes_fp32_fp16_bf16)                                   \
    X(of, OUT, index, &dtypes_int32)                                           \
    X(of, OUT, found, &dtypes_int32)
SIGNATURE(CHOICE)

struct choice {
    uint64_t count, labels;
    int64_t most;
    double threshold, least;
    bool has_corners;
};

static aclnnStatus infer_choice(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, CHOICE_boxes));
    TRY(check_same_dtype(call, CHOICE_scores, CHOICE_boxes, NULL));
    TRY(check_sizes(call, CHOICE_boxes, SIZES(-1, NUMBERS)));
    const int64_t count = call->tensor[CHOICE_boxes].shape[0];
    TRY(boxes_check_count(call, count));
    TRY(check_sizes(call, CHOICE_scores, SIZES(count)));
    if (call_has_elements(call, CHOICE_labels)) {
        TRY(check_dtype(call, CHOICE_labels));
        const int64_t labels = call->tensor[CHOICE_labels].count;
        if (labels != 1 && labels != count)
            return refuse(call, "labels are %lld; 1 or %lld are expected", (long long)labels,
                          (long long)count);
    }
    result->computed = call->tensor[CHOICE_boxes].dtype;
    result_sized(result, result->computed, DTYPE_EQUAL, SIZES(count, NUMBERS));
    result_sized(result, ACL_INT32, DTYPE_EQUAL, SIZES(count));
    result_sized(result, ACL_INT32, DTYPE_EQUAL, SIZES(1));
    return ACLNN_SUCCESS;
}

static double label_of(const struct task *task, uint64_t box)
{
    const struct choice *choice = task->parameters;
    return choice->labels > 1 ? task_number(task, CHOICE_labels, box) : 0;
}

static bool overlaps_none(const struct task *task, const struct turned *box, const double *label,
                          uint64_t own, const double *taken, uint64_t found)
{
    const struct choice *choice = task->parameters;
    for (uint64_t k = 0; k < found; k++) {
        const uint64_t other = (uint64_t)taken[k];
        if (label[other] == label[own] && share_of(box + other, box + own, OF_BOTH) > choice->threshold)
            return false;
    }
    return true;
}

static void choose(const struct task *task, uint64_t number)
{
    const struct choice *choice = task->parameters;
    const uint64_t count = choice->count;
    double *score = task->room, *order = score + count, *taken = order + count, *label = taken + count;
    struct turned *box = (struct turned *)(void *)(label + count);
    double given[NUMBERS];
    uint64_t found = 0;
    (void)number;
    for (uint64_t i = 0; i < count; i++) {
        task_read(task, CHOICE_boxes, i * NUMBERS, NUMBERS, given);
        score[i] = task_number(task, CHOICE_scores, i);
        label[i] = label_of(task, i);
        box[i] = turned_of(task, given, choice->has_corners);
    }
    boxes_order(order, taken, score, count);
    for (uint64_t i = 0; i < count && (choice->most < 0 || found < (uint64_t)choice->most); i++)
        if (score[(uint64_t)order[i]] > choice->least &&
            overlaps_none(task, box, label, (uint64_t)order[i], taken, found))
            taken[found++] = order[i];
    task_clear(task, CHOICE_best, 0, count * NUMBERS);
    task_clear(task, CHOICE_index, 0, count);
    for (uint64_t k = 0; k < found; k++) {
        task_copy(task, CHOICE_best, k * NUMBERS, CHOICE_boxes, (uint64_t)taken[k] * NUMBERS, NUMBERS);
        task_set_integer(task, CHOICE_index, k, (int64_t)taken[k]);
    }
    task_set_integer(task, CHOICE_found, 0, (int64_t)found);
}

static aclnnStatus plan_choice(const struct call *call, const struct result *result)
{
    const struct choice choice = {
        .count = (uint64_t)call->tensor[CHOICE_boxes].shape[0],
        .labels = call_has_elements(call, CHOICE_labels) ? (uint64_t)call->tensor[CHOICE_labels].count : 0,
        .most = call->argument[CHOICE_most].int64,
        .threshold = (double)call->argument[CHOICE_threshold].fp32,
        .least = (double)call->argument[CHOICE_least].fp32,
        .has_corners = call->argument[CHOICE_hasCorners].boolean};
    (void)result;
    return row_tasks_plan(call, &(struct row_tasks_request){
                                    .body = choose,
                                    .count = 1,
                                    .task_ns = choice.count * choice.count * PAIR_NS / 4 + 100,
                                    .room = choice.count * (4 + sizeof(struct turned) / sizeof(double)) + 1,
                                    .parameters = &choice,
                                    .parameter_bytes = sizeof choice});
}

KIND_FUNCTION(TurnedBest, CHOICE, .stem = "turned_best", .family = FAMILY_WINDOW, .promise = &promise_exact,
              ROW_TASKS, .infer = infer_choice, .plan = plan_choice);

__attribute__((constructor)) static void offer(void)
{
    program_offer_function(&TurnedOverlap_function);
    program_offer_function(&TurnedBest_function);
}
