/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the products of matrices share of their contracts: which parameter is what, which ranks they take, and
 * from there everything.
 */
#ifndef BELAY_OPS_CONTRACTION_PRODUCT_H
#define BELAY_OPS_CONTRACTION_PRODUCT_H

#include "ops/check.h"
#include "ops/contraction/contraction.h"

enum product_ranks {
    RANKS_MATRICES,      /* 2 and 2 */
    RANKS_MATRIX_VECTOR, /* 2 and 1 */
    RANKS_BATCHES,       /* 3 and 3 */
    RANKS_ADDED_BATCHES, /* 3 and 3, whose products are added up */
    RANKS_ANY_BATCHES,   /* equal, 3 or more */
    RANKS_ANY /* 1 to 8: a vector on the left is a row, on the right a column, and so not in the result */
};

enum { NO_PARAMETER = UINT8_MAX };

/* of_family of such a function: the places of its parameters. */
struct matrix_product {
    enum product_ranks ranks;
    uint8_t left, right;
    uint8_t self, beta, alpha; /* all three or NO_PARAMETER */
    uint8_t cube_math_type;
    bool has_equal_batches; /* they do not broadcast */
};

extern const char *const cube_math_types[];

/* The last parameter of nearly all of them; its values change nothing. */
#define CUBE_MATH_TYPE(X, of) X(of, INT8, cubeMathType, .choices = cube_math_types, .usual = "keep_dtype")

/* Checks in the order of the contract: dtypes, promotion, ranks, the common dim, batches, self, cubeMathType.
 */
aclnnStatus matrix_product_infer(const struct call *call, struct result *result);
aclnnStatus matrix_product_plan(const struct call *call, const struct result *result);

#define PRODUCT(product)                                                              \
    .operation.run = contraction_run, .operation.work_bytes = contraction_work_bytes, \
    .family = FAMILY_CONTRACTION, .promise = &promise_sum, .of_family = (product),    \
    .infer = matrix_product_infer, .plan = matrix_product_plan

#endif
