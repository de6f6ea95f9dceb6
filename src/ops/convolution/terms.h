/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where the terms of a correlation's sums are found, pass by pass: in the weight, and in planes.
 */
#ifndef BELAY_OPS_CONVOLUTION_TERMS_H
#define BELAY_OPS_CONVOLUTION_TERMS_H

#include "ops/convolution/correlation.h"

struct terms {
    uint64_t *pass_first;  /* the first term of each pass, and behind the last */
    int64_t *weight_place; /* of each term: elements from the weight's first of its channel */
    int64_t *plane_place;  /* and floats from the planes' first */
};

/* Passes along an axis: no more than the output has elements. */
int64_t passes_along(const struct correlation *plan, uint32_t number);

/* A pass's numbers along the axes. */
void split_pass(const struct correlation *plan, uint64_t pass, int64_t *along);

/* Fills the tables, which have room. */
void terms_tabulate(const struct correlation *plan, const struct terms *terms);

#endif
