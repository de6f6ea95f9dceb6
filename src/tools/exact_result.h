/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Results of belay eval that are plain sums, or sums of products: added up exactly and rounded once, where the library adds
 * in a fixed order.
 */
#ifndef BELAY_TOOLS_EXACT_RESULT_H
#define BELAY_TOOLS_EXACT_RESULT_H

#include "tools/argument.h"

/*
 * After the library has computed it: puts the exact sums, rounded once, in the place of what it has computed, where the
 * function is one of these and its floats are held by the output's dtype. given has the function's arguments. False with
 * a fault where memory cannot be copied.
 */
bool exact_result(const struct function *function, const struct given *given, struct fault *fault);

/* "aclnnDot, aclnnMatmul, ...": for the help. */
#define EXACT_FUNCTIONS "ReduceSum, Mean, Dot, Mv, Mm, Matmul and BatchMatMul"

#endif
