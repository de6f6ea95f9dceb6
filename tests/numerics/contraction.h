/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * contraction.c is compiled once with the flags of the kernels, and once with the fault that it looks for.
 */
#ifndef BELAY_TESTS_NUMERICS_CONTRACTION_H
#define BELAY_TESTS_NUMERICS_CONTRACTION_H

#include <stdbool.h>

bool products_are_rounded(void);
bool products_are_rounded_planted(void);

#endif
