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
                         .address = address};
}

struct port port_of(const struct call *call, unsigned parameter, aclDataType carried)
{
    return port_of_view(transfer_of(call->settings->isa), &call->tensor[parameter],
                        call->first_operand[parameter], carried);
}

void port_bring(const struct port *port, void *const *address, uint64_t at, uint64_t count, void *to)
{
    _Alignas(64) unsigned char element[PORT_PIECE * 16] __attribute__((uninitialized));
    const unsigned char *from = address[port->address];
    if (port->dtype == port->carried) {
        span_read(&port->span, port->transfer, from, at, to, count);
        return;
    }
    if (span_is_contiguous(&port->span)) {
        from += at * port->span.bytes;
    } else {
        span_read(&port->span, port->transfer, from, at, element, count);
        from = element;
    }
    port->transfer->convert(from, port->dtype, to, port->carried, (size_t)count);
}

void port_deliver(const struct port *port, void *const *address, uint64_t at, uint64_t count,
                  const void *from)
{
    _Alignas(64) unsigned char element[PORT_PIECE * 16] __attribute__((uninitialized));
    unsigned char *to = address[port->address];
    if (port->dtype == port->carried) {
        span_write(&port->span, port->transfer, to, at, from, count);
    } else if (span_is_contiguous(&port->span)) {
        port->transfer->convert(from, port->carried, to + at * port->span.bytes, port->dtype, (size_t)count);
    } else {
        port->transfer->convert(from, port->carried, element, port->dtype, (size_t)count);
        span_write(&port->span, port->transfer, to, at, element, count);
    }
}
