/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that take a row of elements at a time and make rows, or single elements, of it. Where all tensors
 * are FLOAT kernels see floats, else doubles; rows that lie otherwise are brought together as such. Results
 * are rounded once to the dtypes of the outputs.
 */
#ifndef BELAY_OPS_ROWS_ROWS_H
#define BELAY_OPS_ROWS_ROWS_H

#include "ops/call.h"
#include "ops/reduction/reduce.h"
#include "simd/rows_kernel.h"

/* What a function's of_family is. */
struct rows {
    rows_function *const *kernels, *const *kernels_fp32; /* by instruction-set level */
    uint32_t element_ps; /* what an element takes at the highest level, in picoseconds */
};

/* What a row has of a tensor. */
enum rows_part {
    ROWS_WHOLE, /* count elements: the tensor broadcasts to the shape */
    ROWS_SINGLE /* one element: the tensor has as many as there are rows, in their order, in any shape */
};

struct rows_tensor {
    unsigned parameter;
    enum rows_part part;
};

/*
 * The end of phase 1: the elements of a shape, in rows along the dims in `along`, which are last in the order
 * of a row, the last one fastest. The kernel's inputs and outputs are these tensors.
 */
aclnnStatus rows_plan(const struct call *call, const struct shape *shape, axes along,
                      const struct rows_tensor *input, unsigned inputs, const struct rows_tensor *output,
                      unsigned outputs, const void *parameters, size_t parameter_bytes);

/* The functions of a rows function's struct operation. */
size_t rows_scratch_bytes(const void *plan, void *const *address);
int rows_run(const void *plan, void *const *address, void *scratch);

#define ROWS(rows_)                                                         \
    .family = FAMILY_ROWS, .of_family = (rows_), .operation.run = rows_run, \
    .operation.scratch_bytes = rows_scratch_bytes

/* infer and plan of (self, dim, out): the rows of self along dim, each to one of out, which has any dtype.
 * The parameter of the kernels is a bool: whether all numbers have 24 bits at most. */
aclnnStatus rows_infer_along(const struct call *call, struct result *result);
aclnnStatus rows_plan_along(const struct call *call, const struct result *result);

#endif
