/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Single operators by name, run from a model folder. Belay runs the aclnn functions instead: functions of
 * this page return 200001 (NULL where they return an object) and change nothing. The exceptions are
 * aclopSetModelDir, which programs call at start-up, attributes, which aclopCompileAndExecute takes, running
 * an operator by its name or by a handle, and aclopUpdateParams, which answers as aclopCompile.
 */
/* PyTorch for Ascend brings this header, too: where a program has both, that one is it, as it defines the same. */
#if defined(__has_include) && __has_include(<third_party/acl/inc/acl/acl_op.h>)
#include <third_party/acl/inc/acl/acl_op.h>
#elif !defined(BELAY_ACL_ACL_OP_H)
#define BELAY_ACL_ACL_OP_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct aclopHandle aclopHandle;
typedef struct aclopAttr aclopAttr;
typedef struct aclopKernelDesc aclopKernelDesc;

typedef void (*aclDataDeallocator)(void *data, size_t length);

typedef aclError (*aclopCompileFunc)(int numInputs, const aclTensorDesc *const inputDesc[], int numOutputs,
                                     const aclTensorDesc *const outputDesc[], const aclopAttr *opAttr,
                                     aclopKernelDesc *aclopKernelDesc);

#define ACL_OP_DUMP_OP_AICORE_ARGS 0x00000001U

/* The tags differ from the names of the types; programs in C++ write the tags. */
typedef enum aclEngineType {
    ACL_ENGINE_SYS = 0,
    ACL_ENGINE_AICORE = 1,
    ACL_ENGINE_VECTOR = 2,
} aclopEngineType;

typedef enum aclCompileType {
    ACL_COMPILE_SYS = 0,
    ACL_COMPILE_UNREGISTERED = 1,
} aclopCompileType;

/* Accepted and without effect: there are no models to look for. 100000: modelDir is NULL. */
aclError aclopSetModelDir(const char *modelDir);

/* Not supported: a compiled operator is a model for a device's code. The kinds run by their names without. */
aclError aclopLoad(const void *model, size_t modelSize);

/* How many models are kept: accepted and without effect. 100000: maxOpNum is 0. */
aclError aclopSetMaxOpQueueNum(uint64_t maxOpNum);

/*
 * Attributes of an operator: supported, but no operator here has any, so that what is set is not kept.
 * aclopCreateAttr answers NULL when there is no memory. aclopDestroyAttr takes NULL too. The others: 100000:
 * attr is NULL, destroyed or foreign, attrName is NULL, a number of values is negative, or there are none at
 * values.
 */
aclopAttr *aclopCreateAttr(void);
void aclopDestroyAttr(const aclopAttr *attr);
aclError aclopSetAttrBool(aclopAttr *attr, const char *attrName, uint8_t attrValue);
aclError aclopSetAttrInt(aclopAttr *attr, const char *attrName, int64_t attrValue);
aclError aclopSetAttrFloat(aclopAttr *attr, const char *attrName, float attrValue);
aclError aclopSetAttrString(aclopAttr *attr, const char *attrName, const char *attrValue);
aclError aclopSetAttrDataType(aclopAttr *attr, const char *attrName, aclDataType attrValue);
aclError aclopSetAttrListDataType(aclopAttr *attr, const char *attrName, int numValues,
                                  const aclDataType values[]);
aclError aclopSetAttrListBool(aclopAttr *attr, const char *attrName, int numValues, const uint8_t *values);
aclError aclopSetAttrListInt(aclopAttr *attr, const char *attrName, int numValues, const int64_t *values);
aclError aclopSetAttrListFloat(aclopAttr *attr, const char *attrName, int numValues, const float *values);
aclError aclopSetAttrListString(aclopAttr *attr, const char *attrName, int numValues, const char **values);
aclError aclopSetAttrListListInt(aclopAttr *attr, const char *attrName, int numLists, const int *numValues,
                                 const int64_t *const values[]);

