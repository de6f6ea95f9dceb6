/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of elements that have no row in formula_rows.h: their formulas in long double, and a row for
 * each.
 */
#ifndef BELAY_TESTS_OPS_SPECIAL_ROWS_H
#define BELAY_TESTS_OPS_SPECIAL_ROWS_H

#include "ops/special_call.h"

/* The value, or where the exact one is on this side of it the next number there. */
static long double beside(long double value, long double side)
{
    return value == 0 || side == 0 || !isfinite(value) ? value
                                                       : nextafterl(value, side > 0 ? INFINITY : -INFINITY);
}

/* With the odd one of the two neighbours, as narrow has it. */
static long double root(long double x)
{
    const long double near = sqrtl(x);
    const quad rest = (quad)x - (quad)near * near;
    return isfinite(near) ? beside(near, (long double)rest) : near;
}

/* Functions of one tensor by their stems: pointwise/unary.h names no function without one here. */
REFERENCE(abs, fabsl(x[0]))
REFERENCE(acos, acosl(x[0]))
REFERENCE(acosh, acoshl(x[0]))
REFERENCE(angle_v2, isnan(x[0]) ? x[0] : x[0] < 0 ? 3.14159265358979323846264338327950288L : 0)
REFERENCE(asin, asinl(x[0]))
REFERENCE(asinh, asinhl(x[0]))
REFERENCE(atan, atanl(x[0]))
REFERENCE(atanh, atanhl(x[0]))
REFERENCE(ceil, ceill(x[0]))
REFERENCE(cos, cosl(x[0]))
REFERENCE(cosh, coshl(x[0]))
REFERENCE(erf, erfl(x[0]))
REFERENCE(erfc, erfcl(x[0]))
REFERENCE(exp, expl(x[0]))
REFERENCE(exp2, exp2l(x[0]))
REFERENCE(expm1, expm1l(x[0]))
REFERENCE(floor, floorl(x[0]))
REFERENCE(frac, x[0] - truncl(x[0]))
REFERENCE(log, logl(x[0]))
REFERENCE(log10, log10l(x[0]))
REFERENCE(log1p, log1pl(x[0]))
REFERENCE(log2, log2l(x[0]))
REFERENCE(neg, -x[0])
REFERENCE(reciprocal, 1 / x[0])
REFERENCE(round, rintl(x[0]))
REFERENCE(rsqrt, 1 / sqrtl(x[0]))
REFERENCE(sign, x[0] > 0 ? 1 : x[0] < 0 ? -1 : 0)
REFERENCE(sin, sinl(x[0]))
REFERENCE(sinc, x[0] == 0              ? 1
                : x[0] == truncl(x[0]) ? isinf(x[0]) ? NAN : 0
                                       : sinl(3.14159265358979323846264338327950288L * x[0]) /
                                             (3.14159265358979323846264338327950288L * x[0]))
REFERENCE(sinh, sinhl(x[0]))
REFERENCE(sqrt, root(x[0]))
REFERENCE(square, x[0] * x[0])
REFERENCE(tan, tanl(x[0]))
REFERENCE(trunc, truncl(x[0]))
REFERENCE(isfinite, isfinite(x[0]))
REFERENCE(is_inf, isinf(x[0]))
REFERENCE(isposinf, x[0] == INFINITY)
REFERENCE(isneginf, x[0] == -INFINITY)
REFERENCE(signbit, signbit(x[0]))
REFERENCE(same, x[0])

/* Arithmetic: x[2] is alpha. */
REFERENCE(add, narrow((quad)x[0] + (quad)x[2] * (quad)x[1]))
INTEGERS(add, n[3] == 1 ? x[0] | (x[1] & x[2]) : (int64_t)(U(x[0]) + U(x[2]) * U(x[1])))
REFERENCE(sub, narrow((quad)x[0] - (quad)x[2] * (quad)x[1]))
INTEGERS(sub, n[3] == 1 ? x[0] ^ (x[1] & x[2]) : (int64_t)(U(x[0]) - U(x[2]) * U(x[1])))
REFERENCE(mul, narrow((quad)x[0] * (quad)x[1]))
INTEGERS(mul, U(x[0]) * U(x[1]))
REFERENCE(div, narrow((quad)x[0] / (quad)x[1]))

