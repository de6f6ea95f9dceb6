/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * New addresses for the tensors of an executor, between its runs. Every function exists in two spellings.
 *
 * The address goes into the tensor first, whatever becomes of the rest, and the operand follows that tensor
 * from then on. An index counts the parameters that are tensors or lists of them: the inputs, the outputs, or
 * all, in argument order. The dynamic forms are for lists, the others for tensors.
 */
#include "base/error.h"
#include "base/report.h"
#include "tensor/array.h"
#include "tensor/executor_claim.h"
#include "tensor/lifetime.h"

enum operand_set { INPUTS, OUTPUTS, ALL };

static const char *const set_names[] = {[INPUTS] = "inputs", [OUTPUTS] = "outputs", [ALL] = "parameters"};

static uint16_t place_in(const struct executor_operand *operand, enum operand_set set)
{
    return set == INPUTS ? operand->input : set == OUTPUTS ? operand->output : operand->parameter;
}

/* What a program names: a tensor parameter, or an element of a list. */
struct target {
    enum operand_set set;
    size_t index;
    bool is_of_list;
    size_t element; /* 0 unless is_of_list */
};

/* Why there is no such operand: what stands in that place, or how many places there are. */
static __attribute__((cold)) aclnnStatus
refuse_target(const char *api, const struct executor_content *content, const struct target *target)
{
    const char *name = content->operation->name;
    const char *parameter = target->is_of_list ? "irIndex" : "index";
    uint32_t elements = 0, places = 0;
    const struct executor_operand *found = NULL;
    for (uint32_t i = 0; i < content->operand_count; i++) {
        const struct executor_operand *operand = &content->operand[i];
        uint16_t place = place_in(operand, target->set);
        if (place == OPERAND_IN_NO_PLACE)
            continue;
        places = place + 1u > places ? place + 1u : places;
        if (place == target->index) {
            found = operand;
            elements++;
        }
    }
    if (found == NULL)
        return fail(ACLNN_ERR_PARAM_INVALID,
                    "%s: %s is %zu; %s has %u %s that are tensors or lists of them, counted from 0", api,
                    parameter, target->index, name, (unsigned)places, set_names[target->set]);
    const char *label = found->name != NULL ? found->name : "the parameter";
    if ((found->list_length > 0) != target->is_of_list)
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s is %zu, which in %s is %s, %s; %s is expected", api,
                    parameter, target->index, name, label,
                    found->list_length > 0 ? "a list of tensors" : "a tensor",
                    target->is_of_list ? "a list of tensors" : "a tensor");
    if (target->is_of_list && target->element >= elements)
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: relativeIndex is %zu; %s of %s has %u tensors, from 0 on",
                    api, target->element, label, name, (unsigned)elements);
    return fail(ACLNN_ERR_PARAM_INVALID,
                "%s: %s is %zu, but %s of %s was not given; a tensor that phase 1 saw is expected", api,
                parameter, target->index, label, name);
}

/* The operand that is meant; NULL when there is none. */
static struct executor_operand *find_target(const struct executor_content *content,
                                            const struct target *target)
{
    for (uint32_t i = 0; i < content->operand_count; i++) {
        struct executor_operand *operand = &content->operand[i];
        if (place_in(operand, target->set) == target->index && target->index != OPERAND_IN_NO_PLACE &&
            (operand->list_length > 0) == target->is_of_list &&
            (!target->is_of_list || operand->element == target->element))
            return operand->tensor != NULL ? operand : NULL;
    }
    return NULL;
}

static aclnnStatus store(const char *api, aclTensor *tensor, void *addr, uint32_t *version)
{
    if (!tensor_set_address(tensor, addr, version))
        return report_misuse(tensor_rule(tensor), ACLNN_ERR_PARAM_INVALID,
                             "%s: tensor %s; a tensor is expected", api, tensor_fault(tensor));
    return ACLNN_SUCCESS;
}

static aclnnStatus claim(const char *api, aclOpExecutor *executor, struct executor **object)
{
    if (executor == NULL)
        return report_misuse(RULE_HANDLE, ACLNN_ERR_INNER_NULLPTR,
                             "%s: executor is NULL; an executor is expected", api);
    *object = executor_claim(executor);
    if (*object == NULL)
        return fail(ACLNN_ERR_INNER,
                    "%s: executor %s; one that has not run yet, or a repeatable one, that no other thread "
                    "uses is expected",
                    api, executor_fault(executor));
    return ACLNN_SUCCESS;
}

