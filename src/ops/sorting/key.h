/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers that order as the elements of a dtype do.
 */
#ifndef BELAY_OPS_SORTING_KEY_H
#define BELAY_OPS_SORTING_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "tensor/dtype.h"

/* How elements of a dtype compare. */
struct order {
    enum { ORDER_NATURAL, ORDER_INTEGER, ORDER_FLOAT, ORDER_TRUTH } kind;
    uint64_t sign, mask, infinity;
    uint64_t flip; /* what turns the order round */
};

static inline struct order order_of(aclDataType dtype, bool is_descending)
{
    const unsigned bits = 8 * dtype_bytes(dtype);
    struct order order = {.kind = ORDER_INTEGER, .sign = UINT64_C(1) << (bits - 1)};
    order.mask = order.sign | (order.sign - 1);
    order.flip = is_descending ? order.mask : 0;
    switch (dtype) {
    case ACL_FLOAT:
        order.infinity = 0x7f800000;
        break;
    case ACL_FLOAT16:
        order.infinity = 0x7c00;
        break;
    case ACL_BF16:
        order.infinity = 0x7f80;
        break;
    case ACL_DOUBLE:
        order.infinity = UINT64_C(0x7ff0000000000000);
        break;
    case ACL_BOOL:
        order.kind = ORDER_TRUTH;
        return order;
    case ACL_UINT8:
    case ACL_UINT16:
    case ACL_UINT32:
    case ACL_UINT64:
        order.kind = ORDER_NATURAL;
        return order;
    default:
        return order;
    }
    order.kind = ORDER_FLOAT;
    return order;
}

/* Greater for greater elements. NaNs share the greatest number, which no other float has. */
static inline uint64_t key_of(uint64_t raw, const struct order *order)
{
    switch (order->kind) {
    case ORDER_TRUTH:
        return (raw != 0) ^ order->flip;
    case ORDER_NATURAL:
        return raw ^ order->flip;
    case ORDER_INTEGER:
        return raw ^ order->sign ^ order->flip;
    default:
        break;
    }
    uint64_t size = raw & ~order->sign;
    uint64_t key = size > order->infinity ? order->mask
                   : size == 0            ? order->sign /* -0 too */
                   : size != raw          ? ~raw & order->mask
                                          : raw | order->sign;
    return key ^ order->flip;
}

static inline uint64_t raw_at(const void *row, uint64_t i, unsigned bytes)
{
    switch (bytes) {
    case 1:
        return ((const uint8_t *)row)[i];
    case 2:
        return ((const uint16_t *)row)[i];
    case 4:
        return ((const uint32_t *)row)[i];
    default:
        return ((const uint64_t *)row)[i];
    }
}

/* The keys of count elements of at most 4 bytes; returns the least one. */
typedef uint32_t keys_function(const unsigned char *row, size_t count, const struct order *order,
                               unsigned bytes, uint32_t *key);

/* Rows up to this many words are sorted by counting, for each, those that come before it: as many comparisons
 * as there are pairs, but whole vectors of them, none of which decides where the processor goes on. */
enum { RANKED_MAX = 128 };

/* Puts words in the order of their upper halves, equal ones in that in which they came. */
typedef void rank_function(const uint64_t *word, size_t count, uint64_t *sorted);

/* The places in their row of the elements that come first, second and so on, of rows of RANKED_MAX keys or
 * fewer. */
typedef void rank_rows_function(const uint32_t *key, size_t rows, size_t length, uint8_t *place);

#endif
