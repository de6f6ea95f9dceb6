/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Bits to make sets of dtypes of, for sets that one file has for itself.
 */
#ifndef BELAY_OPS_DTYPE_BITS_H
#define BELAY_OPS_DTYPE_BITS_H

#include "ops/dtype_set.h"
#include "tensor/dtype.h"

#define BITS_FP32_FP16 (DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_FLOAT16))
#define BITS_FLOATS    (BITS_FP32_FP16 | DTYPE_BIT(ACL_DOUBLE))
#define BITS_INTEGERS                                                                           \
    (DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT16) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT64) | \
     DTYPE_BIT(ACL_UINT8))
#define BITS_NATURALS  (DTYPE_BIT(ACL_UINT16) | DTYPE_BIT(ACL_UINT32) | DTYPE_BIT(ACL_UINT64))
#define BITS_REALS     (BITS_FLOATS | BITS_INTEGERS | DTYPE_BIT(ACL_BOOL))
#define BITS_COMPLEXES (DTYPE_BIT(ACL_COMPLEX64) | DTYPE_BIT(ACL_COMPLEX128))
#define BITS_INDICES   (DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT64))

/* Sets that are the same on each product, with BFLOAT16 on those that have it, or with more on some. */
#define SET_OF(bits)                                                                       \
    {                                                                                      \
        .on = { [PRODUCT_910A] = (bits), [PRODUCT_910B] = (bits), [PRODUCT_950] = (bits) } \
    }
#define SET_WITH_BF16(bits) SET_WITH_BF16_AND(bits, 0, 0)
#define SET_WITH_BF16_AND(bits, not_on_oldest, on_newest)                                 \
    {                                                                                     \
        .on = {                                                                           \
            [PRODUCT_910A] = (bits),                                                      \
            [PRODUCT_910B] = (bits) | DTYPE_BIT(ACL_BF16) | (not_on_oldest),              \
            [PRODUCT_950] = (bits) | DTYPE_BIT(ACL_BF16) | (not_on_oldest) | (on_newest), \
        }                                                                                 \
    }

#endif
