/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What kinds that choose among boxes share.
 */
#ifndef BELAY_OPS_BY_NAME_BOXES_H
#define BELAY_OPS_BY_NAME_BOXES_H

#include "ops/call.h"

enum { BOX_CORNERS = 4, MOST_BOXES = 1 << 20 };
#define BOX_DEGREE 0.017453292519943295769 /* of the angles of turned boxes: pi / 180 */

aclnnStatus boxes_check_count(const struct call *call, int64_t count);

/* What two boxes have in common by what both cover; corners in any order. */
double boxes_overlap(const double *a, const double *b);

/* Orders numbers of boxes by falling scores; equal ones in their order, what is no number last. other has room for
 * as many. */
void boxes_order(double *order, double *other, const double *score, uint64_t count);

#endif
