/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of a fuzzed program: memory that other functions give, and memory of the program that is registered.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/sides.h"

enum { CONFIGURED_MOST = 3, REGISTERED_MOST = 4, PROGRAM_BYTES = 256 };

struct configuration {
    aclrtMallocAttribute attributes[CONFIGURED_MOST];
    aclrtMallocConfig config;
    bool is_given;
};

static void draw_configuration(struct world *world, struct configuration *configuration)
{
    static const uint32_t kinds[] = {2, 1, 2, 3, 0, 2, 2, 1, 2, 3, 0, 2, 2, 1, 4, UINT32_MAX};
    static const uint32_t devices[] = {0, 1, 1, 0, 1, 0, 2, UINT32_MAX};
    uint32_t choice = draw(world, 16);
    *configuration = (struct configuration){.is_given = choice > 4};
    configuration->config.numAttrs = choice % 4;
    for (size_t i = 0; i < CONFIGURED_MOST; i++) {
        configuration->attributes[i].attr = (aclrtMallocAttrType)kinds[draw(world, 16)];
        configuration->attributes[i].value.deviceId = devices[draw(world, 8)];
    }
    /* With a count of 0 no array is needed; with another one it is missing. */
    configuration->config.attrs = choice == 12 || choice == 13 ? NULL : configuration->attributes;
}

/* What the attributes mean for device memory; *device is changed to the last one that they name. */
static int expect_configuration(const struct configuration *configuration, bool is_host, int32_t *device)
{
    const aclrtMallocConfig *config = &configuration->config;
    if (!configuration->is_given || config->numAttrs == 0)
        return 0;
    if (config->attrs == NULL)
        return 100000;
    for (size_t i = 0; i < config->numAttrs && !is_host; i++) {
        const aclrtMallocAttribute *attribute = &config->attrs[i];
        if ((uint32_t)attribute->attr > ACL_RT_MEM_ATTR_VA_FLAG)
            return 100000;
        if (attribute->attr != ACL_RT_MEM_ATTR_DEVICE_ID)
            continue;
        if (attribute->value.deviceId > 1)
            return 107001;
        *device = (int32_t)attribute->value.deviceId;
    }
    return 0;
}

enum giver { GIVER_CACHED, GIVER_ALIGN_32, GIVER_CONFIGURED, GIVER_SCHEDULER, GIVER_HOST, GIVERS };

static int give(enum giver giver, void **address, uint64_t bytes, aclrtMemMallocPolicy policy,
                aclrtMallocConfig *config)
{
    switch (giver) {
    case GIVER_CACHED:
        return aclrtMallocCached(address, bytes, policy);
    case GIVER_ALIGN_32:
        return aclrtMallocAlign32(address, bytes, policy);
    case GIVER_CONFIGURED:
        return aclrtMallocWithCfg(address, bytes, policy, config);
    case GIVER_SCHEDULER:
        return aclrtMallocForTaskScheduler(address, bytes, policy, config);
    default:
        return aclrtMallocHostWithCfg(address, bytes, config);
    }
}

/* The new block, not live yet, reaches into no other one; behind device memory there are 32 bytes more. */
static void demand_room(const struct world *world, const struct block *block)
{
    for (int i = 0; i < BLOCKS; i++) {
        const struct block *other = &world->block[i];
        if (!other->is_live)
            continue;
        uint64_t more = block->place == PLACE_DEVICE ? 32 : 0;
        uint64_t more_there = other->place == PLACE_DEVICE ? 32 : 0;
        DEMAND(behind(block->address, block->bytes + more) <= other->address ||
                   behind(other->address, other->bytes + more_there) <= block->address,
               "the new block lies in block %d", i);
    }
}

static void demand_place(const struct block *block)
{
    aclrtPtrAttributes found;
    DEMAND((uintptr_t)block->address % 512 == 0, "%p is not aligned", (void *)block->address);
    DEMAND(aclrtPointerGetAttributes(behind(block->address, block->bytes - 1), &found) == 0, "its end");
    DEMAND((int)found.location.type ==
               (block->place == PLACE_DEVICE ? ACL_MEM_LOCATION_TYPE_DEVICE : ACL_MEM_LOCATION_TYPE_HOST),
           "type %d", (int)found.location.type);
    DEMAND(block->place != PLACE_DEVICE || found.location.id == (uint32_t)block->device,
           "device %u and not %d", found.location.id, block->device);
}

