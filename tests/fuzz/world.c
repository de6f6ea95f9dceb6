/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The tables of a fuzzed program: drawing and finding entries, beginning, waiting and ending.
 */
#include "fuzz/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void failed(const char *file, int line, const char *condition, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: not so: %s: ", file, line, condition);
    vfprintf(stderr, format, arguments);
    const char *sentence = aclGetRecentErrMsg();
    fprintf(stderr, "\n%.600s\n", sentence != NULL ? sentence : "(no message)");
    va_end(arguments);
    abort();
}

uint32_t draw(struct world *world, uint32_t count)
{
    if (world->bytes.left == 0)
        return 0;
    world->bytes.left--;
    return *world->bytes.at++ % count;
}

uint64_t draw_word(struct world *world)
{
    uint64_t word = 0;
    size_t bytes = world->bytes.left < sizeof word ? world->bytes.left : sizeof word;
    memcpy(&word, world->bytes.at, bytes);
    world->bytes.at += bytes;
    world->bytes.left -= bytes;
    return word;
}

void *draw_forged(struct world *world, const void *base)
{
    /* Only bits that name no other object: kind, generation and tag, not the index. */
    uint64_t bits = (uint64_t)(uintptr_t)base ^ UINT64_C(1) << (40 + draw(world, 24));
    if (draw(world, 4) == 0)
        bits = draw_word(world) | 1; /* even if it is an address, it is never looked at */
    return (void *)(uintptr_t)bits;
}

/*
 * Handles of a table, of another table, forged ones and NULL. The entry type only has to begin with its
 * handle.
 */
static void *draw_entry(struct world *world, const void *table, uint32_t count, size_t bytes)
{
    uint32_t choice = draw(world, 64);
    const unsigned char *entry = (const unsigned char *)table + (choice % count) * bytes;
    void *handle;
    memcpy(&handle, entry, sizeof handle);
    if (choice < 56)
        return handle;
    if (choice < 58)
        return draw_forged(world, handle);
    if (choice < 59)
        return NULL;
    static const struct {
        size_t offset;
        uint32_t count;
        size_t bytes;
    } others[] = {{offsetof(struct world, tensor), TENSORS, sizeof(struct tensor)},
                  {offsetof(struct world, scalar), SCALARS, sizeof(struct scalar)},
                  {offsetof(struct world, executor), EXECUTORS, sizeof(struct executor)},
                  {offsetof(struct world, stream), STREAMS, sizeof(struct stream)},
                  {offsetof(struct world, event), EVENTS, sizeof(struct event)}};
    uint32_t other = choice - 59, index = draw(world, others[other].count);
    memcpy(&handle, (const unsigned char *)world + others[other].offset + index * others[other].bytes,
           sizeof handle);
    return handle;
}

aclTensor *draw_tensor(struct world *world)
{
    return (aclTensor *)draw_entry(world, world->tensor, TENSORS, sizeof world->tensor[0]);
}

aclScalar *draw_scalar(struct world *world)
{
    return (aclScalar *)draw_entry(world, world->scalar, SCALARS, sizeof world->scalar[0]);
}

aclOpExecutor *draw_executor(struct world *world)
{
    return (aclOpExecutor *)draw_entry(world, world->executor, EXECUTORS, sizeof world->executor[0]);
}

aclrtStream draw_stream(struct world *world)
{
    return draw_entry(world, world->stream, STREAMS, sizeof world->stream[0]);
}

aclrtEvent draw_event(struct world *world)
{
    return draw_entry(world, world->event, EVENTS, sizeof world->event[0]);
}

#define FIND(name, count, type)                                                            \
    struct name *find_##name(struct world *world, type handle)                             \
    {                                                                                      \
        for (uint32_t i = 0; i < (count); i++)                                             \
            if (world->name[i].is_live && (const void *)world->name[i].handle == (handle)) \
                return &world->name[i];                                                    \
        return NULL;                                                                       \
    }
