/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors, scalars, arrays, lists and executors: what the aclnn operators take.
 *
 * - Creators return NULL on failure; all other functions return 0 or an ACLNN_ERR_* code. The reason in a
 *   sentence is in aclGetRecentErrMsg().
 * - Objects are looked up, never dereferenced: one that is stale, foreign or of another kind is 161002.
 * - An object may be used by several threads at a time as long as none of them changes it. Operators copy
 *   what they need in phase 1; objects may be destroyed as soon as phase 2 has returned, although the work is
 *   queued. Device memory must stay until the stream has been synchronised.
 * - 361001 when an environment variable is not understood, and in the child of a fork() of a process that had
 *   used the library (creators: NULL).
 */
#ifndef BELAY_ACLNN_ACL_META_H
#define BELAY_ACLNN_ACL_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
/* By itself, as the header above may be the one that PyTorch for Ascend brings. */
#include "acl/error_codes/status_code.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct aclOpExecutor aclOpExecutor;
typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;
typedef int32_t aclnnStatus;

BELAY_STATUS_CODE(aclnnStatus, ACLNN_SUCCESS, 0);
#ifdef __cplusplus
/* In C the name is too common to take. */
BELAY_STATUS_CODE(aclnnStatus, OK, 0);
#endif

/* A required argument is NULL. */
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_PARAM_NULLPTR, 161001);
/* An argument that the function does not take: a dtype, a shape, a value, a handle. */
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_PARAM_INVALID, 161002);
/* The runtime refused: the stream, the context, the environment. */
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_RUNTIME_ERROR, 361001);
/* An executor that is not usable, or a function that is not supported. */
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_INNER, 561000);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_INNER_INFERSHAPE_ERROR, 561001);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_INNER_TILING_ERROR, 561002);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_INNER_FIND_KERNEL_ERROR, 561003);
/* Memory for an executor ran out. */
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_INNER_CREATE_EXECUTOR, 561101);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR, 561102);
/* NULL for the executor, or with one, where a function of executors wants an object. */
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_INNER_NULLPTR, 561103);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_WRONG_ATTR_INFO_SIZE, 561104);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_KEY_CONFLICT, 561105);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_INVALID_IMPL_MODE, 561106);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_OPP_PATH_NOT_FOUND, 561107);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_LOAD_JSON_FAILED, 561108);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_JSON_VALUE_NOT_FOUND, 561109);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_JSON_FORMAT_INVALID, 561110);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_JSON_DTYPE_INVALID, 561111);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_OPP_KERNEL_PKG_NOT_FOUND, 561112);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_OP_FILE_INVALID, 561113);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_ATTR_NUM_OUT_OF_BOUND, 561114);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_ATTR_LEN_NOT_ENOUGH, 561115);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_INPUT_NUM_IN_JSON_TOO_LARGE, 561116);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_INPUT_JSON_IS_NULL, 561117);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_STATIC_WORKSPACE_INVALID, 561118);
BELAY_STATUS_CODE(aclnnStatus, ACLNN_ERR_STATIC_BLOCK_DIM_INVALID, 561119);

/*
 * Describes device memory as a tensor. Dims and strides are copied; the memory stays the program's.
 * - viewDims, viewDimsNum: the shape; rank 0 is one element
 * - stride: viewDimsNum strides in elements; NULL means contiguous, the last dim fastest
 * - offset: of the first element from tensorData, in elements
 * - storageDims, storageDimsNum: the shape of the memory, for aclGetStorageShape; operators go by the view
 * - tensorData: a device address, or NULL until aclSetRawTensorAddr
 *
 * Almost nothing is judged here: negative dims, unknown dtypes and NULL memory make a tensor that operators
 * refuse. NULL when viewDims or storageDims is NULL with a count above 0, when there are more than 25 dims,
 * or when memory runs out. End it with aclDestroyTensor.
 */
aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t *stride, int64_t offset, aclFormat format,
                           const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData);

/*
 * Changes a tensor in place; the arguments are those of aclCreateTensor. NULL dims or a NULL address leave
 * what was there; NULL strides mean contiguous ones where dims are given. 161001: tensor is NULL. 161002: not
 * a live tensor, or more than 25 dims.
 */
aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum,
                          aclDataType dataType, const int64_t *stride, int64_t offset, aclFormat format,
                          const int64_t *storageDims, uint64_t storageDimsNum, void *tensorDataAddr);

