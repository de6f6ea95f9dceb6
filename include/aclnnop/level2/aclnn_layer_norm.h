/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The older path of this header.
 */
#ifndef BELAY_ACLNNOP_LEVEL2_ACLNN_LAYER_NORM_H
#define BELAY_ACLNNOP_LEVEL2_ACLNN_LAYER_NORM_H

#include "aclnnop/aclnn_layer_norm.h"

#endif
