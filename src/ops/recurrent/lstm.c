/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * LSTM and its gradients.
 */
#include "aclnnop/aclnn_lstm.h"
#include "aclnnop/aclnn_lstm_backward.h"
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
    OUT_C,
    LISTS
};

static const struct recurrent forward = {
    .cell = CELL_LSTM,
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

#define LSTM(X, of)                                                                    \
    SEQUENCE(X, of, input)                                                             \
    WEIGHTS_OF(X, of, "8x2")                                                           \
    X(of, IN_LIST, hx, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "1x2x2") \
    BATCH_SIZES_AS(X, of, batchSizes)                                                  \
    X(of, BOOL, hasBias)                                                               \
    X(of, INT64, numLayers, .usual = "1")                                              \
    X(of, DOUBLE, dropout, .usual = "0")                                               \
    X(of, BOOL, train, .usual = "false")                                               \
    X(of, BOOL, bidirectional, .usual = "false")                                       \
    X(of, BOOL, batchFirst, .usual = "false")                                          \
    X(of, OUT, output, &dtypes_fp32_fp16_bf16)                                         \
    X(of, OUT, hy, &dtypes_fp32_fp16_bf16)                                             \
    X(of, OUT, cy, &dtypes_fp32_fp16_bf16)                                             \
    LIST_WRITTEN(X, of, iOut)                                                          \
    LIST_WRITTEN(X, of, jOut)                                                          \
    LIST_WRITTEN(X, of, fOut)                                                          \
    LIST_WRITTEN(X, of, oOut)                                                          \
    LIST_WRITTEN(X, of, hOut)                                                          \
    LIST_WRITTEN(X, of, cOut)                                                          \
    LIST_WRITTEN(X, of, tanhCOut)
SIGNATURE(LSTM)

FUNCTION_OF(aclnnLSTM, LSTM, .stem = "lstm", RECURRENT(&forward));

enum {
    BACK_INPUT,
    BACK_START,
    BACK_PARAMS,
    BACK_GRADIENT,
    BACK_GRADIENT_H,
    BACK_GRADIENT_C,
    BACK_LISTS,
    BACK_BATCH_SIZES = BACK_LISTS + LSTM_LISTS,
    BACK_HAS_BIAS,
    BACK_LAYERS,
    BACK_DROPOUT,
    BACK_TRAIN,
    BACK_BIDIRECTIONAL,
    BACK_BATCH_FIRST,
    BACK_MASK,
    BACK_OUT,
    BACK_OUT_H,
    BACK_OUT_C,
    BACK_OUT_PARAMS
};

static const struct recurrent backward = {
    .cell = CELL_LSTM,
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

#define LSTM_BACKWARD(X, of)                                                       \
    SEQUENCE(X, of, input)                                                         \
    X(of, IN_LIST, hx, &dtypes_fp32_fp16_bf16, .sample = "1x2x2")                  \
    WEIGHTS_OF(X, of, "8x2")                                                       \
    OPTIONAL_GRADIENT(X, of, dy, "3x2x2")                                          \
    OPTIONAL_GRADIENT(X, of, dh, "1x2x2")                                          \
    OPTIONAL_GRADIENT(X, of, dc, "1x2x2")                                          \
    LIST_READ(X, of, i)                                                            \
    LIST_READ(X, of, g)                                                            \
    LIST_READ(X, of, f)                                                            \
    LIST_READ(X, of, o)                                                            \
    LIST_READ(X, of, h)                                                            \
    LIST_READ(X, of, c)                                                            \
    LIST_READ(X, of, tanhc)                                                        \
    BATCH_SIZES_AS(X, of, batchSizesOptional)                                      \
    X(of, BOOL, hasBias)                                                           \
    X(of, INT64, numLayers, .usual = "1")                                          \
    X(of, DOUBLE, dropout, .usual = "0")                                           \
    X(of, BOOL, train, .usual = "true")                                            \
    X(of, BOOL, bidirectional, .usual = "false")                                   \
    X(of, BOOL, batchFirst, .usual = "false")                                      \
    X(of, BOOLS, outputMask, .is_optional = true, .sample = "true,true,true,true") \
    X(of, OUT, dxOut, &dtypes_fp32_fp16_bf16)                                      \
    X(of, OUT, dhPrevOut, &dtypes_fp32_fp16_bf16)                                  \
    X(of, OUT, dcPrevOut, &dtypes_fp32_fp16_bf16)                                  \
    X(of, OUT_LIST, dparamsOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(LSTM_BACKWARD)

FUNCTION_OF(aclnnLstmBackward, LSTM_BACKWARD, .stem = "lstm_backward", RECURRENT(&backward));
