/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Classes as rows with onValue at the class and offValue elsewhere.
 * self is INT32, INT64 or UINT8, of rank 0 to 7; out has its shape with numClasses inserted at axis, -1
 * being behind the last dim. onValue, offValue and out have one dtype of FLOAT, FLOAT16, INT8, INT32, INT64
 * and UINT8; of the two the first element counts, when the work runs. A class outside 0 to numClasses - 1
 * has offValue alone.
 * 161002 too: numClasses below 0, or 0 with a self without elements; an onValue or offValue without
 * elements; axis outside -1 to the rank of self.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ONE_HOT_H
#define BELAY_ACLNNOP_ACLNN_ONE_HOT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnOneHot, const aclTensor *self, int numClasses, const aclTensor *onValue,
               const aclTensor *offValue, int64_t axis, aclTensor *out)
#endif
