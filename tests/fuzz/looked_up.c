/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of a fuzzed program: functions that frameworks look up, each with arguments of which some are wrong.
 */
#include <string.h>

#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "fuzz/verdict.h"

static void set_options(struct world *world)
{
    static const char *const texts[] = {"", "enable", "a longer value that is kept as it is"};
    char value[64];
    const int opt = (int)draw(world, 20) - 1;
    const char *text = draw(world, 8) == 0 ? NULL : texts[draw(world, 3)];
    const bool is_option = opt >= 0 && opt <= ACL_OP_DEBUG_OPTION;
    const int status = aclSetCompileopt((aclCompileOpt)opt, text);
    judge("aclSetCompileopt", status, is_option && text != NULL ? 0 : 100000, 0, 0);
    const size_t size = aclGetCompileoptSize((aclCompileOpt)opt), room = draw(world, sizeof value + 1);
    if (status == 0)
        DEMAND(size == strlen(text) + 1, "%zu bytes of '%s'", size, text);
    const int got = aclGetCompileopt((aclCompileOpt)opt, value, room);
    DEMAND(got == (size != 0 && size <= room ? 0 : 100000), "option %d gave %d", opt, got);
    if (got == 0 && status == 0)
        DEMAND(strcmp(value, text) == 0, "option %d is '%s'", opt, value);
}

static void set_attributes(struct world *world)
{
    aclopAttr *live = aclopCreateAttr();
    DEMAND(live != NULL, "memory");
    aclopAttr *const attr = draw(world, 3) == 0 ? (aclopAttr *)draw_forged(world, live) : live;
    const char *const name = draw(world, 8) == 0 ? NULL : "name";
    const int64_t numbers[] = {1, 2};
    const int64_t *const lists[] = {numbers};
    const int lengths[] = {2}, count = (int)draw(world, 4) - 1;
    const aclDataType dtypes[] = {ACL_FLOAT, ACL_INT8};
    const uint8_t bools[] = {1, 0};
    const float floats[] = {1, 2};
    const char *texts[] = {"a", "b"};
    const int expected = attr == live && name != NULL ? 0 : 100000;
    const int of_list = expected != 0 || count < 0 ? 100000 : 0;
    judge("aclopSetAttrBool", aclopSetAttrBool(attr, name, 1), expected, 0, 0);
    judge("aclopSetAttrInt", aclopSetAttrInt(attr, name, 1), expected, 0, 0);
    judge("aclopSetAttrFloat", aclopSetAttrFloat(attr, name, 1), expected, 0, 0);
    judge("aclopSetAttrString", aclopSetAttrString(attr, name, "text"), expected, 0, 0);
    judge("aclopSetAttrDataType", aclopSetAttrDataType(attr, name, ACL_FLOAT), expected, 0, 0);
    judge("aclopSetAttrListDataType", aclopSetAttrListDataType(attr, name, count, dtypes), of_list, 0, 0);
    judge("aclopSetAttrListBool", aclopSetAttrListBool(attr, name, count, bools), of_list, 0, 0);
    judge("aclopSetAttrListInt", aclopSetAttrListInt(attr, name, count, numbers), of_list, 0, 0);
    judge("aclopSetAttrListFloat", aclopSetAttrListFloat(attr, name, count, floats), of_list, 0, 0);
    judge("aclopSetAttrListString", aclopSetAttrListString(attr, name, count, texts), of_list, 0, 0);
    judge("aclopSetAttrListListInt", aclopSetAttrListListInt(attr, name, count, lengths, lists), of_list, 0,
          0);
    aclopDestroyAttr(attr == live ? NULL : attr);
    aclopDestroyAttr(live);
}

