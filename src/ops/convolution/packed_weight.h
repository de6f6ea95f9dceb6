/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The weight of a correlation as its sums take it: for a block of channels of the output, the weights of each
 * term side by side.
 */
#ifndef BELAY_OPS_CONVOLUTION_PACKED_WEIGHT_H
#define BELAY_OPS_CONVOLUTION_PACKED_WEIGHT_H

#include "ops/convolution/terms.h"

struct packed_weight {
    const struct correlation *plan;
    struct terms terms;
    const unsigned char *weight;
    float *packed; /* room for what is packed beforehand */
};

/* Floats from term to term: the channels of a block, and what is filled up. */
uint32_t weight_lanes(const struct correlation *plan);

/* Channels of a block. */
uint32_t weight_rows(const struct correlation *plan, uint64_t block);

/* Packs beforehand what is; threads may be used. It takes so many bytes. */
size_t weight_packed_bytes(const struct correlation *plan);
void weight_pack(struct packed_weight *weight);

/* The weights of at most CONTRACTION_BLOCK terms of a pass by a block of channels, perhaps in the room; or, where
 * they are read in place, the channels' first element, from which terms are as far as their table says. */
const float *weight_take(const struct packed_weight *weight, uint64_t group, uint64_t block, uint64_t first,
                         uint32_t depth, float *room);

/* Floats from channel to channel of these. */
int64_t weight_distance(const struct correlation *plan);

#endif
