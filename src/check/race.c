/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Holds accesses against those that are live.
 */
#include "check/race.h"

#include <stdlib.h>

#include "check/exchange.h"
#include "check/reporter.h"

/* What a search is about. */
struct search {
    const struct clocks *clocks;
    uint32_t lane; /* NO_LANE: the host, which has waited for nothing that is live */
    bool writes;
    bool by_program; /* the host is the program itself */
    uint32_t inside; /* the lane that waits for the host, or NO_LANE */
};

/* Whether an access is behind the function of the program that the host is in, or behind an exchange that
 * some rank has not been called for. What the lane has before the function has been waited for; an event of
 * the lane that the host has not waited for is from behind it. */
static bool is_behind(const struct live_access *access, const struct search *search)
{
    uint32_t inside = search->inside;
    if (search->by_program && (access->functions > search->clocks->lane[access->lane].functions_ended ||
                               clocks_is_pending(search->clocks, access->lane, access->task)))
        return true;
    if (inside == NO_LANE)
        return false;
    const struct clock *clock = &search->clocks->lane[access->lane].clock;
    return access->lane == inside || (inside < clock->count && clock->task[inside] > 0 &&
                                      !clocks_has_host_waited(search->clocks, inside, clock->task[inside]));
}

/* Whether parts of exchanges that are missing may turn out to order the two. */
static bool may_be_ordered(const struct live_access *access, const struct search *search)
{
    return search->lane != NO_LANE && (clocks_is_pending(search->clocks, access->lane, access->task) ||
                                       clocks_next_is_pending(search->clocks, search->lane));
}

static bool is_conflict(const struct live_access *access, void *own)
{
    const struct search *search = (const struct search *)own;
    return (access->writes || search->writes) && !is_behind(access, search) &&
           (search->lane == NO_LANE ||
            (!clocks_is_before(search->clocks, access->lane, access->task, search->lane) &&
             !may_be_ordered(access, search)));
}

static uint32_t lane_of(const struct race_world *world, uint64_t key)
{
    return key != 0 ? clocks_find_lane(&world->clocks, key) : NO_LANE;
}

static bool is_blind(const struct race_world *world)
{
    return world->clocks.is_blind || world->live.is_blind;
}

bool race_knows_waits(const struct race_world *world)
{
    for (uint32_t i = 0; i < world->clocks.lanes; i++)
        if (world->clocks.lane[i].is_loose)
            return false;
    return !is_blind(world);
}

/* What one access does to bytes, for sentences. */
static const char *verb(bool writes)
{
    return writes ? "writes" : "reads";
}

static const char *name_of(const struct live_access *access)
{
    return access->place.function != NULL ? access->place.function : "a task";
}

static void report_streams(const struct live_access *first, const struct live_access *second)
{
    const struct finding finding = {
        .rule = RULE_RACE,
        .advice = "Record an event behind the first on its stream and let the other stream wait for it "
                  "(aclrtRecordEvent, aclrtStreamWaitEvent), or synchronise in between.",
        .place = {{NULL, &second->place}, {"the other by", &first->place}}};
    uintptr_t shared =
        second->extent.first > first->extent.first ? second->extent.first : first->extent.first;
    report_finding(&finding,
                   "%s: %s %s what %s of %s %s on another stream, at %p, and nothing orders the two",
                   name_of(second), second->parameter, verb(second->writes), first->parameter, name_of(first),
                   verb(first->writes), (void *)shared);
}

/* One submission on its way through its accesses. */
struct submission {
    struct access_visitor visitor;
    struct race_world *world;
    const struct call_place *place;
    uint32_t lane;
    uint64_t task;
    bool has_others; /* another lane has work that is not ordered before this */
};

static bool has_others(const struct clocks *clocks, uint32_t lane)
{
    for (uint32_t i = 0; i < clocks->lanes; i++)
        if (!clocks_is_before(clocks, i, clocks->lane[i].now, lane))
            return true;
    return false;
}

