/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of a fuzzed program: channels between host and device, their data sets and items; and descriptions of
 * allocators.
 */
#include <string.h>

#include "acl/acl_tdt.h"
#include "fuzz/verdict.h"

enum { CALLS_MOST = 12, CAPACITY_MOST = 3 };

/* A channel with what must be in it: how many items each data set in it has. */
struct channel {
    acltdtChannelHandle *handle;
    size_t capacity, count;
    size_t item_count[CAPACITY_MOST];
    bool is_stopped;
};

static void look_at_item(struct world *world, acltdtDataItem *item, uint64_t number, bool is_sent)
{
    int64_t dims[2] = {-1, -1};
    size_t count = 0, slice = 7;
    const size_t room = draw(world, 3);
    uint64_t found = ~number;
    const void *address = acltdtGetDataAddrFromItem(item);
    DEMAND(acltdtGetTensorTypeFromItem(item) == ACL_TENSOR_DATA_TENSOR, "its kind");
    DEMAND(acltdtGetDataTypeFromItem(item) == ACL_UINT64, "its dtype");
    DEMAND(acltdtGetDataSizeFromItem(item) == sizeof number && address != NULL, "its bytes");
    memcpy(&found, address, sizeof found);
    DEMAND(!is_sent || found == number, "%llx is not what was sent", (unsigned long long)found);
    DEMAND(acltdtGetDimNumFromItem(item) == 1, "its dims");
    DEMAND(acltdtGetDimsFromItem(item, dims, room) == null_code(room < 1), "room for %zu dims", room);
    DEMAND(dims[0] == (room < 1 ? -1 : 1) && dims[1] == -1, "dims %lld", (long long)dims[0]);
    DEMAND(acltdtGetSliceInfoFromItem(item, &count, &slice) == 0 && count == 1 && slice == 0, "slice %zu",
           slice);
}

static int stopped_code(const struct channel *channel)
{
    return channel->is_stopped ? 500001 : 0;
}

static void send_or_receive(struct world *world, struct channel *channel, acltdtDataset *set,
                            size_t set_count, acltdtDataset *received, uint64_t number)
{
    if (draw(world, 2) == 0) {
        const int status = acltdtSendTensor(channel->handle, set, 0);
        judge("acltdtSendTensor", status, stopped_code(channel),
              channel->count == channel->capacity ? 207014 : 0, 0);
        if (status == 0)
            channel->item_count[channel->count++] = set_count;
        return;
    }
    const int status = acltdtReceiveTensor(channel->handle, received, 0);
    judge("acltdtReceiveTensor", status, stopped_code(channel), channel->count == 0 ? 207013 : 0, 0);
    if (status != 0)
        return;
    DEMAND(acltdtGetDatasetSize(received) == channel->item_count[0], "%zu items", channel->item_count[0]);
    for (size_t i = 0; i < channel->item_count[0]; i++)
        look_at_item(world, acltdtGetDataItem(received, i), number, true);
    memmove(channel->item_count, channel->item_count + 1, --channel->count * sizeof channel->item_count[0]);
}

static void use_channel(struct world *world, struct channel *channel, acltdtDataset *set, size_t set_count,
                        acltdtDataset *received, uint64_t number)
{
    for (uint32_t calls = draw(world, CALLS_MOST); calls > 0; calls--) {
        size_t size = 99;
        switch (draw(world, 8)) {
        case 0:
            DEMAND(acltdtCleanChannel(channel->handle) == 0, "cleaned");
            channel->count = 0;
            break;
        case 1:
            if (draw(world, 4) != 0)
                break;
            DEMAND(acltdtStopChannel(channel->handle) == 0, "stopped");
            channel->count = 0;
            channel->is_stopped = true;
            break;
        case 2:
            DEMAND(acltdtQueryChannelSize(channel->handle, &size) == 0 && size == channel->count, "size %zu",
                   size);
            break;
        default:
            send_or_receive(world, channel, set, set_count, received, number);
        }
    }
}

