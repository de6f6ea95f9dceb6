/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Who calls a function that libbelay_torch.so stands in for: the library whose segments hold the address.
 */
#include "forwarding/torch_npu_caller.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct caller {
    uintptr_t address;
    bool is_torch_npu;
};

static bool holds(const struct dl_phdr_info *library, uintptr_t address)
{
    for (size_t i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - library->dlpi_addr - part->p_vaddr < part->p_memsz)
            return true;
    }
    return false;
}

/* Not 0, which ends the search, when the caller is in this library. */
static int look_at_library(struct dl_phdr_info *library, size_t bytes, void *context)
{
    struct caller *caller = context;
    (void)bytes;
    if (!holds(library, caller->address))
        return 0;
    const char *slash = strrchr(library->dlpi_name, '/');
    caller->is_torch_npu = slash != NULL && strcmp(slash, "/libtorch_npu.so") == 0;
    return 1;
}

/*
 * Not by dladdr(), which waits for the lock that dlopen() holds while a library's constructors run: they may
 * wait for the thread that asks.
 */
bool is_in_torch_npu(const void *address)
{
    struct caller caller = {.address = (uintptr_t)address};
    dl_iterate_phdr(look_at_library, &caller);
    return caller.is_torch_npu;
}
