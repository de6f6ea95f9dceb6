/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of parts of the common dim, by a list of groups, added to what is there: yRef[g] += x1_g^T @ x2_g with
 * scales of the groups, of their columns, or of MX. In MX, whose blocks begin anew in each group, the pairs of a
 * group lie from floor(its first step / 64) + its number on.
 */
#include "aclnnop/aclnn_quant_grouped_matmul_inplace_add.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/contraction/activation.h"
#include "ops/contraction/group_list.h"
#include "ops/contraction/scaled.h"
#include "ops/quantise/formats.h"
#include "ops/signature.h"
#include "ops/sizes.h"
#include "tensor/dtype.h"

#define QUANT_GROUPED_ADD(X, of)                                                            \
    X(of, IN, x1, &dtypes_int8_on_950_float8_hifloat8, .sample = "4x3:INT8")                \
    X(of, IN, x2, &dtypes_int8_on_950_float8_hifloat8, .sample = "4x5:INT8")                \
    X(of, IN, scale1Optional, &dtypes_fp32_float8_e8m0, .is_optional = true, .sample = "2") \
    X(of, IN, scale2, &dtypes_fp32_float8_e8m0, .sample = "2x5")                            \
    X(of, IN, groupList, &dtypes_int64, .sample = "2:INT64")                                \
    X(of, BOTH, yRef, &dtypes_fp32, .sample = "2x3x5")                                      \
    X(of, INT64, groupListType, .usual = "0")                                               \
    X(of, INT64, groupSize, .usual = "0")
SIGNATURE(QUANT_GROUPED_ADD)
enum {
    X1 = QUANT_GROUPED_ADD_x1,
    X2 = QUANT_GROUPED_ADD_x2,
    SCALE1 = QUANT_GROUPED_ADD_scale1Optional,
    SCALE2 = QUANT_GROUPED_ADD_scale2,
    LIST = QUANT_GROUPED_ADD_groupList,
    Y = QUANT_GROUPED_ADD_yRef,
};

static bool is_mx(const struct call *call)
{
    return call->tensor[SCALE2].dtype == ACL_FLOAT8_E8M0;
}

