/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * 1 with a probability, otherwise 0: where w + 1/2 < prob 2^32 for the word w of the element, evaluated
 * exactly, so that 0 never gives 1 and 1 always does. A prob in a tensor that is no number or below 0 is 0,
 * and one above 1 is 1.
 */
#include "aclnnop/aclnn_bernoulli.h"
#include "ops/check.h"
#include "ops/check_message.h"
#include "ops/random/source.h"
#include "ops/scalar.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define BERNOULLI(X, of)                          \
    X(of, IN, self, &dtypes_floats_integers_bool) \
    X(of, SCALAR, prob, &dtypes_reals)            \
    SEED_NUMBERS(X, of)                           \
    X(of, OUT, out, &dtypes_floats_integers_bool)
SIGNATURE(BERNOULLI)
#define INPLACE_BERNOULLI(X, of)                                    \
    X(of, CONST_OVERWRITTEN, selfRef, &dtypes_floats_integers_bool) \
    X(of, SCALAR, prob, &dtypes_reals)                              \
    SEED_NUMBERS(X, of)
SIGNATURE(INPLACE_BERNOULLI)
#define BERNOULLI_TENSOR(X, of)                   \
    X(of, IN, self, &dtypes_floats_integers_bool) \
    X(of, IN, prob, &dtypes_floats)               \
    SEED_NUMBERS(X, of)                           \
    X(of, OUT, out, &dtypes_floats_integers_bool)
SIGNATURE(BERNOULLI_TENSOR)
#define INPLACE_BERNOULLI_TENSOR(X, of)                             \
    X(of, CONST_OVERWRITTEN, selfRef, &dtypes_floats_integers_bool) \
    X(of, IN, prob, &dtypes_floats)                                 \
    SEED_NUMBERS(X, of)
SIGNATURE(INPLACE_BERNOULLI_TENSOR)

struct parameters {
    struct random_source source;
    double prob; /* of all elements, where no tensor has them */
    bool has_probs;
};

/* How many words are below prob 2^32 - 1/2: the difference is exact where it is not negative. */
static uint64_t words_below(double prob)
{
    double limit = prob * 0x1p32;
    if (!(limit >= 0.5))
        return 0;
    if (limit >= 0x1p32)
        return UINT64_C(1) << 32;
    limit -= 0.5;
    uint64_t whole = (uint64_t)limit;
    return whole + ((double)whole < limit);
}

static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct parameters *parameters = (const struct parameters *)walk->parameters;
    uint32_t word[NUMBERED_PIECE] __attribute__((uninitialized));
    double prob[NUMBERED_PIECE] __attribute__((uninitialized));
    uint8_t *bit = (uint8_t *)elements;
    random_words(walk, &parameters->source, at, count, word);
    if (!parameters->has_probs) {
        const uint64_t below = words_below(parameters->prob);
        for (uint64_t i = 0; i < count; i++)
            bit[i] = word[i] < below;
        return;
    }
    numbered_read_as(walk, 0, at, count, ACL_DOUBLE, prob);
    for (uint64_t i = 0; i < count; i++)
        bit[i] = word[i] < words_below(prob[i]);
}

/* Outputs have the dtype and shape of self, whose elements are not read. */
static aclnnStatus infer(const struct call *call, struct result *result)
{
    const bool has_probs = call->function->parameter[BERNOULLI_prob].kind == PARAMETER_TENSOR;
    TRY(check_dtype(call, BERNOULLI_self));
    TRY(check_dtype(call, BERNOULLI_prob));
    TRY(check_rank(call, BERNOULLI_self));
    result_like(result, call, BERNOULLI_self);
    if (has_probs) {
        static const unsigned both[] = {BERNOULLI_self, BERNOULLI_prob};
        const struct tensor_view *self = &call->tensor[BERNOULLI_self];
        struct shape shape, own = {.rank = self->rank};
        TRY(check_rank(call, BERNOULLI_prob));
        memcpy(own.dim, self->shape, self->rank * sizeof self->shape[0]);
        TRY(check_broadcast_together(call, both, 2, &shape));
        if (shape.rank != own.rank || memcmp(shape.dim, own.dim, own.rank * sizeof own.dim[0]) != 0)
            return tell_fit(call, BERNOULLI_prob, &own, "self");
        return ACLNN_SUCCESS;
    }
    const double prob = scalar_to_fp64(&call->scalar[BERNOULLI_prob]);
    return prob >= 0 && prob <= 1 ? ACLNN_SUCCESS : refuse(call, "prob is %g; 0 to 1 are expected", prob);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct numbered_request request = numbered_request(call, call_output(call), make, ACL_BOOL);
    struct parameters parameters = {.has_probs =
                                        call->function->parameter[BERNOULLI_prob].kind == PARAMETER_TENSOR};
    (void)result;
    if (parameters.has_probs)
        numbered_add_input(&request, call, BERNOULLI_prob, true);
    else
        parameters.prob = scalar_to_fp64(&call->scalar[BERNOULLI_prob]);
    parameters.source = random_source_of(call, BERNOULLI_seed, &request);
    request.parameters = &parameters;
    request.parameter_bytes = sizeof parameters;
    return numbered_plan(call, &request, 1);
}

#define AS_BERNOULLI                                                                                   \
    .stem = "bernoulli", .family = FAMILY_RANDOM, .promise = &promise_exact, NUMBERED, .infer = infer, \
    .plan = plan

FUNCTION_OF(aclnnBernoulli, BERNOULLI, AS_BERNOULLI);
FUNCTION_OF(aclnnInplaceBernoulli, INPLACE_BERNOULLI, AS_BERNOULLI);
FUNCTION_OF(aclnnBernoulliTensor, BERNOULLI_TENSOR, AS_BERNOULLI);
FUNCTION_OF(aclnnInplaceBernoulliTensor, INPLACE_BERNOULLI_TENSOR, AS_BERNOULLI);
