/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Gradients of activations: a formula of the gradient x[0], of the input or the result x[1], and of some
 * numbers. Where a formula chooses, what it does not choose is not computed with: infinite gradients times 0
 * do not become NaN.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include "ops/pointwise/gates.h"
#include "simd/loops/blocks.h"
#include "simd/maths/exponential.h"
#include "simd/maths/simple.h"
#include "simd/maths/short.h"

/* 1 / (1 + e^-x) by power = e^-|x|, and 1 less that in *rest, both without cancellation. */
static inline doubles logistic_by(doubles power, doubles x, doubles *rest)
{
    doubles large = 1 / (1 + power), small = power * large;
    *rest = choose(x < 0, large, small);
    return choose(x < 0, small, large);
}

static inline doubles logistic_and_rest(doubles x, doubles *rest)
{
    return logistic_by(short_exp(-absolute(x)), x, rest);
}

/* The gradient of elu: g inputScale alpha scale e^(x inputScale) where x is not above 0, g scale elsewhere
 * and where x is NaN. From the result y in place of x it is g inputScale (y + alpha scale). */
static inline doubles formula_elu_backward(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const double alpha = number[0], scale = number[1], input_scale = number[2];
    const bool is_of_result = number[3] != 0;
    doubles slope = is_of_result ? input_scale * (x[1] + alpha * scale)
                                 : input_scale * alpha * scale * short_exp(x[1] * input_scale);
    return x[0] * choose(x[1] <= 0, slope, broadcast(scale));
}

static inline doubles formula_selu_backward(const doubles *x, const void *prepared)
{
    const double alpha = 1.6732632423543772848, scale = 1.0507009873554804934;
    return x[0] * choose(x[1] <= 0, x[1] + alpha * scale, broadcast(scale));
}

static inline doubles formula_softplus_backward(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    doubles z = number[0] * x[1], rest, slope = logistic_and_rest(z, &rest);
    return choose(z > number[1], x[0], x[0] * slope);
}

static inline doubles formula_softplus_backward_wide(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    doubles z = number[0] * x[1], rest, slope = logistic_by(maths_exp(-absolute(z)), z, &rest);
    return choose(z > number[1], x[0], x[0] * slope);
}

/* NaN counts as between the two. */
static inline doubles formula_hardtanh_backward(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    return choose((x[1] <= number[0]) | (x[1] >= number[1]), broadcast(0), x[0]);
}

static inline vector fp32_hardtanh_backward(const vector *x, const void *prepared)
{
    const double *number = prepared;
    const flags is_outside =
        vector_equal(x[1], vector_of((float)number[0])) | vector_greater(vector_of((float)number[0]), x[1]) |
        vector_equal(x[1], vector_of((float)number[1])) | vector_greater(x[1], vector_of((float)number[1]));
    return vector_choose(is_outside, vector_of(0), x[0]);
}

static inline doubles formula_hardsigmoid_backward(const doubles *x, const void *prepared)
{
    return choose((x[1] > -3) & (x[1] < 3), x[0] / 6, broadcast(0));
}

static inline vector fp32_hardsigmoid_backward(const vector *x, const void *prepared)
{
    return vector_choose(vector_greater(vector_of(3), vector_absolute(x[1])), x[0] / 6, vector_of(0));
}

/* A negative lambd counts as 0. */
static inline doubles formula_shrink_backward(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const double lambd = number[0] > 0 || number[0] != number[0] ? number[0] : 0;
    return choose(absolute(x[1]) <= lambd, broadcast(0), x[0]);
}

static inline vector fp32_shrink_backward(const vector *x, const void *prepared)
{
    const double *number = prepared;
    const float lambd = (float)(number[0] > 0 || number[0] != number[0] ? number[0] : 0);
    const flags is_beyond = vector_greater(vector_absolute(x[1]), vector_of(lambd)) | vector_is_nan(x[1]) |
                            vector_is_nan(vector_of(lambd));
    return vector_choose(is_beyond, x[0], vector_of(0));
}

static inline doubles formula_logsigmoid_backward(const doubles *x, const void *prepared)
{
    doubles rest;
    (void)logistic_and_rest(x[1], &rest);
    return x[0] * rest;
}

/* With w = e^x, n = w (w + 2) and t = tanh ln(1 + w) = n / (n + 2): t + x w / (1 + w) (1 - t^2), where 1 -
 * t^2 = 4 (n + 1) / (n + 2)^2, of which nothing is left beside 1 beyond 50; infinite x gives NaN. */