void step_channel(struct world *world)
{
    static const char *const names[] = {"one", "another", "", NULL};
    const int64_t dims[] = {1};
    uint64_t number = draw_word(world);
    const int32_t device = draw_device(world);
    const char *name = names[draw(world, 16) % 10 % 4];
    struct channel channel = {.capacity = draw(world, CAPACITY_MOST + 1)};
    const bool is_plain = draw(world, 4) == 0;
    channel.handle = is_plain ? acltdtCreateChannel((uint32_t)device, name)
                              : acltdtCreateChannelWithCapacity((uint32_t)device, name, channel.capacity);
    const bool is_good =
        device_code(device) == 0 && name != NULL && name[0] != '\0' && (is_plain || channel.capacity > 0);
    DEMAND((channel.handle != NULL) == is_good, "a channel of device %d", (int)device);
    acltdtDataset *set = acltdtCreateDataset(), *received = acltdtCreateDataset();
    acltdtDataItem *item =
        acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, dims, 1, ACL_UINT64, &number, sizeof number);
    DEMAND(set != NULL && received != NULL && item != NULL, "nothing was made");
    const size_t count = draw(world, 4);
    for (size_t i = 0; i < count; i++)
        DEMAND(acltdtAddDataItem(set, item) == 0, "item %zu", i);
    DEMAND(acltdtGetDatasetSize(set) == count, "%zu items", count);
    DEMAND(acltdtGetDatasetName(set) != NULL && acltdtGetDatasetName(set)[0] == '\0', "a name");
    look_at_item(world, item, number, false);
    if (channel.handle != NULL && !is_plain)
        use_channel(world, &channel, set, count, received, number);
    void *other = draw_object(world, set);
    DEMAND(acltdtAddDataItem(set, other) == 100000, "a data set is no item");
    DEMAND(acltdtDestroyChannel(other) == 100000, "a data set is no channel");
    if (channel.handle != NULL) {
        DEMAND(acltdtDestroyChannel(channel.handle) == 0, "destroyed");
        DEMAND(acltdtSendTensor(channel.handle, set, 0) == 100000, "sent to a channel that is gone");
        DEMAND(acltdtDestroyChannel(channel.handle) == 100000, "destroyed twice");
    }
    DEMAND(acltdtDestroyDataItem(item) == 0 && acltdtDestroyDataItem(item) == 100000, "an item");
    DEMAND(acltdtDestroyDataset(set) == 0 && acltdtDestroyDataset(received) == 0, "data sets");
    DEMAND(acltdtDestroyDataset(set) == 100000, "destroyed twice");
}

static void *allocate(aclrtAllocator object, size_t size)
{
    (void)object, (void)size;
    return NULL;
}

static void give_back(aclrtAllocator object, aclrtAllocatorBlock block)
{
    (void)object, (void)block;
}

void step_allocators(struct world *world)
{
    aclrtAllocatorDesc description = aclrtAllocatorCreateDesc(), found;
    aclrtAllocator object;
    aclrtAllocatorAllocFunc find_allocate;
    aclrtAllocatorFreeFunc find_free;
    aclrtAllocatorAllocAdviseFunc advise;
    aclrtAllocatorGetAddrFromBlockFunc address_of;
    DEMAND(description != NULL, "nothing was made");
    const bool allocates = draw(world, 4) != 0, frees = draw(world, 4) != 0;
    DEMAND(aclrtAllocatorSetObjToDesc(description, world) == 0, "object");
    DEMAND(aclrtAllocatorSetAllocFuncToDesc(description, allocates ? allocate : NULL) == 0, "allocates");
    DEMAND(aclrtAllocatorSetFreeFuncToDesc(description, frees ? give_back : NULL) == 0, "frees");
    DEMAND(aclrtAllocatorSetAllocAdviseFuncToDesc(description, NULL) == 0, "advises");
    DEMAND(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, NULL) == 0, "address");
    aclrtStream stream = draw_stream(world);
    struct reasons stream_only = {.count = 0}, reasons;
    stream_reasons(world, &stream_only, stream);
    reasons = stream_only;
    reason(&reasons, !allocates || !frees, 100000);
    const int status = aclrtAllocatorRegister(stream, description);
    judge_reasons(&reasons, status, "aclrtAllocatorRegister");
    if (status == 0) {
        DEMAND(aclrtAllocatorGetByStream(stream, &found, &object, &find_allocate, &find_free, &advise,
                                         &address_of) == 0,
               "what is registered");
        DEMAND(found == description && object == world && find_allocate == allocate && find_free == give_back,
               "another");
    }
    judge_reasons(&stream_only, aclrtAllocatorUnregister(stream), "aclrtAllocatorUnregister");
    DEMAND(aclrtAllocatorDestroyDesc(description) == 0, "destroyed");
    DEMAND(aclrtAllocatorDestroyDesc(description) == 100000, "destroyed twice");
    DEMAND(aclrtAllocatorSetObjToDesc(draw_object(world, description), NULL) == 100000, "it is gone");
}
