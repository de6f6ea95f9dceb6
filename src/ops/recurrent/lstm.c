/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * LSTM and its gradients.
 */
#include "aclnnop/aclnn_lstm.h"
#include "aclnnop/aclnn_lstm_backward.h"
#include "ops/recurrent/contract.h"
#include "ops/signature.h"

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

static const struct recurrent forward = {
    .cell = CELL_LSTM,
    .input = LSTM_input,
    .params = LSTM_params,
    .start = LSTM_hx,
    .batch_sizes = LSTM_batchSizes,
    .has_bias = LSTM_hasBias,
    .layers = LSTM_numLayers,
    .bidirectional = LSTM_bidirectional,
    .batch_first = LSTM_batchFirst,
    .train = LSTM_train,
    .lists = LSTM_iOut,
    .gradient = NO_PARAMETER,
    .out = LSTM_output,
};

FUNCTION_OF(aclnnLSTM, LSTM, .stem = "lstm", RECURRENT(&forward));

static const struct recurrent backward = {
    .cell = CELL_LSTM,
    .input = LSTM_BACKWARD_input,
    .params = LSTM_BACKWARD_params,
    .start = LSTM_BACKWARD_hx,
    .batch_sizes = LSTM_BACKWARD_batchSizesOptional,
    .has_bias = LSTM_BACKWARD_hasBias,
    .layers = LSTM_BACKWARD_numLayers,
    .bidirectional = LSTM_BACKWARD_bidirectional,
    .batch_first = LSTM_BACKWARD_batchFirst,
    .train = NO_PARAMETER,
    .lists = LSTM_BACKWARD_i,
    .gradient = LSTM_BACKWARD_dy,
    .out = LSTM_BACKWARD_dxOut,
};

FUNCTION_OF(aclnnLstmBackward, LSTM_BACKWARD, .stem = "lstm_backward", RECURRENT(&backward));
