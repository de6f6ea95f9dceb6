/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that take a row of elements at a time and make rows, or single elements, of it. Where all tensors
 * are FLOAT kernels see floats, else doubles; rows that lie otherwise are brought together as such. Results
 * are rounded once to the dtypes of the outputs.
 */
#ifndef BELAY_OPS_LOOPS_ROWS_H
#define BELAY_OPS_LOOPS_ROWS_H

#include "ops/call.h"
#include "ops/loops/reduce.h"
#include "simd/loops/rows_kernel.h"

/* What a function's of_family is. */
struct rows {
    rows_function *const *kernels, *const *kernels_fp32; /* by instruction-set level */
    uint32_t element_ps;                     /* what an element takes at the highest level, in picoseconds */
    bool is_roomless;                        /* kernels get no room */
    rows_together_function *const *together; /* of one input and one output; or NULL */
};

/* What a row has of a tensor. */
enum rows_part {
    ROWS_WHOLE,    /* count elements: the tensor broadcasts to the shape */
    ROWS_SINGLE,   /* one element: the tensor has as many as there are rows, in their order, in any shape */
    ROWS_CHANNELS, /* an element for each index of the first dim in `along`: it broadcasts to the shape, too
                    */
    ROWS_SUMS,  /* of an output: kernels add to doubles, a part of them for each row that follows in a period;
                   their sums over all rows are the tensor's elements, in their order, in any shape */
    ROWS_ALL,   /* of an input: all its elements, whatever its shape and the row */
    ROWS_ABSENT /* as if it had not been given */
};

struct rows_tensor {
    unsigned parameter;
    enum rows_part part;
    const struct tensor_view *view; /* instead of the call's: of the same elements; or NULL */
};

#define ROWS_TENSOR(parameter_, part_)                  \
    {                                                   \
        .parameter = (parameter_), .part = ROWS_##part_ \
    }

/* The elements of a shape, in rows along the dims in `along`, which are last in the order of a row, the last
 * one fastest. The kernel's inputs and outputs are these tensors. */
struct rows_request {
    uint32_t rank;
    const int64_t *shape;
    axes along;
    const struct rows_tensor *input, *output;
    unsigned inputs, outputs;
    uint64_t period; /* of sums: row i adds to part i % period; 0 stands for 1 */
    const void *parameters;
    size_t parameter_bytes;
};

/* The end of phase 1. */
aclnnStatus rows_plan(const struct call *call, const struct rows_request *request);

/* The functions of a rows function's struct operation. */
size_t rows_work_bytes(const void *plan);
int rows_run(const void *plan, void *const *address, void *scratch);

#define ROWS(rows_)                                                         \
    .family = FAMILY_ROWS, .of_family = (rows_), .operation.run = rows_run, \
    .operation.work_bytes = rows_work_bytes

/* infer and plan of (self, dim, out): the rows of self along dim, each to one of out, which has any dtype.
 * The parameter of the kernels is a bool: whether all numbers have 24 bits at most. */
aclnnStatus rows_infer_along(const struct call *call, struct result *result);
aclnnStatus rows_plan_along(const struct call *call, const struct result *result);

#endif
