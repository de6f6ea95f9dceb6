/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The calls of both versions of HardswishBackward: they differ in two values alone.
 */
#ifndef BELAY_TESTS_OPS_HARDSWISH_BACKWARD_CALLS_H
#define BELAY_TESTS_OPS_HARDSWISH_BACKWARD_CALLS_H

#include "ops/contract.h"

/* gradOutput, self, out */
static const struct call hardswish_backward_calls[] = {
    {"the ends", {"f32[301]", "f32[301]", "f32[301]"}},

    /* Empty tensors. */
    {"empty is looked at after the shapes",
     {"f32[0]", "f32[0,1]", "f32[0,1]"},
     .status = INVALID,
     .message = "shape"},

    /* Dtypes: self, then gradOutput, then equality. */
    {"self DOUBLE", {"f64[4]", "f64[4]", "f64[4]"}, .status = INVALID, .message = "self|DOUBLE"},
    {"gradOutput DOUBLE", {"f64[4]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "gradOutput|DOUBLE"},
    {"gradOutput INT32", {"i32[4]", "f16[4]", "f16[4]"}, .status = INVALID, .message = "gradOutput|INT32"},
    {"both wrong: self is named", {"i8[4]", "i16[4]", "f32[4]"}, .status = INVALID, .message = "self|INT16"},
    {"BFLOAT16 is refused on the oldest product, which another would accept",
     {"bf16[4]", "bf16[4]", "bf16[4]"},
     .products = "a",
     .status = INVALID,
     .message = "self|BFLOAT16|Ascend910A"},
    {"gradOutput FLOAT16 beside FLOAT",
     {"f16[4]", "f32[4]", "f32[4]"},
     .status = INVALID,
     .message = "gradOutput"},
    {"gradOutput FLOAT beside FLOAT16",
     {"f32[4]", "f16[4]", "f16[4]"},
     .status = INVALID,
     .message = "gradOutput"},
    {"gradOutput BFLOAT16 beside FLOAT16",
     {"bf16[4]", "f16[4]", "f16[4]"},
     .status = INVALID,
     .message = "gradOutput"},
    {"out FLOAT for FLOAT16", {"f16[4]", "f16[4]", "f32[4]"}, .status = INVALID, .message = "out"},
    {"out FLOAT16 for FLOAT", {"f32[4]", "f32[4]", "f16[4]"}, .status = INVALID, .message = "out"},
    {"out DOUBLE", {"f32[4]", "f32[4]", "f64[4]"}, .status = INVALID, .message = "out"},
    {"out COMPLEX64", {"f32[4]", "f32[4]", "c64[4]"}, .status = INVALID, .message = "out"},

    /* Rank and shape. */
    {"gradOutput of another shape",
     {"f32[5]", "f32[4]", "f32[4]"},
     .status = INVALID,
     .message = "gradOutput|shape"},
    {"no broadcast", {"f32[1]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "gradOutput|shape"},
    {"no broadcast of self", {"f32[4]", "f32[1]", "f32[4]"}, .status = INVALID, .message = "shape"},
    {"another rank with a leading 1",
     {"f32[1,4]", "f32[4]", "f32[4]"},
     .status = INVALID,
     .message = "gradOutput|shape"},
    {"rank 0 is not rank 1", {"f32[]", "f32[1]", "f32[1]"}, .status = INVALID, .message = "gradOutput|shape"},
    {"both shapes wrong: gradOutput is named",
     {"f32[5]", "f32[4]", "f32[6]"},
     .status = INVALID,
     .message = "gradOutput|shape"},
};

enum { HARDSWISH_BACKWARD_CALLS = sizeof hardswish_backward_calls / sizeof hardswish_backward_calls[0] };

#endif
