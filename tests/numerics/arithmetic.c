/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * arithmetic [BLOCKS]: the kernels of Add, Sub, Mul and Div on every level. Those of floats against MPFR,
 * which rounds once, and a sample against integers (GMP); those of integers and complex numbers against each
 * other. Prints a line for each kernel: how many inputs were tried, and how many results were wrong.
 *
 * A block is as many random pairs, and in 16 bits one element with every fourth of the other input; 262144
 * BLOCKS are every pair of FLOAT16 or BFLOAT16 that there is.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gmp.h>
#include <mpfr.h>

#include "numerics/draw.h"
#include "ops/arithmetic.h"
#include "runtime/processor.h"
#include "simd/kernel.h"

enum { BLOCK = 16384, PHASES = 65536 / BLOCK, SAMPLE = 61, BYTES_MOST = 16 };

enum stem { ADD, SUB, MUL, DIV, STEMS };
static const char *const stem_names[STEMS] = {"add", "sub", "mul", "div"};

KERNEL_LEVELS(add);
KERNEL_LEVELS(sub);
KERNEL_LEVELS(mul);
KERNEL_LEVELS(div);
static const struct kernels *const *const tables[STEMS] = {add_kernels, sub_kernels, mul_kernels,
                                                           div_kernels};

/* The parameters that are tried; other is NaN where there is a second tensor. */
static const struct {
    double alpha, other;
} variants[] = {{1, (double)NAN},
                {-1, (double)NAN},
                {0x1.333334p-2, (double)NAN},
                {-3, (double)NAN},
                {0x1p-70, (double)NAN},
                {0x1.8p+60, (double)NAN},
                {1, 0x1.99999ap-4},
                {0x1.333334p-2, -0x1.99999ap-4},
                {-1, 0x1.4p-80},
                {0x1.8p+3, 0x1.fffffep+90},
                {0, 3},
                {1, 0x1p-149}};
enum { VARIANTS = sizeof variants / sizeof *variants };

static union {
    unsigned char bytes[BLOCK * BYTES_MOST];
    _Alignas(64) uint64_t words[BLOCK * BYTES_MOST / 8];
} first, second, result, other_result;

static double element_value(enum arithmetic dtype, const unsigned char *element)
{
    uint64_t bits = 0;
    memcpy(&bits, element, (size_t)formats[dtype].bits / 8);
    return value_of(&formats[dtype], bits);
}

/* The bits of a number that the dtype has. */
static uint64_t encode(enum arithmetic dtype, double value)
{
    const struct format *format = &formats[dtype];
    const uint64_t infinity = ((UINT64_C(1) << format->exponent_bits) - 1) << format->fraction_bits;
    const uint64_t sign = signbit(value) ? UINT64_C(1) << (format->bits - 1) : 0;
    if (isnan(value))
        return infinity | UINT64_C(1) << (format->fraction_bits - 1);
    if (isinf(value))
        return sign | infinity;
    if (value == 0)
        return sign;
    const int least = 2 - (1 << (format->exponent_bits - 1)); /* exponent of normal numbers */
    int exponent;
    (void)frexp(value, &exponent);
    exponent = exponent - 1 < least ? least : exponent - 1;
    uint64_t units = (uint64_t)fabs(ldexp(value, format->fraction_bits - exponent));
    return sign | (((uint64_t)(exponent - least) << format->fraction_bits) + units);
}

/* MPFR rounds sums, products and quotients once to any precision, and again below the normal numbers, where
 * it knows in which direction it has. */
static uint64_t by_mpfr(enum stem stem, enum arithmetic dtype, double self, double other, double alpha)
{
    const struct format *format = &formats[dtype];
    const int bias = (1 << (format->exponent_bits - 1)) - 1;
    mpfr_t x, y, factor, rounded;
    mpfr_inits2(53, x, y, factor, (mpfr_ptr)0);
    mpfr_init2(rounded, format->fraction_bits + 1);
    mpfr_set_d(x, self, MPFR_RNDN);
    mpfr_set_d(y, other, MPFR_RNDN);
    mpfr_set_d(factor, alpha, MPFR_RNDN);
    const mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
    mpfr_set_emin(2 - bias - format->fraction_bits);
    mpfr_set_emax(bias + 1);
    int direction = stem == MUL   ? mpfr_mul(rounded, x, y, MPFR_RNDN)
                    : stem == DIV ? mpfr_div(rounded, x, y, MPFR_RNDN)
                                  : mpfr_fma(rounded, factor, y, x, MPFR_RNDN);
    direction = mpfr_check_range(rounded, direction, MPFR_RNDN);
    mpfr_subnormalize(rounded, direction, MPFR_RNDN);
    double value = mpfr_get_d(rounded, MPFR_RNDN);
    mpfr_set_emin(least);
    mpfr_set_emax(most);
    mpfr_clears(x, y, factor, rounded, (mpfr_ptr)0);
    return encode(dtype, value);
}

