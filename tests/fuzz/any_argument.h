/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Arguments for a call of any function of the library, drawn by the kinds of its parameters.
 */
#ifndef BELAY_TESTS_FUZZ_ANY_ARGUMENT_H
#define BELAY_TESTS_FUZZ_ANY_ARGUMENT_H

#include "fuzz/world.h"
#include "ops/call.h"

enum { FRESH_MOST = 4 * PARAMETERS_MAX, LIST_MOST = 4, SIZES = 10 };

/* What was made for one parameter: tensors, one behind the other in the call's table, or nothing. */
struct fresh_range {
    uint32_t first, count;
};

struct any_call {
    const struct function *function;
    union argument argument[PARAMETERS_MAX];
    bool is_owned[PARAMETERS_MAX]; /* the argument ends with the call */

    struct tensor fresh[FRESH_MOST];
    uint32_t fresh_count;
    struct fresh_range fresh_of[PARAMETERS_MAX];

    /* What the arguments have in common, which makes calls that are accepted likely. */
    bool follows_samples;
    aclDataType dtype;
    int64_t size_for[SIZES]; /* what a dim of a sample becomes */
    uint32_t rank;
    int64_t shape[4];

    uint32_t used;                            /* of the large block */
    bool is_filled[BLOCKS];                   /* its shadow is ahead of its memory */
    const struct tensor *operand[FRESH_MOST]; /* of the parameter that any_operands was asked for */
};

/* All arguments but the outputs, which are NULL. */
void draw_any_inputs(struct world *world, struct any_call *call);

/* The outputs: as infer said, mostly, or whatever is drawn where result is NULL. */
void draw_any_outputs(struct world *world, struct any_call *call, const struct result *result);

/* Brings what was drawn for the inputs to the memory of the blocks. */
void give_any_contents(struct world *world, struct any_call *call);

/* The tensors of a parameter that are known, into call->operand, and how many. */
uint32_t any_operands(struct world *world, struct any_call *call, uint32_t parameter);

void end_any_arguments(struct any_call *call);

#endif
