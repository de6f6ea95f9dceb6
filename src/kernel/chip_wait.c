/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How the cores of a launch wait for one another: SyncAll, flags between cores, and words in global memory. The runtime
 * knows who can go on, and ends a kernel in which nobody can.
 */
#include "kernel/chip.h"

/* What this core has done so far is known to whom it meets from here on, and what it does next is later. */
static void hand_over(struct chip_launch *launch, struct belay_chip_shadow *shadow)
{
    if (!shadow || !launch)
        return;
    for (uint32_t core = 0; core < shadow->cores; core++)
        if (shadow->known[core] > launch->meeting[core])
            launch->meeting[core] = shadow->known[core];
    shadow->known[shadow->core]++;
}

static void take_over(const struct chip_launch *launch, struct belay_chip_shadow *shadow)
{
    if (!shadow || !launch)
        return;
    for (uint32_t core = 0; core < shadow->cores; core++)
        if (launch->meeting[core] > shadow->known[core])
            shadow->known[core] = launch->meeting[core];
}

void belay_chip_sync_all(const struct belay_chip_place *place, bool same_sort)
{
    struct belay_chip *chip = belay_chip_now();
    belay_chip_settle(chip);
    belay_chip_barrier(place, -1);
    if (chip->shadow) {
        belay_kernel_order();
        hand_over(chip_launch(), chip->shadow);
    }
    if (same_sort)
        belay_kernel_sync_sort();
    else
        belay_kernel_sync_all();
    if (chip->shadow)
        take_over(chip_launch(), chip->shadow);
}

/* How often all whom a flag of a mode waits for have set it. */
static uint32_t rounds(const struct cross_core *cores, uint32_t first, uint32_t count, int mode, int flag)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t core = first; core < first + count; core++)
        if (cores[core].set[mode][flag] < least)
            least = cores[core].set[mode][flag];
    return least;
}

static void receive(struct cross_core *cores, uint32_t first, uint32_t count, int flag)
{
    for (uint32_t core = first; core < first + count; core++)
        cores[core].received[flag]++;
}

static struct chip_launch *launch_for_flag(const struct belay_chip_place *place, int flag)
{
    if (flag < 0 || flag >= CROSS_FLAGS)
        belay_chip_fault(place, "flag %d; 0 to %d are expected", flag, CROSS_FLAGS - 1);
    struct chip_launch *launch = chip_launch();
    if (!launch)
        belay_chip_fault(
            place, "the launch has %u cores; at most %d are expected where cores set flags for one another",
            chip_cores(), CORES_MAX);
    belay_kernel_order();
    return launch;
}

void belay_chip_cross_set(const struct belay_chip_place *place, int mode, int flag)
{
    belay_chip_settle(belay_chip_now());
    struct chip_launch *launch = launch_for_flag(place, flag);
    const struct belay_kernel_block *block = belay_kernel_block();
    const bool cube = block->core == BELAY_CORE_CUBE;
    const uint32_t group = cube ? 1 : block->sub_count, first = block->index * group;
    struct cross_core *own = launch->cross[block->core], *other = launch->cross[!block->core];
    if (mode < 0 || mode > 2)
        belay_chip_fault(place,
                         "mode %d; 0 (all cores), 1 (the vector cores of a block) or 2 (a cube core and its "
                         "vector cores) is expected",
                         mode);
    if (mode == 2 && block->kind != BELAY_KERNEL_MIXED_1_1 && block->kind != BELAY_KERNEL_MIXED_1_2)
        belay_chip_fault(place,
                         "mode 2 in a kernel of one sort of core: nobody can wait for it; a mixed kernel "
                         "(__mix__ or KERNEL_TYPE_MIX_AIC_1_2) is expected");
    hand_over(launch, belay_chip_now()->shadow);
    const uint32_t mine = ++own[first + (cube ? 0 : block->sub_index)].set[mode][flag];
    if (mode == 0 && rounds(own, 0, block->count * group, 0, flag) == mine)
        receive(own, 0, block->count * group, flag);
    else if (mode == 1 && rounds(own, first, group, 1, flag) == mine)
        receive(own, first, group, flag);
    else if (mode == 2 && cube)
        receive(other, block->index * block->sub_count, block->sub_count, flag);
    else if (mode == 2 && rounds(own, first, group, 2, flag) == mine)
        receive(other, block->index, 1, flag);
}

static int has_received(void *of)
{
    return *(uint32_t *)of != 0;
}

void belay_chip_cross_wait(const struct belay_chip_place *place, int flag)
{
    belay_chip_settle(belay_chip_now());
    static const char *const what[CROSS_FLAGS] = {
        "flag 0 of CrossCoreSetFlag",  "flag 1 of CrossCoreSetFlag",  "flag 2 of CrossCoreSetFlag",
        "flag 3 of CrossCoreSetFlag",  "flag 4 of CrossCoreSetFlag",  "flag 5 of CrossCoreSetFlag",
        "flag 6 of CrossCoreSetFlag",  "flag 7 of CrossCoreSetFlag",  "flag 8 of CrossCoreSetFlag",
        "flag 9 of CrossCoreSetFlag",  "flag 10 of CrossCoreSetFlag", "flag 11 of CrossCoreSetFlag",
        "flag 12 of CrossCoreSetFlag", "flag 13 of CrossCoreSetFlag", "flag 14 of CrossCoreSetFlag",
        "flag 15 of CrossCoreSetFlag"};
    struct chip_launch *launch = launch_for_flag(place, flag);
    const struct belay_kernel_block *block = belay_kernel_block();
    const bool cube = block->core == BELAY_CORE_CUBE;
    uint32_t *received =
        &launch->cross[block->core][cube ? block->index : block->index * block->sub_count + block->sub_index]
             .received[flag];
    belay_kernel_wait(has_received, received, what[flag]);
    --*received;
    take_over(launch, belay_chip_now()->shadow);
    belay_chip_barrier(place, -1);
}

static int is_set(void *of)
{
    return *(volatile int32_t *)of != 0;
}

void belay_chip_neighbour_set(const struct belay_chip_place *place, int32_t *word)
{
    belay_chip_settle(belay_chip_now());
    belay_chip_barrier(place, -1);
    belay_kernel_order();
    if (belay_chip_now()->shadow)
        hand_over(chip_launch(), belay_chip_now()->shadow);
    ++*word;
}

void belay_chip_neighbour_wait(const struct belay_chip_place *place, int32_t *word)
{
    belay_chip_settle(belay_chip_now());
    belay_kernel_wait(is_set, word, "IBSet of a neighbour");
    --*word;
    if (belay_chip_now()->shadow)
        take_over(chip_launch(), belay_chip_now()->shadow);
    belay_chip_barrier(place, -1);
}
