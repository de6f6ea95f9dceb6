/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = x1 @ x2^T + bias for FLOAT4_E2M1 with scales of two levels along the common dim: a power of two for each 32
 * steps, and a FLOAT for each 512. x2 may come as bytes of INT8, two of its numbers in each.
 */
#include "aclnnop/aclnn_dual_level_quant_matmul_nz.h"

#include <inttypes.h>

#include "ops/contraction/activation.h"
#include "ops/contraction/scaled.h"
#include "ops/quantise/formats.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { LEVEL_0 = 512 };

#define DUAL(X, of)                                                              \
    X(of, IN, x1, &dtypes_float4_e2m1, .sample = "3x64:FLOAT4_E2M1")             \
    X(of, IN, x2, &dtypes_int8_float4_e2m1, .sample = "5x64:FLOAT4_E2M1")        \
    X(of, IN, x1Level0Scale, &dtypes_fp32, .sample = "3x1")                      \
    X(of, IN, x2Level0Scale, &dtypes_fp32, .sample = "1x5")                      \
    X(of, IN, x1Level1Scale, &dtypes_float8_e8m0, .sample = "3x1x2:FLOAT8_E8M0") \
    X(of, IN, x2Level1Scale, &dtypes_float8_e8m0, .sample = "5x1x2:FLOAT8_E8M0") \
    X(of, IN, bias, &dtypes_fp32, .is_optional = true, .sample = "5")            \
    X(of, BOOL, transposeX1, .usual = "false")                                   \
    X(of, BOOL, transposeX2, .usual = "true")                                    \
    X(of, INT64, level0GroupSize, .usual = "512")                                \
    X(of, INT64, level1GroupSize, .usual = "32")                                 \
    X(of, OUT, out, &dtypes_fp16_bf16)
SIGNATURE(DUAL)

struct dual_plan {
    struct scaled scaled;
    struct scaled_product product;
    struct target out;
    uint64_t rows;
};

/* x2: (n, k), or (n, k / 2) of bytes with the even number in the low half. */
static bool right_of(const struct call *call, struct numbers *numbers)
{
    const struct tensor_view *view = &call->tensor[DUAL_x2];
    if (view->rank != 2 || !matrix_of_numbers(view, false, call->first_operand[DUAL_x2], numbers))
        return false;
    if (view->dtype != ACL_INT8)
        return true;
    numbers->is_in_halves = true;
    numbers->codes = ACL_FLOAT4_E2M1;
    numbers->stride[0] = size_times(numbers->stride[0], 2);
    numbers->outer[1] = size_times(numbers->stride[1], 2);
    numbers->block[1] = numbers->stride[1] == 1 ? 0 : 2;
    numbers->stride[1] = 1;
    return !__builtin_mul_overflow(numbers->size[1], 2, &numbers->size[1]);
}

static aclnnStatus check_said(const struct call *call)
{
    const union argument *argument = call->argument;
    if (argument[DUAL_transposeX1].boolean || !argument[DUAL_transposeX2].boolean)
        return refuse(call, "transposeX1 and transposeX2 are %s and %s; false and true are expected",
                      argument[DUAL_transposeX1].boolean ? "true" : "false",
                      argument[DUAL_transposeX2].boolean ? "true" : "false");
    if (argument[DUAL_level0GroupSize].int64 != LEVEL_0 || argument[DUAL_level1GroupSize].int64 != MX_BLOCK)
        return refuse(call,
                      "level0GroupSize and level1GroupSize are %" PRId64 " and %" PRId64
                      "; 512 and 32 are expected",
                      argument[DUAL_level0GroupSize].int64, argument[DUAL_level1GroupSize].int64);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x1 = &call->tensor[DUAL_x1];
    struct numbers right;
    TRY(check_all_dtypes(call));
    TRY(check_said(call));
    TRY(check_sizes(call, DUAL_x1, SIZES(-1, -1)));
    const int64_t rows = x1->shape[0], depth = x1->shape[1],
                  blocks = depth / LEVEL_0 + (depth % LEVEL_0 != 0),
                  pairs = (int64_t)mx_pairs((uint64_t)depth);
    if (!right_of(call, &right) || right.size[1] != depth)
        return refuse(call, "x2 has shape %s; (columns, %" PRId64 "), or half of that as bytes, is expected",
                      shape_text(TEXT, &call->tensor[DUAL_x2]), depth);
    const int64_t columns = right.size[0];
    TRY(check_sizes(call, DUAL_x1Level0Scale, SIZES(rows, blocks)));
    TRY(check_sizes(call, DUAL_x2Level0Scale, SIZES(blocks, columns)));
    TRY(check_sizes(call, DUAL_x1Level1Scale, SIZES(rows, pairs, 2)));
    TRY(check_sizes(call, DUAL_x2Level1Scale, SIZES(columns, pairs, 2)));
    TRY(check_optional_sizes(call, DUAL_bias, SIZES(columns)));
    result->computed = ACL_FLOAT;
    const aclDataType dtype = call->has_outputs ? call->tensor[DUAL_out].dtype : ACL_BF16;
    return check_element_count(call, &result_sized(result, dtype, DTYPE_EQUAL, SIZES(rows, columns))->shape);
}

