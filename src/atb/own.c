/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 1 of what is computed here.
 */
#include "atb/own.h"

#include <string.h>

#include "tensor/dtype.h"

static void keep_view(struct executor_view *view, const struct tensor_view *from, uint32_t mode)
{
    *view = (struct executor_view){.dtype = from->dtype, .mode = mode, .rank = from->rank};
    memcpy(view->shape, from->shape, from->rank * sizeof view->shape[0]);
    memcpy(view->stride, from->stride, from->rank * sizeof view->stride[0]);
}

aclnnStatus own_plan(struct setup *setup, const struct operation *operation,
                     const struct own_operand *operand, unsigned count, const void *plan, size_t plan_bytes,
                     uint64_t cost_ns)
{
    struct executor_content *content;
    struct tensor_view view[OUTPUTS_MAX + INPUTS_MAX];
    uint16_t inputs = 0, outputs = 0;
    for (unsigned i = 0; i < count; i++) {
        view[i] = (struct tensor_view){.dtype = ACL_FLOAT};
        if (operand[i].tensor != NULL && (!tensor_read(operand[i].tensor, &view[i]) || !view[i].is_possible))
            return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s has a shape that cannot be", operation->name,
                        operand[i].name);
    }
    TRY(executor_begin(operation, count, 0, plan_bytes, &content));
    for (unsigned i = 0; i < count; i++) {
        const bool is_read = (operand[i].mode & ACCESS_READ) != 0,
                   is_written = (operand[i].mode & ACCESS_WRITTEN) != 0;
        content->operand[i] = (struct executor_operand){
            .tensor = operand[i].tensor,
            .data = view[i].data,
            .offset = view[i].offset,
            .reach = view[i].reach,
            .element_bytes = (uint8_t)dtype_bytes(view[i].dtype),
            .version = view[i].version,
            .parameter = (uint16_t)i,
            .input = is_read ? inputs++ : OPERAND_IN_NO_PLACE,
            .output = is_written ? outputs++ : OPERAND_IN_NO_PLACE,
            .is_empty = view[i].count == 0,
            .name = operand[i].name,
        };
        if (content->view != NULL)
            keep_view(&content->view[i], &view[i], operand[i].mode);
    }
    memcpy(content->plan, plan, plan_bytes);
    content->cost_ns = cost_ns;
    executor_finish(content, &setup->step_bytes, &setup->executor);
    return ACLNN_SUCCESS;
}

int32_t own_step(struct setup *setup, const struct operation *operation, launch_function *launch,
                 const struct own_operand *operand, unsigned count, const void *plan, size_t plan_bytes,
                 uint64_t cost_ns)
{
    /* What could not be made is not what is not there. */
    const aclnnStatus status = setup->is_short
                                   ? ACLNN_ERR_INNER
                                   : own_plan(setup, operation, operand, count, plan, plan_bytes, cost_ns);
    return add_step(setup, launch, status);
}
