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
#include "tensor/dtype.h"

LEVEL_TABLE(rows_function, adam, adam);
LEVEL_TABLE(rows_function, adam_rates, adam_rates);

/* The places of parameters: those of ApplyAdamWV2 behind the tensors, and those of ApplyAdamW and
 * ApplyAdam. */
enum { STEP = OPTIMIZER_TENSORS, LR, BETA1, BETA2, DECAY, EPS, AMSGRAD, MAXIMIZE };
enum { POWER1 = V + 1, POWER2, W_LR, W_DECAY, W_BETA1, W_BETA2, W_EPS, W_GRAD, W_MAX, W_AMSGRAD, W_MAXIMIZE };
enum { A_LR = POWER2 + 1, A_BETA1, A_BETA2, A_EPS, A_GRAD, A_LOCKING, A_NESTEROV };

/* The numbers of ApplyAdamW and ApplyAdam, from both powers on. */
enum { NUMBERS_MAX = W_GRAD - POWER1 };

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
    if (call->argument[AMSGRAD].boolean)
        TRY(check_given(call, MAX, "amsgrad"));
    TRY(check_tensors(call, GRAD, MAX, true, STEP, 1));
    add_written(call, result, MAX);
    return ACLNN_SUCCESS;
}

static bool is_w(const struct call *call)
{
    return call->function->parameter_count > A_NESTEROV + 1;
}

static aclnnStatus infer_by_tensors(const struct call *call, struct result *result)
{
    const unsigned grad = is_w(call) ? W_GRAD : A_GRAD;
    if (is_w(call) && call->argument[W_AMSGRAD].boolean)
        TRY(check_given(call, W_MAX, "amsgrad"));
    TRY(check_tensors(call, grad, is_w(call) ? W_MAX : VAR, false, POWER1, grad - POWER1));
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
    const struct adam_numbers numbers = {.lr = (double)argument[LR].fp32,
                                         .beta1 = (double)argument[BETA1].fp32,
                                         .beta2 = (double)argument[BETA2].fp32,
                                         .decay = (double)argument[DECAY].fp32,
                                         .eps = (double)argument[EPS].fp32,
                                         .amsgrad = argument[AMSGRAD].boolean,
                                         .maximize = argument[MAXIMIZE].boolean};
    (void)result;
    return plan_step(call, GRAD, MAX, STEP, 1, &numbers);
}

static aclnnStatus plan_by_tensors(const struct call *call, const struct result *result)
{
    struct adam_numbers numbers = {.max_is_v = true};
    (void)result;
    if (is_w(call)) {
        numbers.amsgrad = call->argument[W_AMSGRAD].boolean;
        numbers.maximize = call->argument[W_MAXIMIZE].boolean;
    } else
        numbers.is_nesterov = call->argument[A_NESTEROV].boolean;
    const unsigned grad = is_w(call) ? W_GRAD : A_GRAD;
    return plan_step(call, grad, W_MAX, POWER1, grad - POWER1, &numbers);
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
        numbers.lr = given[W_LR - POWER1];
        numbers.decay = given[W_DECAY - POWER1];
        numbers.beta1 = given[W_BETA1 - POWER1];
        numbers.beta2 = given[W_BETA2 - POWER1];
        numbers.eps = given[W_EPS - POWER1];
        numbers.rate = numbers.lr / (1 - given[0] * numbers.beta1);
        numbers.root = 1 / __builtin_sqrt(1 - given[1] * numbers.beta2);
    } else { /* Adam: with this step */
        numbers.lr = given[A_LR - POWER1];
        numbers.beta1 = given[A_BETA1 - POWER1];
        numbers.beta2 = given[A_BETA2 - POWER1];
        numbers.eps = given[A_EPS - POWER1];
        numbers.rate = numbers.lr * __builtin_sqrt(1 - given[1]) / (1 - given[0]);
        numbers.root = 1;
    }
    optimizer_run(&plan->walk, &numbers, address);
    return 0;
}

#define STEP_OF_ADAM  .family = FAMILY_COMPOSITE, .promise = &promise_formula, .operation.run = run
#define CHANGED(name) BOTH(name, &dtypes_fp32_fp16_bf16)
#define ONE(name)     READ(name, &dtypes_fp32_fp16_bf16, .sample = "1")

