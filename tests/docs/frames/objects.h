/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the frames have in common: memory of the device, and tensors on it.
 */
#ifndef BELAY_DOCS_OBJECTS_H
#define BELAY_DOCS_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

enum { COUNT = 1024 };

static const size_t bytes = COUNT * sizeof(float);

static void *new_memory(void)
{
    void *memory = NULL;
    aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    return memory;
}

static aclTensor *new_tensor(void *memory)
{
    const int64_t shape[] = {COUNT};
    return aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, memory);
}

#endif
