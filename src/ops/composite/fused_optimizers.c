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
#include "tensor/dtype.h"

LEVEL_TABLE(rows_function, adam, adam);
LEVEL_TABLE(rows_function, adam_rates, adam_rates);
LEVEL_TABLE(rows_function, sgd, sgd);

/* The parameters of both Adams, and of SGD. */
enum {
    PARAMS,
    GRADS,
    AVGS,
    AVG_SQS,
    MAX_AVG_SQS,
    STEPS,
    SCALE,
    FOUND,
    LR,
    BETA1,
    BETA2,
    DECAY,
    EPS,
    AMSGRAD,
    MAXIMIZE
};
enum { BUFFERS = AVGS, SGD_SCALE, SGD_DECAY, MOMENTUM, SGD_LR, DAMPENING, NESTEROV, SGD_MAXIMIZE, IS_FIRST };

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
    return call->function->parameter_count == IS_FIRST + 1;
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
    if (values->count != call->values[PARAMS].count)
        return tell_list_count(call, list, PARAMS);
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
        const struct tensor_view *own = element(call, list, i), *first = element(call, PARAMS, i);
        if (own->rank > OPERAND_RANK_MAX)
            return refuse(call, "tensor %" PRIu64 " of %s has %u dims; at most %d are expected", i,
                          call_name(call, list), own->rank, OPERAND_RANK_MAX);
        if (own->rank != first->rank ||
            memcmp(own->shape, first->shape, own->rank * sizeof own->shape[0]) != 0)
            return refuse(call,
                          "tensor %" PRIu64 " of %s and that of %s differ in shape; one shape is expected", i,
                          call_name(call, list), call_name(call, PARAMS));
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
    const bool amsgrad = call->argument[AMSGRAD].boolean;
    if (amsgrad)
        TRY(check_given(call, MAX_AVG_SQS, "amsgrad"));
    for (unsigned list = PARAMS; list <= STEPS; list++)
        if (list != MAX_AVG_SQS || amsgrad)
            TRY(check_dtypes(call, list, list == AVG_SQS || list == MAX_AVG_SQS ? AVGS : list));
    for (unsigned list = PARAMS; list < STEPS; list++)
        if (list != MAX_AVG_SQS || amsgrad)
            TRY(check_shapes(call, list));
    for (uint64_t i = 0; i < call->values[STEPS].count; i++)
        if (element(call, STEPS, i)->count != 1)
            return refuse(call, "tensor %" PRIu64 " of %s has %" PRId64 " elements; one is expected", i,
                          call_name(call, STEPS), element(call, STEPS, i)->count);
    TRY(check_numbers(call, SCALE, 2));
    result->computed = ACL_DOUBLE;
    (void)add_list(result, PARAMS);
    (void)add_list(result, AVGS);
    (void)add_list(result, AVG_SQS);
    add_list(result, MAX_AVG_SQS)->is_unwanted = !amsgrad;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_sgd(const struct call *call, struct result *result)
{
    const bool has_momentum = call->argument[MOMENTUM].fp32 != 0;
    const unsigned lists = has_momentum ? BUFFERS + 1 : BUFFERS;
    if (has_momentum)
        TRY(check_given(call, BUFFERS, "momentum"));
    for (unsigned list = PARAMS; list < lists; list++)
        TRY(check_dtypes(call, list, list));
    for (unsigned list = PARAMS; list < lists; list++)
        TRY(check_shapes(call, list));
    TRY(check_numbers(call, SGD_SCALE, 1));
    result->computed = ACL_DOUBLE;
    (void)add_list(result, PARAMS);
    add_list(result, BUFFERS)->is_unwanted = !has_momentum;
    return ACLNN_SUCCESS;
}

static size_t fill_bytes(const struct call *call, uint64_t index)
{
    return element(call, PARAMS, index)->count > 0 ? row_bytes(sizeof(struct list_step)) : 0;
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
        .has_scale = call_has(call, SCALE),
        .has_found = call_has(call, FOUND),
        .step = call->first_operand[STEPS] + (uint32_t)index,
        .scale = call->first_operand[SCALE],
        .found = call->first_operand[FOUND],
        .step_dtype = element(call, STEPS, index)->dtype,
        .numbers.adam = {.lr = argument[LR].fp64,
                         .beta1 = argument[BETA1].fp64,
                         .beta2 = argument[BETA2].fp64,
                         .decay = argument[DECAY].fp64,
                         .eps = argument[EPS].fp64,
                         .has_scale = call_has(call, SCALE),
                         .amsgrad = argument[AMSGRAD].boolean,
                         .maximize = argument[MAXIMIZE].boolean,
                         .is_in_gradient = *(const bool *)call->function->of_family},
    };
    add_tensor(step, call, VAR, PARAMS, index);
    add_tensor(step, call, M, AVGS, index);
    add_tensor(step, call, V, AVG_SQS, index);
    if (argument[AMSGRAD].boolean)
        add_tensor(step, call, MAX, MAX_AVG_SQS, index);
    add_tensor(step, call, GRAD, GRADS, index);
    return step->walk.cost_ns;
}

