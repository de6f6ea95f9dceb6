/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Names of dtypes and formats, for messages of op_host.
 */
#ifndef GRAPH_UTILS_TYPE_UTILS_H
#define GRAPH_UTILS_TYPE_UTILS_H

#include <string>

#include "graph/types.h"

namespace ge
{
class TypeUtils
{
  public:
    static std::string DataTypeToSerialString(DataType dtype)
    {
        switch (dtype) {
        case DT_FLOAT:
            return "DT_FLOAT";
        case DT_FLOAT16:
            return "DT_FLOAT16";
        case DT_BF16:
            return "DT_BF16";
        case DT_DOUBLE:
            return "DT_DOUBLE";
        case DT_INT8:
            return "DT_INT8";
        case DT_INT16:
            return "DT_INT16";
        case DT_INT32:
            return "DT_INT32";
        case DT_INT64:
            return "DT_INT64";
        case DT_UINT8:
            return "DT_UINT8";
        case DT_UINT16:
            return "DT_UINT16";
        case DT_UINT32:
            return "DT_UINT32";
        case DT_UINT64:
            return "DT_UINT64";
        case DT_BOOL:
            return "DT_BOOL";
        default:
            return "UNDEFINED";
        }
    }
    static std::string FormatToSerialString(Format format)
    {
        switch (format) {
        case FORMAT_ND:
            return "ND";
        case FORMAT_NCHW:
            return "NCHW";
        case FORMAT_NHWC:
            return "NHWC";
        case FORMAT_FRACTAL_NZ:
            return "FRACTAL_NZ";
        default:
            return "RESERVED";
        }
    }
};
} // namespace ge

#endif
