/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions of one tensor that pointwise/unary.h lists: kernels for every line of the table.
 *
 * Floats are computed in doubles and rounded once. Limits, zeros and NaN are those of C99's functions of the
 * same name, with the exceptions that a formula names.
 */
#include "ops/pointwise/unary_rules.h"
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include "ops/pointwise/unary_integers.h"
#include "simd/loops/blocks.h"
#include "ops/pointwise/circle_fp32.h"
#include "ops/pointwise/error_function_fp32.h"
#include "simd/maths/exponential_fp32.h"
#include "simd/maths/arc.h"
#include "simd/maths/area.h"
#include "simd/maths/circle.h"
#include "simd/loops/complex_functions.h"
#include "simd/maths/error_function.h"
#include "simd/maths/logarithm.h"
#include "simd/maths/simple.h"

/* maths_stem as a formula, which is of no numbers; in registers of floats, too, where the promise says that
 * FLOAT has such a way, which a promise of results that are rounded once keeps. */
static const struct formula_numbers none;
#define LONG_MATHS_FORMULA(stem)                                                 \
    static inline doubles formula_##stem(const doubles *x, const void *prepared) \
    {                                                                            \
        return maths_##stem(x[0]);                                               \
    }                                                                            \
    FORMULA_BLOCKS(stem, 1, .doubles = formula_##stem, .constant = &none)
#define MATHS_FORMULA(stem)   FORMULA_IN_FLOATS(stem, false)
#define ROUNDED_FORMULA(stem) FORMULA_IN_FLOATS(stem, true)
#define FORMULA_IN_FLOATS(stem, rounds_once)                                     \
    static inline doubles formula_##stem(const doubles *x, const void *prepared) \
    {                                                                            \
        return maths_##stem(x[0]);                                               \
    }                                                                            \
    static inline vector fp32_##stem(const vector *x, const void *prepared)      \
    {                                                                            \
        return fp32_maths_##stem(x[0]);                                          \
    }                                                                            \
    FORMULA_BLOCKS(stem, 1, .doubles = formula_##stem, .floats = fp32_##stem,    \
                   .floats_round_once = (rounds_once), .constant = &none)

/* The kernels of complex numbers that a rule has, and their entries in the table. */
#define REAL_ALONE_KERNELS(stem)
#define REAL_ALONE_ENTRIES(stem)
#define COMPLEX64_TOO_KERNELS(stem) \
    COMPLEX_EVALUATION(stem)        \
    COMPLEX_ABS_KERNEL(stem##_complex64, stem##_of_complex)
#define COMPLEX64_TOO_ENTRIES(stem) [ARITHMETIC_COMPLEX64] = stem##_complex64,
#define COMPLEX_TOO_KERNELS(stem)                                 \
    COMPLEX_EVALUATION(stem)                                      \
    COMPLEX_KERNEL(stem##_complex64, false, 1, stem##_of_complex) \
    COMPLEX_KERNEL(stem##_complex128, true, 1, stem##_of_complex)
#define COMPLEX_TOO_ENTRIES(stem) \
    [ARITHMETIC_COMPLEX64] = stem##_complex64, [ARITHMETIC_COMPLEX128] = stem##_complex128,

#define COMPLEX_EVALUATION(stem)                                                                \
    static inline void stem##_of_complex(bool is_wide, doubles(*input)[PARTS], doubles *result, \
                                         const void *prepared)                                  \
    {                                                                                           \
        (void)is_wide, (void)prepared;                                                          \
        complex_##stem(input[0], result);                                                       \
    }

/* The absolute values and angles of COMPLEX64 are numbers of fp32, as doubles, which are as large. */
static inline void widen_real_parts(float *part, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double size = (double)part[2 * i];
        memcpy(part + 2 * i, &size, sizeof size);
    }
}

#define COMPLEX_ABS_KERNEL(name, evaluate)                                       \
    KERNEL(name)                                                                 \
    {                                                                            \
        (void)non_temporal;                                                      \
        map_complex(false, 1, NULL, evaluate, input, output, count, parameters); \
        widen_real_parts(output, count);                                         \
    }

#define UNARY(api, stem, self, out, rule, integers, promise, reference) \
    UNARY_KERNELS_BY(stem, promise, RULE_##rule, integers)
#define UNARY_KERNELS_BY(...) UNARY_KERNELS_OF(__VA_ARGS__)
#define UNARY_KERNELS_OF(stem, promise, selves, outs, refs, infer, numbers, ...) \
    promise##_FORMULA(stem) numbers##_KERNELS(stem)                              \
        KERNELS(stem) = {SAME_AT_BOTH_ACCURACIES(stem), .exact = {numbers##_ENTRIES(stem) __VA_ARGS__}};

#define UNARY_IN_PLACE(...)
#include "ops/pointwise/unary.h"

#else

/* The contract. */
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_acos.h"
#include "aclnnop/aclnn_acosh.h"
#include "aclnnop/aclnn_angle_v2.h"
#include "aclnnop/aclnn_asin.h"
#include "aclnnop/aclnn_asinh.h"
#include "aclnnop/aclnn_atan.h"
#include "aclnnop/aclnn_atanh.h"
#include "aclnnop/aclnn_ceil.h"
#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_cosh.h"
#include "aclnnop/aclnn_erf.h"
#include "aclnnop/aclnn_erfc.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_exp2.h"
#include "aclnnop/aclnn_expm1.h"
#include "aclnnop/aclnn_floor.h"
#include "aclnnop/aclnn_frac.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_log10.h"
#include "aclnnop/aclnn_log1p.h"
#include "aclnnop/aclnn_log2.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_round.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_sign.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_sinc.h"
#include "aclnnop/aclnn_sinh.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_square.h"
#include "aclnnop/aclnn_tan.h"
#include "aclnnop/aclnn_trunc.h"
#include "aclnnop/aclnn_isfinite.h"
#include "aclnnop/aclnn_is_inf.h"
#include "aclnnop/aclnn_isposinf.h"
#include "aclnnop/aclnn_isneginf.h"
#include "ops/check.h"
#include "ops/entries.h"
#include "ops/loops/elementwise.h"

static aclnnStatus infer(const struct call *call, struct result *result, enum dtype_rule rule)
{
    TRY(check_dtype(call, 0));
    TRY(check_rank(call, 0));
    result->computed = elementwise_computed_dtype(call->function->of_family, call->tensor[0].dtype);
    result_add(result, result->computed, rule)->like = 0;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_same(const struct call *call, struct result *result)
{
    return infer(call, result, DTYPE_EQUAL);
}

static aclnnStatus infer_castable(const struct call *call, struct result *result)
{
    return infer(call, result, DTYPE_CASTABLE);
}

static aclnnStatus infer_any(const struct call *call, struct result *result)
{
    return infer(call, result, DTYPE_ANY);
}

/* Absolute values and angles have the dtype of self, but those of COMPLEX64 are FLOAT. */
static aclnnStatus infer_absolute(const struct call *call, struct result *result)
{
    TRY(infer(call, result, DTYPE_EQUAL));
    if (result->computed == ACL_COMPLEX64)
        result->output[0].dtype = ACL_FLOAT;
    return ACLNN_SUCCESS;
}

/* The root of INT64 is FLOAT, as the kernel rounds it once; whatever else may be cast to out. */
static aclnnStatus infer_root(const struct call *call, struct result *result)
{
    TRY(infer(call, result, DTYPE_CASTABLE));
    if (result->computed == ACL_INT64)
        result->output[0].dtype = ACL_FLOAT;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_bool(const struct call *call, struct result *result)
{
    TRY(infer(call, result, DTYPE_EQUAL));
    result->output[0].dtype = ACL_BOOL;
    return ACLNN_SUCCESS;
}

/* Kernels of elements of 8 bytes write FLOAT as DOUBLE. */
static aclnnStatus plan(const struct call *call, const struct result *result)
{
    bool is_float = result->output[0].dtype == ACL_FLOAT && dtype_bytes(result->computed) == 8;
    return elementwise_plan_to(call, result->computed, is_float ? ACL_DOUBLE : result->computed, NULL, 0);
}

#define PROMISE_ROUNDED    &promise_exact
#define PROMISE_MATHS      &promise_ulp1
#define PROMISE_LONG_MATHS PROMISE_MATHS
/* Picoseconds of an element at the highest level, at both accuracies. */
/* clang-format off */
#define COST_ROUNDED {300, 300}
#define COST_MATHS   {2000, 2000}
#define COST_LONG_MATHS COST_MATHS
/* clang-format on */

#define UNARY(api, stem, self, out, rule, integers, promise, reference) \
    UNARY_BY(api, stem, self, out, promise, RULE_##rule)
#define UNARY_BY(...) UNARY_OF(__VA_ARGS__)
#define UNARY_OF(api, stem_, self, out, promise_, selves, outs, refs, infer_, numbers)                   \
    KERNEL_LEVELS(stem_);                                                                                \
    static const struct elementwise stem_##_elementwise = {stem_##_kernels, .cost_ps = COST_##promise_}; \
    FUNCTION_WITH(api, ((IN, self, &selves), (OUT, out, &outs)), COMMON(stem_, promise_, infer_));

#define UNARY_IN_PLACE(api, stem, self, rule, promise) IN_PLACE_BY(api, stem, self, promise, RULE_##rule)
#define IN_PLACE_BY(...)                               IN_PLACE_OF(__VA_ARGS__)
#define IN_PLACE_OF(api, stem_, self, promise_, selves, outs, refs, infer_, numbers) \
    FUNCTION_WITH(api, ((BOTH, self##Ref, &refs)), COMMON(stem_, promise_, infer_));

#define COMMON(stem_, promise_, infer_)                                                                \
    .stem = #stem_, .promise = PROMISE_##promise_, ELEMENTWISE(&stem_##_elementwise), .infer = infer_, \
    .plan = plan

#include "ops/pointwise/unary.h"

#endif
