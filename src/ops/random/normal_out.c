/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = mean + std z, z as InplaceNormal has it for out's dtype (draw.h), computed in doubles and rounded
 * once. A mean or std that is a tensor broadcasts to out.
 */
#include "aclnnop/aclnn_normal_out.h"

#include "ops/canonical.h"
#include "ops/check.h"
#include "ops/check_message.h"
#include "ops/random/source.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define NORMAL(X, of)                \
    X(of, FLOAT, mean, .usual = "0") \
    X(of, FLOAT, std, .usual = "1")  \
    SEED_NUMBERS(X, of)              \
    X(of, OVERWRITTEN, out, &dtypes_floats)
SIGNATURE(NORMAL)
#define NORMAL_FLOAT_TENSOR(X, of)   \
    X(of, FLOAT, mean, .usual = "0") \
    X(of, IN, std, &dtypes_floats)   \
    SEED_NUMBERS(X, of)              \
    X(of, OVERWRITTEN, out, &dtypes_floats)
SIGNATURE(NORMAL_FLOAT_TENSOR)
#define NORMAL_TENSOR_FLOAT(X, of)  \
    X(of, IN, mean, &dtypes_floats) \
    X(of, FLOAT, std, .usual = "1") \
    SEED_NUMBERS(X, of)             \
    X(of, OVERWRITTEN, out, &dtypes_floats)
SIGNATURE(NORMAL_TENSOR_FLOAT)
#define NORMAL_TENSOR_TENSOR(X, of) \
    X(of, IN, mean, &dtypes_floats) \
    X(of, IN, std, &dtypes_floats)  \
    SEED_NUMBERS(X, of)             \
    X(of, OUT, out, &dtypes_floats)
SIGNATURE(NORMAL_TENSOR_TENSOR)

static const struct promise promise_normal_out = {
    .halves = {TIER_ULP, 1}, .fp32 = {TIER_ULP, 1}, .fp32_exact = {TIER_ULP, 1}, .fp64 = {TIER_ULP, 8}};

struct parameters {
    struct random_source source;
    double number[2];  /* mean and std, */
    unsigned input[2]; /* or where they are among the inputs */
    bool has_tensor[2];
    bool is_long;
};

static bool is_tensor(const struct call *call, unsigned parameter)
{
    return call->function->parameter[parameter].kind == PARAMETER_TENSOR;
}

static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct parameters *parameters = (const struct parameters *)walk->parameters;
    double number[2][NUMBERED_PIECE] __attribute__((uninitialized));
    double drawn[NUMBERED_PIECE] __attribute__((uninitialized));
    struct draw draw = random_draw(walk, &parameters->source);
    draw.is_normal = true;
    draw.is_long = parameters->is_long;
    const uint32_t once = draw_elements(&draw);
    uint64_t block = at / once * DRAW_BLOCKS;
    for (uint64_t done = 0; done < count; done += once, block += DRAW_BLOCKS)
        parameters->source.draw(&draw, block, drawn + done);
    for (int k = 0; k < 2; k++) {
        if (parameters->has_tensor[k])
            numbered_read_as(walk, parameters->input[k], at, count, ACL_DOUBLE, number[k]);
        for (uint64_t i = 0; i < count && !parameters->has_tensor[k]; i++)
            number[k][i] = parameters->number[k];
    }
    double *value = (double *)elements;
    for (uint64_t i = 0; i < count; i++)
        value[i] = number[0][i] + number[1][i] * drawn[i];
    canonical_nans(value, count);
}

/* A tensor broadcasts to out, whose shape the program chose; or both make it. */
static aclnnStatus infer_shape(const struct call *call, struct result *result)
{
    static const unsigned both[] = {NORMAL_mean, NORMAL_std};
    aclDataType promoted;
    if (is_tensor(call, NORMAL_mean) && is_tensor(call, NORMAL_std)) {
        TRY(check_promotion(call, both, 2, &promoted));
        return result_broadcast(result, call, both, 2, promoted, DTYPE_CASTABLE);
    }
    const struct tensor_view *out = &call->tensor[NORMAL_out];
    struct shape shape = {.rank = out->rank}, together;
    result_like(result, call, NORMAL_out);
    memcpy(shape.dim, out->shape, out->rank * sizeof out->shape[0]);
    for (unsigned i = NORMAL_mean; i <= NORMAL_std; i++) {
        const unsigned fits[] = {NORMAL_out, i};
        if (!is_tensor(call, i))
            continue;
        TRY(check_broadcast_together(call, fits, 2, &together));
        if (together.rank != shape.rank ||
            memcmp(together.dim, shape.dim, shape.rank * sizeof shape.dim[0]) != 0)
            return tell_fit(call, i, &shape, "out");
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    for (unsigned i = NORMAL_mean; i <= NORMAL_out; i++)
        if (is_tensor(call, i) && !parameter_is_output(&call->function->parameter[i])) {
            TRY(check_dtype(call, i));
            TRY(check_rank(call, i));
        }
    TRY(infer_shape(call, result));
    if (!is_tensor(call, NORMAL_std) && call->argument[NORMAL_std].fp32 < 0) /* NaN passes */
        return refuse(call, "std is %g; 0 or more is expected", (double)call->argument[NORMAL_std].fp32);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct numbered_request request = numbered_request(call, NORMAL_out, make, ACL_DOUBLE);
    struct parameters parameters = {.is_long = call->tensor[NORMAL_out].dtype == ACL_DOUBLE};
    (void)result;
    for (unsigned i = NORMAL_mean; i <= NORMAL_std; i++) {
        parameters.has_tensor[i] = is_tensor(call, i);
        parameters.input[i] = request.input_count;
        if (parameters.has_tensor[i])
            numbered_add_input(&request, call, i, true);
        else
            parameters.number[i] = (double)call->argument[i].fp32;
    }
    parameters.source = random_source_of(call, NORMAL_seed, &request);
    request.element_ps = 9000;
    request.parameters = &parameters;
    request.parameter_bytes = sizeof parameters;
    return numbered_plan(call, &request, 1);
}

#define AS_NORMAL                                                                                            \
    .stem = "normal_out", .family = FAMILY_RANDOM, .promise = &promise_normal_out, NUMBERED, .infer = infer, \
    .plan = plan

FUNCTION_OF(aclnnNormalFloatFloat, NORMAL, AS_NORMAL);
FUNCTION_OF(aclnnNormalFloatTensor, NORMAL_FLOAT_TENSOR, AS_NORMAL);
FUNCTION_OF(aclnnNormalTensorFloat, NORMAL_TENSOR_FLOAT, AS_NORMAL);
FUNCTION_OF(aclnnNormalTensorTensor, NORMAL_TENSOR_TENSOR, AS_NORMAL);
