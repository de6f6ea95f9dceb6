/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Programs include this header for products of groups of matrices, which this release does not have: it
 * declares nothing.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_V3_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_V3_H
#endif
