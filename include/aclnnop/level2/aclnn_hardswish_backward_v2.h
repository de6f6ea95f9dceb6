/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The older path of this header.
 */
#ifndef BELAY_ACLNNOP_LEVEL2_ACLNN_HARDSWISH_BACKWARD_V2_H
#define BELAY_ACLNNOP_LEVEL2_ACLNN_HARDSWISH_BACKWARD_V2_H

#include "aclnnop/aclnn_hardswish_backward_v2.h"

#endif
