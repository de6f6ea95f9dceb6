/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Unique by its name: each value once, in the order of first appearance, which the functions of the library,
 * whose order ascends, do not give; and for each element the place of its value. It is done when the call
 * returns, so that the description of the values can say how many there are.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "ops/by_name/run.h"
#include "base/error.h"
#include "runtime/addresses/memory.h"
#include "runtime/streams/stream.h"
#include "tensor/dtype.h"

/* Elements, and a table of the places of values by their bits; 0: none, otherwise the place + 1. */
struct values {
    size_t count, each, distinct;
    uint64_t infinity; /* its bits, in dtypes that have NaN; otherwise 0 */
    unsigned char *element;
    uint64_t *place;
    unsigned shift; /* of a hash, to be a slot */
    size_t *slot;
};

static uint64_t infinity_of(aclDataType dtype)
{
    return dtype == ACL_FLOAT     ? UINT64_C(0x7F800000)
           : dtype == ACL_FLOAT16 ? UINT64_C(0x7C00)
           : dtype == ACL_BF16    ? UINT64_C(0x7F80)
           : dtype == ACL_DOUBLE  ? UINT64_C(0x7FF0000000000000)
                                  : 0;
}

static uint64_t bits_at(const struct values *values, size_t i)
{
    uint64_t bits = 0;
    memcpy(&bits, values->element + i * values->each, values->each); /* little-endian, as all of Belay is */
    return bits;
}

static uint64_t without_sign(const struct values *values, uint64_t bits)
{
    return bits & ~(UINT64_C(1) << (8 * values->each - 1));
}

/* Zeros of both signs are one value. */
static uint64_t key_of(const struct values *values, uint64_t bits)
{
    return values->infinity != 0 && without_sign(values, bits) == 0 ? 0 : bits;
}

/* Packs the values to the front of the elements and fills in the places. A NaN equals nothing. */
static void find_values(struct values *values)
{
    const size_t mask = ((size_t)1 << (64 - values->shift)) - 1;
    for (size_t i = 0; i < values->count; i++) {
        const uint64_t bits = bits_at(values, i), key = key_of(values, bits);
        const bool is_nan = values->infinity != 0 && without_sign(values, bits) > values->infinity;
        size_t at = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> values->shift);
        while (!is_nan && values->slot[at] != 0 &&
               key_of(values, bits_at(values, values->slot[at] - 1)) != key)
            at = (at + 1) & mask;
        if (!is_nan && values->slot[at] != 0) {
            values->place[i] = values->slot[at] - 1;
            continue;
        }
        values->place[i] = values->distinct++;
        memcpy(values->element + values->place[i] * values->each, &bits, values->each);
        if (!is_nan)
            values->slot[at] = values->place[i] + 1;
    }
}

static int make_values(const struct named_call *call, struct values *values)
{
    const struct named_operand *x = &call->input[0];
    *values = (struct values){.count = (size_t)run_count(&x->view),
                              .each = dtype_bytes(x->view.dtype),
                              .infinity = infinity_of(x->view.dtype),
                              .shift = 63};
    while (values->shift > 1 && (size_t)1 << (64 - values->shift) < 2 * values->count)
        values->shift--;
    values->element = malloc(values->count * values->each + 1);
    values->place = malloc(values->count * sizeof *values->place + 1);
    values->slot = calloc((size_t)1 << (64 - values->shift), sizeof *values->slot);
    return values->element != NULL && values->place != NULL && values->slot != NULL
               ? 0
               : fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory to look for values in", call->api);
}

static int write(const struct named_operand *operand, const void *from, size_t bytes)
{
    return bytes == 0
               ? 0
               : aclrtMemcpy(operand->address, operand->view.bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
}

static int answer(const struct named_call *call, struct values *values)
{
    const struct named_operand *y = &call->output[0], *index = &call->output[1];
    const size_t bytes = values->distinct * values->each;
    if (y->view.bytes < bytes)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: Unique has found %zu values of %zu bytes; the first output has room for %zu bytes",
                    call->api, values->distinct, values->each, y->view.bytes);
    TRY(write(y, values->element, bytes));
    if (index->view.dtype == ACL_INT32) {
        int32_t *narrow = (int32_t *)(void *)values->place;
        for (size_t i = 0; i < values->count; i++) {
            const int32_t place = (int32_t)values->place[i];
            memcpy(narrow + i, &place, sizeof place);
        }
    }
    TRY(write(index, values->place, index->view.bytes));
    const int64_t distinct = (int64_t)values->distinct;
    return y->desc != NULL ? aclSetTensorShape(y->desc, 1, &distinct) : 0;
}

static int run_unique(const struct named_call *call, aclrtStream stream)
{
    const struct named_operand *x = &call->input[0], *y = &call->output[0], *index = &call->output[1];
    const aclDataType dtype = x->view.dtype;
    const size_t each = dtype_bytes(dtype);
    if (each == 0 || each > sizeof(uint64_t) || dtype == ACL_COMPLEX64 || y->view.dtype != dtype)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: Unique of %s gives %s; the same real dtype is expected",
                    call->api, dtype_name(dtype), dtype_name(y->view.dtype));
    if ((index->view.dtype != ACL_INT32 && index->view.dtype != ACL_INT64) ||
        run_count(&index->view) != run_count(&x->view) || run_count(&x->view) > INT32_MAX)
        return fail(
            ACL_ERROR_INVALID_PARAM,
            "%s: the places of Unique are %lld of %s; INT32 or INT64 for each of %lld elements, fewer "
            "than 2^31, are expected",
            call->api, (long long)run_count(&index->view), dtype_name(index->view.dtype),
            (long long)run_count(&x->view));
    struct values values = {0};
    struct memory_block block;
    bool drops = false;
    TRY(stream_finish(call->api, stream, &drops));
    if (drops)
        return 0;
    int status = make_values(call, &values);
    if (status == 0 && x->view.bytes > 0) {
        if (memory_find(x->address, &block) && block.place == MEMORY_DEVICE)
            status = aclrtMemcpy(values.element, x->view.bytes, x->address, x->view.bytes,
                                 ACL_MEMCPY_DEVICE_TO_HOST);
        else
            memcpy(values.element, x->address, x->view.bytes);
    }
    if (status == 0) {
        find_values(&values);
        status = answer(call, &values);
    }
    free(values.element);
    free(values.place);
    free(values.slot);
    return status;
}

__attribute__((constructor)) static void offer(void)
{
    static struct named_operator unique = {"Unique", 1, 2, 0, run_unique, NULL, NULL};
    named_operator_offer(&unique);
}
