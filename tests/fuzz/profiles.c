/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of a fuzzed program: profiling, whose folder cannot be made, and marks, with arguments of which some
 * are wrong.
 */
#include <string.h>

#include "acl/acl_prof.h"
#include "fuzz/verdict.h"
#include "mstx/ms_tools_ext.h"

static void take_a_profile(struct world *world)
{
    static const char path[] = "/dev/null/profiles";
    uint32_t devices[] = {draw(world, 3), 1};
    const uint32_t choice = draw(world, 8);
    const size_t length = choice == 0 ? 0 : choice == 1 ? strlen(path) + 1 : strlen(path);
    const bool is_path = choice > 1;
    judge("aclprofInit", aclprofInit(path, length), is_path ? 0 : 100000, 0, 0);
    const int32_t type = (int32_t)draw(world, 20) - 1;
    judge("aclprofSetConfig", aclprofSetConfig((aclprofConfigType)type, "1", 1), type > 0 ? 0 : 100000, 0, 0);
    aclprofConfig *live = aclprofCreateConfig(devices, 2, ACL_AICORE_NONE, NULL, draw_word(world));
    DEMAND((live != NULL) == (devices[0] < 2), "a configuration for device %u", devices[0]);
    const aclprofConfig *config = draw(world, 3) == 0 ? (aclprofConfig *)draw_forged(world, live) : live;
    const bool is_live = config == live && live != NULL;
    judge("aclprofStart", aclprofStart(config), !is_live ? 100000 : is_path ? 500005 : 100043, 0, 0);
    judge("aclprofStop", aclprofStop(config), is_live ? 100043 : 100000, 0, 0);
    judge("aclprofDestroyConfig", aclprofDestroyConfig(config), is_live ? 0 : 100000, 0, 0);
    if (live != NULL && !is_live)
        DEMAND(aclprofDestroyConfig(live) == 0, "end");
    judge("aclprofFinalize", aclprofFinalize(), is_path ? 0 : 100043, 0, 0);
}

static void stamp(struct world *world)
{
    void *live = aclprofCreateStamp();
    void *const stamp = draw(world, 3) == 0 ? draw_forged(world, live) : live;
    const int expected = stamp == live ? 0 : 100000;
    const uint32_t length = draw(world, 3);
    uint32_t range = 0;
    judge("aclprofSetStampTraceMessage", aclprofSetStampTraceMessage(stamp, "ab", length),
          length > 0 ? expected : 100000, 0, 0);
    judge("aclprofMark", aclprofMark(stamp), expected, 0, 0);
    judge("aclprofPush", aclprofPush(stamp), expected, 0, 0);
    judge("aclprofPop", aclprofPop(), expected, 0, 0);
    judge("aclprofRangeStart", aclprofRangeStart(stamp, &range), expected, 0, 0);
    judge("aclprofRangeStop", aclprofRangeStop(range), expected, 0, 0);
    judge("aclprofMarkEx", aclprofMarkEx("ab", length, NULL), length > 0 ? 0 : 100000, 0, 0);
    if (stamp != live)
        aclprofDestroyStamp(stamp);
    aclprofDestroyStamp(live);
}

static void step(struct world *world)
{
    aclprofStepInfo *live = aclprofCreateStepInfo();
    aclprofStepInfo *const info = draw(world, 3) == 0 ? (aclprofStepInfo *)draw_forged(world, live) : live;
    const uint32_t tag = draw(world, 4);
    const int status = aclprofGetStepTimestamp(info, (aclprofStepTag)tag, NULL);
    judge("aclprofGetStepTimestamp", status, info == live && tag == ACL_STEP_START ? 0 : 100000, 0, 0);
    if (info != live)
        aclprofDestroyStepInfo(info);
    aclprofDestroyStepInfo(live);
}

static void mark(struct world *world)
{
    mstxDomainHandle_t live = mstxDomainCreateA("domain");
    const mstxDomainHandle_t domain =
        draw(world, 3) == 0 ? (mstxDomainHandle_t)draw_forged(world, live) : live;
    const char *const text = draw(world, 4) == 0 ? NULL : "text";
    mstxMarkA(text, NULL);
    mstxDomainMarkA(domain, text, NULL);
    mstxRangeEnd(mstxRangeStartA(text, NULL));
    mstxDomainRangeEnd(domain, mstxDomainRangeStartA(domain, text, NULL));
    mstxRangeEnd(draw_word(world));
    mstxMemHeapUnregister(domain, mstxMemHeapRegister(domain, NULL));
    mstxMemRegionsRegister(domain, NULL);
    mstxMemRegionsUnregister(domain, NULL);
    if (domain != live)
        mstxDomainDestroy(domain);
    mstxDomainDestroy(live);
}

void step_profile(struct world *world)
{
    static void (*const steps[])(struct world *) = {take_a_profile, stamp, step, mark};
    steps[draw(world, sizeof steps / sizeof steps[0])](world);
}
