/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions of one tensor that pointwise/unary.h lists: kernels for every line of the table.
 *
 * Floats are computed in doubles and rounded once. Limits, zeros and NaN are those of C99's functions of the
 * same name, with the exceptions that a formula names.
 */
#include "ops/pointwise/unary.h"
#include "simd/kernel.h"

#ifdef KERNEL_PASS

#include "ops/pointwise/unary_integers.h"
#include "simd/maths_arc.h"
#include "simd/maths_area.h"
#include "simd/maths_circle.h"
#include "simd/maths_error_function.h"
#include "simd/maths_logarithm.h"
#include "simd/maths_map.h"
#include "simd/maths_simple.h"

#define FLOAT_KERNEL(stem, dtype, arithmetic)                                                                \
    static void stem##_##dtype(const void *const *input, void *output, size_t count, const void *parameters, \
                               bool non_temporal)                                                            \
    {                                                                                                        \
        (void)parameters;                                                                                    \
        map_maths(arithmetic, stem##_block, input, output, count, non_temporal);                             \
    }

#define UNARY_KERNELS(name, stem, self, out, rule, integers, promise, reference)                           \
    MATHS_BLOCK(stem)                                                                                      \
    FLOAT_KERNEL(stem, fp32, ARITHMETIC_FP32)                                                              \
    FLOAT_KERNEL(stem, fp16, ARITHMETIC_FP16)                                                              \
    FLOAT_KERNEL(stem, bf16, ARITHMETIC_BF16)                                                              \
    FLOAT_KERNEL(stem, fp64, ARITHMETIC_FP64)                                                              \
    KERNELS(stem) = {                                                                                      \
        SAME_AT_BOTH_ACCURACIES(stem), \
        .exact = {integers},                                                                               \
    };

UNARY_FUNCTIONS(UNARY_KERNELS)

#else

/* The contract. */
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_acos.h"
#include "aclnnop/aclnn_acosh.h"
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
#include "ops/pointwise/unary_rules.h"

/* The dtype in which integers that have no kernels of their own are computed. */
static aclDataType computed_dtype(const struct call *call)
{
    const struct elementwise *elementwise = call->function->of_family;
    const aclDataType self = call->tensor[0].dtype;
    const enum arithmetic arithmetic = arithmetic_of(self);
    bool is_own = arithmetic < ARITHMETICS || (arithmetic < ARITHMETIC_ALL &&
                                               elementwise->kernels[ISA_BASELINE]->exact[arithmetic] != NULL);
    return is_own ? self : ACL_FLOAT;
}

static aclnnStatus infer(const struct call *call, struct result *result, enum dtype_rule rule)
{
    TRY(check_dtype(call, 0));
    TRY(check_rank(call, 0));
    result->computed = computed_dtype(call);
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

static aclnnStatus infer_bool(const struct call *call, struct result *result)
{
    TRY(infer(call, result, DTYPE_EQUAL));
    result->output[0].dtype = ACL_BOOL;
    return ACLNN_SUCCESS;
}

#define PROMISE_ROUNDED &promise_exact
#define PROMISE_MATHS   &promise_ulp1
/* Picoseconds of an element at the highest level, at both accuracies. */
/* clang-format off */
#define COST_ROUNDED {300, 300}
#define COST_MATHS   {2000, 2000}
/* clang-format on */

#define UNARY_CONTRACT(name, stem_, self, out, rule, integers, promise_, reference)                       \
    KERNEL_LEVELS(stem_);                                                                                 \
    static const struct elementwise stem_##_elementwise = {stem_##_kernels, .cost_ps = COST_##promise_};  \
    static const struct parameter stem_##_parameters[] = {READ(#self, &SELF_##rule),                      \
                                                          WRITTEN(#out, &OUT_##rule)};                    \
    FUNCTION(aclnn##name, (const aclTensor *self, aclTensor *out), (ARG(self), ARG(out)), .stem = #stem_, \
             PARAMETERS(stem_##_parameters), .promise = PROMISE_##promise_,                               \
             ELEMENTWISE(&stem_##_elementwise), .infer = INFER_##rule, .plan = elementwise_plan_plain);   \
    IN_PLACE_##rule(UNARY_IN_PLACE, name, stem_, self, rule, promise_)

#define UNARY_IN_PLACE(name, stem_, self, rule, promise_)                                                    \
    static const struct parameter stem_##_in_place[] = {BOTH(#self "Ref", &REF_##rule)};                     \
    FUNCTION(aclnnInplace##name, (aclTensor * self##Ref), (ARG(self##Ref)), .stem = #stem_,                  \
             PARAMETERS(stem_##_in_place), .promise = PROMISE_##promise_, ELEMENTWISE(&stem_##_elementwise), \
             .infer = INFER_##rule, .plan = elementwise_plan_plain);

UNARY_FUNCTIONS(UNARY_CONTRACT)

#endif
