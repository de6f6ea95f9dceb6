/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How a kernel reads what its host side has worked out, its workspaces, and what it prints.
 */
#ifndef ASCENDC_TILING_H
#define ASCENDC_TILING_H

#include "ascendc/tensor.h"

/* The key is one of the launch: each branch is compiled, and one taken. Those of an operator of a project are known
 * before it runs. */
#ifdef BELAY_OPERATOR_BUILD
#define TILING_KEY_IS(key) (::AscendC::tiling_key_is<(uint64_t)(key)>())
#else
#define TILING_KEY_IS(key) (::belay_chip_now()->tiling_key == (uint64_t)(key))
#endif
#define TILING_KEY_VAR                           (::belay_chip_now()->tiling_key)
#define REGISTER_TILING_DEFAULT(type)            using belay_tiling_default [[maybe_unused]] = type
#define REGISTER_TILING_FOR_TILINGKEY(key, type) static_assert(sizeof(type) > 0)
#define GET_TILING_DATA_WITH_STRUCT(type, name, address) \
    type name;                                           \
    ::AscendC::read_tiling(&name, address, sizeof name, BELAY_HERE)
#define GET_TILING_DATA(name, address) GET_TILING_DATA_WITH_STRUCT(belay_tiling_default, name, address)
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, name, address) \
    const type *name = static_cast<const type *>(::belay_kernel_reach(address))
#define GET_TILING_DATA_MEMBER(type, member, name, address) \
    decltype(type::member) name;                            \
    ::AscendC::read_tiling(&name, (address) + offsetof(type, member), sizeof name, BELAY_HERE)
#define COPY_TILING_WITH_STRUCT(type, address, name) GET_TILING_DATA_WITH_STRUCT(type, name, address)

#define ASCENDC_ASSERT(condition, behaviour) ::AscendC::assert_that((condition), [&] { behaviour; })
#ifndef ASSERT
#define ASSERT(condition) ::AscendC::assert_that((condition), #condition, BELAY_HERE)
#endif

namespace belay_kernel
{
/* The keys that the kernel asks for: each enters itself when the library is loaded. Hidden, as each library has its own. */
struct TilingKeys {
    uint64_t key[1024];
    uint32_t count;

    bool enter(uint64_t one)
    {
        uint32_t at = 0;
        while (at < count && key[at] != one)
            at++;
        if (at == count && count < sizeof key / sizeof key[0])
            key[count++] = one;
        return true;
    }
};
__attribute__((visibility("hidden"))) inline TilingKeys tiling_keys;

template <uint64_t one> struct __attribute__((visibility("hidden"))) TilingKey {
    static inline const bool is_known = tiling_keys.enter(one);
};
} // namespace belay_kernel

namespace AscendC
{
template <uint64_t one> inline bool tiling_key_is()
{
    return ::belay_kernel::TilingKey<one>::is_known && belay_chip_now()->tiling_key == one;
}

inline void read_tiling(void *to, const void *from, size_t bytes, const Where &at)
{
    const belay_chip_place place = at.of("GET_TILING_DATA");
    const void *reached = belay_kernel_reach(from);
    belay_chip_global(&place, reached, bytes, reached, 0, false);
    memcpy(to, reached, bytes);
}

template <typename F> void assert_that(bool holds, F otherwise)
{
    if (!holds)
        otherwise();
}

inline void assert_that(bool holds, const char *condition, const Where &at)
{
    const belay_chip_place place = at.of("ASSERT");
    if (!holds)
        belay_chip_fault(&place, "%s does not hold", condition);
}

inline void Trap(const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Trap");
    belay_chip_fault(&place, "the kernel ends itself");
}

/* All of the workspace is the user's. */
inline uint8_t *GetUserWorkspace(uint8_t *workspace)
{
    return workspace;
}

inline void SetSysWorkspace(uint8_t *workspace)
{
    belay_chip_now()->workspace = workspace;
}

inline void SetSysWorkspaceForce(uint8_t *workspace)
{
    SetSysWorkspace(workspace);
}

inline uint8_t *GetSysWorkSpacePtr()
{
    return static_cast<uint8_t *>(belay_chip_now()->workspace);
}

inline void SetSyncBaseAddr(uint64_t)
{
}

/* Sets elements of global memory. */
template <typename T>
void InitGlobalMemory(const GlobalTensor<T> &tensor, uint64_t size, T value, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("InitGlobalMemory");
    belay_chip_global(&place, tensor.address, size * sizeof(T), tensor.base, tensor.count * sizeof(T), true);
    for (uint64_t i = 0; i < size; i++)
        tensor.address[i] = value;
}

template <typename T>
void InitOutput(const GlobalTensor<T> &tensor, uint32_t size, T value = 0, const Where &at = BELAY_HERE)
{
    InitGlobalMemory(tensor, size, value, at);
}

template <typename T>
void Fill(const GlobalTensor<T> &tensor, uint64_t size, T value, const Where &at = BELAY_HERE)
{
    InitGlobalMemory(tensor, size, value, at);
}

/* Numbers as C's varargs take them. */
template <typename T> auto printable(T x)
{
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>)
        return (double)(float)x;
    else
        return x;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
template <typename... T> void printf(const char *format, T... x)
{
    belay_chip_settle(belay_chip_now()); /* others have their turn before */
    belay_kernel_print(format, printable(x)...);
}

template <typename... T> void PRINTF(const char *format, T... x)
{
    belay_chip_settle(belay_chip_now()); /* others have their turn before */
    belay_kernel_print(format, printable(x)...);
}
#pragma GCC diagnostic pop

template <typename T>
void print_values(const T *values, uint32_t count, uint32_t description, const char *where)
{
    belay_kernel_print("DumpTensor: description %u, %s, %u elements:\n", description, where, count);
    for (uint32_t i = 0; i < count; i++) {
        const char *end = i % 8 == 7 || i + 1 == count ? "\n" : " ";
        if constexpr (is_float<T>)
            belay_kernel_print("%f%s", (double)(float)values[i], end);
        else
            belay_kernel_print("%lld%s", (long long)values[i], end);
    }
}

template <typename T>
void DumpTensor(const LocalTensor<T> &tensor, uint32_t description, uint32_t count,
                const Where &at = BELAY_HERE)
{
    access_chip(at.of("DumpTensor"), belay_chip_now(), PIPE_S, tensor.address, (uint64_t)count * sizeof(T),
                tensor.low, tensor.high, false, 1);
    print_values(tensor.at(), count, description, "on chip");
}

template <typename T>
void DumpTensor(const GlobalTensor<T> &tensor, uint32_t description, uint32_t count,
                const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("DumpTensor");
    belay_chip_global(&place, tensor.address, (uint64_t)count * sizeof(T), tensor.base, 0, false);
    belay_chip_settle(belay_chip_now()); /* others have their turn before */
    print_values(tensor.address, count, description, "global");
}

} // namespace AscendC

#endif
