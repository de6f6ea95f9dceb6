/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The contract of Add, Sub, Mul and Div, of two tensors or a tensor and a scalar, once more and in another
 * way than the library has it: which dtypes a call may have, and what one element becomes, by MPFR and wide
 * integers. Shares nothing with src/.
 */
#ifndef BELAY_TESTS_SUPPORT_ARITHMETIC_H
#define BELAY_TESTS_SUPPORT_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"

enum arithmetic_operation { ARITHMETIC_ADD, ARITHMETIC_SUB, ARITHMETIC_MUL, ARITHMETIC_DIV };

struct arithmetic_call {
    enum arithmetic_operation operation;
    bool has_scalar; /* other is one */
    char product;    /* a: Ascend910A, b: Ascend910B and Ascend910_93, c: Ascend950 */
    aclDataType self, other, alpha, out;
    const void *other_bytes, *alpha_bytes; /* of scalars, as they were given */
};

/* What two dtypes are computed in together; ACL_DT_UNDEFINED where there is nothing. */
aclDataType arithmetic_promoted(aclDataType a, aclDataType b);

/* Whether the dtypes, and the values of scalars that matter to them, are those of a call that is accepted. */
bool arithmetic_is_accepted(const struct arithmetic_call *call);

/* One element of an accepted call; other is the element of a tensor, or the scalar's bytes. out holds what
 * was found, which stays where it is within the promise. */
void arithmetic_element(const struct arithmetic_call *call, const void *self, const void *other, void *out);

/* The letter of the product that BELAY_SOC names. */
char arithmetic_product(void);

#endif
