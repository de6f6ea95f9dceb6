/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How boxes that are turned differ from anchors, and boxes of anchors and differences, by name: two corners and an
 * angle in degrees. A difference is that of the centres by the size, the logarithm of how the sizes compare, and that
 * of the tangents of the angles, each times a weight. In doubles, rounded once.
 */
#include "ops/by_name/boxes.h"
#include "ops/by_name/program.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { NUMBERS = 5, BOX_NS = 120 };

#define CODE(X, of)                                               \
    X(of, IN, anchors, &dtypes_fp32_fp16_bf16, .sample = "2x5x3") \
    X(of, IN, boxes, &dtypes_fp32_fp16_bf16, .sample = "2x5x3")   \
    X(of, FLOAT, weight0, .usual = "1")                           \
    X(of, FLOAT, weight1, .usual = "1")                           \
    X(of, FLOAT, weight2, .usual = "1")                           \
    X(of, FLOAT, weight3, .usual = "1")                           \
    X(of, FLOAT, weight4, .usual = "1")                           \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(CODE)

struct code {
    uint64_t columns;
    double weight[NUMBERS];
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, CODE_anchors));
    TRY(check_same_dtype(call, CODE_boxes, CODE_anchors, NULL));
    TRY(check_sizes(call, CODE_anchors, SIZES(-1, NUMBERS, -1)));
    const int64_t *shape = call->tensor[CODE_anchors].shape;
    TRY(check_sizes(call, CODE_boxes, SIZES(shape[0], NUMBERS, shape[2])));
    result->computed = call->tensor[CODE_anchors].dtype;
    result_sized(result, result->computed, DTYPE_EQUAL, SIZES(shape[0], NUMBERS, shape[2]));
    return ACLNN_SUCCESS;
}

/* Numbers of a box lie a column apart. */
static void read_numbers(const struct task *task, unsigned parameter, uint64_t at, double *number)
{
    const uint64_t columns = ((const struct code *)task->parameters)->columns;
    for (uint64_t k = 0; k < NUMBERS; k++)
        number[k] = task_number(task, parameter, (at / columns * NUMBERS + k) * columns + at % columns);
}

static void write_numbers(const struct task *task, uint64_t at, const double *number)
{
    const uint64_t columns = ((const struct code *)task->parameters)->columns;
    for (uint64_t k = 0; k < NUMBERS; k++)
        task_set(task, CODE_out, (at / columns * NUMBERS + k) * columns + at % columns, number[k]);
}

static void encode(const struct task *task, uint64_t at)
{
    double anchor[NUMBERS], box[NUMBERS], code[NUMBERS], tangent[2];
    const double *weight = ((const struct code *)task->parameters)->weight;
    read_numbers(task, CODE_anchors, at, anchor);
    read_numbers(task, CODE_boxes, at, box);
    for (int k = 0; k < 2; k++) {
        const double size = anchor[k + 2] - anchor[k];
        code[k] = (box[k] + box[k + 2] - anchor[k] - anchor[k + 2]) / 2 / size;
        code[k + 2] = (box[k + 2] - box[k]) / size;
    }
    task->maths->logarithm(code + 2, 2);
    tangent[0] = anchor[4] * BOX_DEGREE;
    tangent[1] = box[4] * BOX_DEGREE;
    task->maths->tangent(tangent, 2);
    code[4] = tangent[1] - tangent[0];
    for (int k = 0; k < NUMBERS; k++)
        code[k] *= weight[k];
    write_numbers(task, at, code);
}

static void decode(const struct task *task, uint64_t at)
{
    double anchor[NUMBERS], code[NUMBERS], box[NUMBERS], tangent;
    const double *weight = ((const struct code *)task->parameters)->weight;
    read_numbers(task, CODE_anchors, at, anchor);
    read_numbers(task, CODE_boxes, at, code);
    for (int k = 0; k < NUMBERS; k++)
        code[k] /= weight[k];
    task->maths->exponential(code + 2, 2);
    for (int k = 0; k < 2; k++) {
        const double size = anchor[k + 2] - anchor[k],
                     centre = (anchor[k] + anchor[k + 2]) / 2 + size * code[k];
        box[k] = centre - size * code[k + 2] / 2;
        box[k + 2] = centre + size * code[k + 2] / 2;
    }
    tangent = anchor[4] * BOX_DEGREE;
    task->maths->tangent(&tangent, 1);
    box[4] = tangent + code[4];
    task->maths->arctangent(box + 4, 1);
    box[4] /= BOX_DEGREE;
    write_numbers(task, at, box);
}

static aclnnStatus plan_code(const struct call *call, void (*body)(const struct task *task, uint64_t number))
{
    const int64_t *shape = call->tensor[CODE_anchors].shape;
    struct code code = {.columns = (uint64_t)shape[2]};
    for (int k = 0; k < NUMBERS; k++)
        code.weight[k] = (double)call->argument[CODE_weight0 + k].fp32;
    return row_tasks_plan(call, &(struct row_tasks_request){.body = body,
                                                            .count = (uint64_t)shape[0] * code.columns,
                                                            .task_ns = BOX_NS,
                                                            .parameters = &code,
                                                            .parameter_bytes = sizeof code});
}

static aclnnStatus plan_encode(const struct call *call, const struct result *result)
{
    (void)result;
    return plan_code(call, encode);
}

static aclnnStatus plan_decode(const struct call *call, const struct result *result)
{
    (void)result;
    return plan_code(call, decode);
}

KIND_FUNCTION(EncodeTurned, CODE, .stem = "encode_turned", .family = FAMILY_WINDOW, .promise = &promise_sum,
              ROW_TASKS, .infer = infer, .plan = plan_encode);
KIND_FUNCTION(DecodeTurned, CODE, .stem = "decode_turned", .family = FAMILY_WINDOW, .promise = &promise_sum,
              ROW_TASKS, .infer = infer, .plan = plan_decode);

__attribute__((constructor)) static void offer(void)
{
    program_offer_function(&EncodeTurned_function);
    program_offer_function(&DecodeTurned_function);
}
