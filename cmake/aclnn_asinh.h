/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The older path of this header.
 */
#ifndef BELAY_ACLNNOP_LEVEL2_ACLNN_ASINH_H
#define BELAY_ACLNNOP_LEVEL2_ACLNN_ASINH_H

#include "aclnnop/aclnn_asinh.h"

#endif
