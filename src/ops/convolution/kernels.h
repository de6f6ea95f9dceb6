/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What convolutions compute with beside the kernels of contraction, for each instruction-set level. All
 * levels give the same bits.
 */
#ifndef BELAY_OPS_CONVOLUTION_KERNELS_H
#define BELAY_OPS_CONVOLUTION_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "simd/vector/level_table.h"

/* Complete sums of some channels and positions, and where they go. */
struct convolution_sums {
    const void *sums; /* floats, or doubles where is_exact */
    int64_t sums_step;
    const float *bias; /* one for each row; or NULL */
    uint32_t rows, columns;
    bool is_exact;
    aclDataType dtype;
    unsigned char *out;
    int64_t row_stride, column_stride; /* elements */
};

enum { CONVOLUTION_LANES = 8 };

struct convolution_kernels {
    /* out = sums + bias, rounded once. */
    void (*finish)(const struct convolution_sums *sums);
    /* The sum of floats in doubles: element i adds to sum i % 8, whose sums are added up in pairs. */
    double (*add_up)(const float *value, size_t count);
    /* left[i] * right[shift[k] + i], which doubles have exactly, adds to lanes[k][i % CONVOLUTION_LANES]. */
    void (*multiply_up)(const float *left, const float *right, const int64_t *shift, size_t shifts,
                        size_t count, double *lanes);
};

const struct convolution_kernels *convolution_kernels_of(enum isa_level level);

#endif
