/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Samples by name: of what is not 0 (MindSpore's choice_with_mask), and of labels of detectors (detectron2's). The order
 * in which elements are looked at is drawn before.
 */
#include "ops/by_name/program.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { ELEMENT_NS = 10 };

/* The first most elements of the order that are not 0: their indices, and whether there were as many; 0 behind them. */
#define TRUE_ONES(X, of)                                 \
    X(of, IN, x, &dtypes_bool, .sample = "3x2:BOOL")     \
    X(of, IN, order, &dtypes_int64, .sample = "6:INT64") \
    X(of, INT64, most, .usual = "4")                     \
    X(of, OUT, index, &dtypes_int32)                     \
    X(of, OUT, mask, &dtypes_bool)
SIGNATURE(TRUE_ONES)

struct draw {
    uint64_t count, rank, most;
    double positive;
    int64_t dim[8];
};

static aclnnStatus infer_true_ones(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[TRUE_ONES_x];
    const int64_t most = call->argument[TRUE_ONES_most].int64;
    TRY(check_all_dtypes(call));
    TRY(check_sizes(call, TRUE_ONES_order, SIZES(x->count)));
    if (x->rank < 1 || x->rank > 5 || x->count > INT32_MAX)
        return refuse(call, "x has %u dims and %lld elements; 1 to 5, and fewer than 2^31, are expected",
                      x->rank, (long long)x->count);
    if (most < 1 || most > INT32_MAX)
        return refuse(call, "count is %lld; 1 or more are expected", (long long)most);
    result->computed = ACL_BOOL;
    TRY(check_element_count(
        call, &result_sized(result, ACL_INT32, DTYPE_EQUAL, SIZES(most, (int64_t)x->rank))->shape));
    result_sized(result, ACL_BOOL, DTYPE_EQUAL, SIZES(most));
    return ACLNN_SUCCESS;
}

static void draw_true_ones(const struct task *task, uint64_t number)
{
    const struct draw *draw = task->parameters;
    uint64_t found = 0;
    (void)number;
    task_clear(task, TRUE_ONES_index, 0, draw->most * draw->rank);
    task_clear(task, TRUE_ONES_mask, 0, draw->most);
    for (uint64_t i = 0; i < draw->count && found < draw->most; i++) {
        int64_t at = task_integer(task, TRUE_ONES_order, i);
        if (task_integer(task, TRUE_ONES_x, (uint64_t)at) == 0)
            continue;
        for (uint64_t k = draw->rank; k-- > 0; at /= draw->dim[k])
            task_set_integer(task, TRUE_ONES_index, found * draw->rank + k, at % draw->dim[k]);
        task_set_integer(task, TRUE_ONES_mask, found++, 1);
    }
}

static aclnnStatus plan_true_ones(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = &call->tensor[TRUE_ONES_x];
    struct draw draw = {
        .count = (uint64_t)x->count, .rank = x->rank, .most = (uint64_t)call->argument[TRUE_ONES_most].int64};
    for (uint32_t k = 0; k < x->rank; k++)
        draw.dim[k] = x->shape[k];
    (void)result;
    return row_tasks_plan(call, &(struct row_tasks_request){.body = draw_true_ones,
                                                            .count = 1,
                                                            .task_ns = draw.count * ELEMENT_NS + 100,
                                                            .parameters = &draw,
                                                            .parameter_bytes = sizeof draw});
}

KIND_FUNCTION(DrawTrueOnes, TRUE_ONES, .stem = "draw_true_ones", .family = FAMILY_RANDOM,
              .promise = &promise_exact, ROW_TASKS, .infer = infer_true_ones, .plan = plan_true_ones);

/*
 * Of labels above 0 the first ones of the order, as many as a part of most is, rounded down; of labels 0 as many as are
 * left of most. The others become -1.
 */
#define LABELS(X, of)                                     \
    X(of, IN, labels, &dtypes_int32, .sample = "6:INT32") \
    X(of, IN, order, &dtypes_int64, .sample = "6:INT64")  \
    X(of, INT64, most, .usual = "4")                      \
    X(of, FLOAT, positive, .usual = "0.5")                \
    X(of, OUT, out, &dtypes_int32)
SIGNATURE(LABELS)

static aclnnStatus infer_labels(const struct call *call, struct result *result)
{
    const struct tensor_view *labels = &call->tensor[LABELS_labels];
    const int64_t most = call->argument[LABELS_most].int64;
    const double positive = (double)call->argument[LABELS_positive].fp32;
    TRY(check_all_dtypes(call));
    TRY(check_sizes(call, LABELS_labels, SIZES(-1)));
    TRY(check_sizes(call, LABELS_order, SIZES(labels->count)));
    if (most < 0 || most > INT32_MAX || !(positive >= 0 && positive <= 1))
        return refuse(
            call,
            "batch_size_per_images and positive_fraction are %lld and %g; 0 or more, and 0 to 1, are "
            "expected",
            (long long)most, positive);
    result->computed = ACL_INT32;
    result_sized(result, ACL_INT32, DTYPE_EQUAL, SIZES(labels->count));
    return ACLNN_SUCCESS;
}

static void draw_labels(const struct task *task, uint64_t number)
{
    const struct draw *draw = task->parameters;
    int64_t positive = (int64_t)((double)draw->most * draw->positive), has = 0;
    (void)number;
    for (uint64_t i = 0; i < draw->count; i++) {
        task_set_integer(task, LABELS_out, i, -1);
        has += task_integer(task, LABELS_labels, i) > 0;
    }
    positive = positive < has ? positive : has;
    int64_t negative = (int64_t)draw->most - positive;
    for (uint64_t i = 0; i < draw->count; i++) {
        const uint64_t at = (uint64_t)task_integer(task, LABELS_order, i);
        const int64_t label = task_integer(task, LABELS_labels, at);
        if ((label > 0 && positive-- > 0) || (label == 0 && negative-- > 0))
            task_set_integer(task, LABELS_out, at, label);
    }
}

static aclnnStatus plan_labels(const struct call *call, const struct result *result)
{
    const struct draw draw = {.count = (uint64_t)call->tensor[LABELS_labels].count,
                              .most = (uint64_t)call->argument[LABELS_most].int64,
                              .positive = (double)call->argument[LABELS_positive].fp32};
    (void)result;
    return row_tasks_plan(call, &(struct row_tasks_request){.body = draw_labels,
                                                            .count = 1,
                                                            .task_ns = 2 * draw.count * ELEMENT_NS + 100,
                                                            .parameters = &draw,
                                                            .parameter_bytes = sizeof draw});
}

KIND_FUNCTION(DrawLabels, LABELS, .stem = "draw_labels", .family = FAMILY_RANDOM, .promise = &promise_exact,
              ROW_TASKS, .infer = infer_labels, .plan = plan_labels);

__attribute__((constructor)) static void offer(void)
{
    program_offer_function(&DrawTrueOnes_function);
    program_offer_function(&DrawLabels_function);
}
