/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The entries of Add, Sub, Mul and Div in the table of operators: of tensors, of a tensor and a scalar, and
 * both in place.
 */
#ifndef BELAY_TESTS_FUZZ_CONTRACT_ARITHMETIC_H
#define BELAY_TESTS_FUZZ_CONTRACT_ARITHMETIC_H

#include "fuzz/contract.h"

int call_add(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_adds(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_inplace_add(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_inplace_adds(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_sub(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_subs(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_inplace_sub(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_inplace_subs(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_mul(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_muls(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_inplace_mul(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_inplace_muls(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_div(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_divs(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_inplace_div(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);
int call_inplace_divs(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor);

bool accepts_arithmetic(const struct operator_call *call, struct view *const *view,
                        const struct scalar *scalar);
void compute_arithmetic(const struct source *source, void *output, aclDataType to);

#define ARITHMETIC(call_, phase_2_)                                                    \
    .drawn = DRAWN_ALL, .mixed = DRAWN_ALL, .phase_1 = (call_), .phase_2 = (phase_2_), \
    .accepts = accepts_arithmetic, .move = compute_arithmetic
#define OF_TENSORS(call_, phase_2_, has_alpha_)                                         \
    {                                                                                   \
        .operand_count = 3, .output = 2, .broadcasts = true, .has_alpha = (has_alpha_), \
        ARITHMETIC(call_, phase_2_)                                                     \
    }
#define OF_A_SCALAR(call_, phase_2_, has_alpha_)                                             \
    {                                                                                        \
        .operand_count = 2, .output = 1, .scalar = SCALAR_NEEDED, .has_alpha = (has_alpha_), \
        ARITHMETIC(call_, phase_2_)                                                          \
    }
#define TO_A_TENSOR(call_, phase_2_, has_alpha_)                                           \
    {                                                                                      \
        .operand_count = 2, .is_in_place = true, .reads_output = true, .broadcasts = true, \
        .has_alpha = (has_alpha_), ARITHMETIC(call_, phase_2_)                             \
    }
#define TO_A_TENSOR_OF_A_SCALAR(call_, phase_2_, has_alpha_)                                    \
    {                                                                                           \
        .operand_count = 1, .is_in_place = true, .reads_output = true, .scalar = SCALAR_NEEDED, \
        .has_alpha = (has_alpha_), ARITHMETIC(call_, phase_2_)                                  \
    }

#endif
