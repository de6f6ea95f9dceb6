/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The classes of libatb.so as a client in C++ has them, in own words: the compiler makes names, layout and
 * order of virtual functions of this.
 */
#ifndef BELAY_TESTS_ATB_ATB_H
#define BELAY_TESTS_ATB_ATB_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

namespace atb
{
using Status = int32_t;

struct Dims {
    int64_t dims[8];
    uint64_t dimNum;
};

struct TensorDesc {
    aclDataType dtype;
    aclFormat format;
    Dims shape;
};

struct Tensor {
    TensorDesc desc;
    void *deviceData;
    void *hostData;
    uint64_t dataSize;
};

template <typename T> struct SVector {
    size_t capacity;
    size_t size;
    T storage[65];
    T *heap;
};

struct VariantPack {
    SVector<Tensor> inTensors;
    SVector<Tensor> outTensors;
};

class Context
{
  public:
    virtual ~Context() = default;
    virtual Status SetExecuteStream(aclrtStream stream) = 0;
    virtual aclrtStream GetExecuteStream() const = 0;
    virtual Status SetAsyncTilingCopyStatus(bool enable) = 0;
    virtual bool GetAsyncTilingCopyStatus() const = 0;
};

class Operation
{
  public:
    virtual ~Operation() = default;
    virtual std::string GetName() const = 0;
    virtual Status InferShape(const SVector<TensorDesc> &in, SVector<TensorDesc> &out) const = 0;
    virtual uint32_t GetInputNum() const = 0;
    virtual uint32_t GetOutputNum() const = 0;
    virtual Status Setup(const VariantPack &pack, uint64_t &workspaceSize, Context *context) = 0;
    virtual Status Execute(const VariantPack &pack, uint8_t *workspace, uint64_t workspaceSize,
                           Context *context) = 0;
};

Status CreateContext(Context **context);
Status DestroyContext(Context *context);
Status DestroyOperation(Operation *operation);
template <typename Param> Status CreateOperation(const Param &param, Operation **operation);

namespace Utils
{
uint64_t GetTensorSize(const Tensor &tensor);
}

namespace infer
{
struct RopeParam {
    int32_t rotaryCoeff, cosFormat;
    uint8_t more[8];
};

struct ReshapeAndCacheParam {
    int32_t compressType, kvCacheCfg;
    uint8_t more[16];
};

struct LinearParam {
    bool transposeA, transposeB, hasBias;
    int32_t outDataType;
    bool enAccum;
    uint8_t more[20];
};

struct GroupTopkParam {
    int32_t groupNum, k;
    uint16_t groupMultiFlag, n;
    uint8_t more[12];
};

struct PagedAttentionParam {
    int32_t headNum;
    float qkScale;
    int32_t kvHeadNum, maskType;
    uint8_t more[104];
};

struct SelfAttentionParam {
    int32_t quantType, outDataType, headNum, kvHeadNum;
    float qScale, qkScale;
    uint8_t batchRunStatusEnable;
    int32_t isTriuMask, calcType, kernelType, clampType;
    float clampMin, clampMax;
    int32_t maskType;
    uint8_t more[88];
};

struct RmsNormParam {
    int32_t layerType;
    int32_t padding;
    int32_t quantType;
    float epsilon;
    uint8_t more[128];
};

struct ElewiseParam {
    int32_t elewiseType;
    uint8_t more[60];
};
} // namespace infer

static_assert(sizeof(Tensor) == 104 && sizeof(SVector<Tensor>) == 6784 && sizeof(VariantPack) == 13568 &&
                  sizeof(infer::SelfAttentionParam) == 144 &&
                  offsetof(infer::SelfAttentionParam, maskType) == 52,
              "as clients have them");
} // namespace atb

/* Memory of the device with numbers of the host, and back. */
template <typename T> struct OnDevice {
    T *memory = nullptr;
    size_t count;
    explicit OnDevice(const T *numbers, size_t n) : count(n)
    {
        aclrtMalloc(reinterpret_cast<void **>(&memory), n * sizeof(T) + 1, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(memory, n * sizeof(T), numbers, n * sizeof(T), ACL_MEMCPY_HOST_TO_DEVICE);
    }
    OnDevice(const OnDevice &) = delete;
    OnDevice &operator=(const OnDevice &) = delete;
    ~OnDevice()
    {
        aclrtFree(memory);
    }
    void read(T *numbers) const
    {
        aclrtMemcpy(numbers, count * sizeof(T), memory, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST);
    }
};

#endif
