/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Comparisons and logic: one line each, from which descriptions, both phases and tests are made (compare.c,
 * tests/ops/compare.c).
 *
 *     COMPARISON(name, stem, relation, dtypes)    of a tensor and a tensor or a scalar, and in place
 *     LOGIC(name, stem, relation)                 of two tensors
 *
 * dtypes: of both operands; ORDERED are all real ones, UNORDERED complex ones too.
 */
#ifndef BELAY_OPS_POINTWISE_COMPARE_H
#define BELAY_OPS_POINTWISE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#define COMPARISONS(COMPARISON)                   \
    COMPARISON(Eq, eq, EQUAL, UNORDERED)          \
    COMPARISON(Ne, ne, NOT_EQUAL, UNORDERED)      \
    COMPARISON(Gt, gt, GREATER, ORDERED)          \
    COMPARISON(Ge, ge, GREATER_OR_EQUAL, ORDERED) \
    COMPARISON(Lt, lt, LESS, ORDERED)             \
    COMPARISON(Le, le, LESS_OR_EQUAL, ORDERED)

/* Those with a form in place, and those without one. */
#define LOGICS(LOGIC)                         \
    LOGIC(LogicalAnd, logical_and, BOTH_TRUE) \
    LOGIC(LogicalOr, logical_or, ANY_TRUE)

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
