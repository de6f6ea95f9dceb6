/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The on-chip memories of a block: where they come from, what they are called, and the rules about their addresses
 * that always hold.
 */
#include "kernel/chip.h"

#include "ascendc/host.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t bytes;
} memories[CHIP_MEMORIES] = {
    {"UB", CHIP_UB_BYTES},
    {"L1", CHIP_L1_BYTES},
    {"L0A", CHIP_L0A_BYTES},
    {"L0B", CHIP_L0B_BYTES},
    {"L0C", CHIP_L0C_BYTES},
    {"the bias table", CHIP_BIAS_BYTES},
    {"the scale table", CHIP_FACTORS_BYTES},
};

const char *belay_chip_memory_name(int memory)
{
    return memory < CHIP_MEMORIES ? memories[memory].name : "no memory of the chip";
}

int belay_chip_memory_of(const struct belay_chip *chip, const void *address, uint64_t *offset)
{
    uint64_t at = (uint64_t)((uintptr_t)address - (uintptr_t)chip->memory);
    int memory = 0;
    for (; memory < CHIP_MEMORIES && at >= memories[memory].bytes; memory++)
        at -= memories[memory].bytes;
    *offset = at;
    return memory;
}

/* The memory of a core: its state, then what the kernel knows as its memories, then the shadow where there is one. */
enum { CHIP_STATE_BYTES = (sizeof(struct belay_chip) + 4095) / 4096 * 4096, CHIP_LAYOUT = 1 };

/* What an earlier kernel left must not be seen by the next one. */
static void memories_clear(struct belay_chip *chip)
{
    uint8_t *first = chip->memory;
    for (int each = 0; each < CHIP_MEMORIES; each++) {
        memset(first, 0, chip->used[each]);
        first += memories[each].bytes;
    }
}

static struct belay_chip *chip_begin(void)
{
    const int checks = belay_kernel_checks();
    const size_t plain = CHIP_STATE_BYTES + (CHIP_BYTES + 4095) / 4096 * 4096;
    struct belay_chip *chip = belay_kernel_chip(checks ? CHIP_LAYOUT + 1 : CHIP_LAYOUT,
                                                checks ? plain + sizeof(struct belay_chip_shadow) : plain);
    if (chip->memory)
        memories_clear(chip);
    memset(chip, 0, sizeof *chip);
    chip->memory = (uint8_t *)chip + CHIP_STATE_BYTES;
    chip->mask[0] = chip->mask[1] = UINT64_MAX;
    chip->scale = 1;
    chip->tiling_key = belay_kernel_block()->tiling_key;
    if (checks) {
        belay_kernel_at_end(chip_shadow_end);
        chip->shadow = (struct belay_chip_shadow *)((uint8_t *)chip + plain);
        memset(chip->shadow, 0, sizeof *chip->shadow);
        chip->shadow->races = checks > 1;
        chip->shadow->core = chip_core();
        chip->shadow->cores = chip_cores();
        if (chip->shadow->core < CORES_MAX)
            chip->shadow->known[chip->shadow->core] = 1;
    }
    return chip;
}

struct belay_chip *belay_chip_now(void)
{
    struct belay_kernel_block *block = belay_kernel_block();
    return block->chip ? block->chip : chip_begin();
}

void belay_chip_report(const struct belay_chip_place *place, const char *advice, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    belay_kernel_report(place->file, (unsigned)place->line, advice, "%s: %s", place->instruction, text);
}

void belay_chip_fault(const struct belay_chip_place *place, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    belay_kernel_fault(place->file, (unsigned)place->line, "%s: %s", place->instruction, text);
}

void belay_chip_outside(const struct belay_chip_place *place, const uint8_t *address, uint64_t bytes,
                        const uint8_t *low, const uint8_t *high)
{
    if (!low)
        belay_chip_fault(place, "the tensor has no buffer; InitBuffer, AllocTensor or Get gives it one");
    uint64_t offset;
    const int memory = belay_chip_memory_of(belay_chip_now(), low, &offset);
    const uint64_t room = (uint64_t)(high - low);
    if (address < low)
        belay_chip_fault(place, "begins %llu bytes before the buffer of %llu bytes at %s offset %llu",
                         (unsigned long long)(low - address), (unsigned long long)room,
                         belay_chip_memory_name(memory), (unsigned long long)offset);
    belay_chip_fault(
        place,
        "goes %llu bytes past the end of the buffer of %llu bytes at %s offset %llu (it touches %llu "
        "bytes from byte %llu); a smaller count, or a larger buffer from InitBuffer is expected",
        (unsigned long long)((uint64_t)(address - low) + bytes - room), (unsigned long long)room,
        belay_chip_memory_name(memory), (unsigned long long)offset, (unsigned long long)bytes,
        (unsigned long long)(address - low));
}

void belay_chip_misaligned(const struct belay_chip_place *place, const uint8_t *address, uint32_t alignment)
{
    uint64_t offset;
    const int memory = belay_chip_memory_of(belay_chip_now(), address, &offset);
    belay_chip_fault(
        place,
        "begins at %s offset %llu, which is no multiple of %u bytes; tensors, and offsets into them, on "
        "%u bytes are expected",
        belay_chip_memory_name(memory), (unsigned long long)offset, alignment, alignment);
}

void belay_chip_repeats(const struct belay_chip_place *place, int64_t repeats)
{
    belay_chip_fault(place, "%lld repeats; 0 to %d are expected, more take several calls", (long long)repeats,
                     CHIP_REPEATS_MAX);
}

void belay_chip_not_whole(const struct belay_chip_place *place, uint64_t bytes)
{
    belay_chip_fault(
        place,
        "moves %llu bytes, which are no whole blocks of %d; a device would move %llu. DataCopyPad moves "
        "any number of bytes",
        (unsigned long long)bytes, CHIP_LINE, (unsigned long long)(bytes / CHIP_LINE * CHIP_LINE));
}
