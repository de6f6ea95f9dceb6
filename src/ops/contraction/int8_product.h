/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of matrices of INT8, exact in INT32 but for what goes beyond it, which wraps. What becomes of the
 * sums is their function's.
 */
#ifndef BELAY_OPS_CONTRACTION_INT8_PRODUCT_H
#define BELAY_OPS_CONTRACTION_INT8_PRODUCT_H

#include "base/processor.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"

/* Rows and columns of a task. */
enum { INT8_ROWS = 4, INT8_COLUMNS = 64 };

/* Takes the sums of a row from a column on. */
typedef void int8_finish(const void *context, uint64_t row, uint64_t column, uint64_t count,
                         const int32_t *sums);

struct int8_product {
    const struct port *left, *right;  /* of rows, and of columns one behind the other, along the common dim */
    uint64_t left_first, right_first; /* the numbers of their first elements */
    void *const *address;
    uint64_t rows, columns, depth;
    enum isa_level isa;
    const int8_t *packed; /* the columns side by side; set by int8_multiply */
    int8_t *room;         /* for them, where they do not lie so */
    struct task_memory memory;
    int8_finish *finish;
    const void *context;
};

/* Memory for a product of so many columns by so many threads. */
size_t int8_work_bytes(uint64_t columns, uint64_t depth, uint64_t threads);
/* Divides it: room and memory of the product. */
void int8_use_memory(struct int8_product *product, void *scratch, uint64_t columns, uint64_t threads);
void int8_multiply(struct int8_product *product);

/* to[i] = the sum over k of row[i * depth + k] * column[k], for INT8_ROWS rows. */
typedef void int8_dots(const int8_t *row, const int8_t *column, size_t depth, int32_t *to);

#endif
