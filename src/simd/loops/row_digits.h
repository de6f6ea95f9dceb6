/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the numbers of a dtype are, for kernels that round to them: numbers from 1 to 2 are multiples of
 * 2^places, those below 2^least as the ones from there on, and what is not less than the limit is infinite.
 */
#ifndef BELAY_SIMD_LOOPS_ROW_DIGITS_H
#define BELAY_SIMD_LOOPS_ROW_DIGITS_H

#include "aclnn/acl_meta.h"

struct row_digits {
    int places, least;
    double limit;
};

/* The digits and bounds of FLOAT, FLOAT16, BFLOAT16 or DOUBLE. */
static inline struct row_digits row_digits_of(aclDataType dtype)
{
    return dtype == ACL_FLOAT16  ? (struct row_digits){-10, -14, 0x1p16}
           : dtype == ACL_BF16   ? (struct row_digits){-7, -126, 0x1p128}
           : dtype == ACL_DOUBLE ? (struct row_digits){-52, -1022, __builtin_inf()}
                                 : (struct row_digits){-23, -126, 0x1p128};
}

#endif
