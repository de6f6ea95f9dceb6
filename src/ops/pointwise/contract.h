/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Descriptions of the functions of floats that differ only by name, dtypes, promise and rule of inference.
 */
#ifndef BELAY_OPS_POINTWISE_CONTRACT_H
#define BELAY_OPS_POINTWISE_CONTRACT_H

#include "ops/check.h"
#include "ops/entries.h"
#include "ops/loops/elementwise.h"
#include "simd/vector/kernel.h"

/* The kernels of a stem and what they cost: at the default accuracy, at the exact one, and in 16 bits. */
#define POINTWISE(stem, cost, exact_cost, cost_16_bits)                                                  \
    KERNEL_LEVELS(stem);                                                                                 \
    static const struct elementwise stem##_elementwise = {stem##_kernels, .cost_ps = {cost, exact_cost}, \
                                                          .cost_16_bits_ps = cost_16_bits}

/* What all of them say beside their parameters. */
#define POINTWISE_FUNCTION(stem_, promise_, infer_, plan_) \
    .stem = #stem_, .promise = &(promise_), ELEMENTWISE(&stem_##_elementwise), .infer = infer_, .plan = plan_

/* out = f(self); output: OUT or CONST_OUT. */
#define ONE_TENSOR(api, output, stem, dtypes, output_dtypes, promise, infer)     \
    FUNCTION_WITH(api, ((IN, self, &(dtypes)), (output, out, &(output_dtypes))), \
                  POINTWISE_FUNCTION(stem, promise, infer, elementwise_plan_plain))

/* A function of one tensor that works in place; input: BOTH or CONST_BOTH. */
#define IN_PLACE(api, input, self, stem, dtypes, promise, infer) \
    FUNCTION_WITH(api, ((input, self, &(dtypes))),               \
                  POINTWISE_FUNCTION(stem, promise, infer, elementwise_plan_plain))

/* out = gradOutput times a function of other. */
#define GRADIENT(api, other, output, out, stem, dtypes, promise, infer)                                 \
    FUNCTION_WITH(api, ((IN, gradOutput, &(dtypes)), (IN, other, &(dtypes)), (output, out, &(dtypes))), \
                  POINTWISE_FUNCTION(stem, promise, infer, elementwise_plan_plain))

#endif
