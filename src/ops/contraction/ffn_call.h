/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Two products with an activation between them: the parameters of both functions, and what a call says (ffn.c).
 */
#ifndef BELAY_OPS_CONTRACTION_FFN_CALL_H
#define BELAY_OPS_CONTRACTION_FFN_CALL_H

#include <string.h>

#include "ops/contraction/activation.h"
#include "ops/dtypes.h"
#include "ops/signature.h"

#define ROW(X, of, name, set) X(of, IN, name, set, .is_optional = true, .sample = "")
#define LAYERS(X, of)                                                    \
    X(of, IN, x, &dtypes_fp16_bf16_int8, .sample = "3x4:FLOAT16")        \
    X(of, IN, weight1, &dtypes_fp16_bf16_int8, .sample = "4x6:FLOAT16")  \
    X(of, IN, weight2, &dtypes_fp16_bf16_int8, .sample = "6x5:FLOAT16")  \
    X(of, INTS, expertTokensOptional, .is_optional = true, .sample = "") \
    ROW(X, of, bias1Optional, &dtypes_fp32_fp16_bf16_int32)              \
    ROW(X, of, bias2Optional, &dtypes_fp32_fp16_bf16_int32)              \
    ROW(X, of, scaleOptional, &dtypes_fp32)                              \
    ROW(X, of, offsetOptional, &dtypes_fp32)                             \
    ROW(X, of, deqScale1Optional, &dtypes_fp32_fp16_bf16_int64_uint64)   \
    ROW(X, of, deqScale2Optional, &dtypes_fp32_fp16_bf16_int64_uint64)   \
    ROW(X, of, antiquantScale1Optional, &dtypes_fp16_bf16)               \
    ROW(X, of, antiquantScale2Optional, &dtypes_fp16_bf16)               \
    ROW(X, of, antiquantOffset1Optional, &dtypes_fp16_bf16)              \
    ROW(X, of, antiquantOffset2Optional, &dtypes_fp16_bf16)              \
    X(of, CONST_TEXT, activation, .usual = "relu") X(of, INT64, innerPrecise, .usual = "0")
#define V1(X, of) LAYERS(X, of) X(of, CONST_OUT, y, &dtypes_fp16_bf16)
#define V2(X, of) \
    LAYERS(X, of) X(of, BOOL, tokensIndexFlag, .usual = "false") X(of, CONST_OUT, y, &dtypes_fp16_bf16)
SIGNATURE(V1)
SIGNATURE(V2)

struct named_activation {
    const char *name;
    enum activation activation;
    bool is_gated; /* the second half of a row is multiplied by the first one's */
};
static const struct named_activation activations[] = {
    {"relu", ACTIVATION_RELU, false},          {"gelu", ACTIVATION_GELU_ERF, false},
    {"fastgelu", ACTIVATION_FAST_GELU, false}, {"silu", ACTIVATION_SILU, false},
    {"reglu", ACTIVATION_RELU, true},          {"geglu", ACTIVATION_GELU_ERF, true},
    {"swiglu", ACTIVATION_SILU, true},
};

/* What a layer's weight and rows are, by the number of the layer. */
struct layer {
    unsigned weight, bias, deq_scale, scale, offset;
};
static const struct layer layers[] = {
    {V2_weight1, V2_bias1Optional, V2_deqScale1Optional, V2_antiquantScale1Optional,
     V2_antiquantOffset1Optional},
    {V2_weight2, V2_bias2Optional, V2_deqScale2Optional, V2_antiquantScale2Optional,
     V2_antiquantOffset2Optional},
};

static inline unsigned y_of(const struct call *call)
{
    return call->function->parameter_count - 1;
}

static inline bool is_whole(const struct call *call)
{
    return call->tensor[V2_x].dtype == ACL_INT8;
}

static inline bool has_experts(const struct call *call)
{
    return call_has(call, V2_expertTokensOptional) && call->values[V2_expertTokensOptional].count > 0;
}

static inline int64_t expert_count(const struct call *call)
{
    return has_experts(call) ? (int64_t)call->values[V2_expertTokensOptional].count : 1;
}

static inline int64_t size_of(const struct call *call, unsigned weight, unsigned side)
{
    const struct tensor_view *view = &call->tensor[weight];
    return view->shape[view->rank - 2 + side];
}

static inline int64_t rows_of(const struct tensor_view *x)
{
    int64_t rows = 1;
    for (uint32_t i = 0; i + 1 < x->rank; i++)
        rows *= x->shape[i];
    return rows;
}

static inline const struct named_activation *activation_of(const struct call *call)
{
    const char *name = call->argument[V2_activation].string;
    for (size_t i = 0; i < sizeof activations / sizeof activations[0]; i++)
        if (strcmp(name, activations[i].name) == 0)
            return &activations[i];
    return NULL;
}

/* Whether the numbers of experts are where their rows end; else they are how many each has. */
static inline bool are_ends(const struct call *call)
{
    return y_of(call) == V2_y && call->argument[V2_tokensIndexFlag].boolean;
}

#endif
