/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Dtypes, formats and statuses as the graph engine calls them. Its headers come with PyTorch for Ascend, whose own
 * headers look for this one in the toolkit; without these there is what the host side of operator projects uses.
 */
#ifndef BELAY_GRAPH_TYPES_H
#define BELAY_GRAPH_TYPES_H

#if defined(__has_include) && __has_include(<third_party/acl/inc/graph/types.h>)
#include <third_party/acl/inc/graph/types.h>
#elif defined(__cplusplus)
#include <cstdint>

#include "acl/acl_base.h"

namespace ge
{
typedef uint32_t graphStatus;
static const graphStatus GRAPH_SUCCESS = 0;
static const graphStatus GRAPH_FAILED = 0xFFFFFFFF;
static const graphStatus GRAPH_PARAM_INVALID = 50331649;

enum DataType {
    DT_FLOAT = ACL_FLOAT,
    DT_FLOAT16 = ACL_FLOAT16,
    DT_INT8 = ACL_INT8,
    DT_INT32 = ACL_INT32,
    DT_UINT8 = ACL_UINT8,
    DT_INT16 = ACL_INT16,
    DT_UINT16 = ACL_UINT16,
    DT_UINT32 = ACL_UINT32,
    DT_INT64 = ACL_INT64,
    DT_UINT64 = ACL_UINT64,
    DT_DOUBLE = ACL_DOUBLE,
    DT_BOOL = ACL_BOOL,
    DT_STRING = ACL_STRING,
    DT_COMPLEX64 = ACL_COMPLEX64,
    DT_COMPLEX128 = ACL_COMPLEX128,
    DT_BF16 = ACL_BF16,
    DT_UNDEFINED = 28,
    DT_INT4 = ACL_INT4,
    DT_UINT1 = ACL_UINT1,
    DT_COMPLEX32 = ACL_COMPLEX32,
    DT_HIFLOAT8 = ACL_HIFLOAT8,
    DT_FLOAT8_E5M2 = ACL_FLOAT8_E5M2,
    DT_FLOAT8_E4M3FN = ACL_FLOAT8_E4M3FN,
    DT_FLOAT8_E8M0 = ACL_FLOAT8_E8M0,
    DT_FLOAT4_E2M1 = ACL_FLOAT4_E2M1,
    DT_FLOAT4_E1M2 = ACL_FLOAT4_E1M2,
    DT_MAX
};

enum Format {
    FORMAT_NCHW = ACL_FORMAT_NCHW,
    FORMAT_NHWC = ACL_FORMAT_NHWC,
    FORMAT_ND = ACL_FORMAT_ND,
    FORMAT_NC1HWC0 = ACL_FORMAT_NC1HWC0,
    FORMAT_FRACTAL_Z = ACL_FORMAT_FRACTAL_Z,
    FORMAT_HWCN = ACL_FORMAT_HWCN,
    FORMAT_NDHWC = ACL_FORMAT_NDHWC,
    FORMAT_FRACTAL_NZ = ACL_FORMAT_FRACTAL_NZ,
    FORMAT_NCDHW = ACL_FORMAT_NCDHW,
    FORMAT_NDC1HWC0 = ACL_FORMAT_NDC1HWC0,
    FORMAT_FRACTAL_Z_3D = ACL_FRACTAL_Z_3D,
    FORMAT_NCL = ACL_FORMAT_NCL,
    FORMAT_NULL = 0x7fffffff
};

inline int GetPrimaryFormat(int format)
{
    return format & 0xff;
}

inline int GetSizeByDataType(DataType dtype)
{
    switch (dtype) {
    case DT_INT8:
    case DT_UINT8:
    case DT_BOOL:
    case DT_HIFLOAT8:
    case DT_FLOAT8_E5M2:
    case DT_FLOAT8_E4M3FN:
    case DT_FLOAT8_E8M0:
        return 1;
    case DT_FLOAT16:
    case DT_BF16:
    case DT_INT16:
    case DT_UINT16:
        return 2;
    case DT_FLOAT:
    case DT_INT32:
    case DT_UINT32:
    case DT_COMPLEX32:
        return 4;
    case DT_INT64:
    case DT_UINT64:
    case DT_DOUBLE:
    case DT_COMPLEX64:
        return 8;
    case DT_COMPLEX128:
        return 16;
    default:
        return -1;
    }
}
} // namespace ge
#endif

#endif
