/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is tried: a sweep is a row of numbered blocks of inputs, each of SWEEP_BLOCK elements.
 */
#ifndef BELAY_TESTS_NUMERICS_SWEEP_H
#define BELAY_TESTS_NUMERICS_SWEEP_H

#include "numerics/reference.h"

enum { SWEEP_BLOCK = 65536 };

enum sweep_kind {
    SWEEP_PAIRS,  /* 16 bits: block b holds gradient b with every x; smooth L1 and its gradient: target b with
                     every x; leaky  relu's gradient: a kind of x and a slope with every gradient; one input:
                     every x, with  slope b where there is one; swish's gradient: gradient b and beta b with
                     every x */
    SWEEP_LINE,   /* fp32: every x with gradient 1; leaky relu's gradient: every gradient with x = -1 */
    SWEEP_TUPLES, /* random tuples, random attributes */
    SWEEP_KINDS
};

struct sweep {
    struct task task; /* its attributes are those of every block, unless sweep_task() says otherwise */
    enum sweep_kind kind;
    bool random_gradient; /* smooth L1 pairs */
    uint64_t blocks;
    uint64_t stride; /* of so many blocks in a row one is tried */
    bool is_mixed;   /* digests: elements of another kind stand between those of each block */
};

extern const char *const sweep_kind_names[SWEEP_KINDS];
extern const char *const reference_operator_names[PROVED_OPERATORS];

/* Of the operator file that has the kernels. */
const char *kernels_name(enum reference_operator stem);

enum { VARIANTS_MAX = 40 };

/*
 * The sweeps for one operator and dtype, at most VARIANTS_MAX. tuples: how many random tuples, fewer where
 * that would take too long. variants: how many sets of attributes of smooth L1.
 */
unsigned sweeps_of(struct sweep *sweeps, enum reference_operator stem, enum arithmetic dtype, uint64_t stride,
                   uint64_t tuples, uint64_t variants);

/* The block that is tried of those from first on, where first is a multiple of the stride. */
uint64_t sweep_pick(const struct sweep *sweep, uint64_t first);

/* The task of a block, and the block's inputs: arrays of the dtype. */
struct task sweep_task(const struct sweep *sweep, uint64_t block);
void sweep_fill(const struct sweep *sweep, uint64_t block, void *const *input);

/* Whether every block has the same inputs in both; their attributes may differ. */
bool sweep_same_inputs(const struct sweep *first, const struct sweep *second);

/* "beta=0.3 N=3 g=random", or nothing. */
void sweep_describe(const struct sweep *sweep, char *text, unsigned long size);

#endif
