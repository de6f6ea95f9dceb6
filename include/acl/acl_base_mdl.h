/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Data buffers and tensor descriptions: what the model and single-operator interfaces pass around. They are
 * plain containers; nothing in the aclnn operators uses them. Each object belongs to who created it and must
 * be changed by one thread at a time.
 */
/* PyTorch for Ascend brings this header, too: where a program has both, that one is it, as it defines the same. */
#if defined(__has_include) && __has_include(<third_party/acl/inc/acl/acl_base_mdl.h>)
#include <third_party/acl/inc/acl/acl_base_mdl.h>
#elif !defined(BELAY_ACL_ACL_BASE_MDL_H)
#define BELAY_ACL_ACL_BASE_MDL_H

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct aclDataBuffer aclDataBuffer;
typedef struct aclTensorDesc aclTensorDesc;

#define ACL_TENSOR_SHAPE_RANGE_NUM 2
#define ACL_TENSOR_VALUE_RANGE_NUM 2

/* As a shape's only dim: the rank is not known. */
#define ACL_UNKNOWN_RANK           0xFFFFFFFFFFFFFFFE

/*
 * A pair of an address and a size in bytes. The memory stays the program's; the address may be NULL and the
 * size 0. Free the pair with aclDestroyDataBuffer. NULL when memory runs out.
 */
aclDataBuffer *aclCreateDataBuffer(void *data, size_t size);

/* Frees the pair, not the memory. 100000: dataBuffer is NULL, or not a live data buffer. */
aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer);

/* Replaces address and size. 100000: dataBuffer is NULL, or not a live data buffer. */
aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size);

/* The address; NULL for NULL and for what is not a live data buffer. */
void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer);

/* The size in bytes, at most UINT32_MAX; 0 for NULL and for what is not a live data buffer. */
uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer);

/* The size in bytes; 0 for NULL and for what is not a live data buffer. */
size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer);

/*
 * A data type, a shape of numDims dims (copied; a dim of -1 is unknown) and a format. Free it with
 * aclDestroyTensorDesc. NULL when numDims is negative or over 25, when dims is NULL with numDims > 0, or when
 * memory runs out.
 */
aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims, aclFormat format);

/* Frees the description; NULL is ignored, and so, with a recorded sentence, is what is not a live one. */
void aclDestroyTensorDesc(const aclTensorDesc *desc);

/*
 * Getters. On NULL, or what is not a live description: ACL_DT_UNDEFINED, ACL_FORMAT_UNDEFINED, 0, -1 for a
 * dim, "" for the name.
 */
aclDataType aclGetTensorDescType(const aclTensorDesc *desc);
aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc);

/* Bytes: the element count times aclDataTypeSize; 0 when a dim is unknown or the product overflows. */
size_t aclGetTensorDescSize(const aclTensorDesc *desc);

/* The product of the dims, 1 for rank 0; 0 when a dim is unknown or the product overflows. */
size_t aclGetTensorDescElementCount(const aclTensorDesc *desc);

/* The rank; ACL_UNKNOWN_RANK when the shape is the single dim -2. */
size_t aclGetTensorDescNumDims(const aclTensorDesc *desc);

/* Dim number index, from 0; -1 when there is none. */
int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index);

/* Dim number index in *dimSize. 100000: desc or dimSize is NULL, desc is not live, or index is too large. */
aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize);

/*
 * The least and greatest size of dim number index, as aclSetTensorShapeRange set them, in dimRange[0] and
 * dimRange[1]. 100000: desc or dimRange is NULL, desc is not live, dimRangeNum is below 2, index has no
 * range.
 */
aclError aclGetTensorDescDimRange(const aclTensorDesc *desc, size_t index, size_t dimRangeNum,
                                  int64_t *dimRange);

/* Sets the name (copied, at most 255 bytes; NULL clears it). Nothing happens when desc is not live. */
void aclSetTensorDescName(aclTensorDesc *desc, const char *name);

/* The name, "" at first; valid until the name is changed or the description destroyed. */
const char *aclGetTensorDescName(aclTensorDesc *desc);

/*
 * Setters; each replaces what was there. 100000: desc is NULL or not live, a count is negative or over 25, or
 * an array is NULL with a count above 0.
 */
aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format);
aclError aclSetTensorShape(aclTensorDesc *desc, int numDims, const int64_t *dims);

/* The least and greatest size of each of dimsCount dims. */
aclError aclSetTensorShapeRange(aclTensorDesc *desc, size_t dimsCount,
                                int64_t dimsRange[][ACL_TENSOR_SHAPE_RANGE_NUM]);

/* Makes the tensor a constant of length bytes at dataBuffer, which stay the program's. Also 100000: none. */
aclError aclSetTensorConst(aclTensorDesc *desc, void *dataBuffer, size_t length);

/*
 * Of a tensor in a format of blocks (FRACTAL_NZ, NC1HWC0, ...), which operators by name read and write as the
 * plain one: the dims of the plain tensor, which are those that desc was created with unless the origin's are
 * set, and the format and shape of its storage, which are desc's unless these are set. The getters do not
 * tell them. Hints for compilers of graphs, which nothing asks for, are checked and not kept: the origin's
 * format; the least and greatest value of each of valueCount elements; the name of the dynamic input that the
 * tensor belongs to (also 100000: NULL); where its data lies (also 100000: no such memType). valueCount, of
 * elements and not of dims, has no limit.
 */
aclError aclSetTensorOriginFormat(aclTensorDesc *desc, aclFormat format);
aclError aclSetTensorOriginShape(aclTensorDesc *desc, int numDims, const int64_t *dims);
aclError aclSetTensorStorageFormat(aclTensorDesc *desc, aclFormat format);
aclError aclSetTensorStorageShape(aclTensorDesc *desc, int numDims, const int64_t *dims);
aclError aclSetTensorValueRange(aclTensorDesc *desc, size_t valueCount,
                                int64_t valueRange[][ACL_TENSOR_VALUE_RANGE_NUM]);
aclError aclSetTensorDynamicInput(aclTensorDesc *desc, const char *dynamicInputName);
aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType);

/*
 * A new description with the dims in the order of another format (NCHW, NHWC, HWCN; NCDHW, NDHWC). Free it
 * with aclDestroyTensorDesc. 100000: srcDesc or dstDesc is NULL, or srcDesc is not live. 100027: the formats
 * or the rank do not allow it.
 */
aclError aclTransTensorDescFormat(const aclTensorDesc *srcDesc, aclFormat dstFormat, aclTensorDesc **dstDesc);

/* desc itself for index 0; NULL for any other, and when desc is not live. */
aclTensorDesc *aclGetTensorDescByIndex(aclTensorDesc *desc, size_t index);

/* The address that aclSetTensorConst set, else NULL. */
void *aclGetTensorDescAddress(const aclTensorDesc *desc);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