static const struct parameter of_v2[] = {
    [VAR] = CHANGED("varRef"),
    [M] = CHANGED("mRef"),
    [V] = CHANGED("vRef"),
    [MAX] = BOTH("maxGradNormOptionalRef", &dtypes_fp32_fp16_bf16, .is_optional = true,
                 .is_partly_read = true), /* with amsgrad */
    [GRAD] = READ("grad", &dtypes_fp32_fp16_bf16),
    [STEP] = READ("step", &dtypes_fp32_int64, .sample = "1"),
    [LR] = USUAL("lr", FLOAT, "0.001"),
    [BETA1] = USUAL("beta1", FLOAT, "0.9"),
    [BETA2] = USUAL("beta2", FLOAT, "0.999"),
    [DECAY] = USUAL("weightDecay", FLOAT, "0.01"),
    [EPS] = USUAL("eps", FLOAT, "1e-08"),
    [AMSGRAD] = USUAL("amsgrad", BOOL, "false"),
    [MAXIMIZE] = USUAL("maximize", BOOL, "false"),
};
FUNCTION(aclnnApplyAdamWV2,
         (aclTensor * varRef, aclTensor *mRef, aclTensor *vRef, aclTensor *maxGradNormOptionalRef,
          const aclTensor *grad, const aclTensor *step, float lr, float beta1, float beta2, float weightDecay,
          float eps, bool amsgrad, bool maximize),
         (ARG(varRef), ARG(mRef), ARG(vRef), ARG(maxGradNormOptionalRef), ARG(grad), ARG(step), ARG(lr),
          ARG(beta1), ARG(beta2), ARG(weightDecay), ARG(eps), ARG(amsgrad), ARG(maximize)),
         .stem = "apply_adam_w_v2", PARAMETERS(of_v2), STEP_OF_ADAM, .infer = infer_v2, .plan = plan_v2);

static const struct parameter of_w[] = {
    [VAR] = CHANGED("varRef"),
    [M] = CHANGED("mRef"),
    [V] = CHANGED("vRef"),
    [POWER1] = ONE("beta1Power"),
    [POWER2] = ONE("beta2Power"),
    [W_LR] = ONE("lr"),
    [W_DECAY] = ONE("weightDecay"),
    [W_BETA1] = ONE("beta1"),
    [W_BETA2] = ONE("beta2"),
    [W_EPS] = ONE("eps"),
    [W_GRAD] = READ("grad", &dtypes_fp32_fp16_bf16),
    [W_MAX] =
        READ("maxGradNormOptional", &dtypes_fp32_fp16_bf16, .is_optional = true, .is_partly_read = true),
    [W_AMSGRAD] = USUAL("amsgrad", BOOL, "false"),
    [W_MAXIMIZE] = USUAL("maximize", BOOL, "false"),
};
FUNCTION(aclnnApplyAdamW,
         (aclTensor * varRef, aclTensor *mRef, aclTensor *vRef, const aclTensor *beta1Power,
          const aclTensor *beta2Power, const aclTensor *lr, const aclTensor *weightDecay,
          const aclTensor *beta1, const aclTensor *beta2, const aclTensor *eps, const aclTensor *grad,
          const aclTensor *maxGradNormOptional, bool amsgrad, bool maximize),
         (ARG(varRef), ARG(mRef), ARG(vRef), ARG(beta1Power), ARG(beta2Power), ARG(lr), ARG(weightDecay),
          ARG(beta1), ARG(beta2), ARG(eps), ARG(grad), ARG(maxGradNormOptional), ARG(amsgrad), ARG(maximize)),
         .stem = "apply_adam_w", PARAMETERS(of_w), STEP_OF_ADAM, .infer = infer_by_tensors,
         .plan = plan_by_tensors);

static const struct parameter of_adam[] = {
    [VAR] = CHANGED("varRef"),
    [M] = CHANGED("mRef"),
    [V] = CHANGED("vRef"),
    [POWER1] = ONE("beta1Power"),
    [POWER2] = ONE("beta2Power"),
    [A_LR] = ONE("lr"),
    [A_BETA1] = ONE("beta1"),
    [A_BETA2] = ONE("beta2"),
    [A_EPS] = ONE("epsilon"),
    [A_GRAD] = READ("grad", &dtypes_fp32_fp16_bf16),
    [A_LOCKING] = USUAL("useLocking", BOOL, "false"),
    [A_NESTEROV] = USUAL("useNesterov", BOOL, "false"),
};
FUNCTION(aclnnApplyAdam,
         (aclTensor * varRef, aclTensor *mRef, aclTensor *vRef, const aclTensor *beta1Power,
          const aclTensor *beta2Power, const aclTensor *lr, const aclTensor *beta1, const aclTensor *beta2,
          const aclTensor *epsilon, const aclTensor *grad, bool useLocking, bool useNesterov),
         (ARG(varRef), ARG(mRef), ARG(vRef), ARG(beta1Power), ARG(beta2Power), ARG(lr), ARG(beta1),
          ARG(beta2), ARG(epsilon), ARG(grad), ARG(useLocking), ARG(useNesterov)),
         .stem = "apply_adam", PARAMETERS(of_adam), STEP_OF_ADAM, .infer = infer_by_tensors,
         .plan = plan_by_tensors);
