/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Boxes by name: those that do not overlap a better one, and how far two overlap in ways that aclnnIou has
 * not. In doubles, rounded once. Of equal scores the first box is the better one.
 */
#include "ops/by_name/boxes.h"
#include "ops/by_name/program.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { CORNERS = BOX_CORNERS, SCORED = CORNERS + 1, PAIR_NS = 10 };

double boxes_overlap(const double *a, const double *b)
{
    double common = 1, area_a = 1, area_b = 1;
    for (int i = 0; i < 2; i++) {
        const double a0 = a[i] < a[i + 2] ? a[i] : a[i + 2], a1 = a[i] < a[i + 2] ? a[i + 2] : a[i],
                     b0 = b[i] < b[i + 2] ? b[i] : b[i + 2], b1 = b[i] < b[i + 2] ? b[i + 2] : b[i];
        const double begin = a0 > b0 ? a0 : b0, end = a1 < b1 ? a1 : b1;
        common *= end > begin ? end - begin : 0;
        area_a *= a1 - a0;
        area_b *= b1 - b0;
    }
    return common > 0 ? common / (area_a + area_b - common) : 0;
}

/* By merging. */
void boxes_order(double *order, double *other, const double *score, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        order[i] = (double)i;
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t begin = 0; begin < count; begin += 2 * width) {
            const uint64_t middle = begin + width < count ? begin + width : count,
                           end = begin + 2 * width < count ? begin + 2 * width : count;
            uint64_t left = begin, right = middle;
            for (uint64_t i = begin; i < end; i++) {
                const double a = left < middle ? score[(uint64_t)order[left]] : 0,
                             b = right < end ? score[(uint64_t)order[right]] : 0;
                const bool takes_right = left >= middle || (right < end && (b > a || (a != a && b == b)));
                other[i] = order[takes_right ? right++ : left++];
            }
        }
        memcpy(order, other, count * sizeof *order);
    }
}

/* Scores are not looked at: whoever calls has sorted the boxes. */
#define STAY(X, of)                                           \
    X(of, IN, boxes, &dtypes_fp32_fp16_bf16, .sample = "3x5") \
    X(of, FLOAT, threshold, .usual = "0.5")                   \
    X(of, OUT, selected, &dtypes_fp32_fp16_bf16)              \
    X(of, OUT, index, &dtypes_int32)                          \
    X(of, OUT, mask, &dtypes_uint8)
SIGNATURE(STAY)

struct choice {
    uint64_t count, columns;
    int64_t most;
    double threshold, least;
};

aclnnStatus boxes_check_count(const struct call *call, int64_t count)
{
    return count <= MOST_BOXES ? ACLNN_SUCCESS : refuse(call, "there are more than %d boxes", MOST_BOXES);
}

static aclnnStatus infer_stay(const struct call *call, struct result *result)
{
    const struct tensor_view *boxes = &call->tensor[STAY_boxes];
    TRY(check_dtype(call, STAY_boxes));
    TRY(check_sizes(call, STAY_boxes, SIZES(-1, -1)));
    TRY(boxes_check_count(call, boxes->shape[0]));
    if (boxes->shape[1] < SCORED)
        return refuse(call, "boxes have %lld numbers each; 4 corners and a score are expected",
                      (long long)boxes->shape[1]);
    result->computed = boxes->dtype;
    result_sized(result, boxes->dtype, DTYPE_EQUAL, SIZES(boxes->shape[0], SCORED));
    result_sized(result, ACL_INT32, DTYPE_EQUAL, SIZES(boxes->shape[0]));
    result_sized(result, ACL_UINT8, DTYPE_EQUAL, SIZES(boxes->shape[0]));
    return ACLNN_SUCCESS;
}

static void find_what_stays(const struct task *task, uint64_t number)
{
    const struct choice *choice = task->parameters;
    const uint64_t count = choice->count;
    double *stays = task->room, *box = stays + count;
    (void)number;
    for (uint64_t i = 0; i < count; i++) {
        task_read(task, STAY_boxes, i * choice->columns, SCORED, box + i * SCORED);
        stays[i] = 1;
        for (uint64_t k = 0; stays[i] != 0 && k < i; k++)
            stays[i] =
                stays[k] == 0 || !(boxes_overlap(box + k * SCORED, box + i * SCORED) > choice->threshold);
        task_write(task, STAY_selected, i * SCORED, SCORED, box + i * SCORED);
        task_set_integer(task, STAY_index, i, (int64_t)i);
        task_set_integer(task, STAY_mask, i, stays[i] != 0);
    }
}

static aclnnStatus plan_choice(const struct call *call, const struct choice *choice, uint64_t room,
                               void (*body)(const struct task *task, uint64_t number))
{
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = body,
                                          .count = 1,
                                          .task_ns = choice->count * choice->count * PAIR_NS / 4 + 100,
                                          .room = room * choice->count + 1,
                                          .parameters = choice,
                                          .parameter_bytes = sizeof *choice});
}

