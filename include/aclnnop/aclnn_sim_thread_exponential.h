/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Fills a tensor with random numbers of an exponential distribution: -ln U / lambd, U = ((w >> 8) + 1/2) /
 * 2^24 of the word w that aclnn_uniform.h says each element has. Computed in DOUBLE and rounded once.
 * selfRef: FLOAT, FLOAT16, BFLOAT16; it is written though the prototype has const. count: how many elements
 * it has. Order as torch_npu 2.14 passes it.
 * 161002 too: another count; lambd that is not above 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SIM_THREAD_EXPONENTIAL_H
#define BELAY_ACLNNOP_ACLNN_SIM_THREAD_EXPONENTIAL_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnSimThreadExponential, const aclTensor *selfRef, int64_t count, double lambd, int64_t seed,
               int64_t offset)

#endif
