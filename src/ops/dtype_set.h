/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sets of dtypes that parameters accept, by product.
 */
#ifndef BELAY_OPS_DTYPE_SET_H
#define BELAY_OPS_DTYPE_SET_H

#include <stdint.h>

#include "base/product.h"

enum { PRODUCTS = PRODUCT_950 + 1 };

/* A set of dtypes (DTYPE_BIT of each) per product: not every product has BFLOAT16. */
struct dtype_set {
    uint64_t on[PRODUCTS];
};

extern const struct dtype_set dtypes_fp32_fp16_bf16;
extern const struct dtype_set dtypes_floats;           /* and DOUBLE */
extern const struct dtype_set dtypes_float_results;    /* what a float result may be cast to */
extern const struct dtype_set dtypes_castable_to_fp32; /* every real one */
extern const struct dtype_set dtypes_real_scalars;     /* the floats, INT8..INT64, UINT8 and BOOL */
extern const struct dtype_set dtypes_arithmetic;       /* and complex ones: of sums, products, quotients */
extern const struct dtype_set dtypes_numbers;          /* of these all but BOOL */
extern const struct dtype_set dtypes_quotients;        /* every one, but no integers on the newest product */
extern const struct dtype_set dtypes_own_quotients;    /* of these, the ones of dtypes_arithmetic */
extern const struct dtype_set dtypes_all;              /* floats, integers, BOOL and complex numbers */
extern const struct dtype_set dtypes_fill_scalar;   /* on the oldest product without UINT16, UINT32, UINT64 */
extern const struct dtype_set dtypes_zero;          /* without UINT32 and UINT64 */
extern const struct dtype_set dtypes_ones;          /* real and without these */
extern const struct dtype_set dtypes_relu;          /* FLOAT, FLOAT16, INT8, INT32, INT64 and UINT8 */
extern const struct dtype_set dtypes_sigmoid;       /* floats, INT8..INT64, UINT8, BOOL and complex numbers */
extern const struct dtype_set dtypes_tanh;          /* the same without DOUBLE and complex numbers */
extern const struct dtype_set dtypes_threshold;     /* of relu without INT64, which the newest product has */
extern const struct dtype_set dtypes_selu;          /* FLOAT, FLOAT16, BFLOAT16, INT8 and INT32 */
extern const struct dtype_set dtypes_hardsigmoid;   /* FLOAT, FLOAT16, BFLOAT16 and INT32 */
extern const struct dtype_set dtypes_real_numbers;  /* floats, INT8..INT64 and UINT8 */
extern const struct dtype_set dtypes_addcmul;       /* of these all but INT16 */
extern const struct dtype_set dtypes_addcdiv;       /* the floats and INT64 */
extern const struct dtype_set dtypes_bits;          /* integers and BOOL */
extern const struct dtype_set dtypes_truth;         /* BOOL */
extern const struct dtype_set dtypes_bool_or_uint8; /* BOOL and UINT8 */
extern const struct dtype_set dtypes_remainder;     /* the floats, INT32 and INT64 */
extern const struct dtype_set dtypes_permute;       /* all; on the oldest product without COMPLEX128 */
extern const struct dtype_set dtypes_cat;           /* without that, and UINT16..UINT64 on the newest alone */
extern const struct dtype_set dtypes_indices;       /* INT32 and INT64 */
extern const struct dtype_set dtypes_indices_or_masks; /* and BOOL */

/* A set of its own: the same on all products, or with more from the second one on, and from the newest. */
#define DTYPES_ON_ALL(set) DTYPES_BY_PRODUCT(set, 0, 0)
#define DTYPES_BY_PRODUCT(set, more, newest)          \
    {                                                 \
        .on = {                                       \
            [PRODUCT_910A] = (set),                   \
            [PRODUCT_910B] = (set) | (more),          \
            [PRODUCT_950] = (set) | (more) | (newest) \
        }                                             \
    }

#endif
