/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The elements of a row in descending order: of equal ones the first comes first, and NaN is the greatest.
 */
#ifndef BELAY_OPS_LOOPS_ORDER_H
#define BELAY_OPS_LOOPS_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a is greater than b. */
static inline bool order_is_greater(double a, double b)
{
    return a > b || (a != a && b == b);
}

/* Numbers of elements, so many and in the order of the row, come in their order; `other` has room for as many. */
void order_row(const double *row, uint64_t count, uint32_t *index, uint32_t *other);

/* The k-th greatest element, k from 1 on; `other` has room for as many as the row. */
double order_find(const double *row, uint64_t count, uint64_t k, double *other);

#endif
