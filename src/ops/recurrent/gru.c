/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * GRU and its gradients.
 */
#include "aclnnop/aclnn_gru.h"
#include "aclnnop/aclnn_gru_backward.h"
#include "ops/recurrent/contract.h"
#include "ops/signature.h"

enum {
    INPUT,
    PARAMS,
    START,
    BATCH_SIZES,
    HAS_BIAS,
    LAYERS,
    DROPOUT,
    TRAIN,
    BIDIRECTIONAL,
    BATCH_FIRST,
    OUT,
    OUT_H,
    LISTS
};

static const struct recurrent forward = {
    .cell = CELL_GRU,
    .input = INPUT,
    .params = PARAMS,
    .start = START,
    .batch_sizes = BATCH_SIZES,
    .has_bias = HAS_BIAS,
    .layers = LAYERS,
    .bidirectional = BIDIRECTIONAL,
    .batch_first = BATCH_FIRST,
    .train = TRAIN,
    .lists = LISTS,
    .gradient = NO_PARAMETER,
    .out = OUT,
};

#define GRU(X, of)                             \
    SEQUENCE(X, of, input)                     \
    WEIGHTS_OF(X, of, "6x2")                   \
    OPTIONAL_GRADIENT(X, of, hx, "1x2x2")      \
    BATCH_SIZES_AS(X, of, batchSizes)          \
    X(of, BOOL, hasBias)                       \
    X(of, INT64, numLayers, .usual = "1")      \
    X(of, DOUBLE, dropout, .usual = "0")       \
    X(of, BOOL, train, .usual = "false")       \
    X(of, BOOL, bidirection, .usual = "false") \
    X(of, BOOL, batchFirst, .usual = "false")  \
    X(of, OUT, output, &dtypes_fp32_fp16_bf16) \
    X(of, OUT, hy, &dtypes_fp32_fp16_bf16)     \
    LIST_WRITTEN(X, of, rOut)                  \
    LIST_WRITTEN(X, of, zOut)                  \
    LIST_WRITTEN(X, of, nOut)                  \
    LIST_WRITTEN(X, of, hnOut)                 \
    LIST_WRITTEN(X, of, hOut)
SIGNATURE(GRU)

FUNCTION_OF(aclnnGRU, GRU, .stem = "gru", RECURRENT(&forward));

enum {
    BACK_INPUT,
    BACK_PARAMS,
    BACK_START,
    BACK_GRADIENT,
    BACK_GRADIENT_H,
    BACK_LISTS,
    BACK_BATCH_SIZES = BACK_LISTS + GRU_LISTS,
    BACK_HAS_BIAS,
    BACK_LAYERS,
    BACK_BIDIRECTIONAL,
    BACK_BATCH_FIRST,
    BACK_OUT,
    BACK_OUT_H,
    BACK_OUT_PARAMS
};

static const struct recurrent backward = {
    .cell = CELL_GRU,
    .input = BACK_INPUT,
    .params = BACK_PARAMS,
    .start = BACK_START,
    .batch_sizes = BACK_BATCH_SIZES,
    .has_bias = BACK_HAS_BIAS,
    .layers = BACK_LAYERS,
    .bidirectional = BACK_BIDIRECTIONAL,
    .batch_first = BACK_BATCH_FIRST,
    .train = NO_PARAMETER,
    .lists = BACK_LISTS,
    .gradient = BACK_GRADIENT,
    .out = BACK_OUT,
};

#define GRU_BACKWARD(X, of)                                  \
    SEQUENCE(X, of, input)                                   \
    WEIGHTS_OF(X, of, "6x2")                                 \
    X(of, IN, hx, &dtypes_fp32_fp16_bf16, .sample = "1x2x2") \
    OPTIONAL_GRADIENT(X, of, dy, "3x2x2")                    \
    OPTIONAL_GRADIENT(X, of, dh, "1x2x2")                    \
    LIST_READ(X, of, r)                                      \
    LIST_READ(X, of, z)                                      \
    LIST_READ(X, of, n)                                      \
    LIST_READ(X, of, hn)                                     \
    LIST_READ(X, of, h)                                      \
    BATCH_SIZES_AS(X, of, batchSizes)                        \
    X(of, BOOL, hasBias)                                     \
    X(of, INT64, numLayers, .usual = "1")                    \
    X(of, BOOL, bidirection, .usual = "false")               \
    X(of, BOOL, batchFirst, .usual = "false")                \
    X(of, OUT, dxOut, &dtypes_fp32_fp16_bf16)                \
    X(of, OUT, dhPrevOut, &dtypes_fp32_fp16_bf16)            \
    X(of, OUT_LIST, dparamsOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(GRU_BACKWARD)

FUNCTION_OF(aclnnGRUBackward, GRU_BACKWARD, .stem = "gru_backward", RECURRENT(&backward));
