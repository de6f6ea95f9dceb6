/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclTensorList and aclScalarList. A list owns its elements: destroying it destroys them. Many programs
 * destroy some of them before, which is why elements that are gone are passed over.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/report.h"
#include "tensor/array.h"
#include "tensor/lifetime.h"
#include "tensor/tensor.h"

aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)
{
    return (aclTensorList *)array_create("aclCreateTensorList", HANDLE_TENSOR_LIST, value, size);
}

aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size)
{
    return (aclScalarList *)array_create("aclCreateScalarList", HANDLE_SCALAR_LIST, value, size);
}

aclnnStatus aclDestroyTensorList(const aclTensorList *array)
{
    void *values;
    uint64_t count;
    if (array == NULL)
        return ACLNN_SUCCESS;
    TRY(lifetime_check());
    if (!array_take(HANDLE_TENSOR_LIST, array, &values, &count))
        return report_misuse(array_rule(HANDLE_TENSOR_LIST, array), ACLNN_ERR_PARAM_INVALID,
                             "aclDestroyTensorList: array %s; a live tensor list or NULL is expected",
                             array_fault(HANDLE_TENSOR_LIST, array));
    const aclTensor *const *tensors = (const aclTensor *const *)values;
    for (uint64_t i = 0; i < count; i++)
        (void)tensor_destroy(tensors[i]);
    free(values);
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyScalarList(const aclScalarList *array)
{
    void *values;
    uint64_t count;
    if (array == NULL)
        return ACLNN_SUCCESS;
    TRY(lifetime_check());
    if (!array_take(HANDLE_SCALAR_LIST, array, &values, &count))
        return report_misuse(array_rule(HANDLE_SCALAR_LIST, array), ACLNN_ERR_PARAM_INVALID,
                             "aclDestroyScalarList: array %s; a live scalar list or NULL is expected",
                             array_fault(HANDLE_SCALAR_LIST, array));
    const aclScalar *const *scalars = (const aclScalar *const *)values;
    for (uint64_t i = 0; i < count; i++)
        (void)scalar_destroy(scalars[i]);
    free(values);
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size)
{
    return array_size("aclGetTensorListSize", HANDLE_TENSOR_LIST, tensorList, size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size)
{
    return array_size("aclGetScalarListSize", HANDLE_SCALAR_LIST, scalarList, size);
}
