/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of 8 bits of groups of rows, each by its factor, and the greatest sizes of the groups; and rows of groups by
 * factors for each column.
 */
#include "aclnnop/aclnn_group_quant.h"
#include "aclnnop/aclnn_grouped_quant_max.h"
#include "aclnnop/aclnn_quant_max.h"

#include <inttypes.h>

#include "ops/quantise/row.h"
#include "ops/sizes.h"
#include "runtime/streams/fault.h"

enum { PIECE = 512, ELEMENT_PS = 3000 };

#define FLT3    &dtypes_fp32_fp16_bf16
#define FLOAT8S &dtypes_hifloat8_float8
#define MAX_END(X, of)                                           \
    X(of, TEXT, roundMode, .is_optional = true, .usual = "rint") \
    X(of, INT64, dstType, .usual = "36")                         \
    X(of, OUT, y, FLOAT8S) X(of, OUT, amax, FLT3)
#define MAX(X, of) X(of, IN, x, FLT3) X(of, IN, scale, &dtypes_fp32, .sample = "1") MAX_END(X, of)
#define MAX_GROUPED(X, of)                        \
    X(of, IN, x, FLT3)                            \
    X(of, IN, scale, &dtypes_fp32, .sample = "1") \
    X(of, IN, groupList, &dtypes_int64, .sample = "1:INT64") MAX_END(X, of)
SIGNATURE(MAX)
SIGNATURE(MAX_GROUPED)

struct greatest {
    struct number number;
    uint64_t rows, width, groups;
    uint8_t y, list; /* + 1 */
};

static aclnnStatus read_greatest(const struct call *call, struct greatest *greatest)
{
    const struct tensor_view *x = &call->tensor[MAX_x];
    const bool is_grouped = call->function->parameter == MAX_GROUPED_parameters;
    const unsigned y = is_grouped ? (unsigned)MAX_GROUPED_y : (unsigned)MAX_y;
    TRY(check_all_dtypes(call));
    TRY(check_rank(call, MAX_x));
    *greatest = (struct greatest){.rows = 1,
                                  .width = (uint64_t)x->count,
                                  .groups = 1,
                                  .y = (uint8_t)y,
                                  .list = is_grouped ? MAX_GROUPED_groupList + 1 : 0};
    if (is_grouped) {
        const struct tensor_view *list = &call->tensor[MAX_GROUPED_groupList];
        if (x->rank < 1)
            return refuse(call, "x has 0 dims; 1 or more are expected");
        if (list->rank != 1 || list->count == 0)
            return refuse(call, "groupList has shape %s; one dim, of 1 or more, is expected",
                          shape_text(TEXT, list));
        greatest->groups = (uint64_t)list->count;
        greatest->rows = (uint64_t)x->shape[0];
        greatest->width = greatest->rows > 0 ? (uint64_t)x->count / greatest->rows : 0;
    }
    TRY(check_sizes(call, MAX_scale, SIZES((int64_t)greatest->groups)));
    TRY(check_numbers(call, y, y - 1, MAX_x, (int64_t)greatest->width, &greatest->number));
    return check_rounding(call, y - 2, false, &greatest->number);
}

static aclnnStatus infer_greatest(const struct call *call, struct result *result)
{
    struct greatest greatest;
    TRY(read_greatest(call, &greatest));
    const struct shape shape = shape_of(&call->tensor[MAX_x]);
    result->computed = call_dtype(call, MAX_x);
    add_numbers(result, &greatest.number, &shape);
    result_sized(result, result->computed, DTYPE_EQUAL, SIZES((int64_t)greatest.groups));
    return ACLNN_SUCCESS;
}

static int start_greatest(struct task *task)
{
    const struct greatest *greatest = task->parameters;
    uint64_t *end = task->shared;
    int64_t before = 0;
    for (uint64_t g = 0; g < greatest->groups; g++) {
        const int64_t number = greatest->list > 0 ? task_integer(task, greatest->list - 1U, g) : 1;
        if (number < before || (uint64_t)number > greatest->rows)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "groupList holds %" PRId64 " at [%" PRIu64
                                  "]; numbers that do not fall, up to %" PRIu64 ", are expected",
                                  number, g, greatest->rows);
        end[g] = (uint64_t)(before = number);
    }
    return 0;
}

