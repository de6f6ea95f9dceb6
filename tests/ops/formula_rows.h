/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The formulas of tests/ops/formula.c in long double, and a row for each function.
 */
#ifndef BELAY_TESTS_OPS_FORMULA_ROWS_H
#define BELAY_TESTS_OPS_FORMULA_ROWS_H

#include <math.h>

/* Defines reference_name: x[0], x[1], ... are the elements, n[0], ... the numbers. */
#define REFERENCE(name, ...)                                                   \
    static long double reference_##name(const long double *x, const double *n) \
    {                                                                          \
        (void)n;                                                               \
        return __VA_ARGS__;                                                    \
    }

static long double logistic(long double x)
{
    return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}

REFERENCE(celu, x[0] > 0 ? x[0] : n[0] * expm1l(x[0] / n[0]))
REFERENCE(elu, x[0] > 0 ? n[1] * x[0] : (long double)n[0] * n[1] * expm1l(n[2] * x[0]))
REFERENCE(selu, 1.0507009873554804934193349852946L *
                    (x[0] > 0 ? x[0] : 1.6732632423543772848170429916717L * expm1l(x[0])))
REFERENCE(softplus, n[0] * x[0] > n[1] ? x[0] : log1pl(expl(n[0] * x[0])) / n[0])
REFERENCE(hardsigmoid, x[0] <= -3 ? 0 : x[0] >= 3 ? 1 : (x[0] + 3) / 6)
REFERENCE(hardshrink, fabsl(x[0]) <= fmaxl(n[0], 0) ? 0 : x[0])
REFERENCE(softshrink, x[0] > n[0] ? x[0] - n[0] : x[0] < -n[0] ? x[0] + n[0] : x[0] * 0)
REFERENCE(softsign, x[0] / (1 + fabsl(x[0])))
REFERENCE(log_sigmoid, (x[0] < 0 ? x[0] : isnan(x[0]) ? x[0] : 0) - log1pl(expl(-fabsl(x[0]))))
REFERENCE(mish, x[0] * tanhl(x[0] > 50 ? x[0] : log1pl(expl(x[0]))))
REFERENCE(fast_gelu, x[0] * logistic(1.702L * x[0]))
REFERENCE(gelu_v2, n[0] == 1 ? x[0] * logistic(2 * 0.797884560802865355879892119868763737L *
                                               (x[0] + 0.044715L * x[0] * x[0] * x[0]))
                             : x[0] * 0.5L * erfcl(-x[0] * 0.707106781186547524400844362104849039L))
REFERENCE(threshold, x[0] <= n[0] ? n[1] : x[0])

/* Gradients: x[0] is the gradient. */
REFERENCE(elu_backward, x[0] * (!(x[1] <= 0) ? (long double)n[1]
                                : n[3] != 0  ? n[2] * (x[1] + (long double)n[0] * n[1])
                                             : (long double)n[2] * n[0] * n[1] * expl(x[1] * n[2])))
REFERENCE(selu_backward,
          x[0] * (x[1] <= 0 ? x[1] + 1.0507009873554804934193349852946L * 1.6732632423543772848170429916717L
                            : 1.0507009873554804934193349852946L))
REFERENCE(softplus_backward, n[0] * x[1] > n[1] ? x[0] : x[0] * logistic(n[0] * x[1]))
REFERENCE(hardtanh_backward, x[1] <= n[0] || x[1] >= n[1] ? 0 : x[0])
REFERENCE(hardsigmoid_backward, x[1] > -3 && x[1] < 3 ? x[0] / 6 : 0)
REFERENCE(shrink_backward, fabsl(x[1]) <= fmaxl(n[0], 0) ? 0 : x[0])
REFERENCE(logsigmoid_backward, x[0] * logistic(-x[1]))

static long double reference_mish_backward(const long double *x, const double *n)
{
    const long double t = tanhl(x[1] > 50 ? x[1] : log1pl(expl(x[1])));
    const long double rest = 1 / coshl(x[1] > 50 ? x[1] : log1pl(expl(x[1])));
    (void)n;
    return x[0] * (t + x[1] * logistic(x[1]) * rest * rest);
}

REFERENCE(fast_gelu_backward, x[0] * logistic(1.702L * x[1]) * (1 + 1.702L * x[1] * logistic(-1.702L * x[1])))

static const struct row rows[] = {
    {"aclnnCelu", reference_celu, {1.5}, 6},
    {"aclnnInplaceCelu", reference_celu, {-0.75}, 6},
    {"aclnnElu", reference_elu, {1.5, 0.7, 1.1}, 6},
    {"aclnnInplaceElu", reference_elu, {1, 1, 1}, 30},
    {"aclnnSelu", reference_selu, {0}, 6},
    {"aclnnInplaceSelu", reference_selu, {0}, 6},
    {"aclnnSoftplus", reference_softplus, {1, 20}, 40},
    {"aclnnSoftplus", reference_softplus, {-0.3, 2}, 40},
    {"aclnnHardsigmoid", reference_hardsigmoid, {0}, 6},
    {"aclnnInplaceHardsigmoid", reference_hardsigmoid, {0}, 6},
    {"aclnnHardshrink", reference_hardshrink, {0.5}, 2},
    {"aclnnHardshrink", reference_hardshrink, {-0.5}, 2},
    {"aclnnSoftshrink", reference_softshrink, {0.5}, 2},
    {"aclnnSoftsign", reference_softsign, {0}, 6},
    {"aclnnLogSigmoid", reference_log_sigmoid, {0}, 40},
    {"aclnnLogSigmoidForward", reference_log_sigmoid, {0}, 6},
    {"aclnnMish", reference_mish, {0}, 20},
    {"aclnnInplaceMish", reference_mish, {0}, 400},
    {"aclnnFastGelu", reference_fast_gelu, {0}, 10},
    {"aclnnGeluV2", reference_gelu_v2, {0}, 6},
    {"aclnnGeluV2", reference_gelu_v2, {1}, 6},
    {"aclnnThreshold", reference_threshold, {0.1, 20}, 6},
    {"aclnnInplaceThreshold", reference_threshold, {0.1, 20}, 6},
    {"aclnnEluBackward", reference_elu_backward, {1.5, 0.7, 1.1, 0}, 6},
    {"aclnnEluBackward", reference_elu_backward, {1.5, 0.7, 1.1, 1}, 1},
    {"aclnnSeluBackward", reference_selu_backward, {0}, 1.5},
    {"aclnnSoftplusBackward", reference_softplus_backward, {1.5, 4}, 5},
    {"aclnnHardtanhBackward", reference_hardtanh_backward, {-1.5, 2}, 6},
    {"aclnnHardsigmoidBackward", reference_hardsigmoid_backward, {0}, 6},
    {"aclnnHardshrinkBackward", reference_shrink_backward, {0.5}, 2},
    {"aclnnSoftshrinkBackward", reference_shrink_backward, {0.5}, 2},
    {"aclnnLogSigmoidBackward", reference_logsigmoid_backward, {0}, 40},
    {"aclnnMishBackward", reference_mish_backward, {0}, 20},
    {"aclnnFastGeluBackward", reference_fast_gelu_backward, {0}, 10},
};

#endif
