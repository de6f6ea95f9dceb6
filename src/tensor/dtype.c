/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Facts about data types.
 */
#include "tensor/dtype.h"

static const struct {
    const char *name;
    uint32_t bytes;
} dtypes[] = {
    [ACL_FLOAT] = {"FLOAT", 4},
    [ACL_FLOAT16] = {"FLOAT16", 2},
    [ACL_INT8] = {"INT8", 1},
    [ACL_INT32] = {"INT32", 4},
    [ACL_UINT8] = {"UINT8", 1},
    [ACL_INT16] = {"INT16", 2},
    [ACL_UINT16] = {"UINT16", 2},
    [ACL_UINT32] = {"UINT32", 4},
    [ACL_INT64] = {"INT64", 8},
    [ACL_UINT64] = {"UINT64", 8},
    [ACL_DOUBLE] = {"DOUBLE", 8},
    [ACL_BOOL] = {"BOOL", 1},
    [ACL_STRING] = {"STRING", 0},
    [ACL_COMPLEX64] = {"COMPLEX64", 8},
    [ACL_COMPLEX128] = {"COMPLEX128", 16},
    [ACL_BF16] = {"BFLOAT16", 2},
    [ACL_INT4] = {"INT4", 1},
    [ACL_UINT1] = {"UINT1", 0},
    [ACL_COMPLEX32] = {"COMPLEX32", 4},
    [ACL_HIFLOAT8] = {"HIFLOAT8", 1},
    [ACL_FLOAT8_E5M2] = {"FLOAT8_E5M2", 1},
    [ACL_FLOAT8_E4M3FN] = {"FLOAT8_E4M3FN", 1},
    [ACL_FLOAT8_E8M0] = {"FLOAT8_E8M0", 1},
    [ACL_FLOAT6_E3M2] = {"FLOAT6_E3M2", 0},
    [ACL_FLOAT6_E2M3] = {"FLOAT6_E2M3", 0},
    [ACL_FLOAT4_E2M1] = {"FLOAT4_E2M1", 1},
    [ACL_FLOAT4_E1M2] = {"FLOAT4_E1M2", 1},
};

enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

uint32_t dtype_bytes(aclDataType dtype)
{
    return (unsigned)dtype < DTYPES ? dtypes[dtype].bytes : 0;
}

const char *dtype_name(aclDataType dtype)
{
    return (unsigned)dtype < DTYPES && dtypes[dtype].name ? dtypes[dtype].name : "an unknown dtype";
}
