/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of 8 and of 4 bits, as quantising functions write them: whole ones (INT8, INT4) and floats
 * (FLOAT8_E4M3FN, FLOAT8_E5M2, HIFLOAT8, FLOAT4_E2M1, FLOAT4_E1M2), each code in a byte of its own.
 *
 * A function that writes them asks number_format_of(dtype) and rounding_read(text) in infer, makes scales with
 * format->most (or format->emax, for MX, in mx_scale_of_block), and calls numbers_encode for a piece of what is
 * to be written. What it writes goes out by one of three ways: bytes as they are; two to a byte, or eight to an
 * INT32, by numbers_pack; or, where the parameter says .is_unpacked = true, as bytes through a port that carries
 * the dtype itself, whatever the layout, since the frame packs them (ops/call_blocks.c).
 *
 * To read them: a port that carries FLOAT or DOUBLE, or transfer->convert(code, dtype, to, ACL_FLOAT, count),
 * decodes every dtype here and FLOAT8_E8M0 too, exactly; packed ones first come apart by numbers_unpack, but for
 * parameters that are unpacked. It is the same table for casts (ops/convert_float8.h).
 */
#ifndef BELAY_OPS_QUANTISE_FORMATS_H
#define BELAY_OPS_QUANTISE_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

enum rounding {
    ROUNDING_RINT,  /* the nearest, ties to even */
    ROUNDING_ROUND, /* the nearest, ties away from 0 */
    ROUNDING_FLOOR,
    ROUNDING_CEIL,
    ROUNDING_TRUNC,
    ROUNDING_HYBRID /* of HIFLOAT8 alone, for which devices draw a number: as ROUND here */
};

/* "rint", "round", "floor", "ceil", "trunc" or "hybrid"; NULL is "rint". False for another text. */
bool rounding_read(const char *text, enum rounding *rounding);

struct number_format {
    aclDataType dtype;
    bool is_whole;         /* INT8 and INT4 */
    uint8_t mantissa_bits; /* of floats but HIFLOAT8, whose exponent says how many */
    int8_t least_exponent; /* of floats that have all of these bits */
    uint8_t nan;           /* what NaN becomes: 0 of whole numbers, HIFLOAT8 and FLOAT4 */
    uint8_t emax;          /* the exponent of the greatest number */
    double most;           /* the greatest one: 127, 7, 448, 57344, 32768, 6, 1.75 */
};

/* NULL for a dtype that is none of these. */
const struct number_format *number_format_of(aclDataType dtype);

/*
 * The codes of numbers, rounded once, no further than the greatest ones: infinity becomes these, and -128 and -8
 * are there too. NaN becomes format->nan. Floats keep the sign of 0, but for HIFLOAT8, which has one 0. INT4 are
 * the low bits of what INT8 would be, with a sign: -1 is 0xFF.
 */
void numbers_encode(const struct number_format *format, enum rounding rounding, const double *value,
                    size_t count, uint8_t *code);

/* The nearest whole number, ties to even, and no further than the ends; 0 of what is no number. Between them a sum
 * that has no bits for fractions rounds. */
static inline int8_t quantised_number(double value, double most)
{
    const double least = -most - 1, limited = value < least ? least : value > most ? most : value;
    return value != value ? 0 : (int8_t)((limited + 0x1.8p52) - 0x1.8p52);
}

/* count codes of 4 bits, two to a byte, the first in the lower half; eight make an INT32. count is even. */
void numbers_pack(const uint8_t *code, size_t count, uint8_t *to);

/* And back: as codes from 0 to 15. */
void numbers_unpack(const uint8_t *from, size_t count, uint8_t *code);

/* Elements of a block over its scale in FLOAT, encoded: codes of 0 where that is 0. Of INT8 there is no -128. What
 * the elements are afterwards is not said. */
void block_encode(const struct number_format *format, enum rounding rounding, float scale, double *value,
                  size_t count, uint8_t *code);

/* Numbers of an MX block, whose scales lie in pairs; and pairs that a row of numbers has. */
enum { MX_BLOCK = 32, MX_PAIR = 2 * MX_BLOCK };

static inline uint64_t mx_pairs(uint64_t width)
{
    return width / MX_PAIR + (width % MX_PAIR != 0);
}

/*
 * How the scale of an MX block is made, by the functions' scaleAlg: from the exponent of the greatest size; from
 * that over the greatest number, rounded up to a power of two; and the same of FLOAT4, with a number instead of
 * the greatest one.
 */
enum mx_rule { MX_EXPONENT, MX_QUOTIENT, MX_QUOTIENT_OF_FLOAT4 };

/*
 * The byte of FLOAT8_E8M0 of a block of which greatest is the greatest size, in FLOAT; 255 where that is NaN or
 * infinite. most is what MX_QUOTIENT_OF_FLOAT4 divides by, 0 for the format's greatest number; least is what
 * MX_QUOTIENT takes where the size is less, 0 for nothing.
 */
uint8_t mx_scale_of_block(const struct number_format *format, enum mx_rule rule, float greatest, float most,
                          float least);

/* What elements of the block are multiplied by, exactly, before they are encoded: 2^(127 - scale). Those of 255
 * are all 0. */
double mx_factor(uint8_t scale);

/* count elements of a block and its scale, encoded: codes of 0 where the scale is 255, NaN too. */
void mx_encode_block(const struct number_format *format, enum rounding rounding, uint8_t scale,
                     const double *value, size_t count, uint8_t *code);

#endif
