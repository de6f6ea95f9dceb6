/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors whose sizes a contract names one by one.
 */
#include "ops/sizes.h"

#include <string.h>

aclnnStatus check_all_dtypes(const struct call *call)
{
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        const struct parameter *of = &call->function->parameter[i];
        if (of->kind == PARAMETER_TENSOR && parameter_is_read(of) &&
            (!of->is_optional || call_has_elements(call, i)))
            TRY(check_dtype(call, i));
    }
    return ACLNN_SUCCESS;
}

aclnnStatus check_sizes(const struct call *call, unsigned parameter, uint32_t rank, const int64_t *size)
{
    const struct tensor_view *view = &call->tensor[parameter];
    bool fits = view->rank == rank;
    for (uint32_t i = 0; fits && i < rank; i++)
        fits = size[i] < 0 || view->shape[i] == size[i];
    return fits ? ACLNN_SUCCESS
                : refuse(call, "%s has shape %s; %s is expected, -1 standing for any",
                         call_name(call, parameter), shape_text(TEXT, view), dims_text(TEXT, rank, size));
}

aclnnStatus check_optional_sizes(const struct call *call, unsigned parameter, uint32_t rank,
                                 const int64_t *size)
{
    if (parameter == 0 || !call_has_elements(call, parameter))
        return ACLNN_SUCCESS;
    TRY(check_dtype(call, parameter));
    return check_sizes(call, parameter, rank, size);
}

struct output *result_sized(struct result *result, aclDataType dtype, enum dtype_rule rule, uint32_t rank,
                            const int64_t *size)
{
    struct output *output = result_add(result, dtype, rule);
    output->shape_rule = SHAPE_EQUAL;
    output->shape.rank = rank;
    memcpy(output->shape.dim, size, rank * sizeof *size);
    return output;
}

void result_unwanted(struct result *result, aclDataType dtype)
{
    result_add(result, dtype, DTYPE_ANY)->is_unwanted = true;
}
