/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Losses of two tensors that broadcast, element by element, and their sums and means; and the gradients of
 * these, which are formulas with a number to divide by. A function's reduction says which.
 */
#ifndef BELAY_OPS_COMPOSITE_LOSS_H
#define BELAY_OPS_COMPOSITE_LOSS_H

#include "ops/pointwise/formula.h"
#include "ops/loops/reduce.h"

enum { LOSS_NONE, LOSS_MEAN, LOSS_SUM, LOSS_BATCH_MEAN };

/* "none", "mean" and "sum", and of the second also "batchmean". */
extern const char *const loss_reductions[], *const loss_batch_reductions[];

/*
 * The formula's number[0] is what a mean divides by, 1 of others: a gradient's formula does so itself, of
 * losses the end of the reduction does. The other numbers follow in the order of the call. A reduction's
 * steps get the same numbers.
 */
struct loss {
    struct formula_contract formula; /* first: what the families of formulas look at */
    struct reduction reduction;
};

aclnnStatus loss_infer(const struct call *call, struct result *result);
aclnnStatus loss_plan(const struct call *call, const struct result *result);

/* The two halves of a gradient's phase 1. Its output has the shape that everything broadcasts to. */
aclnnStatus loss_infer_gradient(const struct call *call, struct result *result);
aclnnStatus loss_plan_gradient(const struct call *call, const struct result *result);

/* For functions with an infer of their own: whether the call reduces, and what it divides by, given the shape
 * of the losses. The parameter that selects is the one with choices. */
unsigned loss_parameter(const struct call *call);
double loss_divisor(const struct call *call, const struct shape *shape);

/* Tensors that are given and read: dtypes, all that of self or any, then ranks. */
aclnnStatus loss_check_tensors(const struct call *call, unsigned self, bool is_of_one_dtype);
/* What is given, or not, broadcasts to self. */
aclnnStatus loss_check_fits(const struct call *call, unsigned parameter, unsigned self);

/* The end of a reduction: divides floats by number[0]. */
void loss_divide(void *state, size_t outputs, uint64_t elements, aclDataType computed,
                 const void *parameters);

/* The lists of losses of two tensors and of their gradients: what is read and what is written in these dtypes. */
#define LOSS_REDUCTION(X, of) X(of, INT64, reduction, .choices = loss_reductions, .usual = "mean")
#define LOSS_OF_TWO(X, of, read, written) \
    X(of, IN, self, read)                 \
    X(of, IN, target, read)               \
    LOSS_REDUCTION(X, of)                 \
    X(of, OUT, out, written)
#define GRADIENT_OF_TWO(X, of, written_name)      \
    X(of, IN, gradOutput, &dtypes_fp32_fp16_bf16) \
    X(of, IN, self, &dtypes_fp32_fp16_bf16)       \
    X(of, IN, target, &dtypes_fp32_fp16_bf16)     \
    LOSS_REDUCTION(X, of)                         \
    X(of, OUT, written_name, &dtypes_floats_complex)

#define OF_LOSS(loss_)                                                                                  \
    .promise = &promise_sum, .family = FAMILY_COMPOSITE, ELEMENTWISE_RUN(&(loss_).formula.elementwise), \
    .infer = loss_infer, .plan = loss_plan
#define OF_LOSS_GRADIENT(formula_)                                                                 \
    .promise = &promise_sum, .family = FAMILY_COMPOSITE, ELEMENTWISE_RUN(&(formula_).elementwise), \
    .infer = loss_infer_gradient, .plan = loss_plan_gradient

#endif
