/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * For each index of a dim everything else, x, with the norm n = (sum of |x|^p)^(1/p): x maxNorm / (n + 1e-7)
 * where n > maxNorm, else x. p = 0 counts what is not 0, infinite p takes the greatest |x|.
 */
struct renorm_numbers {
    double p, most;
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/row_norm.h"

static inline __attribute__((always_inline)) void renorm(enum arithmetic dtype, const void *const *input,
                                                         void *const *output, size_t count, double *room,
                                                         const void *parameters)
{
    const struct renorm_numbers *numbers = parameters;
    const double norm = row_norm(dtype, input[0], count, room, numbers->p);
    const double factor = norm > numbers->most ? numbers->most / (norm + 1e-7) : 1;
    for (size_t i = 0; i < count; i += LANES)
        row_store(dtype, output[0], i, row_load(dtype, input[0], i, count - i) * factor, count - i, true);
}

ROWS_KERNELS(renorm, renorm)

#else

/* The contract. */
#include "aclnnop/aclnn_renorm.h"
#include "ops/check.h"
#include "ops/loops/rows.h"
#include "ops/scalar.h"
#include "ops/signature.h"

ROWS_LEVELS(renorm);
static const struct rows rows = {renorm_rows, renorm_rows_fp32, .element_ps = 400};

#define P_DIM_AND_MAX_NORM(X, of)                 \
    X(of, SCALAR, p, &dtypes_reals, .usual = "2") \
    X(of, INT64, dim, .usual = "0")               \
    X(of, SCALAR, maxNorm, &dtypes_reals, .usual = "1")
#define RENORM(X, of)                       \
    X(of, IN, self, &dtypes_fp32_fp16_bf16) \
    P_DIM_AND_MAX_NORM(X, of)               \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(RENORM)

static aclnnStatus check_number(const struct call *call, unsigned parameter)
{
    TRY(check_dtype(call, parameter));
    const double number = scalar_to_fp64(&call->scalar[parameter]);
    return number >= 0 ? ACLNN_SUCCESS
                       : refuse(call, "%s is %g; 0 or more is expected", call_name(call, parameter), number);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    axes along;
    TRY(check_dtype(call, RENORM_self));
    TRY(check_rank(call, RENORM_self));
    if (call->tensor[RENORM_self].rank < 2)
        return refuse(call, "%s has %u dims; from 2 to %d are expected", call_name(call, RENORM_self),
                      call->tensor[RENORM_self].rank, OPERAND_RANK_MAX);
    TRY(check_number(call, RENORM_p));
    TRY(check_number(call, RENORM_maxNorm));
    TRY(check_axis(call, RENORM_self, RENORM_dim, &along));
    result_like(result, call, RENORM_self);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input = ROWS_TENSOR(RENORM_self, WHOLE);
    const struct rows_tensor output = {.parameter = call_output(call), .part = ROWS_WHOLE};
    const struct renorm_numbers numbers = {scalar_to_fp64(&call->scalar[RENORM_p]),
                                           scalar_to_fp64(&call->scalar[RENORM_maxNorm])};
    axes kept;
    (void)result;
    TRY(check_axis(call, RENORM_self, RENORM_dim, &kept));
    const struct rows_request request = {.rank = call->tensor[RENORM_self].rank,
                                         .shape = call->tensor[RENORM_self].shape,
                                         .along = ~kept,
                                         .input = &input,
                                         .output = &output,
                                         .inputs = 1,
                                         .outputs = 1,
                                         .parameters = &numbers,
                                         .parameter_bytes = sizeof numbers};
    return rows_plan(call, &request);
}

#define INPLACE_RENORM(X, of) X(of, BOTH, selfRef, &dtypes_fp32_fp16_bf16) P_DIM_AND_MAX_NORM(X, of)
SIGNATURE(INPLACE_RENORM)

FUNCTION_OF(aclnnRenorm, RENORM, .stem = "renorm", .promise = &promise_sum, ROWS(&rows), .infer = infer,
            .plan = plan);

FUNCTION_OF(aclnnInplaceRenorm, INPLACE_RENORM, .stem = "renorm", .promise = &promise_sum, ROWS(&rows),
            .infer = infer, .plan = plan);

#endif
