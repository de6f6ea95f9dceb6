/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The names in a timeline: records have addresses, and the texts at them were written down once.
 */
#include "tools/timeline_text.h"

#include <stdlib.h>

/* Addresses and their texts; open addressing, a power of two. */
struct texts {
    size_t count, capacity;
    struct text {
        uint64_t address;
        const char *text;
    } entry[];
};

static size_t hash(uint64_t address)
{
    return (size_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> 20);
}

static struct text *find_text(struct texts *texts, uint64_t address)
{
    size_t at = hash(address) & (texts->capacity - 1);
    while (texts->entry[at].address != 0 && texts->entry[at].address != address)
        at = (at + 1) & (texts->capacity - 1);
    return &texts->entry[at];
}

static struct texts *create_texts(size_t capacity)
{
    struct texts *texts = calloc(1, sizeof *texts + capacity * sizeof texts->entry[0]);
    if (texts)
        texts->capacity = capacity;
    return texts;
}

bool timeline_add_text(struct timeline *timeline, uint64_t address, const char *text)
{
    struct texts *texts = timeline->texts;
    if (!texts || texts->count * 2 >= texts->capacity) {
        struct texts *larger = create_texts(texts ? texts->capacity * 2 : 4096);
        if (!larger)
            return false;
        for (size_t i = 0; texts && i < texts->capacity; i++)
            if (texts->entry[i].address != 0)
                *find_text(larger, texts->entry[i].address) = texts->entry[i];
        larger->count = texts ? texts->count : 0;
        free(texts);
        timeline->texts = texts = larger;
    }
    struct text *entry = find_text(texts, address);
    texts->count += entry->address == 0;
    *entry = (struct text){address, text};
    return true;
}

const char *timeline_text(const struct timeline *timeline, uint64_t address)
{
    const struct text *entry = timeline->texts && address ? find_text(timeline->texts, address) : NULL;
    return entry && entry->text ? entry->text : "?";
}
