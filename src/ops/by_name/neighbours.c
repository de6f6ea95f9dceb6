/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums over the channels next to each one, and the local response normalisation that is made of them; boxes
 * that lie inside an image.
 */
#include "ops/by_name/program.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

#include <string.h>

enum { NUMBER_PS = 2000, CORNERS = 4 };

#define NEIGHBOURS(X, of)                                   \
    X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = "1x3x2") \
    X(of, INT64, radius, .usual = "5")                      \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(NEIGHBOURS)

struct neighbours {
    uint64_t channels, each, radius;
};

static aclnnStatus infer_sums(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[NEIGHBOURS_x];
    const int64_t radius = call->argument[NEIGHBOURS_radius].int64;
    TRY(check_dtype(call, NEIGHBOURS_x));
    if (x->rank < 2 || radius < 0)
        return refuse(call, "x has %u dims and radius is %lld; 2 or more and 0 or more are expected", x->rank,
                      (long long)radius);
    result_like(result, call, NEIGHBOURS_x);
    return ACLNN_SUCCESS;
}

/* One channel of one sample. */
static void sum_channels(const struct task *task, uint64_t number)
{
    const struct neighbours *of = task->parameters;
    const uint64_t channel = number % of->channels, first = number - channel,
                   begin = channel > of->radius ? channel - of->radius : 0,
                   behind = of->channels - channel > of->radius ? channel + of->radius + 1 : of->channels;
    double *sum = task->room, *x = sum + of->each;
    memset(sum, 0, of->each * sizeof *sum);
    for (uint64_t k = begin; k < behind; k++) {
        task_read(task, NEIGHBOURS_x, (first + k) * of->each, of->each, x);
        for (uint64_t i = 0; i < of->each; i++)
            sum[i] += x[i];
    }
    task_write(task, NEIGHBOURS_out, number * of->each, of->each, sum);
}

static aclnnStatus plan_sums(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = &call->tensor[NEIGHBOURS_x];
    struct neighbours neighbours = {.channels = (uint64_t)x->shape[1],
                                    .each = 1,
                                    .radius = (uint64_t)call->argument[NEIGHBOURS_radius].int64};
    for (uint32_t k = 2; k < x->rank; k++)
        neighbours.each *= (uint64_t)x->shape[k];
    const uint64_t wide =
        neighbours.radius < neighbours.channels ? 2 * neighbours.radius + 1 : neighbours.channels;
    (void)result;
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = sum_channels,
                                          .count = x->count == 0 ? 0 : (uint64_t)x->count / neighbours.each,
                                          .task_ns = neighbours.each * wide * NUMBER_PS / 1000 + 100,
                                          .room = 2 * neighbours.each,
                                          .parameters = &neighbours,
                                          .parameter_bytes = sizeof neighbours});
}

KIND_FUNCTION(SumNeighbours, NEIGHBOURS, .stem = "sum_neighbours", .family = FAMILY_ROWS,
              .promise = &promise_sum, ROW_TASKS, .infer = infer_sums, .plan = plan_sums);

/* An image is its height, its width and what both are multiplied by. */
#define INSIDE(X, of)                                         \
    X(of, IN, boxes, &dtypes_fp32_fp16_bf16, .sample = "2x4") \
    X(of, IN, image, &dtypes_fp32_fp16_bf16, .sample = "3")   \
    X(of, OUT, out, &dtypes_bool)
SIGNATURE(INSIDE)

static aclnnStatus infer_inside(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, INSIDE_boxes));
    TRY(check_same_dtype(call, INSIDE_image, INSIDE_boxes, NULL));
    TRY(check_sizes(call, INSIDE_boxes, SIZES(-1, CORNERS)));
    TRY(check_sizes(call, INSIDE_image, SIZES(3)));
    result->computed = call->tensor[INSIDE_boxes].dtype;
    result_sized(result, ACL_BOOL, DTYPE_EQUAL, SIZES(call->tensor[INSIDE_boxes].shape[0]));
    return ACLNN_SUCCESS;
}

static void look_at_box(const struct task *task, uint64_t number)
{
    double image[3], box[CORNERS];
    task_read(task, INSIDE_image, 0, 3, image);
    task_read(task, INSIDE_boxes, number * CORNERS, CORNERS, box);
    const bool is_inside =
        box[0] >= 0 && box[1] >= 0 && box[2] <= image[1] * image[2] - 1 && box[3] <= image[0] * image[2] - 1;
    task_set_integer(task, INSIDE_out, number, is_inside);
}

static aclnnStatus plan_inside(const struct call *call, const struct result *result)
{
    (void)result;
    return row_tasks_plan(call,
                          &(struct row_tasks_request){.body = look_at_box,
                                                      .count = (uint64_t)call->tensor[INSIDE_boxes].shape[0],
                                                      .task_ns = 100});
}

KIND_FUNCTION(BoxesInside, INSIDE, .stem = "boxes_inside", .family = FAMILY_WINDOW, .promise = &promise_exact,
              ROW_TASKS, .infer = infer_inside, .plan = plan_inside);

/* t4: what x is divided by, of the sums t1 of squares; t3 before the power. */
#define RESPONSE(x)                                                                                      \
    "need norm_region=ACROSS_CHANNELS; float; Square " x " t0; own SumNeighbours t0 depth_radius=5 t1; " \
    "Muls t1 alpha=1.0 t2; Adds t2 bias=1.0 1 t3; PowTensorScalar t3 beta=0.5 t4; "

static struct named_operator kinds[] = {
    KIND("LRN", 1, 1, 0, RESPONSE("x0") "Div x0 t4 y0"),
    /* Inputs: the gradient, x and what came out. */
    KIND("LRNGrad", 3, 1, 0,
         RESPONSE("x1") "Div x0 t4 t5; Mul x0 x2 t6; Div t6 t3 t7; own SumNeighbours t7 depth_radius=5 t8; "
                        "Mul t8 x1 t9; Muls t9 alpha=1.0 t10; Muls t10 beta=0.5 t11; Sub t5 t11 2 y0"),
    KIND("CheckValid", 2, 1, 0, "own BoxesInside x0 x1 y0"),
};

__attribute__((constructor)) static void offer(void)
{
    program_offer_function(&SumNeighbours_function);
    program_offer_function(&BoxesInside_function);
    program_offer(kinds, sizeof kinds / sizeof kinds[0]);
}
