/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The check init: bytes of device memory that an operator or a copy to the host reads and that nothing has
 * written (DC-010). Work is followed in the order of its submission, which is that of its data in every
 * program that the check race finds nothing in. The lock of watch.c is held in all functions.
 */
#ifndef BELAY_CHECK_NEVER_WRITTEN_H
#define BELAY_CHECK_NEVER_WRITTEN_H

#include "check/place.h"
#include "runtime/tasks/access.h"

/* One task, or one blocking copy, on its way through its accesses: they are visited one by one. */
struct written_visit {
    struct access_visitor visitor;
    const struct call_place *place;
    struct access source; /* of a copy, whose target comes next */
    int64_t shape[2], stride[2];
    bool source_is_device;
};

struct written_visit written_visit(const struct call_place *place);

#endif
