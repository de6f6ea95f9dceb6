/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether torch_npu is who calls a function that libbelay_torch.so stands in for.
 */
#ifndef BELAY_FORWARDING_TORCH_NPU_CALLER_H
#define BELAY_FORWARDING_TORCH_NPU_CALLER_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* By the name of the library that the address, to which the function returns, is in. */
static inline bool is_in_torch_npu(const void *address)
{
    Dl_info info;
    const char *slash;
    return dladdr(address, &info) != 0 && (slash = strrchr(info.dli_fname, '/')) != NULL &&
           strcmp(slash, "/libtorch_npu.so") == 0;
}

#endif
