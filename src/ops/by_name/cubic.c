/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Images of another size by cubics (cubic.h).
 */
#include "ops/by_name/cubic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "ops/by_name/program.h"

enum { TAPS = 4, STEPS = 1024 };

/* The cubic of the neighbour that is nearer than one, and of the one behind it, at a distance below one. */
static float near_share(float x, float cubic)
{
    return ((cubic + 2) * x - (cubic + 3)) * x * x + 1;
}

static float far_share(float x, float cubic)
{
    x += 1;
    return ((cubic * x - 5 * cubic) * x + 8 * cubic) * x - 4 * cubic;
}

/* The places of an element's neighbours, and their shares. */
static void find(const struct cubic *rule, int64_t element, int64_t *place, float *share)
{
    const float half = rule->centers ? 0.5F : 0, cubic = rule->centers ? -0.5F : -0.75F;
    const float at = ((float)element + half) * rule->step - half, floored = floorf(at);
    const float part = (float)lrintf((at - floored) * STEPS) / STEPS;
    const float found[TAPS] = {far_share(part, cubic), near_share(part, cubic), near_share(1 - part, cubic),
                               far_share(1 - part, cubic)};
    float sum = 0;
    for (int tap = 0; tap < TAPS; tap++) {
        const int64_t wanted = (int64_t)floored - 1 + tap, last = rule->image - 1;
        place[tap] = wanted < 0 ? 0 : wanted > last ? last : wanted;
        share[tap] = rule->centers && place[tap] != wanted ? 0 : found[tap];
        sum += share[tap];
    }
    for (int tap = 0; tap < TAPS && rule->centers; tap++)
        share[tap] /= sum;
}

/* One neighbour of each element, with its share. */
static int upload(struct run *run, const struct cubic *rule, int tap)
{
    int64_t *places = malloc((size_t)rule->resized * sizeof *places + 1), place[TAPS];
    float *shares = malloc((size_t)rule->resized * sizeof *shares + 1), share[TAPS];
    int status = places != NULL && shares != NULL
                     ? 0
                     : fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for places", run->call->api);
    for (int64_t i = 0; i < rule->resized && status == 0; i++) {
        find(rule, i, place, share);
        places[i] = place[tap];
        shares[i] = share[tap];
    }
    if (status == 0)
        status = along_upload(run, ALONG_LOW, ACL_INT64, rule->resized, places);
    if (status == 0)
        status = along_upload(run, ALONG_SHARES, ACL_FLOAT, rule->resized, shares);
    for (int32_t k = 0; k < rule->axes_behind && status == 0; k++)
        run->own[ALONG_SHARES].view.dims[run->own[ALONG_SHARES].view.rank++] = 1;
    free(places);
    free(shares);
    return status;
}

int cubic_forth(const struct along *along, const struct cubic *rule)
{
    char statement[80];
    for (int tap = 0; tap < TAPS; tap++) {
        TRY(upload(along->run, rule, tap));
        snprintf(statement, sizeof statement, "GatherV2 %s %d t%d t%d", along->from, (int)rule->axis,
                 ALONG_LOW, ALONG_ROOM);
        TRY(program_run_statement(along->run, statement));
        snprintf(statement, sizeof statement, "Mul t%d t%d t%d", ALONG_ROOM, ALONG_SHARES,
                 tap == 0 ? ALONG_SUM : ALONG_OTHER);
        TRY(program_run_statement(along->run, statement));
        if (tap == 0)
            continue;
        if (tap < TAPS - 1)
            snprintf(statement, sizeof statement, "InplaceAdd t%d t%d 1", ALONG_SUM, ALONG_OTHER);
        else
            snprintf(statement, sizeof statement, "Add t%d t%d 1 %s", ALONG_SUM, ALONG_OTHER, along->to);
        TRY(program_run_statement(along->run, statement));
    }
    return 0;
}

int cubic_back(const struct along *along, const struct cubic *rule)
{
    char statement[80], to[16];
    for (int tap = 0; tap < TAPS; tap++) {
        TRY(upload(along->run, rule, tap));
        snprintf(statement, sizeof statement, "Mul %s t%d t%d", along->from, ALONG_SHARES, ALONG_OTHER);
        TRY(program_run_statement(along->run, statement));
        snprintf(to, sizeof to, "t%d", tap % 2 ? ALONG_ROOM : ALONG_SUM);
        snprintf(statement, sizeof statement, "IndexAdd t%d %d t%d t%d 1 %s",
                 tap % 2 ? ALONG_SUM : ALONG_ROOM, (int)rule->axis, ALONG_LOW, ALONG_OTHER,
                 tap < TAPS - 1 ? to : along->to);
        TRY(program_run_statement(along->run, statement));
    }
    return 0;
}