static uint64_t fill_sgd(const struct call *call, uint64_t index, void *place)
{
    const union argument *argument = call->argument;
    struct list_step *step = place;
    *step = (struct list_step){
        .walk = optimizer_plan_of(call, sgd),
        .has_scale = call_has(call, SGD_SCALE),
        .scale = call->first_operand[SGD_SCALE],
        .numbers.sgd = {.lr = (double)argument[SGD_LR].fp32,
                        .momentum = (double)argument[MOMENTUM].fp32,
                        .dampening = (double)argument[DAMPENING].fp32,
                        .decay = (double)argument[SGD_DECAY].fp32,
                        .has_scale = call_has(call, SGD_SCALE),
                        .maximize = argument[SGD_MAXIMIZE].boolean,
                        .nesterov = argument[NESTEROV].boolean,
                        .is_first = argument[IS_FIRST].boolean},
    };
    add_tensor(step, call, VAR, PARAMS, index);
    if (argument[MOMENTUM].fp32 != 0)
        add_tensor(step, call, M, BUFFERS, index);
    add_tensor(step, call, GRAD, GRADS, index);
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
#define FLOAT_LIST(name_, role_, ...)                                                     \
    {                                                                                     \
        .name = (name_), .dtypes = &dtypes_fp32_fp16_bf16, .kind = PARAMETER_TENSOR_LIST, \
        .role = ROLE_##role_, __VA_ARGS__                                                 \
    }

static const bool adds_to_gradient = true, takes_off = false;

#define ADAM(name, stem_, coupled, params, avgs, sqs, maxes, scale, found)                                   \
    static const struct parameter of_##coupled[] = {                                                         \
        [PARAMS] = FLOAT_LIST(#params, BOTH, ),                                                              \
        [GRADS] = FLOAT_LIST("grads", READ, ),                                                               \
        [AVGS] = FLOAT_LIST(#avgs, BOTH, ),                                                                  \
        [AVG_SQS] = FLOAT_LIST(#sqs, BOTH, ),                                                                \
        [MAX_AVG_SQS] = FLOAT_LIST(#maxes, BOTH, .is_optional = true, .is_partly_read = true),               \
        [STEPS] = READ("stateSteps", &dtypes_fp32_int64, .kind = PARAMETER_TENSOR_LIST, .sample = "1"),      \
        [SCALE] = READ(#scale, &dtypes_fp32, .is_optional = true, .sample = "1"),                            \
        [FOUND] = READ(#found, &dtypes_fp32, .is_optional = true, .sample = "1"),                            \
        [LR] = USUAL("lr", DOUBLE, "0.001"),                                                                 \
        [BETA1] = USUAL("beta1", DOUBLE, "0.9"),                                                             \
        [BETA2] = USUAL("beta2", DOUBLE, "0.999"),                                                           \
        [DECAY] = USUAL("weightDecay", DOUBLE, "0"),                                                         \
        [EPS] = USUAL("eps", DOUBLE, "1e-08"),                                                               \
        [AMSGRAD] = USUAL("amsgrad", BOOL, "false"),                                                         \
        [MAXIMIZE] = USUAL("maximize", BOOL, "false"),                                                       \
    };                                                                                                       \
    FUNCTION(name,                                                                                           \
             (aclTensorList * params, const aclTensorList *grads, aclTensorList *avgs, aclTensorList *sqs,   \
              aclTensorList *maxes, const aclTensorList *stateSteps, const aclTensor *scale,                 \
              const aclTensor *found, double lr, double beta1, double beta2, double weightDecay, double eps, \
              bool amsgrad, bool maximize),                                                                  \
             (ARG(params), ARG(grads), ARG(avgs), ARG(sqs), ARG(maxes), ARG(stateSteps), ARG(scale),         \
              ARG(found), ARG(lr), ARG(beta1), ARG(beta2), ARG(weightDecay), ARG(eps), ARG(amsgrad),         \
              ARG(maximize)),                                                                                \
             .stem = stem_, PARAMETERS(of_##coupled), .of_family = &coupled, .infer = infer_adam, OPTIMIZER)
ADAM(aclnnFusedAdam, "fused_adam", adds_to_gradient, params, expAvgs, expAvgSqs, maxExpAvgSqs, gradScale,
     foundInf);
ADAM(aclnnFusedAdamw, "fused_adamw", takes_off, paramsRef, expAvgsRef, expAvgSqsRef, maxExpAvgSqsRef,
     gradScaleOptional, foundInfOptional);

static const struct parameter of_sgd[] = {
    [PARAMS] = FLOAT_LIST("params", BOTH, ),
    [GRADS] = FLOAT_LIST("grads", READ, ),
    [BUFFERS] = FLOAT_LIST("momentumBuffers", BOTH, .is_optional = true, .is_partly_read = true),
    [SGD_SCALE] = READ("gradScale", &dtypes_fp32, .is_optional = true, .sample = "1"),
    [SGD_DECAY] = USUAL("weightDecay", FLOAT, "0"),
    [MOMENTUM] = USUAL("momentum", FLOAT, "0.9"),
    [SGD_LR] = USUAL("lr", FLOAT, "0.001"),
    [DAMPENING] = USUAL("dampening", FLOAT, "0"),
    [NESTEROV] = USUAL("nesterov", BOOL, "false"),
    [SGD_MAXIMIZE] = USUAL("maximize", BOOL, "false"),
    [IS_FIRST] = USUAL("isFirstStep", BOOL, "false"),
};
FUNCTION(aclnnFusedSgd,
         (aclTensorList * params, const aclTensorList *grads, aclTensorList *momentumBuffers,
          const aclTensor *gradScale, float weightDecay, float momentum, float lr, float dampening,
          bool nesterov, bool maximize, bool isFirstStep),
         (ARG(params), ARG(grads), ARG(momentumBuffers), ARG(gradScale), ARG(weightDecay), ARG(momentum),
          ARG(lr), ARG(dampening), ARG(nesterov), ARG(maximize), ARG(isFirstStep)),
         .stem = "fused_sgd", PARAMETERS(of_sgd), .infer = infer_sgd, OPTIMIZER);
