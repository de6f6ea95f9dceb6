/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Weights of products in the device's own layout, which a program has made of plain ones and never reads:
 * here they stay plain, and products read them so, whatever their format is called.
 */
#include "aclnnop/aclnn_trans_matmul_weight.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/signature.h"
#include "tensor/array.h"

#define TRANS_MATMUL_WEIGHT(X, of) X(of, BOTH, mmWeightRef, &dtypes_fp32_fp16_bf16_int8)
SIGNATURE(TRANS_MATMUL_WEIGHT)

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const uint32_t rank = call->tensor[TRANS_MATMUL_WEIGHT_mmWeightRef].rank;
    TRY(check_dtype(call, TRANS_MATMUL_WEIGHT_mmWeightRef));
    if (rank < 2 || rank > OPERAND_RANK_MAX)
        return refuse(call, "mmWeightRef has %u dims; 2 to %d are expected", rank, OPERAND_RANK_MAX);
    result_like(result, call, TRANS_MATMUL_WEIGHT_mmWeightRef);
    return ACLNN_SUCCESS;
}

/* Its memory is judged as that of other work, though the work is none. */
static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct executor_content *content;
    void *nothing;
    (void)result;
    if (call->tensor[TRANS_MATMUL_WEIGHT_mmWeightRef].count == 0)
        return call_idle(call);
    TRY(call_begin(call, 0, &content, &nothing));
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static int run(const void *plan, void *const *address, void *scratch)
{
    (void)plan, (void)address, (void)scratch;
    return 0;
}

FUNCTION_OF(aclnnTransMatmulWeight, TRANS_MATMUL_WEIGHT, .stem = "trans_matmul_weight", .operation.run = run,
            .promise = &promise_exact, .family = FAMILY_CONTRACTION, .infer = infer, .plan = plan);

/* In one phase: the elements of such a weight, of which the device has whole tiles. */
static aclnnStatus count_elements(const char *api, const aclIntArray *shape, aclDataType dtype,
                                  uint64_t *size)
{
    enum { TILE = 16, RANK_MAX = 6 };
    const int64_t last = dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_FLOAT ? TILE : 2 * TILE;
    int64_t dim[RANK_MAX], count = 1;
    uint64_t rank;
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return ACLNN_ERR_RUNTIME_ERROR;
    if (shape == NULL || size == NULL)
        return report_misuse(RULE_HANDLE, ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL", api,
                             shape == NULL ? "tensorShape" : "weightTensorSize");
    if (!array_read(HANDLE_INT_ARRAY, shape, 0, RANK_MAX, dim, &rank))
        return report_misuse(array_rule(HANDLE_INT_ARRAY, shape), ACLNN_ERR_PARAM_INVALID,
                             "%s: tensorShape %s; an int array is expected", api,
                             array_fault(HANDLE_INT_ARRAY, shape));
    if (rank < 2 || rank > RANK_MAX)
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: tensorShape has %" PRIu64 " dims; 2 to %d are expected",
                    api, rank, RANK_MAX);
    for (uint64_t i = 0; i < rank; i++) {
        const int64_t tile = i + 1 == rank ? last : i + 2 == rank ? TILE : 1;
        if (dim[i] < 1 || dim[i] > INT64_MAX - tile ||
            __builtin_mul_overflow(count, (dim[i] + tile - 1) / tile * tile, &count))
            return fail(ACLNN_ERR_PARAM_INVALID,
                        "%s: tensorShape has %" PRId64 " at [%" PRIu64
                        "]; dims of 1 or more, and fewer than 2^63 elements, are expected",
                        api, dim[i], i);
    }
    *size = (uint64_t)count;
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray *tensorShape, uint64_t *weightTensorSize)
{
    return count_elements("aclnnCalculateMatmulWeightSize", tensorShape, ACL_FLOAT16, weightTensorSize);
}

aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray *tensorShape, aclDataType dataType,
                                             uint64_t *weightTensorSize)
{
    return count_elements("aclnnCalculateMatmulWeightSizeV2", tensorShape, dataType, weightTensorSize);
}
