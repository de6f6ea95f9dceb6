/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the operators should give, computed with MPFR from the documented formulas: slow, independent of the
 * library, and shared with nothing in src/.
 */
#ifndef BELAY_TESTS_SUPPORT_REFERENCE_H
#define BELAY_TESTS_SUPPORT_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <inttypes.h>

#include <mpfr.h>

#include "acl/acl_base.h"

/* Enough for every rational formula of the operators to be exact up to one division, and far more for e^x. */
enum { REFERENCE_BITS = 1000 };

/* The value of an element of a float dtype; exact. */
double reference_load(aclDataType dtype, const void *element);

/* Rounds to the values of a float dtype, once, to nearest even, subnormals kept, overflow to an infinity. */
void reference_round(mpfr_ptr value, aclDataType dtype);

/* Stores a value: rounds it to the dtype, NaN as the canonical one, complex dtypes with imaginary part +0. */
void reference_store(aclDataType dtype, mpfr_srcptr value, void *element);
void reference_store_double(aclDataType dtype, double value, void *element);

/* The formulas, exact or to REFERENCE_BITS bits. */
void reference_hardswish(mpfr_ptr result, double x);
void reference_hardswish_backward(mpfr_ptr result, double gradient, double x);
void reference_hardswish_backward_v2(mpfr_ptr result, double gradient, double x);
void reference_silu(mpfr_ptr result, double x);
void reference_silu_backward(mpfr_ptr result, double gradient, double x);
void reference_swish(mpfr_ptr result, double x, double beta);
void reference_swish_backward(mpfr_ptr result, double gradient, double x, double beta);
void reference_smooth_l1_loss(mpfr_ptr result, double x, double target, double beta);
void reference_smooth_l1_loss_backward(mpfr_ptr result, double gradient, double x, double target, double beta,
                                       uint64_t divisor);
void reference_leaky_relu(mpfr_ptr result, double x, double slope);
void reference_leaky_relu_backward(mpfr_ptr result, double gradient, double x, double slope);

#endif
