/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Races between programs, byte by byte, in pages that are made where a program comes first. Memory beyond PAGES_MAX of
 * them is not followed.
 */
#include "kernel/races.h"

#include <stdlib.h>

enum { PAGE_BYTES = 1024, BUCKETS = 1 << 12, PAGES_MAX = 1 << 16 };

/* Programs are counted from 1 here; 0 is nobody, and SEVERAL have read a byte that more than one has. */
#define SEVERAL UINT32_MAX

struct page {
    struct page *next;
    uintptr_t number;
    uint32_t writer[PAGE_BYTES], reader[PAGE_BYTES];
};

struct races {
    struct page *bucket[BUCKETS], *last;
    uint32_t pages;
};

struct races *races_new(void)
{
    return calloc(1, sizeof(struct races));
}

void races_free(struct races *races)
{
    for (uint32_t i = 0; races != NULL && i < BUCKETS; i++)
        for (struct page *page = races->bucket[i], *next; page != NULL; page = next) {
            next = page->next;
            free(page);
        }
    free(races);
}

/* NULL for what is not followed. */
static struct page *page_of(struct races *races, uintptr_t number)
{
    struct page **bucket = &races->bucket[number % BUCKETS], *page = races->last;
    if (page != NULL && page->number == number)
        return page;
    for (page = *bucket; page != NULL && page->number != number;)
        page = page->next;
    if (page == NULL && races->pages < PAGES_MAX && (page = calloc(1, sizeof *page)) != NULL) {
        page->number = number;
        page->next = *bucket;
        *bucket = page;
        races->pages++;
    }
    races->last = page;
    return page;
}

static bool access_bytes(struct races *races, const unsigned char *first, uint64_t bytes, bool is_store,
                         uint32_t own, struct race *race)
{
    uintptr_t address = (uintptr_t)first;
    for (const uintptr_t end = address + bytes; address < end;) {
        struct page *page = page_of(races, address / PAGE_BYTES);
        const uintptr_t page_end = (address / PAGE_BYTES + 1) * PAGE_BYTES,
                        before = end < page_end ? end : page_end;
        for (; page != NULL && address < before; address++) {
            const uint32_t i = address % PAGE_BYTES;
            const uint32_t writer = page->writer[i], reader = page->reader[i];
            const bool is_written = writer != 0 && writer != own;
            if (is_written || (is_store && reader != 0 && reader != own)) {
                *race = (struct race){.address = first + (address - (uintptr_t)first),
                                      .other = (is_written ? writer : reader) - 1,
                                      .is_store = is_store,
                                      .was_store = is_written};
                if (!is_written && reader == SEVERAL)
                    race->other = UINT64_MAX;
                return true;
            }
            if (is_store)
                page->writer[i] = own;
            else
                page->reader[i] = reader == 0 || reader == own ? own : SEVERAL;
        }
        address = before;
    }
    return false;
}

bool races_access(struct races *races, const struct view *view, bool is_store, uint64_t program,
                  struct race *race)
{
    struct view rows = *view;
    struct view_walk walk = {.index = {0}};
    uint64_t bytes = view->bytes;
    if (view_is_empty(view))
        return false;
    /* What lies side by side in the last dim is one step. */
    if (rows.rank > 0 && rows.stride[rows.rank - 1] == 1) {
        bytes *= (uint64_t)rows.size[rows.rank - 1];
        rows.size[rows.rank - 1] = 1;
    }
    do {
        if (access_bytes(races, view_at(&rows, walk.index), bytes, is_store, (uint32_t)program + 1, race))
            return true;
    } while (view_next(&rows, &walk));
    return false;
}
