/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The inner loop of products of matrices of INT8, exact in INT32 but for what goes beyond it, which wraps.
 */
#ifndef BELAY_OPS_CONTRACTION_INT8_PRODUCT_H
#define BELAY_OPS_CONTRACTION_INT8_PRODUCT_H

#include <stddef.h>
#include <stdint.h>

/* Rows of a call, and columns of a task. */
enum { INT8_ROWS = 4, INT8_COLUMNS = 64 };

/* to[i] = the sum over k of row[i * step + k] * column[k], for INT8_ROWS rows. */
typedef void int8_dots(const int8_t *row, size_t step, const int8_t *column, size_t depth, int32_t *to);

#endif
