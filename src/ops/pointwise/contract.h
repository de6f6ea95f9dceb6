/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Descriptions of the functions of floats that differ only by name, dtypes, promise and rule of inference.
 */
#ifndef BELAY_OPS_POINTWISE_CONTRACT_H
#define BELAY_OPS_POINTWISE_CONTRACT_H

#include "ops/check.h"
#include "ops/loops/elementwise.h"
#include "simd/vector/kernel.h"

/* The kernels of a stem and what they cost: at the default accuracy, at the exact one, and in 16 bits. */
#define POINTWISE(stem, cost, exact_cost, cost_16_bits)                                                  \
    KERNEL_LEVELS(stem);                                                                                 \
    static const struct elementwise stem##_elementwise = {stem##_kernels, .cost_ps = {cost, exact_cost}, \
                                                          .cost_16_bits_ps = cost_16_bits}

/* What all of them say after their parameters. */
#define POINTWISE_FUNCTION(api, stem_, promise_, infer_, plan_)                                              \
    .stem = #stem_, PARAMETERS(api##_parameters), .promise = &(promise_), ELEMENTWISE(&stem_##_elementwise), \
    .infer = infer_, .plan = plan_

/* out = f(self); output: aclTensor or const aclTensor. */
#define ONE_TENSOR(api, output, stem, dtypes, output_dtypes, promise, infer)               \
    static const struct parameter api##_parameters[] = {READ("self", &(dtypes)),           \
                                                        WRITTEN("out", &(output_dtypes))}; \
    FUNCTION(api, (const aclTensor *self, output *out), (ARG(self), ARG(out)),             \
             POINTWISE_FUNCTION(api, stem, promise, infer, elementwise_plan_plain))

/* A function of one tensor that works in place. */
#define IN_PLACE(api, input, self, stem, dtypes, promise, infer)                 \
    static const struct parameter api##_parameters[] = {BOTH(#self, &(dtypes))}; \
    FUNCTION(api, (input * self), (ARG(self)),                                   \
             POINTWISE_FUNCTION(api, stem, promise, infer, elementwise_plan_plain))

/* out = gradOutput times a function of other. */
#define GRADIENT(api, other, output, out, stem, dtypes, promise, infer)                                     \
    static const struct parameter api##_parameters[] = {READ("gradOutput", &(dtypes)),                      \
                                                        READ(#other, &(dtypes)), WRITTEN(#out, &(dtypes))}; \
    FUNCTION(api, (const aclTensor *gradOutput, const aclTensor *other, output *out),                       \
             (ARG(gradOutput), ARG(other), ARG(out)),                                                       \
             POINTWISE_FUNCTION(api, stem, promise, infer, elementwise_plan_plain))

#endif
