/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Programs include this header for the gated delta rule, which this release does not have: it declares
 * nothing.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RECURRENT_GATED_DELTA_RULE_H
#define BELAY_ACLNNOP_ACLNN_RECURRENT_GATED_DELTA_RULE_H
#endif
