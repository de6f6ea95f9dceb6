/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of matrices of integers, BOOL, DOUBLE and complex numbers, by plain loops.
 */
#ifndef BELAY_OPS_CONTRACTION_PLAIN_PRODUCT_H
#define BELAY_OPS_CONTRACTION_PLAIN_PRODUCT_H

#include "ops/check.h"
#include "ops/contraction/contraction.h"

/* The end of phase 1, of a plan whose matrices, batch, depth and has_self are set. */
aclnnStatus plain_product_plan(const struct call *call, const struct contraction *of, aclDataType computed,
                               const struct scalar_value *alpha, const struct scalar_value *beta);

#endif
