/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Programs include this header for outer products, which this release does not have: it declares nothing.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GER_H
#define BELAY_ACLNNOP_ACLNN_GER_H
#endif