static void make_block(struct world *world, struct block *block)
{
    /* The first ones overflow when they are rounded, the others are more than there is. */
    static const uint64_t sizes[] = {0,         UINT64_MAX,        UINT64_MAX - 30,  UINT64_MAX - 63,
                                     INT64_MAX, UINT64_C(1) << 62, UINT64_C(1) << 50};
    enum giver giver = (enum giver)draw(world, GIVERS);
    uint32_t choice = draw(world, 32);
    aclrtMemMallocPolicy policy = (aclrtMemMallocPolicy)(draw(world, 9) | draw(world, 4) << 12);
    struct configuration configuration;
    draw_configuration(world, &configuration);
    bool is_configured = giver >= GIVER_CONFIGURED, is_host = giver == GIVER_HOST;
    uint64_t bytes = choice < 7     ? sizes[choice]
                     : choice == 31 ? BLOCK_LARGE
                     : choice >= 20 ? 1 + draw(world, 200)
                                    : BLOCK_SMALL;
    int32_t device = world->current >= 0 ? world->context[world->current].device : 0;
    int expected = is_configured ? expect_configuration(&configuration, is_host, &device) : 0;
    if (expected == 0 && choice < 7)
        expected = 207001;
    if (world->current < 0)
        expected = 107002;
    if (choice == 0 || (choice < 3 && !is_host))
        expected = 100000;
    aclrtMallocConfig *config = configuration.is_given ? &configuration.config : NULL;
    DEMAND(give(giver, NULL, bytes, policy, config) == 100000, "no place for the result");
    unsigned char untouched;
    void *address = &untouched;
    int status = give(giver, &address, bytes, policy, config);
    DEMAND(status == expected, "function %d gave %d and not %d for %llu bytes", (int)giver, status, expected,
           (unsigned long long)bytes);
    if (status != 0) {
        DEMAND(address == &untouched, "a result of a failure");
        return;
    }
    block->bytes = bytes;
    block->place = is_host ? PLACE_PINNED : PLACE_DEVICE;
    block->device = device;
    block->address = (unsigned char *)address;
    demand_place(block);
    demand_room(world, block);
    block->is_live = true;
    fill_block(world, block);
}

static void ask_for_usage(struct world *world)
{
    static const int32_t devices[] = {0, 1, 0, 1, 0, 2, -1, INT32_MIN};
    aclrtMemUsageInfo usage[2] = {{.name = "before"}, {.name = "before"}};
    size_t found = 77, number = draw(world, 3);
    int32_t device = devices[draw(world, 8)];
    uint32_t missing = draw(world, 16);
    int expected = missing == 1 || missing == 2 || number == 0 ? 100000
                   : device < 0 || device > 1                  ? 107001
                                                               : 0;
    int status =
        aclrtGetMemUsageInfo(device, missing == 1 ? NULL : usage, number, missing == 2 ? NULL : &found);
    DEMAND(status == expected, "usage gave %d and not %d", status, expected);
    DEMAND(strcmp(usage[1].name, "before") == 0, "more than one entry");
    if (status != 0) {
        DEMAND(strcmp(usage[0].name, "before") == 0 && found == 77, "results of a failure");
        return;
    }
    DEMAND(found == 1 && strcmp(usage[0].name, "APP") == 0, "%zu entries", found);
    uint64_t bytes = 0;
    for (int i = 0; i < BLOCKS; i++)
        if (world->block[i].is_live && world->block[i].place == PLACE_DEVICE &&
            world->block[i].device == device)
            bytes += world->block[i].bytes;
    DEMAND(usage->curMemSize >= bytes && (usage->curMemSize > 0) == (bytes > 0) &&
               usage->memPeakSize >= usage->curMemSize,
           "%llu bytes, at most %llu, for %llu", (unsigned long long)usage->curMemSize,
           (unsigned long long)usage->memPeakSize, (unsigned long long)bytes);
    if (world->current < 0 || world->context[world->current].device != device)
        return;
    size_t left = 0, total = 0;
    DEMAND(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total) == 0 && total - left == usage->curMemSize,
           "%zu of %zu bytes are left", left, total);
}

void step_allocator(struct world *world)
{
    uint32_t index = draw(world, 16);
    struct block *block = &world->block[index % BLOCKS];
    for (int i = 0; i < BLOCKS && block->is_live; i++)
        block = &world->block[i];
    if (index == 15 || block->is_live)
        ask_for_usage(world);
    else
        make_block(world, block);
}

