/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors of numbers of few bits in tests: INT8, INT4 in bytes and in INT32, two to an element of INT8, and floats of 8
 * and 4 bits; and how near one must be to what is rounded. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_NUMBER_TENSOR_H
#define BELAY_TESTS_OPS_NUMBER_TENSOR_H

#include "ops/named_call.h"

/* Two INT4 to an element of a tensor of INT8. */
#define PAIRS ((aclDataType)63)

struct numbers {
    aclDataType dtype;
    int place;
    struct layout bytes;  /* of 4 bits each, which is a tensor of its own over them */
    struct layout layout; /* the call's, which it destroys */
};

static inline bool has_float8(void)
{
    const char *product = getenv("BELAY_SOC");
    return product != NULL && strncmp(product, "Ascend950", 9) == 0;
}

static inline bool is_float8(aclDataType dtype)
{
    return dtype == ACL_FLOAT8_E4M3FN || dtype == ACL_FLOAT8_E5M2 || dtype == ACL_HIFLOAT8;
}

static inline bool is_float4(aclDataType dtype)
{
    return dtype == ACL_FLOAT4_E2M1 || dtype == ACL_FLOAT4_E1M2;
}

static inline aclDataType draw_number_dtype(bool may_be_pairs)
{
    const aclDataType dtypes[] = {ACL_INT8,          ACL_INT32,       ACL_INT4,
                                  ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2, ACL_HIFLOAT8};
    return may_be_pairs && random_below(3) == 0 ? PAIRS : dtypes[random_below(has_float8() ? 6 : 3)];
}

/* An output of so many numbers: of 4 bits as bytes that lie side by side. */
static inline struct numbers give_numbers(struct named_call *call, const char *name, aclDataType dtype,
                                          unsigned rank, const int64_t *shape)
{
    struct numbers numbers = {.dtype = dtype, .place = place_named(call, name)};
    int64_t own[LAYOUT_RANK_MAX];
    memcpy(own, shape, rank * sizeof *own);
    if (dtype == ACL_INT4 || is_float4(dtype)) {
        int64_t count = 1, stride[LAYOUT_RANK_MAX];
        for (unsigned i = rank; i-- > 0; count *= shape[i])
            stride[i] = count;
        own[0] = (count + 1) / 2;
        numbers.bytes = layout_create(ACL_INT8, 1, own, LAYOUT_CONTIGUOUS);
        call->argument[numbers.place].tensor = aclCreateTensor(
            shape, rank, dtype, stride, 0, ACL_FORMAT_ND, shape, rank, memory_known_as(numbers.bytes.memory));
        return numbers;
    }
    own[rank - 1] /= dtype == ACL_INT32 ? 8 : dtype == PAIRS ? 2 : 1;
    numbers.layout = *give_tensor(call, name, dtype == PAIRS ? ACL_INT8 : dtype, rank, own);
    return numbers;
}

static inline void end_numbers(struct named_call *call, struct numbers *numbers)
{
    if (numbers->dtype != ACL_INT4 && !is_float4(numbers->dtype))
        return;
    assert_int_equal(aclDestroyTensor(call->argument[numbers->place].tensor), 0);
    layout_destroy(&numbers->bytes);
}

/* The greatest number of a dtype; and floats of 8 and 4 bits. */
static inline double most_of(const struct numbers *numbers)
{
    return numbers->dtype == ACL_FLOAT8_E4M3FN ? 448
           : numbers->dtype == ACL_FLOAT8_E5M2 ? 57344
           : numbers->dtype == ACL_HIFLOAT8    ? 32768
           : numbers->dtype == ACL_FLOAT4_E2M1 ? 6
           : numbers->dtype == ACL_FLOAT4_E1M2 ? 1.75
           : numbers->dtype == ACL_INT8        ? 127
                                               : 7;
}

/* Its exponent has as many bits as what stands in front of it says, and its mantissa the others. */
static inline double hifloat8_value(unsigned bits)
{
    const unsigned code = bits & 127, width = code >= 96   ? 4
                                              : code >= 64 ? 3
                                              : code >= 32 ? 2
                                              : code >= 16 ? 1
                                                           : 0;
    const unsigned digits = width < 2 ? 3 : 5 - width, rest = code & (width > 1 ? 31 : width == 1 ? 15 : 7);
    const unsigned field = rest >> digits, high = width > 0 ? 1U << (width - 1) : 0;
    const int size = width == 0 ? 0 : (int)(high | (field & (high - 1)));
    const int exponent = (field & high) != 0 ? -size : size;
    const double value = code == 0 ? 0
                         : code < 8
                             ? ldexp(1, (int)code - 23)
                             : ldexp(1 + (double)(rest & ((1U << digits) - 1)) / (1U << digits), exponent);
    return bits == 128 ? (double)NAN : (bits & 128) != 0 ? -value : value;
}

static inline double float8_value(unsigned bits, bool is_e5m2)
{
    const int digits = is_e5m2 ? 2 : 3, bias = is_e5m2 ? 15 : 7, exponent = (int)(bits & 127) >> digits;
    const int fraction = (int)bits & ((1 << digits) - 1);
    const double size = exponent == 0 ? ldexp(fraction, 1 - bias - digits)
                                      : ldexp((1 << digits) + fraction, exponent - bias - digits);
    const bool is_nan = is_e5m2 ? (bits & 127) > 124 : (bits & 127) == 127;
    return is_nan ? (double)NAN : (bits & 128) != 0 ? -size : size;
}

