/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A fill by a mask of a tensor whose indices share elements: an element has the value where any of its
 * indices' masks holds. The walker of pointwise functions would write the old value there again.
 */
#ifndef BELAY_OPS_POINTWISE_MASKED_PLACES_H
#define BELAY_OPS_POINTWISE_MASKED_PLACES_H

#include "ops/call.h"

/* The end of phase 1. element is the value as self has it; NULL: it is that of the parameter, a tensor of one
 * element. */
aclnnStatus masked_places_plan(const struct call *call, unsigned self, unsigned mask, unsigned value,
                               const void *element);

#endif