REFERENCE(plus, narrow((quad)x[0] + (quad)x[1]))
REFERENCE(minus, narrow((quad)x[0] - (quad)x[1]))

/* Comparisons by their relations, and logic. n[3] is 65 for UINT64. */
static bool is_less(int64_t a, int64_t b, const int64_t *n)
{
    return n[3] == 65 ? U(a) < U(b) : a < b;
}

REFERENCE(EQUAL, x[0] == x[1])
REFERENCE(NOT_EQUAL, x[0] != x[1])
REFERENCE(LESS, x[0] < x[1])
REFERENCE(LESS_OR_EQUAL, x[0] <= x[1])
REFERENCE(GREATER, x[0] > x[1])
REFERENCE(GREATER_OR_EQUAL, x[0] >= x[1])
REFERENCE(BOTH_TRUE, x[0] != 0 && x[1] != 0)
REFERENCE(ANY_TRUE, x[0] != 0 || x[1] != 0)
REFERENCE(ONE_TRUE, (x[0] != 0) != (x[1] != 0))
REFERENCE(NOT_TRUE, x[0] == 0)
INTEGERS(EQUAL, x[0] == x[1])
INTEGERS(NOT_EQUAL, x[0] != x[1])
INTEGERS(LESS, is_less(x[0], x[1], n))
INTEGERS(LESS_OR_EQUAL, !is_less(x[1], x[0], n))
INTEGERS(GREATER, is_less(x[1], x[0], n))
INTEGERS(GREATER_OR_EQUAL, !is_less(x[0], x[1], n))
INTEGERS(BOTH_TRUE, x[0] != 0 && x[1] != 0)
INTEGERS(ANY_TRUE, x[0] != 0 || x[1] != 0)
INTEGERS(ONE_TRUE, (x[0] != 0) != (x[1] != 0))
INTEGERS(NOT_TRUE, x[0] == 0)

static long double reference_is_close(const long double *x, const double *n)
{
    if (x[0] == x[1] || (n[2] != 0 && isnan(x[0]) && isnan(x[1])))
        return 1;
    /* Of the exact difference less the bound in doubles; the sign of a sum of two is right whatever it rounds
     * to. */
    const double bound = n[1] + n[0] * (double)fabsl(x[1]);
    const long double a = fabsl(x[0]), b = fabsl(x[1]), more = a >= b ? a : b, less = a >= b ? b : a;
    const quad excess = ((quad)more - bound) + (signbit(x[0]) != signbit(x[1]) ? (quad)less : -(quad)less);
    return isfinite(x[1]) && excess <= 0;
}

REFERENCE(is_scalar, (x[0] == x[1]) != (n[1] != 0))
INTEGERS(is_scalar, (x[0] == x[1]) != (n[1] != 0))
REFERENCE(chosen, x[0] != 0 ? x[1] : x[2])
REFERENCE(masked, x[1] != 0 ? x[2] : x[0])
INTEGERS(chosen, x[0] != 0 ? x[1] : x[2])
INTEGERS(masked, x[1] != 0 ? x[2] : x[0])

/* Activations; of gradients x[0] is the gradient. */
REFERENCE(relu, x[0] <= 0 ? 0 : x[0])
INTEGERS(relu, x[0] <= 0 ? 0 : x[0])
REFERENCE(leaky, x[0] > 0 ? x[0] : x[0] * n[0])
REFERENCE(leaky_backward, x[1] > 0 ? x[0] : x[0] * n[0])
REFERENCE(prelu, x[0] > 0 ? x[0] : x[0] * x[1])
REFERENCE(threshold_backward, x[1] <= n[0] ? 0 : x[0])
REFERENCE(sigmoid, logistic(x[0]))
/* What is small is next to its first term, x / 2 and its like, on the side of the second one. */
static bool is_small(long double x)
{
    return fabsl(x) < 1e-10L;
}

