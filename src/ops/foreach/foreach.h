/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operators on lists of tensors. Their plan is a row of plans, one for each tensor that has something to do,
 * which run in ascending order: each sees what the earlier ones wrote. Threads share the work of one tensor.
 */
#ifndef BELAY_OPS_FOREACH_FOREACH_H
#define BELAY_OPS_FOREACH_FOREACH_H

#include <stddef.h>
#include <stdint.h>

#include "ops/check.h"
#include "ops/pointwise/arithmetic.h"
#include "ops/loops/elementwise.h"

/* Plans one behind the other in the memory of an executor's. */
struct plan_row {
    uint64_t count;
    uint64_t offset[]; /* of each plan from the row's beginning; 0: this tensor has nothing to do */
};

/* What a plan takes: they begin and end at multiples of 64 bytes. */
static inline size_t row_bytes(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static inline const void *row_plan(const struct plan_row *row, uint64_t index)
{
    return row->offset[index] != 0 ? (const unsigned char *)row + row->offset[index] : NULL;
}

/* The end of phase 1: a row with a plan for each tensor of the first list that needs bytes. fill returns what
 * its plan costs. */
aclnnStatus row_of_plans(const struct call *call, size_t (*bytes_of)(const struct call *call, uint64_t index),
                         uint64_t (*fill)(const struct call *call, uint64_t index, void *plan));

/* Runs the plans of a row by such a function, one after the other. */
typedef int row_function(const void *plan, uint64_t index, void *const *address, void *scratch);
int row_run(const void *plan, void *const *address, void *scratch, row_function *run_index);

/* The last two are in a tensor of one element, or of one for each tensor, and read when the work runs. */
enum foreach_scalars { SCALARS_NONE, SCALARS_ONE, SCALARS_EACH, SCALARS_TENSOR, SCALARS_TENSOR_EACH };

/* A function that computes every tensor as a pointwise one does: its first parameters are lists of inputs,
 * then comes a scalar or a list of one for each tensor, where there is any, then the list of outputs. A
 * scalar may come first of all, too. */
struct foreach {
    const struct elementwise *elementwise;
    unsigned lists;
    enum foreach_scalars scalars;

    /* What the kernels compute with, of a tensor of this dtype; scalar is its own or NULL. */
    struct arithmetic_parameters (*prepare)(const struct scalar_value *scalar, aclDataType dtype);

    /* Where that is NULL, the same in PARAMETER_BYTES, which are 0 before; NULL: with nothing. */
    void (*fill)(const struct foreach *foreach, const struct scalar_value *scalar, aclDataType dtype,
                 void *parameters);
    bool is_sum;    /* of a tensor and a scalar: beside FLOAT16 as scalar_of_sum has it */
    unsigned place; /* of formulas: 1 + the place of the scalar among the inputs, or 0: it is a number */
};

/* All lists that are read, so many, are as long as the first one; their tensors have the dtype of its first
 * one, which is in the parameter's set, and in *dtype (undefined where there is no tensor). */
aclnnStatus check_lists(const struct call *call, unsigned lists, aclDataType *dtype);

/* No tensor of the lists has more than 8 dims, and those with one index have one shape. */
aclnnStatus check_list_shapes(const struct call *call, unsigned lists);

aclnnStatus foreach_infer(const struct call *call, struct result *result);
aclnnStatus foreach_plan(const struct call *call, const struct result *result);
int foreach_run(const void *plan, void *const *address, void *scratch);
int foreach_run_index(const void *plan, uint64_t index, void *const *address, void *scratch);
int foreach_run_by_tensor(const void *plan, void *const *address, void *scratch);
int foreach_run_index_by_tensor(const void *plan, uint64_t index, void *const *address, void *scratch);

/* A scalar of a formula, which stands for an input or is a number of its own: a fill. */
void foreach_fill_formula(const struct foreach *foreach, const struct scalar_value *scalar, aclDataType dtype,
                          void *parameters);

#endif