FIND(tensor, TENSORS, const aclTensor *)
FIND(scalar, SCALARS, const aclScalar *)
FIND(executor, EXECUTORS, const aclOpExecutor *)
FIND(stream, STREAMS, aclrtStream)
FIND(event, EVENTS, aclrtEvent)

struct block *find_block(struct world *world, const unsigned char *address)
{
    for (int i = 0; i < BLOCKS; i++) {
        struct block *block = &world->block[i];
        if (block->is_live && block->place != PLACE_HOST && address >= block->address &&
            address < block->address + block->bytes)
            return block;
    }
    return NULL;
}

bool takes_work(struct world *world, aclrtStream stream, int32_t *device)
{
    if (world->current < 0)
        return false;
    const struct stream *found = find_stream(world, stream);
    if (stream != NULL && found == NULL)
        return false;
    *device = world->context[found != NULL ? found->context : world->current].device;
    return true;
}

void have_context(struct world *world)
{
    if (world->current >= 0)
        return;
    DEMAND(aclrtSetCurrentContext(world->context[0].handle) == 0, "the primary context");
    world->current = 0;
}

void settle(struct world *world)
{
    have_context(world);
    aclrtContext before = world->context[world->current].handle;
    for (int i = 0; i < STREAMS; i++)
        if (world->stream[i].is_live)
            DEMAND(aclrtSynchronizeStream(world->stream[i].handle) == 0, "stream %d", i);
    for (int i = 0; i < CONTEXTS; i++) {
        if (!world->context[i].is_live)
            continue;
        DEMAND(aclrtSetCurrentContext(world->context[i].handle) == 0, "context %d", i);
        DEMAND(aclrtSynchronizeStream(NULL) == 0, "default stream %d", i);
    }
    DEMAND(aclrtSetCurrentContext(before) == 0, "the context before");
    world->is_busy = false;
    DEMAND(!world->calls_are_wrong, "host functions ran out of order");
    DEMAND(world->calls_made == world->calls_due, "%llu of %llu host functions ran",
           (unsigned long long)world->calls_made, (unsigned long long)world->calls_due);

    static unsigned char found[BLOCK_LARGE];
    for (int i = 0; i < BLOCKS; i++) {
        const struct block *block = &world->block[i];
        if (!block->is_live)
            continue;
        DEMAND(aclrtMemcpy(found, sizeof found, block->address, block->bytes, ACL_MEMCPY_DEVICE_TO_HOST) == 0,
               "block %d", i);
        for (uint64_t k = 0; k < block->bytes; k++)
            DEMAND(found[k] == block->shadow[k], "block %d, byte %llu is %02x and not %02x", i,
                   (unsigned long long)k, found[k], block->shadow[k]);
    }
}

void follow(struct world *world, aclrtStream stream)
{
    /* NULL is another stream when the context changes. */
    if (world->is_busy && (world->last != stream || stream == NULL)) {
        const struct stream *to = find_stream(world, stream), *from = find_stream(world, world->last);
        aclrtEvent event = NULL;
        if (draw(world, 2) == 0 && to != NULL && from != NULL && to->context == world->current &&
            from->context == world->current && aclrtCreateEvent(&event) == 0) {
            DEMAND(aclrtRecordEvent(event, from->handle) == 0, "record");
            DEMAND(aclrtStreamWaitEvent(to->handle, event) == 0, "wait");
            DEMAND(aclrtDestroyEvent(event) == 0, "destroy");
        } else {
            settle(world);
        }
    }
    world->last = stream;
    world->is_busy = true;
}