REFERENCE(sigmoid_backward,
          is_small(x[1]) ? beside(x[0] * x[1], -x[0] * x[1] * x[1]) : x[0] * x[1] * (1 - x[1]))
REFERENCE(tanh, tanhl(x[0]))
REFERENCE(tanh_backward, x[0] * (1 - x[1]) * (1 + x[1]))
REFERENCE(gelu, is_small(x[0]) ? beside(x[0] / 2, 1)
                               : x[0] * logistic(2 * 0.797884560802865355879892119868763737L *
                                                 (x[0] + 0.044715L * x[0] * x[0] * x[0])))
REFERENCE(gelu_gradient, x[1] < -60 && isfinite(x[1]) ? x[0] * -LDBL_TRUE_MIN
                         : is_small(x[1])             ? beside(x[0] / 2, x[0] * x[1])
                                                      : reference_gelu_backward(x, (const double[]){1}))
REFERENCE(silu, is_small(x[0]) ? beside(x[0] / 2, 1) : x[0] * logistic(x[0]))
REFERENCE(silu_backward, is_small(x[1]) ? beside(x[0] / 2, x[0] * x[1])
                                        : x[0] * (logistic(x[1]) * (1 + x[1] * logistic(-x[1]))))
REFERENCE(swish, is_small(x[0]) ? beside(x[0] / 2, n[0]) : x[0] * logistic(n[0] * x[0]))
REFERENCE(swish_backward, is_small(x[1])
                              ? beside(x[0] / 2, n[0] * x[0] * x[1])
                              : x[0] * (logistic(n[0] * x[1]) * (1 + n[0] * x[1] * logistic(-n[0] * x[1]))))
REFERENCE(hardswish, x[0] <= -3       ? 0
                     : x[0] >= 3      ? x[0]
                     : is_small(x[0]) ? beside(x[0] / 2, 1)
                                      : x[0] * (x[0] + 3) / 6)
REFERENCE(hardswish_backward, x[1]<-3 ? x[0] * 0 : x[1]> 3 ? x[0]
                              : is_small(x[1])             ? beside(x[0] / 2, x[0] * x[1])
                                                           : x[0] * (2 * x[1] + 3) / 6)
REFERENCE(hardswish_backward_v2, x[1] <= -3  ? x[0] * 0
                                 : x[1] >= 3 ? x[0]
                                             : reference_hardswish_backward(x, n))

/* Losses without a reduction: n[0]. */
REFERENCE(absolute_error, fabsl(x[0] - x[1]))
REFERENCE(square_error, (x[0] - x[1]) * (x[0] - x[1]))
REFERENCE(absolute_gradient, x[0] * (x[1] - x[2] > 0 ? 1 : x[1] - x[2] < 0 ? -1 : x[1] - x[2]))
REFERENCE(square_gradient, 2 * x[0] * (x[1] - x[2]))
REFERENCE(smooth, fabsl(x[0] - x[1]) < n[1] ? 0.5L * (x[0] - x[1]) * (x[0] - x[1]) / n[1]
                                            : fabsl(x[0] - x[1]) - 0.5L * n[1])
REFERENCE(smooth_gradient, x[0] * (x[1] - x[2] <= -n[1]  ? -1
                                   : x[1] - x[2] >= n[1] ? 1
                                                         : (x[1] - x[2]) / n[1]))

/* n[1]: whether targets are logarithms. e^y is 0 of none but minus infinity. */
REFERENCE(kl_div,
          n[1] != 0 ? power_of_e(x[1]) * (x[1] - x[0]) : (x[1] == 0 ? 0 : x[1] * logl(x[1])) - x[1] * x[0])

