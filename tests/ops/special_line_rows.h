/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that take elements along a dim: their results of a line of three in long double, a row for each,
 * and the tests of those that have none.
 */
#ifndef BELAY_TESTS_OPS_SPECIAL_LINE_ROWS_H
#define BELAY_TESTS_OPS_SPECIAL_LINE_ROWS_H

#include "ops/special_call.h"

enum { LENGTH = 3 };

/* The j-th result of a line. */
typedef long double line_function(const long double *x, unsigned j, const double *n);

struct line_row {
    const char *name;
    line_function *function;
    double number[NUMBERS_MAX]; /* integers and scalars that are no dim, in the order of the call */
    unsigned output;            /* of those that are written, which */
    bool is_whole;              /* all elements are one line */
    bool is_difference;         /* which in DOUBLE is off by units of what cancels */
    bool is_of_integers;        /* the same formula holds for integers that doubles have */
};

#define LINE(name_, ...)                                                               \
    static long double line_##name_(const long double *x, unsigned j, const double *n) \
    {                                                                                  \
        (void)x, (void)j, (void)n;                                                     \
        return __VA_ARGS__;                                                            \
    }

/* Sums of doubles in the order of reductions (tests/ops/reduce.c), and products. */
static double sum_of(const long double *x, double first, bool skips_nan)
{
    double lane[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        lane[i] = skips_nan && isnan(x[i]) ? first : first + (double)x[i];
    return (lane[0] + lane[2]) + (lane[1] + first);
}

LINE(sum, (long double)sum_of(x, 0, false))
LINE(nansum, (long double)sum_of(x, 0, true))
LINE(mean, (long double)(sum_of(x, 0, false) / LENGTH))
LINE(product, (long double)(((double)x[0] * (double)x[2]) * (double)x[1]))
LINE(all, x[0] != 0 && x[1] != 0 && x[2] != 0)
LINE(any, x[0] != 0 || x[1] != 0 || x[2] != 0)

/* +0 is greater than -0. */
static bool is_before(long double a, long double b, bool least)
{
    return a == b ? signbit(a) != signbit(b) && (signbit(a) != 0) == least : least ? a < b : a > b;
}

static long double extreme(const long double *x, bool least)
{
    long double best = x[0];
    for (int i = 0; i < LENGTH; i++) {
        if (isnan(x[i]))
            return x[i];
        best = is_before(x[i], best, least) ? x[i] : best;
    }
    return best;
}

LINE(most, extreme(x, false))
LINE(least, extreme(x, true))

/* The place of the first NaN, or of the first of the greatest; -0 equals +0. */
static unsigned place_of(const long double *x, unsigned count, bool least)
{
    unsigned best = 0;
    for (unsigned i = 1; i < count && !isnan(x[best]); i++)
        if (isnan(x[i]) || (least ? x[i] < x[best] : x[i] > x[best]))
            best = i;
    return best;
}

LINE(arg_most, place_of(x, LENGTH, false))
LINE(arg_least, place_of(x, LENGTH, true))
LINE(value_of_most, x[place_of(x, LENGTH, false)])
LINE(value_of_least, x[place_of(x, LENGTH, true)])

/* The latest of equal ones among the first ones, and of NaNs. */
static unsigned running_place(const long double *x, unsigned last, bool least)
{
    unsigned best = 0;
    for (unsigned i = 1; i <= last; i++)
        if (isnan(x[i]) || (!isnan(x[best]) && (least ? x[i] <= x[best] : x[i] >= x[best])))
            best = i;
    return best;
}

LINE(running_most, x[running_place(x, j, false)])
LINE(running_least, x[running_place(x, j, true)])
LINE(running_arg_most, running_place(x, j, false))
LINE(running_arg_least, running_place(x, j, true))

static long double line_running_sum(const long double *x, unsigned j, const double *n)
{
    double sum = 0;
    (void)n;
    for (unsigned i = 0; i <= j; i++)
        sum += (double)x[i];
    return (long double)sum;
}

/* n[0]: the element itself is left out; n[1]: from the last one. */
static long double line_running_sum_of(const long double *x, unsigned j, const double *n)
{
    double sum = 0;
    for (unsigned i = 0; i < LENGTH; i++) {
        const unsigned place = n[1] != 0 ? LENGTH - 1 - i : i;
        const bool is_in = n[1] != 0 ? place >= j : place <= j;
        if (is_in && !(n[0] != 0 && place == j))
            sum += (double)x[place];
    }
    return (long double)sum;
}

static long double line_running_product(const long double *x, unsigned j, const double *n)
{
    double product = 1;
    (void)n;
    for (unsigned i = 0; i <= j; i++)
        product *= (double)x[i];
    return (long double)product;
}

/* Order: NaN is greater than every number, -0 equals +0, and equal ones stay in their order. */
static bool is_above(long double a, long double b)
{
    return isnan(a) ? !isnan(b) : a > b;
}

static unsigned place_in_order(const long double *x, unsigned j, bool descends)
{
    for (unsigned i = 0; i < LENGTH; i++) {
        unsigned before = 0;
        for (unsigned k = 0; k < LENGTH; k++) {
            const bool is_first = descends ? is_above(x[k], x[i]) : is_above(x[i], x[k]);
            const bool is_after = descends ? is_above(x[i], x[k]) : is_above(x[k], x[i]);
            before += (unsigned)(is_first || (!is_after && k < i));
        }
        if (before == j)
            return i;
    }
    return LENGTH;
}

LINE(sorted, x[place_in_order(x, j, n[1] != 0)])
LINE(sorted_places, place_in_order(x, j, n[1] != 0))
LINE(argsorted, place_in_order(x, j, n[0] != 0))
LINE(greatest_two, x[place_in_order(x, j, true)])
LINE(greatest_two_places, place_in_order(x, j, true))
LINE(least_two, x[place_in_order(x, j, false)])
LINE(kth, x[place_in_order(x, (unsigned)n[0] - 1, false)])
LINE(kth_place, place_in_order(x, (unsigned)n[0] - 1, false))

static unsigned first_nan(const long double *x)
{
    for (unsigned i = 0; i < LENGTH; i++)
        if (isnan(x[i]))
            return i;
    return LENGTH;
}

static unsigned median_place(const long double *x, bool skips_nan)
{
    unsigned numbers = 0;
    for (unsigned i = 0; i < LENGTH; i++)
        numbers += isnan(x[i]) ? 0U : 1U;
    if (numbers < LENGTH && (!skips_nan || numbers == 0))
        return first_nan(x);
    return place_in_order(x, (numbers - 1) / 2, false);
}

LINE(median, x[median_place(x, false)])
LINE(median_at, median_place(x, false))
LINE(nanmedian, x[median_place(x, true)])
LINE(nanmedian_at, median_place(x, true))

/* Rows. */
static long double greatest_of(const long double *x)
{
    long double best = x[0];
    for (int i = 1; i < LENGTH; i++)
        best = isnan(x[i]) || x[i] > best ? x[i] : best;
    return best;
}

/* The sum of e^(x - m). */
static long double sum_of_powers(const long double *x)
{
    long double sum = 0;
    for (int i = 0; i < LENGTH; i++)
        sum += expl(x[i] - greatest_of(x));
    return sum;
}

static bool has_nan(const long double *x)
{
    return first_nan(x) < LENGTH;
}

LINE(softmax, expl(x[j] - greatest_of(x)) / sum_of_powers(x))
LINE(log_softmax, (x[j] - greatest_of(x)) - logl(sum_of_powers(x)))
LINE(log_sum_exp, has_nan(x)              ? NAN
                  : isinf(greatest_of(x)) ? greatest_of(x)
                                          : greatest_of(x) + logl(sum_of_powers(x)))
LINE(log_of_sum, logl((long double)sum_of(x, 0, false)))

static long double line_variance(const long double *x, unsigned j, const double *n)
{
    const long double mean = (x[0] + x[1] + x[2]) / LENGTH, divisor = LENGTH - (long double)n[0];
    long double sum = 0;
    (void)j;
    for (int i = 0; i < LENGTH; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sum / (divisor > 0 ? divisor : 0);
}

LINE(deviation, sqrtl(line_variance(x, j, n)))

/* (Sum of |x|^p)^(1/p). */
static long double line_norm(const long double *x, unsigned j, const double *n)
{
    long double sum = 0;
    (void)j;
    if (has_nan(x) && n[0] != 0)
        return NAN;
    if (isinf(n[0])) {
        const long double sizes[] = {fabsl(x[0]), fabsl(x[1]), fabsl(x[2])};
        return extreme(sizes, n[0] < 0);
    }
    for (int i = 0; i < LENGTH; i++)
        sum += n[0] == 0   ? x[i] != 0
               : n[0] == 1 ? fabsl(x[i])
               : n[0] == 2 ? x[i] * x[i]
                           : powl(fabsl(x[i]), n[0]);
    return n[0] == 0 || n[0] == 1 ? sum : n[0] == 2 ? sqrtl(sum) : powl(sum, 1 / (long double)n[0]);
}

static const struct line_row line_rows[] = {
    {"aclnnReduceSum", line_sum, .is_of_integers = true},
    {"aclnnReduceNansum", line_nansum, .is_of_integers = true},
    {"aclnnMean", line_mean},
    {"aclnnMeanV2", line_mean},
    {"aclnnProd", line_product, .is_whole = true},
    {"aclnnProdDim", line_product},
    {"aclnnAll", line_all, .is_of_integers = true},
    {"aclnnAny", line_any, .is_of_integers = true},
    {"aclnnAmax", line_most, .is_of_integers = true},
    {"aclnnAmin", line_least, .is_of_integers = true},
    {"aclnnAminmax", line_least, .is_of_integers = true},
    {"aclnnAminmax", line_most, .output = 1, .is_of_integers = true},
    {"aclnnAminmaxDim", line_least, .is_of_integers = true},
    {"aclnnAminmaxDim", line_most, .output = 1, .is_of_integers = true},
    {"aclnnAminmaxAll", line_least, .is_whole = true, .is_of_integers = true},
    {"aclnnAminmaxAll", line_most, .output = 1, .is_whole = true, .is_of_integers = true},
    {"aclnnMax", line_most, .is_whole = true, .is_of_integers = true},
    {"aclnnMin", line_least, .is_whole = true, .is_of_integers = true},
    {"aclnnMaxV2", line_most, .is_of_integers = true},
    {"aclnnArgMax", line_arg_most, .is_of_integers = true},
    {"aclnnArgMin", line_arg_least, .is_of_integers = true},
    {"aclnnMaxDim", line_value_of_most, .is_of_integers = true},
    {"aclnnMaxDim", line_arg_most, .output = 1, .is_of_integers = true},
    {"aclnnMinDim", line_value_of_least, .is_of_integers = true},
    {"aclnnMinDim", line_arg_least, .output = 1, .is_of_integers = true},
    {"aclnnCummax", line_running_most, .is_of_integers = true},
    {"aclnnCummax", line_running_arg_most, .output = 1, .is_of_integers = true},
    {"aclnnCummin", line_running_least, .is_of_integers = true},
    {"aclnnCummin", line_running_arg_least, .output = 1, .is_of_integers = true},
    {"aclnnCumsum", line_running_sum},
    {"aclnnCumsumV2", line_running_sum_of, {0, 0}},
    {"aclnnCumsumV2", line_running_sum_of, {1, 0}},
    {"aclnnCumsumV2", line_running_sum_of, {0, 1}},
    {"aclnnCumsumV2", line_running_sum_of, {1, 1}},
    {"aclnnCumprod", line_running_product},
    {"aclnnInplaceCumprod", line_running_product},
    {"aclnnArgsort", line_argsorted, {0}, .is_of_integers = true},
    {"aclnnArgsort", line_argsorted, {1}, .is_of_integers = true},
    {"aclnnSort", line_sorted, {1, 0}, .is_of_integers = true},
    {"aclnnSort", line_sorted_places, {1, 0}, .output = 1, .is_of_integers = true},
    {"aclnnSort", line_sorted, {1, 1}, .is_of_integers = true},
    {"aclnnSort", line_sorted_places, {1, 1}, .output = 1, .is_of_integers = true},
    {"aclnnTopk", line_greatest_two, {2, 1, 1}, .is_of_integers = true},
    {"aclnnTopk", line_greatest_two_places, {2, 1, 1}, .output = 1, .is_of_integers = true},
    {"aclnnTopk", line_least_two, {2, 0, 1}, .is_of_integers = true},
    {"aclnnTopkV2", line_greatest_two, {2, 1, 1}, .is_of_integers = true},
    {"aclnnKthvalue", line_kth, {2}, .is_of_integers = true},
    {"aclnnKthvalue", line_kth_place, {2}, .output = 1, .is_of_integers = true},
    {"aclnnMedian", line_median, .is_whole = true, .is_of_integers = true},
    {"aclnnMedianDim", line_median, .is_of_integers = true},
    {"aclnnMedianDim", line_median_at, .output = 1, .is_of_integers = true},
    {"aclnnNanMedian", line_nanmedian, .is_whole = true, .is_of_integers = true},
    {"aclnnNanMedianDim", line_nanmedian, .is_of_integers = true},
    {"aclnnNanMedianDim", line_nanmedian_at, .output = 1, .is_of_integers = true},
    {"aclnnSoftmax", line_softmax},
    {"aclnnLogSoftmax", line_log_softmax, .is_difference = true},
    {"aclnnLogSumExp", line_log_sum_exp},
    {"aclnnReduceLogSum", line_log_of_sum},
    {"aclnnVarCorrection", line_variance, {1}},
    {"aclnnVarCorrection", line_variance, {5}},
    {"aclnnVar", line_variance, {1}},
    {"aclnnStd", line_deviation, {1}},
    {"aclnnVarMean", line_variance, {0}},
    {"aclnnVarMean", line_mean, {0}, .output = 1},
    {"aclnnStdMeanCorrection", line_deviation, {1}},
    {"aclnnStdMeanCorrection", line_mean, {1}, .output = 1},
    {"aclnnNorm", line_norm, {1}},
    {"aclnnNorm", line_norm, {2}},
    {"aclnnLinalgVectorNorm", line_norm, {0}},
    {"aclnnLinalgVectorNorm", line_norm, {1}},
    {"aclnnLinalgVectorNorm", line_norm, {2}},
    {"aclnnLinalgVectorNorm", line_norm, {3}},
    {"aclnnLinalgVectorNorm", line_norm, {-1}},
    {"aclnnLinalgVectorNorm", line_norm, {(double)INFINITY}},
    {"aclnnLinalgVectorNorm", line_norm, {-(double)INFINITY}},
};

/* Functions of these families that have no row, and the test that is theirs. */
static const char *const without_row[][2] = {
    {"aclnnDot", "statistics"},
    {"aclnnTrace", "trace"},
    {"aclnnCtcLoss", "ctc_loss"},
    {"aclnnCtcLossBackward", "ctc_loss"},
    {"aclnnBincount", "searchsorted"},
    {"aclnnBucketize", "searchsorted"},
    {"aclnnHistc", "searchsorted"},
    {"aclnnSearchSorted", "searchsorted"},
    {"aclnnSearchSorteds", "searchsorted"},
    {"aclnnUnique", "unique2"},
    {"aclnnUnique2", "unique2"},
    {"aclnnUniqueConsecutive", "unique2"},
    {"aclnnUniqueDim", "unique2"},
    {"aclnnSmoothL1Loss", "special_values"},
    {"aclnnAddLayerNorm", "rms_norm"},
    {"aclnnAddRmsNorm", "rms_norm"},
    {"aclnnAddRmsNormBias", "rms_norm"},
    {"aclnnBatchNorm", "batch_norm"},
    {"aclnnBatchNormBackward", "batch_norm"},
    {"aclnnBatchNormReduceBackward", "sync_batch_norm"},
    {"aclnnBatchNormElemt", "sync_batch_norm"},
    {"aclnnBatchNormElemtBackward", "sync_batch_norm"},
    {"aclnnBatchNormGatherStatsWithCounts", "sync_batch_norm"},
    {"aclnnBatchNormReduce", "sync_batch_norm"},
    {"aclnnBatchNormStats", "sync_batch_norm"},
    {"aclnnCdist", "cdist"},
    {"aclnnCdistBackward", "cdist"},
    {"aclnnDynamicQuant", "dynamic_quant"},
    {"aclnnDynamicQuantV2", "dynamic_quant"},
    {"aclnnFastBatchNormBackward", "batch_norm"},
    {"aclnnGemmaRmsNorm", "group_norm_swish_grad"},
    {"aclnnGroupNorm", "group_norm"},
    {"aclnnGroupNormBackward", "group_norm"},
    {"aclnnGroupNormSilu", "group_norm"},
    {"aclnnGroupNormSwish", "group_norm"},
    {"aclnnGroupNormSwishGrad", "group_norm_swish_grad"},
    {"aclnnFastLayerNorm", "rows"},
    {"aclnnLayerNorm", "rows"},
    {"aclnnLayerNormWithImplMode", "rows"},
    {"aclnnLayerNormBackward", "layer_norm_backward"},
    {"aclnnLogSoftmaxBackward", "likelihoods"},
    {"aclnnMoeGatingTopKSoftmax", "moe"},
    {"aclnnMoeGatingTopKSoftmaxV2", "moe"},
    {"aclnnAddLayerNormGrad", "residual_norms"},
    {"aclnnDeepNorm", "residual_norms"},
    {"aclnnDeepNormGrad", "residual_norms"},
    {"aclnnMhcPost", "hyper_connections"},
    {"aclnnMhcPostBackward", "hyper_connections"},
    {"aclnnMhcPre", "hyper_connections"},
    {"aclnnMhcPreV2", "hyper_connections"},
    {"aclnnMhcPreBackward", "hyper_connections"},
    {"aclnnMhcPreBackwardV2", "hyper_connections"},
    {"aclnnMhcSinkhorn", "hyper_connections"},
    {"aclnnMhcSinkhornBackward", "hyper_connections"},
    {"aclnnClippedSwiglu", "rows_updated"},
    {"aclnnInterleaveRope", "rotated_rows"},
    {"aclnnGeluMul", "rows_updated"},
    {"aclnnMaskedSoftmaxWithRelPosBias", "rows_updated"},
    {"aclnnPdist", "embedding_renorm"},
    {"aclnnRenorm", "renorm"},
    {"aclnnInplaceRenorm", "renorm"},
    {"aclnnRmsNorm", "rms_norm"},
    {"aclnnRmsNormGrad", "rms_norm"},
    {"aclnnRotaryPositionEmbedding", "attention_rows"},
    {"aclnnRotaryPositionEmbeddingGrad", "attention_rows"},
    {"aclnnScaledMaskedSoftmax", "attention_rows"},
    {"aclnnScaledMaskedSoftmaxBackward", "attention_rows"},
    {"aclnnSoftmaxBackward", "likelihoods"},
    {"aclnnSoftmaxCrossEntropyWithLogits", "triangular_solve"},
    {"aclnnSyncBatchNormGatherStats", "sync_batch_norm"},
};

#endif
