/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "support/allowance.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "support/conversion.h"
#include "support/reference.h"

static bool is_complex(aclDataType dtype)
{
    return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
}

static bool is_float(aclDataType dtype)
{
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
}

static aclDataType part_of(aclDataType dtype)
{
    return dtype == ACL_COMPLEX64 ? ACL_FLOAT : dtype == ACL_COMPLEX128 ? ACL_DOUBLE : dtype;
}

static double load_part(aclDataType dtype, const void *element, int part)
{
    const aclDataType own = part_of(dtype);
    return reference_load(own, (const unsigned char *)element + (size_t)part * conversion_bytes(own));
}

/* A part moved by its error to one side, 1 or -1; from an infinity first to the greatest number. */
static double moved_part(aclDataType dtype, const void *element, int part, int side, double error)
{
    double value = load_part(dtype, element, part);
    if (isinf(value) && side * value < 0)
        value = copysign(part_of(dtype) == ACL_FLOAT ? (double)FLT_MAX : DBL_MAX, value);
    return value + side * error;
}

static void store_part(aclDataType dtype, void *element, int part, double value)
{
    const aclDataType own = part_of(dtype);
    reference_store_double(own, value, (unsigned char *)element + (size_t)part * conversion_bytes(own));
}

void allow_units(struct allowance *allowance, double units, const void *element, aclDataType dtype)
{
    for (int part = 0; part <= is_complex(dtype); part++) {
        const double size = fabs(load_part(dtype, element, part));
        double unit = nextafter(size, (double)INFINITY) - size;
        if (part_of(dtype) == ACL_FLOAT)
            unit = (double)nextafterf((float)size, INFINITY) - size;
        if (isfinite(unit))
            allowance->error[part] += units * unit;
    }
}

static void convert(const void *element, aclDataType dtype, void *out, aclDataType out_dtype)
{
    if (dtype == out_dtype)
        memcpy(out, element, conversion_bytes(dtype));
    else
        conversion_reference(element, dtype, out, out_dtype);
}

/* Of a float or complex out: whether each part lies between those of two elements. NaN is what both have. */
static bool lies_between(const unsigned char *low, const unsigned char *high, const unsigned char *found,
                         aclDataType dtype)
{
    const size_t bytes = conversion_bytes(part_of(dtype));
    bool lies = true;
    for (int part = 0; part <= is_complex(dtype); part++) {
        const double value = load_part(dtype, found, part);
        const double least = load_part(dtype, low, part), greatest = load_part(dtype, high, part);
        const size_t at = (size_t)part * bytes;
        lies = lies && (memcmp(found + at, low + at, bytes) == 0 || (least <= value && value <= greatest));
    }
    return lies;
}

void store_unless_allowed(const void *exact, aclDataType dtype, const struct allowance *allowance, void *out,
                          aclDataType out_dtype)
{
    enum { SIDES = 3 };
    unsigned char wanted[16], other[16], side[SIDES][SIDES][16];
    const size_t bytes = conversion_bytes(out_dtype);
    convert(exact, dtype, wanted, out_dtype);
    if (memcmp(wanted, out, bytes) == 0)
        return;
    if (!allowance->has_steps && allowance->error[0] == 0 && allowance->error[1] == 0) {
        memcpy(out, wanted, bytes);
        return;
    }
    if (allowance->has_steps) {
        for (int part = 0; part <= is_complex(dtype); part++)
            store_part(dtype, other, part, allowance->steps[part]);
        convert(other, dtype, side[0][0], out_dtype);
        if (memcmp(side[0][0], out, bytes) == 0)
            return;
    }
    /* Less, as much and more, of each part. */
    bool is_candidate = false;
    for (int i = 0; i < SIDES; i++)
        for (int j = 0; j < SIDES; j++) {
            memcpy(other, exact, conversion_bytes(dtype));
            for (int part = 0; part <= is_complex(dtype); part++)
                store_part(dtype, other, part,
                           moved_part(dtype, exact, part, (part == 0 ? i : j) - 1, allowance->error[part]));
            convert(other, dtype, side[i][j], out_dtype);
            is_candidate |= memcmp(side[i][j], out, bytes) == 0;
        }
    if (is_candidate)
        return;
    if ((is_float(out_dtype) || is_complex(out_dtype)) &&
        lies_between(side[0][0], side[SIDES - 1][SIDES - 1], out, out_dtype))
        return;
    if (out_dtype == ACL_INT64) {
        int64_t low, high, found;
        memcpy(&low, side[0][0], sizeof low);
        memcpy(&high, side[SIDES - 1][SIDES - 1], sizeof high);
        memcpy(&found, out, sizeof found);
        if (low <= found && found <= high)
            return;
    }
    memcpy(out, wanted, bytes);
}
