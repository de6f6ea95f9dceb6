/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Facts about data types.
 */
#ifndef BELAY_TENSOR_DTYPE_H
#define BELAY_TENSOR_DTYPE_H

#include <stdint.h>

#include "acl/acl_base.h"
#include "runtime/export.h"

/* One bit per dtype, for sets; dtype values lie in 0..41. */
#define DTYPE_BIT(dtype) (UINT64_C(1) << (dtype))

/* Bytes of an element; 0 for a dtype that is unknown or has no whole bytes (STRING, INT4, UINT1, FP6, FP4).
 */
uint32_t dtype_bytes(aclDataType dtype) SHARED(dtype_bytes);

/* "FLOAT16", "INT64", ...; "dtype 77" is not among them: unknown ones give "an unknown dtype". */
const char *dtype_name(aclDataType dtype) SHARED(dtype_name);

#endif
