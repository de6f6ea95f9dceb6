/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Anchors of grids, by name, as mmdetection defines them for YOLO: how boxes differ from anchors, which anchors a box
 * lies over, and which box each anchor is for. In doubles, rounded once.
 */
#include "ops/by_name/program.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { CORNERS = 4, BOX_NS = 60 };

/* The centre's difference by the stride, and the logarithm of how the sizes compare. */
#define STRIDES(X, of)                                          \
    X(of, IN, anchors, &dtypes_fp32_fp16_bf16, .sample = "3x4") \
    X(of, IN, boxes, &dtypes_fp32_fp16_bf16, .sample = "3x4")   \
    X(of, IN, stride, &dtypes_int32, .sample = "3:INT32")       \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(STRIDES)

static aclnnStatus infer_strides(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, STRIDES_anchors));
    TRY(check_same_dtype(call, STRIDES_boxes, STRIDES_anchors, NULL));
    TRY(check_dtype(call, STRIDES_stride));
    TRY(check_sizes(call, STRIDES_anchors, SIZES(-1, CORNERS)));
    const int64_t count = call->tensor[STRIDES_anchors].shape[0];
    TRY(check_sizes(call, STRIDES_boxes, SIZES(count, CORNERS)));
    TRY(check_sizes(call, STRIDES_stride, SIZES(count)));
    result->computed = call->tensor[STRIDES_anchors].dtype;
    result_sized(result, result->computed, DTYPE_EQUAL, SIZES(count, CORNERS));
    return ACLNN_SUCCESS;
}

static double at_least(double number, double least)
{
    return number < least ? least : number;
}

static void encode_by_stride(const struct task *task, uint64_t at)
{
    static const double least = 1e-6;
    double anchor[CORNERS], box[CORNERS], code[CORNERS];
    task_read(task, STRIDES_anchors, at * CORNERS, CORNERS, anchor);
    task_read(task, STRIDES_boxes, at * CORNERS, CORNERS, box);
    const double stride = (double)task_integer(task, STRIDES_stride, at);
    for (int k = 0; k < 2; k++) {
        const double apart = (box[k] + box[k + 2] - anchor[k] - anchor[k + 2]) / 2 / stride + 0.5;
        code[k] = apart > 1 - least ? 1 - least : at_least(apart, least);
        code[k + 2] = at_least((box[k + 2] - box[k]) / (anchor[k + 2] - anchor[k]), least);
    }
    task->maths->logarithm(code + 2, 2);
    task_write(task, STRIDES_out, at * CORNERS, CORNERS, code);
}

static aclnnStatus plan_strides(const struct call *call, const struct result *result)
{
    (void)result;
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = encode_by_stride,
                                          .count = (uint64_t)call->tensor[STRIDES_anchors].shape[0],
                                          .task_ns = BOX_NS});
}

KIND_FUNCTION(EncodeByStride, STRIDES, .stem = "encode_by_stride", .family = FAMILY_WINDOW,
              .promise = &promise_sum, ROW_TASKS, .infer = infer_strides, .plan = plan_strides);

/* 1 for all anchors of the place that a box's centre lies over; a centre beside the grid lies over none. */
#define FLAGS(X, of)                                          \
    X(of, IN, boxes, &dtypes_fp32_fp16_bf16, .sample = "3x4") \
    X(of, INTS, size, .sample = "4,4")                        \
    X(of, INTS, stride, .sample = "2,2")                      \
    X(of, INT64, anchors)                                     \
    X(of, OUT, out, &dtypes_uint8)
SIGNATURE(FLAGS)

struct grid {
    uint64_t boxes, anchors;
    int64_t size[2], stride[2]; /* a height and a width; of x and of y */
};

