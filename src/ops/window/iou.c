/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How far boxes overlap: what two have in common by what both cover together, or by what the second covers. In doubles,
 * rounded once.
 */
#include "aclnnop/aclnn_iou.h"

#include <string.h>

#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { PAIR_NS = 10, CORNERS = 4, PIECE = 256 };

#define IOU(X, of)                                              \
    X(of, IN, bBoxes, &dtypes_fp32_fp16_bf16, .sample = "3x4")  \
    X(of, IN, gtBoxes, &dtypes_fp32_fp16_bf16, .sample = "3x4") \
    X(of, TEXT, mode, .is_optional = true, .usual = "iou")      \
    X(of, FLOAT, eps, .usual = "0.01")                          \
    X(of, BOOL, aligned, .usual = "false")                      \
    X(of, OUT, overlap, &dtypes_fp32_fp16_bf16)
SIGNATURE(IOU)

struct overlaps {
    uint64_t rows, columns;
    double epsilon;
    bool is_aligned, is_of_second;
};

static aclnnStatus read_overlaps(const struct call *call, struct overlaps *overlaps)
{
    const char *mode = call->argument[IOU_mode].string;
    const bool is_aligned = call->argument[IOU_aligned].boolean, has_mode = mode != NULL && *mode != 0;
    TRY(check_all_dtypes(call));
    TRY(check_same_dtype(call, IOU_gtBoxes, IOU_bBoxes, NULL));
    TRY(check_sizes(call, IOU_bBoxes, SIZES(-1, CORNERS)));
    const int64_t rows = call->tensor[IOU_bBoxes].shape[0];
    TRY(check_sizes(call, IOU_gtBoxes, SIZES(is_aligned ? rows : -1, CORNERS)));
    if (has_mode && strcmp(mode, "iou") != 0 && strcmp(mode, "iof") != 0)
        return refuse(call, "mode is \"%s\"; iou or iof is expected", mode);
    *overlaps = (struct overlaps){.rows = (uint64_t)rows,
                                  .columns = is_aligned ? 1 : (uint64_t)call->tensor[IOU_gtBoxes].shape[0],
                                  .epsilon = (double)call->argument[IOU_eps].fp32,
                                  .is_aligned = is_aligned,
                                  .is_of_second = has_mode && strcmp(mode, "iof") == 0};
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct overlaps overlaps;
    TRY(read_overlaps(call, &overlaps));
    result->computed = call_dtype(call, IOU_bBoxes);
    struct output *output = result_sized(result, result->computed, DTYPE_EQUAL,
                                         SIZES((int64_t)overlaps.rows, (int64_t)overlaps.columns));
    return check_element_count(call, &output->shape);
}

static double area(const double *box, double epsilon)
{
    return (box[2] - box[0] + epsilon) * (box[3] - box[1] + epsilon);
}

static double common_length(const double *a, const double *b)
{
    const double begin = a[0] > b[0] ? a[0] : b[0], end = a[2] < b[2] ? a[2] : b[2];
    return end - begin <= 0 ? 0 : end - begin;
}

static void overlap_row(const struct task *task, uint64_t row)
{
    const struct overlaps *overlaps = task->parameters;
    double box[CORNERS], other[PIECE * CORNERS], found[PIECE];
    task_read(task, IOU_bBoxes, row * CORNERS, CORNERS, box);
    for (uint64_t at = 0; at < overlaps->columns; at += PIECE) {
        const uint64_t left = overlaps->columns - at, count = left < PIECE ? left : PIECE;
        task_read(task, IOU_gtBoxes, (overlaps->is_aligned ? row : at) * CORNERS, count * CORNERS, other);
        for (uint64_t i = 0; i < count; i++) {
            const double *second = other + i * CORNERS, own = area(second, overlaps->epsilon),
                         common = common_length(box, second) * common_length(box + 1, second + 1);
            found[i] = common / (overlaps->is_of_second ? own : area(box, overlaps->epsilon) + own - common);
        }
        task_write(task, IOU_overlap, row * overlaps->columns + at, count, found);
    }
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct overlaps overlaps;
    (void)result;
    TRY(read_overlaps(call, &overlaps));
    return row_tasks_plan(call,
                          &(struct row_tasks_request){.body = overlap_row,
                                                      .count = overlaps.columns == 0 ? 0 : overlaps.rows,
                                                      .task_ns = overlaps.columns * PAIR_NS + 100,
                                                      .parameters = &overlaps,
                                                      .parameter_bytes = sizeof overlaps});
}

FUNCTION_OF(aclnnIou, IOU, .stem = "iou", .family = FAMILY_WINDOW, .promise = &promise_sum, ROW_TASKS,
            .infer = infer, .plan = plan);
