/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the contracts of normalisations and of their gradients have in common.
 */
#ifndef BELAY_OPS_ROWS_NORMALISE_H
#define BELAY_OPS_ROWS_NORMALISE_H

#include "ops/call.h"
#include "ops/loops/reduce.h"

/* The dims that are normalised: the last ones, as many as an int array has, of these sizes. */
aclnnStatus check_normalized(const struct call *call, unsigned input, unsigned normalized, axes *along);

/* A factor, if it was given: FLOAT or the input's dtype. */
aclnnStatus check_factor_dtype(const struct call *call, unsigned parameter, unsigned input);

/* Gamma is of the last dims of x, as many as it has; or of the last one, where it has a 1 before it. */
aclnnStatus check_gamma(const struct call *call, unsigned gamma, unsigned x, axes *along);

/* A factor, if it was given, has exactly the shape in the int array. */
aclnnStatus check_factor_shape(const struct call *call, unsigned parameter, unsigned normalized);

/* A tensor that is read, if it was given, has so many elements, in any shape: what they are is for the
 * sentence. */
aclnnStatus check_count(const struct call *call, unsigned parameter, int64_t count, const char *what);

/* A handle that is optional was given, which something asks for. */
aclnnStatus check_given(const struct call *call, unsigned parameter, const char *who);

/* Rank 2 to 8: dim 1 counts channels. */
aclnnStatus check_channels(const struct call *call, unsigned parameter);

/* The view again and again, so many times. */
struct tensor_view view_repeated(const struct tensor_view *view, int64_t times);

/* An output of so many elements, in any shape and of any of its parameter's dtypes; eval and Python get it in
 * FLOAT, with this shape. */
struct output *result_by_count(struct result *result, uint32_t rank, const int64_t *shape);

/* The mask of outputs has an entry for each of so many, which are the last parameters, one after the other:
 * one whose entry is true must be given. */
aclnnStatus check_mask(const struct call *call, unsigned mask, unsigned outputs);

/* Whether the n-th of them is asked for. */
bool mask_has(const struct call *call, unsigned mask, unsigned n);

#endif
