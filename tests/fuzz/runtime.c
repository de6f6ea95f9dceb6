/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of a fuzzed program: memory, copies, streams, events and contexts.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/world.h"

/* Bit patterns of all kinds for every dtype, and the same for the same bytes of the fuzzer. */
void fill_block(struct world *world, struct block *block)
{
    static const uint32_t words[] = {0,          0x3F800000, 0xBF800000, 0x3C003C00, 0x40404040, 0xC0400000,
                                     0x7F800000, 0x7FC00000, 0xFF800000, 0x00000001, 0x80008000, 0x7BFF7BFF,
                                     0xBFA3A3A3, 0xC2B20000, 0x42B20000, 0x00800000};
    uint64_t state = draw(world, 256) * UINT64_C(0x9E3779B97F4A7C15);
    for (uint64_t i = 0; i < block->bytes; i += 4) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t word = (state >> 60) < 8 ? words[state >> 56 & 15] : (uint32_t)(state >> 32);
        memcpy(block->shadow + i, &word, block->bytes - i < 4 ? block->bytes - i : 4);
    }
    if (block->place == PLACE_HOST)
        memcpy(block->address, block->shadow, block->bytes);
    else
        DEMAND(aclrtMemcpy(block->address, block->bytes, block->shadow, block->bytes,
                           ACL_MEMCPY_HOST_TO_DEVICE) == 0,
               "contents of %llu bytes", (unsigned long long)block->bytes);
}

static void free_block(struct world *world, struct block *block)
{
    uint32_t choice = draw(world, 8);
    if (block->place == PLACE_HOST) {
        DEMAND(aclrtFree(block->address) == 107000 && aclrtFreeHost(block->address) == 107000, "host memory");
        settle(world);
        free(block->address);
        block->is_live = false;
        return;
    }
    aclError (*right)(void *) = block->place == PLACE_DEVICE ? aclrtFree : aclrtFreeHost;
    aclError (*wrong)(void *) = block->place == PLACE_DEVICE ? aclrtFreeHost : aclrtFree;
    if (choice == 0)
        DEMAND(wrong(block->address) == 107000, "wrong function");
    if (choice == 1)
        DEMAND(right(behind(block->address, 1 + draw(world, 32))) == 107000, "interior");
    DEMAND(right(block->address) == 0, "free");
    block->is_live = false;
    if (choice == 2)
        DEMAND(right(block->address) == 107000, "freed twice");
}

