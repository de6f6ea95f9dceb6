/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * GlobalTensor and LocalTensor. A local one knows the buffer that it is a part of, whatever its offset and type: what
 * goes outside of that is a mistake also where it stays on the chip.
 */
#ifndef ASCENDC_TENSOR_H
#define ASCENDC_TENSOR_H

#include "ascendc/host.h"
#include "ascendc/late.h"
#include "ascendc/types.h"

namespace AscendC
{
constexpr int memory_of(TPosition position)
{
    switch (position) {
    case TPosition::A1:
    case TPosition::B1:
    case TPosition::C1:
    case TPosition::TSCM:
        return CHIP_L1;
    case TPosition::A2:
        return CHIP_L0A;
    case TPosition::B2:
        return CHIP_L0B;
    case TPosition::CO1:
        return CHIP_L0C;
    case TPosition::C2:
        return CHIP_BIAS;
    case TPosition::C2PIPE2GM:
        return CHIP_FACTORS;
    default:
        return CHIP_UB;
    }
}

constexpr uint32_t bytes_of_memory(int memory)
{
    constexpr uint32_t bytes[] = {CHIP_UB_BYTES,  CHIP_L1_BYTES,   CHIP_L0A_BYTES,    CHIP_L0B_BYTES,
                                  CHIP_L0C_BYTES, CHIP_BIAS_BYTES, CHIP_FACTORS_BYTES};
    return bytes[memory];
}

constexpr uint32_t start_of_memory(int memory)
{
    uint32_t start = 0;
    for (int each = 0; each < memory; each++)
        start += bytes_of_memory(each);
    return start;
}

constexpr uint64_t in_whole_blocks(uint64_t bytes)
{
    return (bytes + 31) / 32 * 32;
}

/* An access of an instruction: within the buffer, on its boundary; and to the shadow, where there is one. Loads that wait
 * are left to the caller. */
inline void access_late(const belay_chip_place &place, belay_chip *chip, int pipe, const uint8_t *address,
                        uint64_t bytes, const uint8_t *low, const uint8_t *high, bool writes,
                        uint32_t alignment)
{
    if (__builtin_expect(bytes > (uint64_t)(high - address) || address < low || address > high, 0))
        belay_chip_outside(&place, address, bytes, low, high);
    if (__builtin_expect((uintptr_t)address & (alignment - 1), 0))
        belay_chip_misaligned(&place, address, alignment);
    if (__builtin_expect(chip->shadow != nullptr, 0))
        belay_chip_touch(chip, &place, pipe, address, bytes, writes);
}

inline void access_chip(const belay_chip_place &place, belay_chip *chip, int pipe, const uint8_t *address,
                        uint64_t bytes, const uint8_t *low, const uint8_t *high, bool writes,
                        uint32_t alignment)
{
    if (__builtin_expect(chip->load_count != 0, 0))
        belay_chip_settle(chip);
    access_late(place, chip, pipe, address, bytes, low, high, writes, alignment);
}

inline void issue(belay_chip *chip, int pipe)
{
    if (__builtin_expect(chip->shadow != nullptr, 0))
        belay_chip_issue(chip, pipe);
}

/* A store to global memory does what SetAtomicAdd and its like have set; sums are in turn, so that their order is. */
template <typename T> void store_atomically(int kind, T *to, const T *from, size_t count)
{
    belay_chip_settle(belay_chip_now());
    belay_kernel_order();
    for (size_t i = 0; i < count; i++) {
        const computed<T> x = static_cast<computed<T>>(to[i]), y = static_cast<computed<T>>(from[i]);
        to[i] = static_cast<T>(kind == CHIP_ADD       ? static_cast<computed<T>>(x + y)
                               : kind == CHIP_MAXIMUM ? (x > y ? x : y)
                                                      : (x < y ? x : y));
    }
}

template <typename T> void store_global(belay_chip *chip, void *to, const void *from, size_t bytes)
{
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t> ||
                  (std::is_integral_v<T> && sizeof(T) <= 4)) {
        if (chip->atomic != CHIP_STORE) {
            store_atomically(chip->atomic, static_cast<T *>(to), static_cast<const T *>(from),
                             bytes / sizeof(T));
            return;
        }
    }
    belay_chip_store(chip, to, from, bytes);
}

enum { K_MAX_SHAPE_DIM = 8 };

/* What SetShapeInfo says of a tensor: its dims as they lie, and as they count. No dims: nothing is said. */
struct ShapeInfo {
    uint8_t shapeDim = 0, originalShapeDim = 0;
    uint32_t shape[K_MAX_SHAPE_DIM] = {}, originalShape[K_MAX_SHAPE_DIM] = {};
    DataFormat dataFormat = DataFormat::ND;

