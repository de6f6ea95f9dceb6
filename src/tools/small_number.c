/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The library's scalars say what a code is.
 */
#include "tools/small_number.h"

#include <math.h>

#include "aclnn/acl_meta.h"
#include "tensor/dtype.h"
#include "tensor/tensor.h"

bool is_small_number(aclDataType dtype)
{
    return dtype_is_packed(dtype) || dtype == ACL_HIFLOAT8 || dtype == ACL_FLOAT8_E8M0;
}

double small_number_value(aclDataType dtype, uint8_t code)
{
    struct scalar_value value = {.value.real = (double)NAN};
    if (dtype == ACL_INT4)
        return (double)((code & 15) ^ 8) - 8;
    uint8_t own = dtype_is_packed(dtype) ? code & 15 : code;
    aclScalar *scalar = aclCreateScalar(&own, dtype);
    if (scalar != NULL)
        (void)scalar_read(scalar, &value);
    (void)aclDestroyScalar(scalar);
    return value.value.real;
}

bool small_number_code(aclDataType dtype, double value, uint8_t *code)
{
    const unsigned codes = dtype_is_packed(dtype) ? 16 : 256;
    double nearest = (double)INFINITY, greatest = 0, of_nearest = 0;
    bool is_known = false;
    for (unsigned i = 0; i < codes; i++) {
        const double here = small_number_value(dtype, (uint8_t)i), distance = fabs(here - value);
        greatest = fabs(here) <= 0x1p200 && fabs(here) > greatest && signbit(here) == signbit(value)
                       ? fabs(here)
                       : greatest;
        const bool is_same = here == value || (isnan(here) && isnan(value));
        const bool is_better = distance < nearest || (distance == nearest && fabs(here) > fabs(of_nearest));
        if (is_same ? signbit(here) != signbit(value) && is_known : !is_better)
            continue;
        is_known = is_known || is_same;
        nearest = is_same ? 0 : distance;
        of_nearest = here;
        *code = (uint8_t)i;
    }
    return is_known || fabs(value) <= greatest;
}

void small_numbers_pack(uint8_t *where, const uint8_t *code, size_t count)
{
    for (size_t i = 0; i < count; i += 2)
        where[i / 2] = (uint8_t)((code[i] & 15) | (i + 1 < count ? code[i + 1] : 0) << 4);
}

void small_numbers_unpack(uint8_t *code, size_t count)
{
    for (size_t i = count; i-- > 0;) /* from the last on, which no other one needs any more */
        code[i] = code[i / 2] >> i % 2 * 4 & 15;
}
