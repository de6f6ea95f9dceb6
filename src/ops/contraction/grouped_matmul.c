/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of matrices by groups: y_g = x_g @ weight_g + bias_g, each with the bits of Addmm. The groups are
 * tensors of their own, whose results may lie one behind the other in one y, or rows of one x, or parts of
 * its columns and of weight's rows, as numbers in an array or a tensor say, which is read when the work runs.
 * Rows of no group are 0.
 */
#include "aclnnop/aclnn_grouped_matmul.h"
#include "aclnnop/aclnn_grouped_matmul_v4.h"
#include "aclnnop/aclnn_grouped_matmul_v5.h"
#include "aclnnop/aclnn_grouped_matmul_weight_nz.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/check_message.h"
#include "ops/contraction/grouped_call.h"

/* Tensors of a list: their dtype, and their rank, or a greater one where one tensor stands for all groups. */
static aclnnStatus check_list(const struct call *call, unsigned list, aclDataType dtype, uint32_t rank,
                              bool may_be_stacked)
{
    const bool is_stacked = may_be_stacked && length(call, list) == 1;
    for (uint64_t i = 0; i < length(call, list); i++) {
        const struct tensor_view *view = view_at(call, list, i);
        TRY(check_dtype_in_list(call, list, view->dtype));
        if (dtype != ACL_DT_UNDEFINED && view->dtype != dtype)
            return refuse(call, "tensor %" PRIu64 " of %s has dtype %s; %s, that of x, is expected", i,
                          call_name(call, list), dtype_name(view->dtype), dtype_name(dtype));
        if (view->rank != rank && !(is_stacked && view->rank == rank + 1))
            return refuse(call, "tensor %" PRIu64 " of %s has %u dims; %u are expected", i,
                          call_name(call, list), view->rank, rank + (is_stacked && view->rank > rank));
    }
    return ACLNN_SUCCESS;
}

/* What belongs to other products, or to no product that there is. */
static aclnnStatus check_choices(const struct call *call)
{
    const unsigned last = is_v1(call) ? V1_groupListOptional - 1 : V4_perTokenScaleOptional;
    for (unsigned i = V4_scaleOptional; !is_whole_call(call) && i <= last; i++) {
        const bool is_antiquant = i == V4_antiquantScaleOptional || i == V4_antiquantOffsetOptional;
        if (length(call, i) > 0 && !(is_antiquant && is_antiquant_call(call)))
            return refuse(call, "%s is given; NULL is expected where x is %s", call_name(call, i),
                          length(call, V4_x) > 0 ? dtype_name(view_at(call, V4_x, 0)->dtype) : "empty");
    }
    if (is_v1(call))
        return ACLNN_SUCCESS;
    for (unsigned i = V4_activationInputOptional; i < V4_splitItem; i++)
        if (length(call, i) > 0)
            return refuse(call, "%s is given; NULL is expected", call_name(call, i));
    for (unsigned i = y_of(call) + 1; i < call->function->parameter_count; i++)
        if (length(call, i) > 0)
            return refuse(call, "%s is given; NULL is expected", call_name(call, i));
    if (list_type_of(call) < GROUPS_CUMULATED || list_type_of(call) > GROUPS_PAIRED)
        return refuse(call, "groupListType is %" PRId64 "; 0 to 2 is expected", list_type_of(call));
    const int64_t activation = call->argument[V4_actType].int64;
    if (activation < ACTIVATION_NONE || activation > ACTIVATION_SILU)
        return refuse(call, "actType is %" PRId64 "; 0 to 5 is expected", activation);
    if (activation != ACTIVATION_NONE && type_of(call) == GROUPS_OF_DEPTH)
        return refuse(call, "actType is %" PRId64 "; 0 is expected for groups of the common dim", activation);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_groups(const struct call *call)
{
    const int64_t type = type_of(call), split = split_of(call);
    const bool splits =
        type != GROUPS_OF_LISTS || (!is_v1(call) && call->argument[V4_groupType].int64 != type);
    if (type != GROUPS_OF_LISTS && type != GROUPS_OF_ROWS && type != GROUPS_OF_DEPTH)
        return refuse(call, "groupType is %" PRId64 "; -1, 0 or 2 is expected", type);
    if (split < (splits ? 2 : 0) || split > 3)
        return refuse(call, "splitItem is %" PRId64 "; %s", split,
                      splits ? "2 or 3 is expected: one y for all groups" : "0 to 3 is expected");
    if (is_joined(call) && length(call, V4_x) == 0)
        return refuse(call, "x is an empty list; 1 tensor or more is expected for one y");
    if (type != GROUPS_OF_LISTS && !is_v1(call) && !call_has(call, V4_groupListOptional))
        return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL; groupType %" PRId64 " asks for it",
                    call->function->operation.name, call_name(call, V4_groupListOptional), type);
    if (type == GROUPS_OF_ROWS && group_count(call) == 0)
        return refuse(call, "there are 0 groups of rows; 1 or more are expected");
    if (!is_v1(call) && (type != GROUPS_OF_LISTS || has_rows_told(call))) {
        const struct tensor_view *list = &call->tensor[V4_groupListOptional];
        TRY(group_list_check(call, V4_groupListOptional, list_type_of(call),
                             list->rank > 0 ? list->shape[0] : 0));
    }
    if (type == GROUPS_OF_LISTS)
        return ACLNN_SUCCESS;
    if (length(call, V4_x) != 1)
        return refuse(call, "x has %" PRIu64 " tensors; one is expected for groups of it",
                      length(call, V4_x));
    return ACLNN_SUCCESS;
}

