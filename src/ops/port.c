/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Pieces of tensors, from their memory and back. What lies side by side is converted where it is.
 */
#include "ops/port.h"

#include "tensor/dtype.h"

struct port port_of_view(const struct transfer *transfer, const struct tensor_view *view, uint32_t address,
                         aclDataType carried)
{
    return (struct port){.span = span_of(view, SPAN_AS_IT_IS),
                         .transfer = transfer,
                         .dtype = view->dtype,
                         .carried = carried,
                         .carried_bytes = dtype_bytes(carried),
                         .address = address};
}

struct port port_of(const struct call *call, unsigned parameter, aclDataType carried)
{
    return port_of_view(transfer_of(call->settings->isa), &call->tensor[parameter],
                        call->first_operand[parameter], carried);
}

/* Elements that do not lie side by side, by way of memory where they do. */
static __attribute__((noinline)) void bring_apart(const struct port *port, const unsigned char *first,
                                                  uint64_t at, uint64_t count, aclDataType carried,
                                                  uint32_t bytes, unsigned char *to)
{
    _Alignas(64) unsigned char element[PORT_PIECE * 16] __attribute__((uninitialized));
    for (uint64_t some; count > 0; count -= some, at += some, to += some * bytes) {
        some = count < PORT_PIECE ? count : PORT_PIECE;
        span_read(&port->span, port->transfer, first, at, element, some);
        port->transfer->convert(element, port->dtype, to, carried, (size_t)some);
    }
}

static inline void bring(const struct port *port, const unsigned char *first, uint64_t at, uint64_t count,
                         aclDataType carried, uint32_t bytes, unsigned char *to)
{
    if (port->dtype == carried) {
        span_read(&port->span, port->transfer, first, at, to, count);
        return;
    }
    if (!span_is_contiguous(&port->span)) {
        bring_apart(port, first, at, count, carried, bytes, to);
        return;
    }
    for (uint64_t some; count > 0; count -= some, at += some, to += some * bytes) {
        some = count < PORT_PIECE ? count : PORT_PIECE;
        port->transfer->convert(first + at * port->span.bytes, port->dtype, to, carried, (size_t)some);
    }
}

void port_bring(const struct port *port, void *const *address, uint64_t at, uint64_t count, void *to)
{
    bring(port, address[port->address], at, count, port->carried, port->carried_bytes, to);
}

void port_bring_as(const struct port *port, void *const *address, uint64_t at, uint64_t count,
                   aclDataType carried, void *to)
{
    bring(port, address[port->address], at, count, carried, dtype_bytes(carried), to);
}

static __attribute__((noinline)) void deliver_apart(const struct port *port, unsigned char *first,
                                                    uint64_t at, uint64_t count, const unsigned char *from)
{
    _Alignas(64) unsigned char element[PORT_PIECE * 16] __attribute__((uninitialized));
    for (uint64_t some; count > 0; count -= some, at += some, from += some * port->carried_bytes) {
        some = count < PORT_PIECE ? count : PORT_PIECE;
        port->transfer->convert(from, port->carried, element, port->dtype, (size_t)some);
        span_write(&port->span, port->transfer, first, at, element, some);
    }
}

void port_deliver(const struct port *port, void *const *address, uint64_t at, uint64_t count,
                  const void *from)
{
    unsigned char *const first = address[port->address];
    const unsigned char *source = from;
    if (port->dtype == port->carried) {
        span_write(&port->span, port->transfer, first, at, from, count);
        return;
    }
    if (!span_is_contiguous(&port->span)) {
        deliver_apart(port, first, at, count, from);
        return;
    }
    for (uint64_t some; count > 0; count -= some, at += some, source += some * port->carried_bytes) {
        some = count < PORT_PIECE ? count : PORT_PIECE;
        port->transfer->convert(source, port->carried, first + at * port->span.bytes, port->dtype,
                                (size_t)some);
    }
}