static aclnnStatus infer_flags(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, FLAGS_boxes));
    TRY(check_sizes(call, FLAGS_boxes, SIZES(-1, CORNERS)));
    int64_t count = call->argument[FLAGS_anchors].int64;
    bool fits = count >= 1 && count <= INT32_MAX;
    for (unsigned i = FLAGS_size; i <= FLAGS_stride; i++) {
        const int64_t *value = call->values[i].value.int64;
        fits = fits && call->values[i].count == 2 && value[0] >= 1 && value[1] >= 1 &&
               value[0] <= INT16_MAX && value[1] <= INT16_MAX;
    }
    if (!fits)
        return refuse(call,
                      "featmap_size and strides are not two numbers from 1 to %d each, and "
                      "num_base_anchors 1 or more, which are expected",
                      INT16_MAX);
    count *= call->values[FLAGS_size].value.int64[0] * call->values[FLAGS_size].value.int64[1];
    result->computed = call->tensor[FLAGS_boxes].dtype;
    return check_element_count(call, &result_sized(result, ACL_UINT8, DTYPE_EQUAL, SIZES(count))->shape);
}

/* A row of the grid. */
static void flag_row(const struct task *task, uint64_t row)
{
    const struct grid *grid = task->parameters;
    const uint64_t width = (uint64_t)grid->size[1], each = grid->anchors;
    double box[CORNERS];
    task_clear(task, FLAGS_out, row * width * each, width * each);
    for (uint64_t i = 0; i < grid->boxes; i++) {
        task_read(task, FLAGS_boxes, i * CORNERS, CORNERS, box);
        const double x = (box[0] + box[2]) / 2 / (double)grid->stride[0],
                     y = (box[1] + box[3]) / 2 / (double)grid->stride[1];
        if (!(y >= (double)row && y < (double)row + 1 && x >= 0 && x < (double)width))
            continue;
        for (uint64_t k = 0; k < each; k++)
            task_set_integer(task, FLAGS_out, (row * width + (uint64_t)x) * each + k, 1);
    }
}

static aclnnStatus plan_flags(const struct call *call, const struct result *result)
{
    struct grid grid = {.boxes = (uint64_t)call->tensor[FLAGS_boxes].shape[0],
                        .anchors = (uint64_t)call->argument[FLAGS_anchors].int64};
    for (int k = 0; k < 2; k++) {
        grid.size[k] = call->values[FLAGS_size].value.int64[k];
        grid.stride[k] = call->values[FLAGS_stride].value.int64[k];
    }
    (void)result;
    return row_tasks_plan(call,
                          &(struct row_tasks_request){.body = flag_row,
                                                      .count = (uint64_t)grid.size[0],
                                                      .task_ns = grid.boxes * BOX_NS / 4 +
                                                                 (uint64_t)grid.size[1] * grid.anchors + 100,
                                                      .parameters = &grid,
                                                      .parameter_bytes = sizeof grid});
}

KIND_FUNCTION(FlagAnchors, FLAGS, .stem = "flag_anchors", .family = FAMILY_WINDOW, .promise = &promise_exact,
              ROW_TASKS, .infer = infer_flags, .plan = plan_flags);

/*
 * Of anchors that are flagged: one whose greatest overlap is above a threshold is for the box of that, one more than
 * its number; and one that a box overlaps most, if by more than another threshold, is for that box, a later one before
 * an earlier one. Others keep what they have.
 */
#define ASSIGN(X, of)                                                 \
    X(of, IN, assigned, &dtypes_fp32_fp16_bf16, .sample = "3")        \
    X(of, IN, overlaps, &dtypes_fp32_fp16_bf16, .sample = "2x3")      \
    X(of, IN, flags, &dtypes_uint8, .sample = "3:UINT8")              \
    X(of, IN, most, &dtypes_fp32_fp16_bf16, .sample = "3")            \
    X(of, IN, box, &dtypes_integers_naturals, .sample = "3:INT32")    \
    X(of, IN, boxMost, &dtypes_fp32_fp16_bf16, .sample = "2")         \
    X(of, IN, anchor, &dtypes_integers_naturals, .sample = "2:INT32") \
    X(of, IN, boxes, &dtypes_integers_naturals, .sample = "1:INT32")  \
    X(of, FLOAT, above, .usual = "0.5")                               \
    X(of, FLOAT, boxAbove, .usual = "0")                              \
    X(of, BOOL, all)                                                  \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(ASSIGN)

