/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The bytes of a root info, and how long the ranks have to meet: what both sides of a rendezvous know.
 */
#include "hccl/meeting_place.h"

#include <stdlib.h>
#include <string.h>

static const char magic[8] = {'B', 'E', 'L', 'A', 'Y', 'H', 'C', 'C'};

/* The root info; zeros follow. */
struct layout {
    char magic[sizeof magic];
    uint8_t version;
    uint8_t unused[3];
    struct address address;
    uint8_t secret[SECRET_BYTES];
};

enum { LAYOUT_VERSION = 1 };

void meeting_place_write(HcclRootInfo *root, const struct meeting_place *place)
{
    struct layout layout = {.version = LAYOUT_VERSION, .address = place->address};
    memcpy(layout.magic, magic, sizeof magic);
    memcpy(layout.secret, place->secret, SECRET_BYTES);
    memset(root, 0, sizeof *root);
    memcpy(root->internal, &layout, sizeof layout);
}

static HcclResult refuse_field(struct mesh_fault *fault, const char *what)
{
    return mesh_refuse(
        fault, HCCL_E_PARA, -1,
        "the root info %s; the bytes that HcclGetRootInfo of the same release wrote are expected, "
        "whole and unchanged",
        what);
}

HcclResult meeting_place_read(const HcclRootInfo *root, struct meeting_place *place, struct mesh_fault *fault)
{
    struct layout layout;
    uint8_t any_secret = 0;
    char any_behind = 0;
    memcpy(&layout, root->internal, sizeof layout);
    for (size_t i = 0; i < SECRET_BYTES; i++)
        any_secret |= layout.secret[i];
    for (size_t i = sizeof layout; i < sizeof root->internal; i++)
        any_behind |= root->internal[i];
    if (memcmp(layout.magic, magic, sizeof magic) != 0)
        return refuse_field(fault, "does not begin as one of Belay's");
    if (layout.version != LAYOUT_VERSION)
        return refuse_field(fault, "is of another version");
    if (layout.unused[0] != 0 || layout.unused[1] != 0 || layout.unused[2] != 0)
        return refuse_field(fault, "has bytes other than 0 behind the version");
    if (!address_is_of_host(&layout.address))
        return refuse_field(fault, "has no address of one host");
    if (layout.address.port == 0)
        return refuse_field(fault, "has no port");
    if (any_secret == 0)
        return refuse_field(fault, "has no secret");
    if (any_behind != 0)
        return refuse_field(fault, "has bytes other than 0 behind the secret");
    place->address = layout.address;
    memcpy(place->secret, layout.secret, SECRET_BYTES);
    place->opens_later = false;
    return HCCL_SUCCESS;
}

HcclResult connect_timeout(int64_t *timeout_ns, struct mesh_fault *fault)
{
    const char *text = secure_getenv("HCCL_CONNECT_TIMEOUT");
    long seconds = 120;
    if (text != NULL && *text != '\0') {
        char *end;
        seconds = strtol(text, &end, 10);
        if (*text < '0' || *text > '9' || *end != '\0' || seconds < 1 || seconds > 7200)
            return mesh_refuse(fault, HCCL_E_PARA, -1,
                               "HCCL_CONNECT_TIMEOUT is '%.64s'; seconds from 1 to 7200 are expected", text);
    }
    *timeout_ns = seconds * 1000000000L;
    return HCCL_SUCCESS;
}