void step_memory(struct world *world)
{
    static const uint64_t sizes[] = {
        0, UINT64_MAX, INT64_MAX, UINT64_MAX - 31, UINT64_C(1) << 62, UINT64_C(1) << 50};
    struct block *block = &world->block[draw(world, BLOCKS)];
    if (block->is_live) {
        free_block(world, block);
        return;
    }
    uint32_t choice = draw(world, 32);
    void *address = NULL;
    if (choice < sizeof sizes / sizeof sizes[0]) {
        int status = aclrtMalloc(&address, sizes[choice], ACL_MEM_MALLOC_HUGE_FIRST);
        DEMAND(status == 100000 || status == 107002 || status == 207001, "size %llu gave %d",
               (unsigned long long)sizes[choice], status);
        DEMAND(aclrtMallocHost(&address, sizes[choice]) != 0 && address == NULL, "host");
        return;
    }
    block->bytes = choice == 31 ? BLOCK_LARGE : choice >= 24 ? 1 + draw(world, 200) : BLOCK_SMALL;
    block->place = choice % 8 == 6 ? PLACE_PINNED : choice % 8 == 7 ? PLACE_HOST : PLACE_DEVICE;
    block->device = world->current >= 0 ? world->context[world->current].device : 0;
    if (world->current < 0 && block->place != PLACE_HOST) {
        DEMAND(aclrtMalloc(&address, block->bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 107002, "no context");
        return;
    }
    int status = 0;
    if (block->place == PLACE_HOST)
        address = malloc(block->bytes);
    else if (block->place == PLACE_PINNED)
        status = aclrtMallocHost(&address, block->bytes);
    else
        status = aclrtMalloc(&address, block->bytes, (aclrtMemMallocPolicy)draw(world, 9));
    DEMAND(status == 0 && address != NULL, "%llu bytes gave %d", (unsigned long long)block->bytes, status);
    block->address = (unsigned char *)address;
    block->is_live = true;
    fill_block(world, block);
}

/* A range of a live block, or next to its end; only library memory may be overrun. NULL without one. */
static struct block *draw_range(struct world *world, uint64_t count, uint64_t *offset, bool *fits)
{
    struct block *block = &world->block[draw(world, BLOCKS)];
    *offset = draw(world, 64);
    uint32_t choice = draw(world, 8);
    if (choice == 0)
        *offset *= 8;
    else if (choice == 7)
        *offset = block->bytes + 2 > *offset % 8 ? block->bytes + 2 - *offset % 8 : 0;
    if (!block->is_live)
        return NULL;
    if (block->place == PLACE_HOST && (count > block->bytes || *offset > block->bytes - count))
        return NULL;
    const struct block *there = find_block(world, behind(block->address, *offset));
    if (there != NULL && there != block) /* the next one begins there */
        return NULL;
    *fits = *offset <= block->bytes && count <= block->bytes - *offset;
    return block;
}

static void set_memory(struct world *world, uint64_t count, uint64_t most, aclrtStream stream, bool is_async)
{
    uint64_t offset;
    bool fits = false;
    struct block *block = draw_range(world, count, &offset, &fits);
    int32_t device, value = (int32_t)draw(world, 256) - 128;
    if (block == NULL)
        return;
    bool is_good =
        fits && count <= most && (is_async ? takes_work(world, stream, &device) : world->current >= 0);
    if (is_async && is_good)
        follow(world, stream);
    else if (is_good)
        settle(world);
    int status = is_async ? aclrtMemsetAsync(behind(block->address, offset), most, value, count, stream)
                          : aclrtMemset(behind(block->address, offset), most, value, count);
    DEMAND(count == 0 ? status == 0 : (status == 0) == is_good, "set gave %d", status);
    if (status == 0 && count > 0)
        memset(block->shadow + offset, value, count);
}

void step_copy(struct world *world)
{
    static const uint64_t counts[] = {0, 1, 4, 32, 100, 512, 513, 8, 64, 16, UINT64_MAX, 4096};
    uint64_t count = counts[draw(world, sizeof counts / sizeof counts[0])], most = count, from_offset,
             to_offset;
    uint32_t choice = draw(world, 16);
    if (choice == 15 && count > 0)
        most--;
    bool is_async = choice & 1, from_fits = false, to_fits = false;
    aclrtStream stream = draw_stream(world);
    if (choice < 4) {
        set_memory(world, count, most, stream, is_async);
        return;
    }
    const struct block *from = draw_range(world, count, &from_offset, &from_fits);
    struct block *to = draw_range(world, count, &to_offset, &to_fits);
    if (from == NULL || to == NULL)
        return;
    const unsigned char *source = behind(from->address, from_offset);
    unsigned char *target = behind(to->address, to_offset);
    uint32_t kind = draw(world, 16);
    kind = kind > 8 ? ACL_MEMCPY_DEFAULT : kind;
    int32_t device;
    bool is_good = from_fits && to_fits && count <= most && kind <= 5 &&
                   (is_async ? takes_work(world, stream, &device) : world->current >= 0);
    bool may_refuse = is_async && (kind != ACL_MEMCPY_DEFAULT ||
                                   (from->place != PLACE_DEVICE && to->place != PLACE_DEVICE));
    if (is_good && is_async)
        follow(world, stream);
    else if (is_good)
        settle(world);
    int status = is_async ? aclrtMemcpyAsync(target, most, source, count, (aclrtMemcpyKind)kind, stream)
                          : aclrtMemcpy(target, most, source, count, (aclrtMemcpyKind)kind);
    if (count == 0 || (kind <= 5 && count <= most && target == source)) {
        DEMAND(status == 0, "nothing to do gave %d", status);
        return;
    }
    DEMAND(is_good ? status == 0 || may_refuse : status != 0, "copy gave %d", status);
    if (status == 0)
        memmove(to->shadow + to_offset, from->shadow + from_offset, count);
}

static void create_stream(struct world *world)
{
    struct stream *stream = &world->stream[draw(world, STREAMS)];
    if (stream->is_live)
        return;
    aclrtStream handle = NULL;
    int status = draw(world, 2) ? aclrtCreateStream(&handle) : aclrtCreateStreamWithConfig(&handle, 9, 3);
    DEMAND(status == (world->current >= 0 ? 0 : 107002), "create gave %d", status);
    if (status == 0)
        *stream = (struct stream){.handle = handle, .is_live = true, .context = world->current};
}

void step_stream(struct world *world)
{
    aclrtStream handle = draw_stream(world);
    struct stream *stream = find_stream(world, handle);
    uint32_t choice = draw(world, 8), flags;
    int32_t id, device;
    bool is_good = takes_work(world, handle, &device);
    bool is_own = stream != NULL && world->current == stream->context;
    int status;
    aclrtStreamStatus query;
    aclrtStreamAttrValue value;
    switch (choice) {
    case 0:
    case 1:
        create_stream(world);
        break;
    case 2:
        status = aclrtDestroyStream(handle);
        DEMAND(handle == NULL ? status == 100000 : (status == 0) == is_own, "destroy gave %d", status);
        if (status == 0)
            stream->is_live = false;
        break;
    case 3:
        status = aclrtSynchronizeStream(handle);
        DEMAND((status == 0) == is_good, "synchronise gave %d", status);
        break;
    case 4:
        status = aclrtStreamQuery(handle, &query);
        DEMAND((status == 0) == is_good, "query gave %d", status);
        break;
    case 5:
        status = aclrtSynchronizeStreamWithTimeout(handle, (int32_t)draw(world, 3) - 2);
        DEMAND(status == 0 || status == 107000 || !is_good, "synchronise gave %d", status);
        break;
    case 6:
        status = aclrtStreamGetId(handle, &id) | aclrtStreamGetFlags(handle, &flags) |
                 aclrtStreamGetPriority(handle, &flags);
        DEMAND((status == 0) == is_good, "questions gave %d", status);
        memset(&value, 0, sizeof value);
        (void)aclrtSetStreamAttribute(handle, (aclrtStreamAttr)(2 + draw(world, 5)), &value);
        (void)aclrtGetStreamAttribute(handle, (aclrtStreamAttr)draw(world, 7), &value);
        break;
    default:
        settle(world); /* so that nothing is discarded that the shadows have */
        is_good = takes_work(world, handle, &device);
        status = aclrtStreamAbort(handle);
        DEMAND(handle == NULL ? status == 100000 : (status == 0) == is_good, "abort gave %d", status);
        if (status == 0)
            DEMAND(aclrtSynchronizeStream(handle) == 107023, "aborted stream");
    }
}

void step_event(struct world *world)
{
    aclrtEvent handle = draw_event(world);
    struct event *event = find_event(world, handle);
    aclrtStream stream = draw_stream(world);
    const struct stream *own = find_stream(world, stream);
    uint32_t choice = draw(world, 9);
    int32_t device;
    bool is_live = event != NULL && takes_work(world, stream, &device);
    bool is_own =
        is_live && event->context == world->current && (stream == NULL || own->context == world->current);
    aclrtEventStatus status_old;
    aclrtEventRecordedStatus status_new;
    float ms;
    int status;
    switch (choice) {
    case 0:
    case 1:
        event = &world->event[draw(world, EVENTS)];
        if (event->is_live)
            break;
        status = choice == 0 ? aclrtCreateEvent(&handle) : aclrtCreateEventExWithFlag(&handle, 9);
        DEMAND(status == (world->current >= 0 ? 0 : 107002), "create gave %d", status);
        if (status == 0)
            *event = (struct event){.handle = handle, .is_live = true, .context = world->current};
        break;
    case 2:
        status = aclrtDestroyEvent(handle);
        DEMAND(status == (handle == NULL ? 100000 : event != NULL ? 0 : 107017), "destroy gave %d", status);
        if (event != NULL)
            event->is_live = false;
        break;
    case 3:
    case 4:
        status = aclrtRecordEvent(handle, stream);
        DEMAND((status == 0) == is_own, "record gave %d", status);
        break;
    case 5:
        status = aclrtStreamWaitEvent(stream, handle);
        DEMAND(is_live || status != 0, "wait gave %d", status);
        break;
    case 6:
        status = aclrtSynchronizeEvent(handle);
        DEMAND(status == 0 || event == NULL || world->current < 0, "synchronise gave %d", status);
        break;
    case 7:
        (void)aclrtQueryEvent(handle, &status_old);
        (void)aclrtQueryEventStatus(handle, &status_new);
        (void)aclrtEventElapsedTime(&ms, handle, draw_event(world));
        break;
    default:
        status = aclrtResetEvent(handle, stream);
        DEMAND(is_live || status != 0, "reset gave %d", status);
    }
}

static void destroy_context(struct world *world, int index)
{
    struct context *context = &world->context[index];
    settle(world);
    DEMAND(aclrtDestroyContext(context->handle) == 0, "context %d", index);
    context->is_live = false;
    for (int i = 0; i < STREAMS; i++)
        if (world->stream[i].context == index)
            world->stream[i].is_live = false;
    /* Events outlive it, of a context that no other one is, whatever gets this place. */
    for (int i = 0; i < EVENTS; i++)
        if (world->event[i].context == index)
            world->event[i].context = -1;
    if (world->current == index)
        world->current = -1;
}

void step_context(struct world *world)
{
    int index = (int)draw(world, CONTEXTS);
    struct context *context = &world->context[index];
    aclrtContext found = NULL;
    uint32_t choice = draw(world, 4);
    int32_t device = (int32_t)draw(world, 4) - 1;
    if (choice == 0 && !context->is_primary && !context->is_live) {
        int status = aclrtCreateContext(&found, device);
        DEMAND(status == (device == 0 || device == 1 ? 0 : 107001), "create gave %d", status);
        if (status == 0) {
            *context = (struct context){.handle = found, .is_live = true, .device = device};
            world->current = index;
        }
    } else if (choice == 1 && context->is_live && !context->is_primary) {
        destroy_context(world, index);
        DEMAND(aclrtDestroyContext(context->handle) == 107002, "destroyed twice");
    } else if (choice == 2 && (device == 0 || device == 1)) {
        DEMAND(aclrtSetDevice(device) == 0 && aclrtResetDevice(device) == 0, "device %d", device);
        world->current = device;
    } else {
        int status = aclrtSetCurrentContext(context->handle);
        DEMAND(status == (context->handle == NULL ? 100000
                          : context->is_live      ? 0
                                                  : 107000),
               "set gave %d", status);
        if (status == 0)
            world->current = index;
    }
    int status = aclrtGetCurrentContext(&found);
    DEMAND(world->current < 0 ? status == 107002 : found == world->context[world->current].handle,
           "the current context is another");
}
