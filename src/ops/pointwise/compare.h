/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Comparisons and logic as their kernels get them. comparisons.h lists the functions.
 */
#ifndef BELAY_OPS_POINTWISE_COMPARE_H
#define BELAY_OPS_POINTWISE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

/* The first six are computed, the first two of them without looking; then these with operands exchanged. */
enum relation {
    RELATION_ALWAYS,
    RELATION_NEVER,
    RELATION_EQUAL,
    RELATION_NOT_EQUAL,
    RELATION_LESS,
    RELATION_LESS_OR_EQUAL,
    RELATION_GREATER,
    RELATION_GREATER_OR_EQUAL,
    RELATION_BOTH_TRUE, /* of BOOL alone, as those that follow */
    RELATION_ANY_TRUE,
    RELATION_ONE_TRUE,
    RELATION_NOT_TRUE, /* of one operand: equal to false, for kernels */
};

/* What the kernels get. */
struct compare_parameters {
    enum relation relation;
    bool has_scalar; /* the second operand is the scalar: the kernel has one input */
    _Alignas(16) unsigned char scalar[16];
};

#endif
