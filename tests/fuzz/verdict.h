/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Verdicts on calls with several mistakes, of which the library may tell any.
 */
#ifndef BELAY_TESTS_FUZZ_VERDICT_H
#define BELAY_TESTS_FUZZ_VERDICT_H

#include "fuzz/world.h"

static inline int null_code(bool is_null)
{
    return is_null ? 100000 : 0;
}

static inline int context_code(const struct world *world)
{
    return world->current < 0 ? 107002 : 0;
}

static inline int device_code(int32_t device)
{
    return device == 0 || device == 1 ? 0 : 107001;
}

/* Mostly one of the two that there are. */
static inline int32_t draw_device(struct world *world)
{
    static const int32_t others[] = {2, -1, INT32_MIN, INT32_MAX, 64, 1 << 8};
    const uint32_t choice = draw(world, 32);
    return choice < 24   ? (int32_t)(choice & 1)
           : choice < 30 ? others[choice - 24]
                         : (int32_t)draw_word(world);
}

/* Of the current context; there is one. */
static inline int32_t current_device(const struct world *world)
{
    return world->context[world->current].device;
}

enum { REASONS_MOST = 8 };

/* Why a call must fail. A header does not say which of several reasons it tells. */
struct reasons {
    int code[REASONS_MOST];
    uint32_t count;
};

static inline void reason(struct reasons *reasons, bool applies, int code)
{
    if (applies)
        reasons->code[reasons->count++] = code;
}

/* For a stream that may be of any context, or the default one. */
static inline void stream_reasons(struct world *world, struct reasons *reasons, aclrtStream stream)
{
    reason(reasons, world->current < 0, 107002);
    reason(reasons, stream != NULL && find_stream(world, stream) == NULL, 107017);
}

static inline void judge_reasons(const struct reasons *reasons, int status, const char *call)
{
    bool is_right = reasons->count == 0 && status == 0;
    for (uint32_t i = 0; i < reasons->count; i++)
        is_right = is_right || status == reasons->code[i];
    DEMAND(is_right, "%s gave %d, %d expected", call, status, reasons->count > 0 ? reasons->code[0] : 0);
}

/* The same for up to three codes of mistakes, 0 where one was not made. */
static inline void judge(const char *call, int status, int first, int second, int third)
{
    struct reasons reasons = {.count = 0};
    reason(&reasons, first != 0, first);
    reason(&reasons, second != 0, second);
    reason(&reasons, third != 0, third);
    judge_reasons(&reasons, status, call);
}

/* A handle that names no object of the kind of own, or own itself. */
static inline void *draw_object(struct world *world, void *own)
{
    switch (draw(world, 16)) {
    case 0:
        return NULL;
    case 1:
        return draw_forged(world, own);
    case 2:
        return draw_tensor(world);
    case 3:
        return draw_stream(world);
    default:
        return own;
    }
}

#endif
