/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Fuzzes the whole API: the bytes are a program, each step of which makes a call or a few, and every status
 * and every byte of memory is held against the contract (world.h, expected.c).
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/world.h"

enum { STEPS_MOST = 200 };

static struct world world;

struct due {
    uint64_t ordinal;
};

static void run_host_function(void *argument)
{
    const struct due *due = (const struct due *)argument;
    if (world.calls_made != due->ordinal)
        world.calls_are_wrong = true;
    world.calls_made++;
}

void step_host_function(struct world *of)
{
    static struct due dues[STEPS_MOST + 1];
    aclrtStream stream = draw_stream(of);
    int32_t device;
    bool is_good = takes_work(of, stream, &device);
    DEMAND(aclrtLaunchHostFunc(stream, NULL, NULL) != 0, "no function");
    if (is_good)
        follow(of, stream);
    struct due *due = &dues[of->calls_due];
    due->ordinal = of->calls_due;
    of->calls_due += is_good;
    int status = aclrtLaunchHostFunc(stream, run_host_function, due);
    DEMAND((status == 0) == is_good, "launch gave %d", status);
}

/* What an address in a block or next to its end lies in. */
static void ask_for_place(struct world *of)
{
    const struct block *block = &of->block[draw(of, BLOCKS)];
    uint64_t offset = draw(of, 256), choice = draw(of, 4);
    const unsigned char *address =
        behind(block->address, choice != 0 ? offset : block->bytes + 1 - offset % 3);
    const struct block *there = find_block(of, address);
    aclrtPtrAttributes found = {.location = {.id = 99, .type = ACL_MEM_LOCATION_TYPE_MANAGED}};
    int status = aclrtPointerGetAttributes(address, &found);
    DEMAND(status == (address == NULL ? 100000 : 0), "%d", status);
    if (status != 0)
        return;
    int type = there == NULL                  ? ACL_MEM_LOCATION_TYPE_UNREGISTERED
               : there->place == PLACE_DEVICE ? ACL_MEM_LOCATION_TYPE_DEVICE
                                              : ACL_MEM_LOCATION_TYPE_HOST;
    DEMAND((int)found.location.type == type, "type %d, %d expected", (int)found.location.type, type);
    if (type == ACL_MEM_LOCATION_TYPE_DEVICE)
        DEMAND(found.location.id == (uint32_t)there->device, "device %u", found.location.id);
}

/* Calls that change nothing here, with whatever arguments. */
void step_odd(struct world *of)
{
    uint64_t word = draw_word(of);
    void *pointer = draw(of, 2) ? (void *)(uintptr_t)word : (void *)of->block[word % BLOCKS].address;
    size_t left, total, size;
    int64_t value;
    int32_t number;
    aclrtPtrAttributes attributes;
    uint32_t count;
    switch (draw(of, 12)) {
    case 0:
        (void)aclrtPointerGetAttributes(pointer, &attributes);
        ask_for_place(of);
        break;
    case 1:
        (void)aclrtGetMemInfo((aclrtMemAttr)(int32_t)word, &left, &total);
        break;
    case 2:
        (void)aclrtGetDeviceInfo((uint32_t)word, (aclrtDevAttr)(int32_t)(word >> 32), &value);
        break;
    case 3:
        size = aclDataTypeSize((aclDataType)(int32_t)word);
        DEMAND(size <= 16, "%zu bytes", size);
        break;
    case 4:
        (void)aclGetRecentErrMsg();
        (void)aclrtGetLastError((aclrtLastErrLevel)(int32_t)(word & 3));
        break;
    case 5:
        DEMAND(aclrtFree(NULL) == 100000 && aclrtFreeHost(NULL) == 100000, "NULL");
        break;
    case 6:
        (void)aclrtGetDeviceCount(&count);
        DEMAND(count == 2, "%u devices", count);
        (void)aclrtSetDevice((int32_t)word | 64);
        break;
    case 7: {
        int64_t dims[3] = {(int64_t)word, (int64_t)(word >> 7), 3};
        aclTensorDesc *description =
            aclCreateTensorDesc((aclDataType)(int32_t)(word & 63), 3, dims, ACL_FORMAT_ND);
        (void)aclGetTensorDescSize(description);
        (void)aclGetTensorDescElementCount(description);
        (void)aclGetTensorDescDimV2(description, word >> 60, &value);
        aclDestroyTensorDesc(description);
        break;
    }
    case 8: {
        aclDataBuffer *buffer = aclCreateDataBuffer(pointer, word);
        DEMAND(aclGetDataBufferAddr(buffer) == pointer, "data buffer");
        (void)aclDestroyDataBuffer(buffer);
        (void)aclDestroyDataBuffer(buffer);
        break;
    }
    case 9:
        (void)aclrtDeviceCanAccessPeer(&number, (int32_t)word, (int32_t)(word >> 32));
        (void)aclrtGetSysParamOpt((aclSysParamOpt)(int32_t)word, &value);
        break;
    case 10:
        (void)aclrtProcessReport((int32_t)(word % 3) - 1 == -1 ? 0 : 1);
        break;
    default:
        (void)aclFloatToFloat16((float)word);
        (void)aclFloat16ToFloat((aclFloat16)word);
    }
}

void fuzz_begin(void)
{
    setenv("BELAY_DEVICES", "2", 1);
    setenv("BELAY_ACCURACY", "exact", 1);
    setenv("BELAY_MEMORY", "64M", 1);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    static void (*const steps[])(struct world *) = {
        step_tensor,     step_scalar,     step_array,   step_getter,  step_memory,
        step_copy,       step_stream,     step_event,   step_context, step_host_function,
        step_odd,        step_phase_1,    step_phase_2, step_address, step_executor,
        step_whole_call, step_whole_call, step_tensor,  step_phase_2, step_whole_call};
    /* Younger steps have bytes of their own, the youngest the lowest, so that older programs are what they
     * were. */
    static void (*const younger[])(struct world *) = {
        step_channel,     step_allocators, step_model_data,     step_shared,       step_profile,
        step_collective,  step_looked_up,  step_virtual_memory, step_any_function, step_rows,
        step_batch,       step_allocator,  step_registration,   step_description,  step_data_buffer,
        step_stream_rest, step_event_rest, step_address_rest,   step_device,       step_report,
        step_exception,   step_version,    step_refused,        step_rows,         step_allocator};
    enum { STEPS = sizeof steps / sizeof steps[0], YOUNGER = sizeof younger / sizeof younger[0] };
    memset(&world, 0, sizeof world);
    world.bytes = (struct bytes){data, size};
    world_open(&world);
    for (int step = 0; step < STEPS_MOST && world.bytes.left > 0; step++) {
        const uint32_t choice = draw(&world, 256);
        (choice < 256 - YOUNGER ? steps[choice % STEPS] : younger[choice - (256 - YOUNGER)])(&world);
    }
    world_close(&world);
}
