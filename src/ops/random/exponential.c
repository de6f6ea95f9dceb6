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
#include "ops/signature.h"
#include "tensor/dtype.h"

/* The places of parameters of the two functions, of which the first has a count in front of lambd. */
#define EXPONENTIAL(X, of)                                    \
    X(of, CONST_OVERWRITTEN, selfRef, &dtypes_fp32_fp16_bf16) \
    X(of, INT64, count, .sample = "6")                        \
    X(of, DOUBLE, lambd, .usual = "1")                        \
    SEED_NUMBERS(X, of)
SIGNATURE(EXPONENTIAL)
#define EXPONENTIAL_TENSOR(X, of)                             \
    X(of, CONST_OVERWRITTEN, selfRef, &dtypes_fp32_fp16_bf16) \
    X(of, DOUBLE, lambd, .usual = "1")                        \
    SEED_TENSORS(X, of)
SIGNATURE(EXPONENTIAL_TENSOR)

struct parameters {
    struct random_source source;
    double lambd;
};

static bool has_count(const struct call *call)
{
    return call->function->parameter[EXPONENTIAL_count].kind == PARAMETER_INT64;
}

static double lambd_of(const struct call *call)
{
    return call->argument[has_count(call) ? EXPONENTIAL_lambd : EXPONENTIAL_TENSOR_lambd].fp64;
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
    TRY(check_dtype(call, EXPONENTIAL_selfRef));
    TRY(check_rank(call, EXPONENTIAL_selfRef));
    TRY(random_check_source(call, has_count(call) ? EXPONENTIAL_seed : EXPONENTIAL_TENSOR_seedTensor));
    if (has_count(call) && call->argument[EXPONENTIAL_count].int64 != call->tensor[EXPONENTIAL_selfRef].count)
        return refuse(call, "count is %" PRId64 "; %" PRId64 ", the elements of selfRef, is expected",
                      call->argument[EXPONENTIAL_count].int64, call->tensor[EXPONENTIAL_selfRef].count);
    if (!(lambd_of(call) > 0))
        return refuse(call, "lambd is %g; more than 0 is expected", lambd_of(call));
    result_like(result, call, EXPONENTIAL_selfRef);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct numbered_request request = numbered_request(call, EXPONENTIAL_selfRef, make, ACL_DOUBLE);
    struct parameters parameters = {.lambd = lambd_of(call)};
    (void)result;
    parameters.source =
        random_source_of(call, has_count(call) ? EXPONENTIAL_seed : EXPONENTIAL_TENSOR_seedTensor, &request);
    request.element_ps = 5000;
    request.parameters = &parameters;
    request.parameter_bytes = sizeof parameters;
    return numbered_plan(call, &request, 1);
}

/* The logarithm and the quotient are within some 2^-49 of themselves before they are rounded. */
#define AS_EXPONENTIAL \
    .family = FAMILY_RANDOM, .promise = &promise_ulp1, NUMBERED, .infer = infer, .plan = plan

FUNCTION_OF(aclnnSimThreadExponential, EXPONENTIAL, .stem = "sim_thread_exponential", AS_EXPONENTIAL);

FUNCTION_OF(aclnnStatelessExponentialTensor, EXPONENTIAL_TENSOR, .stem = "stateless_exponential_tensor",
            AS_EXPONENTIAL);
