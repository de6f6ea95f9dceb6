/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Launches of kernels, as bisheng writes `kernel<<<blocks, l2, stream>>>(arguments)`. C++17 and later.
 */
#ifndef BELAY_ASCENDC_LAUNCH_H
#define BELAY_ASCENDC_LAUNCH_H

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ascendc/host.h"

namespace belay_kernel
{
inline constexpr std::size_t WORD = sizeof(std::uint64_t);

/* Where each argument stands: in whole words, one behind the other. What is between them is zero, so that no chance makes a
 * pointer of it. */
template <typename... Types> struct Places {
    std::size_t at[sizeof...(Types) + 1];
    std::uint64_t pointers;

    constexpr Places() : at(), pointers(0)
    {
        const std::size_t bytes[] = {sizeof(Types)..., 0}, alignment[] = {alignof(Types)..., 1};
        const bool is_pointer[] = {std::is_pointer_v<Types>..., false};
        std::size_t next = 0;
        for (std::size_t i = 0; i < sizeof...(Types); i++) {
            const std::size_t unit = alignment[i] > WORD ? alignment[i] : WORD;
            next = (next + unit - 1) / unit * unit;
            at[i] = next;
            if (is_pointer[i] && next / WORD < 64)
                pointers |= std::uint64_t(1) << (next / WORD);
            next += (bytes[i] + WORD - 1) / WORD * WORD;
        }
        at[sizeof...(Types)] = next;
    }
};

template <typename Type> Type argument_at(const void *arguments, std::size_t at)
{
    alignas(Type) unsigned char room[sizeof(Type)];
    std::memcpy(room, static_cast<const unsigned char *>(arguments) + at, sizeof room);
    return *reinterpret_cast<Type *>(room);
}

/* What each core calls: the kernel, which is the first of what was kept, with the others. */
template <typename Kernel, typename... Types> struct Call {
    static constexpr Places<Kernel, Types...> places{};

    template <std::size_t... Index> static void with(const void *arguments, std::index_sequence<Index...>)
    {
        argument_at<Kernel>(arguments, places.at[0])(argument_at<Types>(arguments, places.at[Index + 1])...);
    }

    static void run(void *arguments)
    {
        with(arguments, std::index_sequence_for<Types...>());
    }

    static void keep(unsigned char *room, const Kernel &kernel, const Types &...argument)
    {
        std::size_t next = 1;
        std::memcpy(room + places.at[0], &kernel, sizeof kernel);
        (std::memcpy(room + places.at[next++], &argument, sizeof argument), ...);
    }
};

/* What stands before the arguments' parentheses. stream: NULL for the default one; here: no stream, in place of one. */
template <typename Kernel> struct Launch {
    const char *name;
    std::uint32_t kind;
    Kernel kernel;
    std::uint32_t blocks;
    void *stream;
    bool is_here;

    template <typename... Types> int operator()(Types... argument) const
    {
        using Whole = Call<Kernel, Types...>;
        static_assert(
            (std::is_trivially_copyable_v<Types> && ... && true),
            "arguments of a kernel go to the device byte by byte: plain numbers, pointers and structures");
        constexpr std::size_t bytes = Whole::places.at[sizeof...(Types) + 1];
        alignas(16) unsigned char room[bytes] = {};
        Whole::keep(room, kernel, argument...);
        return is_here ? belay_kernel_run(name, Whole::run, room, bytes, blocks, kind)
                       : belay_kernel_launch(stream, name, Whole::run, room, bytes, Whole::places.pointers,
                                             blocks, kind);
    }
};

/* The second number of the brackets is of the device's caches, and changes nothing. */
template <typename Kernel, typename Blocks, typename Cache, typename Stream>
Launch<Kernel> launch(const char *name, std::uint32_t kind, Kernel kernel, Blocks blocks, Cache,
                      Stream stream)
{
    return {name, kind, kernel, static_cast<std::uint32_t>(blocks), (void *)stream, false};
}

template <typename Kernel>
Launch<Kernel> run_here(const char *name, std::uint32_t kind, Kernel kernel, std::uint32_t blocks)
{
    return {name, kind, kernel, blocks, nullptr, true};
}
} // namespace belay_kernel

#endif
