/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Activations of the results of products, in DOUBLE, and how rows of such values go where they are wanted.
 */
#ifndef BELAY_OPS_CONTRACTION_ACTIVATION_H
#define BELAY_OPS_CONTRACTION_ACTIVATION_H

#include "ops/contraction/numbers.h"

/* In the order of GroupedMatmul's actType. GELU by tanh and by erf; x / (1 + e^-1.702x); x / (1 + e^-x). */
enum activation {
    ACTIVATION_NONE,
    ACTIVATION_RELU,
    ACTIVATION_GELU_TANH,
    ACTIVATION_GELU_ERF,
    ACTIVATION_FAST_GELU,
    ACTIVATION_SILU
};

/* In place; room for as many numbers. */
void activate(enum activation activation, enum isa_level isa, double *value, uint64_t count, double *room);
/* s = a / (1 + e^-a) g of the halves a and g of a row, over the first one. */
void activate_swiglu(enum isa_level isa, double *value, uint64_t half, double *room);

/* Rows of a matrix that values are rounded to. */
struct target {
    const struct transfer *transfer;
    enum isa_level isa;
    enum activation activation;
    bool adds; /* to what is there */
    aclDataType dtype;
    uint32_t address, bytes;
    int64_t first, stride[2]; /* elements */
    uint64_t columns;
};

struct target target_of(const struct transfer *transfer, enum isa_level isa, const struct tensor_view *view,
                        uint32_t address);
/* Rows of values, which it may change, to rows from one on; and rows of zeros. */
void target_take(const struct target *target, void *const *address, uint64_t row, uint64_t rows,
                 double *value);
void target_clear(const struct target *target, void *const *address, uint64_t row, uint64_t rows);

#endif