struct registration {
    uint64_t begin, bytes;
    bool is_live;
};

/* Memory of the program for one step, and what of it is registered. */
struct program_memory {
    unsigned char *at;
    struct registration registration[REGISTERED_MOST];
};

static bool is_registered(const struct program_memory *memory, uint64_t begin, uint64_t bytes)
{
    for (int i = 0; i < REGISTERED_MOST; i++) {
        const struct registration *entry = &memory->registration[i];
        if (entry->is_live && begin >= entry->begin && begin + bytes <= entry->begin + entry->bytes)
            return true;
    }
    return false;
}

static bool overlaps(const struct program_memory *memory, uint64_t begin, uint64_t bytes)
{
    for (uint64_t i = begin; i < begin + bytes; i++)
        if (is_registered(memory, i, 1))
            return true;
    return false;
}

static struct registration *unused_entry(struct program_memory *memory)
{
    for (int i = 0; i < REGISTERED_MOST; i++)
        if (!memory->registration[i].is_live)
            return &memory->registration[i];
    return NULL;
}

static void demand_registered(const struct program_memory *memory, uint64_t offset)
{
    aclrtPtrAttributes found;
    DEMAND(aclrtPointerGetAttributes(memory->at + offset, &found) == 0, "attributes");
    int type =
        is_registered(memory, offset, 1) ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_UNREGISTERED;
    DEMAND((int)found.location.type == type, "byte %llu is of type %d and not %d", (unsigned long long)offset,
           (int)found.location.type, type);
}

static void register_range(struct world *world, struct program_memory *memory)
{
    static const uint32_t types[] = {0, 4, 8, 0, 4, 8, 0, 0, 4, 8, 0, 0, 12, 1, 2, UINT32_C(1) << 31};
    uint64_t begin = draw(world, PROGRAM_BYTES), bytes = 1 + draw(world, 48);
    uint32_t choice = draw(world, 16), type = types[draw(world, 16)];
    bool is_second = draw(world, 2); /* which takes two types at once */
    struct registration *entry = unused_entry(memory);
    struct block *block = &world->block[draw(world, 5)];
    if (entry == NULL)
        return;
    bytes = bytes < PROGRAM_BYTES - begin ? bytes : PROGRAM_BYTES - begin;
    bool is_ours = choice == 1 && is_reserved(world, block->address), is_null = choice == 2;
    unsigned char *address = is_ours ? block->address : is_null ? NULL : memory->at + begin;
    if (choice == 3)
        bytes = 0;
    bool is_no_range = choice == 4 || choice == 5;
    if (is_no_range)
        bytes = choice == 4 ? UINT64_MAX : -(uint64_t)(uintptr_t)address;
    /* To register memory of aclrtMallocHost changes nothing. */
    bool is_pinned = is_ours && block->is_live && block->place == PLACE_PINNED && bytes <= block->bytes;
    bool is_no_type = (type & ~UINT32_C(12)) != 0 || (type == 12 && !is_second);
    int expected = is_null || bytes == 0 || is_no_type ? 100000
                   : world->current < 0                ? 107002
                   : is_no_range                       ? 100000
                   : is_pinned                         ? 0
                   : is_ours                           ? 107000
                   : overlaps(memory, begin, bytes)    ? 507910
                                                       : 0;
    void *reached = &reached;
    int status = is_second ? aclrtHostRegisterV2(address, bytes, type)
                           : aclrtHostRegister(address, bytes, (aclrtHostRegisterType)type,
                                               draw(world, 2) ? &reached : NULL);
    DEMAND(status == expected, "register gave %d and not %d", status, expected);
    DEMAND(reached == &reached || (status == 0 && reached == address), "another address");
    if (status != 0 || is_pinned)
        return;
    *entry = (struct registration){begin, bytes, true};
    demand_registered(memory, begin);
    demand_registered(memory, begin + bytes - 1);
    if (begin + bytes < PROGRAM_BYTES)
        demand_registered(memory, begin + bytes);
    DEMAND(aclrtFree(address) == 107000 && aclrtFreeHost(address) == 107000, "memory of the program");
}