static aclnnStatus plan_stay(const struct call *call, const struct result *result)
{
    const struct tensor_view *boxes = &call->tensor[STAY_boxes];
    const struct choice choice = {.count = (uint64_t)boxes->shape[0],
                                  .columns = (uint64_t)boxes->shape[1],
                                  .threshold = (double)call->argument[STAY_threshold].fp32};
    (void)result;
    return plan_choice(call, &choice, 1 + SCORED, find_what_stays);
}

KIND_FUNCTION(BoxesThatStay, STAY, .stem = "boxes_that_stay", .family = FAMILY_WINDOW,
              .promise = &promise_exact, ROW_TASKS, .infer = infer_stay, .plan = plan_stay);

#define BEST(X, of)                                           \
    X(of, IN, boxes, &dtypes_fp32_fp16_bf16, .sample = "3x4") \
    X(of, IN, scores, &dtypes_fp32_fp16_bf16, .sample = "3")  \
    X(of, INT64, most)                                        \
    X(of, FLOAT, threshold, .usual = "0.5")                   \
    X(of, FLOAT, least, .usual = "0")                         \
    X(of, OUT, index, &dtypes_int32)                          \
    X(of, OUT, found, &dtypes_int32)
SIGNATURE(BEST)

static aclnnStatus infer_best(const struct call *call, struct result *result)
{
    const int64_t most = call->argument[BEST_most].int64;
    TRY(check_dtype(call, BEST_boxes));
    TRY(check_dtype(call, BEST_scores));
    TRY(check_sizes(call, BEST_boxes, SIZES(-1, CORNERS)));
    TRY(boxes_check_count(call, call->tensor[BEST_boxes].shape[0]));
    TRY(check_sizes(call, BEST_scores, SIZES(call->tensor[BEST_boxes].shape[0])));
    if (most < 0 || most > INT32_MAX)
        return refuse(call, "at most %lld boxes are wanted; 0 or more are expected", (long long)most);
    result->computed = call->tensor[BEST_boxes].dtype;
    result_sized(result, ACL_INT32, DTYPE_EQUAL, SIZES(most));
    result_sized(result, ACL_INT32, DTYPE_EQUAL, 0, &most); /* () */
    return ACLNN_SUCCESS;
}

/* Places behind those that are found are 0. */
static void select_best(const struct task *task, uint64_t number)
{
    const struct choice *choice = task->parameters;
    const uint64_t count = choice->count;
    double *score = task->room, *order = score + count, *taken = order + count, *box = taken + count;
    int64_t found = 0;
    (void)number;
    if (count > 0) {
        task_read(task, BEST_scores, 0, count, score);
        task_read(task, BEST_boxes, 0, count * CORNERS, box);
    }
    boxes_order(order, taken, score, count);
    for (uint64_t i = 0; i < count && found < choice->most; i++) {
        const uint64_t own = (uint64_t)order[i];
        bool is_free = score[own] > choice->least;
        for (int64_t k = 0; is_free && k < found; k++)
            is_free =
                !(boxes_overlap(box + own * CORNERS, box + (uint64_t)taken[k] * CORNERS) > choice->threshold);
        if (is_free)
            taken[found++] = order[i];
    }
    for (int64_t k = 0; k < choice->most; k++)
        task_set_integer(task, BEST_index, (uint64_t)k, k < found ? (int64_t)taken[k] : 0);
    task_set_integer(task, BEST_found, 0, found);
}

static aclnnStatus plan_best(const struct call *call, const struct result *result)
{
    const struct choice choice = {.count = (uint64_t)call->tensor[BEST_boxes].shape[0],
                                  .most = call->argument[BEST_most].int64,
                                  .threshold = (double)call->argument[BEST_threshold].fp32,
                                  .least = (double)call->argument[BEST_least].fp32};
    (void)result;
    return plan_choice(call, &choice, 3 + CORNERS, select_best);
}

KIND_FUNCTION(BestBoxes, BEST, .stem = "best_boxes", .family = FAMILY_WINDOW, .promise = &promise_exact,
              ROW_TASKS, .infer = infer_best, .plan = plan_best);

/* Columns of boxes, as corners or, with trans, as a centre, a width and a height. */
#define DISTANCE(X, of)                                        \
    X(of, IN, boxes, &dtypes_fp32_fp16_bf16, .sample = "4x3")  \
    X(of, IN, others, &dtypes_fp32_fp16_bf16, .sample = "4x3") \
    X(of, BOOL, trans)                                         \
    X(of, BOOL, crosses)                                       \
    X(of, BOOL, ofOthers)                                      \
    X(of, BOOL, byCentres)                                     \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(DISTANCE)