    ShapeInfo() = default;
    ShapeInfo(uint8_t dims, const uint32_t extents[], uint8_t original_dims,
              const uint32_t original_extents[], DataFormat format)
        : shapeDim(dims), originalShapeDim(original_dims), dataFormat(format)
    {
        for (int dim = 0; dim < dims && dim < K_MAX_SHAPE_DIM; dim++)
            shape[dim] = extents[dim];
        for (int dim = 0; dim < original_dims && dim < K_MAX_SHAPE_DIM; dim++)
            originalShape[dim] = original_extents[dim];
    }
    ShapeInfo(uint8_t dims, const uint32_t extents[], DataFormat format = DataFormat::ND)
        : ShapeInfo(dims, extents, dims, extents, format)
    {
    }
};

/* The product of the dims as they lie. */
inline int GetShapeSize(const ShapeInfo &info)
{
    int size = 1;
    for (int dim = 0; dim < info.shapeDim; dim++)
        size *= (int)info.shape[dim];
    return size;
}

template <typename T> struct GlobalTensor {
    using PrimType = T;
    T *address = nullptr, *base = nullptr;
    uint64_t count = 0; /* from base on; 0: not told */
    ShapeInfo shape;

    void SetGlobalBuffer(T *buffer, uint64_t size)
    {
        address = base = static_cast<T *>(belay_kernel_reach(buffer));
        count = size;
    }
    void SetGlobalBuffer(T *buffer)
    {
        SetGlobalBuffer(buffer, 0);
    }
    template <typename U> void SetGlobalBuffer(U *buffer, uint64_t size = 0)
    {
        SetGlobalBuffer(reinterpret_cast<T *>(const_cast<std::remove_cv_t<U> *>(buffer)), size);
    }
    GlobalTensor operator[](uint64_t offset) const
    {
        GlobalTensor part = *this;
        part.address += offset;
        return part;
    }
    T GetValue(uint64_t index, const Where &at = BELAY_HERE) const
    {
        const belay_chip_place place = at.of("GlobalTensor::GetValue");
        belay_chip_global(&place, address + index, sizeof(T), base, count * sizeof(T), false);
        return address[index];
    }
    template <typename U> void SetValue(uint64_t index, U value, const Where &at = BELAY_HERE) const
    {
        const belay_chip_place place = at.of("GlobalTensor::SetValue");
        belay_chip_global(&place, address + index, sizeof(T), base, count * sizeof(T), true);
        address[index] = static_cast<T>(value);
    }
    T &operator()(uint64_t index) const
    {
        takes_raw_address();
        return address[index];
    }
    T *GetPhyAddr(uint64_t offset = 0) const
    {
        takes_raw_address();
        return address + offset;
    }
    uint64_t GetSize() const
    {
        return count;
    }
    void SetSize(uint64_t size)
    {
        count = size;
    }
    void SetShapeInfo(const ShapeInfo &info)
    {
        shape = info;
    }
    ShapeInfo GetShapeInfo() const
    {
        return shape;
    }
    template <CacheRwMode = CacheRwMode::RW> void SetL2CacheHint(CacheMode)
    {
    }
    template <typename U> GlobalTensor<U> ReinterpretCast() const
    {
        GlobalTensor<U> same;
        same.address = reinterpret_cast<U *>(address);
        same.base = reinterpret_cast<U *>(base);
        same.count = count * sizeof(T) / sizeof(U);
        return same;
    }
    uint8_t *bytes() const
    {
        return reinterpret_cast<uint8_t *>(const_cast<std::remove_cv_t<T> *>(address));
    }
};

template <typename F, typename T> struct Pending;