/*
 * Copies one value of dataType from host memory; a BOOL is one byte. NULL when value is NULL, for STRING,
 * INT4, UINT1, COMPLEX32 and unknown dtypes, or when memory runs out. End it with aclDestroyScalar.
 */
aclScalar *aclCreateScalar(void *value, aclDataType dataType);

/* Copy size values from host memory. NULL or 0 make an empty array. NULL when memory runs out. */
aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size);
aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size);
aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size);

/*
 * Lists of size objects; entries may be NULL, and value NULL makes an empty list. The list owns the objects
 * from here on: destroying it destroys them. NULL when memory runs out.
 */
aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size);
aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size);

/*
 * End an object, never device memory. 0 for NULL. 161002, and nothing is freed: not a live object of that
 * kind, a second destroy included.
 */
aclnnStatus aclDestroyTensor(const aclTensor *tensor);
aclnnStatus aclDestroyScalar(const aclScalar *scalar);
aclnnStatus aclDestroyIntArray(const aclIntArray *array);
aclnnStatus aclDestroyFloatArray(const aclFloatArray *array);
aclnnStatus aclDestroyBoolArray(const aclBoolArray *array);

/* End a list and every object in it that is still live. The codes of the functions before. */
aclnnStatus aclDestroyTensorList(const aclTensorList *array);
aclnnStatus aclDestroyScalarList(const aclScalarList *array);

/*
 * The shape of the view, the shape of the storage, the strides in elements: a new array, which the caller
 * frees with delete[] (C++) or free (C; see docs/compatibility.md), and its length. 161001: an argument is
 * NULL. 161002: not a live tensor. 561000: memory runs out.
 */
aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum);
aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum);
aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum);

/*
 * One property; the offset is in elements. 161001: an argument is NULL. 161002: not a live object of that
 * kind.
 */
aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset);
aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format);
aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType);
aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size);
aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size);
aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size);
aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size);
aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size);

/*
 * The device address that the view's offset counts from. A new address counts for phase 2 calls from then on.
 * 161001: tensor or addr is NULL (to have no address yet, create the tensor without one). 161002: not a live
 * tensor.
 */
aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr);
aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr);

/*
 * Lets phase 2 run the executor any number of times; the program then ends it with aclDestroyAclOpExecutor.
 * Two threads must not run it at the same time. A second call is 0. 561103: executor is NULL. 561000:
 * an executor that has run, was destroyed, is in use by another thread, or is foreign.
 */
aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor);

/*
 * Ends an executor, run or not; queued work goes on. 561103: executor is NULL. 561000: an executor that phase
 * 2 has consumed, was destroyed, or is foreign; nothing happens then.
 */
aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor);

/*
 * Gives a tensor of an executor a new address between the phases, or between two runs. index counts the
 * operator's arguments that are tensors or tensor lists from 0, in argument order: the inputs, the outputs,
 * or both together; an optional one counts when it is not given, too. The address is also stored in tensor,
 * before the executor is looked at. The spellings with A and a do the same. 561103: tensor or executor is
 * NULL. 161002: not a live tensor, index is too large, or the argument is a list or was not given. 561000:
 * the executor has run, was destroyed, is in use by another thread, or is foreign.
 */
aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr);
aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                   void *addr);
aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr);
aclnnStatus AclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr);
aclnnStatus AclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                   void *addr);
aclnnStatus AclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr);

/*
 * The same for element relativeIndex of the list argument that irIndex counts, by the same rules; that
 * element of tensors gets the address. 561103: tensors, the element or executor is NULL. 161002: not a live
 * list, the element is no live tensor, irIndex is too large or no list argument, or the list that phase 1 saw
 * has no such element. 561000 as above.
 */
aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                         aclTensorList *tensors, void *addr);
aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                          aclTensorList *tensors, void *addr);
aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                    aclTensorList *tensors, void *addr);
aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                         aclTensorList *tensors, void *addr);
aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                          aclTensorList *tensors, void *addr);
aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                    aclTensorList *tensors, void *addr);

/* Not supported: writing an operator's tensors to files. 561000. */
aclnnStatus aclDumpOpTensors(const char *opType, const char *opName, aclTensor **tensors,
                             size_t inputTensorNum, size_t outputTensorNum, aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
