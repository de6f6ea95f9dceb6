/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Programs include this header for sums of lists of tensors, which this release does not have: it declares
 * nothing.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SUM_H
#define BELAY_ACLNNOP_ACLNN_SUM_H
#endif
