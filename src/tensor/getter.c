/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclGetViewShape and the other questions about a tensor.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/report.h"
#include "tensor/description.h"
#include "tensor/lifetime.h"

/*
 * Programs in C++ release the arrays with delete[], so they come from operator new[] where there is a C++
 * runtime (its personality routine tells: a sanitizer's runtime defines the operators in C programs too), in
 * the form that does not throw. Its second argument is an empty tag.
 */
extern void *cxx_new_array(size_t bytes, const char *nothrow) __asm__("_ZnamRKSt9nothrow_t")
    __attribute__((weak));
extern char cxx_runtime[] __asm__("__gxx_personality_v0") __attribute__((weak));

int64_t *dims_for_program(uint32_t count)
{
    /* Not 0 bytes, for which malloc may answer NULL. */
    size_t bytes = (count > 0 ? count : 1) * sizeof(int64_t);
    if (cxx_new_array != NULL && cxx_runtime != NULL)
        return (int64_t *)cxx_new_array(bytes, "");
    return (int64_t *)malloc(bytes);
}

/* argument is the name of the result that is NULL, or NULL when none is. */
static aclnnStatus describe(const char *api, const aclTensor *tensor, const char *argument,
                            struct tensor_description *description)
{
    TRY(lifetime_check());
    if (tensor == NULL)
        return report_misuse(RULE_HANDLE, ACLNN_ERR_PARAM_NULLPTR, "%s: tensor is NULL; a tensor is expected",
                             api);
    if (argument != NULL)
        return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL; where to put the result is expected", api,
                    argument);
    if (!tensor_describe(tensor, description))
        return report_misuse(tensor_rule(tensor), ACLNN_ERR_PARAM_INVALID,
                             "%s: tensor %s; a tensor is expected", api, tensor_fault(tensor));
    return ACLNN_SUCCESS;
}

static aclnnStatus give(const char *api, const int64_t *values, uint32_t count, int64_t **array,
                        uint64_t *array_count)
{
    int64_t *copy = dims_for_program(count);
    if (copy == NULL)
        return fail(ACLNN_ERR_INNER, "%s: there is no memory for %u numbers", api, (unsigned)count);
    for (uint32_t i = 0; i < count; i++)
        copy[i] = values[i];
    *array = copy;
    *array_count = count;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum)
{
    struct tensor_description description;
    const char *missing = viewDims == NULL ? "viewDims" : viewDimsNum == NULL ? "viewDimsNum" : NULL;
    TRY(describe("aclGetViewShape", tensor, missing, &description));
    return give("aclGetViewShape", description.shape, description.rank, viewDims, viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum)
{
    struct tensor_description description;
    const char *missing = storageDims == NULL      ? "storageDims"
                          : storageDimsNum == NULL ? "storageDimsNum"
                                                   : NULL;
    TRY(describe("aclGetStorageShape", tensor, missing, &description));
    return give("aclGetStorageShape", description.storage_shape, description.storage_rank, storageDims,
                storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum)
{
    struct tensor_description description;
    const char *missing = stridesValue == NULL ? "stridesValue" : stridesNum == NULL ? "stridesNum" : NULL;
    TRY(describe("aclGetViewStrides", tensor, missing, &description));
    return give("aclGetViewStrides", description.stride, description.rank, stridesValue, stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset)
{
    struct tensor_description description;
    TRY(describe("aclGetViewOffset", tensor, offset == NULL ? "offset" : NULL, &description));
    *offset = description.offset;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format)
{
    struct tensor_description description;
    TRY(describe("aclGetFormat", tensor, format == NULL ? "format" : NULL, &description));
    *format = description.format;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType)
{
    struct tensor_description description;
    TRY(describe("aclGetDataType", tensor, dataType == NULL ? "dataType" : NULL, &description));
    *dataType = description.dtype;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr)
{
    TRY(lifetime_check());
    if (tensor == NULL)
        return report_misuse(RULE_HANDLE, ACLNN_ERR_PARAM_NULLPTR,
                             "aclGetRawTensorAddr: tensor is NULL; a tensor is expected");
    if (addr == NULL)
        return fail(ACLNN_ERR_PARAM_NULLPTR,
                    "aclGetRawTensorAddr: addr is NULL; where to put the result is expected");
    void *data;
    if (!tensor_address(tensor, &data))
        return report_misuse(tensor_rule(tensor), ACLNN_ERR_PARAM_INVALID,
                             "aclGetRawTensorAddr: tensor %s; a tensor is expected", tensor_fault(tensor));
    *addr = data;
    return ACLNN_SUCCESS;
}

/* addr NULL: 161001, as for the tensor; the address to be set later is given by creating the tensor with
 * NULL. */
aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr)
{
    TRY(lifetime_check());
    if (tensor == NULL)
        return report_misuse(RULE_HANDLE, ACLNN_ERR_PARAM_NULLPTR,
                             "aclSetRawTensorAddr: tensor is NULL; a tensor is expected");
    if (addr == NULL)
        return fail(ACLNN_ERR_PARAM_NULLPTR, "aclSetRawTensorAddr: addr is NULL; an address is expected");
    uint32_t version;
    if (!tensor_set_address(tensor, addr, &version))
        return report_misuse(tensor_rule(tensor), ACLNN_ERR_PARAM_INVALID,
                             "aclSetRawTensorAddr: tensor %s; a tensor is expected", tensor_fault(tensor));
    return ACLNN_SUCCESS;
}
