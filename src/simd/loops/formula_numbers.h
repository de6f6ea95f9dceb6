/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What phase 1 hands to the kernels of a formula: its scalars and numbers, in the order of the call, as
 * floats compute with them and as integers do.
 */
#ifndef BELAY_SIMD_LOOPS_FORMULA_NUMBERS_H
#define BELAY_SIMD_LOOPS_FORMULA_NUMBERS_H

#include <stdint.h>

enum { FORMULA_NUMBERS_MAX = 7, FORMULA_INPUTS_MAX = 3 };

struct formula_numbers {
    double fp64[FORMULA_NUMBERS_MAX];
    int64_t
        int64[FORMULA_NUMBERS_MAX];    /* of the dtype in which integers are computed; of a double its bits */
    uint8_t place[FORMULA_INPUTS_MAX]; /* of an input that is a scalar, 1 + its index here; of tensors 0 */
};

#endif
