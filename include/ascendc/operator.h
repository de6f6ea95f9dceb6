/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernel of an operator of a project, as its library hands it to Belay: behind the kernel's source, which op_build
 * includes with the dtypes of one combination.
 */
#ifndef BELAY_ASCENDC_OPERATOR_H
#define BELAY_ASCENDC_OPERATOR_H

#include <type_traits>
#include <utility>

#include "ascendc/tiling.h"
#include "register/belay_operator.h"

namespace belay_kernel
{
/* Of this library alone: what another library of the same kernel, for other dtypes, has of that name is not it. */
namespace
{
template <auto kernel> struct Operator;

template <typename... Types, void (*kernel)(Types...)> struct Operator<kernel> {
    static_assert(
        (std::is_pointer_v<Types> && ... && true),
        "a kernel of an operator takes addresses: GM_ADDR for each input and output, workspace and tiling");

    template <std::size_t... Index> static void with(void *const *pointer, std::index_sequence<Index...>)
    {
        kernel((Types)pointer[Index]...);
    }
    static void call(void *arguments)
    {
        with(static_cast<void *const *>(arguments), std::index_sequence_for<Types...>());
    }
    static int run(const struct belay_operator_launch *launch)
    {
        return belay_kernel_compute(launch, call);
    }
    static const struct belay_operator_kernel *get()
    {
        static const struct belay_operator_kernel own = {sizeof...(Types), tiling_keys.count, tiling_keys.key,
                                                         run};
        return &own;
    }
    static constexpr uint32_t parameters = sizeof...(Types);
};

#ifdef BELAY_TEMPLATE_KEYS
/* A kernel that is a template is all of its combinations, each with its key. Kernel::get gives the function. */
template <uint64_t value> struct Argument {
    template <typename T> constexpr operator T() const
    {
        return static_cast<T>(value);
    }
};

template <typename Kernel, const auto &declared, const auto &selections> struct Templates {
    static constexpr std::size_t parameters = sizeof declared / sizeof declared[0];
    static constexpr std::size_t combinations = ::belay_template_keys::combinations(selections, declared);
    struct Entry {
        void (*call)(void *arguments);
        uint32_t parameters;
    };

    template <std::size_t at, std::size_t... Index>
    static constexpr Entry entry(std::index_sequence<Index...>)
    {
        using One = Operator<Kernel::template get<
            Argument<::belay_template_keys::value_at(selections, declared, at, Index)>...>()>;
        return {One::call, One::parameters};
    }
    template <std::size_t at, std::size_t... Index>
    static constexpr uint64_t key(std::index_sequence<Index...>)
    {
        return ::belay_template_keys::key_of(
            declared, {::belay_template_keys::value_at(selections, declared, at, Index)...});
    }
    template <std::size_t... At> static const struct belay_operator_kernel *make(std::index_sequence<At...>)
    {
        static constexpr uint64_t keys[] = {key<At>(std::make_index_sequence<parameters>())...};
        static constexpr Entry entries[] = {entry<At>(std::make_index_sequence<parameters>())...};
        static const struct belay_operator_kernel own = {
            entries[0].parameters, combinations, keys, [](const struct belay_operator_launch *launch) {
                std::size_t at = 0;
                while (at + 1 < combinations && keys[at] != launch->tiling_key)
                    at++;
                return belay_kernel_compute(launch, entries[at].call);
            }};
        return &own;
    }
    static const struct belay_operator_kernel *get()
    {
        return make(std::make_index_sequence<combinations>());
    }
};
#endif
} // namespace
} // namespace belay_kernel

#ifdef BELAY_TEMPLATE_KEYS
#define BELAY_OPERATOR(kernel)                                                             \
    namespace                                                                              \
    {                                                                                      \
    struct belay_kernel_template {                                                         \
        template <typename... Values> static constexpr auto get()                          \
        {                                                                                  \
            return &kernel<Values{}...>;                                                   \
        }                                                                                  \
    };                                                                                     \
    }                                                                                      \
    extern "C" __attribute__((visibility("default"))) const struct belay_operator_kernel * \
    belay_operator_kernel(void)                                                            \
    {                                                                                      \
        return ::belay_kernel::Templates<belay_kernel_template, belay_template_parameters, \
                                         belay_template_selections>::get();                \
    }
#else
#define BELAY_OPERATOR(kernel)                                                             \
    extern "C" __attribute__((visibility("default"))) const struct belay_operator_kernel * \
    belay_operator_kernel(void)                                                            \
    {                                                                                      \
        return ::belay_kernel::Operator<&kernel>::get();                                   \
    }
#endif

#endif