/* Of a group one, or of scale2 also one for each column; of MX pairs of blocks. */
static aclnnStatus check_scale(const struct call *call, unsigned place, int64_t groups, int64_t lanes)
{
    const struct tensor_view *scale = &call->tensor[place];
    const int64_t starts = call->tensor[X1].shape[0] / MX_PAIR + groups;
    if (!call_has_elements(call, place))
        return is_mx(call)
                   ? refuse(call, "%s is NULL; FLOAT8_E8M0 is expected, as scale2 is", call_name(call, place))
                   : ACLNN_SUCCESS;
    if ((scale->dtype == ACL_FLOAT8_E8M0) != is_mx(call))
        return refuse(call, "%s is %s and scale2 %s; both or none are expected to be FLOAT8_E8M0",
                      call_name(call, place), dtype_name(scale->dtype),
                      dtype_name(call->tensor[SCALE2].dtype));
    if (is_mx(call)) {
        if (scale->rank == 3 && scale->shape[0] == starts && scale->shape[1] == lanes && scale->shape[2] == 2)
            return ACLNN_SUCCESS;
        return refuse(call, "%s has shape %s; [%" PRId64 ", %" PRId64 ", 2] is expected",
                      call_name(call, place), shape_text(TEXT, scale), starts, lanes);
    }
    if ((scale->rank == 1 ||
         (scale->rank == 2 && (scale->shape[1] == 1 || (place == SCALE2 && scale->shape[1] == lanes)))) &&
        scale->shape[0] == groups)
        return ACLNN_SUCCESS;
    if (place == SCALE1)
        return refuse(call, "%s has shape %s; [%" PRId64 "] or [%" PRId64 ", 1] is expected",
                      call_name(call, place), shape_text(TEXT, scale), groups, groups);
    return refuse(
        call, "%s has shape %s; [%" PRId64 "], [%" PRId64 ", 1] or [%" PRId64 ", %" PRId64 "] is expected",
        call_name(call, place), shape_text(TEXT, scale), groups, groups, groups, lanes);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x1 = &call->tensor[X1], *x2 = &call->tensor[X2], *list = &call->tensor[LIST],
                             *y = &call->tensor[Y];
    for (unsigned i = X1; i <= X2; i++)
        TRY(check_dtype(call, i));
    for (unsigned i = SCALE1; i <= SCALE2; i++)
        if (call_has_elements(call, i))
            TRY(check_dtype(call, i));
    TRY(check_dtype(call, Y));
    const bool is_8 = dtype_is_one_of(x1->dtype, DTYPES_FLOAT8) && dtype_is_one_of(x2->dtype, DTYPES_FLOAT8);
    if (!is_8 && x1->dtype != x2->dtype)
        return refuse(call, "x1 is %s and x2 %s; FLOAT8 by FLOAT8, or two of HIFLOAT8 or INT8, are expected",
                      dtype_name(x1->dtype), dtype_name(x2->dtype));
    if (x1->rank != 2 || x2->rank != 2 || x1->shape[0] != x2->shape[0])
        return refuse(call, "x1 has shape %s and x2 %s; matrices of as many rows are expected",
                      shape_text(TEXT, x1), shape_text(TEXT, x2));
    const int64_t groups = list->rank > 0 ? list->shape[0] : 0;
    TRY(group_list_check(call, LIST, call->argument[QUANT_GROUPED_ADD_groupListType].int64, groups));
    if (is_mx(call) && !is_8)
        return refuse(call, "scale2 is FLOAT8_E8M0; FLOAT is expected where x1 is %s", dtype_name(x1->dtype));
    if (y->rank != 3 || y->shape[0] != groups || y->shape[1] != x1->shape[1] || y->shape[2] != x2->shape[1])
        return refuse(call, "yRef has shape %s; [%" PRId64 ", %" PRId64 ", %" PRId64 "] is expected",
                      shape_text(TEXT, y), groups, x1->shape[1], x2->shape[1]);
    TRY(check_scale(call, SCALE1, groups, x1->shape[1]));
    TRY(check_scale(call, SCALE2, groups, x2->shape[1]));
    result->computed = ACL_FLOAT;
    result_like(result, call, Y);
    return ACLNN_SUCCESS;
}

struct add_plan {
    struct scaled scaled; /* of all steps; those of a group are known when the work runs */
    struct scaled_product product;
    struct target y;
    struct group_list list;
    bool is_mx;
    uint64_t rows, steps;
    int64_t y_step, left_step, right_step, rows_scale,
        columns_scale; /* from group to group, and step to step */
};