/* value as an integer times 2^exponent. */
static long to_integer(mpz_t integer, double value)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    mpz_set_d(integer, ldexp(fraction, 53));
    return exponent - 53;
}

/* The bits of over / under * 2^exponent, neither of which is 0. */
static uint64_t round_integers(enum arithmetic dtype, mpz_t over, mpz_t under, long exponent)
{
    const struct format *format = &formats[dtype];
    const int fraction_bits = format->fraction_bits, most = (1 << (format->exponent_bits - 1)) - 1;
    const bool is_minus = mpz_sgn(over) * mpz_sgn(under) < 0;
    mpz_abs(over, over);
    mpz_abs(under, under);
    /* Of the quotient at least two bits more than the dtype has, and whether there is a rest. */
    long up = fraction_bits + 4 + (long)mpz_sizeinbase(under, 2) - (long)mpz_sizeinbase(over, 2);
    if (up > 0)
        mpz_mul_2exp(over, over, (mp_bitcnt_t)up);
    else
        mpz_mul_2exp(under, under, (mp_bitcnt_t)-up);
    exponent -= up;
    mpz_t rest, unit;
    mpz_inits(rest, unit, NULL);
    mpz_tdiv_qr(over, rest, over, under);
    long top = (long)mpz_sizeinbase(over, 2) - 1 + exponent;
    long last = (top < 1 - most ? 1 - most : top) - fraction_bits, drop = last - exponent;
    /* Rounds half up, then takes an exact half to the even number. */
    mpz_set_ui(unit, 1);
    mpz_mul_2exp(unit, unit, (mp_bitcnt_t)drop - 1);
    mpz_add(unit, unit, over);
    bool is_half = mpz_sgn(rest) == 0 && mpz_scan1(unit, 0) >= (mp_bitcnt_t)drop &&
                   mpz_tstbit(over, (mp_bitcnt_t)drop - 1);
    mpz_fdiv_q_2exp(unit, unit, (mp_bitcnt_t)drop);
    if (is_half && mpz_odd_p(unit))
        mpz_sub_ui(unit, unit, 1);
    long beyond = (long)mpz_sizeinbase(unit, 2) - 1 + last;
    double value = mpz_sgn(unit) == 0 ? 0
                   : beyond > most    ? (double)INFINITY
                                      : ldexp(mpz_get_d(unit), (int)last);
    mpz_clears(rest, unit, NULL);
    return encode(dtype, is_minus ? -value : value);
}

/* Nothing but integers; false where one of the numbers is none, or the result 0. */
static bool by_integers(enum stem stem, enum arithmetic dtype, double self, double other, double alpha,
                        uint64_t *bits)
{
    if (!isfinite(self) || !isfinite(other) || !isfinite(alpha) || (stem == DIV && other == 0))
        return false;
    mpz_t x, y, factor;
    mpz_inits(x, y, factor, NULL);
    long of_x = to_integer(x, self), of_y = to_integer(y, other), exponent = of_x + of_y;
    if (stem == MUL) {
        mpz_mul(x, x, y);
        mpz_set_ui(y, 1);
    } else if (stem == DIV) {
        exponent = of_x - of_y;
    } else {
        of_y += to_integer(factor, alpha);
        mpz_mul(y, y, factor);
        exponent = of_x < of_y ? of_x : of_y;
        mpz_mul_2exp(x, x, (mp_bitcnt_t)(of_x - exponent));
        mpz_mul_2exp(y, y, (mp_bitcnt_t)(of_y - exponent));
        mpz_add(x, x, y);
        mpz_set_ui(y, 1);
    }
    const bool is_number = mpz_sgn(x) != 0;
    if (is_number)
        *bits = round_integers(dtype, x, y, exponent);
    mpz_clears(x, y, factor, NULL);
    return is_number;
}

