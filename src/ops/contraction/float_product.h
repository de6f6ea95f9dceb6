/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The inner loop of products of matrices of small floats: each product is exact in DOUBLE, and so are most sums.
 */
#ifndef BELAY_OPS_CONTRACTION_FLOAT_PRODUCT_H
#define BELAY_OPS_CONTRACTION_FLOAT_PRODUCT_H

#include <stddef.h>

/* to[i] = the sum over k of row[i * step + k] * column[k], for INT8_ROWS rows (int8_product.h). */
typedef void float_dots(const float *row, size_t step, const float *column, size_t depth, double *to);

#endif
