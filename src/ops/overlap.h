/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether two indices of a view name one element.
 */
#ifndef BELAY_OPS_OVERLAP_H
#define BELAY_OPS_OVERLAP_H

#include <stdbool.h>

#include "tensor/tensor.h"

/* Views with more elements than this are searched no further than their strides tell at once. */
#define OVERLAP_SEARCH_MAX (INT64_C(1) << 20)

/*
 * A stride of 0 on a dim over 1: yes. Dims that, sorted by stride, each step over the reach of all smaller
 * ones: no. Otherwise views of up to OVERLAP_SEARCH_MAX elements are decided exactly, and larger ones are
 * taken as free of overlap. The view is possible and of rank 8 at most. Allocates nothing.
 */
bool view_overlaps_itself(const struct tensor_view *view);

/*
 * Makes it a view of the same elements with fewer indices for each: none for dims of stride 0, and one for
 * dims that step within what smaller ones cover. For functions that write one value everywhere.
 */
void view_of_places(struct tensor_view *view);

#endif
