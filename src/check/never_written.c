/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Follows what is written, and tells what is read before.
 */
#include "check/never_written.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/made.h"
#include "check/valid_bytes.h"
#include "runtime/addresses/memory.h"
#include "check/reporter.h"

/* The address of an element, counted as the last axis goes fastest. */
static uintptr_t address_of(const struct access *access, uint64_t element)
{
    uintptr_t address = (uintptr_t)access->address;
    for (uint32_t i = access->rank; i-- > 0;) {
        uint64_t count = (uint64_t)access->shape[i];
        address += element % count * (uint64_t)access->stride[i] * access->element_bytes;
        element /= count;
    }
    return address;
}

static uint64_t count_of(const struct access *access)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < access->rank; i++)
        count *= (uint64_t)access->shape[i];
    return count;
}

/* The first element with a byte that was never written; there is one. */
static uint64_t find_bad(const struct access *access, uint64_t count)
{
    uint64_t element = 0;
    for (; element + 1 < count; element++) {
        uintptr_t address = address_of(access, element), end = address + access->element_bytes;
        if (valid_find_unset(address, end) != end)
            break;
    }
    return element;
}

static void tell(const struct written_visit *visit, const struct access *access, const struct extent *extent)
{
    struct memory_block block = {0};
    uint64_t count = count_of(access), bad = find_bad(access, count);
    uintptr_t address = address_of(access, bad);
    struct call_place place = place_completed(visit->place);
    struct made made;
    memory_find((const void *)address, &block);
    bool has_origin = made_find(block.base, &made);
    char element[32] = "";
    if (access->is_of_list)
        snprintf(element, sizeof element, "tensor %" PRIu32 " of ", access->element);
    const struct finding finding = {
        .rule = RULE_NEVER_WRITTEN,
        .advice = "Copy something there, set it (aclrtMemset), or let an operator write it first.",
        .place = {{NULL, &place}, {"allocated by", has_origin ? &made.place : NULL}}};
    report_finding(&finding,
                   "%s: %s%s is read and was never written: %s %" PRIu64 " of %" PRIu64
                   " is the first, byte %zu of a block of %zu",
                   visit->place->function, element, access->parameter,
                   access->dtype == ACL_DT_UNDEFINED ? "byte" : "element", bad, count,
                   (size_t)(address - block.base), block.bytes);
    valid_set_extent(extent); /* once is enough */
}

static void judge(const struct written_visit *visit, const struct access *access)
{
    struct extent extent;
    if (extent_of_access(access, &extent) && !valid_covers(&extent))
        tell(visit, access, &extent);
}

/* Moves what is known of a copy's bytes. Its two sides have as many rows, of the same width. */
static void move(const struct written_visit *visit, const struct access *to)
{
    const struct access *from = &visit->source;
    uint64_t rows = to->rank == 2 ? (uint64_t)to->shape[0] : 1;
    uint64_t width = (uint64_t)to->shape[to->rank - 1];
    for (uint64_t row = 0; row < rows; row++)
        valid_copy(address_of(to, row * width), address_of(from, row * width), width);
}

static void enter(struct access_visitor *visitor, const struct access *access);

static __attribute__((noinline)) void enter_halves(struct access_visitor *visitor,
                                                   const struct access *access)
{
    struct halved_access room;
    enter(visitor, access_in_bytes(access, &room));
}

static void enter(struct access_visitor *visitor, const struct access *access)
{
    struct written_visit *own = (struct written_visit *)visitor;
    if (access_is_halved(access)) {
        enter_halves(visitor, access);
        return;
    }
    struct memory_block block;
    bool is_device = access->address != NULL && memory_find(access->address, &block) &&
                     block.place == MEMORY_DEVICE && !block.is_registered;
    bool is_moved = (access->mode & ACCESS_MOVED) != 0;
    if (is_moved && (access->mode & ACCESS_READ) != 0) {
        own->source = *access;
        memcpy(own->shape, access->shape, access->rank * sizeof *own->shape);
        memcpy(own->stride, access->stride, access->rank * sizeof *own->stride);
        own->source.shape = own->shape;
        own->source.stride = own->stride;
        own->source_is_device = is_device;
        return;
    }
    if (is_moved && own->source_is_device) {
        if (is_device)
            move(own, access);
        else
            judge(own, &own->source);
        return;
    }
    if (!is_device || (access->mode & ACCESS_WORKSPACE) != 0)
        return;
    if ((access->mode & (ACCESS_READ | ACCESS_PARTLY | ACCESS_SYNCHRONISES)) == ACCESS_READ)
        judge(own, access);
    struct extent extent;
    if ((access->mode & ACCESS_WRITTEN) != 0 && extent_of_access(access, &extent))
        valid_set_extent(&extent);
}

struct written_visit written_visit(const struct call_place *place)
{
    return (struct written_visit){.visitor = {enter}, .place = place};
}
