/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The plan of an elementwise operator: what phase 1 works out and the walker follows.
 */
#ifndef BELAY_OPS_LOOPS_ELEMENTWISE_PLAN_H
#define BELAY_OPS_LOOPS_ELEMENTWISE_PLAN_H

#include "base/settings.h"
#include "ops/loops/elementwise.h"
#include "ops/nest.h"

/* The output's place among the operands of a plan, behind the inputs that a walk may have. */
enum { WALK_INPUTS_MAX = 5, OUTPUT = WALK_INPUTS_MAX, OPERANDS };

struct walk_operand {
    aclDataType dtype;
    uint32_t bytes;      /* of an element */
    uint32_t address;    /* its index among the addresses of phase 2 */
    bool is_linear;      /* its elements lie in the order of the walk, without gaps */
    bool is_constant;    /* all strides are 0 */
    bool is_output_view; /* an input with the output's dtype and strides: in place if the addresses agree */
    uint64_t extent;     /* elements from the first to the last */
};

/*
 * The nest's views are the operands, its axes in the order of falling output strides and merged: whatever is
 * contiguous in the end has one axis. There is at least one.
 */
struct elementwise_plan {
    kernel_function *kernel;
    const struct transfer *transfer;
    aclDataType arithmetic; /* of the kernel's inputs */
    aclDataType result;     /* of what it writes, in elements as large; nearly always the same */
    uint32_t arithmetic_bytes;
    uint32_t input_count;
    uint64_t count;          /* elements of the walk */
    uint64_t chunk;          /* elements that threads share work by */
    uint64_t chunks_at_once; /* that one thread takes at most */
    uint64_t cost_ns;        /* predicted time on one thread */
    bool is_direct; /* all operands linear and of the arithmetic dtype: the kernel takes them as they are */
    bool non_temporal;  /* the operands do not fit the caches together: results are written past them */
    bool copies;        /* the kernel gives its one input as it is */
    bool is_transposed; /* an operand lies side by side along row_axis, and others along column_axis */
    uint32_t row_axis, column_axis;
    struct walk_operand operand[OPERANDS];
    unsigned char parameters[PARAMETER_BYTES];
    struct nest nest; /* last, so that a plan is copied no further than it is filled in */
};

_Static_assert(sizeof(struct elementwise_plan) <= EXECUTOR_PLAN_BYTES, "executors have room for a plan");

/* What the kernel takes or gives for an operand. */
static inline aclDataType kernel_dtype(const struct elementwise_plan *plan, uint32_t operand)
{
    return operand == OUTPUT ? plan->result : plan->arithmetic;
}

/* Works out what follows from axes and dtypes: is_linear, is_constant, is_output_view, is_direct,
 * is_transposed.
 */
void elementwise_classify(struct elementwise_plan *plan);

/*
 * Works out is_transposed and the two axes of tiles: the one that most bytes lie along, and the next after
 * it. Operands whose axis is neither are gathered element by element. What repeats along the last axis is
 * little and has no vote.
 */
void transpose_tiles_find(struct elementwise_plan *plan);

size_t elementwise_plan_bytes(const struct elementwise_plan *plan);

/* NULL where the operator has none for the dtype. */
kernel_function *elementwise_find_kernel(const struct elementwise *elementwise,
                                         const struct settings *settings, aclDataType dtype);

/* What a plan is made of. */
struct elementwise_views {
    aclDataType arithmetic; /* for which there is a kernel */
    aclDataType result;     /* which its results have */
    bool is_uniform;        /* all tensors lie in one order, without gaps */
    uint32_t input_count;
    const struct tensor_view *view[OPERANDS]; /* of the inputs, which broadcast to the output's, and of that;
                                                 others are NULL */
    uint32_t address[OPERANDS];               /* their places among the addresses of phase 2 */
};

/*
 * Fills in one of many plans within an executor's, but for its parameters. The output has elements. Only so
 * many bytes as elementwise_fill_bytes says are written.
 */
void elementwise_fill(struct elementwise_plan *plan, const struct elementwise *elementwise,
                      const struct settings *settings, const struct elementwise_views *views);
size_t elementwise_fill_bytes(const struct tensor_view *output);

/* The end of phase 1, with views that need not be those of the call. */
aclnnStatus elementwise_plan_views(const struct call *call, const struct elementwise *elementwise,
                                   const struct elementwise_views *views, const void *parameters,
                                   size_t parameter_bytes);

/* The inputs of a plan whose operands are those of the call may be its output where they lie as it does. */
void elementwise_may_be_in_place(const struct elementwise_plan *plan, struct executor_content *content);

#endif
