/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * GRU and its gradients.
 */
#include "aclnnop/aclnn_gru.h"
#include "aclnnop/aclnn_gru_backward.h"
#include "ops/recurrent/contract.h"
#include "ops/signature.h"

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

static const struct recurrent forward = {
    .cell = CELL_GRU,
    .input = GRU_input,
    .params = GRU_params,
    .start = GRU_hx,
    .batch_sizes = GRU_batchSizes,
    .has_bias = GRU_hasBias,
    .layers = GRU_numLayers,
    .bidirectional = GRU_bidirection,
    .batch_first = GRU_batchFirst,
    .train = GRU_train,
    .lists = GRU_rOut,
    .gradient = NO_PARAMETER,
    .out = GRU_output,
};

FUNCTION_OF(aclnnGRU, GRU, .stem = "gru", RECURRENT(&forward));

static const struct recurrent backward = {
    .cell = CELL_GRU,
    .input = GRU_BACKWARD_input,
    .params = GRU_BACKWARD_params,
    .start = GRU_BACKWARD_hx,
    .batch_sizes = GRU_BACKWARD_batchSizes,
    .has_bias = GRU_BACKWARD_hasBias,
    .layers = GRU_BACKWARD_numLayers,
    .bidirectional = GRU_BACKWARD_bidirection,
    .batch_first = GRU_BACKWARD_batchFirst,
    .train = NO_PARAMETER,
    .lists = GRU_BACKWARD_r,
    .gradient = GRU_BACKWARD_dy,
    .out = GRU_BACKWARD_dxOut,
};

FUNCTION_OF(aclnnGRUBackward, GRU_BACKWARD, .stem = "gru_backward", RECURRENT(&backward));
