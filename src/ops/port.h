/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor's way to a loop and back: its elements by their row-major numbers, a piece at a time, from where
 * they lie and in the tensor's dtype to memory where they lie side by side in the dtype that the loop carries.
 */
#ifndef BELAY_OPS_PORT_H
#define BELAY_OPS_PORT_H

#include "ops/call.h"
#include "ops/span.h"

/* Elements that are converted at a time. */
enum { PORT_PIECE = 1024 };

struct port {
    struct span span;
    const struct transfer *transfer;
    aclDataType dtype, carried; /* the tensor's and the loop's */
    uint32_t carried_bytes;     /* of an element in the loop */
    uint32_t address;           /* the tensor's index among the addresses of phase 2 */
};

/* The port of a view of rank 8 at most, or of a parameter's tensor. */
struct port port_of_view(const struct transfer *transfer, const struct tensor_view *view, uint32_t address,
                         aclDataType carried);
struct port port_of(const struct call *call, unsigned parameter, aclDataType carried);

/* Whether both tensors have one dtype and each element in the same place, if they have one address. */
static inline bool ports_agree(const struct port *a, const struct port *b)
{
    return a->dtype == b->dtype && spans_agree(&a->span, &b->span);
}

/* Any number of elements from a number on to the loop, and from it. */
void port_bring(const struct port *port, void *const *address, uint64_t at, uint64_t count, void *to);
void port_deliver(const struct port *port, void *const *address, uint64_t at, uint64_t count,
                  const void *from);

/* To a loop that carries another dtype here. */
void port_bring_as(const struct port *port, void *const *address, uint64_t at, uint64_t count,
                   aclDataType carried, void *to);

/* The first element, if what the loop carries may lie where the elements are. NULL where these are converted
 * or do not lie side by side. */
static inline unsigned char *port_direct(const struct port *port, void *const *address)
{
    return port->dtype == port->carried && span_is_contiguous(&port->span)
               ? (unsigned char *)address[port->address]
               : NULL;
}

#endif
