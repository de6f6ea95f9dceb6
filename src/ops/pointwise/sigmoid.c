/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = 1 / (1 + e^-self): of 16 bits and fp32 the exact value rounded once, of fp64 within 2 units in the
 * last place, of complex numbers as ops/pointwise/logistic_fp64.h says; fp32 at the default accuracy is
 * within 1 unit.
 *
 * -inf gives +0, +inf gives 1. Integers and BOOL are converted to the dtype of out before. Of a complex self
 * with a part that is NaN or an infinite imaginary part both parts are NaN, but that an imaginary part of 0
 * stays, and that an infinite real part alone decides: 0 or 1. In place, selfRef is self and out.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/logistic.h"
#include "simd/maths/logistic16.h"
#include "ops/pointwise/logistic_fp64.h"
#include "simd/maths/logistic_reach.h"
#include "simd/loops/map.h"

static inline doubles estimate(const doubles *input, const void *prepared)
{
    return logistic(input[0]);
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    struct pair result = pair_logistic(input[0]);
    return round_to_odd(result.high, result.low);
}

/* 16 bits, any number: the exact value rounded once, for each of the 65,536 arguments. */
static INLINE_IF_FUSED vector fast_16(WAY)
{
    return logistic16_function(logistic16_sigmoid, LOGISTIC16_END, input[0], unsettled);
}

static INLINE_IF_FUSED vector fast_fp32(WAY)
{
    return logistic_times(vector_of(1), input[0], vector_of(0), false, unsettled);
}

static inline doubles estimate_fp64(const doubles *input, const void *prepared)
{
    return logistic_fp64(input[0]);
}

static inline __attribute__((always_inline)) void evaluate_complex(bool is_wide, doubles (*input)[PARTS],
                                                                   doubles *result, const void *prepared)
{
    complex_logistic(input[0], result);
}

COMPLEX_KERNEL(run_complex64, false, 1, evaluate_complex)
COMPLEX_KERNEL(run_complex128, true, 1, evaluate_complex)

MAP_KERNELS(sigmoid, (.inputs = 1, .doubles = estimate, .wide = estimate_fp64, .settle = settle, .pairs = 2),
            (.fast = fast_fp32, .fast_decides = true), (.fast = fast_16), (.fast = fast_16))
KERNELS(sigmoid) = {
    MAP_ULP_RUNS(sigmoid, map_sigmoid_fp64),
    .exact = {[ARITHMETIC_COMPLEX64] = run_complex64, [ARITHMETIC_COMPLEX128] = run_complex128},
};

#else

/* The contract. */
#include "aclnnop/aclnn_sigmoid.h"
#include "ops/pointwise/contract.h"
#include "ops/loops/elementwise.h"

enum { SELF };

/* Whatever self has, out may: the imaginary part of a complex result is dropped. Integers are computed in the
 * dtype of out, which is FLOAT unless one is given. */
static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    result_like(result, call, SELF);
    bool is_float = dtype_is_in(&dtypes_floats_complex, PRODUCT_950, result->computed);
    if (!is_float)
        result->computed = call->has_outputs ? call->tensor[call_output(call)].dtype : ACL_FLOAT;
    result->output[0].dtype = result->computed;
    result->output[0].dtype_rule = DTYPE_ANY;
    return ACLNN_SUCCESS;
}

POINTWISE(sigmoid, 230, 1400, 140);

ONE_TENSOR(aclnnSigmoid, OUT, sigmoid, dtypes_floats_integers_bool_complex, dtypes_floats_complex,
           promise_fp32_ulp1_fp64_ulp2, infer);
IN_PLACE(aclnnInplaceSigmoid, BOTH, selfRef, sigmoid, dtypes_floats_complex, promise_fp32_ulp1_fp64_ulp2,
         infer);

#endif