static void copy_by_name(struct world *world)
{
    enum { BYTES = 32 };
    const int64_t dims[] = {8};
    void *memory = NULL;
    have_context(world);
    settle(world);
    if (aclrtMalloc(&memory, 2 * BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return;
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
    aclDataBuffer *from = aclCreateDataBuffer(memory, BYTES),
                  *to = aclCreateDataBuffer(behind(memory, BYTES), BYTES);
    const uint32_t wrong = draw(world, 8);
    aclTensorDesc *in[] = {wrong == 1 ? (aclTensorDesc *)draw_forged(world, desc) : desc}, *out[] = {desc};
    aclDataBuffer *source[] = {wrong == 2 ? (aclDataBuffer *)draw_forged(world, from) : from};
    aclDataBuffer *target[] = {wrong == 3 ? NULL : to};
    const int inputs = wrong == 4 ? 0 : 1;
    const char *const type = wrong == 5 ? "MatMul" : wrong == 6 ? NULL : "Identity";
    /* What is refused fails in the stream. */
    const int expected = wrong == 6 ? 100000 : 0;
    const uint32_t form = draw(world, 4);
    int status;
    if (form == 0)
        status =
            aclopExecute(type, inputs, (const aclTensorDesc *const *)in, (const aclDataBuffer *const *)source,
                         1, (const aclTensorDesc *const *)out, target, NULL, NULL);
    else if (form == 1)
        status = aclopExecuteV2(type, inputs, in, source, 1, out, target, NULL, NULL);
    else if (form == 2)
        status = aclopCompileAndExecute(
            type, inputs, (const aclTensorDesc *const *)in, (const aclDataBuffer *const *)source, 1,
            (const aclTensorDesc *const *)out, target, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, NULL);
    else
        status = aclopCompileAndExecuteV2(type, inputs, in, source, 1, out, target, NULL, ACL_ENGINE_SYS,
                                          ACL_COMPILE_SYS, NULL, NULL);
    judge("aclopCompileAndExecute", status, expected, 0, 0);
    DEMAND(aclrtSynchronizeStream(NULL) == (wrong >= 1 && wrong <= 5 ? 507035 : 0), "synchronise");
    aclopHandle *handle = NULL, *cast = NULL;
    status = aclopCreateHandle(type, inputs, (const aclTensorDesc *const *)in, 1,
                               (const aclTensorDesc *const *)out, NULL, &handle);
    const int refused = wrong == 5                                                  ? 100024
                        : (wrong == 1 && in[0] != NULL) || wrong == 4 || wrong == 6 ? 100000
                                                                                    : 0;
    judge("aclopCreateHandle", status, refused, 0, 0);
    judge("aclopUpdateParams",
          aclopUpdateParams(type, inputs, (const aclTensorDesc *const *)in, 1,
                            (const aclTensorDesc *const *)out, NULL),
          refused, 0, 0);
    aclopHandle *const used = draw(world, 3) == 0 ? (aclopHandle *)draw_forged(world, handle) : handle;
    status = aclopExecWithHandle(used, inputs, (const aclDataBuffer *const *)source, 1, target, NULL);
    judge("aclopExecWithHandle", status, handle != NULL && used == handle ? 0 : 100000, 0, 0);
    DEMAND(aclrtSynchronizeStream(NULL) == (status == 0 && wrong >= 1 && wrong <= 3 ? 507035 : 0),
           "synchronise");
    judge("aclopCreateHandleForCast",
          aclopCreateHandleForCast(desc, wrong == 3 ? NULL : desc, 0, wrong == 7 ? NULL : &cast),
          wrong == 3 || wrong == 7 ? 100000 : 0, 0, 0);
    aclopDestroyHandle(cast);
    aclopDestroyHandle(used);
    if (used != handle)
        aclopDestroyHandle(handle);
    judge("aclopCast", aclopCast(desc, from, wrong == 3 ? NULL : desc, to, 0, NULL), 0, 0, 0);
    DEMAND(aclrtSynchronizeStream(NULL) == (wrong == 3 ? 507035 : 0), "synchronise");
    aclDestroyTensorDesc(desc);
    DEMAND(aclDestroyDataBuffer(from) == 0 && aclDestroyDataBuffer(to) == 0 && aclrtFree(memory) == 0, "end");
}

static void set_limits(struct world *world)
{
    const int32_t device = draw_device(world);
    const aclrtDevResLimitType kind = (aclrtDevResLimitType)((int)draw(world, 4) - 1);
    const uint32_t value = draw(world, 4);
    uint32_t found = 0;
    const bool is_kind = (int)kind == 0 || (int)kind == 1;
    int expected = is_kind && value > 0 ? device_code(device) : 107000;
    judge("aclrtSetDeviceResLimit", aclrtSetDeviceResLimit(device, kind, value), expected, 0, 0);
    expected = is_kind ? device_code(device) : 107000;
    const int status = aclrtGetDeviceResLimit(device, kind, &found);
    judge("aclrtGetDeviceResLimit", status, expected, 0, 0);
    DEMAND(status != 0 || found > 0, "no cores");
    judge("aclrtResetDeviceResLimit", aclrtResetDeviceResLimit(device), device_code(device), 0, 0);
    int32_t logical;
    judge("aclrtGetLogicDevIdByUserDevId", aclrtGetLogicDevIdByUserDevId(device, &logical),
          device_code(device), 0, 0);

    have_context(world);
    const aclrtStream stream = draw_stream(world);
    const bool is_stream = stream == NULL || find_stream(world, stream) != NULL;
    expected = is_stream ? 0 : 107017;
    judge("aclrtSetStreamResLimit", aclrtSetStreamResLimit(stream, ACL_RT_DEV_RES_CUBE_CORE, 3), expected, 0,
          0);
    judge("aclrtGetStreamResLimit", aclrtGetStreamResLimit(stream, ACL_RT_DEV_RES_CUBE_CORE, &found),
          expected, 0, 0);
    judge("aclrtUseStreamResInCurrentThread", aclrtUseStreamResInCurrentThread(stream), expected, 0, 0);
    judge("aclrtGetResInCurrentThread", aclrtGetResInCurrentThread(kind, &found), is_kind ? 0 : 107000, 0, 0);
    judge("aclrtUnuseStreamResInCurrentThread", aclrtUnuseStreamResInCurrentThread(stream), expected, 0, 0);
    judge("aclrtResetStreamResLimit", aclrtResetStreamResLimit(stream), expected, 0, 0);
    aclmdlRICaptureStatus capturing;
    judge("aclmdlRICaptureGetInfo", aclmdlRICaptureGetInfo(stream, &capturing, NULL), expected, 0, 0);
    aclmdlRICaptureMode mode = (aclmdlRICaptureMode)((int)draw(world, 5) - 1);
    expected = (int)mode >= 0 && (int)mode <= 2 ? 0 : 107000;
    judge("aclmdlRICaptureThreadExchangeMode", aclmdlRICaptureThreadExchangeMode(&mode), expected, 0, 0);
}

/* Waits only for what is there already: nobody would write it. */
static void write_values(struct world *world)
{
    uint64_t *cell = NULL, number = draw_word(world);
    have_context(world);
    settle(world);
    if (aclrtMalloc((void **)&cell, 16, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return;
    const uint32_t wrong = draw(world, 6), flag = wrong == 1 ? 4 + draw(world, 9) : 0;
    uint64_t *const address = wrong == 2   ? NULL
                              : wrong == 3 ? (uint64_t *)(void *)behind((unsigned char *)cell, 4)
                              : wrong == 4 ? &number
                              : wrong == 5 ? cell + 2
                                           : cell;
    const int expected = wrong == 0 ? 0 : wrong == 2 ? 100000 : 107000;
    judge("aclrtValueWrite", aclrtValueWrite(address, number, flag, NULL), expected, 0, 0);
    judge("aclrtValueWait", aclrtValueWait(address, number, flag == 0 ? draw(world, 2) : flag, NULL),
          expected, 0, 0);
    DEMAND(aclrtSynchronizeStream(NULL) == 0, "synchronise");
    DEMAND(wrong != 0 || *cell == number, "the number is not there");
    DEMAND(aclrtFree(cell) == 0, "end");
}

static void copy_a_batch(struct world *world)
{
    unsigned char *memory = NULL;
    have_context(world);
    settle(world);
    if (aclrtMalloc((void **)&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return;
    const uint32_t wrong = draw(world, 4);
    void *to[] = {memory, memory + 16, memory + 32}, *from[] = {memory + 48, memory + 48, memory + 48};
    size_t room[] = {16, 16, 16}, bytes[] = {16, 16, 16}, refused = 9;
    if (wrong < 3)
        room[wrong] = 8;
    const int status = aclrtMemcpyBatchAsync(to, room, from, bytes, 3, NULL, NULL, 0, &refused, NULL);
    judge("aclrtMemcpyBatchAsync", status, wrong < 3 ? 107000 : 0, 0, 0);
    DEMAND(refused == (wrong < 3 ? wrong : SIZE_MAX), "%zu refused, not %u", refused, wrong);
    DEMAND(aclrtSynchronizeStream(NULL) == 0 && aclrtFree(memory) == 0, "end");
}

static void say_what_has_no_effect(struct world *world)
{
    uint64_t actual = 0;
    const uint64_t timeout = draw_word(world);
    judge("aclrtSetOpExecuteTimeOutV2", aclrtSetOpExecuteTimeOutV2(timeout, &actual), 0, 0, 0);
    DEMAND(actual == timeout, "another limit");
    judge("aclmdlInitDump", aclmdlInitDump(), 0, 0, 0);
    const char *const path = draw(world, 2) ? "path" : NULL;
    judge("aclmdlSetDump", aclmdlSetDump(path), null_code(path == NULL), 0, 0);
    judge("aclmdlFinalizeDump", aclmdlFinalizeDump(), 0, 0, 0);
    judge("aclprofWarmup", aclprofWarmup(NULL), 0, 0, 0);
    judge("aclprofRegisterDeviceCallback", aclprofRegisterDeviceCallback(), 0, 0, 0);
}

void step_looked_up(struct world *world)
{
    static void (*const steps[])(struct world *) = {
        set_options,  set_attributes, copy_by_name,          set_limits,
        write_values, copy_a_batch,   say_what_has_no_effect};
    steps[draw(world, sizeof steps / sizeof steps[0])](world);
}
