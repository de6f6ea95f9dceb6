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
};
} // namespace
} // namespace belay_kernel

#define BELAY_OPERATOR(kernel)                                                             \
    extern "C" __attribute__((visibility("default"))) const struct belay_operator_kernel * \
    belay_operator_kernel(void)                                                            \
    {                                                                                      \
        return ::belay_kernel::Operator<&kernel>::get();                                   \
    }

#endif
