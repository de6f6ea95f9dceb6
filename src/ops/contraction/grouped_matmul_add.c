/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of the transposed rows of groups, added to a matrix of each: y_g += x_g^T @ weight_g, in FLOAT as
 * Addmm adds, rounded once. A group without rows leaves its matrix.
 */
#include "aclnnop/aclnn_grouped_matmul_add.h"
#include "aclnnop/aclnn_grouped_matmul_add_v2.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/contraction/contraction.h"
#include "ops/contraction/group_list.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define ADD(X, of)                                                \
    X(of, IN, x, &dtypes_fp16_bf16, .sample = "3x2:FLOAT16")      \
    X(of, IN, weight, &dtypes_fp16_bf16, .sample = "3x4:FLOAT16") \
    X(of, IN, groupList, &dtypes_int64, .sample = "2:INT64")      \
    X(of, BOTH, yRef, &dtypes_fp32, .sample = "2x2x4")            \
    X(of, BOOL, transposeX, .usual = "true")                      \
    X(of, BOOL, transposeWeight, .usual = "false")                \
    X(of, INT64, groupType, .usual = "2")
#define V1(X, of) ADD(X, of)
#define V2(X, of) ADD(X, of) X(of, INT64, groupListType, .usual = "0")
SIGNATURE(V1)
SIGNATURE(V2)

enum { X, WEIGHT, LIST, Y, OPERANDS };

static int64_t list_type(const struct call *call)
{
    return call->function->parameter_count == V2_groupListType + 1 ? call->argument[V2_groupListType].int64
                                                                   : GROUPS_CUMULATED;
}

static int64_t group_count(const struct call *call)
{
    const struct tensor_view *list = &call->tensor[V1_groupList];
    return list->rank > 0 ? list->shape[0] : 0;
}

/* y has a dim for groups, or their rows one behind the other. */
static bool fits(const struct call *call, int64_t rows, int64_t columns)
{
    const struct tensor_view *y = &call->tensor[V1_yRef];
    const int64_t groups = group_count(call);
    if (y->rank == 3)
        return y->shape[0] == groups && y->shape[1] == rows && y->shape[2] == columns;
    int64_t all;
    return y->rank == 2 && !__builtin_mul_overflow(groups, rows, &all) && y->shape[0] == all &&
           y->shape[1] == columns;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[V1_x], *weight = &call->tensor[V1_weight];
    for (unsigned i = V1_x; i <= V1_yRef; i++)
        TRY(check_dtype(call, i));
    TRY(check_same_dtype(call, V1_weight, V1_x, NULL));
    if (x->rank != 2 || weight->rank != 2 || x->shape[0] != weight->shape[0])
        return refuse(call, "x has shape %s and weight %s; matrices of as many rows are expected",
                      shape_text(TEXT, x), shape_text(TEXT, weight));
    if (!call->argument[V1_transposeX].boolean || call->argument[V1_transposeWeight].boolean ||
        call->argument[V1_groupType].int64 != 2)
        return refuse(call,
                      "transposeX is %d, transposeWeight %d and groupType %" PRId64
                      "; true, false and 2 are expected",
                      call->argument[V1_transposeX].boolean, call->argument[V1_transposeWeight].boolean,
                      call->argument[V1_groupType].int64);
    TRY(group_list_check(call, V1_groupList, list_type(call), group_count(call)));
    if (!fits(call, x->shape[1], weight->shape[1]))
        return refuse(call,
                      "yRef has shape %s; [%" PRId64 ", %" PRId64 ", %" PRId64
                      "], or the first two as one dim, is expected",
                      shape_text(TEXT, &call->tensor[V1_yRef]), group_count(call), x->shape[1],
                      weight->shape[1]);
    result->computed = ACL_FLOAT;
    result_like(result, call, V1_yRef);
    return ACLNN_SUCCESS;
}

struct add_plan {
    struct contraction product; /* of a group, without its depth */
    struct group_list list;
    enum isa_level isa;
    uint32_t threads;
    uint64_t steps, work_bytes;
    int64_t y_step, x_step, weight_step; /* bytes from group to group, and from row to row */
};

static struct contraction_matrix matrix_of(const struct call *call, unsigned parameter, unsigned address,
                                           int64_t first, int64_t second)
{
    const aclDataType dtype = call->tensor[parameter].dtype;
    return (struct contraction_matrix){
        .dtype = dtype, .bytes = dtype_bytes(dtype), .address = address, .stride = {first, second}};
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = &call->tensor[V1_x], *weight = &call->tensor[V1_weight],
                             *y = &call->tensor[V1_yRef];
    struct executor_content *content;
    void *made;
    (void)result;
    if (y->count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct add_plan), &content, &made));
    struct add_plan *plan = made;
    *plan = (struct add_plan){
        .product = {.rows = (uint64_t)x->shape[1],
                    .columns = (uint64_t)weight->shape[1],
                    .left = matrix_of(call, V1_x, X, x->stride[1], x->stride[0]),
                    .right = matrix_of(call, V1_weight, WEIGHT, weight->stride[1], weight->stride[0]),
                    .self = matrix_of(call, V1_yRef, Y, y->stride[y->rank - 2], y->stride[y->rank - 1]),
                    .alpha = 1,
                    .beta = 1,
                    .has_self = true,
                    .is_exact = call->settings->accuracy == ACCURACY_EXACT},
        .list = group_list_of(call, V1_groupList, list_type(call), (uint64_t)group_count(call)),
        .isa = call->settings->isa,
        .threads = call->settings->thread_count,
        .steps = (uint64_t)x->shape[0],
        .y_step = (y->rank == 3 ? y->stride[0] : x->shape[1] * y->stride[0]) * (int64_t)sizeof(float),
        .x_step = x->stride[0] * 2,
        .weight_step = weight->stride[0] * 2,
    };
    plan->product.out = plan->product.self;
    plan->work_bytes = contraction_most_bytes(plan->isa, plan->threads, plan->steps);
    content->cost_ns = plan->product.rows * plan->product.columns * plan->steps / 64 + 1000;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t work_bytes(const void *prepared)
{
    const struct add_plan *plan = prepared;
    return group_list_bytes(&plan->list) + plan->work_bytes;
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct add_plan *plan = prepared;
    const struct group_piece *piece = scratch;
    void *work = (unsigned char *)scratch + group_list_bytes(&plan->list);
    const int status = group_list_read(&plan->list, address, "groupList", plan->steps, scratch);
    for (uint64_t i = 0; status == 0 && i < plan->list.length; i++) {
        struct contraction product = plan->product;
        if (piece[i].count == 0)
            continue;
        void *const own[OPERANDS] = {
            [X] = (unsigned char *)address[X] + (int64_t)piece[i].first * plan->x_step,
            [WEIGHT] = (unsigned char *)address[WEIGHT] + (int64_t)piece[i].first * plan->weight_step,
            [Y] = (unsigned char *)address[Y] + (int64_t)piece[i].group * plan->y_step};
        product.depth = piece[i].count;
        contraction_prepare(&product, plan->isa, plan->threads);
        (void)contraction_run(&product, own, contraction_work_bytes(&product) > 0 ? work : NULL);
    }
    return status;
}

#define ADDS                                                                     \
    .family = FAMILY_CONTRACTION, .promise = &promise_sum, .operation.run = run, \
    .operation.work_bytes = work_bytes, .infer = infer, .plan = plan
FUNCTION_OF(aclnnGroupedMatmulAdd, V1, .stem = "grouped_matmul_add", ADDS);
FUNCTION_OF(aclnnGroupedMatmulAddV2, V2, .stem = "grouped_matmul_add_v2", ADDS);