static uint64_t wrong_of(enum stem stem, enum arithmetic dtype, double alpha, double other)
{
    const size_t bytes = (size_t)formats[dtype].bits / 8;
    uint64_t wrong = 0;
    for (size_t i = 0; i < BLOCK; i++) {
        double x = element_value(dtype, first.bytes + i * bytes);
        double y = isnan(other) ? element_value(dtype, second.bytes + i * bytes) : other;
        uint64_t found = 0, expected = by_mpfr(stem, dtype, x, y, alpha), again;
        memcpy(&found, result.bytes + i * bytes, bytes);
        if (i % SAMPLE == 0 && by_integers(stem, dtype, x, y, alpha, &again) && again != expected) {
            fprintf(stderr, "the references disagree: %s %a %a alpha %a\n", stem_names[stem], x, y, alpha);
            wrong++;
        }
        if (found != expected && wrong++ < 3)
            fprintf(stderr, "%s %s %a %a alpha %a: %llx, not %llx\n", stem_names[stem], formats[dtype].name,
                    x, y, alpha, (unsigned long long)found, (unsigned long long)expected);
    }
    return wrong;
}

/* What the other levels give, all at once and in pieces of every length at every place. */
static uint64_t differences_of(const struct kernels *const *levels,
                               kernel_function *(*pick)(const struct kernels *, int), int which, size_t bytes,
                               const struct arithmetic_parameters *parameters, int level)
{
    kernel_function *run = pick(levels[level], which);
    uint64_t different = 0;
    const void *const whole[INPUTS_MAX] = {first.bytes, second.bytes};
    run(whole, other_result.bytes, BLOCK, parameters, true);
    different += memcmp(result.bytes, other_result.bytes, BLOCK * bytes) != 0;
    size_t done = 0;
    memset(other_result.bytes, 0x5a, BLOCK * bytes);
    for (size_t length = 1; done + length <= BLOCK; done += length, length = length % 257 + 1) {
        const void *const part[INPUTS_MAX] = {first.bytes + done * bytes, second.bytes + done * bytes};
        run(part, other_result.bytes + done * bytes, length, parameters, false);
    }
    return different + (memcmp(result.bytes, other_result.bytes, done * bytes) != 0);
}

static kernel_function *of_floats(const struct kernels *kernels, int which)
{
    return kernels->run[ACCURACY_DEFAULT][which];
}

static kernel_function *of_others(const struct kernels *kernels, int which)
{
    return kernels->exact[which];
}

static struct arithmetic_parameters parameters_of(enum stem stem, double alpha, double other)
{
    struct arithmetic_parameters parameters = {.alpha = {alpha, 0}, .has_scalar = !isnan(other)};
    parameters.other[0] = parameters.has_scalar ? other : 0;
    parameters.alpha_is_one = alpha == 1;
    parameters.alpha_bits = (uint64_t)(int64_t)fmin(fmax(alpha * 8, -1e9), 1e9);
    parameters.other_bits = (uint64_t)(int64_t)fmin(parameters.other[0] * 64, 1e9);
    parameters.subtracts = stem == SUB;
    return parameters;
}

static uint64_t try_floats(enum stem stem, enum arithmetic dtype, uint64_t blocks)
{
    struct generator generator = {.state = (uint64_t)stem * 16 + dtype};
    const struct format *format = &formats[dtype];
    const size_t bytes = (size_t)format->bits / 8;
    uint64_t wrong = 0, tried = 0;
    for (uint64_t block = 0; block < blocks; block++)
        for (size_t v = 0; v < VARIANTS; v++) {
            double alpha = variants[v].alpha, other = variants[v].other;
            if (stem >= MUL && ((isnan(other) && v > 0) || (alpha != 1 && !isnan(other) && v % 2 == 0)))
                continue;
            uint64_t chosen = blocks == 65536 * PHASES ? block / PHASES : draw_element(&generator, format);
            for (size_t i = 0; i < BLOCK; i++) {
                uint64_t x =
                    bytes == 2 ? i * PHASES + (block + v) % PHASES : draw_element(&generator, format);
                uint64_t y = bytes == 2 ? chosen : draw_element(&generator, format);
                memcpy(first.bytes + i * bytes, &x, bytes);
                memcpy(second.bytes + i * bytes, &y, bytes);
            }
            const struct arithmetic_parameters parameters = parameters_of(stem, alpha, other);
            const void *const input[INPUTS_MAX] = {first.bytes, second.bytes};
            of_floats(tables[stem][ISA_BASELINE], (int)dtype)(input, result.bytes, BLOCK, &parameters, false);
            wrong += wrong_of(stem, dtype, alpha, other);
            for (int level = 0; level <= (int)processor_level(); level++)
                wrong += differences_of(tables[stem], of_floats, (int)dtype, bytes, &parameters, level);
            tried += BLOCK;
        }
    printf("%s %s: %llu inputs on every level, %llu wrong\n", stem_names[stem], format->name,
           (unsigned long long)tried, (unsigned long long)wrong);
    return wrong;
}