static inline doubles formula_mish_backward(const doubles *x, const void *prepared)
{
    doubles w = short_exp(at_most(x[1], 300)), n = w * (w + 2), t = n / (n + 2);
    doubles rest = choose(x[1] > 50, broadcast(0), 4 * ((n + 1) / (n + 2)) / (n + 2));
    return x[0] * (t + x[1] * (w / (1 + w) * rest));
}

/* With z = 1.702 x and s = 1 / (1 + e^-z): s (1 + z (1 - s)). */
static inline doubles formula_fast_gelu_backward(const doubles *x, const void *prepared)
{
    doubles z = x[1] * 1.702, rest, slope = logistic_and_rest(z, &rest);
    return x[0] * (slope * (1 + z * rest));
}

static inline doubles formula_gelu_backward_v2(const doubles *x, const void *prepared)
{
    return x[0] * gelu_slope(x[1], prepared);
}

FORMULA_KERNELS(elu_backward, 2, .doubles = formula_elu_backward)
FORMULA_KERNELS(selu_backward, 2, .doubles = formula_selu_backward)
FORMULA_KERNELS(softplus_backward, 2, .doubles = formula_softplus_backward,
                .wide = formula_softplus_backward_wide)
FORMULA_KERNELS(hardtanh_backward, 2, .doubles = formula_hardtanh_backward, .floats = fp32_hardtanh_backward)
FORMULA_KERNELS(hardsigmoid_backward, 2, .doubles = formula_hardsigmoid_backward,
                .floats = fp32_hardsigmoid_backward)
FORMULA_KERNELS(shrink_backward, 2, .doubles = formula_shrink_backward, .floats = fp32_shrink_backward,
                .floats_round_once = true)
FORMULA_KERNELS(logsigmoid_backward, 2, .doubles = formula_logsigmoid_backward)
FORMULA_KERNELS(mish_backward, 2, .doubles = formula_mish_backward)
FORMULA_KERNELS(fast_gelu_backward, 2, .doubles = formula_fast_gelu_backward)
FORMULA_KERNELS(gelu_backward_v2, 2, .doubles = formula_gelu_backward_v2)

#else

/* The contract. */
#include <string.h>

#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_fast_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_hardshrink_backward.h"
#include "aclnnop/aclnn_hardsigmoid_backward.h"
#include "aclnnop/aclnn_hardtanh_backward.h"
#include "aclnnop/aclnn_logsigmoid_backward.h"
#include "aclnnop/aclnn_mish_backward.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "aclnnop/aclnn_softshrink_backward.h"
#include "ops/pointwise/forms.h"
#include "ops/scalar.h"

FORMULA(elu_backward, .out = DTYPE_CASTABLE, .is_of_one_dtype = true);
FORMULA(selu_backward, .out = DTYPE_EQUAL, .is_of_one_dtype = true);
FORMULA(softplus_backward, .out = DTYPE_ANY);
FORMULA(hardtanh_backward, .out = DTYPE_ANY, .is_of_one_dtype = true);
FORMULA(hardsigmoid_backward, .out = DTYPE_CASTABLE);
FORMULA(shrink_backward, .out = DTYPE_CASTABLE, .broadcasts = true);
FORMULA(logsigmoid_backward, .out = DTYPE_EQUAL, .is_of_one_dtype = true);
FORMULA(mish_backward, .out = DTYPE_CASTABLE, .broadcasts = true);
FORMULA(fast_gelu_backward, .out = DTYPE_EQUAL, .is_of_one_dtype = true);

/* Where the gradient is made of the result, a negative alpha would not tell which branch it is of. */
static aclnnStatus infer_elu(const struct call *call, struct result *result)
{
    enum { ALPHA = 1, IS_RESULT = 4 };
    TRY(formula_infer(call, result));
    if (!call->argument[IS_RESULT].boolean || !scalar_is_negative(&call->scalar[ALPHA]))
        return ACLNN_SUCCESS;
    return refuse(call, "alpha is %g; 0 or more is expected where isResult is true",
                  formula_scalar(call, ALPHA, result->computed));
}

/* Only gradients and inputs of one 16-bit dtype or of FLOAT are computed in it. */
static aclnnStatus infer_softplus(const struct call *call, struct result *result)
{
    TRY(formula_infer(call, result));
    if (call->tensor[0].dtype != call->tensor[1].dtype && result->computed != ACL_DOUBLE)
        result->computed = ACL_FLOAT;
    return ACLNN_SUCCESS;
}

