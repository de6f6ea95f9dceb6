/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the operators that fill a tensor share of their contracts.
 */
#ifndef BELAY_OPS_FILL_H
#define BELAY_OPS_FILL_H

#include "ops/check.h"
#include "ops/scalar.h"
#include "simd/move.h"
#include "tensor/dtype.h"

/* The end of phase 1, after the operator's checks: the tensor takes the value, converted to its dtype. */
static inline aclnnStatus fill_plan(const struct call *call, aclDataType dtype,
                                    const struct scalar_value *value)
{
    struct fill_parameters fill = {.element_bytes = dtype_bytes(dtype)};
    _Alignas(16) unsigned char element[16];
    scalar_convert(value, dtype, element);
    for (size_t i = 0; i < MOVE_BYTES; i += fill.element_bytes)
        memcpy(fill.pattern + i, element, fill.element_bytes);
    return elementwise_plan(call, dtype, &fill, sizeof fill);
}

#endif
