/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The error function, 2 / sqrt(pi) times the integral of e^(-t^2) from 0. Any real dtype to any float
 * or complex one.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ERF_H
#define BELAY_ACLNNOP_ACLNN_ERF_H
#include "aclnnop/unary.h"
ACLNN_UNARY(aclnnErf, self, out)
ACLNN_UNARY_IN_PLACE(aclnnInplaceErf, selfRef)
#endif
