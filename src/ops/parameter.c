/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What kinds of parameters and families are called in sentences, tables and JSON.
 */
#include "ops/function.h"

const char *parameter_kind_name(enum parameter_kind kind)
{
    static const char *const names[PARAMETER_KINDS] = {
        [PARAMETER_TENSOR] = "tensor",
        [PARAMETER_TENSOR_LIST] = "tensor list",
        [PARAMETER_SCALAR] = "scalar",
        [PARAMETER_SCALAR_LIST] = "scalar list",
        [PARAMETER_INT_ARRAY] = "int array",
        [PARAMETER_BOOL_ARRAY] = "bool array",
        [PARAMETER_FLOAT_ARRAY] = "float array",
        [PARAMETER_DTYPE] = "dtype",
        [PARAMETER_INT64] = "int64",
        [PARAMETER_INT32] = "int32",
        [PARAMETER_INT8] = "int8",
        [PARAMETER_FLOAT] = "float",
        [PARAMETER_DOUBLE] = "double",
        [PARAMETER_BOOL] = "bool",
        [PARAMETER_STRING] = "string",
    };
    return names[kind];
}

const char *family_name(enum function_family family)
{
    static const char *const names[FAMILIES] = {
        [FAMILY_POINTWISE] = "pointwise", [FAMILY_REDUCTION] = "reduction",
        [FAMILY_ROWS] = "rows",           [FAMILY_INDEX] = "index",
        [FAMILY_MOVE] = "move",           [FAMILY_CONTRACTION] = "contraction",
        [FAMILY_WINDOW] = "window",       [FAMILY_RANDOM] = "random",
        [FAMILY_SORTING] = "sorting",     [FAMILY_COMPOSITE] = "composite",
        [FAMILY_FOREACH] = "foreach",     [FAMILY_CREATE] = "create",
        [FAMILY_ATTENTION] = "attention", [FAMILY_SCAN] = "scan",
        [FAMILY_RECURRENT] = "recurrent", [FAMILY_EXPERTS] = "experts",
        [FAMILY_CACHE] = "cache",         [FAMILY_SAMPLING] = "sampling",
        [FAMILY_QUANTISE] = "quantise",   [FAMILY_WITH_RANKS] = "with_ranks",
        [FAMILY_CUSTOM] = "custom",
    };
    return names[family];
}
