/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclDataBuffer: an address and a size, kept for the program. The memory stays the program's.
 */
#include <stdatomic.h>

#include "acl/acl_base.h"
#include "base/made.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/handle_refusal.h"
#include "base/settings.h"
#include "runtime/named/tensor_desc.h"

struct data_buffer {
    struct handle_slot slot;
    _Atomic(void *) data;
    _Atomic size_t size;
};

static struct handle_table data_buffers = HANDLE_TABLE(HANDLE_DATA_BUFFER, struct data_buffer, HANDLES_MAX);

static int refuse(const char *function, const aclDataBuffer *dataBuffer)
{
    return handle_refuse(function, "dataBuffer", "a data buffer is", &data_buffers, dataBuffer);
}

static int find(const char *function, const aclDataBuffer *dataBuffer, struct data_buffer **buffer)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    *buffer = (struct data_buffer *)handle_find(&data_buffers, (uintptr_t)dataBuffer);
    return *buffer != NULL ? 0 : refuse(function, dataBuffer);
}

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return NULL;
    struct data_buffer *buffer = (struct data_buffer *)handle_acquire(&data_buffers);
    if (buffer == NULL) {
        fail(ACL_ERROR_BAD_ALLOC, "aclCreateDataBuffer: there is no memory for another data buffer");
        return NULL;
    }
    atomic_store_explicit(&buffer->data, data, memory_order_relaxed);
    atomic_store_explicit(&buffer->size, size, memory_order_relaxed);
    uint64_t handle = handle_publish(&data_buffers, buffer);
    made(HANDLE_DATA_BUFFER, handle, 0, -1, "aclCreateDataBuffer");
    return (aclDataBuffer *)(uintptr_t)handle;
}

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
    struct data_buffer *buffer;
    TRY(find("aclDestroyDataBuffer", dataBuffer, &buffer));
    if (!handle_retire(buffer, (uintptr_t)dataBuffer))
        return refuse("aclDestroyDataBuffer", dataBuffer);
    handle_release(&data_buffers, buffer);
    return ACL_SUCCESS;
}

aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)
{
    struct data_buffer *buffer;
    TRY(find("aclUpdateDataBuffer", dataBuffer, &buffer));
    atomic_store_explicit(&buffer->data, data, memory_order_relaxed);
    atomic_store_explicit(&buffer->size, size, memory_order_relaxed);
    return ACL_SUCCESS;
}

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)
{
    struct data_buffer *buffer;
    if (find("aclGetDataBufferAddr", dataBuffer, &buffer) != 0)
        return NULL;
    void *data = atomic_load_explicit(&buffer->data, memory_order_relaxed);
    if (handle_is_live(buffer, (uintptr_t)dataBuffer))
        return data;
    refuse("aclGetDataBufferAddr", dataBuffer);
    return NULL;
}

static size_t size_of(const char *function, const aclDataBuffer *dataBuffer)
{
    struct data_buffer *buffer;
    if (find(function, dataBuffer, &buffer) != 0)
        return 0;
    size_t size = atomic_load_explicit(&buffer->size, memory_order_relaxed);
    if (handle_is_live(buffer, (uintptr_t)dataBuffer))
        return size;
    refuse(function, dataBuffer);
    return 0;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer)
{
    /* The greatest number says "too large for this function" better than the low half of the size would. */
    size_t size = size_of("aclGetDataBufferSize", dataBuffer);
    return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)
{
    return size_of("aclGetDataBufferSizeV2", dataBuffer);
}

int data_buffer_read(const char *api, const aclDataBuffer *dataBuffer, void **data, size_t *bytes)
{
    struct data_buffer *buffer;
    TRY(find(api, dataBuffer, &buffer));
    *data = atomic_load_explicit(&buffer->data, memory_order_relaxed);
    *bytes = atomic_load_explicit(&buffer->size, memory_order_relaxed);
    return handle_is_live(buffer, (uintptr_t)dataBuffer) ? 0 : refuse(api, dataBuffer);
}