/* The matrix of a list for a group: its own, or a part of a stacked one. */
static struct side side_of(const struct call *call, unsigned list, uint64_t group, uint32_t rank)
{
    const bool is_stacked = length(call, list) == 1 && view_at(call, list, 0)->rank == rank + 1;
    const uint64_t index = length(call, list) == 1 ? 0 : group;
    const struct tensor_view *view = view_at(call, list, index);
    struct side side = {.operand = operand_of_view(view, call->first_operand[list] + (uint32_t)index)};
    if (is_stacked)
        side.offset = (int64_t)group * view->stride[0] * (int64_t)side.operand.bytes;
    side.stride[0] = rank == 2 ? view->stride[view->rank - 2] : 0;
    side.stride[1] = view->stride[view->rank - 1];
    return side;
}

/* A list must have as many matrices as there are groups, in one tensor or several. */
static aclnnStatus check_count(const struct call *call, unsigned list, uint32_t rank)
{
    const uint64_t groups = group_count(call);
    const bool is_stacked = length(call, list) == 1 && view_at(call, list, 0)->rank == rank + 1;
    const uint64_t found = is_stacked ? (uint64_t)view_at(call, list, 0)->shape[0] : length(call, list);
    if (found != groups)
        return refuse(call, "%s has matrices for %" PRIu64 " groups; %" PRIu64 " are expected",
                      call_name(call, list), found, groups);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_cuts(const struct call *call)
{
    int64_t before = 0;
    for (uint64_t g = 0; g < group_count(call); g++) {
        const int64_t found = call->values[V1_groupListOptional].value.int64[g];
        if (found < before || found > rows_of(call, V4_x, 0))
            return refuse(call,
                          "groupListOptional holds %" PRId64 " at [%" PRIu64
                          "]; numbers are expected that do not fall, from 0 to the rows of x, %" PRId64,
                          found, g, rows_of(call, V4_x, 0));
        before = found;
    }
    return ACLNN_SUCCESS;
}

/* Where a list of groups stands beside an x for each, it says what their rows are. */
static aclnnStatus check_rows_told(const struct call *call)
{
    const uint64_t groups = group_count(call);
    const uint64_t told = is_v1(call) ? length(call, V1_groupListOptional)
                                      : (uint64_t)call->tensor[V4_groupListOptional].shape[0];
    uint64_t end = 0; /* without columns there may be any number of rows */
    if (told != groups)
        return refuse(call, "%s has %" PRIu64 " numbers; %" PRIu64 " are expected: one for each tensor of x",
                      call_name(call, is_v1(call) ? V1_groupListOptional : V4_groupListOptional), told,
                      groups);
    for (uint64_t g = 0; is_v1(call) && g < groups; g++) {
        const int64_t found = call->values[V1_groupListOptional].value.int64[g];
        end += (uint64_t)rows_of(call, V4_x, g);
        if ((uint64_t)found != end)
            return refuse(call,
                          "groupListOptional holds %" PRId64 " at [%" PRIu64 "]; %" PRIu64
                          " is expected: the rows of x up to there",
                          found, g, end);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_told(const struct call *call)
{
    const bool is_told = is_v1(call) ? length(call, V1_groupListOptional) > 0 : has_rows_told(call);
    if (type_of(call) != GROUPS_OF_LISTS || !is_told)
        return ACLNN_SUCCESS;
    return is_cut(call) ? check_cuts(call) : check_rows_told(call);
}

static aclnnStatus check_shapes(const struct call *call)
{
    const int64_t type = type_of(call);
    const uint64_t groups = group_count(call);
    if (type != GROUPS_OF_DEPTH)
        TRY(check_count(call, V4_weight, 2));
    else if (length(call, V4_weight) != 1 || view_at(call, V4_weight, 0)->rank != 2)
        return refuse(call, "weight is expected to be one matrix for groups of its rows");
    if (length(call, V4_biasOptional) > 0)
        TRY(check_count(call, V4_biasOptional, 1));
    TRY(check_told(call));
    for (uint64_t g = 0; g < (type == GROUPS_OF_DEPTH ? 1 : groups); g++) {
        if (columns_of(call, V4_x, g) != rows_of(call, V4_weight, g))
            return refuse(call,
                          "x has %" PRId64 " columns and weight %" PRId64 " rows in group %" PRIu64
                          "; as many are expected",
                          columns_of(call, V4_x, g), rows_of(call, V4_weight, g), g);
        if ((type == GROUPS_OF_ROWS || is_joined(call)) &&
            columns_of(call, V4_weight, g) != columns_of(call, V4_weight, 0))
            return refuse(call,
                          "weight has %" PRId64 " columns in group %" PRIu64 " and %" PRId64
                          " in the first; one number is expected",
                          columns_of(call, V4_weight, g), g, columns_of(call, V4_weight, 0));
    }
    for (uint64_t g = 0; length(call, V4_biasOptional) > 0 && g < groups; g++) {
        const struct tensor_view *bias =
            view_at(call, V4_biasOptional, length(call, V4_biasOptional) == 1 ? 0 : g);
        if (bias->shape[bias->rank - 1] != columns_of(call, V4_weight, g))
            return refuse(call, "bias has %" PRId64 " columns in group %" PRIu64 "; %" PRId64 " are expected",
                          bias->shape[bias->rank - 1], g, columns_of(call, V4_weight, g));
    }
    return ACLNN_SUCCESS;
}

/* The tensors of y, which infer judges itself. */
static aclnnStatus check_results(const struct call *call, aclDataType dtype)
{
    const int64_t type = type_of(call);
    const unsigned y = y_of(call);
    const uint64_t groups = group_count(call);
    const uint64_t expected = type == GROUPS_OF_LISTS && !is_joined(call) ? groups : 1;
    uint64_t more = 0; /* rows behind those of the first x */
    for (uint64_t i = 1; is_joined(call) && i < length(call, V4_x); i++)
        more += (uint64_t)rows_of(call, V4_x, i);
    if (length(call, y) != expected)
        return refuse(call, "%s has %" PRIu64 " tensors; %" PRIu64 " are expected", call_name(call, y),
                      length(call, y), expected);
    for (uint64_t i = 0; i < expected; i++) {
        const struct tensor_view *view = view_at(call, y, i);
        const bool is_stacked = type == GROUPS_OF_DEPTH;
        const int64_t shape[] = {(int64_t)groups, (int64_t)((uint64_t)group_rows(call, i) + more),
                                 columns_of(call, V4_weight, i)};
        if (view->dtype != dtype)
            return refuse(call, "tensor %" PRIu64 " of %s has dtype %s; %s is expected", i,
                          call_name(call, y), dtype_name(view->dtype), dtype_name(dtype));
        if (view->rank != (is_stacked ? 3U : 2U) ||
            memcmp(view->shape, shape + !is_stacked, (size_t)view->rank * sizeof shape[0]) != 0)
            return refuse(call,
                          "tensor %" PRIu64 " of %s is expected to have %sthe rows of x and the columns of "
                          "weight, %" PRId64 " and %" PRId64,
                          i, call_name(call, y), is_stacked ? "a matrix for each group with " : "", shape[1],
                          shape[2]);
    }
    return ACLNN_SUCCESS;
}

/* Floats by floats, or by numbers with scales. */
static aclnnStatus check_floats(const struct call *call, aclDataType dtype)
{
    const bool is_stacked = type_of(call) == GROUPS_OF_ROWS || is_joined(call);
    TRY(check_list(call, V4_x, dtype, 2, false));
    TRY(check_list(call, V4_weight, is_antiquant_call(call) ? ACL_DT_UNDEFINED : dtype, 2, is_stacked));
    TRY(check_list(call, V4_biasOptional, ACL_DT_UNDEFINED, 1, true));
    for (uint64_t i = 0; i < length(call, V4_biasOptional); i++)
        if (view_at(call, V4_biasOptional, i)->dtype == ACL_INT32)
            return refuse(call,
                          "tensor %" PRIu64 " of biasOptional is INT32; floats are expected where x is %s", i,
                          dtype_name(dtype));
    if (length(call, V4_biasOptional) > 0 && type_of(call) == GROUPS_OF_DEPTH)
        return refuse(call, "bias is given; none is expected for groups of the common dim");
    TRY(check_shapes(call));
    return is_antiquant_call(call) ? grouped_antiquant_check(call) : ACLNN_SUCCESS;
}

/* Of whole numbers what y is, or, where nobody says, mostly would be. */
static aclDataType result_dtype(const struct call *call, aclDataType dtype)
{
    if (!is_whole_call(call))
        return dtype;
    if (call->has_outputs && length(call, y_of(call)) > 0)
        return view_at(call, y_of(call), 0)->dtype;
    return length(call, V4_scaleOptional) > 0 || is_small_float(dtype) ? ACL_FLOAT16 : ACL_INT32;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const aclDataType dtype = length(call, V4_x) > 0 ? view_at(call, V4_x, 0)->dtype : ACL_DT_UNDEFINED;
    TRY(check_groups(call));
    TRY(check_choices(call));
    const aclDataType out = result_dtype(call, dtype);
    if (is_whole_call(call)) {
        TRY(check_dtype_in_list(call, y_of(call), out));
        TRY(grouped_whole_check(call, out));
        TRY(check_told(call));
    } else {
        TRY(check_floats(call, dtype));
    }
    result->computed = dtype;
    struct output *output = result_add(result, is_whole_call(call) ? out : ACL_DT_UNDEFINED, DTYPE_ANY);
    output->shape_rule = SHAPE_ONE; /* which of a list nobody but check_results judges */
    output->like = V4_x;
    return call->has_outputs ? check_results(call, out) : ACLNN_SUCCESS;
}

static void fill_group(const struct call *call, struct grouped_plan *plan, uint64_t g)
{
    struct group *group = &plan->group[g];
    const uint64_t own = plan->type == GROUPS_OF_LISTS ? g : 0;
    group->x = side_of(call, V4_x, own, 2);
    group->x.offset = first_row(call, g) * group->x.stride[0] * (int64_t)group->x.operand.bytes;
    group->weight = side_of(call, V4_weight, plan->type == GROUPS_OF_DEPTH ? 0 : g, 2);
    group->y = side_of(call, y_of(call), plan->type == GROUPS_OF_ROWS ? 0 : g, 2);
    if (plan->is_joined && g > 0)
        group->y.offset = group[-1].y.offset +
                          (int64_t)group[-1].rows * group->y.stride[0] * (int64_t)group->y.operand.bytes;
    if (plan->has_bias && !plan->is_whole)
        group->bias = side_of(call, V4_biasOptional, g, 1);
    group->target =
        target_of(plan->transfer, plan->level,
                  view_at(call, y_of(call), length(call, y_of(call)) == 1 ? 0 : g), group->y.operand.address);
    group->target.first = group->y.operand.bytes > 0 ? group->y.offset / (int64_t)group->y.operand.bytes : 0;
    group->target.activation = plan->activation;
    group->rows = (uint64_t)group_rows(call, own);
    group->depth = (uint64_t)columns_of(call, V4_x, own);
    group->columns = (uint64_t)columns_of(call, V4_weight, plan->type == GROUPS_OF_DEPTH ? 0 : g);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const uint64_t groups = group_count(call);
    const uint64_t numbers = is_v1(call) && type_of(call) == GROUPS_OF_ROWS ? groups : 0;
    struct executor_content *content;
    void *made;
    (void)result;
    TRY(call_begin(call,
                   sizeof(struct grouped_plan) +
                       groups_bytes(is_whole_call(call), is_antiquant_call(call), groups) +
                       numbers * sizeof(int64_t),
                   &content, &made));
    struct grouped_plan *plan = made;
    *plan = (struct grouped_plan){
        .transfer = transfer_of(call->settings->isa),
        .level = call->settings->isa,
        .threads = call->settings->thread_count,
        .type = (enum group_type)type_of(call),
        .is_exact = call->settings->accuracy == ACCURACY_EXACT,
        .is_whole = is_whole_call(call),
        .is_antiquant = is_antiquant_call(call),
        .activation = is_v1(call) ? ACTIVATION_NONE : (enum activation)call->argument[V4_actType].int64,
        .list_type = (enum group_list_type)list_type_of(call),
        .has_bias = length(call, V4_biasOptional) > 0,
        .has_array = is_v1(call),
        .has_numbers = type_of(call) != GROUPS_OF_LISTS || has_rows_told(call),
        .is_joined = is_joined(call),
        .number_count = numbers,
        .groups = groups};
    uint64_t depth = 0, columns = 0;
    for (uint64_t g = 0; g < groups; g++) {
        fill_group(call, plan, g);
        const struct group *group = &plan->group[g];
        depth = group->depth > depth ? group->depth : depth;
        columns = group->columns > columns ? group->columns : columns;
        plan->cost_ns += (plan->type == GROUPS_OF_LISTS || g == 0) *
                         (group->rows * group->columns * group->depth / 64 + 1000);
    }
    if (numbers > 0)
        memcpy((unsigned char *)plan->group + groups_bytes(plan->is_whole, plan->is_antiquant, groups),
               call->values[V1_groupListOptional].value.int64, numbers * sizeof(int64_t));
    if (!is_v1(call) && plan->has_numbers)
        plan->list = port_of(call, V4_groupListOptional, ACL_INT64);
    plan->work_bytes =
        groups > 0 && !plan->is_whole ? contraction_most_bytes(plan->level, plan->threads, depth) : 0;
    if (plan->is_whole)
        grouped_whole_plan(call, plan);
    if (plan->is_antiquant)
        grouped_antiquant_plan(call, plan);
    if (!plan->is_whole && plan->activation != ACTIVATION_NONE)
        plan->room_bytes = whole_lines(SCALED_ROWS * columns * sizeof(float)) +
                           whole_lines(SCALED_ROWS * columns * sizeof(double));
    content->cost_ns = plan->cost_ns;
    content->is_idle = groups == 0;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

#define GROUPED                                                                                        \
    .family = FAMILY_CONTRACTION, .promise = &promise_sum, .operation.work_bytes = grouped_work_bytes, \
    .operation.run = grouped_run, .infer = infer, .plan = plan

FUNCTION_LIKE(aclnnGroupedMatmul, (V1), .stem = "grouped_matmul", GROUPED);
FUNCTION_LIKE(aclnnGroupedMatmulV4, (V4), .stem = "grouped_matmul_v4", GROUPED);
FUNCTION_LIKE(aclnnGroupedMatmulV5, (V5), .stem = "grouped_matmul_v5", GROUPED);

/* A weight's format is known from the tensor; quantGroupSize is of forms that are refused. */
FUNCTION_LIKE(aclnnGroupedMatmulWeightNz, (WEIGHT_NZ), .stem = "grouped_matmul_weight_nz", GROUPED);