static long double reference_kl_div_backward(const long double *x, const double *n)
{
    const long double factor = n[1] != 0 ? power_of_e(x[2]) : x[2] > 0 ? x[2] : 0;
    return factor == 0 ? 0 : -x[0] * factor;
}

REFERENCE(kl_div_target_backward, n[1] != 0   ? x[0] * (power_of_e(x[2]) * (x[2] - x[1] + 1))
                                  : x[2] == 0 ? 0
                                              : x[0] * (logl(x[2]) - x[1] + 1))

static long double at_least_minus_100(long double logarithm)
{
    return logarithm < -100 ? -100 : logarithm;
}

REFERENCE(cross_entropy,
          -x[2] * (x[1] * at_least_minus_100(logl(x[0])) + (1 - x[1]) * at_least_minus_100(log1pl(-x[0]))))

static long double reference_cross_entropy_backward(const long double *x, const double *n)
{
    const long double spread = x[1] * (1 - x[1]);
    (void)n;
    return x[0] * x[3] * (x[1] - x[2]) / (spread < 1e-12 ? 1e-12 : spread);
}

/* ln(1 + e^x), which of no finite x is 0. */
static long double log_1_and_power(long double x)
{
    return log1pl(power_of_e(-fabsl(x))) + (x < 0 ? 0 : x);
}

/* Of x to p: with logarithms of both sides of the logistic, and as it stands where something is infinite. */
static long double reference_logits(const long double *x, const double *n)
{
    const long double y = x[1], w = x[2], p = x[3], above = log_1_and_power(x[0]),
                      below = log_1_and_power(-x[0]);
    (void)n;
    return isinf(x[0]) || isinf(y) || isinf(p) ? w * ((1 - y) * x[0] + (1 + (p - 1) * y) * below)
                                               : w * ((1 - y) * above + p * y * below);
}

static long double reference_logits_backward(const long double *x, const double *n)
{
    const long double y = x[2], p = x[4], above = logistic(x[1]), below = logistic(-x[1]);
    (void)n;
    return x[0] * x[3] *
           (isinf(y) || isinf(p) ? (p * y + 1 - y) * above - p * y : (1 - y) * above - p * y * below);
}

static long double reference_logits_target_backward(const long double *x, const double *n)
{
    (void)n;
    return x[0] * x[3] * ((x[4] - 1) * log1pl(expl(-fabsl(x[1]))) - (x[1] < 0 ? x[4] * x[1] : x[1]));
}

/* Small factors times what is left of a power are 0 in doubles. */
static bool logits_are_beyond(const long double *x, const double *n)
{
    (void)n;
    return fabsl(x[0]) > 700 && x[3] != 0 && fabsl(x[3]) < 1e-30L;
}

static bool logits_backward_is_beyond(const long double *x, const double *n)
{
    (void)n;
    return fabsl(x[1]) > 700 && x[4] != 0 && fabsl(x[4]) < 1e-30L;
}

REFERENCE(soft_margin, log_1_and_power(-x[0] * x[1]))
REFERENCE(soft_margin_backward, -x[0] * x[2] * logistic(-x[1] * x[2]))

