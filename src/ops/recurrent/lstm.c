/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * LSTM and its gradients.
 */
#include "aclnnop/aclnn_lstm.h"
#include "aclnnop/aclnn_lstm_backward.h"
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

static const struct parameter parameters[] = {
    [INPUT] = SEQUENCE("input"),
    [PARAMS] = WEIGHTS_OF("8x2"),
    [START] = READ("hx", &dtypes_fp32_fp16_bf16, .kind = PARAMETER_TENSOR_LIST, .is_optional = true,
                   .sample = "1x2x2"),
    [BATCH_SIZES] = BATCH_SIZES_AS("batchSizes"),
    [HAS_BIAS] = VALUE("hasBias", BOOL),
    [LAYERS] = USUAL("numLayers", INT64, "1"),
    [DROPOUT] = USUAL("dropout", DOUBLE, "0"),
    [TRAIN] = USUAL("train", BOOL, "false"),
    [BIDIRECTIONAL] = USUAL("bidirectional", BOOL, "false"),
    [BATCH_FIRST] = USUAL("batchFirst", BOOL, "false"),
    [OUT] = WRITTEN("output", &dtypes_fp32_fp16_bf16),
    [OUT_H] = WRITTEN("hy", &dtypes_fp32_fp16_bf16),
    [OUT_C] = WRITTEN("cy", &dtypes_fp32_fp16_bf16),
    [LISTS + LSTM_I] = LIST_WRITTEN("iOut"),
    [LISTS + LSTM_G] = LIST_WRITTEN("jOut"),
    [LISTS + LSTM_F] = LIST_WRITTEN("fOut"),
    [LISTS + LSTM_O] = LIST_WRITTEN("oOut"),
    [LISTS + LSTM_H] = LIST_WRITTEN("hOut"),
    [LISTS + LSTM_C] = LIST_WRITTEN("cOut"),
    [LISTS + LSTM_TANH_C] = LIST_WRITTEN("tanhCOut"),
};

FUNCTION(aclnnLSTM,
         (const aclTensor *input, const aclTensorList *params, const aclTensorList *hx,
          const aclTensor *batchSizes, bool hasBias, int64_t numLayers, double dropout, bool train,
          bool bidirectional, bool batchFirst, aclTensor *output, aclTensor *hy, aclTensor *cy,
          aclTensorList *iOut, aclTensorList *jOut, aclTensorList *fOut, aclTensorList *oOut,
          aclTensorList *hOut, aclTensorList *cOut, aclTensorList *tanhCOut),
         (ARG(input), ARG(params), ARG(hx), ARG(batchSizes), ARG(hasBias), ARG(numLayers), ARG(dropout),
          ARG(train), ARG(bidirectional), ARG(batchFirst), ARG(output), ARG(hy), ARG(cy), ARG(iOut),
          ARG(jOut), ARG(fOut), ARG(oOut), ARG(hOut), ARG(cOut), ARG(tanhCOut)),
         .stem = "lstm", PARAMETERS(parameters), RECURRENT(&forward));

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

static const struct parameter backward_parameters[] = {
    [BACK_INPUT] = SEQUENCE("input"),
    [BACK_START] = READ("hx", &dtypes_fp32_fp16_bf16, .kind = PARAMETER_TENSOR_LIST, .sample = "1x2x2"),
    [BACK_PARAMS] = WEIGHTS_OF("8x2"),
    [BACK_GRADIENT] = OPTIONAL_GRADIENT("dy", "3x2x2"),
    [BACK_GRADIENT_H] = OPTIONAL_GRADIENT("dh", "1x2x2"),
    [BACK_GRADIENT_C] = OPTIONAL_GRADIENT("dc", "1x2x2"),
    [BACK_LISTS + LSTM_I] = LIST_READ("i"),
    [BACK_LISTS + LSTM_G] = LIST_READ("g"),
    [BACK_LISTS + LSTM_F] = LIST_READ("f"),
    [BACK_LISTS + LSTM_O] = LIST_READ("o"),
    [BACK_LISTS + LSTM_H] = LIST_READ("h"),
    [BACK_LISTS + LSTM_C] = LIST_READ("c"),
    [BACK_LISTS + LSTM_TANH_C] = LIST_READ("tanhc"),
    [BACK_BATCH_SIZES] = BATCH_SIZES_AS("batchSizesOptional"),
    [BACK_HAS_BIAS] = VALUE("hasBias", BOOL),
    [BACK_LAYERS] = USUAL("numLayers", INT64, "1"),
    [BACK_DROPOUT] = USUAL("dropout", DOUBLE, "0"),
    [BACK_TRAIN] = USUAL("train", BOOL, "true"),
    [BACK_BIDIRECTIONAL] = USUAL("bidirectional", BOOL, "false"),
    [BACK_BATCH_FIRST] = USUAL("batchFirst", BOOL, "false"),
    [BACK_MASK] = {"outputMask", .kind = PARAMETER_BOOL_ARRAY, .is_optional = true,
                   .sample = "true,true,true,true"},
    [BACK_OUT] = WRITTEN("dxOut", &dtypes_fp32_fp16_bf16),
    [BACK_OUT_H] = WRITTEN("dhPrevOut", &dtypes_fp32_fp16_bf16),
    [BACK_OUT_C] = WRITTEN("dcPrevOut", &dtypes_fp32_fp16_bf16),
    [BACK_OUT_PARAMS] = WRITTEN("dparamsOut", &dtypes_fp32_fp16_bf16, .kind = PARAMETER_TENSOR_LIST),
};

FUNCTION(aclnnLstmBackward,
         (const aclTensor *input, const aclTensorList *hx, const aclTensorList *params, const aclTensor *dy,
          const aclTensor *dh, const aclTensor *dc, const aclTensorList *i, const aclTensorList *g,
          const aclTensorList *f, const aclTensorList *o, const aclTensorList *h, const aclTensorList *c,
          const aclTensorList *tanhc, const aclTensor *batchSizesOptional, bool hasBias, int64_t numLayers,
          double dropout, bool train, bool bidirectional, bool batchFirst, const aclBoolArray *outputMask,
          aclTensor *dxOut, aclTensor *dhPrevOut, aclTensor *dcPrevOut, aclTensorList *dparamsOut),
         (ARG(input), ARG(hx), ARG(params), ARG(dy), ARG(dh), ARG(dc), ARG(i), ARG(g), ARG(f), ARG(o), ARG(h),
          ARG(c), ARG(tanhc), ARG(batchSizesOptional), ARG(hasBias), ARG(numLayers), ARG(dropout), ARG(train),
          ARG(bidirectional), ARG(batchFirst), ARG(outputMask), ARG(dxOut), ARG(dhPrevOut), ARG(dcPrevOut),
          ARG(dparamsOut)),
         .stem = "lstm_backward", PARAMETERS(backward_parameters), RECURRENT(&backward));
