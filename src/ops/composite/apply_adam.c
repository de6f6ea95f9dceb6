/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of Adam or AdamW of one tensor. AdamWV2 has numbers and counts steps in a tensor; AdamW and Adam
 * have their numbers, and the powers of beta1 and beta2, in tensors of one element, which are read when the
 * work runs, before anything is written.
 */
#include "aclnnop/aclnn_apply_adam.h"
#include "aclnnop/aclnn_apply_adam_w.h"
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "ops/check.h"
#include "ops/composite/optimizer.h"
#include "ops/rows/normalise.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

LEVEL_TABLE(rows_function, adam, adam);
LEVEL_TABLE(rows_function, adam_rates, adam_rates);

/* The places of parameters: those of ApplyAdamWV2 behind the tensors, and those of ApplyAdamW and
 * ApplyAdam. */
#define CHANGED(X, of, name) X(of, BOTH, name, &dtypes_fp32_fp16_bf16)
#define ONE(X, of, name)     X(of, IN, name, &dtypes_fp32_fp16_bf16, .sample = "1")
#define STATE(X, of)       \
    CHANGED(X, of, varRef) \
    CHANGED(X, of, mRef)   \
    CHANGED(X, of, vRef)
#define POWERS_AND_RATE(X, of) \
    ONE(X, of, beta1Power)     \
    ONE(X, of, beta2Power)     \
    ONE(X, of, lr)
#define APPLY_ADAM_WV2(X, of)                                                                                \
    STATE(X, of)                                                                                             \
    X(of, BOTH, maxGradNormOptionalRef, &dtypes_fp32_fp16_bf16, .is_optional = true, .is_partly_read = true) \
    X(of, IN, grad, &dtypes_fp32_fp16_bf16)                                                                  \
    X(of, IN, step, &dtypes_fp32_int64, .sample = "1")                                                       \
    X(of, FLOAT, lr, .usual = "0.001")                                                                       \
    X(of, FLOAT, beta1, .usual = "0.9")                                                                      \
    X(of, FLOAT, beta2, .usual = "0.999")                                                                    \
    X(of, FLOAT, weightDecay, .usual = "0.01")                                                               \
    X(of, FLOAT, eps, .usual = "1e-08")                                                                      \
    X(of, BOOL, amsgrad, .usual = "false")                                                                   \
    X(of, BOOL, maximize, .usual = "false")
SIGNATURE(APPLY_ADAM_WV2)
#define APPLY_ADAM_W(X, of)                                                                             \
    STATE(X, of)                                                                                        \
    POWERS_AND_RATE(X, of)                                                                              \
    ONE(X, of, weightDecay)                                                                             \
    ONE(X, of, beta1)                                                                                   \
    ONE(X, of, beta2)                                                                                   \
    ONE(X, of, eps)                                                                                     \
    X(of, IN, grad, &dtypes_fp32_fp16_bf16)                                                             \
    X(of, IN, maxGradNormOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .is_partly_read = true) \
    X(of, BOOL, amsgrad, .usual = "false")                                                              \
    X(of, BOOL, maximize, .usual = "false")
SIGNATURE(APPLY_ADAM_W)
#define APPLY_ADAM(X, of)                     \
    STATE(X, of)                              \
    POWERS_AND_RATE(X, of)                    \
    ONE(X, of, beta1)                         \
    ONE(X, of, beta2)                         \
    ONE(X, of, epsilon)                       \
    X(of, IN, grad, &dtypes_fp32_fp16_bf16)   \
    X(of, BOOL, useLocking, .usual = "false") \
    X(of, BOOL, useNesterov, .usual = "false")
SIGNATURE(APPLY_ADAM)

/* The numbers of ApplyAdamW and ApplyAdam, from both powers on. */
enum { NUMBERS_MAX = APPLY_ADAM_W_grad - APPLY_ADAM_W_beta1Power };

struct adam_plan {
    struct optimizer_plan walk;
    rows_function *rates;
    uint32_t first_number, numbers_count; /* among the addresses: the step, or what has no number here */
    aclDataType dtype[NUMBERS_MAX];
    struct adam_numbers numbers;
};

/* The tensors that are written, and what is read beside them: one shape, and one dtype but for the gradient
 * of ApplyAdamWV2; then tensors of one element. */
