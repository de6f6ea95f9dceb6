/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operators that make one element of all elements of their inputs, which broadcast: how they are planned and
 * walked. The walk is that of elementwise operators, without an output; each chunk has an exact sum of its
 * own, and adding those is exact too, so that the result has the same bits for every division into chunks.
 */
#ifndef BELAY_OPS_REDUCTION_H
#define BELAY_OPS_REDUCTION_H

#include "ops/broadcast.h"
#include "ops/pointwise/elementwise.h"
#include "ops/exact_sum.h"

/*
 * The end of phase 1, as elementwise_plan: the kernels are those in reduce, what is walked are the elements
 * of the shape that the inputs broadcast to, and there may be none. finish makes the result of the sum.
 */
aclnnStatus reduction_plan(const struct call *call, aclDataType arithmetic, const void *parameters,
                           size_t parameter_bytes, const struct shape *shape, finish_function *finish);

/* The function of a reduction's struct operation; also runs plans of elementwise_plan, as the operator may.
 */
int reduction_run(const void *plan, void *const *address, void *scratch);
size_t reduction_scratch_bytes(const void *plan, void *const *address);

#define ELEMENTWISE_OR_REDUCTION(elementwise_)                                               \
    .family = FAMILY_POINTWISE, .of_family = (elementwise_), .operation.run = reduction_run, \
    .operation.scratch_bytes = reduction_scratch_bytes

/*
 * (sum - subtrahend * counted) / (divisor * count), rounded to odd to a double, so that it rounds as the
 * exact quotient to every narrower dtype. The exact value is not negative; divisor is not 0 and finite, count
 * neither 0. subtrahend has at most 48 bits, divisor 24.
 */
double exact_sum_quotient(const struct exact_sum *sum, double subtrahend, double divisor, uint64_t count);

#endif
