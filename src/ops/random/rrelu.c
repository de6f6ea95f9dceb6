/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is above 0, or NaN, stays; the rest is multiplied: in training by lower + u (upper - lower), rounded
 * to the dtype, with u = (w >> 8) 2^-24 of the element's word w, otherwise by (lower + upper) / 2. The
 * factors, 1 for what stays, go to noise in training; otherwise that is left alone.
 */
#include "aclnnop/aclnn_rrelu_with_noise.h"

#include <string.h>

#include "ops/check.h"
#include "ops/random/source.h"
#include "ops/scalar.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define NUMBERS(X, of)                                                                \
    X(of, CONST_OUT, noise, &dtypes_fp32_fp16_bf16)                                   \
    X(of, SCALAR, lower, &dtypes_floats_integers_bool, .usual = "0.125")              \
    X(of, SCALAR, upper, &dtypes_floats_integers_bool, .usual = "0.3333333333333333") \
    X(of, BOOL, training, .usual = "true")                                            \
    SEED_NUMBERS(X, of)
#define RRELU(X, of)                        \
    X(of, IN, self, &dtypes_fp32_fp16_bf16) \
    NUMBERS(X, of)                          \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(RRELU)
#define INPLACE_RRELU(X, of) X(of, CONST_BOTH, selfRef, &dtypes_fp32_fp16_bf16) NUMBERS(X, of)
SIGNATURE(INPLACE_RRELU)

struct parameters {
    struct random_source source;
    double lower, upper;
    bool training;
    aclDataType dtype;
};

/* The elements of self and what they are multiplied by. */
static void read_factors(const struct numbered_walk *walk, uint64_t at, uint64_t count, double *x,
                         double *factor)
{
    const struct parameters *parameters = (const struct parameters *)walk->parameters;
    const double from = parameters->lower, to = parameters->upper, middle = (from + to) / 2;
    uint32_t word[NUMBERED_PIECE] __attribute__((uninitialized));
    _Alignas(64) float rounded[NUMBERED_PIECE] __attribute__((uninitialized));
    numbered_read_as(walk, RRELU_self, at, count, ACL_DOUBLE, x);
    if (!parameters->training) {
        for (uint64_t i = 0; i < count; i++)
            factor[i] = x[i] <= 0 ? middle : 1;
        return;
    }
    random_words(walk, &parameters->source, at, count, word);
    for (uint64_t i = 0; i < count; i++)
        factor[i] = x[i] <= 0 ? from + (double)(word[i] >> 8) * 0x1p-24 * (to - from) : 1;
    walk->transfer->convert(factor, ACL_DOUBLE, rounded, parameters->dtype, (size_t)count);
    walk->transfer->convert(rounded, parameters->dtype, factor, ACL_DOUBLE, (size_t)count);
}

static void make_out(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    double x[NUMBERED_PIECE] __attribute__((uninitialized));
    double factor[NUMBERED_PIECE] __attribute__((uninitialized));
    read_factors(walk, at, count, x, factor);
    for (uint64_t i = 0; i < count; i++)
        x[i] *= factor[i];
    memcpy(elements, x, (size_t)count * sizeof x[0]);
}

static void make_noise(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    double x[NUMBERED_PIECE] __attribute__((uninitialized));
    double factor[NUMBERED_PIECE] __attribute__((uninitialized));
    read_factors(walk, at, count, x, factor);
    memcpy(elements, factor, (size_t)count * sizeof factor[0]);
}

/* Outputs are in the order of the parameters: in place self comes first, otherwise noise. */
static aclnnStatus infer(const struct call *call, struct result *result)
{
    const bool is_in_place = parameter_is_changed(&call->function->parameter[RRELU_self]);
    const double lower = scalar_to_fp32(&call->scalar[RRELU_lower]),
                 upper = scalar_to_fp32(&call->scalar[RRELU_upper]);
    TRY(check_dtype(call, RRELU_self));
    TRY(check_dtype(call, RRELU_lower));
    TRY(check_dtype(call, RRELU_upper));
    TRY(check_rank(call, RRELU_self));
    if (!(lower <= upper))
        return refuse(call, "lower is %g and upper is %g; lower is expected not to be greater", lower, upper);
    result_like(result, call, RRELU_self);
    result_like(result, call, RRELU_self);
    result->output[is_in_place ? 1 : 0].is_unwanted = !call->argument[RRELU_training].boolean;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct parameters parameters = {.lower = scalar_to_fp32(&call->scalar[RRELU_lower]),
                                    .upper = scalar_to_fp32(&call->scalar[RRELU_upper]),
                                    .training = call->argument[RRELU_training].boolean,
                                    .dtype = call->tensor[RRELU_self].dtype};
    const unsigned out =
        parameter_is_changed(&call->function->parameter[RRELU_self]) ? RRELU_self : call_output(call);
    /* Noise comes first: out may be self, where a factor below 0 has made positive what would then seem to stay. */
    struct numbered_request request[] = {numbered_request(call, RRELU_noise, make_noise, ACL_DOUBLE),
                                         numbered_request(call, out, make_out, ACL_DOUBLE)};
    (void)result;
    for (int i = 0; i < 2; i++) {
        numbered_add_input(&request[i], call, RRELU_self, true);
        parameters.source = random_source_of(call, RRELU_seed, &request[i]);
        request[i].element_ps = 4000;
        request[i].parameters = &parameters;
        request[i].parameter_bytes = sizeof parameters;
    }
    return parameters.training ? numbered_plan(call, request, 2) : numbered_plan(call, request + 1, 1);
}

#define AS_RRELU                                                                              \
    .stem = "rrelu_with_noise", .family = FAMILY_RANDOM, .promise = &promise_exact, NUMBERED, \
    .infer = infer, .plan = plan

FUNCTION_OF(aclnnRReluWithNoise, RRELU, AS_RRELU);
FUNCTION_OF(aclnnInplaceRReluWithNoise, INPLACE_RRELU, AS_RRELU);