#define FLOATS(name_, formula_, ...)                        \
    {                                                       \
        .row = { name_, reference_##formula_, __VA_ARGS__ } \
    }
#define BOTH_KINDS(name_, formula_, ...)                                                    \
    {                                                                                       \
        .row = { name_, reference_##formula_, __VA_ARGS__, .integers = integer_##formula_ } \
    }

static const struct special_row special_rows[] = {
#define UNARY(api, stem, ...)          FLOATS(#api, stem, {0}),
#define UNARY_IN_PLACE(api, stem, ...) FLOATS(#api, stem, {0}),
#include "ops/pointwise/unary.h"
    FLOATS("aclnnSignbit", signbit, {0}),
    FLOATS("aclnnReal", same, {0}),

#define ARITHMETIC(name, formula)                                                                            \
    {.row = {"aclnn" name, reference_##formula, {1}, .integers = integer_##formula}, .inputs = 3},           \
    {                                                                                                        \
        .row = {"aclnnInplace" name, reference_##formula, {0.7}, .integers = integer_##formula}, .inputs = 3 \
    }
    ARITHMETIC("Add", add),
    ARITHMETIC("Sub", sub),
    ARITHMETIC("Adds", add),
    ARITHMETIC("Subs", sub),
    BOTH_KINDS("aclnnMul", mul, {0}),
    BOTH_KINDS("aclnnInplaceMul", mul, {0}),
    {.row = {"aclnnMuls", reference_mul, {0.7}, .integers = integer_mul}, .inputs = 2},
    {.row = {"aclnnInplaceMuls", reference_mul, {-3}, .integers = integer_mul}, .inputs = 2},
    FLOATS("aclnnDiv", div, {0}),
    FLOATS("aclnnInplaceDiv", div, {0}),
    {.row = {"aclnnDivs", reference_div, {0.7}}, .inputs = 2},
    {.row = {"aclnnInplaceDivs", reference_div, {-3}}, .inputs = 2},

/* The x of a comparison are a tensor and a tensor or a scalar. */
#define COMPARED(api, relation) \
    {.row = {#api, reference_##relation, {2}, .integers = integer_##relation}, .inputs = 2},
#define COMPARISON(api, stem, relation, ...) COMPARED(api, relation)
#define LOGIC(api, stem, relation, ...)      COMPARED(api, relation)
#include "ops/pointwise/comparisons.h"
    FLOATS("aclnnIsClose", is_close, {0.3, 1, 0}),
    FLOATS("aclnnIsClose", is_close, {1e-5, 1e-8, 1}),
    {.row = {"aclnnIsInTensorScalar", reference_is_scalar, {2, 0, 1}, .integers = integer_is_scalar},
     .inputs = 2},
    BOTH_KINDS("aclnnSWhere", chosen, {0}),
    {.row = {"aclnnInplaceMaskedFillTensor", reference_masked, {0}, .integers = integer_masked}, .lone = 4},
    {.row = {"aclnnInplaceMaskedFillScalar", reference_masked, {0}, .integers = integer_masked}, .inputs = 3},

    BOTH_KINDS("aclnnRelu", relu, {0}),
    BOTH_KINDS("aclnnInplaceRelu", relu, {0}),
    FLOATS("aclnnLeakyRelu", leaky, {0.01}),
    FLOATS("aclnnLeakyRelu", leaky, {-2}),
    FLOATS("aclnnLeakyRelu", leaky, {INFINITY}),
    FLOATS("aclnnInplaceLeakyRelu", leaky, {0}),
    FLOATS("aclnnLeakyReluBackward", leaky_backward, {0.01, 1}),
    FLOATS("aclnnLeakyReluBackward", leaky_backward, {-2}),
    {.row = {"aclnnPrelu", reference_prelu, {0}}, .lone = 2},
    FLOATS("aclnnThresholdBackward", threshold_backward, {0}),
    FLOATS("aclnnThresholdBackward", threshold_backward, {1.5}),
    FLOATS("aclnnSigmoid", sigmoid, {0}),
    FLOATS("aclnnInplaceSigmoid", sigmoid, {0}),
    FLOATS("aclnnSigmoidBackward", sigmoid_backward, {0}),
    FLOATS("aclnnTanh", tanh, {0}),
    FLOATS("aclnnInplaceTanh", tanh, {0}),
    FLOATS("aclnnTanhBackward", tanh_backward, {0}),
    FLOATS("aclnnGelu", gelu, {0}),
    FLOATS("aclnnGeluBackward", gelu_gradient, {0}),
    FLOATS("aclnnSilu", silu, {0}),
    FLOATS("aclnnSiluBackward", silu_backward, {0}),
    FLOATS("aclnnSwish", swish, {1.5}),
    FLOATS("aclnnSwish", swish, {-0.5}),
    FLOATS("aclnnSwishBackward", swish_backward, {1.5}),
    FLOATS("aclnnHardswish", hardswish, {3, -3}),
    FLOATS("aclnnInplaceHardswish", hardswish, {3, -3}),
    FLOATS("aclnnHardswishBackward", hardswish_backward, {3, -3}),
    FLOATS("aclnnHardswishBackwardV2", hardswish_backward_v2, {3, -3}),

    FLOATS("aclnnL1Loss", absolute_error, {0}),
    FLOATS("aclnnMseLoss", square_error, {0}),
    FLOATS("aclnnL1LossBackward", absolute_gradient, {0}),
    FLOATS("aclnnMseLossBackward", square_gradient, {0}),
    FLOATS("aclnnSmoothL1Loss", smooth, {0, 1.5}),
    FLOATS("aclnnSmoothL1LossBackward", smooth_gradient, {0, 1.5}),
    FLOATS("aclnnKlDiv", kl_div, {0, 0}),
    FLOATS("aclnnKlDiv", kl_div, {0, 1}),
    FLOATS("aclnnKlDivBackward", kl_div_backward, {0, 0}),
    FLOATS("aclnnKlDivBackward", kl_div_backward, {0, 1}),
    FLOATS("aclnnKlDivTargetBackward", kl_div_target_backward, {0, 0}),
    FLOATS("aclnnKlDivTargetBackward", kl_div_target_backward, {0, 1}),
    FLOATS("aclnnBinaryCrossEntropy", cross_entropy, {0}),
    FLOATS("aclnnBinaryCrossEntropyBackward", cross_entropy_backward, {0}),
    FLOATS("aclnnBinaryCrossEntropyWithLogits", logits, {0}, .is_beyond = logits_are_beyond),
    {.row = {"aclnnBinaryCrossEntropyWithLogitsBackward",
             reference_logits_backward,
             {0},
             .absent = 8,
             .is_beyond = logits_backward_is_beyond},
     .absent_is = 1},
    {.row = {"aclnnBinaryCrossEntropyWithLogitsTargetBackward",
             reference_logits_target_backward,
             {0},
             .absent = 8},
     .absent_is = 1},
    FLOATS("aclnnSoftMarginLoss", soft_margin, {0}),
    FLOATS("aclnnSoftMarginLossBackward", soft_margin_backward, {0}),

/* Lists of tensors. A single number is a scalar, a tensor or a list of one. */
#define LISTED(name, formula) FLOATS("aclnnForeach" #name, formula, {0})
    LISTED(Abs, abs),
    LISTED(Acos, acos),
    LISTED(Asin, asin),
    LISTED(Atan, atan),
    LISTED(Copy, same),
    LISTED(Cos, cos),
    LISTED(Cosh, cosh),
    LISTED(Erf, erf),
    LISTED(Erfc, erfc),
    LISTED(Exp, exp),
    LISTED(Expm1, expm1),
    LISTED(Log, log),
    LISTED(Log10, log10),
    LISTED(Log1p, log1p),
    LISTED(Log2, log2),
    LISTED(Neg, neg),
    LISTED(Reciprocal, reciprocal),
    LISTED(Sigmoid, sigmoid),
    LISTED(Sign, sign),
    LISTED(Sin, sin),
    LISTED(Sinh, sinh),
    LISTED(Sqrt, sqrt),
    LISTED(Tan, tan),
    LISTED(Tanh, tanh),
    LISTED(MulList, mul),
    LISTED(DivList, div),
    LISTED(MaximumList, maximum),
    LISTED(MinimumList, minimum),
    LISTED(PowList, pow),
    FLOATS("aclnnForeachLerpList", lerp, {0}, .is_beyond = way_is_beyond),
#define LISTED_WITH(name, formula, xs)                                            \
    {                                                                             \
        .row = {"aclnnForeach" #name, reference_##formula, {0.7}}, .inputs = (xs) \
    }
#define LISTED_WITH_ONE(name, formula)                                              \
    LISTED_WITH(name##Scalar, formula, 2), LISTED_WITH(name##ScalarV2, formula, 2), \
        LISTED_WITH(name##ScalarList, formula, 2)
    LISTED_WITH(AddList, add, 3),
    LISTED_WITH(AddListV2, add, 3),
    LISTED_WITH(SubList, sub, 3),
    LISTED_WITH(SubListV2, sub, 3),
    LISTED_WITH_ONE(Add, plus),
    LISTED_WITH_ONE(Sub, minus),
    LISTED_WITH_ONE(Mul, mul),
    LISTED_WITH_ONE(Div, div),
    LISTED_WITH_ONE(Maximum, maximum),
    LISTED_WITH_ONE(Minimum, minimum),
    LISTED_WITH_ONE(Pow, pow),
    LISTED_WITH(PowScalarAndTensor, pow, 2),
    {.row = {"aclnnForeachLerpScalar", reference_lerp, {0.7}, .is_beyond = way_is_beyond}, .inputs = 3},
};

/* Functions of these families that have no row, and the test that is theirs. */
static const char *const without_row[][2] = {
    {"aclnnAddr", "addr"},
    {"aclnnSilentCheck", "silent_check"},
    {"aclnnSilentCheckV2", "silent_check"},
    {"aclnnInplaceAddr", "addr"},
    {"aclnnCast", "cast"},
    {"aclnnInplaceCopy", "copy"},
    {"aclnnInplaceFillScalar", "fill_scalar"},
    {"aclnnInplaceFillTensor", "fill_tensor"},
    {"aclnnInplaceOne", "ones"},
    {"aclnnInplaceZero", "zero"},
    {"aclnnForeachZeroInplace", "foreach_functions"},
    {"aclnnForeachNorm", "foreach"},
    {"aclnnForeachNonFiniteCheckAndUnscale", "formula_halves"},
    {"aclnnForeachRoundOffNumber", "foreach_functions"},
    {"aclnnForeachRoundOffNumberV2", "foreach_functions"},
    {"aclnnAllFinite", "max_n"},
    {"aclnnForeachAddcmulScalar", "foreach_functions"},
    {"aclnnForeachAddcmulScalarV2", "foreach_functions"},
    {"aclnnForeachAddcmulScalarList", "foreach_functions"},
    {"aclnnForeachAddcmulList", "foreach_functions"},
    {"aclnnForeachAddcdivScalar", "foreach_functions"},
    {"aclnnForeachAddcdivScalarV2", "foreach_functions"},
    {"aclnnForeachAddcdivScalarList", "foreach_functions"},
    {"aclnnForeachAddcdivList", "foreach_functions"},
    {"aclnnFusedAdam", "optimizers"},
    {"aclnnFusedAdamw", "optimizers"},
    {"aclnnFusedSgd", "optimizers"},
    {"aclnnApplyAdam", "optimizers"},
    {"aclnnApplyAdamW", "optimizers"},
    {"aclnnApplyAdamWV2", "apply_adam_w_v2"},
    {"aclnnAmpUpdateScale", "formula_halves"},
    {"aclnnEqual", "formula_choice"},
    {"aclnnGeGlu", "formula_halves"},
    {"aclnnGeGluV3", "formula_halves"},
    {"aclnnGeGluBackward", "formula_halves"},
    {"aclnnGeGluV3Backward", "formula_halves"},
    {"aclnnGlu", "formula_halves"},
    {"aclnnGluBackward", "formula_halves"},
    {"aclnnSwiGlu", "formula_halves"},
    {"aclnnSwiGluGrad", "formula_halves"},
    {"aclnnIsInScalarTensor", "is_in"},
    {"aclnnMaxN", "max_n"},
    {"aclnnMinN", "max_n"},
    {"aclnnPreluBackward", "formula_choice"},
    {"aclnnQuantize", "quantize"},
};

#endif
