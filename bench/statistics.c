/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Quartiles by linear interpolation between the two nearest samples.
 */
#include "statistics.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double interpolate(const double *sorted, size_t count, double share)
{
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double quantile(const double *samples, size_t count, double share)
{
    static double sorted[SAMPLES_MAX];
    memcpy(sorted, samples, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    return interpolate(sorted, count, share);
}

struct quartiles quartiles_of(const double *samples, size_t count)
{
    return (struct quartiles){quantile(samples, count, 0.25), quantile(samples, count, 0.5),
                              quantile(samples, count, 0.75)};
}

struct quartiles ratio_of(const double *numerator, const double *denominator, size_t count, int best_quartile)
{
    static double ratio[SAMPLES_MAX];
    for (size_t i = 0; i < count; i++)
        ratio[i] = numerator[i] / denominator[i];
    struct quartiles result = quartiles_of(ratio, count);
    if (best_quartile)
        result.median = quantile(numerator, count, 0.25) / quantile(denominator, count, 0.25);
    return result;
}
