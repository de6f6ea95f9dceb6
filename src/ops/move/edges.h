/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors whose last dims are continued at both edges, for the functions that pad and their gradients. The
 * padding is the parameter behind the tensor.
 */
#ifndef BELAY_OPS_MOVE_EDGES_H
#define BELAY_OPS_MOVE_EDGES_H

#include "ops/call.h"
#include "ops/move/segments.h"

enum edge { REFLECTED, REPLICATED, CIRCULAR };

/* What a description's of_family points to: how many dims are padded, and how. */
struct padded {
    uint32_t dims;
    enum edge edge;
};

/* The rules for rank, sizes and padding of a tensor; the shape that it has when it is padded. */
aclnnStatus edges_check(const struct call *call, unsigned parameter, struct shape *shape);

/* What each dim is made of, in the order of the padded tensor. */
void edges_segments(const struct call *call, unsigned parameter, struct segments *segments);

#endif
