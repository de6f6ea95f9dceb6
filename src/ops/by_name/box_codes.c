/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How boxes differ from anchors, and boxes of anchors and differences, by name: of corners that belong to
 * their boxes, so that a box is one wider than its corners lie apart. A difference is that of the centres by
 * the size, and the logarithm of how the sizes compare, less a mean and by a deviation. In doubles, rounded
 * once.
 */
#include "ops/by_name/program.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { CORNERS = 4, BOX_NS = 60 };

#define SHIFTS(X, of)                      \
    X(of, FLOAT, mean0, .usual = "0")      \
    X(of, FLOAT, mean1, .usual = "0")      \
    X(of, FLOAT, mean2, .usual = "0")      \
    X(of, FLOAT, mean3, .usual = "0")      \
    X(of, FLOAT, deviation0, .usual = "1") \
    X(of, FLOAT, deviation1, .usual = "1") \
    X(of, FLOAT, deviation2, .usual = "1") \
    X(of, FLOAT, deviation3, .usual = "1")

#define ENCODE(X, of)                                           \
    X(of, IN, anchors, &dtypes_fp32_fp16_bf16, .sample = "3x4") \
    X(of, IN, boxes, &dtypes_fp32_fp16_bf16, .sample = "3x4")   \
    SHIFTS(X, of)                                               \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(ENCODE)

#define DECODE(X, of)                                           \
    X(of, IN, anchors, &dtypes_fp32_fp16_bf16, .sample = "3x4") \
    X(of, IN, boxes, &dtypes_fp32_fp16_bf16, .sample = "3x4")   \
    SHIFTS(X, of)                                               \
    X(of, INTS, size)                                           \
    X(of, FLOAT, ratio, .usual = "0.016")                       \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(DECODE)

struct codes {
    double mean[CORNERS], deviation[CORNERS];
    double most[2], ratio; /* of an image: the last place of each axis, x first */
    unsigned out;
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, ENCODE_anchors));
    TRY(check_same_dtype(call, ENCODE_boxes, ENCODE_anchors, NULL));
    TRY(check_sizes(call, ENCODE_anchors, SIZES(-1, CORNERS)));
    const int64_t count = call->tensor[ENCODE_anchors].shape[0];
    TRY(check_sizes(call, ENCODE_boxes, SIZES(count, CORNERS)));
    result->computed = call->tensor[ENCODE_anchors].dtype;
    result_sized(result, result->computed, DTYPE_EQUAL, SIZES(count, CORNERS));
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_decode(const struct call *call, struct result *result)
{
    if (call->values[DECODE_size].count != 2)
        return refuse(call, "max_shape has %llu numbers; a height and a width are expected",
                      (unsigned long long)call->values[DECODE_size].count);
    if (!(call->argument[DECODE_ratio].fp32 > 0))
        return refuse(call, "wh_ratio_clip is not above 0");
    return infer(call, result);
}

/* The centre and the size along one axis. */
static void read_axis(const double *box, int axis, double *centre, double *size)
{
    *centre = (box[axis] + box[axis + 2]) / 2;
    *size = box[axis + 2] - box[axis] + 1;
}

static void encode_box(const struct task *task, uint64_t number)
{
    const struct codes *codes = task->parameters;
    double anchor[CORNERS], box[CORNERS], code[CORNERS];
    task_read(task, ENCODE_anchors, number * CORNERS, CORNERS, anchor);
    task_read(task, ENCODE_boxes, number * CORNERS, CORNERS, box);
    for (int k = 0; k < 2; k++) {
        double centre, size, of_box, box_size;
        read_axis(anchor, k, &centre, &size);
        read_axis(box, k, &of_box, &box_size);
        code[k] = (of_box - centre) / size;
        code[k + 2] = __builtin_fabs(box_size / size);
    }
    task->maths->logarithm(code + 2, 2);
    for (int k = 0; k < CORNERS; k++)
        code[k] = (code[k] - codes->mean[k]) / codes->deviation[k];
    task_write(task, codes->out, number * CORNERS, CORNERS, code);
}

static double within(double number, double least, double most)
{
    return number < least ? least : number > most ? most : number;
}

static void decode_box(const struct task *task, uint64_t number)
{
    const struct codes *codes = task->parameters;
    double anchor[CORNERS], code[CORNERS], box[CORNERS], most = codes->ratio;
    task_read(task, DECODE_anchors, number * CORNERS, CORNERS, anchor);
    task_read(task, DECODE_boxes, number * CORNERS, CORNERS, code);
    task->maths->logarithm(&most, 1);
    most = __builtin_fabs(most);
    for (int k = 0; k < CORNERS; k++)
        code[k] = code[k] * codes->deviation[k] + codes->mean[k];
    for (int k = 2; k < CORNERS; k++)
        code[k] = within(code[k], -most, most);
    task->maths->exponential(code + 2, 2);
    for (int k = 0; k < 2; k++) {
        double centre, size;
        read_axis(anchor, k, &centre, &size);
        const double middle = centre + size * code[k], half = size * code[k + 2] / 2 - 0.5;
        box[k] = within(middle - half, 0, codes->most[k]);
        box[k + 2] = within(middle + half, 0, codes->most[k]);
    }
    task_write(task, codes->out, number * CORNERS, CORNERS, box);
}

static aclnnStatus plan_codes(const struct call *call, struct codes *codes,
                              void (*body)(const struct task *task, uint64_t number))
{
    for (int k = 0; k < CORNERS; k++) {
        codes->mean[k] = (double)call->argument[ENCODE_mean0 + k].fp32;
        codes->deviation[k] = (double)call->argument[ENCODE_deviation0 + k].fp32;
    }
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = body,
                                          .count = (uint64_t)call->tensor[ENCODE_anchors].shape[0],
                                          .task_ns = BOX_NS,
                                          .parameters = codes,
                                          .parameter_bytes = sizeof *codes});
}

static aclnnStatus plan_encode(const struct call *call, const struct result *result)
{
    struct codes codes = {.out = ENCODE_out};
    (void)result;
    return plan_codes(call, &codes, encode_box);
}

static aclnnStatus plan_decode(const struct call *call, const struct result *result)
{
    const int64_t *size = call->values[DECODE_size].value.int64;
    struct codes codes = {.out = DECODE_out,
                          .most = {(double)size[1] - 1, (double)size[0] - 1},
                          .ratio = (double)call->argument[DECODE_ratio].fp32};
    (void)result;
    return plan_codes(call, &codes, decode_box);
}

KIND_FUNCTION(EncodeBoxes, ENCODE, .stem = "encode_boxes", .family = FAMILY_WINDOW, .promise = &promise_sum,
              ROW_TASKS, .infer = infer, .plan = plan_encode);
KIND_FUNCTION(DecodeBoxes, DECODE, .stem = "decode_boxes", .family = FAMILY_WINDOW, .promise = &promise_sum,
              ROW_TASKS, .infer = infer_decode, .plan = plan_decode);

__attribute__((constructor)) static void offer(void)
{
    program_offer_function(&EncodeBoxes_function);
    program_offer_function(&DecodeBoxes_function);
}
