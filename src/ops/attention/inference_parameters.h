/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Parameters that the functions of attention for inference have in common. Rows beyond the lengths that are
 * given, and pages that nothing names, are not read.
 */
#ifndef BELAY_OPS_ATTENTION_INFERENCE_PARAMETERS_H
#define BELAY_OPS_ATTENTION_INFERENCE_PARAMETERS_H

#include "ops/attention/inference.h"
#include "ops/dtypes.h"
#include "ops/signature.h"

#define OPERAND(X, of, name, sample_) \
    X(of, IN, name, &dtypes_fp32_fp16_bf16, .sample = sample_, .is_partly_read = true)
#define OPERANDS(X, of, name, dtypes, sample_) \
    X(of, IN_LIST, name, dtypes, .sample = sample_, .is_partly_read = true)
#define OPTIONAL(X, of, name, sample_) \
    X(of, IN, name, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = sample_)
#define ABSENT(X, of, name) X(of, IN, name, &dtypes_all, .is_optional = true, .sample = "")
#define MASK(X, of) \
    X(of, IN, attenMaskOptional, &dtypes_int8_uint8_bool, .is_optional = true, .sample = "3x5:BOOL")
#define LENGTHS(X, of, name, sample_) X(of, INTS, name, .is_optional = true, .sample = sample_)
#define NUMBER(X, of, name, usual_)   X(of, INT64, name, .usual = usual_)

#endif