/* Bytes of every kind; of complex numbers the parts are floats that are hard. */
static void fill_others(struct generator *generator, enum arithmetic which, unsigned char *array,
                        size_t bytes)
{
    for (size_t i = 0; i < BLOCK; i++) {
        uint64_t part[2] = {draw_bits(generator), 0};
        if (draw_bits(generator) % 4 == 0)
            part[0] %= 3;
        size_t of_part = bytes;
        if (which >= ARITHMETIC_COMPLEX64) {
            enum arithmetic dtype = which == ARITHMETIC_COMPLEX64 ? ARITHMETIC_FP32 : ARITHMETIC_FP64;
            part[0] = draw_element(generator, &formats[dtype]);
            part[1] = draw_element(generator, &formats[dtype]);
            of_part = bytes / 2;
            memcpy(array + i * bytes + of_part, &part[1], of_part);
        }
        memcpy(array + i * bytes, &part[0], of_part);
    }
}

static uint64_t try_others(enum stem stem, enum arithmetic which)
{
    static const struct {
        const char *name;
        size_t bytes;
    } dtypes[ARITHMETIC_ALL] = {
        [ARITHMETIC_INT8] = {"int8", 1},           [ARITHMETIC_INT16] = {"int16", 2},
        [ARITHMETIC_INT32] = {"int32", 4},         [ARITHMETIC_INT64] = {"int64", 8},
        [ARITHMETIC_UINT8] = {"uint8", 1},         [ARITHMETIC_BOOL] = {"bool", 1},
        [ARITHMETIC_COMPLEX64] = {"complex64", 8}, [ARITHMETIC_COMPLEX128] = {"complex128", 16}};
    struct generator generator = {.state = (uint64_t)stem * 16 + which};
    const size_t bytes = dtypes[which].bytes;
    uint64_t wrong = 0;
    fill_others(&generator, which, first.bytes, bytes);
    fill_others(&generator, which, second.bytes, bytes);
    for (size_t v = 0; v < VARIANTS; v += 3) {
        const struct arithmetic_parameters parameters =
            parameters_of(stem, variants[v].alpha, variants[v].other);
        const void *const input[INPUTS_MAX] = {first.bytes, second.bytes};
        of_others(tables[stem][ISA_BASELINE], (int)which)(input, result.bytes, BLOCK, &parameters, false);
        for (int level = 0; level <= (int)processor_level(); level++)
            wrong += differences_of(tables[stem], of_others, (int)which, bytes, &parameters, level);
    }
    printf("%s %s: the same bits on every level, %llu wrong\n", stem_names[stem], dtypes[which].name,
           (unsigned long long)wrong);
    return wrong;
}

int main(int count, char **arguments)
{
    const uint64_t blocks = count > 1 ? strtoull(arguments[1], NULL, 0) : 1;
    uint64_t wrong = 0;
    for (int stem = 0; stem < STEMS; stem++) {
        for (int dtype = 0; dtype < ARITHMETICS; dtype++)
            wrong += try_floats((enum stem)stem, (enum arithmetic)dtype, blocks);
        for (int which = ARITHMETICS; which < ARITHMETIC_ALL; which++)
            if (tables[stem][ISA_BASELINE]->exact[which] != NULL)
                wrong += try_others((enum stem)stem, (enum arithmetic)which);
    }
    return wrong != 0;
}
