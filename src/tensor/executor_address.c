/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * New addresses for the tensors of an executor, between its runs. Every function exists in two spellings.
 *
 * The address goes into the tensor first, whatever becomes of the rest, and the operand follows that tensor
 * from then on. An index counts the tensor inputs, the tensor outputs, or all tensor parameters, in argument
 * order.
 */
#include "check/report.h"
#include "runtime/error.h"
#include "tensor/array.h"
#include "tensor/executor_claim.h"
#include "tensor/lifetime.h"

enum operand_set { INPUTS, OUTPUTS, ALL };

static const char *const set_names[] = {
    [INPUTS] = "tensor inputs", [OUTPUTS] = "tensor outputs", [ALL] = "tensor parameters"};

/* The operand with this index among those of the set; NULL and *count when there are fewer. */
static struct executor_operand *operand_at(struct executor *executor, enum operand_set set, size_t index,
                                           size_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < executor->content.operand_count; i++) {
        struct executor_operand *operand = &executor->content.operand[i];
        if (set != ALL && operand->is_output != (set == OUTPUTS) && !operand->is_in_place)
            continue;
        if ((*count)++ == index)
            return operand;
    }
    return NULL;
}

static aclnnStatus store(const char *api, aclTensor *tensor, void *addr, uint32_t *version)
{
    if (!tensor_set_address(tensor, addr, version))
        return report_misuse(RULE_HANDLE, ACLNN_ERR_PARAM_INVALID, "%s: tensor %s; a tensor is expected", api,
                             tensor_fault(tensor));
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

static aclnnStatus set_address(const char *api, aclOpExecutor *executor, enum operand_set set, size_t index,
                               aclTensor *tensor, void *addr)
{
    TRY(lifetime_check());
    if (tensor == NULL)
        return report_misuse(RULE_HANDLE, ACLNN_ERR_INNER_NULLPTR, "%s: tensor is NULL; a tensor is expected",
                             api);
    uint32_t version;
    TRY(store(api, tensor, addr, &version));
    struct executor *object;
    TRY(claim(api, executor, &object));
    size_t count;
    struct executor_operand *operand = operand_at(object, set, index, &count);
    if (operand != NULL) {
        operand->tensor = tensor;
        operand->data = addr;
        operand->version = version;
        object->content.argument_count = 0;
        object->device = NO_PLACES;
    }
    const char *operation = object->content.operation->name;
    executor_restore(object, executor);
    if (operand == NULL)
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: index is %zu; %s has %zu %s, counted from 0", api, index,
                    operation, count, set_names[set]);
    return ACLNN_SUCCESS;
}

/* No operator here takes a list of tensors, so no irIndex is in range; the element gets its address all the
 * same. */
static aclnnStatus set_dynamic_address(const char *api, aclOpExecutor *executor, size_t irIndex,
                                       size_t relativeIndex, aclTensorList *tensors, void *addr)
{
    TRY(lifetime_check());
    if (tensors == NULL)
        return fail(ACLNN_ERR_INNER_NULLPTR, "%s: tensors is NULL; a tensor list is expected", api);
    aclTensor *tensor = NULL;
    uint64_t count;
    if (!array_read(HANDLE_TENSOR_LIST, tensors, relativeIndex, 1, &tensor, &count))
        return report_misuse(RULE_HANDLE, ACLNN_ERR_PARAM_INVALID,
                             "%s: tensors %s; a tensor list is expected", api,
                             array_fault(HANDLE_TENSOR_LIST, tensors));
    if (relativeIndex >= count)
        return fail(ACLNN_ERR_PARAM_INVALID,
                    "%s: relativeIndex is %zu; the list has %llu tensors, counted from 0", api, relativeIndex,
                    (unsigned long long)count);
    if (tensor == NULL)
        return fail(ACLNN_ERR_INNER_NULLPTR, "%s: element %zu of tensors is NULL; a tensor is expected", api,
                    relativeIndex);
    uint32_t version;
    TRY(store(api, tensor, addr, &version));
    struct executor *object;
    TRY(claim(api, executor, &object));
    const char *operation = object->content.operation->name;
    executor_restore(object, executor);
    return fail(ACLNN_ERR_PARAM_INVALID, "%s: irIndex is %zu; %s has no parameter that is a tensor list", api,
                irIndex, operation);
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
    return set_dynamic_address("aclSetDynamicInputTensorAddr", executor, irIndex, relativeIndex, tensors,
                               addr);
}

aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                         aclTensorList *tensors, void *addr)
{
    return set_dynamic_address("AclSetDynamicInputTensorAddr", executor, irIndex, relativeIndex, tensors,
                               addr);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                          aclTensorList *tensors, void *addr)
{
    return set_dynamic_address("aclSetDynamicOutputTensorAddr", executor, irIndex, relativeIndex, tensors,
                               addr);
}

aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                          aclTensorList *tensors, void *addr)
{
    return set_dynamic_address("AclSetDynamicOutputTensorAddr", executor, irIndex, relativeIndex, tensors,
                               addr);
}

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                    aclTensorList *tensors, void *addr)
{
    return set_dynamic_address("aclSetDynamicTensorAddr", executor, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                    aclTensorList *tensors, void *addr)
{
    return set_dynamic_address("AclSetDynamicTensorAddr", executor, irIndex, relativeIndex, tensors, addr);
}
