/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The contract of each operator, written once more and in another way than the library has it.
 */
#ifndef BELAY_TESTS_FUZZ_CONTRACT_H
#define BELAY_TESTS_FUZZ_CONTRACT_H

#include <mpfr.h>

#include "fuzz/world.h"

enum scalar_rule { SCALAR_NONE, SCALAR_NEEDED, SCALAR_OPTIONAL };

/* The dtypes that whole calls draw: the first so many of drawn_dtypes. */
enum { DRAWN_NARROW = 3, DRAWN_FLOATS = 4, DRAWN_ALL = 15 };
extern const aclDataType drawn_dtypes[DRAWN_ALL];

struct terms {
    double input[OPERANDS_MOST];
    double scalar; /* in the dtype that is computed in; 1 where an optional one is not given */
    double beta;
    uint64_t divisor; /* of a mean */
};

struct source {
    const void *element;
    aclDataType dtype;
    const struct scalar *scalar;
};

struct contract {
    uint32_t operand_count;   /* tensors, in argument order */
    uint32_t output;          /* which of them is written */
    bool is_in_place;         /* the output counts among the inputs, too */
    bool reads_output;        /* and is read before */
    bool broadcasts;          /* inputs of other shapes may be given */
    bool has_any_rank;        /* not 8 at most */
    bool has_loss_attributes; /* reduction and beta */
    bool reduces;             /* to one element, unless the reduction is none */
    enum scalar_rule scalar;
    uint32_t drawn; /* dtypes of whole calls */
    uint32_t mixed; /* dtypes of operands that differ from the others in whole calls; 0: none do */
    int (*phase_1)(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
    int (*phase_2)(void *workspace, uint64_t bytes, aclOpExecutor *executor, aclrtStream stream);

    /* Whether the call has good dtypes, and a good scalar, which is live where there is one. */
    bool (*accepts)(const struct operator_call *call, struct view *const *view, const struct scalar *scalar);

    /* The value of an element, or of one term of a sum. */
    void (*formula)(mpfr_ptr result, const struct terms *terms);

    /* Instead, for what moves elements of any dtype. */
    void (*move)(const struct source *source, void *output, aclDataType to);
};

extern const struct contract contracts[OPERATORS];

/* Of the product that is emulated: "910A", "910B" or "950". */
const char *product(void);

aclDataType promote_floats(aclDataType a, aclDataType b);

#endif
