/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Exponential numbers: -ln(((w >> 8) + 1/2) 2^-24) / lambd of the word w of each element, in doubles, rounded
 * once.
 */
#include "aclnnop/aclnn_sim_thread_exponential.h"
#include "aclnnop/aclnn_stateless_exponential_tensor.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/random/source.h"
#include "tensor/dtype.h"

/* The places of parameters of the two functions, of which the first has a count in front of lambd. */
enum { SELF, COUNT, LAMBD, SEED, TENSOR_LAMBD = COUNT, SEED_TENSOR = LAMBD };

struct parameters {
    struct random_source source;
    double lambd;
};

static bool has_count(const struct call *call)
{
    return call->function->parameter[COUNT].kind == PARAMETER_INT64;
}

static double lambd_of(const struct call *call)
{
    return call->argument[has_count(call) ? LAMBD : TENSOR_LAMBD].fp64;
}

static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct parameters *parameters = (const struct parameters *)walk->parameters;
    struct draw draw = random_draw(walk, &parameters->source);
    double value[NUMBERED_PIECE] __attribute__((uninitialized));
    draw.is_exponential = true;
    draw.scale = 1 / parameters->lambd;
    for (uint64_t done = 0; done < count; done += DRAW_ELEMENTS_MAX)
        parameters->source.draw(&draw, (at + done) / 4, value + done);
    memcpy(elements, value, (size_t)count * sizeof value[0]);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    TRY(random_check_source(call, has_count(call) ? SEED : SEED_TENSOR));
    if (has_count(call) && call->argument[COUNT].int64 != call->tensor[SELF].count)
        return refuse(call, "count is %" PRId64 "; %" PRId64 ", the elements of selfRef, is expected",
                      call->argument[COUNT].int64, call->tensor[SELF].count);
    if (!(lambd_of(call) > 0))
        return refuse(call, "lambd is %g; more than 0 is expected", lambd_of(call));
    result_like(result, call, SELF);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct numbered_request request = numbered_request(call, SELF, make, ACL_DOUBLE);
    struct parameters parameters = {.lambd = lambd_of(call)};
    (void)result;
    parameters.source = random_source_of(call, has_count(call) ? SEED : SEED_TENSOR, &request);
    request.element_ps = 5000;
    request.parameters = &parameters;
    request.parameter_bytes = sizeof parameters;
    return numbered_plan(call, &request, 1);
}

/* The logarithm and the quotient are within some 2^-49 of themselves before they are rounded. */
#define EXPONENTIAL .family = FAMILY_RANDOM, .promise = &promise_ulp1, NUMBERED, .infer = infer, .plan = plan

static const struct parameter of_numbers[] = {
    [SELF] = OVERWRITTEN("selfRef", &dtypes_fp32_fp16_bf16),
    [COUNT] = {"count", .kind = PARAMETER_INT64, .sample = "6"},
    [LAMBD] = USUAL("lambd", DOUBLE, "1"),
    SEED_NUMBERS(SEED),
};
FUNCTION(aclnnSimThreadExponential,
         (const aclTensor *selfRef, int64_t count, double lambd, int64_t seed, int64_t offset),
         (ARG(selfRef), ARG(count), ARG(lambd), ARG(seed), ARG(offset)), .stem = "sim_thread_exponential",
         PARAMETERS(of_numbers), EXPONENTIAL);

static const struct parameter of_tensors[] = {
    [SELF] = OVERWRITTEN("selfRef", &dtypes_fp32_fp16_bf16),
    [TENSOR_LAMBD] = USUAL("lambd", DOUBLE, "1"),
    SEED_TENSORS(SEED_TENSOR),
};
FUNCTION(aclnnStatelessExponentialTensor,
         (const aclTensor *selfRef, double lambd, const aclTensor *seedTensor, const aclTensor *offsetTensor,
          int64_t offset),
         (ARG(selfRef), ARG(lambd), ARG(seedTensor), ARG(offsetTensor), ARG(offset)),
         .stem = "stateless_exponential_tensor", PARAMETERS(of_tensors), EXPONENTIAL);
