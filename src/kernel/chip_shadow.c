/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is known of each byte of on-chip memory under `belay check`: whether anything wrote it, and which pipe was
 * there last. The pipes of a core run beside one another, so each has a vector clock; flags, queues and barriers
 * hand one pipe's clock to another. The scalar pipe is left out of races, as the vendor's compiler orders it.
 */
#include "kernel/chip.h"

#include <string.h>

static const char *const pipe_names[CHIP_PIPES] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};

uint32_t chip_place_number(struct belay_chip_shadow *shadow, const struct belay_chip_place *place)
{
    /* A hash of the line finds most at once; the table is never full in practice, and its last entry serves then. */
    uint32_t at =
        ((uint32_t)place->line * 2654435761u ^ (uint32_t)(uintptr_t)place->instruction) % (PLACES_MAX - 1);
    for (uint32_t tries = 0; tries < 64; tries++, at = (at + 1) % (PLACES_MAX - 1)) {
        struct belay_chip_place *known = &shadow->places[at + 1];
        if (!known->instruction)
            *known = *place;
        if (known->line == place->line && known->instruction == place->instruction &&
            known->file == place->file)
            return at + 1;
    }
    return 0;
}

void belay_chip_issue(struct belay_chip *chip, int pipe)
{
    struct belay_chip_shadow *shadow = chip->shadow;
    if (!shadow)
        return;
    struct chip_clock *clock = &shadow->pipes[pipe];
    clock->of[pipe] = ++shadow->now[pipe];
    /* The scalar pipe sends instructions to the others: what it has waited for is over. */
    for (int other = 0; pipe != CHIP_S && other < CHIP_PIPES; other++)
        if (shadow->pipes[CHIP_S].of[other] > clock->of[other])
            clock->of[other] = shadow->pipes[CHIP_S].of[other];
}

const char *chip_file_name(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file ? file : "?";
}

static void race(struct belay_chip *chip, const struct belay_chip_place *place, const char *verb, int other,
                 const char *did, uint32_t number, int pipe, uint64_t line)
{
    uint64_t offset;
    const int memory = belay_chip_memory_of(chip, chip->memory + line * CHIP_LINE, &offset);
    const struct belay_chip_place *with = &chip->shadow->places[number];
    static const char advice[] =
        "SetFlag and WaitFlag of the two pipes between them, or a queue's EnQue and DeQue "
        "(FreeTensor and AllocTensor back) are expected";
    belay_chip_report(
        place, advice,
        "on pipe %s %s what %s (%s:%d) on pipe %s %s, and nothing orders the two (%s offset %llu)",
        pipe_names[pipe], verb, with->instruction ? with->instruction : "an instruction",
        chip_file_name(with->file), with->line, pipe_names[other], did, belay_chip_memory_name(memory),
        (unsigned long long)offset);
}

/* Whether what `other` did at a time is unordered with what `pipe` does now. */
static bool unordered(const struct belay_chip_shadow *shadow, int pipe, int other, uint32_t time)
{
    return time && other != pipe && other != CHIP_S && pipe != CHIP_S && shadow->pipes[pipe].of[other] < time;
}

static void touch_line(struct belay_chip *chip, const struct belay_chip_place *place, uint32_t number,
                       int pipe, uint64_t at, bool writes)
{
    struct belay_chip_shadow *shadow = chip->shadow;
    struct chip_line *line = &shadow->lines[at];
    if (unordered(shadow, pipe, line->write_pipe, line->write_time))
        race(chip, place, writes ? "overwrites" : "reads", line->write_pipe, "writes", line->write_place,
             pipe, at);
    if (!writes) {
        line->read_time[pipe] = shadow->now[pipe];
        line->read_place[pipe] = (uint16_t)number;
        return;
    }
    for (int other = 0; other < CHIP_PIPES; other++) {
        if (unordered(shadow, pipe, other, line->read_time[other]))
            race(chip, place, "overwrites", other, "may still read", line->read_place[other], pipe, at);
        line->read_time[other] = 0;
    }
    line->write_time = shadow->now[pipe];
    line->write_pipe = (uint8_t)pipe;
    line->write_place = (uint16_t)number;
}

