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
enum { DRAWN_NARROW = 3, DRAWN_FLOATS = 4, DRAWN_REAL = 10, DRAWN_ALL = 15 };
extern const aclDataType drawn_dtypes[DRAWN_ALL];

struct terms {
    double input[OPERANDS_MOST];
    double scalar; /* in the dtype that is computed in; 1 where an optional one is not given */
    double beta;
    uint64_t divisor; /* of a mean */
};

struct source {
    const void *element[OPERANDS_MOST];
    aclDataType dtype[OPERANDS_MOST];
    const struct scalar *scalar, *alpha;
    enum operator_kind kind;
};

struct contract {
    uint32_t operand_count;   /* tensors, in argument order */
    uint32_t output;          /* which of them is written */
    bool is_in_place;         /* the output counts among the inputs, too */
    bool reads_output;        /* and is read before */
    bool broadcasts;          /* inputs of other shapes may be given */
    bool has_any_rank;        /* not 8 at most */
    bool has_loss_attributes; /* reduction and beta */
    bool has_alpha;           /* a second scalar, which is needed */
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

    /* Instead, for elements of any dtype. */
    void (*move)(const struct source *source, void *output, aclDataType to);
};

/* The tables of families of operators. */
extern const struct contract contracts[RELU];
extern const struct contract activation_contracts[ADD - RELU];
extern const struct contract arithmetic_contracts[OPERATORS - ADD];

static inline const struct contract *contract_of(enum operator_kind kind)
{
    return kind < RELU  ? &contracts[kind]
           : kind < ADD ? &activation_contracts[kind - RELU]
                        : &arithmetic_contracts[kind - ADD];
}

/* Of the product that is emulated: "910A", "910B" or "950". */
const char *product(void);

aclDataType promote_floats(aclDataType a, aclDataType b);

/* Sets of dtypes, with BFLOAT16 where the product has it. */
bool is_among(aclDataType dtype, uint32_t count); /* the first so many of drawn_dtypes */
bool is_wide_unsigned(aclDataType dtype);
bool is_complex(aclDataType dtype);

/* Rules that many operators have: every operand is a FLOAT, FLOAT16 or BFLOAT16; and all of one dtype. */
bool are_narrow(const struct operator_call *call, struct view *const *view, const struct scalar *scalar);
bool are_narrow_and_equal(const struct operator_call *call, struct view *const *view,
                          const struct scalar *scalar);

/* How phase 1 is called: a wrapper of one type for functions of many. */
#define PHASE_1(name, function, ...)                                                            \
    static int name(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor) \
    {                                                                                           \
        aclTensor *const *operand = call->operand;                                              \
        return function(__VA_ARGS__, size, executor);                                           \
    }

#endif