static inline double number_of_tensor(const struct numbers *numbers, int64_t i)
{
    if (numbers->dtype == ACL_INT8)
        return (double)*(const int8_t *)layout_element(&numbers->layout, i);
    if (numbers->dtype == ACL_HIFLOAT8)
        return hifloat8_value(*layout_element(&numbers->layout, i));
    if (is_float8(numbers->dtype))
        return float8_value(*layout_element(&numbers->layout, i), numbers->dtype == ACL_FLOAT8_E5M2);
    const int64_t packs = numbers->dtype == ACL_INT32 ? 8 : 2;
    const bool is_bytes = numbers->dtype == ACL_INT4 || is_float4(numbers->dtype);
    const unsigned char *element =
        is_bytes ? numbers->bytes.memory + i / 2 : layout_element(&numbers->layout, i / packs);
    const int code = element[i % packs / 2] >> (i % 2 * 4) & 15;
    static const double e2m1[] = {0, .5, 1, 1.5, 2, 3, 4, 6};
    if (is_float4(numbers->dtype))
        return (code > 7 ? -1 : 1) * (numbers->dtype == ACL_FLOAT4_E2M1 ? e2m1[code & 7] : (code & 7) / 4.);
    return code > 7 ? code - 16 : code;
}

/* Half a unit of the float at a value. */
static inline double float8_half(double value, aclDataType dtype)
{
    const bool is_e5m2 = dtype == ACL_FLOAT8_E5M2;
    int exponent;
    if (is_float4(dtype))
        return dtype == ACL_FLOAT4_E1M2 ? .125 : fabs(value) < 2 ? .25 : fabs(value) < 4 ? .5 : 1;
    (void)frexp(value, &exponent);
    if (dtype == ACL_HIFLOAT8) {
        exponent = exponent < -21 ? -21 : exponent;
        const int size = abs(exponent - 1);
        return ldexp(.5, exponent - 1 - (size <= 3 ? 3 : size <= 7 ? 2 : size <= 15 ? 1 : 0));
    }
    const int least = is_e5m2 ? -13 : -5;
    return ldexp(.5, (exponent < least ? least : exponent) - (is_e5m2 ? 3 : 4));
}

/* A number is the value rounded as asked for, within the ends; where it is next to a tie, either way. */
static inline void assert_number(const char *what, const struct numbers *numbers, int64_t i, double value,
                                 int rounding)
{
    const double found = number_of_tensor(numbers, i), most = most_of(numbers);
    const bool is_float = is_float8(numbers->dtype) || is_float4(numbers->dtype);
    const double least = is_float ? -most : -most - 1;
    const double limited = isnan(value) ? 0 : value > most ? most : value < least ? least : value;
    const double loose = 1e-6 * (1 + fabs(limited));
    const double half = is_float ? float8_half(limited, numbers->dtype) : .5;
    const bool is_up = rounding == 3 || (rounding == 4 && limited < 0), is_directed = rounding >= 2;
    const double low = !is_directed ? limited - half
                       : is_up      ? limited
                                    : limited - 2 * half,
                 high = !is_directed ? limited + half
                        : is_up      ? limited + 2 * half
                                     : limited;
    if (isnan(value) && is_float8(numbers->dtype) && numbers->dtype != ACL_HIFLOAT8
            ? !isnan(found)
            : !(found >= low - loose && found <= high + loose))
        fail_msg("%s: number %d of dtype %d is %g, made of %.9g", what, (int)i, (int)numbers->dtype, found,
                 value);
}

/* Gives a tensor of a call another dtype of floats, with the same numbers. */
static inline void replace_numbers(struct named_call *call, const char *name, aclDataType dtype)
{
    struct layout before = *tensor_named(call, name);
    struct layout *after = give_tensor(call, name, dtype, before.rank, before.shape);
    for (int64_t i = 0; i < after->count; i++)
        set_element(after, i, element_of(&before, i));
    layout_destroy(&before);
}

/* Bytes of a dtype that layouts do not know; those of 4 bits have more room than they need. */
static inline struct layout *give_codes(struct named_call *call, const char *name, aclDataType dtype,
                                        unsigned rank, const int64_t *shape)
{
    struct layout *layout = give_tensor(call, name, ACL_INT8, rank, shape);
    const int64_t storage = layout->reach + 1;
    for (int64_t i = 0; i < storage; i++)
        layout->memory[i] = (unsigned char)random_bits();
    assert_int_equal(aclDestroyTensor(layout->tensor), 0);
    layout->tensor = aclCreateTensor(shape, rank, dtype, layout->stride, layout->offset, ACL_FORMAT_ND,
                                     &storage, 1, memory_known_as(layout->memory));
    call->argument[place_named(call, name)].tensor = layout->tensor;
    return layout;
}

static inline unsigned code_at(const struct layout *layout, int64_t i, bool is_packed)
{
    const int64_t place = layout_place(layout, i);
    return is_packed ? layout->memory[place / 2] >> place % 2 * 4 & 15 : layout->memory[place];
}

#endif
