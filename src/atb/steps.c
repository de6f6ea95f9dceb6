/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Setup and Execute as calls of operators: tensors of operands and of the workspace, phase 1 of each call in
 * Setup, phase 2 in Execute.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "atb/operation.h"
#include "tensor/dtype.h"

enum { WORKSPACE_ALIGNMENT = 512 };

int32_t atb_refuse(const struct setup *setup, int32_t status, const char *format, ...)
{
    char text[ERROR_SENTENCE_BYTES / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fail(ACLNN_ERR_PARAM_INVALID, "%s: %s", setup->operation->kind->name, text);
    return status;
}

static void end_one(const struct made *made)
{
    if (made->kind == MADE_ARRAY)
        aclDestroyIntArray((const aclIntArray *)made->object);
    else if (made->kind == MADE_LIST)
        aclDestroyTensorList((const aclTensorList *)made->object);
    else
        aclDestroyTensor((const aclTensor *)made->object);
}

/* Keeps what is to be ended with Setup. */
static void *keep(struct setup *setup, void *object, enum made_kind kind)
{
    const struct made made = {object, kind};
    if (object != NULL && setup->made_count < MADE_MAX) {
        setup->made[setup->made_count++] = made;
        return object;
    }
    setup->is_short = true;
    if (object != NULL)
        end_one(&made);
    return NULL;
}

static void end_made(const struct setup *setup)
{
    for (unsigned i = 0; i < setup->made_count; i++)
        end_one(&setup->made[i]);
}

aclTensor *make_view(struct setup *setup, const struct operand *operand, unsigned rank, const int64_t *size,
                     const int64_t *stride, int64_t offset)
{
    return (aclTensor *)keep(
        setup,
        aclCreateTensor(size, rank, operand->dtype, stride, offset, ACL_FORMAT_ND, size, rank, operand->data),
        MADE_TENSOR);
}

aclTensor *make_tensor(struct setup *setup, const struct operand *operand)
{
    return operand->is_there ? make_view(setup, operand, operand->rank, operand->size, operand->stride, 0)
                             : NULL;
}

aclIntArray *make_array(struct setup *setup, const int64_t *value, uint64_t count)
{
    return (aclIntArray *)keep(setup, aclCreateIntArray(value, count), MADE_ARRAY);
}

aclTensorList *make_list(struct setup *setup, const struct operand *operand, unsigned rank,
                         const int64_t *size, const int64_t *stride)
{
    const aclTensor *tensor =
        aclCreateTensor(size, rank, operand->dtype, stride, 0, ACL_FORMAT_ND, size, rank, operand->data);
    aclTensorList *list = tensor != NULL ? aclCreateTensorList(&tensor, 1) : NULL;
    if (list == NULL)
        aclDestroyTensor(tensor);
    return (aclTensorList *)keep(setup, list, MADE_LIST);
}

bool operand_is_packed(const struct operand *operand)
{
    int64_t stride = 1;
    for (unsigned i = operand->rank; i-- > 0; stride *= operand->size[i])
        if (operand->size[i] > 1 && operand->stride[i] != stride)
            return false;
    return true;
}

int64_t operand_count(const struct operand *operand)
{
    int64_t count = 1;
    for (unsigned i = 0; i < operand->rank; i++)
        count *= operand->size[i];
    return count;
}

static void lay_out(struct operand *operand, unsigned rank, const int64_t *size)
{
    int64_t stride = 1;
    operand->rank = rank;
    for (unsigned i = rank; i-- > 0; stride *= size[i]) {
        operand->size[i] = size[i];
        operand->stride[i] = stride;
    }
}

/* Adds the view of the workspace at a place; its tensor lives until Execute. */
static aclTensor *add_temporary(struct setup *setup, aclDataType dtype, unsigned rank, const int64_t *size,
                                const int64_t *stride, int64_t offset, uint64_t at)
{
    struct atb_operation *operation = setup->operation;
    aclTensor *tensor =
        operation->temporary_count < TEMPORARIES_MAX
            ? aclCreateTensor(size, rank, dtype, stride, offset, ACL_FORMAT_ND, size, rank, NULL)
            : NULL;
    if (tensor == NULL)
        setup->is_short = true;
    else
        operation->temporary[operation->temporary_count++] = (struct temporary){tensor, at};
    return tensor;
}

struct operand make_temporary(struct setup *setup, aclDataType dtype, unsigned rank, const int64_t *size,
                              aclTensor **tensor)
{
    struct operand operand = {.dtype = dtype, .is_there = true, .name = "workspace"};
    const uint64_t at = setup->operation->workspace_bytes;
    lay_out(&operand, rank, size);
    const uint64_t bytes = (uint64_t)operand_count(&operand) * dtype_bytes(dtype);
    setup->operation->workspace_bytes +=
        (bytes + WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
    /* Where it lies stands where others have their address. */
    operand.data = (void *)(uintptr_t)at;
    *tensor = add_temporary(setup, dtype, rank, size, operand.stride, 0, at);
    return operand;
}

aclTensor *view_temporary(struct setup *setup, aclDataType dtype, unsigned rank, const int64_t *size,
                          const int64_t *stride, int64_t offset, const struct operand *temporary)
{
    return add_temporary(setup, dtype, rank, size, stride, offset, (uint64_t)(uintptr_t)temporary->data);
}

/*
 * Dims of size 1 have any stride. Those of the operand are gone through from the last on: a new dim takes whole
 * dims that lie behind one another, or a part of one.
 */
bool operand_reshape(struct operand *operand, unsigned rank, const int64_t *size)
{
    struct operand result = *operand;
    unsigned from = operand->rank;
    int64_t left = 1, stride = 1; /* of the dims that have been begun */
    result.rank = rank;
    for (unsigned i = rank; i-- > 0;) {
        int64_t wanted = size[i];
        result.size[i] = size[i];
        result.stride[i] = 1;
        for (bool is_begun = false; wanted > 1;) {
            while (left == 1 && from > 0) {
                from--;
                if (operand->size[from] == 1)
                    continue;
                /* A dim that goes on with one that it does not lie behind cannot be one. */
                if (is_begun && operand->stride[from] != stride)
                    return false;
                left = operand->size[from];
                stride = operand->stride[from];
            }
            const int64_t taken = left < wanted ? left : wanted;
            if (taken <= 1 || wanted % taken != 0 || left % taken != 0)
                return false;
            if (!is_begun)
                result.stride[i] = stride;
            is_begun = true;
            wanted /= taken;
            left /= taken;
            stride *= taken;
        }
    }
    if (operand_count(&result) != operand_count(operand))
        return false;
    *operand = result;
    return true;
}

int32_t expect_rank(const struct setup *setup, const struct operand *operand, unsigned rank)
{
    return operand->rank == rank ? ATB_NO_ERROR
                                 : atb_refuse(setup, ATB_INVALID_TENSOR, "%s has rank %u; %u is expected",
                                              operand->name, operand->rank, rank);
}

/* What is on the device has been computed by work that was queued before. */
int32_t read_lengths(struct setup *setup, const struct operand *operand, int64_t *length, uint64_t most,
                     uint64_t *count)
{
    enum { AT_ONCE = 64 };
    int32_t host[AT_ONCE];
    const void *source = operand->host;
    *count = (uint64_t)operand_count(operand);
    if (operand->dtype != ACL_INT32 || *count > most || !operand_is_packed(operand))
        return atb_refuse(setup, ATB_INVALID_TENSOR,
                          "%s has %" PRIu64 " elements of %s; at most %" PRIu64
                          " of INT32 in one piece are expected",
                          operand->name, *count, dtype_name(operand->dtype), most);
    if (source == NULL && *count > 0) {
        aclrtPtrAttributes attributes = {0};
        TRY(aclrtPointerGetAttributes(operand->data, &attributes));
        if (attributes.location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
            source = operand->data;
        else
            TRY(aclrtSynchronizeStream(setup->stream));
    }
    for (uint64_t at = 0; at < *count; at += AT_ONCE) {
        const uint64_t piece = *count - at < AT_ONCE ? *count - at : AT_ONCE;
        const size_t bytes = (size_t)piece * sizeof host[0];
        if (source != NULL)
            memcpy(host, (const int32_t *)source + at, bytes);
        else
            TRY(aclrtMemcpy(host, bytes, (const int32_t *)operand->data + at, bytes,
                            ACL_MEMCPY_DEVICE_TO_HOST));
        for (uint64_t i = 0; i < piece; i++)
            length[at + i] = host[i];
    }
    return ATB_NO_ERROR;
}

int32_t add_step(struct setup *setup, launch_function *launch, aclnnStatus status)
{
    struct atb_operation *operation = setup->operation;
    if (setup->is_short || (status == 0 && operation->step_count == STEPS_MAX)) {
        if (status == 0)
            aclDestroyAclOpExecutor(setup->executor);
        return atb_refuse(setup, ATB_INTERNAL_ERROR, "there is no memory for its tensors");
    }
    if (status != 0)
        return ATB_INVALID_PARAM;
    operation->step[operation->step_count++] =
        (struct step){launch, setup->executor, operation->workspace_bytes, setup->step_bytes};
    operation->workspace_bytes +=
        (setup->step_bytes + WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
    return ATB_NO_ERROR;
}

static void end_temporaries(struct atb_operation *operation)
{
    for (unsigned i = 0; i < operation->temporary_count; i++)
        aclDestroyTensor(operation->temporary[i].tensor);
    operation->temporary_count = 0;
}

void operation_forget(struct atb_operation *operation)
{
    for (unsigned i = 0; i < operation->step_count; i++)
        aclDestroyAclOpExecutor(operation->step[i].executor);
    operation->step_count = 0;
    operation->is_set_up = false;
    operation->workspace_bytes = 0;
    end_temporaries(operation);
}

/* Whether there can be so many elements: clients in C++ write dims that nobody has looked at. */
static bool has_possible_dims(const struct operand *operand)
{
    int64_t count = 16; /* bytes of the longest element */
    bool is_possible = operand->rank <= ATB_RANK_MAX;
    for (unsigned i = 0; is_possible && i < operand->rank; i++)
        is_possible = operand->size[i] >= 0 &&
                      !__builtin_mul_overflow(count, operand->size[i] > 0 ? operand->size[i] : 1, &count);
    return is_possible;
}

static int32_t check_operands(const struct setup *setup)
{
    const struct kind *kind = setup->operation->kind;
    if (setup->in_count < kind->inputs_least || setup->in_count > kind->inputs ||
        setup->out_count < kind->outputs_least || setup->out_count > kind->outputs)
        return atb_refuse(setup, ATB_INVALID_TENSOR_COUNT,
                          "there are %u inputs and %u outputs; %d to %d and %d to %d are expected",
                          setup->in_count, setup->out_count, kind->inputs_least, kind->inputs,
                          kind->outputs_least, kind->outputs);
    for (unsigned i = 0; i < setup->in_count + setup->out_count; i++) {
        const bool is_input = i < setup->in_count;
        const struct operand *operand = is_input ? &setup->in[i] : &setup->out[i - setup->in_count];
        const bool may_be_absent =
            is_input ? (kind->optional_inputs >> i & 1) != 0 : i - setup->in_count >= kind->outputs_least;
        if (!operand->is_there && !may_be_absent)
            return atb_refuse(setup, ATB_INVALID_TENSOR, "%s is not there; a tensor is expected",
                              operand->name);
        if (operand->is_there && !has_possible_dims(operand))
            return atb_refuse(
                setup, ATB_INVALID_TENSOR,
                "%s has dims that no tensor has; at most %d, none of them negative, are expected",
                operand->name, ATB_RANK_MAX);
    }
    return ATB_NO_ERROR;
}

int32_t operation_prepare(struct setup *setup, const void *param, uint64_t *workspace_bytes)
{
    struct atb_operation *operation = setup->operation;
    operation_forget(operation);
    *workspace_bytes = 0;
    TRY(check_operands(setup));
    const int32_t status = operation->kind->setup(setup, param);
    end_made(setup);
    if (status != ATB_NO_ERROR)
        operation_forget(operation);
    operation->is_set_up = status == ATB_NO_ERROR;
    *workspace_bytes = operation->workspace_bytes;
    /* A status of the runtime's is none of this interface's. */
    return status >= 0 && status < 100 ? status : ATB_INTERNAL_ERROR;
}

int32_t operation_launch(struct atb_operation *operation, void *workspace, uint64_t workspace_bytes,
                         aclrtStream stream)
{
    int32_t status = ATB_NO_ERROR;
    if (!operation->is_set_up) {
        fail(ACLNN_ERR_PARAM_INVALID,
             "%s: Execute is called without a Setup that succeeded before it and was not executed yet; one "
             "Setup for each Execute is expected",
             operation->kind->name);
        return ATB_INVALID_OPERATION;
    }
    if (workspace_bytes < operation->workspace_bytes ||
        (workspace == NULL && operation->workspace_bytes > 0)) {
        fail(ACLNN_ERR_PARAM_INVALID, "%s: the workspace has %" PRIu64 " bytes; %" PRIu64 " are expected",
             operation->kind->name, workspace == NULL ? 0 : workspace_bytes, operation->workspace_bytes);
        operation_forget(operation);
        return ATB_INVALID_WORKSPACE;
    }
    for (unsigned i = 0; i < operation->temporary_count; i++)
        aclSetRawTensorAddr(operation->temporary[i].tensor,
                            (unsigned char *)workspace + operation->temporary[i].at);
    unsigned done = 0;
    for (; done < operation->step_count && status == ATB_NO_ERROR; done++) {
        const struct step *step = &operation->step[done];
        void *own = step->workspace_bytes > 0 ? (unsigned char *)workspace + step->workspace_at : NULL;
        if (step->launch(own, step->workspace_bytes, step->executor, stream) != 0)
            status = ATB_INTERNAL_ERROR;
    }
    for (; done < operation->step_count; done++)
        aclDestroyAclOpExecutor(operation->step[done].executor);
    operation->step_count = 0;
    operation_forget(operation);
    return status;
}
