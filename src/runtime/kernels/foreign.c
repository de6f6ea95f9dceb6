/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Code for a device. Clients register theirs without looking at the status, and call through what they did not
 * get; so it is taken, and its launch is what fails, where the program is told.
 */
#include "runtime/kernels/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_base.h"
#include "base/error.h"

bool foreign_code(const void *bytes, uint64_t count)
{
    static const char magic[] = HOST_KERNEL_MAGIC;
    return bytes != NULL && count > 0 &&
           memcmp(bytes, magic, count < sizeof magic ? (size_t)count : sizeof magic) != 0;
}

const struct host_kernel *foreign_function(struct foreign_function **list, const char *name)
{
    struct foreign_function *found = *list;
    while (found != NULL && strncmp(found->kernel.header.name, name, HOST_KERNEL_NAME_BYTES - 1) != 0)
        found = found->next;
    if (found != NULL)
        return &found->kernel;
    found = calloc(1, sizeof *found);
    if (found == NULL)
        return NULL;
    snprintf(found->kernel.header.name, sizeof found->kernel.header.name, "%s", name);
    found->next = *list;
    *list = found;
    return &found->kernel;
}

int foreign_refuse(const char *api, const struct host_kernel *kernel)
{
    return fail(
        ACL_ERROR_API_NOT_SUPPORT,
        "%s: %s is code for a device, which cannot run here; let MindSpore use jit_level=\"O0\", let "
        "Triton compile with this installation's bishengir-compile, or call the operator by its aclnn "
        "function",
        api, kernel->header.name);
}
