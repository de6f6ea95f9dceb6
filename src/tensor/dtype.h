/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Facts about data types.
 */
#ifndef BELAY_TENSOR_DTYPE_H
#define BELAY_TENSOR_DTYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "base/export.h"

/* One bit per dtype, for sets; dtype values lie in 0..41. */
#define DTYPE_BIT(dtype) (UINT64_C(1) << (dtype))

/* Sets: the floats, those that every product has and BFLOAT16; the integers that promote with one another;
 * the other unsigned ones; all real numbers; complex ones; those of 4 bits, which lie two to a byte; and with
 * them all small ones, which the newest product stores, moves and converts, but does not compute in (a further
 * dtype of the kind is a bit here and a row in ops/convert.c). */
#define DTYPES_FP32_FP16     (DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_FLOAT16))
#define DTYPES_COMMON_FLOATS (DTYPES_FP32_FP16 | DTYPE_BIT(ACL_DOUBLE))
#define DTYPES_16_BITS       (DTYPE_BIT(ACL_FLOAT16) | DTYPE_BIT(ACL_BF16))
#define DTYPES_FLOATS        (DTYPES_COMMON_FLOATS | DTYPE_BIT(ACL_BF16))
#define DTYPES_INTEGERS                                                                         \
    (DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT16) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT64) | \
     DTYPE_BIT(ACL_UINT8))
#define DTYPES_NATURALS       (DTYPE_BIT(ACL_UINT16) | DTYPE_BIT(ACL_UINT32) | DTYPE_BIT(ACL_UINT64))
#define DTYPES_FP32_FP16_BF16 (DTYPES_FP32_FP16 | DTYPE_BIT(ACL_BF16))
#define DTYPES_INDICES        (DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT64))
#define DTYPES_REALS          (DTYPES_FLOATS | DTYPES_INTEGERS | DTYPES_NATURALS | DTYPE_BIT(ACL_BOOL))
#define DTYPES_ALL            (DTYPES_REALS | DTYPES_COMPLEX)
#define DTYPES_FLOAT8         (DTYPE_BIT(ACL_FLOAT8_E4M3FN) | DTYPE_BIT(ACL_FLOAT8_E5M2))
#define DTYPES_FLOAT4         (DTYPE_BIT(ACL_FLOAT4_E2M1) | DTYPE_BIT(ACL_FLOAT4_E1M2))
#define DTYPES_PACKED         (DTYPES_FLOAT4 | DTYPE_BIT(ACL_INT4))
#define DTYPES_SMALL          (DTYPES_FLOAT8 | DTYPE_BIT(ACL_FLOAT8_E8M0) | DTYPE_BIT(ACL_HIFLOAT8) | DTYPES_PACKED)
#define DTYPES_COMPLEX        (DTYPE_BIT(ACL_COMPLEX64) | DTYPE_BIT(ACL_COMPLEX128))

static inline bool dtype_is_one_of(aclDataType dtype, uint64_t set)
{
    return (unsigned)dtype < 64 && (set >> (unsigned)dtype & 1) != 0;
}

/*
 * Whether elements lie two to a byte, the one with the even number in the lower half; places, strides and offsets
 * count elements, and an address is that of the byte of element 0.
 */
static inline bool dtype_is_packed(aclDataType dtype)
{
    return dtype_is_one_of(dtype, DTYPES_PACKED);
}

/* Bytes of an element; of a packed one those that it has where it lies alone; 0 for a dtype that is unknown or
 * that nothing takes (STRING, UINT1, FP6). */
uint32_t dtype_bytes(aclDataType dtype) SHARED(dtype_bytes);

/* "FLOAT16", "INT64", ...; "dtype 77" is not among them: unknown ones give "an unknown dtype". */
const char *dtype_name(aclDataType dtype) SHARED(dtype_name);

#endif
