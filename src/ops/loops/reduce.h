/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that make one element of many: along some dims of their inputs, which broadcast.
 */
#ifndef BELAY_OPS_LOOPS_REDUCE_H
#define BELAY_OPS_LOOPS_REDUCE_H

#include "ops/call.h"
#include "ops/loops/elementwise.h"
#include "simd/loops/reduce_kernel.h"

/* What a function's of_family is. */
struct reduction {
    const struct reduce_kernels *const *kernels; /* by instruction-set level */
    uint32_t element_ps; /* what an element takes at the highest level, in picoseconds */

    /* Makes results of the states of so many outputs, each of `elements` elements, which may be none: in
     * place. May be NULL: the states are the results. They are converted from double, int64_t or two doubles
     * to the dtype that is computed in, then to the output's. */
    void (*end)(void *state, size_t outputs, uint64_t elements, aclDataType computed, const void *parameters);
};

/* In the description of a function: the family, what of_family is, and the functions of its operation. */
size_t reduce_work_bytes(const void *plan);
int reduce_run(const void *plan, void *const *address, void *scratch);

#define REDUCTION(reduction_)                                                           \
    .family = FAMILY_REDUCTION, .of_family = (reduction_), .operation.run = reduce_run, \
    .operation.work_bytes = reduce_work_bytes

/* The description of a function that makes a plan of this family or one of elementwise_plan, as its arguments
 * want it: of_family is its struct elementwise. */
#define REDUCTION_OR_ELEMENTWISE(elementwise_) .family = FAMILY_REDUCTION, ELEMENTWISE_RUN(elementwise_)

/* Dims of a tensor as a set, a bit for each. */
typedef uint32_t axes;
#define ALL_AXES UINT32_MAX

/*
 * The dims that an int array names: each in [-r, r - 1] with r = max(rank, 1), none twice. An empty array,
 * and one that was not given, means all. The tensor's rank has been checked.
 */
aclnnStatus check_axes(const struct call *call, unsigned tensor, unsigned dims, axes *reduced);

/* One dim, an int64 of the same range; of rank 0 the set is empty. */
aclnnStatus check_axis(const struct call *call, unsigned tensor, unsigned dim, axes *reduced);

/* Adds an output with the tensor's shape less the reduced dims, or with 1 for each where `keeps`. */
struct output *result_reduced(struct result *result, const struct call *call, unsigned tensor, axes reduced,
                              bool keeps, aclDataType dtype, enum dtype_rule rule);

/*
 * What the usual function infers and plans: of (self, dims, keepDims, ...), computed in result->computed.
 * Where `needs_elements`, a result of which no element is made of anything is refused.
 */
aclnnStatus reduce_infer(const struct call *call, struct result *result, enum dtype_rule rule,
                         bool needs_elements);
aclnnStatus reduce_plan_usual(const struct call *call, const struct result *result);

/*
 * The end of phase 1. `inputs` are parameters in the order of the kernel's inputs, 1 everywhere where an
 * optional one was not given (in DOUBLE alone); they broadcast to `shape`, are converted to the dtype
 * `computed`, and are reduced along its dims in `reduced`. The one output, the last written parameter, has
 * what is left of the shape, with or without 1 for the reduced dims, or is one element of any rank.
 */
aclnnStatus reduce_plan(const struct call *call, const struct reduction *reduction, const unsigned *inputs,
                        unsigned input_count, const struct shape *shape, axes reduced, aclDataType computed,
                        const void *parameters, size_t parameter_bytes);

#endif