static struct factors factors_of(const struct call *call, unsigned place)
{
    const struct tensor_view *view = &call->tensor[place];
    struct factors factors = {.lanes = 1};
    if (!call_has_elements(call, place))
        return factors;
    factors.is_given = true;
    factors.dtype = view->dtype;
    factors.bytes = dtype_bytes(view->dtype);
    factors.address = call->first_operand[place];
    factors.is_paired = is_mx(call);
    factors.stride[0] = is_mx(call) ? view->stride[0] : 0;
    factors.second = is_mx(call) ? view->stride[2] : 0;
    factors.stride[1] = view->rank > 1 && view->shape[1] > 1 ? view->stride[1] : 0;
    return factors;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x1 = &call->tensor[X1], *x2 = &call->tensor[X2], *y = &call->tensor[Y];
    const struct transfer *transfer = transfer_of(call->settings->isa);
    struct executor_content *content;
    struct numbers left, right;
    void *made;
    (void)result;
    if (y->count == 0 || x1->shape[0] == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct add_plan), &content, &made));
    struct add_plan *plan = made;
    (void)matrix_of_numbers(x1, false, call->first_operand[X1], &left);
    (void)matrix_of_numbers(x2, false, call->first_operand[X2], &right);
    *plan = (struct add_plan){
        .scaled = {.transfer = transfer,
                   .isa = call->settings->isa,
                   .threads = call->settings->thread_count,
                   .columns = (uint64_t)x2->shape[1],
                   .depth = (uint64_t)x1->shape[0],
                   .bias_place = BIAS_LAST,
                   .rows_have_parts = is_mx(call),
                   .is_float = is_small_float(x1->dtype)},
        .product = {.left = numbers_turned(&left),
                    .right = numbers_turned(&right),
                    .columns = factors_of(call, SCALE2),
                    .rows = factors_of(call, SCALE1)},
        .y = target_of(transfer, call->settings->isa, y, call->first_operand[Y]),
        .list = group_list_of(call, LIST, call->argument[QUANT_GROUPED_ADD_groupListType].int64,
                              (uint64_t)y->shape[0]),
        .is_mx = is_mx(call),
        .rows = (uint64_t)x1->shape[1],
        .steps = (uint64_t)x1->shape[0],
        .y_step = y->stride[0],
        .left_step = x1->stride[0],
        .right_step = x2->stride[0],
        .rows_scale = call_has_elements(call, SCALE1) ? call->tensor[SCALE1].stride[0] : 0,
        .columns_scale = call->tensor[SCALE2].stride[0],
    };
    plan->y.adds = true;
    plan->scaled.parts = is_mx(call) ? (plan->steps - 1) / MX_BLOCK + 1 : 1;
    plan->scaled.part = is_mx(call) ? MX_BLOCK : plan->steps;
    content->cost_ns = scaled_cost_ns(&plan->scaled, plan->rows);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t work_bytes(const void *prepared)
{
    const struct add_plan *plan = prepared;
    return group_list_bytes(&plan->list) + scaled_work_bytes(&plan->scaled);
}

static void add_group(const struct add_plan *plan, const struct group_piece *piece, void *const *address,
                      void *scratch)
{
    struct scaled scaled = plan->scaled;
    struct scaled_product product = plan->product;
    struct target y = plan->y;
    struct scaled_work work;
    const int64_t first = (int64_t)piece->first, group = (int64_t)piece->group,
                  at = plan->is_mx ? first / MX_PAIR + group : group;
    scaled.depth = piece->count;
    scaled.parts = plan->is_mx ? (piece->count - 1) / MX_BLOCK + 1 : 1;
    scaled.part = plan->is_mx ? MX_BLOCK : piece->count;
    product.left.first += first * plan->left_step;
    product.right.first += first * plan->right_step;
    product.left.size[1] = product.right.size[1] = (int64_t)piece->count;
    product.rows.first += at * plan->rows_scale;
    product.columns.first += at * plan->columns_scale;
    y.first += group * plan->y_step;
    scaled_use_memory(&work, &scaled, address, scratch);
    scaled_begin(&work, &product);
    for (uint64_t row = 0, some; row < plan->rows; row += some) {
        some = plan->rows - row < SCALED_ROWS ? plan->rows - row : SCALED_ROWS;
        scaled_multiply(&work, row, some);
        target_take(&y, address, row, some, work.value);
    }
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct add_plan *plan = prepared;
    const struct group_piece *piece = scratch;
    const int status = group_list_read(&plan->list, address, "groupList", plan->steps, scratch);
    for (uint64_t i = 0; status == 0 && i < plan->list.length; i++)
        if (piece[i].count > 0)
            add_group(plan, &piece[i], address, (unsigned char *)scratch + group_list_bytes(&plan->list));
    return status;
}

FUNCTION_OF(aclnnQuantGroupedMatmulInplaceAdd, QUANT_GROUPED_ADD, .stem = "quant_grouped_matmul_inplace_add",
            .family = FAMILY_CONTRACTION, .promise = &promise_sum, .operation.run = run,
            .operation.work_bytes = work_bytes, .infer = infer, .plan = plan);
