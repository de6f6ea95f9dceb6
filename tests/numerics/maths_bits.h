/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions of src/simd/maths, and those of operators that are built like them, as maths_bits.c calls them: a
 * table for each level, which maths_bits_level.c defines.
 */
#ifndef BELAY_TESTS_NUMERICS_MATHS_BITS_H
#define BELAY_TESTS_NUMERICS_MATHS_BITS_H

/* Called on at a time: two of the longest registers of floats. */
enum { MATHS_BATCH = 32 };

/* x and y are floats already where the function takes floats. What it gives besides the result, the low part of a
 * pair or 1 where the result is in doubt, is the rest. */
typedef void maths_run(const double *x, const double *y, double *result, double *rest);

struct maths_function {
    const char *name;
    maths_run *run;
    double least, most; /* where it bends: five eighths of the numbers, or all of them */
    int takes_any;      /* any number at all, which the others are */
    int takes_floats;
};

enum { MATHS_FUNCTIONS_MOST = 128 };

#endif