static aclnnStatus check_tensors(const struct call *call, unsigned grad, unsigned max, bool is_grad_free,
                                 unsigned first_number, unsigned numbers)
{
    const unsigned tensor[] = {VAR, M, V, max, grad};
    const int count = 5;
    for (int i = 0; i < count; i++)
        TRY(call_has(call, tensor[i]) ? check_dtype(call, tensor[i]) : ACLNN_SUCCESS);
    for (unsigned i = first_number; i < first_number + numbers; i++)
        TRY(check_dtype(call, i));
    for (int i = 1; i < count - is_grad_free; i++)
        TRY(call_has(call, tensor[i]) ? check_same_dtype(call, tensor[i], VAR, NULL) : ACLNN_SUCCESS);
    for (int i = 0; i < count; i++)
        TRY(call_has(call, tensor[i]) ? check_rank(call, tensor[i]) : ACLNN_SUCCESS);
    for (unsigned i = first_number; i < first_number + numbers; i++)
        TRY(check_rank(call, i));
    for (int i = 1; i < count; i++)
        TRY(call_has(call, tensor[i]) ? check_same_shape(call, tensor[i], VAR, NULL) : ACLNN_SUCCESS);
    for (unsigned i = first_number; i < first_number + numbers; i++)
        TRY(check_one_element(call, i));
    return ACLNN_SUCCESS;
}

static void add_written(const struct call *call, struct result *result, unsigned last)
{
    result->computed = call_dtype(call, VAR);
    for (unsigned i = VAR; i <= last; i++) {
        struct output *output = result_add(result, result->computed, DTYPE_EQUAL);
        output->like = VAR;
        output->is_unwanted = !call_has(call, i);
    }
}

static aclnnStatus infer_v2(const struct call *call, struct result *result)
{
    if (call->argument[APPLY_ADAM_WV2_amsgrad].boolean)
        TRY(check_given(call, MAX, "amsgrad"));
    TRY(check_tensors(call, GRAD, MAX, true, APPLY_ADAM_WV2_step, 1));
    add_written(call, result, MAX);
    return ACLNN_SUCCESS;
}

static bool is_w(const struct call *call)
{
    return call->function->parameter_count > APPLY_ADAM_useNesterov + 1;
}

static aclnnStatus infer_by_tensors(const struct call *call, struct result *result)
{
    const unsigned grad = is_w(call) ? APPLY_ADAM_W_grad : APPLY_ADAM_grad;
    if (is_w(call) && call->argument[APPLY_ADAM_W_amsgrad].boolean)
        TRY(check_given(call, APPLY_ADAM_W_maxGradNormOptional, "amsgrad"));
    TRY(check_tensors(call, grad, is_w(call) ? APPLY_ADAM_W_maxGradNormOptional : VAR, false,
                      APPLY_ADAM_W_beta1Power, grad - APPLY_ADAM_W_beta1Power));
    add_written(call, result, V);
    return ACLNN_SUCCESS;
}

/* From the first parameter of one element on, so many of them. */
static aclnnStatus plan_step(const struct call *call, unsigned grad, unsigned max, unsigned first,
                             unsigned count, const struct adam_numbers *numbers)
{
    struct executor_content *content;
    void *made;
    if (call->tensor[VAR].count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct adam_plan), &content, &made));
    struct adam_plan *plan = made;
    *plan = (struct adam_plan){.walk = optimizer_plan_of(call, adam),
                               .rates = adam_rates[call->settings->isa],
                               .first_number = call->first_operand[first],
                               .numbers_count = count,
                               .numbers = *numbers};
    for (unsigned i = VAR; i <= V; i++)
        optimizer_add(&plan->walk, i, &call->tensor[i], call->first_operand[i], true);
    if (numbers->amsgrad) /* otherwise it is left alone */
        optimizer_add(&plan->walk, MAX, &call->tensor[max], call->first_operand[max], !numbers->max_is_v);
    optimizer_add(&plan->walk, GRAD, &call->tensor[grad], call->first_operand[grad], false);
    for (unsigned i = 0; i < count; i++)
        plan->dtype[i] = call->tensor[first + i].dtype;
    optimizer_may_be_in_place(&plan->walk, content);
    content->cost_ns = plan->walk.cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_v2(const struct call *call, const struct result *result)
{
    const union argument *argument = call->argument;
    const struct adam_numbers numbers = {.lr = (double)argument[APPLY_ADAM_WV2_lr].fp32,
                                         .beta1 = (double)argument[APPLY_ADAM_WV2_beta1].fp32,
                                         .beta2 = (double)argument[APPLY_ADAM_WV2_beta2].fp32,
                                         .decay = (double)argument[APPLY_ADAM_WV2_weightDecay].fp32,
                                         .eps = (double)argument[APPLY_ADAM_WV2_eps].fp32,
                                         .amsgrad = argument[APPLY_ADAM_WV2_amsgrad].boolean,
                                         .maximize = argument[APPLY_ADAM_WV2_maximize].boolean};
    (void)result;
    return plan_step(call, GRAD, MAX, APPLY_ADAM_WV2_step, 1, &numbers);
}

