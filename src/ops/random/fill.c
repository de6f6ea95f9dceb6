/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * InplaceUniform and InplaceNormal, with seed and offset as numbers or in tensors.
 */
#include <inttypes.h>

#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_uniform.h"
#include "ops/check.h"
#include "ops/random/random.h"
#include "tensor/dtype.h"

#define REALS                                                                                      \
    (DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_FLOAT16) | DTYPE_BIT(ACL_DOUBLE) | DTYPE_BIT(ACL_INT8) | \
     DTYPE_BIT(ACL_INT16) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT64) | DTYPE_BIT(ACL_UINT8))
#define SIGNED_64 DTYPE_BIT(ACL_INT64)
#define ANY_64    (SIGNED_64 | DTYPE_BIT(ACL_UINT64))
#define ON_ALL(set)                                                                     \
    {                                                                                   \
        .on = { [PRODUCT_910A] = (set), [PRODUCT_910B] = (set), [PRODUCT_950] = (set) } \
    }
#define WITH_BF16(set)                                    \
    {                                                     \
        .on = {                                           \
            [PRODUCT_910A] = (set),                       \
            [PRODUCT_910B] = (set) | DTYPE_BIT(ACL_BF16), \
            [PRODUCT_950] = (set) | DTYPE_BIT(ACL_BF16)   \
        }                                                 \
    }
static const struct dtype_set dtypes_uniform = WITH_BF16(REALS);
static const struct dtype_set dtypes_int64 = ON_ALL(SIGNED_64);
static const struct dtype_set dtypes_64_bits = ON_ALL(ANY_64);

/* Normal numbers in DOUBLE have the error of their radius and angle; narrower ones are rounded from them. */
static const struct promise promise_normal = {
    .halves = {TIER_ULP, 1}, .fp32 = {TIER_ULP, 1}, .fp32_exact = {TIER_ULP, 1}, .fp64 = {TIER_ULP, 8}};

/* All four have these places; a tensor instead of a number is followed by a number of its own. */
enum { SELF, FIRST, SECOND, SEED, OFFSET, MORE_OFFSET };

static bool has_seed_tensor(const struct call *call)
{
    return call->function->parameter[SEED].kind == PARAMETER_TENSOR;
}

static aclnnStatus check_one_number(const struct call *call, unsigned parameter)
{
    TRY(check_dtype(call, parameter));
    if (call->tensor[parameter].count == 1)
        return ACLNN_SUCCESS;
    return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s has %" PRId64 " elements; one is expected",
                call->function->operation.name, call->function->parameter[parameter].name,
                call->tensor[parameter].count);
}

static aclnnStatus infer_filled(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    if (has_seed_tensor(call)) {
        TRY(check_one_number(call, SEED));
        TRY(check_one_number(call, OFFSET));
    }
    result_like(result, call, SELF);
    return ACLNN_SUCCESS;
}

static struct random_request request_of(const struct call *call)
{
    bool has_tensors = has_seed_tensor(call);
    return (struct random_request){
        .out = SELF,
        .seed_tensor = has_tensors ? SEED : RANDOM_NONE,
        .offset_tensor = has_tensors ? OFFSET : RANDOM_NONE,
        .draw = {.seed = has_tensors ? 0 : (uint64_t)call->argument[SEED].int64,
                 .offset = (uint64_t)call->argument[has_tensors ? MORE_OFFSET : OFFSET].int64},
        .end = (double)__builtin_inf(),
    };
}

