/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of a fuzzed program: a reservation, and pieces that come and go in it. A table of what is mapped
 * where says what each call must answer.
 */
#include "fuzz/verdict.h"

enum { PLACES = 8, HANDLES = 3, PIECE_BYTES = 2 << 20, CHANGES_MOST = 12 };

struct layout {
    unsigned char *base;
    aclrtDrvMemHandle handle[HANDLES];
    uint32_t pieces[HANDLES]; /* the length of each; 0 when it could not be had */
    int where[HANDLES];       /* its place, or -1 */
};

/* Which piece of memory lies in a place, or -1. */
static int in_place(const struct layout *layout, uint32_t place)
{
    for (int i = 0; i < HANDLES; i++)
        if (layout->where[i] >= 0 && place - (uint32_t)layout->where[i] < layout->pieces[i])
            return i;
    return -1;
}

static void map_one(struct world *world, struct layout *layout)
{
    const uint32_t which = draw(world, HANDLES), place = draw(world, PLACES + 1), shift = draw(world, 16);
    const uint32_t pieces = layout->pieces[which];
    if (pieces == 0)
        return;
    bool is_free = layout->where[which] < 0 && shift != 1 && place + pieces <= PLACES;
    for (uint32_t i = 0; i < pieces && is_free; i++)
        is_free = in_place(layout, place + i) < 0;
    const int status = aclrtMapMem(layout->base + (size_t)place * PIECE_BYTES + (shift == 1),
                                   (size_t)pieces * PIECE_BYTES, 0, layout->handle[which], 0);
    DEMAND(status == (is_free ? 0 : 107000), "mapping %u at %u gave %d", which, place, status);
    if (is_free)
        layout->where[which] = (int)place;
}

/* A second handle of the same memory; what it holds is not looked at. */
static void share_one(struct world *world, const struct layout *layout)
{
    const uint32_t which = draw(world, HANDLES);
    int32_t process = (int32_t)draw(world, 9);
    uint64_t shared = draw(world, 1000);
    aclrtDrvMemHandle second;
    if (layout->pieces[which] == 0)
        return;
    int status = aclrtMemExportToShareableHandle(layout->handle[which], ACL_MEM_HANDLE_TYPE_NONE, 1, &shared);
    DEMAND(status == 0 || status == 107020 || status == 207000, "an export gave %d", status);
    const bool is_exported = status == 0;
    status = aclrtMemSetPidToShareableHandle(shared, &process, 1);
    DEMAND(status == 107039 || status == (is_exported ? 0 : 107000), "a name gave %d", status);
    status = aclrtMemImportFromShareableHandle(shared, 0, &second);
    DEMAND(is_exported ? status == 0 : status == 107000 || status == 207000, "an import gave %d", status);
    DEMAND(!is_exported || aclrtFreePhysical(second) == 0, "an import");
}

static void unmap_one(struct world *world, struct layout *layout)
{
    const uint32_t place = draw(world, PLACES), shift = draw(world, 16);
    const int which = in_place(layout, place);
    const bool begins = which >= 0 && layout->where[which] == (int)place && shift != 1;
    const int status = aclrtUnmapMem(layout->base + (size_t)place * PIECE_BYTES + (shift == 1));
    DEMAND(status == (begins ? 0 : 107000), "unmapping %u gave %d", place, status);
    if (begins)
        layout->where[which] = -1;
}

/* A range is device memory when all its places are mapped, whatever mappings they are of. */
static void use(struct world *world, const struct layout *layout)
{
    const uint32_t first = draw(world, PLACES), count = 1 + draw(world, PLACES - first);
    const uint32_t before = draw(world, 64), behind_it = draw(world, 64);
    bool is_mapped = true;
    for (uint32_t i = 0; i < count; i++)
        is_mapped = is_mapped && in_place(layout, first + i) >= 0;
    unsigned char *start = layout->base + (size_t)first * PIECE_BYTES + before;
    const size_t bytes = (size_t)count * PIECE_BYTES - before - behind_it;
    const int status = aclrtMemset(start, bytes, 1, bytes);
    DEMAND(status == (is_mapped ? 0 : 107000), "using %u places from %u gave %d", count, first, status);
    DEMAND(aclrtFree(start) == 107000, "mapped memory is freed");
}

static void end(struct layout *layout)
{
    for (int i = 0; i < HANDLES; i++) {
        if (layout->where[i] >= 0) {
            DEMAND(aclrtReleaseMemAddress(layout->base) == 107000, "addresses in use are released");
            DEMAND(aclrtUnmapMem(layout->base + (size_t)layout->where[i] * PIECE_BYTES) == 0, "piece %d", i);
        }
        if (layout->pieces[i] != 0)
            DEMAND(aclrtFreePhysical(layout->handle[i]) == 0 &&
                       aclrtFreePhysical(layout->handle[i]) == 107000,
                   "piece %d", i);
    }
    DEMAND(aclrtReleaseMemAddress(layout->base) == 0, "release");
}

void step_virtual_memory(struct world *world)
{
    struct layout layout = {0};
    aclrtPhysicalMemProp prop = {.memAttr = ACL_HBM_MEM_HUGE,
                                 .location = {draw(world, 2), ACL_MEM_LOCATION_TYPE_DEVICE}};
    size_t granularity = 0;
    have_context(world);
    settle(world); /* unmapping waits for all work, which may be for this thread */
    DEMAND(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity) == 0 &&
               granularity == PIECE_BYTES,
           "granularity %zu", granularity);
    const int status =
        aclrtReserveMemAddress((void **)&layout.base, (size_t)PLACES * PIECE_BYTES, 0, NULL, 0);
    DEMAND(status == 0 || status == 207001, "reserving gave %d", status);
    if (status != 0)
        return;
    for (int i = 0; i < HANDLES; i++) {
        const uint32_t pieces = 1 + draw(world, 3);
        layout.where[i] = -1;
        const int made =
            aclrtMallocPhysical(&layout.handle[i], (size_t)pieces * PIECE_BYTES - draw(world, 9), &prop, 0);
        DEMAND(made == 0 || made == 207001, "physical memory gave %d", made);
        layout.pieces[i] = made == 0 ? pieces : 0;
    }
    for (uint32_t i = draw(world, CHANGES_MOST); i > 0; i--) {
        if (draw(world, 3) != 0)
            map_one(world, &layout);
        else
            unmap_one(world, &layout);
        use(world, &layout);
        if (draw(world, 16) == 0)
            share_one(world, &layout);
    }
    end(&layout);
}
