/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that take each dim of a tensor apart into segments and move these: in another order, backwards,
 * in steps, again and again. Every dim is on its own, so that the parts are all combinations of segments.
 */
#ifndef BELAY_OPS_MOVE_SEGMENTS_H
#define BELAY_OPS_MOVE_SEGMENTS_H

#include "ops/loops/move.h"

enum { SEGMENTS_MAX = 3 };

/* Indices of self from `from` on by `step`, any number, become those of out from `to` on. */
struct segment {
    int64_t size, from, step, to;
};

struct segments {
    uint32_t count;
    struct segment segment[SEGMENTS_MAX];
};

/* All of a dim as it is. */
struct segments segments_whole(int64_t size);

/* Leaves one of size 0 out. */
void segments_add(struct segments *segments, struct segment segment);

/* The end of phase 1: a list for each dim of self, and the stride that it has in out. */
aclnnStatus segments_plan(const struct call *call, unsigned self, unsigned out,
                          const struct segments *segments, const int64_t *to_stride);

#endif
