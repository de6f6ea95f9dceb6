/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions whose indices are rows, places in the first dims of their first parameter; the second is the
 * indices, the third what is written there.
 */
#ifndef BELAY_OPS_INDEX_INDEX_ND_H
#define BELAY_OPS_INDEX_INDEX_ND_H

#include "ops/index/by_index.h"

/* What of_family of one is: what is done with the places, and the parameter that says how what is written is
 * combined, an enum index_sum_kind; 0: it is added. */
struct index_nd {
    enum by_index_kind kind;
    unsigned how;
};

aclnnStatus index_nd_infer(const struct call *call, struct result *result);
aclnnStatus index_nd_plan(const struct call *call, const struct result *result);

#define INDEX_ND(which, promise_) \
    BY_INDEX, .of_family = &(which), .promise = &(promise_), .infer = index_nd_infer, .plan = index_nd_plan

#endif
