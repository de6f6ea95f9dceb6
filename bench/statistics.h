/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Quartiles of samples and of ratios of samples that were taken in the same rounds.
 */
#ifndef BELAY_BENCH_STATISTICS_H
#define BELAY_BENCH_STATISTICS_H

#include <stddef.h>

enum { SAMPLES_MAX = 20000 };

struct quartiles {
    double lower, median, upper;
};

/* The value below which a share of 0 to 1 of the samples lies; count is 1 to SAMPLES_MAX. */
double quantile(const double *samples, size_t count, double share);
struct quartiles quartiles_of(const double *samples, size_t count);

/*
 * Of numerator[i] / denominator[i]. The middle one is the median of the ratios, or, where best_quartile is
 * set, the ratio of the lower quartiles: with several threads the slower rounds tell what else the machine
 * did.
 */
struct quartiles ratio_of(const double *numerator, const double *denominator, size_t count,
                          int best_quartile);

#endif