static void unregister_range(struct world *world, struct program_memory *memory)
{
    uint32_t choice = draw(world, 16);
    struct registration *entry = &memory->registration[choice % REGISTERED_MOST];
    uint64_t begin = choice < 10 ? entry->begin : draw(world, PROGRAM_BYTES);
    const struct block *block = &world->block[draw(world, 5)];
    for (int i = 0; i < REGISTERED_MOST; i++)
        if (memory->registration[i].is_live && memory->registration[i].begin == begin)
            entry = &memory->registration[i];
    bool is_one = entry->is_live && entry->begin == begin && choice < 14;
    void *address = choice == 14 ? NULL : choice == 15 ? (void *)block->address : memory->at + begin;
    int status = aclrtHostUnregister(address);
    /* To unregister memory of aclrtMallocHost changes nothing. */
    if (choice == 15 && status == 0)
        return;
    DEMAND(status == (choice == 14 ? 100000 : is_one ? 0 : 507911), "unregister gave %d", status);
    if (status != 0)
        return;
    entry->is_live = false;
    demand_registered(memory, begin);
    DEMAND(aclrtHostUnregister(address) == 507911, "unregistered twice");
}

/* Registered memory is pinned and stands for device memory too. */
static int expect_registered_copy(uint32_t kind, bool is_back, bool is_whole)
{
    if (kind == ACL_MEMCPY_DEVICE_TO_DEVICE)
        return is_whole ? 0 : 107000;
    return expect_kind(kind, !is_back, is_back);
}

static void copy_registered(struct world *world, struct program_memory *memory)
{
    struct block *block = &world->block[draw(world, BLOCKS)];
    const struct registration *entry = &memory->registration[draw(world, REGISTERED_MOST)];
    uint64_t bytes = 1 + draw(world, 40), begin = entry->begin + draw(world, 8);
    uint32_t kind = draw(world, 6);
    bool is_back = draw(world, 2);
    aclrtStream stream = draw_stream(world);
    if (!block->is_live || block->place != PLACE_DEVICE || bytes > block->bytes ||
        begin + bytes > PROGRAM_BYTES)
        return;
    unsigned char *here = memory->at + begin;
    int expected = expect_stream(world, stream);
    if (expected == 0)
        expected = expect_registered_copy(kind, is_back, is_registered(memory, begin, bytes));
    if (expected == 0)
        follow(world, stream);
    int status = is_back
                     ? aclrtMemcpyAsync(here, bytes, block->address, bytes, (aclrtMemcpyKind)kind, stream)
                     : aclrtMemcpyAsync(block->address, bytes, here, bytes, (aclrtMemcpyKind)kind, stream);
    DEMAND(status == expected, "registered memory, kind %u, gave %d and not %d", kind, status, expected);
    if (status != 0)
        return;
    DEMAND(aclrtSynchronizeStream(stream) == 0, "its stream");
    if (is_back)
        DEMAND(memcmp(here, block->shadow, bytes) == 0, "other bytes");
    else
        memcpy(block->shadow, here, bytes);
}

static void maintain_cache(struct world *world, struct program_memory *memory)
{
    aclError (*call)(void *, size_t) = draw(world, 2) ? aclrtMemFlush : aclrtMemInvalidate;
    uint64_t bytes = draw_count(world);
    struct side side;
    if (!draw_side(world, bytes, &side))
        return;
    int expected = side.at == NULL || bytes == 0      ? 100000
                   : world->current < 0               ? 107002
                   : side.fits && is_on_device(&side) ? 0
                                                      : 107000;
    int status = call(side.at, bytes);
    DEMAND(status == expected, "cache maintenance gave %d and not %d", status, expected);
    const uint64_t begin = draw(world, PROGRAM_BYTES);
    expected = world->current < 0 ? 107002 : is_registered(memory, begin, 1) ? 0 : 107000;
    status = call(memory->at + begin, 1);
    DEMAND(status == expected, "memory of the program gave %d and not %d", status, expected);
}

void step_registration(struct world *world)
{
    static void (*const actions[])(struct world *, struct program_memory *) = {
        register_range, register_range, register_range, unregister_range, copy_registered, maintain_cache};
    struct program_memory memory = {.at = malloc(PROGRAM_BYTES)};
    DEMAND(memory.at != NULL, "memory of the program");
    memset(memory.at, (int)draw(world, 256), PROGRAM_BYTES);
    for (uint32_t rounds = 1 + draw(world, 12); rounds > 0; rounds--)
        actions[draw(world, 6)](world, &memory);
    for (int i = 0; i < REGISTERED_MOST; i++)
        if (memory.registration[i].is_live)
            DEMAND(aclrtHostUnregister(memory.at + memory.registration[i].begin) == 0, "at the end");
    free(memory.at);
}
