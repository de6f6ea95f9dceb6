/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * GRU and its gradients.
 */
#include "aclnnop/aclnn_gru.h"
#include "aclnnop/aclnn_gru_backward.h"
#include "ops/recurrent/contract.h"

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

static const struct parameter parameters[] = {
    [INPUT] = SEQUENCE("input"),
    [PARAMS] = WEIGHTS_OF("6x2"),
    [START] = OPTIONAL_GRADIENT("hx", "1x2x2"),
    [BATCH_SIZES] = BATCH_SIZES_AS("batchSizes"),
    [HAS_BIAS] = VALUE("hasBias", BOOL),
    [LAYERS] = USUAL("numLayers", INT64, "1"),
    [DROPOUT] = USUAL("dropout", DOUBLE, "0"),
    [TRAIN] = USUAL("train", BOOL, "false"),
    [BIDIRECTIONAL] = USUAL("bidirection", BOOL, "false"),
    [BATCH_FIRST] = USUAL("batchFirst", BOOL, "false"),
    [OUT] = WRITTEN("output", &dtypes_fp32_fp16_bf16),
    [OUT_H] = WRITTEN("hy", &dtypes_fp32_fp16_bf16),
    [LISTS + GRU_R] = LIST_WRITTEN("rOut"),
    [LISTS + GRU_Z] = LIST_WRITTEN("zOut"),
    [LISTS + GRU_N] = LIST_WRITTEN("nOut"),
    [LISTS + GRU_HN] = LIST_WRITTEN("hnOut"),
    [LISTS + GRU_H] = LIST_WRITTEN("hOut"),
};

FUNCTION(aclnnGRU,
         (const aclTensor *input, const aclTensorList *params, const aclTensor *hx,
          const aclTensor *batchSizes, bool hasBias, int64_t numLayers, double dropout, bool train,
          bool bidirection, bool batchFirst, aclTensor *output, aclTensor *hy, aclTensorList *rOut,
          aclTensorList *zOut, aclTensorList *nOut, aclTensorList *hnOut, aclTensorList *hOut),
         (ARG(input), ARG(params), ARG(hx), ARG(batchSizes), ARG(hasBias), ARG(numLayers), ARG(dropout),
          ARG(train), ARG(bidirection), ARG(batchFirst), ARG(output), ARG(hy), ARG(rOut), ARG(zOut),
          ARG(nOut), ARG(hnOut), ARG(hOut)),
         .stem = "gru", PARAMETERS(parameters), RECURRENT(&forward));

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

static const struct parameter backward_parameters[] = {
    [BACK_INPUT] = SEQUENCE("input"),
    [BACK_PARAMS] = WEIGHTS_OF("6x2"),
    [BACK_START] = READ("hx", &dtypes_fp32_fp16_bf16, .sample = "1x2x2"),
    [BACK_GRADIENT] = OPTIONAL_GRADIENT("dy", "3x2x2"),
    [BACK_GRADIENT_H] = OPTIONAL_GRADIENT("dh", "1x2x2"),
    [BACK_LISTS + GRU_R] = LIST_READ("r"),
    [BACK_LISTS + GRU_Z] = LIST_READ("z"),
    [BACK_LISTS + GRU_N] = LIST_READ("n"),
    [BACK_LISTS + GRU_HN] = LIST_READ("hn"),
    [BACK_LISTS + GRU_H] = LIST_READ("h"),
    [BACK_BATCH_SIZES] = BATCH_SIZES_AS("batchSizes"),
    [BACK_HAS_BIAS] = VALUE("hasBias", BOOL),
    [BACK_LAYERS] = USUAL("numLayers", INT64, "1"),
    [BACK_BIDIRECTIONAL] = USUAL("bidirection", BOOL, "false"),
    [BACK_BATCH_FIRST] = USUAL("batchFirst", BOOL, "false"),
    [BACK_OUT] = WRITTEN("dxOut", &dtypes_fp32_fp16_bf16),
    [BACK_OUT_H] = WRITTEN("dhPrevOut", &dtypes_fp32_fp16_bf16),
    [BACK_OUT_PARAMS] = WRITTEN("dparamsOut", &dtypes_fp32_fp16_bf16, .kind = PARAMETER_TENSOR_LIST),
};

FUNCTION(aclnnGRUBackward,
         (const aclTensor *input, const aclTensorList *params, const aclTensor *hx, const aclTensor *dy,
          const aclTensor *dh, const aclTensorList *r, const aclTensorList *z, const aclTensorList *n,
          const aclTensorList *hn, const aclTensorList *h, const aclTensor *batchSizes, bool hasBias,
          int64_t numLayers, bool bidirection, bool batchFirst, aclTensor *dxOut, aclTensor *dhPrevOut,
          aclTensorList *dparamsOut),
         (ARG(input), ARG(params), ARG(hx), ARG(dy), ARG(dh), ARG(r), ARG(z), ARG(n), ARG(hn), ARG(h),
          ARG(batchSizes), ARG(hasBias), ARG(numLayers), ARG(bidirection), ARG(batchFirst), ARG(dxOut),
          ARG(dhPrevOut), ARG(dparamsOut)),
         .stem = "gru_backward", PARAMETERS(backward_parameters), RECURRENT(&backward));