/*
 * Two accesses that no order is known of, one of them behind an exchange that some rank has not been called
 * for: that part may order them, or another one that it waits for. Each has an event for what is in front of
 * it, which the missing parts add to; its address stands for it. Of the first, that is what they add alone:
 * the second came later.
 */
struct suspect {
    struct suspect *next;
    struct live_access first, second;
};

enum { SUSPECTS_MOST = 4096 }; /* of more nothing is told */

static uint64_t event_of(const struct live_access *access)
{
    return (uint64_t)(uintptr_t)access;
}

/* What collects suspects. */
struct suspicion {
    struct search search; /* first */
    struct race_world *world;
    const struct live_access *second;
};

/* For live_find, which goes on. */
static bool suspect(const struct live_access *first, void *own)
{
    const struct suspicion *suspicion = (const struct suspicion *)own;
    const struct search *search = &suspicion->search;
    const struct live_access *second = suspicion->second;
    struct race_world *world = suspicion->world;
    if (!(first->writes || search->writes) ||
        clocks_is_before(search->clocks, first->lane, first->task, search->lane) ||
        !may_be_ordered(first, search) || !extents_overlap(&first->extent, &second->extent) ||
        world->suspect_count == SUSPECTS_MOST)
        return false;
    struct suspect *suspect = (struct suspect *)malloc(sizeof *suspect);
    if (suspect == NULL)
        return false;
    *suspect = (struct suspect){.next = world->suspects, .first = *first, .second = *second};
    world->suspects = suspect;
    world->suspect_count++;
    if (clocks_is_pending(&world->clocks, first->lane, first->task))
        clocks_record_pending(&world->clocks, first->lane, first->task, event_of(&suspect->first));
    clocks_record_more(&world->clocks, second->lane, event_of(&suspect->second));
    return false;
}

/* Tells of those for which nothing is missing any more. */
static void judge_suspects(struct race_world *world)
{
    struct clocks *clocks = &world->clocks;
    for (struct suspect **link = &world->suspects; *link != NULL;) {
        struct suspect *own = *link;
        const uint64_t first = event_of(&own->first), second = event_of(&own->second);
        bool is_ordered = clocks_is_before_event(clocks, own->first.lane, own->first.task, second) ||
                          clocks_is_before_event(clocks, own->second.lane, own->second.task, first);
        if (!is_ordered &&
            (clocks_event_is_pending(clocks, first) || clocks_event_is_pending(clocks, second))) {
            link = &own->next;
            continue;
        }
        if (!is_ordered && !is_blind(world))
            report_streams(&own->first, &own->second);
        clocks_forget_event(clocks, first);
        clocks_forget_event(clocks, second);
        *link = own->next;
        world->suspect_count--;
        free(own);
    }
}

static void enter(struct access_visitor *visitor, const struct access *access)
{
    struct submission *own = (struct submission *)visitor;
    struct race_world *world = own->world;
    if ((access->mode & ACCESS_SYNCHRONISES) != 0) {
        world->clocks.lane[own->lane].is_loose = true;
        own->has_others = has_others(&world->clocks, own->lane);
        return;
    }
    if ((access->mode & ACCESS_EXCHANGES) != 0) {
        own->task = exchange_meet(&world->clocks, own->lane, own->task,
                                  (const struct exchange_part *)access->address);
        judge_suspects(world);
        own->has_others = has_others(&world->clocks, own->lane);
        return;
    }
    struct live_access live = {.place = *own->place,
                               .parameter = access->parameter,
                               .task = own->task,
                               .functions = world->clocks.lane[own->lane].functions,
                               .lane = own->lane,
                               .writes = access_writes(access->mode)};
    if (!extent_of_access(access, &live.extent))
        return;
    if (own->has_others) {
        struct search search = {&world->clocks, own->lane, live.writes, false, NO_LANE};
        const struct live_access *first =
            live_find(&world->live, &world->clocks, &live.extent, is_conflict, &search);
        if (first != NULL && !is_blind(world))
            report_streams(first, &live);
        if (first == NULL && world->clocks.exchanges > 0)
            live_find(&world->live, &world->clocks, &live.extent, suspect,
                      &(struct suspicion){search, world, &live});
    }
    live_enter(&world->live, &world->clocks, &live);
}