/* Gives a live tensor the address, and the executor's operand that tensor. */
static aclnnStatus set_operand(const char *api, aclOpExecutor *executor, const struct target *target,
                               aclTensor *tensor, void *addr)
{
    uint32_t version;
    TRY(store(api, tensor, addr, &version));
    struct executor *object;
    TRY(claim(api, executor, &object));
    struct executor_operand *operand = find_target(&object->content, target);
    aclnnStatus status = ACLNN_SUCCESS;
    if (operand == NULL) {
        status = refuse_target(api, &object->content, target);
    } else {
        operand->tensor = tensor;
        operand->data = addr;
        operand->version = version;
        object->content.argument_count = 0;
        object->device = NO_PLACES;
    }
    executor_restore(object, executor);
    return status;
}

static aclnnStatus set_address(const char *api, aclOpExecutor *executor, enum operand_set set, size_t index,
                               aclTensor *tensor, void *addr)
{
    TRY(lifetime_check());
    if (tensor == NULL)
        return report_misuse(RULE_HANDLE, ACLNN_ERR_INNER_NULLPTR, "%s: tensor is NULL; a tensor is expected",
                             api);
    const struct target target = {.set = set, .index = index};
    return set_operand(api, executor, &target, tensor, addr);
}

static aclnnStatus set_dynamic_address(const char *api, aclOpExecutor *executor, enum operand_set set,
                                       size_t irIndex, size_t relativeIndex, aclTensorList *tensors,
                                       void *addr)
{
    TRY(lifetime_check());
    if (tensors == NULL)
        return fail(ACLNN_ERR_INNER_NULLPTR, "%s: tensors is NULL; a tensor list is expected", api);
    aclTensor *tensor = NULL;
    uint64_t count;
    if (!array_read(HANDLE_TENSOR_LIST, tensors, relativeIndex, 1, &tensor, &count))
        return report_misuse(array_rule(HANDLE_TENSOR_LIST, tensors), ACLNN_ERR_PARAM_INVALID,
                             "%s: tensors %s; a tensor list is expected", api,
                             array_fault(HANDLE_TENSOR_LIST, tensors));
    if (relativeIndex >= count)
        return fail(ACLNN_ERR_PARAM_INVALID,
                    "%s: relativeIndex is %zu; the list has %llu tensors, counted from 0", api, relativeIndex,
                    (unsigned long long)count);
    if (tensor == NULL)
        return fail(ACLNN_ERR_INNER_NULLPTR, "%s: element %zu of tensors is NULL; a tensor is expected", api,
                    relativeIndex);
    const struct target target = {set, irIndex, true, relativeIndex};
    return set_operand(api, executor, &target, tensor, addr);
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return set_address("aclSetInputTensorAddr", executor, INPUTS, index, tensor, addr);
}

aclnnStatus AclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return set_address("AclSetInputTensorAddr", executor, INPUTS, index, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return set_address("aclSetOutputTensorAddr", executor, OUTPUTS, index, tensor, addr);
}

aclnnStatus AclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return set_address("AclSetOutputTensorAddr", executor, OUTPUTS, index, tensor, addr);
}

aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return set_address("aclSetTensorAddr", executor, ALL, index, tensor, addr);
}

aclnnStatus AclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return set_address("AclSetTensorAddr", executor, ALL, index, tensor, addr);
}

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                         aclTensorList *tensors, void *addr)
{
    return set_dynamic_address("aclSetDynamicInputTensorAddr", executor, INPUTS, irIndex, relativeIndex,
                               tensors, addr);
}

aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                         aclTensorList *tensors, void *addr)
{
    return set_dynamic_address("AclSetDynamicInputTensorAddr", executor, INPUTS, irIndex, relativeIndex,
                               tensors, addr);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                          aclTensorList *tensors, void *addr)
{
    return set_dynamic_address("aclSetDynamicOutputTensorAddr", executor, OUTPUTS, irIndex, relativeIndex,
                               tensors, addr);
}

aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                          aclTensorList *tensors, void *addr)
{
    return set_dynamic_address("AclSetDynamicOutputTensorAddr", executor, OUTPUTS, irIndex, relativeIndex,
                               tensors, addr);
}

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                    aclTensorList *tensors, void *addr)
{
    return set_dynamic_address("aclSetDynamicTensorAddr", executor, ALL, irIndex, relativeIndex, tensors,
                               addr);
}

aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                    aclTensorList *tensors, void *addr)
{
    return set_dynamic_address("AclSetDynamicTensorAddr", executor, ALL, irIndex, relativeIndex, tensors,
                               addr);
}
