/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of a fuzzed program: devices and settings.
 */
#include <string.h>
#include <unistd.h>

#include "fuzz/verdict.h"

static void ask_which_device(struct world *world)
{
    const bool is_null = draw(world, 4) == 0;
    int32_t device = -1, process = -1;
    aclrtRunMode mode = ACL_DEVICE;
    judge("aclrtGetDevice", aclrtGetDevice(is_null ? NULL : &device), null_code(is_null), context_code(world),
          0);
    DEMAND(is_null || world->current < 0 || device == current_device(world), "device %d", device);
    judge("aclrtGetRunMode", aclrtGetRunMode(is_null ? NULL : &mode), null_code(is_null), 0, 0);
    DEMAND(is_null || mode == ACL_HOST, "mode %d", (int)mode);
    judge("aclrtDeviceGetBareTgid", aclrtDeviceGetBareTgid(is_null ? NULL : &process), null_code(is_null), 0,
          0);
    DEMAND(is_null || process == (int32_t)getpid(), "process %d", process);
}

static void ask_how_a_device_is(struct world *world)
{
    const bool is_null = draw(world, 8) == 0;
    const int32_t device = draw_device(world);
    aclrtDeviceStatus found = ACL_RT_DEVICE_STATUS_END;
    uint32_t flags = 1;
    int32_t active = -1;
    judge("aclrtQueryDeviceStatus", aclrtQueryDeviceStatus(device, is_null ? NULL : &found),
          null_code(is_null), device_code(device), 0);
    DEMAND(is_null || device_code(device) != 0 || found == ACL_RT_DEVICE_STATUS_NORMAL, "status %d",
           (int)found);
    judge("aclrtGetPrimaryCtxState",
          aclrtGetPrimaryCtxState(device, is_null ? NULL : &flags, draw(world, 8) == 0 ? NULL : &active),
          device_code(device), 0, 0);
    if (device_code(device) == 0)
        DEMAND((is_null || flags == 0) && (active == 1 || active == -1), "flags %u, active %d", flags,
               active);
}

/* When nothing is queued, the cores are idle, and the memory in use is what aclrtGetMemInfo has it to be. */
static void ask_how_busy_a_device_is(struct world *world)
{
    const uint32_t choice = draw(world, 8);
    const int32_t device = draw_device(world);
    aclrtUtilizationInfo rate;
    memset(&rate, 0x5a, sizeof rate);
    rate.utilizationExtend =
        choice == 0 ? (aclrtUtilizationExtendInfo *)draw_forged(world, world->stream) : NULL;
    if (choice > 3)
        settle(world);
    const bool is_extended = rate.utilizationExtend != NULL;
    const int status = aclrtGetDeviceUtilizationRate(device, choice == 1 ? NULL : &rate);
    judge("aclrtGetDeviceUtilizationRate", status, null_code(choice == 1), device_code(device),
          null_code(is_extended));
    if (status != 0)
        return;
    DEMAND(rate.vectorUtilization == 0 || (rate.vectorUtilization == 100 && choice <= 3), "vector cores %d",
           rate.vectorUtilization);
    DEMAND(rate.memoryUtilization >= 0 && rate.memoryUtilization <= 100, "memory %d", rate.memoryUtilization);
    size_t left, total;
    if (world->current < 0 || current_device(world) != device)
        return;
    DEMAND(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total) == 0, "memory of device %d", device);
    DEMAND((uint64_t)rate.memoryUtilization == (total - left) / (total / 100), "memory %d, %zu of %zu left",
           rate.memoryUtilization, left, total);
}

static void wait_for_the_device(struct world *world)
{
    static const int32_t timeouts[] = {-1, 2, 1, 0, -2, INT32_MIN};
    const int32_t timeout = timeouts[draw(world, sizeof timeouts / sizeof timeouts[0])];
    const int status = aclrtSynchronizeDeviceWithTimeout(timeout);
    if (status == 507046)
        DEMAND(timeout > 0 && world->current >= 0, "no time was over");
    else
        judge("aclrtSynchronizeDeviceWithTimeout", status, timeout == 0 || timeout < -1 ? 107000 : 0,
              context_code(world), 0);
    if (draw(world, 4) != 0)
        return;
    judge("aclrtSynchronizeDevice", aclrtSynchronizeDevice(), context_code(world), 0, 0);
    for (int i = 0; i < STREAMS && world->current >= 0; i++) {
        const struct stream *stream = &world->stream[i];
        aclrtStreamStatus found = ACL_STREAM_STATUS_RESERVED;
        if (stream->is_live && world->context[stream->context].device == current_device(world))
            DEMAND(aclrtStreamQuery(stream->handle, &found) == 0 && found == ACL_STREAM_STATUS_COMPLETE,
                   "stream %d has work, %d", i, (int)found);
    }
}