/* A group: its greatest size, and its numbers. Of no rows it is 0. */
static void take_group(const struct task *task, uint64_t g)
{
    const struct greatest *greatest = task->parameters;
    const uint64_t *end = task->shared, first = (g > 0 ? end[g - 1] : 0) * greatest->width,
                   last = end[g] * greatest->width;
    const double scale = task_number(task, MAX_scale, g);
    double *x = task->room, most = 0;
    for (uint64_t at = first; at < last; at += PIECE) {
        const uint64_t count = last - at < PIECE ? last - at : PIECE;
        task_read(task, MAX_x, at, count, x);
        most = greatest_size(x, count, most);
        for (uint64_t i = 0; i < count; i++)
            x[i] *= scale;
        numbers_write(task, greatest->y, &greatest->number, at, count, x);
    }
    task_set(task, greatest->y + 1U, g, most);
}

static aclnnStatus plan_greatest(const struct call *call, const struct result *result)
{
    struct greatest greatest;
    (void)result;
    TRY(read_greatest(call, &greatest));
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = take_group,
                                          .start = start_greatest,
                                          .count = greatest.groups,
                                          .task_ns = (uint64_t)((double)call->tensor[MAX_x].count *
                                                                ELEMENT_PS / 1000 / (double)greatest.groups) +
                                                     50,
                                          .room = PIECE,
                                          .shared_bytes = greatest.groups * sizeof(uint64_t),
                                          .parameters = &greatest,
                                          .parameter_bytes = sizeof greatest});
}

#define MAXIMA                                                                                \
    .family = FAMILY_QUANTISE, .promise = &promise_exact, ROW_TASKS, .infer = infer_greatest, \
    .plan = plan_greatest
FUNCTION_OF(aclnnQuantMax, MAX, .stem = "quant_max", MAXIMA);
FUNCTION_OF(aclnnGroupedQuantMax, MAX_GROUPED, .stem = "grouped_quant_max", MAXIMA);

/* x scale[group] + offset. */
#define GROUP(X, of)                                                    \
    X(of, IN, x, FLT3)                                                  \
    X(of, IN, scale, FLT3, .sample = "1x3")                             \
    X(of, IN, groupIndex, &dtypes_int32_int64, .sample = "1:INT32")     \
    X(of, IN, offsetOptional, FLT3, .is_optional = true, .sample = "1") \
    X(of, INT32, dstType, .usual = "2")                                 \
    X(of, OUT, y, &dtypes_int8_int32_int4)
SIGNATURE(GROUP)

static aclnnStatus check_group_quant(const struct call *call)
{
    const struct tensor_view *x = &call->tensor[GROUP_x];
    if (x->rank != 2)
        return refuse(call, "x has shape %s; 2 dims are expected", shape_text(TEXT, x));
    TRY(check_sizes(call, GROUP_scale, SIZES(-1, x->shape[1])));
    TRY(check_sizes(call, GROUP_groupIndex, SIZES(call->tensor[GROUP_scale].shape[0])));
    if (!call_has(call, GROUP_offsetOptional))
        return ACLNN_SUCCESS;
    TRY(check_same_dtype(call, GROUP_offsetOptional, GROUP_scale, NULL));
    return check_one_element(call, GROUP_offsetOptional);
}

static const struct row_form grouped = {{[X] = AT(GROUP_x),
                                         [FACTOR] = AT(GROUP_scale),
                                         [GROUPS] = AT(GROUP_groupIndex),
                                         [OFFSET] = AT(GROUP_offsetOptional),
                                         [Y] = AT(GROUP_y)},
                                        {[DST_TYPE] = AT(GROUP_dstType)},
                                        .stage = row_of_x,
                                        .check = check_group_quant,
                                        .given = TIMES,
                                        .groups = ENDS,
                                        .has_given_groups = true};
FUNCTION_OF(aclnnGroupQuant, GROUP, .stem = "group_quant", .promise = &promise_exact,
            QUANTISED_ROWS(grouped));