static aclnnStatus plan_by_tensors(const struct call *call, const struct result *result)
{
    struct adam_numbers numbers = {.max_is_v = true};
    (void)result;
    if (is_w(call)) {
        numbers.amsgrad = call->argument[APPLY_ADAM_W_amsgrad].boolean;
        numbers.maximize = call->argument[APPLY_ADAM_W_maximize].boolean;
    } else
        numbers.is_nesterov = call->argument[APPLY_ADAM_useNesterov].boolean;
    const unsigned grad = is_w(call) ? APPLY_ADAM_W_grad : APPLY_ADAM_grad;
    return plan_step(call, grad, APPLY_ADAM_W_maxGradNormOptional, APPLY_ADAM_W_beta1Power,
                     grad - APPLY_ADAM_W_beta1Power, &numbers);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct adam_plan *plan = prepared;
    struct adam_numbers numbers = plan->numbers;
    (void)scratch;
    double given[NUMBERS_MAX];
    for (uint32_t i = 0; i < plan->numbers_count; i++)
        given[i] = optimizer_number(plan->walk.transfer, address[plan->first_number + i], plan->dtype[i]);
    if (plan->numbers_count == 1) {
        numbers.t = given[0] + 1;
        adam_set_rates(&numbers, plan->rates);
    } else if (plan->numbers_count == NUMBERS_MAX) { /* AdamW: powers of the steps before this one */
        numbers.lr = given[APPLY_ADAM_W_lr - APPLY_ADAM_W_beta1Power];
        numbers.decay = given[APPLY_ADAM_W_weightDecay - APPLY_ADAM_W_beta1Power];
        numbers.beta1 = given[APPLY_ADAM_W_beta1 - APPLY_ADAM_W_beta1Power];
        numbers.beta2 = given[APPLY_ADAM_W_beta2 - APPLY_ADAM_W_beta1Power];
        numbers.eps = given[APPLY_ADAM_W_eps - APPLY_ADAM_W_beta1Power];
        numbers.rate = numbers.lr / (1 - given[0] * numbers.beta1);
        numbers.root = 1 / __builtin_sqrt(1 - given[1] * numbers.beta2);
    } else { /* Adam: with this step */
        numbers.lr = given[APPLY_ADAM_lr - APPLY_ADAM_W_beta1Power];
        numbers.beta1 = given[APPLY_ADAM_beta1 - APPLY_ADAM_W_beta1Power];
        numbers.beta2 = given[APPLY_ADAM_beta2 - APPLY_ADAM_W_beta1Power];
        numbers.eps = given[APPLY_ADAM_epsilon - APPLY_ADAM_W_beta1Power];
        numbers.rate = numbers.lr * __builtin_sqrt(1 - given[1]) / (1 - given[0]);
        numbers.root = 1;
    }
    optimizer_run(&plan->walk, &numbers, address);
    return 0;
}

#define STEP_OF_ADAM .family = FAMILY_COMPOSITE, .promise = &promise_formula, .operation.run = run

FUNCTION_OF(aclnnApplyAdamWV2, APPLY_ADAM_WV2, .stem = "apply_adam_w_v2", STEP_OF_ADAM, .infer = infer_v2,
            .plan = plan_v2);

FUNCTION_OF(aclnnApplyAdamW, APPLY_ADAM_W, .stem = "apply_adam_w", STEP_OF_ADAM, .infer = infer_by_tensors,
            .plan = plan_by_tensors);

FUNCTION_OF(aclnnApplyAdam, APPLY_ADAM, .stem = "apply_adam", STEP_OF_ADAM, .infer = infer_by_tensors,
            .plan = plan_by_tensors);
