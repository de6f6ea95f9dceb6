/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The older path of this header.
 */
#ifndef BELAY_ACLNNOP_LEVEL2_ACLNN_ADD_H
#define BELAY_ACLNNOP_LEVEL2_ACLNN_ADD_H

#include "aclnnop/aclnn_add.h"

#endif
