/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tables of calls: each row is one call of an operator, written as text, with the status that the contract
 * gives for it. Rows that run are compared bit for bit with support/reference.h, and what lies between the
 * elements of a strided output must be as it was.
 *
 * A tensor is written DTYPE[dims], for example "f32[4,2]", "f16[]" (rank 0), followed by any of
 *   {s,..}  strides in elements            +n  offset in elements
 *   =k      the memory of operand k        !nodata   NULL data
 *   !odd    data one byte past alignment   !short    the block ends one element early
 *   !host   plain host memory              !pinned   memory of aclrtMallocHost
 *   !freed  memory that was freed          !interior data inside a larger block
 *   !tame   finite values, some far smaller than others; !benign values of one size
 *   !minute  finite values whose products become 0 in fp32
 * or is one of the words NULL, stale, foreign, scalar (a handle of the wrong kind).
 * dtypes: f32 f16 bf16 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool c32 c64 c128 str undefined unknown.
 */
#ifndef BELAY_TESTS_OPS_CONTRACT_H
#define BELAY_TESTS_OPS_CONTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include <mpfr.h>

#include "aclnn/acl_meta.h"

enum { OPERANDS_MAX = 4 };

enum { OK_ = 0, NULLPTR_ = 161001, INVALID = 161002, RUNTIME = 361001 };

/* The attributes of all operators under test; a row names those that matter in "name=value name=value". */
struct attributes {
    int64_t reduction;       /* reduction=1 */
    float beta;              /* beta=0.5, beta=inf, beta=nan */
    aclDataType slope_dtype; /* slope=f16:0.01, value=f16:0.01, other=f16:0.01; slope=NULL, slope=stale,
                                slope=tensor */
    long double slope;       /* after rounding to its dtype; exact for every integer dtype too */
    const aclScalar *slope_handle;
    unsigned char slope_bytes[16]; /* as the scalar was given; of a complex one, value=c64:1.5,-2 */
    aclDataType alpha_dtype;       /* alpha=f16:0.01 and so on, the scalar beside value */
    const aclScalar *alpha_handle;
    unsigned char alpha_bytes[16];
    aclDataType dtype; /* dtype=f16 */
    bool has_dtype;
    bool self_is_result;    /* result=true */
    bool workspace_is_null; /* workspaceSize=NULL */
    bool executor_is_null;  /* executor=NULL */
};

struct call {
    const char *name;
    const char *operand[OPERANDS_MAX]; /* in argument order; the last one is the output, or both in place */
    const char *attributes;            /* or NULL */
    const char *products;              /* letters of 910A (a), 910B (b), 950 (c); NULL: all three */
    int status;                        /* of phase 1 */
    const char *message;               /* words that the sentence must contain, separated by |; or NULL */
    int status_of_phase_2;             /* when phase 1 succeeds */
};

struct operator_under_test {
    const char *api;
    int operand_count;    /* the inputs, and the output */
    bool is_in_place;     /* the one operand is both */
    bool has_any_rank;    /* not 8 at most */
    bool gives_one_value; /* to each element, so that an output may overlap itself */
    bool has_rank_after_shapes;
    bool broadcasts_to_output; /* the inputs' shape may be smaller than the output's */
    bool output_comes_first;   /* in the call; here it is the last operand all the same */
    uint64_t accepted;         /* a bit for each dtype that it accepts and most do not */
    const char *operand_names[OPERANDS_MAX];
    bool has_own_rows_only; /* and not those of contract_rows.h */
    bool has_reductions;    /* of all elements to one, where the attribute reduction is not 0 */
    const struct call *calls;
    int call_count;
    const char *default_attributes;
    aclnnStatus (*phase_1)(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor);
    aclnnStatus (*phase_2)(void *workspace, uint64_t workspace_size, aclOpExecutor *executor,
                           aclrtStream stream);
    void (*reference)(mpfr_ptr result, const double *input, const struct attributes *attributes,
                      uint64_t count, aclDataType arithmetic);

    /* Instead of reference, for what is no formula of real numbers: one element from the inputs' elements.
     * output holds what was found, which stays where it is within the promise. */
    void (*element)(const void *const *input, const aclDataType *input_dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes);

    /* NULL, or whether an element that is not the expected one, of this dtype, will do: within a promise. */
    bool (*will_do)(const void *found, const void *expected, aclDataType dtype);
};

/* The scalar of a call, rounded to what is computed in: fp64 where arithmetic is DOUBLE, fp32 elsewhere. */
double contract_slope(const struct attributes *attributes, aclDataType arithmetic);

static inline int contract_inputs(const struct operator_under_test *op)
{
    return op->operand_count - !op->is_in_place;
}

/* Runs the table, and the rows of contract_rows.h, under the three products; 0 when all is right. */
int contract_main(const struct operator_under_test *operator_under_test);

#endif