static void touch(struct belay_chip *chip, const struct belay_chip_place *place, uint32_t number, int pipe,
                  const uint8_t *address, uint64_t bytes, bool writes)
{
    struct belay_chip_shadow *shadow = chip->shadow;
    const uint64_t from = (uint64_t)(address - chip->memory);
    if (!bytes || from >= CHIP_BYTES || bytes > CHIP_BYTES - from)
        return;
    if (writes) {
        memset(shadow->written + from, 1, bytes);
    } else {
        const uint8_t *hole = memchr(shadow->written + from, 0, bytes);
        if (hole) {
            uint64_t offset;
            const uint64_t at = (uint64_t)(hole - shadow->written);
            const int memory = belay_chip_memory_of(chip, chip->memory + at, &offset);
            belay_chip_report(
                place, "a DataCopy or Duplicate before it, or a smaller count is expected",
                "reads %s offset %llu, which nothing has written (byte %llu of the %llu that it reads)",
                belay_chip_memory_name(memory), (unsigned long long)offset, (unsigned long long)(at - from),
                (unsigned long long)bytes);
            memset(shadow->written + from, 1, bytes); /* once is enough */
        }
    }
    if (!shadow->races)
        return;
    for (uint64_t line = from / CHIP_LINE; line <= (from + bytes - 1) / CHIP_LINE; line++)
        touch_line(chip, place, number, pipe, line, writes);
}

void belay_chip_touch(struct belay_chip *chip, const struct belay_chip_place *place, int pipe,
                      const uint8_t *address, uint64_t bytes, bool writes)
{
    if (chip->shadow)
        touch(chip, place, chip_place_number(chip->shadow, place), pipe, address, bytes, writes);
}

void belay_chip_touch_lanes(struct belay_chip *chip, const struct belay_chip_place *place, int pipe,
                            const struct belay_chip_side *side, const uint64_t *mask, uint32_t lanes,
                            uint32_t repeats, bool writes)
{
    if (!chip->shadow)
        return;
    const uint32_t number = chip_place_number(chip->shadow, place), each = CHIP_LINE / side->bytes;
    for (uint32_t repeat = 0; repeat < repeats; repeat++) {
        for (uint32_t first = 0; first < lanes; first += each) {
            const uint8_t *block = side->base + (uint64_t)repeat * side->repeat_stride +
                                   (uint64_t)(first / each) * side->block_stride;
            /* Runs of lanes that the mask has. */
            for (uint32_t lane = 0; lane < each; lane++) {
                const uint32_t from = lane;
                while (lane < each && first + lane < lanes &&
                       (mask[(first + lane) / 64] >> ((first + lane) % 64) & 1))
                    lane++;
                touch(chip, place, number, pipe, block + (uint64_t)from * side->bytes,
                      (uint64_t)(lane - from) * side->bytes, writes);
            }
        }
    }
}

static void clock_join(struct chip_clock *clock, const struct chip_clock *other)
{
    for (int pipe = 0; pipe < CHIP_PIPES; pipe++)
        if (other->of[pipe] > clock->of[pipe])
            clock->of[pipe] = other->of[pipe];
}

uint32_t belay_chip_slots(struct belay_chip *chip, uint32_t count)
{
    struct belay_chip_shadow *shadow = chip->shadow;
    if (!shadow || shadow->slot_count + count > SLOTS_MAX)
        return SLOTS_MAX;
    const uint32_t first = shadow->slot_count;
    shadow->slot_count += count;
    return first;
}

void belay_chip_mark(struct belay_chip *chip, uint32_t slot, int pipe)
{
    struct belay_chip_shadow *shadow = chip->shadow;
    if (shadow && slot < shadow->slot_count)
        shadow->slots[slot] = shadow->pipes[pipe];
}