static void reach_a_peer(struct world *world)
{
    const int32_t peer = draw_device(world);
    const uint32_t flags = draw(world, 4) == 0 ? (uint32_t)draw_word(world) : 0;
    const bool is_own = world->current >= 0 && peer == current_device(world);
    const int code = is_own ? 100000 : context_code(world);
    judge("aclrtDeviceEnablePeerAccess", aclrtDeviceEnablePeerAccess(peer, flags), flags != 0 ? 200006 : 0,
          code, device_code(peer));
    judge("aclrtDeviceDisablePeerAccess", aclrtDeviceDisablePeerAccess(peer), code, device_code(peer), 0);
}

static void tell_devices_apart(struct world *world)
{
    const bool is_null = draw(world, 8) == 0;
    const int32_t one = draw_device(world), two = draw_device(world);
    aclrtUuid of_one, of_two;
    memset(&of_one, 0, sizeof of_one);
    judge("aclrtDeviceGetUuid", aclrtDeviceGetUuid(one, is_null ? NULL : &of_one), null_code(is_null),
          device_code(one), 0);
    judge("aclrtDeviceGetUuid", aclrtDeviceGetUuid(two, &of_two), device_code(two), 0, 0);
    if (!is_null && device_code(one) == 0 && device_code(two) == 0)
        DEMAND((memcmp(&of_one, &of_two, sizeof of_one) == 0) == (one == two), "devices %d and %d", one, two);
}

static void set_modes(struct world *world)
{
    const int mode = (int)draw(world, 5) - 1, scheduler = (int)draw(world, 5) - 1;
    const bool is_null = draw(world, 4) == 0, is_mode = mode == 0 || mode == 1;
    const uint32_t timeout = (uint32_t)draw_word(world);
    aclrtFloatOverflowMode found = ACL_RT_OVERFLOW_MODE_UNDEF;
    judge("aclrtSetDeviceSatMode", aclrtSetDeviceSatMode((aclrtFloatOverflowMode)mode), null_code(!is_mode),
          mode == 0 ? 207000 : 0, 0);
    judge("aclrtGetDeviceSatMode", aclrtGetDeviceSatMode(is_null ? NULL : &found), null_code(is_null), 0, 0);
    DEMAND(is_null || found == ACL_RT_OVERFLOW_MODE_INFNAN, "mode %d", (int)found);
    judge("aclrtSetTsDevice", aclrtSetTsDevice((aclrtTsId)scheduler),
          null_code(scheduler != ACL_TS_ID_AICORE && scheduler != ACL_TS_ID_AIVECTOR), context_code(world),
          0);
    DEMAND(aclrtSetOpWaitTimeout(timeout) == 0 && aclrtSetOpExecuteTimeOut(timeout) == 0 &&
               aclrtSetOpExecuteTimeOutWithMs(timeout) == 0,
           "time limit %u", timeout);
}

/* An option that was never set is 0, and one that a program has set has 0 again afterwards. */
static void demand_option_is_as_before(int status, int64_t value)
{
    DEMAND(status == 0 && value == 0, "the option is %lld, %d", (long long)value, status);
}

static void set_option_of_the_process(aclSysParamOpt option, int64_t value, int code, int option_code)
{
    int64_t found = -1;
    if (option_code == 0) {
        const int status = aclrtGetSysParamOpt(option, &found);
        demand_option_is_as_before(status, found);
    }
    judge("aclrtSetSysParamOpt", aclrtSetSysParamOpt(option, value), code, 0, 0);
    judge("aclrtGetSysParamOpt", aclrtGetSysParamOpt(option, NULL), 100000, option_code, 0);
    if (code != 0)
        return;
    DEMAND(aclrtGetSysParamOpt(option, &found) == 0 && found == value, "%lld", (long long)found);
    DEMAND(aclrtSetSysParamOpt(option, 0) == 0, "back to 0");
}

