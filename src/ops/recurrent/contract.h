/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 1 of recurrent networks, and the parameters that they share.
 */
#ifndef BELAY_OPS_RECURRENT_CONTRACT_H
#define BELAY_OPS_RECURRENT_CONTRACT_H

#include "ops/call.h"
#include "ops/recurrent/recurrent.h"
#include "tensor/dtype.h"

enum { NO_PARAMETER = UINT8_MAX };

/* Elements of a state, so that the widths of gates fit 32 bits. */
enum { HIDDEN_MOST = 1 << 28 };

/* of_family of a function: the places of its parameters. */
struct recurrent {
    enum cell_kind cell;
    uint8_t input, params, start, batch_sizes, has_bias, layers, bidirectional, batch_first;
    uint8_t train;    /* NO_PARAMETER in the backward pass */
    uint8_t lists;    /* the first one */
    uint8_t gradient; /* backward: of output, behind which come those of hy and cy; else NO_PARAMETER */
    uint8_t out; /* output, behind which come hy and cy; backward: the gradients of input, hx, cx, params */
};

/* The place of a tensor, whose dims are the last ones of it. */
struct place network_place(const struct call *call, unsigned parameter);

aclnnStatus network_infer(const struct call *call, struct result *result);
aclnnStatus network_plan(const struct call *call, const struct result *result);

#define RECURRENT(recurrent_)                                                                             \
    .operation.run = network_run, .operation.work_bytes = network_work_bytes, .family = FAMILY_RECURRENT, \
    .promise = &promise_sum, .of_family = (recurrent_), .infer = network_infer, .plan = network_plan

/* In the sample three steps of two sequences, two elements each. */
#define SEQUENCE(X, of, name)       X(of, IN, name, &dtypes_fp32_fp16_bf16, .sample = "3x2x2")
#define WEIGHTS_OF(X, of, sample_)  X(of, IN_LIST, params, &dtypes_fp32_fp16_bf16, .sample = sample_)
#define BATCH_SIZES_AS(X, of, name) X(of, IN, name, &dtypes_int64, .is_optional = true, .sample = "")
#define OPTIONAL_GRADIENT(X, of, name, sample_) \
    X(of, IN, name, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = sample_)

/* A tensor for each direction of each layer; without training they are not looked at. */
#define LIST_WRITTEN(X, of, name)                                                                 \
    X(of, OVERWRITTEN_LIST, name, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3x2x2", \
      .sample_length = 1)
#define LIST_READ(X, of, name) \
    X(of, IN_LIST, name, &dtypes_fp32_fp16_bf16, .sample = "3x2x2", .sample_length = 1)

#endif