void belay_chip_meet(struct belay_chip *chip, uint32_t slot, int pipe)
{
    struct belay_chip_shadow *shadow = chip->shadow;
    if (shadow && slot < shadow->slot_count)
        clock_join(&shadow->pipes[pipe], &shadow->slots[slot]);
}

static bool flag_is_none(int from, int to, int event)
{
    return from < 0 || from >= CHIP_PIPES || to < 0 || to >= CHIP_PIPES || event < 0 || event >= CHIP_EVENTS;
}

void belay_chip_set_flag(const struct belay_chip_place *place, int from, int to, int event)
{
    if (flag_is_none(from, to, event))
        belay_chip_fault(place, "event %d; 0 to %d are expected", event, CHIP_EVENTS - 1);
    struct belay_chip *chip = belay_chip_now();
    struct belay_chip_shadow *shadow = chip->shadow;
    if (chip->flags[from][to][event] == UINT8_MAX)
        belay_chip_fault(place, "event %d of %s_%s is set for the 256th time and nobody waits for it", event,
                         pipe_names[from], pipe_names[to]);
    chip->flags[from][to][event]++;
    if (!shadow)
        return;
    belay_chip_issue(chip, from);
    struct flag_marks *flag = &shadow->flags[from][to][event];
    flag->place = *place;
    if (flag->count < MARKS_MAX)
        flag->marks[flag->count++] = shadow->pipes[from];
    else
        clock_join(&flag->marks[MARKS_MAX - 1], &shadow->pipes[from]);
}

void belay_chip_wait_flag(const struct belay_chip_place *place, int from, int to, int event)
{
    if (flag_is_none(from, to, event))
        belay_chip_fault(place, "event %d; 0 to %d are expected", event, CHIP_EVENTS - 1);
    struct belay_chip *chip = belay_chip_now();
    struct belay_chip_shadow *shadow = chip->shadow;
    if (!chip->flags[from][to][event])
        belay_chip_fault(place,
                         "waits for event %d of %s_%s, which nothing has set: a device would wait for ever. "
                         "SetFlag<HardEvent::%s_%s>(%d) before it is expected",
                         event, pipe_names[from], pipe_names[to], pipe_names[from], pipe_names[to], event);
    chip->flags[from][to][event]--;
    if (!shadow)
        return;
    struct flag_marks *flag = &shadow->flags[from][to][event];
    if (!flag->count)
        return;
    clock_join(&shadow->pipes[to], &flag->marks[0]);
    if (chip->flags[from][to][event] < flag->count)
        memmove(flag->marks, flag->marks + 1, --flag->count * sizeof *flag->marks);
}

void belay_chip_barrier(const struct belay_chip_place *place, int pipe)
{
    (void)place;
    struct belay_chip_shadow *shadow = belay_chip_now()->shadow;
    if (!shadow || pipe >= 0)
        return;
    struct chip_clock all = {{0}};
    for (int each = 0; each < CHIP_PIPES; each++)
        clock_join(&all, &shadow->pipes[each]);
    for (int each = 0; each < CHIP_PIPES; each++)
        shadow->pipes[each] = all;
}

void chip_shadow_end(void *of)
{
    struct belay_chip *chip = of;
    for (int from = 0; from < CHIP_PIPES; from++) {
        for (int to = 0; to < CHIP_PIPES; to++) {
            for (int event = 0; event < CHIP_EVENTS; event++) {
                if (!chip->flags[from][to][event])
                    continue;
                belay_chip_report(
                    &chip->shadow->flags[from][to][event].place, "a WaitFlag for each SetFlag is expected",
                    "event %d of %s_%s is set and never waited for (%u times at the kernel's end): the "
                    "next kernel on the core finds it set",
                    event, pipe_names[from], pipe_names[to], chip->flags[from][to][event]);
            }
        }
    }
}