FORM(aclnnEluBackward, elu_backward, elu_backward, formula, infer_elu, FLOATS(gradOutput), REAL(alpha, "1"),
     REAL(scale, "1"), REAL(inputScale, "1"), (BOOL, isResult, .usual = "false"), FLOATS(selfOrResult),
     (OUT, gradInput, &dtypes_floats_complex));

FORM(aclnnSeluBackward, selu_backward, selu_backward, formula, formula_infer_as_first,
     (IN, gradOutput, &dtypes_fp32_fp16_bf16_int8_int32), (IN, result, &dtypes_fp32_fp16_bf16_int8_int32),
     (OUT, gradInput, &dtypes_fp32_fp16_bf16_int8_int32));

FORM(aclnnSoftplusBackward, softplus_backward, softplus_backward, formula, infer_softplus, WIDE(gradOutput),
     (IN, self, &dtypes_floats_integers_bool), REAL(beta, "1"), REAL(threshold, "20"),
     (OUT, gradInput, &dtypes_floats));

FORM(aclnnHardtanhBackward, hardtanh_backward, hardtanh_backward, exact, formula_infer, FLOATS(gradOutput),
     FLOATS(self), REAL(min, "-1"), REAL(max, "1"), (OUT, out, &dtypes_fp32_fp16_bf16));

OF_TWO(aclnnHardsigmoidBackward, hardsigmoid_backward, hardsigmoid_backward, exact, gradOutput, self,
       dtypes_fp32_fp16_bf16, dtypes_floats_complex)

FORM(aclnnHardshrinkBackward, hardshrink_backward, shrink_backward, exact, formula_infer, FLOATS(gradOutput),
     FLOATS(self), REAL(lambd, "0.5"), (OUT, gradInput, &dtypes_fp32_fp16_bf16));
FORM(aclnnSoftshrinkBackward, softshrink_backward, shrink_backward, exact, formula_infer_not_negative,
     FLOATS(gradOutput), FLOATS(self), REAL(lambd, "0.5"), (OUT, gradInput, &dtypes_fp32_fp16_bf16));

FORM(aclnnLogSigmoidBackward, logsigmoid_backward, logsigmoid_backward, formula, formula_infer,
     FLOATS(gradOutput), FLOATS(self), (UNUSED, buffer, &dtypes_all),
     (OUT, gradInput, &dtypes_fp32_fp16_bf16));

FORM(aclnnMishBackward, mish_backward, mish_backward, formula, formula_infer, FLOATS(gradOutput),
     FLOATS(self), (OUT, gradInput, &dtypes_fp32_fp16_bf16));

FORM(aclnnFastGeluBackward, fast_gelu_backward, fast_gelu_backward, formula, formula_infer,
     FLOATS(gradOutput), FLOATS(self), (OUT, gradInput, &dtypes_fp32_fp16_bf16));

/* approximate is a text. */
FORMULA(gelu_backward_v2, .out = DTYPE_EQUAL, .broadcasts = true);
#define GELU_BACKWARD_V2(X, of)                   \
    X(of, IN, gradOutput, &dtypes_fp32_fp16_bf16) \
    X(of, IN, self, &dtypes_fp32_fp16_bf16)       \
    X(of, TEXT, approximate, .usual = "none")     \
    X(of, OUT, gradInput, &dtypes_fp32_fp16_bf16)
SIGNATURE(GELU_BACKWARD_V2)

static aclnnStatus infer_gelu_backward(const struct call *call, struct result *result)
{
    const char *text = call->argument[GELU_BACKWARD_V2_approximate].string;
    TRY(formula_infer(call, result));
    if (strcmp(text, "none") == 0 || strcmp(text, "tanh") == 0)
        return ACLNN_SUCCESS;
    return refuse(call, "approximate is \"%.20s\"; \"none\" or \"tanh\" is expected", text);
}

static aclnnStatus plan_gelu_backward(const struct call *call, const struct result *result)
{
    struct formula_numbers numbers = {{0}, {0}, {0}};
    numbers.fp64[0] = strcmp(call->argument[GELU_BACKWARD_V2_approximate].string, "tanh") == 0;
    return elementwise_plan(call, result->computed, &numbers, sizeof numbers);
}

FUNCTION_OF(aclnnGeluBackwardV2, GELU_BACKWARD_V2, .stem = "gelu_backward_v2", .promise = &promise_ulp2,
            ELEMENTWISE(&gelu_backward_v2_formula.elementwise), .infer = infer_gelu_backward,
            .plan = plan_gelu_backward);

#endif