static void set_option_of_the_context(const struct world *world, aclSysParamOpt option, int64_t value,
                                      int code, int option_code)
{
    const int none = context_code(world);
    int64_t found = -1, of_process = -1;
    judge("aclrtCtxSetSysParamOpt", aclrtCtxSetSysParamOpt(option, value), code, none, 0);
    judge("aclrtCtxGetSysParamOpt", aclrtCtxGetSysParamOpt(option, NULL), 100000, option_code, none);
    if (code != 0 || none != 0)
        return;
    DEMAND(aclrtCtxGetSysParamOpt(option, &found) == 0 && found == value, "%lld", (long long)found);
    const int status = aclrtGetSysParamOpt(option, &of_process);
    demand_option_is_as_before(status, of_process);
    DEMAND(aclrtCtxSetSysParamOpt(option, 0) == 0, "back to 0");
}

static void set_an_option(struct world *world)
{
    const int option = (int)draw(world, 6) - 1;
    const int64_t value = draw(world, 4) != 0 ? (int64_t)draw(world, 3) : (int64_t)draw_word(world);
    const bool is_option = option >= 0 && option < 4;
    const bool is_value = option != ACL_OPT_DETERMINISTIC || value == 0 || value == 1;
    const int code = is_option && is_value ? 0 : 107000, option_code = is_option ? 0 : 107000;
    if (draw(world, 2) == 0)
        set_option_of_the_process((aclSysParamOpt)option, value, code, option_code);
    else
        set_option_of_the_context(world, (aclSysParamOpt)option, value, code, option_code);
}

/* What a device loses when it is reset for the last time. */
static void forget_device(struct world *world, int device)
{
    world->context[device].is_live = false;
    if (world->current == device)
        world->current = -1;
    for (int i = 0; i < BLOCKS; i++)
        if (world->block[i].place == PLACE_DEVICE && world->block[i].device == device)
            world->block[i].is_live = false;
    for (int i = 0; i < EVENTS; i++)
        if (world->event[i].context == device)
            world->event[i].context = -1;
    for (int i = 0; i < STREAMS; i++)
        if (world->stream[i].is_live && world->stream[i].context == device)
            world->stream[i].is_live = false;
}

/* A device that has been reset and set again: the world goes on without what it held. */
static void reset_a_device(struct world *world)
{
    const int32_t device = (int32_t)draw(world, 2);
    struct context *context = &world->context[device];
    const aclrtContext before = context->handle;
    int32_t active = -1;
    size_t left = 0, total = 1;
    if (draw(world, 4) != 0)
        return;
    settle(world);
    judge("the last reset", draw(world, 2) == 0 ? aclrtResetDeviceForce(device) : aclrtResetDevice(device), 0,
          0, 0);
    forget_device(world, device);
    DEMAND(aclrtResetDeviceForce(device) == 507007 && aclrtResetDevice(device) == 507007, "reset twice");
    DEMAND(aclrtGetPrimaryCtxState(device, NULL, &active) == 0 && active == 0, "active %d", active);
    DEMAND(aclrtSetCurrentContext(before) == 107000, "its context");
    ask_which_device(world);
    DEMAND(aclrtSetDevice(device) == 0 && aclrtGetCurrentContext(&context->handle) == 0, "set again");
    DEMAND(context->handle != before, "the same context");
    DEMAND(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total) == 0 && left == total, "%zu of %zu left", left, total);
    const aclSysParamOpt option = (aclSysParamOpt)draw(world, 4);
    int64_t value;
    DEMAND(aclrtCtxGetSysParamOpt(option, &value) == 0 && value == 0, "option %d was set before",
           (int)option);
    context->is_live = true;
    world->current = device;
}

static void reset_no_device(struct world *world)
{
    const int32_t device = draw_device(world);
    if (device_code(device) == 0)
        return;
    DEMAND(aclrtResetDeviceForce(device) == 107001 && aclrtResetDevice(device) == 107001, "device %d",
           device);
}

void step_device(struct world *world)
{
    static void (*const ask[])(struct world *) = {
        ask_which_device,    ask_how_a_device_is, ask_how_busy_a_device_is,
        wait_for_the_device, reach_a_peer,        tell_devices_apart,
        set_modes,           set_an_option,       reset_a_device,
        reset_no_device};
    ask[draw(world, sizeof ask / sizeof ask[0])](world);
}
