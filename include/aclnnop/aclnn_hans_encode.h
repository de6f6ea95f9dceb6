/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements taken apart, without loss, into their low bytes and the byte with sign and exponent. Belay makes nothing shorter: how a
 * device packs the bytes is not public, and only aclnnHansDecode reads them.
 * - input: FLOAT, FLOAT16 or BFLOAT16, a multiple of 64 elements (a device wants 32768 or more).
 * - mantissa, fixed, var: its dtype; mantissa has as many bytes as all low bytes are, fixed 512 or more, and both others room for
 *   the high bytes and 512 more. What is left of fixed and var is 0.
 * - pdf: INT32, 256 elements; with statistic how often each high byte is there, else unchanged. reshuff changes nothing.
 */
#ifndef BELAY_ACLNNOP_ACLNN_HANS_ENCODE_H
#define BELAY_ACLNNOP_ACLNN_HANS_ENCODE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnHansEncode, const aclTensor *input, aclTensor *pdf, bool statistic, bool reshuff,
               aclTensor *mantissa, aclTensor *fixed, aclTensor *var)
#endif
