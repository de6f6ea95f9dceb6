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

void port_bring_as(const struct port *port, void *const *address, uint64_t at, uint64_t count,
                   aclDataType carried, void *to)
{
    const uint32_t bytes = dtype_bytes(carried);
    _Alignas(64) unsigned char element[PORT_PIECE * 16] __attribute__((uninitialized));
    const unsigned char *const first = address[port->address];
    const bool is_contiguous = span_is_contiguous(&port->span);
    unsigned char *target = to;
    if (port->dtype == carried) {
        span_read(&port->span, port->transfer, first, at, to, count);
        return;
    }
    for (uint64_t some; count > 0; count -= some, at += some, target += some * bytes) {
        some = count < PORT_PIECE ? count : PORT_PIECE;
        if (!is_contiguous)
            span_read(&port->span, port->transfer, first, at, element, some);
        port->transfer->convert(is_contiguous ? first + at * port->span.bytes : element, port->dtype, target,
                                carried, (size_t)some);
    }
}

void port_bring(const struct port *port, void *const *address, uint64_t at, uint64_t count, void *to)
{
    port_bring_as(port, address, at, count, port->carried, to);
}

void port_deliver(const struct port *port, void *const *address, uint64_t at, uint64_t count,
                  const void *from)
{
    _Alignas(64) unsigned char element[PORT_PIECE * 16] __attribute__((uninitialized));
    unsigned char *const first = address[port->address];
    const bool is_contiguous = span_is_contiguous(&port->span);
    const unsigned char *source = from;
    if (port->dtype == port->carried) {
        span_write(&port->span, port->transfer, first, at, from, count);
        return;
    }
    for (uint64_t some; count > 0; count -= some, at += some, source += some * port->carried_bytes) {
        some = count < PORT_PIECE ? count : PORT_PIECE;
        unsigned char *const to = is_contiguous ? first + at * port->span.bytes : element;
        port->transfer->convert(source, port->carried, to, port->dtype, (size_t)some);
        if (!is_contiguous)
            span_write(&port->span, port->transfer, first, at, element, some);
    }
}