template <typename T> struct LocalTensor {
    using PrimType = T;
    uint8_t *address = nullptr, *low = nullptr, *high = nullptr;
    uint32_t count = 0;
    TPosition position = TPosition::VECCALC;
    ShapeInfo shape;

    LocalTensor() = default;
    /* So many elements from a byte of a memory on, whatever buffers there are. */
    LocalTensor(TPosition where, uint32_t offset, uint32_t elements)
    {
        const int memory = memory_of(where);
        belay_chip *chip = belay_chip_now();
        low = chip->memory + start_of_memory(memory);
        high = low + bytes_of_memory(memory);
        address = low + offset;
        count = elements;
        position = where;
        chip->used[memory] = bytes_of_memory(memory);
    }
    LocalTensor operator[](uint32_t offset) const
    {
        LocalTensor part = *this;
        part.address += (uint64_t)offset * sizeof(T);
        part.count = count > offset ? count - offset : 0;
        return part;
    }
    T *at(uint64_t index = 0) const
    {
        return reinterpret_cast<T *>(address) + index;
    }
    T GetValue(uint32_t index, const Where &where = BELAY_HERE) const
    {
        scalar(where.of("LocalTensor::GetValue"), index, false);
        return *at(index);
    }
    template <typename U> void SetValue(uint32_t index, U value, const Where &where = BELAY_HERE) const
    {
        scalar(where.of("LocalTensor::SetValue"), index, true);
        *at(index) = static_cast<T>(value);
    }
    T &operator()(uint32_t index) const
    {
        const belay_chip_place place = {"LocalTensor::operator()", nullptr, 0};
        takes_raw_address();
        scalar(place, index, true);
        return *at(index);
    }
    template <typename U> LocalTensor<U> ReinterpretCast() const
    {
        LocalTensor<U> same;
        same.address = address;
        same.low = low;
        same.high = high;
        same.count = (uint32_t)((uint64_t)count * sizeof(T) / sizeof(U));
        same.position = position;
        return same;
    }
    uint32_t GetSize() const
    {
        return count;
    }
    uint32_t GetLength() const
    {
        return count * (uint32_t)sizeof(T);
    }
    void SetSize(uint32_t size)
    {
        count = size;
    }
    uint64_t GetPhyAddr(uint32_t offset = 0) const
    {
        takes_raw_address();
        return (uint64_t)at(offset);
    }
    TPosition GetPosition() const
    {
        return position;
    }
    void SetShapeInfo(const ShapeInfo &info)
    {
        shape = info;
    }
    ShapeInfo GetShapeInfo() const
    {
        return shape;
    }
    void SetUserTag(int32_t)
    {
    }
    template <typename U> void SetAddrWithOffset(LocalTensor<U> &source, uint32_t offset)
    {
        address = reinterpret_cast<uint8_t *>(source.at(offset));
        low = source.low;
        high = source.high;
        count = source.count;
        position = source.position;
    }
    template <typename U> void SetAddr(const U &source)
    {
        address += (uint64_t)source * sizeof(T);
    }
    /* dst = a + b, and its like, over all of dst. */
    template <typename F> LocalTensor &operator=(const Pending<F, T> &pending)
    {
        pending.into(*this);
        return *this;
    }

  private:
    void scalar(const belay_chip_place &place, uint32_t index, bool writes) const
    {
        belay_chip *chip = belay_chip_now();
        issue(chip, PIPE_S);
        access_chip(place, chip, PIPE_S, reinterpret_cast<uint8_t *>(at(index)), sizeof(T), low, high, writes,
                    1);
    }
};

/* The first bytes of a tensor, which begins on a block. */
template <typename T>
void access_tensor(const belay_chip_place &place, belay_chip *chip, int pipe, const LocalTensor<T> &tensor,
                   uint64_t bytes, bool writes)
{
    access_chip(place, chip, pipe, tensor.address, bytes, tensor.low, tensor.high, writes, 32);
}

template <typename T, typename U> bool operator==(const LocalTensor<T> &a, const LocalTensor<U> &b)
{
    return a.address == b.address;
}

/* A list of tensors in global memory: a header of 64-bit words, then shapes, then addresses. */
template <typename T> struct TensorDesc {
    T *data = nullptr;
    uint64_t rank = 0, at = 0, *shape = nullptr;

    void SetShapeAddr(uint64_t *address)
    {
        shape = address;
    }
    uint64_t GetDim() const
    {
        return rank;
    }
    uint64_t GetIndex() const
    {
        return at;
    }
    uint64_t GetShape(uint32_t dim) const
    {
        return shape[dim];
    }
    T *GetDataPtr() const
    {
        return data;
    }
    GlobalTensor<T> GetDataObj() const
    {
        GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer(data);
        return tensor;
    }
};

/*
 * What a dynamic input is on the device: a 64-bit offset from here to the addresses, then for each tensor its rank (low
 * 32 bits; the index in the high ones) and its dims, then the addresses.
 */
struct ListTensorDesc {
    const uint64_t *words = nullptr;
    uint32_t size = 0;

    ListTensorDesc() = default;
    ListTensorDesc(void *data, uint64_t = 0xffffffffffffffff, uint32_t = 0xffffffff)
    {
        Init(data);
    }
    void Init(void *data, uint64_t = 0xffffffffffffffff, uint32_t = 0xffffffff)
    {
        words = static_cast<const uint64_t *>(belay_kernel_reach(data));
        const uint64_t *end = addresses();
        size = 0;
        for (const uint64_t *at = words + 1; at < end; at += 1 + (uint32_t)at[0])
            size++;
    }
    uint32_t GetSize() const
    {
        return size;
    }
    template <typename T> T *GetDataPtr(uint32_t index) const
    {
        return static_cast<T *>(belay_kernel_reach(reinterpret_cast<void *>(addresses()[index])));
    }
    template <typename T> void GetDesc(TensorDesc<T> &desc, uint32_t index) const
    {
        const uint64_t *at = words + 1;
        for (uint32_t each = 0; each < index; each++)
            at += 1 + (uint32_t)at[0];
        desc.rank = (uint32_t)at[0];
        desc.at = at[0] >> 32;
        for (uint64_t dim = 0; desc.shape && dim < desc.rank; dim++)
            desc.shape[dim] = at[1 + dim];
        desc.data = GetDataPtr<T>(index);
    }

  private:
    const uint64_t *addresses() const
    {
        return reinterpret_cast<const uint64_t *>(reinterpret_cast<const uint8_t *>(words) + words[0]);
    }
};
} // namespace AscendC

#endif