void race_submit(struct race_world *world, uint64_t key, const struct task *task,
                 const struct call_place *place)
{
    uint32_t lane = clocks_lane(&world->clocks, key);
    if (lane == NO_LANE || is_blind(world))
        return;
    struct submission submission = {.visitor = {enter}, .world = world, .place = place, .lane = lane};
    submission.has_others = has_others(&world->clocks, lane);
    submission.task = clocks_submit(&world->clocks, lane);
    if (task->describe != NULL)
        task->describe(task, &submission.visitor);
}

void race_host_access(struct race_world *world, const struct access *access, const struct call_place *place,
                      uint64_t inside)
{
    struct extent extent;
    bool writes = access_writes(access->mode);
    if (is_blind(world) || !extent_of_access(access, &extent))
        return;
    struct search search = {&world->clocks, NO_LANE, writes, true, lane_of(world, inside)};
    const struct live_access *first = live_find(&world->live, &world->clocks, &extent, is_conflict, &search);
    if (first == NULL)
        return;
    struct call_place own = place_completed(place);
    const struct finding finding = {
        .rule = RULE_NO_WAIT,
        .advice = "Wait before for the stream, or for an event behind that work (aclrtSynchronizeStream, "
                  "aclrtSynchronizeEvent), or make the copy on the same stream.",
        .place = {{NULL, &own}, {"queued by", &first->place}}};
    report_finding(&finding, "%s: %s %s what %s of %s %s, at %p, which is queued and was not waited for",
                   place->function, access->parameter, verb(writes), first->parameter, name_of(first),
                   verb(first->writes), (void *)extent.first);
}

static bool is_any(const struct live_access *access, void *own)
{
    (void)access, (void)own;
    return true;
}

void race_free(struct race_world *world, const struct memory_block *block, const struct call_place *place)
{
    struct extent extent;
    extent_of_bytes((const void *)block->base, block->bytes, &extent);
    bool is_device = block->place == MEMORY_DEVICE, is_told = is_blind(world) || place->function == NULL;
    for (;;) {
        struct live_access *first = live_find(&world->live, &world->clocks, &extent, is_any, NULL);
        if (first == NULL)
            return;
        struct call_place own = is_told ? *place : place_completed(place);
        const struct finding finding = {
            .rule = is_device ? RULE_FREE : RULE_HOST_SOURCE,
            .advice = block->is_registered
                          ? "Wait for the stream of that work before (aclrtSynchronizeStream)."
                          : "Wait for the stream of that work before (aclrtSynchronizeStream): a free does "
                            "not.",
            .place = {{NULL, &own}, {"queued by", &first->place}}};
        if (!is_told)
            report_finding(
                &finding, "%s: %s %s memory that %s of %s %s, which is queued and was not waited for",
                place->function, block->is_registered ? "unregisters" : "frees",
                is_device ? "device" : "host", first->parameter, name_of(first), verb(first->writes));
        is_told = true;
        first->task = 0;
    }
}

void race_settle(struct race_world *world)
{
    live_settle(&world->live, &world->clocks);
}

const struct live_access *race_find_unfinished(struct race_world *world, const void *address, uint64_t bytes,
                                               bool writes, bool by_program, uint64_t inside)
{
    struct extent extent;
    struct search search = {&world->clocks, NO_LANE, writes, by_program, lane_of(world, inside)};
    extent_of_bytes(address, bytes, &extent);
    return bytes == 0 || is_blind(world)
               ? NULL
               : live_find(&world->live, &world->clocks, &extent, is_conflict, &search);
}

void race_clear(struct race_world *world)
{
    while (world->suspects != NULL) {
        struct suspect *next = world->suspects->next;
        free(world->suspects);
        world->suspects = next;
    }
    clocks_clear(&world->clocks);
    live_clear(&world->live);
}