struct assign {
    uint64_t boxes, anchors;
    double above, box_above;
    bool takes_all;
};

static aclnnStatus infer_assign(const struct call *call, struct result *result)
{
    TRY(check_all_dtypes(call));
    TRY(check_same_dtype(call, ASSIGN_overlaps, ASSIGN_assigned, NULL));
    TRY(check_same_dtype(call, ASSIGN_most, ASSIGN_assigned, NULL));
    TRY(check_same_dtype(call, ASSIGN_boxMost, ASSIGN_assigned, NULL));
    TRY(check_sizes(call, ASSIGN_overlaps, SIZES(-1, -1)));
    const int64_t *shape = call->tensor[ASSIGN_overlaps].shape;
    TRY(check_sizes(call, ASSIGN_assigned, SIZES(shape[1])));
    TRY(check_sizes(call, ASSIGN_flags, SIZES(shape[1])));
    TRY(check_sizes(call, ASSIGN_most, SIZES(shape[1])));
    TRY(check_sizes(call, ASSIGN_box, SIZES(shape[1])));
    TRY(check_sizes(call, ASSIGN_boxMost, SIZES(shape[0])));
    TRY(check_sizes(call, ASSIGN_anchor, SIZES(shape[0])));
    if (call->tensor[ASSIGN_boxes].count != 1)
        return refuse(call, "num_gts has %lld numbers; one is expected",
                      (long long)call->tensor[ASSIGN_boxes].count);
    result->computed = call->tensor[ASSIGN_assigned].dtype;
    result_sized(result, result->computed, DTYPE_EQUAL, SIZES(shape[1]));
    return ACLNN_SUCCESS;
}

static void assign_anchor(const struct task *task, uint64_t at)
{
    const struct assign *assign = task->parameters;
    const int64_t real = task_integer(task, ASSIGN_boxes, 0);
    const uint64_t boxes = real < 0 ? 0 : (uint64_t)real < assign->boxes ? (uint64_t)real : assign->boxes;
    double assigned = task_number(task, ASSIGN_assigned, at);
    const bool is_flagged = task_integer(task, ASSIGN_flags, at) != 0;
    if (is_flagged && task_number(task, ASSIGN_most, at) > assign->above)
        assigned = (double)task_integer(task, ASSIGN_box, at) + 1;
    for (uint64_t i = 0; is_flagged && i < boxes; i++) {
        const double most = task_number(task, ASSIGN_boxMost, i);
        const bool is_most = assign->takes_all
                                 ? task_number(task, ASSIGN_overlaps, i * assign->anchors + at) == most
                                 : task_integer(task, ASSIGN_anchor, i) == (int64_t)at;
        assigned = most > assign->box_above && is_most ? (double)i + 1 : assigned;
    }
    task_set(task, ASSIGN_out, at, assigned);
}

static aclnnStatus plan_assign(const struct call *call, const struct result *result)
{
    const struct assign assign = {.boxes = (uint64_t)call->tensor[ASSIGN_overlaps].shape[0],
                                  .anchors = (uint64_t)call->tensor[ASSIGN_overlaps].shape[1],
                                  .above = (double)call->argument[ASSIGN_above].fp32,
                                  .box_above = (double)call->argument[ASSIGN_boxAbove].fp32,
                                  .takes_all = call->argument[ASSIGN_all].boolean};
    (void)result;
    return row_tasks_plan(call, &(struct row_tasks_request){.body = assign_anchor,
                                                            .count = assign.anchors,
                                                            .task_ns = (assign.boxes + 1) * BOX_NS,
                                                            .parameters = &assign,
                                                            .parameter_bytes = sizeof assign});
}

KIND_FUNCTION(AssignAnchors, ASSIGN, .stem = "assign_anchors", .family = FAMILY_WINDOW,
              .promise = &promise_exact, ROW_TASKS, .infer = infer_assign, .plan = plan_assign);

__attribute__((constructor)) static void offer(void)
{
    program_offer_function(&EncodeByStride_function);
    program_offer_function(&FlagAnchors_function);
    program_offer_function(&AssignAnchors_function);
}
