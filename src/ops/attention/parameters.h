/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Parameters that the functions of attention have in common. Samples are of one batch with 2 heads of 4
 * elements, 3 rows and 5 keys; those of TND have 6 rows and 7 keys in two sequences.
 */
#ifndef BELAY_OPS_ATTENTION_PARAMETERS_H
#define BELAY_OPS_ATTENTION_PARAMETERS_H

#include "ops/attention/attention.h"
#include "ops/dtypes.h"
#include "ops/function.h"

#define OPERAND(name, sample_)   READ(name, &dtypes_fp32_fp16_bf16, .sample = (sample_))
#define OPTIONAL(name, sample_)  READ(name, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = (sample_))
#define STATISTIC(name, sample_) READ(name, &dtypes_fp32, .sample = (sample_))
#define UNUSED(name)             IGNORED(name, &dtypes_all, .is_optional = true)
#define NUMBERS(name, sample_)                                                        \
    {                                                                                 \
        (name), .kind = PARAMETER_INT_ARRAY, .is_optional = true, .sample = (sample_) \
    }
#define LENGTHS(name, sample_)                                   \
    {                                                            \
        (name), .kind = PARAMETER_INT_ARRAY, .sample = (sample_) \
    }
#define OPTIONAL_TEXT(name)                                   \
    {                                                         \
        (name), .kind = PARAMETER_STRING, .is_optional = true \
    }

#define QUERY_KEY_VALUE        OPERAND("query", "1x2x3x4"), OPERAND("key", "1x2x5x4"), OPERAND("value", "1x2x5x4")
#define QUERY_KEY_VALUE_PACKED OPERAND("query", "6x2x4"), OPERAND("key", "7x2x4"), OPERAND("value", "7x2x4")

/* dropMask, paddingMask and attenMask. */
#define MASKS(drop, padding, mask)                                                        \
    READ(drop, &dtypes_uint8, .is_optional = true, .sample = "8:UINT8"), UNUSED(padding), \
        READ(mask, &dtypes_uint8_bool, .is_optional = true, .sample = "3x5:BOOL")

#define ROPES         OPTIONAL("queryRopeOptional", "1x2x3x2"), OPTIONAL("keyRopeOptional", "1x2x5x2")
#define SINK_OF_HEADS READ("sinkOptional", &dtypes_fp32, .is_optional = true, .sample = "2")
#define PREFIX        NUMBERS("prefixOptional", "")
#define STARTS        NUMBERS("qStartIdxOptional", "1"), NUMBERS("kvStartIdxOptional", "0")
#define VALUES_UP_TO_LAYOUT(layout)                                                        \
    USUAL("scaleValue", DOUBLE, "1"), USUAL("keepProb", DOUBLE, "1"),                      \
        USUAL("preTokens", INT64, "2147483647"), USUAL("nextTokens", INT64, "2147483647"), \
        USUAL("headNum", INT64, "2"), USUAL("inputLayout", STRING, layout)
#define PRECISE_AND_MODE USUAL("innerPrecise", INT64, "0"), USUAL("sparseMode", INT64, "0")
#define PSE_TYPE         USUAL("pseType", INT64, "1")

#endif