void world_open(struct world *world)
{
    world->current = 0;
    for (int32_t device = 1; device >= 0; device--) {
        DEMAND(aclrtSetDevice(device) == 0, "device %d", device);
        struct context *context = &world->context[device];
        *context = (struct context){.is_live = true, .is_primary = true, .device = device};
        DEMAND(aclrtGetCurrentContext(&context->handle) == 0, "context %d", device);
    }
    for (int i = 0; i < 5; i++) {
        struct block *block = &world->block[i];
        block->bytes = i == 4 ? BLOCK_LARGE : BLOCK_SMALL;
        block->device = i == 2;
        DEMAND(aclrtSetCurrentContext(world->context[block->device].handle) == 0, "device of block %d", i);
        block->place = i == 3 ? PLACE_PINNED : PLACE_DEVICE;
        int status = i == 3 ? aclrtMallocHost((void **)&block->address, block->bytes)
                            : aclrtMalloc((void **)&block->address, block->bytes, ACL_MEM_MALLOC_HUGE_FIRST);
        DEMAND(status == 0, "block %d", i);
        block->is_live = true;
        fill_block(world, block);
    }
    DEMAND(aclrtSetCurrentContext(world->context[0].handle) == 0, "device 0");
    DEMAND(aclrtCreateStream(&world->stream[0].handle) == 0, "stream");
    world->stream[0].is_live = true;
    world->stream[0].context = 0;
}

void world_close(struct world *world)
{
    settle(world);
    for (int i = 0; i < EXECUTORS; i++)
        if (world->executor[i].is_live)
            DEMAND(aclDestroyAclOpExecutor(world->executor[i].handle) == 0, "executor %d", i);
    for (int i = 0; i < ARRAYS; i++) {
        const struct array *array = &world->array[i];
        if (!array->is_live)
            continue;
        int status = array->kind == 0   ? aclDestroyIntArray((aclIntArray *)array->handle)
                     : array->kind == 1 ? aclDestroyFloatArray((aclFloatArray *)array->handle)
                     : array->kind == 2 ? aclDestroyBoolArray((aclBoolArray *)array->handle)
                     : array->kind == 3 ? aclDestroyTensorList((aclTensorList *)array->handle)
                                        : aclDestroyScalarList((aclScalarList *)array->handle);
        DEMAND(status == 0, "array %d", i);
    }
    for (int i = 0; i < TENSORS; i++)
        if (world->tensor[i].is_live)
            (void)aclDestroyTensor(world->tensor[i].handle); /* unless a list destroyed it */
    for (int i = 0; i < SCALARS; i++)
        if (world->scalar[i].is_live)
            (void)aclDestroyScalar(world->scalar[i].handle);
    for (int i = 0; i < EVENTS; i++)
        if (world->event[i].is_live)
            DEMAND(aclrtDestroyEvent(world->event[i].handle) == 0, "event %d", i);
    for (int i = 0; i < STREAMS; i++)
        if (world->stream[i].is_live) {
            DEMAND(aclrtSetCurrentContext(world->context[world->stream[i].context].handle) == 0,
                   "its context");
            DEMAND(aclrtDestroyStream(world->stream[i].handle) == 0, "stream %d", i);
        }
    for (int i = 0; i < BLOCKS; i++) {
        const struct block *block = &world->block[i];
        if (!block->is_live)
            continue;
        if (block->place == PLACE_HOST)
            free(block->address);
        else
            DEMAND((block->place == PLACE_DEVICE ? aclrtFree : aclrtFreeHost)(block->address) == 0,
                   "block %d", i);
    }
    for (int i = 0; i < CONTEXTS; i++)
        if (world->context[i].is_live && !world->context[i].is_primary)
            DEMAND(aclrtDestroyContext(world->context[i].handle) == 0, "context %d", i);
    for (int32_t device = 0; device < 2; device++) {
        size_t left = 0, total = 0;
        DEMAND(aclrtSetCurrentContext(world->context[device].handle) == 0, "device %d", device);
        DEMAND(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total) == 0 && left == total,
               "device %d has %zu of %zu bytes left", device, left, total);
        DEMAND(aclrtResetDevice(device) == 0, "device %d", device);
    }
    (void)aclGetRecentErrMsg();
}