struct distance {
    uint64_t columns, rows;
    bool has_centres, crosses, is_of_others, is_by_centres;
};

static aclnnStatus infer_distance(const struct call *call, struct result *result)
{
    const bool crosses = call->argument[DISTANCE_crosses].boolean;
    TRY(check_dtype(call, DISTANCE_boxes));
    TRY(check_same_dtype(call, DISTANCE_others, DISTANCE_boxes, NULL));
    TRY(check_sizes(call, DISTANCE_boxes, SIZES(CORNERS, -1)));
    const int64_t columns = call->tensor[DISTANCE_boxes].shape[1];
    TRY(check_sizes(call, DISTANCE_others, SIZES(CORNERS, crosses ? -1 : columns)));
    result->computed = call->tensor[DISTANCE_boxes].dtype;
    const struct output *output =
        result_sized(result, result->computed, DTYPE_EQUAL,
                     SIZES(crosses ? call->tensor[DISTANCE_others].shape[1] : 1, columns));
    return check_element_count(call, &output->shape);
}

static void read_box(const struct task *task, unsigned parameter, uint64_t column, uint64_t columns,
                     double *box)
{
    const struct distance *distance = task->parameters;
    double given[CORNERS];
    for (uint64_t k = 0; k < CORNERS; k++)
        given[k] = task_number(task, parameter, k * columns + column);
    for (int k = 0; k < 2; k++) {
        box[k] = distance->has_centres ? given[k] - given[k + 2] / 2 : given[k];
        box[k + 2] = distance->has_centres ? given[k] + given[k + 2] / 2 : given[k + 2];
    }
}

static double area_of(const double *box)
{
    return (box[2] - box[0]) * (box[3] - box[1]);
}

/* What is common by what both cover, or the other does; less what of the box around both neither covers, or
 * less the square of the distance of the centres by that of its corners. */
static double measure(const struct distance *distance, const double *a, const double *b)
{
    double hull[CORNERS], common = 1, apart = 0, across = 0;
    for (int k = 0; k < 2; k++) {
        const double begin = a[k] > b[k] ? a[k] : b[k], end = a[k + 2] < b[k + 2] ? a[k + 2] : b[k + 2],
                     gap = (a[k] + a[k + 2] - b[k] - b[k + 2]) / 2;
        common *= end > begin ? end - begin : 0;
        hull[k] = a[k] < b[k] ? a[k] : b[k];
        hull[k + 2] = a[k + 2] > b[k + 2] ? a[k + 2] : b[k + 2];
        apart += gap * gap;
        across += (hull[k + 2] - hull[k]) * (hull[k + 2] - hull[k]);
    }
    const double both = area_of(a) + area_of(b) - common;
    const double share = common / (distance->is_of_others ? area_of(b) : both);
    return distance->is_by_centres ? share - apart / across : share - (area_of(hull) - both) / area_of(hull);
}

static void measure_row(const struct task *task, uint64_t row)
{
    const struct distance *distance = task->parameters;
    double box[CORNERS], other[CORNERS];
    for (uint64_t i = 0; i < distance->columns; i++) {
        read_box(task, DISTANCE_boxes, i, distance->columns, box);
        read_box(task, DISTANCE_others, distance->crosses ? row : i,
                 distance->crosses ? distance->rows : distance->columns, other);
        task_set(task, DISTANCE_out, row * distance->columns + i, measure(distance, box, other));
    }
}

static aclnnStatus plan_distance(const struct call *call, const struct result *result)
{
    const bool crosses = call->argument[DISTANCE_crosses].boolean;
    const struct distance distance = {
        .columns = (uint64_t)call->tensor[DISTANCE_boxes].shape[1],
        .rows = crosses ? (uint64_t)call->tensor[DISTANCE_others].shape[1] : 1,
        .has_centres = call->argument[DISTANCE_trans].boolean,
        .crosses = crosses,
        .is_of_others = call->argument[DISTANCE_ofOthers].boolean,
        .is_by_centres = call->argument[DISTANCE_byCentres].boolean,
    };
    (void)result;
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = measure_row,
                                          .count = distance.columns == 0 ? 0 : distance.rows,
                                          .task_ns = distance.columns * (uint64_t)(8 * PAIR_NS) + 100,
                                          .parameters = &distance,
                                          .parameter_bytes = sizeof distance});
}

KIND_FUNCTION(BoxDistance, DISTANCE, .stem = "box_distance", .family = FAMILY_WINDOW, .promise = &promise_sum,
              ROW_TASKS, .infer = infer_distance, .plan = plan_distance);

__attribute__((constructor)) static void offer(void)
{
    program_offer_function(&BoxesThatStay_function);
    program_offer_function(&BestBoxes_function);
    program_offer_function(&BoxDistance_function);
}