/* Of parts along one dim and lanes along another; of powers of two, pairs of parts. */
static struct factors factors_of(const struct call *call, unsigned parameter, unsigned parts, unsigned lanes)
{
    const struct tensor_view *view = &call->tensor[parameter];
    struct factors factors =
        factors_of_view(view, call->first_operand[parameter], view->stride[parts], view->stride[lanes]);
    factors.is_paired = view->rank == 3;
    factors.second = view->stride[view->rank - 1];
    return factors;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct transfer *transfer = transfer_of(call->settings->isa);
    const struct tensor_view *out = &call->tensor[DUAL_out];
    const uint64_t depth = (uint64_t)call->tensor[DUAL_x1].shape[1];
    struct executor_content *content;
    struct numbers left, right;
    void *made;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct dual_plan), &content, &made));
    (void)matrix_of_numbers(&call->tensor[DUAL_x1], false, call->first_operand[DUAL_x1], &left);
    (void)right_of(call, &right);
    struct dual_plan *plan = made;
    *plan = (struct dual_plan){
        .scaled = {.transfer = transfer,
                   .isa = call->settings->isa,
                   .threads = call->settings->thread_count,
                   .columns = (uint64_t)out->shape[1],
                   .depth = depth,
                   .parts = depth / MX_BLOCK + (depth % MX_BLOCK != 0),
                   .part = MX_BLOCK,
                   .bias_place = BIAS_LAST,
                   .rows_have_parts = true,
                   .is_float = true},
        .product = {.left = left,
                    .right = right,
                    .columns = factors_of(call, DUAL_x2Level1Scale, 1, 0),
                    .rows = factors_of(call, DUAL_x1Level1Scale, 1, 0),
                    .outer_columns = factors_of(call, DUAL_x2Level0Scale, 0, 1),
                    .outer_rows = factors_of(call, DUAL_x1Level0Scale, 1, 0),
                    .outer = LEVEL_0 / MX_BLOCK},
        .out = target_of(transfer, call->settings->isa, out, call->first_operand[DUAL_out]),
        .rows = (uint64_t)out->shape[0]};
    if (call_has_elements(call, DUAL_bias))
        plan->product.bias = factors_of_view(&call->tensor[DUAL_bias], call->first_operand[DUAL_bias], 0,
                                             call->tensor[DUAL_bias].stride[0]);
    content->cost_ns = scaled_cost_ns(&plan->scaled, plan->rows);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t work_bytes(const void *prepared)
{
    return scaled_work_bytes(&((const struct dual_plan *)prepared)->scaled);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct dual_plan *plan = prepared;
    struct scaled_work work;
    scaled_use_memory(&work, &plan->scaled, address, scratch);
    scaled_begin(&work, &plan->product);
    for (uint64_t row = 0, some; row < plan->rows; row += some) {
        some = plan->rows - row < SCALED_ROWS ? plan->rows - row : SCALED_ROWS;
        scaled_multiply(&work, row, some);
        target_take(&plan->out, address, row, some, work.value);
    }
    return 0;
}

FUNCTION_OF(aclnnDualLevelQuantMatmulWeightNz, DUAL, .stem = "dual_level_quant_matmul_nz",
            .family = FAMILY_CONTRACTION, .promise = &promise_sum, .operation.work_bytes = work_bytes,
            .operation.run = run, .infer = infer, .plan = plan);
