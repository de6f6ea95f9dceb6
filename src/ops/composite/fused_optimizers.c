/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of Adam, AdamW and SGD of lists of tensors, in ascending order of their indices: each sees what the
 * earlier ones wrote. The steps and the numbers in tensors are read when the work runs.
 */
#include "aclnnop/aclnn_fused_adam.h"
#include "aclnnop/aclnn_fused_adamw.h"
#include "aclnnop/aclnn_fused_sgd.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/check_message.h"
#include "ops/composite/optimizer.h"
#include "ops/foreach/foreach.h"
#include "ops/rows/normalise.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

LEVEL_TABLE(rows_function, adam, adam);
LEVEL_TABLE(rows_function, adam_rates, adam_rates);
LEVEL_TABLE(rows_function, sgd, sgd);

/* The parameters of both Adams, and of SGD. */
#define CHANGED(X, of, name) X(of, BOTH_LIST, name, &dtypes_fp32_fp16_bf16)
#define MAY_BE_NULL(X, of, name) \
    X(of, BOTH_LIST, name, &dtypes_fp32_fp16_bf16, .is_optional = true, .is_partly_read = true)
#define ONE_NUMBER(X, of, name) X(of, IN, name, &dtypes_fp32, .is_optional = true, .sample = "1")
#define ADAM(X, of, params, avgs, sqs, maxes, scale, found)       \
    CHANGED(X, of, params)                                        \
    X(of, IN_LIST, grads, &dtypes_fp32_fp16_bf16)                 \
    CHANGED(X, of, avgs)                                          \
    CHANGED(X, of, sqs)                                           \
    MAY_BE_NULL(X, of, maxes)                                     \
    X(of, IN_LIST, stateSteps, &dtypes_fp32_int64, .sample = "1") \
    ONE_NUMBER(X, of, scale)                                      \
    ONE_NUMBER(X, of, found)                                      \
    X(of, DOUBLE, lr, .usual = "0.001")                           \
    X(of, DOUBLE, beta1, .usual = "0.9")                          \
    X(of, DOUBLE, beta2, .usual = "0.999")                        \
    X(of, DOUBLE, weightDecay, .usual = "0")                      \
    X(of, DOUBLE, eps, .usual = "1e-08")                          \
    X(of, BOOL, amsgrad, .usual = "false")                        \
    X(of, BOOL, maximize, .usual = "false")
SIGNATURE_PLACES(ADAM, params, avgs, sqs, maxes, scale, found)
#define SGD(X, of)                                \
    CHANGED(X, of, params)                        \
    X(of, IN_LIST, grads, &dtypes_fp32_fp16_bf16) \
    MAY_BE_NULL(X, of, momentumBuffers)           \
    ONE_NUMBER(X, of, gradScale)                  \
    X(of, FLOAT, weightDecay, .usual = "0")       \
    X(of, FLOAT, momentum, .usual = "0.9")        \
    X(of, FLOAT, lr, .usual = "0.001")            \
    X(of, FLOAT, dampening, .usual = "0")         \
    X(of, BOOL, nesterov, .usual = "false")       \
    X(of, BOOL, maximize, .usual = "false")       \
    X(of, BOOL, isFirstStep, .usual = "false")
SIGNATURE(SGD)

/* The plan of one index. */
struct list_step {
    struct optimizer_plan walk;
    rows_function *rates; /* of Adam */
    bool has_scale, has_found;
    uint32_t step, scale, found; /* addresses */
    aclDataType step_dtype;
    union {
        struct adam_numbers adam;
        struct sgd_numbers sgd;
    } numbers;
};

static bool is_sgd(const struct call *call)
{
    return call->function->parameter_count == SGD_isFirstStep + 1;
}

static const struct tensor_view *element(const struct call *call, unsigned list, uint64_t index)
{
    return &call->values[list].value.tensor[index];
}

/* A list must be as long as the parameters, and all its tensors of one dtype of the set, that of `like` where
 * that is another list. */