static aclnnStatus infer_uniform(const struct call *call, struct result *result)
{
    double from = call->argument[FIRST].fp64, to = call->argument[SECOND].fp64;
    TRY(infer_filled(call, result));
    if (!(from <= to))
        return fail(ACLNN_ERR_PARAM_INVALID,
                    "%s: from is %g and to is %g; from is expected not to be greater",
                    call->function->operation.name, from, to);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_uniform(const struct call *call, const struct result *result)
{
    struct random_request request = request_of(call);
    (void)result;
    request.draw.base = call->argument[FIRST].fp64;
    request.end = call->argument[SECOND].fp64;
    request.draw.scale = request.end - request.draw.base;
    return random_plan(call, &request);
}

static aclnnStatus infer_normal(const struct call *call, struct result *result)
{
    TRY(infer_filled(call, result));
    if (call->argument[SECOND].fp32 < 0) /* NaN passes */
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: std is %g; 0 or more is expected",
                    call->function->operation.name, (double)call->argument[SECOND].fp32);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_normal(const struct call *call, const struct result *result)
{
    struct random_request request = request_of(call);
    (void)result;
    request.draw.is_normal = true;
    request.draw.base = (double)call->argument[FIRST].fp32;
    request.draw.scale = (double)call->argument[SECOND].fp32;
    return random_plan(call, &request);
}

#define UNIFORM RANDOM, .promise = &promise_exact, .infer = infer_uniform, .plan = plan_uniform
#define NORMAL  RANDOM, .promise = &promise_normal, .infer = infer_normal, .plan = plan_normal

static const struct parameter of_uniform[] = {
    [SELF] = OVERWRITTEN("selfRef", &dtypes_uniform),
    [FIRST] = USUAL("from", DOUBLE, "0"),
    [SECOND] = USUAL("to", DOUBLE, "1"),
    [SEED] = USUAL("seed", INT64, "0"),
    [OFFSET] = USUAL("offset", INT64, "0"),
};

FUNCTION(aclnnInplaceUniform,
         (const aclTensor *selfRef, double from, double to, uint64_t seed, uint64_t offset),
         (ARG(selfRef), ARG(from), ARG(to), ARG((int64_t)seed), ARG((int64_t)offset)), .stem = "uniform",
         PARAMETERS(of_uniform), UNIFORM);

static const struct parameter of_uniform_tensor[] = {
    [SELF] = OVERWRITTEN("selfRef", &dtypes_uniform),
    [FIRST] = USUAL("from", DOUBLE, "0"),
    [SECOND] = USUAL("to", DOUBLE, "1"),
    [SEED] = READ("seedTensor", &dtypes_64_bits, .sample = "1:INT64"),
    [OFFSET] = READ("offsetTensor", &dtypes_64_bits, .sample = "1:INT64"),
    [MORE_OFFSET] = USUAL("offset", INT64, "0"),
};

FUNCTION(aclnnInplaceUniformTensor,
         (const aclTensor *selfRef, double from, double to, const aclTensor *seedTensor,
          const aclTensor *offsetTensor, uint64_t offset),
         (ARG(selfRef), ARG(from), ARG(to), ARG(seedTensor), ARG(offsetTensor), ARG((int64_t)offset)),
         .stem = "uniform", PARAMETERS(of_uniform_tensor), UNIFORM);

static const struct parameter of_normal[] = {
    [SELF] = OVERWRITTEN("selfRef", &dtypes_real_scalars),
    [FIRST] = USUAL("mean", FLOAT, "0"),
    [SECOND] = USUAL("std", FLOAT, "1"),
    [SEED] = USUAL("seed", INT64, "0"),
    [OFFSET] = USUAL("offset", INT64, "0"),
};

FUNCTION(aclnnInplaceNormal, (const aclTensor *selfRef, float mean, float std, int64_t seed, int64_t offset),
         (ARG(selfRef), ARG(mean), ARG(std), ARG(seed), ARG(offset)), .stem = "normal", PARAMETERS(of_normal),
         NORMAL);

static const struct parameter of_normal_tensor[] = {
    [SELF] = OVERWRITTEN("selfRef", &dtypes_real_scalars),
    [FIRST] = USUAL("mean", FLOAT, "0"),
    [SECOND] = USUAL("std", FLOAT, "1"),
    [SEED] = READ("seedTensor", &dtypes_int64, .sample = "1:INT64"),
    [OFFSET] = READ("offsetTensor", &dtypes_int64, .sample = "1:INT64"),
    [MORE_OFFSET] = USUAL("offset", INT64, "0"),
};

FUNCTION(aclnnInplaceNormalTensor,
         (const aclTensor *selfRef, float mean, float std, const aclTensor *seedTensor,
          const aclTensor *offsetTensor, int64_t offset),
         (ARG(selfRef), ARG(mean), ARG(std), ARG(seedTensor), ARG(offsetTensor), ARG(offset)),
         .stem = "normal", PARAMETERS(of_normal_tensor), NORMAL);
