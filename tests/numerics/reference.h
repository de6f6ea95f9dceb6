/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the kernels are judged by: two references, written apart from each other and from the kernels. Numbers
 * go in and out as the bits of the dtype, results are the exact value rounded once.
 */
#ifndef BELAY_TESTS_NUMERICS_REFERENCE_H
#define BELAY_TESTS_NUMERICS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/loops/elementwise.h"

enum reference_operator {
    HARDSWISH_BACKWARD,
    LEAKY_RELU_BACKWARD,
    SILU_BACKWARD,
    SMOOTH_L1_LOSS_BACKWARD,
    HARDSWISH,
    LEAKY_RELU,
    HARDSWISH_BACKWARD_V2,
    SILU,
    SWISH,
    SWISH_BACKWARD,
    SMOOTH_L1_LOSS, /* of each element */
    /* Of other families (family.h) from here on. */
    RELU,
    THRESHOLD_BACKWARD,
    SIGMOID,
    SIGMOID_BACKWARD,
    TANH,
    TANH_BACKWARD,
    GELU,
    GELU_BACKWARD,
    REFERENCE_OPERATORS,
    /* Sums, products and quotients of tensors, and of a tensor and a scalar: programs' calls of them have
       tests of their own (tests/ops/add.c), and only the proof has them in its lists. */
    ADD = REFERENCE_OPERATORS,
    SUB,
    MUL,
    DIV,
    ADDS,
    SUBS,
    MULS,
    DIVS,
    PROVED_OPERATORS
};

static inline bool is_calculation(enum reference_operator stem)
{
    return stem >= ADD;
}

static inline bool has_scalar(enum reference_operator stem)
{
    return stem >= ADDS;
}

static inline bool is_of_other_family(enum reference_operator stem)
{
    return stem > SMOOTH_L1_LOSS;
}

int family_inputs(enum reference_operator stem);
bool family_has_slope(enum reference_operator stem);

/* One operator with its attributes. */
struct task {
    enum reference_operator stem;
    enum arithmetic dtype;
    double slope;     /* leaky relu and its gradient; beta of swish and its gradient; the threshold of its
                         gradient; alpha of Add and Sub; the scalar of calculations that have one */
    float beta;       /* smooth L1; alpha of Adds and Subs */
    uint64_t divisor; /* smooth L1: N for mean, 1 otherwise */
};

/* How many inputs the operator has: self; gradient and self, or self and target; gradient, self and target.
 */
static inline int reference_inputs(enum reference_operator stem)
{
    if (is_of_other_family(stem))
        return family_inputs(stem);
    switch (stem) {
    case HARDSWISH:
    case LEAKY_RELU:
    case SILU:
    case SWISH:
        return 1;
    case SMOOTH_L1_LOSS_BACKWARD:
        return 3;
    default:
        return 2;
    }
}

/* Which attribute it has. */
static inline bool has_slope(enum reference_operator stem)
{
    return is_of_other_family(stem)
               ? family_has_slope(stem)
               : stem == LEAKY_RELU_BACKWARD || stem == LEAKY_RELU || stem == SWISH || stem == SWISH_BACKWARD;
}

static inline bool has_beta(enum reference_operator stem)
{
    return stem == SMOOTH_L1_LOSS_BACKWARD || stem == SMOOTH_L1_LOSS;
}

/* How a dtype's bits are laid out. */
struct format {
    const char *name;
    int bits, fraction_bits, exponent_bits;
};

extern const struct format formats[ARITHMETICS];

static inline uint64_t infinity_bits(const struct format *format)
{
    return (((uint64_t)1 << format->exponent_bits) - 1) << format->fraction_bits;
}

static inline uint64_t nan_bits(const struct format *format)
{
    return infinity_bits(format) | (uint64_t)1 << (format->fraction_bits - 1);
}

static inline uint64_t magnitude_mask(const struct format *format)
{
    return ((uint64_t)1 << (format->bits - 1)) - 1;
}

/* The exponent of the lowest bit of a subnormal. */
static inline int lowest_exponent(const struct format *format)
{
    return 2 - (1 << (format->exponent_bits - 1)) - format->fraction_bits;
}

/* The exact value of the bits as a double; every dtype's numbers are doubles. */
double value_of(const struct format *format, uint64_t bits);

/* The result for the inputs in the order of the kernel's. */
uint64_t reference_mpfr(const struct task *task, const uint64_t *input);
uint64_t reference_integer(const struct task *task, const uint64_t *input);

#endif