static aclnnStatus check_dtypes(const struct call *call, unsigned list, unsigned like)
{
    const struct call_values *values = &call->values[list];
    if (values->count != call->values[ADAM_params].count)
        return tell_list_count(call, list, ADAM_params);
    for (uint64_t i = 0; i < values->count; i++) {
        const aclDataType dtype = element(call, list, i)->dtype, first = element(call, like, 0)->dtype;
        TRY(check_dtype_in_list(call, list, dtype));
        if (dtype != first)
            return refuse(
                call,
                "tensor %" PRIu64 " of %s has dtype %s; %s, that of the first tensor of %s, is expected", i,
                call_name(call, list), dtype_name(dtype), dtype_name(first), call_name(call, like));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_shapes(const struct call *call, unsigned list)
{
    for (uint64_t i = 0; i < call->values[list].count; i++) {
        const struct tensor_view *own = element(call, list, i), *first = element(call, ADAM_params, i);
        if (own->rank > OPERAND_RANK_MAX)
            return refuse(call, "tensor %" PRIu64 " of %s has %u dims; at most %d are expected", i,
                          call_name(call, list), own->rank, OPERAND_RANK_MAX);
        if (own->rank != first->rank ||
            memcmp(own->shape, first->shape, own->rank * sizeof own->shape[0]) != 0)
            return refuse(call,
                          "tensor %" PRIu64 " of %s and that of %s differ in shape; one shape is expected", i,
                          call_name(call, list), call_name(call, ADAM_params));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_numbers(const struct call *call, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count; i++)
        if (call_has(call, i)) {
            TRY(check_dtype(call, i));
            TRY(check_one_element(call, i));
        }
    return ACLNN_SUCCESS;
}

static struct output *add_list(struct result *result, unsigned list)
{
    struct output *output = result_add(result, ACL_DT_UNDEFINED, DTYPE_EQUAL);
    output->like = list;
    return output;
}

static aclnnStatus infer_adam(const struct call *call, struct result *result)
{
    const bool amsgrad = call->argument[ADAM_amsgrad].boolean;
    if (amsgrad)
        TRY(check_given(call, ADAM_maxes, "amsgrad"));
    for (unsigned list = ADAM_params; list <= ADAM_stateSteps; list++)
        if (list != ADAM_maxes || amsgrad)
            TRY(check_dtypes(call, list, list == ADAM_sqs || list == ADAM_maxes ? ADAM_avgs : list));
    for (unsigned list = ADAM_params; list < ADAM_stateSteps; list++)
        if (list != ADAM_maxes || amsgrad)
            TRY(check_shapes(call, list));
    for (uint64_t i = 0; i < call->values[ADAM_stateSteps].count; i++)
        if (element(call, ADAM_stateSteps, i)->count != 1)
            return refuse(call, "tensor %" PRIu64 " of %s has %" PRId64 " elements; one is expected", i,
                          call_name(call, ADAM_stateSteps), element(call, ADAM_stateSteps, i)->count);
    TRY(check_numbers(call, ADAM_scale, 2));
    result->computed = ACL_DOUBLE;
    (void)add_list(result, ADAM_params);
    (void)add_list(result, ADAM_avgs);
    (void)add_list(result, ADAM_sqs);
    add_list(result, ADAM_maxes)->is_unwanted = !amsgrad;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_sgd(const struct call *call, struct result *result)
{
    const bool has_momentum = call->argument[SGD_momentum].fp32 != 0;
    const unsigned lists = has_momentum ? SGD_momentumBuffers + 1 : SGD_momentumBuffers;
    if (has_momentum)
        TRY(check_given(call, SGD_momentumBuffers, "momentum"));
    for (unsigned list = ADAM_params; list < lists; list++)
        TRY(check_dtypes(call, list, list));
    for (unsigned list = ADAM_params; list < lists; list++)
        TRY(check_shapes(call, list));
    TRY(check_numbers(call, SGD_gradScale, 1));
    result->computed = ACL_DOUBLE;
    (void)add_list(result, ADAM_params);
    add_list(result, SGD_momentumBuffers)->is_unwanted = !has_momentum;
    return ACLNN_SUCCESS;
}

static size_t fill_bytes(const struct call *call, uint64_t index)
{
    return element(call, ADAM_params, index)->count > 0 ? row_bytes(sizeof(struct list_step)) : 0;
}

static void add_tensor(struct list_step *step, const struct call *call, unsigned tensor, unsigned list,
                       uint64_t index)
{
    optimizer_add(&step->walk, tensor, element(call, list, index),
                  call->first_operand[list] + (uint32_t)index, tensor != GRAD);
}

static uint64_t fill_adam(const struct call *call, uint64_t index, void *place)
{
    const union argument *argument = call->argument;
    struct list_step *step = place;
    *step = (struct list_step){
        .walk = optimizer_plan_of(call, adam),
        .rates = adam_rates[call->settings->isa],
        .has_scale = call_has(call, ADAM_scale),
        .has_found = call_has(call, ADAM_found),
        .step = call->first_operand[ADAM_stateSteps] + (uint32_t)index,
        .scale = call->first_operand[ADAM_scale],
        .found = call->first_operand[ADAM_found],
        .step_dtype = element(call, ADAM_stateSteps, index)->dtype,
        .numbers.adam = {.lr = argument[ADAM_lr].fp64,
                         .beta1 = argument[ADAM_beta1].fp64,
                         .beta2 = argument[ADAM_beta2].fp64,
                         .decay = argument[ADAM_weightDecay].fp64,
                         .eps = argument[ADAM_eps].fp64,
                         .has_scale = call_has(call, ADAM_scale),
                         .amsgrad = argument[ADAM_amsgrad].boolean,
                         .maximize = argument[ADAM_maximize].boolean,
                         .is_in_gradient = *(const bool *)call->function->of_family},
    };
    add_tensor(step, call, VAR, ADAM_params, index);
    add_tensor(step, call, M, ADAM_avgs, index);
    add_tensor(step, call, V, ADAM_sqs, index);
    if (argument[ADAM_amsgrad].boolean)
        add_tensor(step, call, MAX, ADAM_maxes, index);
    add_tensor(step, call, GRAD, ADAM_grads, index);
    return step->walk.cost_ns;
}

static uint64_t fill_sgd(const struct call *call, uint64_t index, void *place)
{
    const union argument *argument = call->argument;
    struct list_step *step = place;
    *step = (struct list_step){
        .walk = optimizer_plan_of(call, sgd),
        .has_scale = call_has(call, SGD_gradScale),
        .scale = call->first_operand[SGD_gradScale],
        .numbers.sgd = {.lr = (double)argument[SGD_lr].fp32,
                        .momentum = (double)argument[SGD_momentum].fp32,
                        .dampening = (double)argument[SGD_dampening].fp32,
                        .decay = (double)argument[SGD_weightDecay].fp32,
                        .has_scale = call_has(call, SGD_gradScale),
                        .maximize = argument[SGD_maximize].boolean,
                        .nesterov = argument[SGD_nesterov].boolean,
                        .is_first = argument[SGD_isFirstStep].boolean},
    };
    add_tensor(step, call, VAR, ADAM_params, index);
    if (argument[SGD_momentum].fp32 != 0)
        add_tensor(step, call, M, SGD_momentumBuffers, index);
    add_tensor(step, call, GRAD, ADAM_grads, index);
    return step->walk.cost_ns;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    (void)result;
    return row_of_plans(call, fill_bytes, is_sgd(call) ? fill_sgd : fill_adam);
}

static double number_at(const struct list_step *step, uint32_t place, void *const *address)
{
    return optimizer_number(step->walk.transfer, address[place], ACL_FLOAT);
}

static int run_index(const void *row, uint64_t index, void *const *address, void *scratch)
{
    const struct list_step *step = row_plan(row, index);
    (void)scratch;
    if (step == NULL || (step->has_found && number_at(step, step->found, address) != 0))
        return 0;
    const double scale = step->has_scale ? number_at(step, step->scale, address) : 1;
    if (step->rates == NULL) {
        struct sgd_numbers numbers = step->numbers.sgd;
        numbers.scale = scale;
        optimizer_run(&step->walk, &numbers, address);
        return 0;
    }
    struct adam_numbers numbers = step->numbers.adam;
    numbers.scale = scale;
    numbers.t = optimizer_number(step->walk.transfer, address[step->step], step->step_dtype) + 1;
    adam_set_rates(&numbers, step->rates);
    optimizer_run(&step->walk, &numbers, address);
    return 0;
}

static int run(const void *row, void *const *address, void *scratch)
{
    return row_run(row, address, scratch, run_index);
}

#define OPTIMIZER                                                                \
    .family = FAMILY_FOREACH, .promise = &promise_formula, .operation.run = run, \
    .operation.run_index = run_index, .plan = plan

static const bool adds_to_gradient = true, takes_off = false;

FUNCTION_LIKE(aclnnFusedAdam, (ADAM, params, expAvgs, expAvgSqs, maxExpAvgSqs, gradScale, foundInf),
              .stem = "fused_adam", .of_family = &adds_to_gradient, .infer = infer_adam, OPTIMIZER);
FUNCTION_LIKE(aclnnFusedAdamw,
              (ADAM, paramsRef, expAvgsRef, expAvgSqsRef, maxExpAvgSqsRef, gradScaleOptional,
               foundInfOptional),
              .stem = "fused_adamw", .of_family = &takes_off, .infer = infer_adam, OPTIMIZER);
FUNCTION_OF(aclnnFusedSgd, SGD, .stem = "fused_sgd", .infer = infer_sgd, OPTIMIZER);