/*
 * Running an operator, as aclopCompileAndExecute does (acl_op_compiler.h), which has the kinds and statuses:
 * supported, without a model folder. aclopCast is "Cast", whatever truncate says: a number becomes an integer
 * without what is behind its point.
 */
aclError aclopExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                      const aclDataBuffer *const inputs[], int numOutputs,
                      const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
                      const aclopAttr *attr, aclrtStream stream);
aclError aclopExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                        aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                        aclDataBuffer *outputs[], aclopAttr *attr, aclrtStream stream);
aclError aclopCast(const aclTensorDesc *srcDesc, const aclDataBuffer *srcBuffer, const aclTensorDesc *dstDesc,
                   aclDataBuffer *dstBuffer, uint8_t truncate, aclrtStream stream);

/*
 * Handles of an operator, which is described once and run often: supported. aclopCreateHandle keeps the kind,
 * and copies of the descriptions (NULL, or of dtype ACL_DT_UNDEFINED: an input that is left out) and of the
 * attributes (NULL: none), so that the caller may change or destroy its own; *handle is the caller's until
 * aclopDestroyHandle. aclopCreateHandleForCast is a handle of "Cast". aclopExecWithHandle runs it as
 * aclopExecute does: what the kind refuses fails in the stream. Handles may be used by many threads at once.
 * aclopDestroyHandle takes NULL, too, and does nothing but record a sentence for what is no live handle; what
 * runs is not disturbed.
 * Creating: 100000: opType, handle or a list of descriptions is NULL, a description or opAttr is destroyed or
 * foreign (aclopCreateHandleForCast: or NULL), or the kind has another number of inputs or outputs; 100024:
 * there is no such kind, and the sentence names the nearest ones; 200000: there is no memory.
 * aclopExecWithHandle: 100000: handle is NULL, destroyed or foreign, or the handle has another number of
 * inputs or outputs; 107002 and 107017 for the stream, as other functions.
 */
aclError aclopCreateHandle(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                           int numOutputs, const aclTensorDesc *const outputDesc[], const aclopAttr *opAttr,
                           aclopHandle **handle);
void aclopDestroyHandle(aclopHandle *handle);
aclError aclopExecWithHandle(aclopHandle *handle, int numInputs, const aclDataBuffer *const inputs[],
                             int numOutputs, aclDataBuffer *const outputs[], aclrtStream stream);
aclError aclopCreateHandleForCast(aclTensorDesc *srcDesc, aclTensorDesc *dstDesc, uint8_t truncate,
                                  aclopHandle **handle);

/*
 * Not supported: of many kinds the outputs have what the program says of them. The aclnn functions' first
 * phases check theirs.
 */
aclError aclopInferShape(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                         aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                         aclopAttr *attr);

/* Says what would be wrong with such a call, as aclopCompile does: nothing has to be updated. */
aclError aclopUpdateParams(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                           int numOutputs, const aclTensorDesc *const outputDesc[], const aclopAttr *attr);

/* Kernels of the program's own. */
aclError aclopCreateKernel(const char *opType, const char *kernelId, const char *kernelName, void *binData,
                           int binSize, aclopEngineType enginetype, aclDataDeallocator deallocator);
aclError aclopRegisterCompileFunc(const char *opType, aclopCompileFunc func);
aclError aclopUnregisterCompileFunc(const char *opType);
aclError aclopSetKernelArgs(aclopKernelDesc *kernelDesc, const char *kernelId, uint32_t blockDim,
                            const void *args, uint32_t argSize);
aclError aclopSetKernelWorkspaceSizes(aclopKernelDesc *kernelDesc, int numWorkspaces, size_t *workspaceSizes);

/* Dumps. */
aclError aclopStartDumpArgs(uint32_t dumpType, const char *path);
aclError aclopStopDumpArgs(uint32_t dumpType);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
