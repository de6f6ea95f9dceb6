/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Arrays in host memory, and numbers as text.
 */
#include "tools/array.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/dtype.h"
#include "tools/small_number.h"

bool fault_set(struct fault *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    return false;
}

bool fault_no_dtype(struct fault *fault, const char *name, size_t length)
{
    char list[256] = "";
    size_t filled = 0;
    for (int i = 0; i < 64 && filled < sizeof list; i++)
        if (dtype_bytes((aclDataType)i))
            filled += (size_t)snprintf(list + filled, sizeof list - filled, "%s%s", filled ? ", " : "",
                                       dtype_name((aclDataType)i));
    return fault_set(fault, "%.*s is not a dtype; these are: %s", (int)(length < 256 ? length : 256), name,
                     list);
}

bool array_bytes(aclDataType dtype, uint32_t rank, const int64_t *shape, size_t *bytes)
{
    uint64_t product = dtype_bytes(dtype);
    bool is_empty = false, is_too_much = false;
    for (uint32_t i = 0; i < rank; i++) {
        if (shape[i] < 0)
            return false;
        is_empty = is_empty || shape[i] == 0;
        is_too_much = __builtin_mul_overflow(product, (uint64_t)shape[i], &product) || is_too_much;
    }
    /* A dim of 0 makes the array empty however long the others are. */
    if (is_empty)
        product = 0;
    else if (is_too_much || product > INT64_MAX)
        return false;
    *bytes = (size_t)product;
    return true;
}

bool array_create(struct array *array, aclDataType dtype, uint32_t rank, const int64_t *shape,
                  struct fault *fault)
{
    *array = (struct array){.dtype = dtype, .rank = rank};
    for (uint32_t i = 0; i < rank; i++)
        array->shape[i] = shape[i];
    if (!array_bytes(dtype, rank, shape, &array->bytes))
        return fault_set(fault, "an array of these dims is larger than any memory");
    array->data = calloc(1, array->bytes ? array->bytes : 1);
    if (!array->data)
        return fault_set(fault, "there is not enough memory for %zu bytes", array->bytes);
    return true;
}

void array_destroy(struct array *array)
{
    free(array->data);
    array->data = NULL;
}

size_t array_count(const struct array *array)
{
    uint32_t element_bytes = dtype_bytes(array->dtype);
    return element_bytes ? array->bytes / element_bytes : 0;
}

aclDataType dtype_from_name(const char *name, size_t length)
{
    static const struct {
        const char *name;
        aclDataType dtype;
    } other_names[] = {{"BF16", ACL_BF16},
                       {"FLOAT32", ACL_FLOAT},
                       {"FLOAT64", ACL_DOUBLE},
                       /* and what NumPy and PyTorch call them */
                       {"bf16", ACL_BF16},
                       {"bfloat16", ACL_BF16},
                       {"float16", ACL_FLOAT16},
                       {"float32", ACL_FLOAT},
                       {"float64", ACL_DOUBLE},
                       {"bool", ACL_BOOL},
                       {"int8", ACL_INT8},
                       {"int16", ACL_INT16},
                       {"int32", ACL_INT32},
                       {"int64", ACL_INT64},
                       {"uint8", ACL_UINT8},
                       {"complex64", ACL_COMPLEX64},
                       {"complex128", ACL_COMPLEX128}};
    if (length > 4 && strncmp(name, "ACL_", 4) == 0) {
        name += 4;
        length -= 4;
    }
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++)
        if (strlen(other_names[i].name) == length && strncmp(name, other_names[i].name, length) == 0)
            return other_names[i].dtype;
    for (int i = 0; i < 64; i++)
        if (dtype_bytes((aclDataType)i) && strlen(dtype_name((aclDataType)i)) == length &&
            strncmp(name, dtype_name((aclDataType)i), length) == 0)
            return (aclDataType)i;
    return ACL_DT_UNDEFINED;
}

/* Floats of 16 and of 8 bits: a sign, an exponent and these bits of stored mantissa. */
struct small_float {
    aclDataType dtype;
    int width, mantissa_bits;
    int digits;        /* with which a number comes back */
    uint16_t end;      /* the code behind that of the greatest number */
    uint16_t infinity; /* what infinity becomes: E4M3FN has none */
    uint16_t nan;
};

static const struct small_float small_floats[] = {
    {ACL_FLOAT16, 16, 10, 5, 0x7C00, 0x7C00, 0x7E00},
    {ACL_BF16, 16, 7, 4, 0x7F80, 0x7F80, 0x7FC0},
    {ACL_FLOAT8_E5M2, 8, 2, 2, 0x7C, 0x7C, 0x7F},
    {ACL_FLOAT8_E4M3FN, 8, 3, 3, 0x7F, 0x7E, 0x7F},
};

/* NULL for another dtype. */
static const struct small_float *small_float_of(aclDataType dtype)
{
    for (size_t i = 0; i < sizeof small_floats / sizeof small_floats[0]; i++)
        if (small_floats[i].dtype == dtype)
            return &small_floats[i];
    return NULL;
}

static int bias_of(const struct small_float *format)
{
    return (1 << (format->width - format->mantissa_bits - 2)) - 1;
}

/* The code of the nearest number, without the sign; end for a number that is too large. */
static uint16_t round_size(double size, const struct small_float *format)
{
    const int bias = bias_of(format), mantissa_bits = format->mantissa_bits;
    int exponent;
    if (size == 0)
        return 0;           /* it has no exponent */
    frexp(size, &exponent); /* size is in [2^(exponent - 1), 2^exponent) */
    int scale = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    /* Units in the last place, rounded to nearest, ties to even: at most 2^(mantissa_bits + 1). */
    double units = nearbyint(ldexp(size, mantissa_bits - scale));
    /* The implicit bit adds one to the exponent field, so the field starts one lower; a carry does the same.
     */
    int64_t bits = (int64_t)units + ((int64_t)(scale + bias - 1) << mantissa_bits);
    return bits >= format->end ? format->end : (uint16_t)bits;
}

static uint16_t round_to(double value, const struct small_float *format)
{
    const uint16_t sign = (uint16_t)(signbit(value) ? 1 << (format->width - 1) : 0);
    if (isnan(value))
        return format->nan;
    return isinf(value) ? sign | format->infinity : sign | round_size(fabs(value), format);
}

/* The number that a code is. */
static double value_of(uint16_t bits, const struct small_float *format)
{
    const int mantissa_bits = format->mantissa_bits, bias = bias_of(format);
    const uint16_t size = bits & (uint16_t)((1 << (format->width - 1)) - 1);
    const int exponent = size >> mantissa_bits, mantissa = size & ((1 << mantissa_bits) - 1);
    const double one = exponent == 0 ? 0 : 1 << mantissa_bits;
    const double magnitude =
        size < format->end ? ldexp(one + mantissa, (exponent == 0 ? 1 : exponent) - bias - mantissa_bits)
        : size == format->infinity ? (double)INFINITY
                                   : (double)NAN;
    return size == bits ? magnitude : -magnitude;
}

static bool parse_integer(const char *text, aclDataType dtype, void *element, struct fault *fault)
{
    static const struct {
        aclDataType dtype;
        int64_t least;
        uint64_t greatest;
    } ranges[] = {
        {ACL_INT8, INT8_MIN, INT8_MAX},
        {ACL_INT16, INT16_MIN, INT16_MAX},
        {ACL_INT32, INT32_MIN, INT32_MAX},
        {ACL_INT64, INT64_MIN, INT64_MAX},
        {ACL_UINT8, 0, UINT8_MAX},
        {ACL_UINT16, 0, UINT16_MAX},
        {ACL_UINT32, 0, UINT32_MAX},
        {ACL_UINT64, 0, UINT64_MAX},
        {ACL_BOOL, 0, 1},
    };
    char *end;
    errno = 0;
    bool is_negative = strchr(text, '-') != NULL;
    int64_t integer = is_negative ? strtoll(text, &end, 0) : 0;
    uint64_t natural = is_negative ? 0 : strtoull(text, &end, 0);
    if (end == text || *end)
        return fault_set(fault, "%.256s is not an integer", text);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (ranges[i].dtype != dtype)
            continue;
        if (errno || (is_negative ? integer < ranges[i].least : natural > ranges[i].greatest))
            return fault_set(fault, "%.256s does not fit into %s", text, dtype_name(dtype));
        /* Little-endian: the low bytes of the 64-bit value are the value in the narrower type. */
        uint64_t bits = is_negative ? (uint64_t)integer : natural;
        memcpy(element, &bits, dtype_bytes(dtype));
        return true;
    }
    return fault_set(fault, "a value of dtype %s cannot be given as text", dtype_name(dtype));
}

/* The value of the whole text as a complex number: 1, 2j, 1+2j. */
static bool parse_complex(const char *text, double value[2])
{
    char *end;
    value[0] = strtod(text, &end);
    value[1] = 0;
    if (end != text && *end && strchr("+-", *end)) {
        const char *rest = end;
        value[1] = strtod(rest, &end);
        return end != rest && strcmp(end, "j") == 0;
    }
    if (end != text && strcmp(end, "j") == 0) {
        value[1] = value[0];
        value[0] = 0;
        return true;
    }
    return end != text && !*end;
}

static const char *without_words(const char *text)
{
    return strcmp(text, "true") == 0 ? "1" : strcmp(text, "false") == 0 ? "0" : text;
}

bool text_is_number(const char *text)
{
    double value[2];
    return parse_complex(without_words(text), value);
}

/* Whether a finite number, of which value is what a double makes, becomes infinite in a dtype. */
static bool overflows(const char *text, double value, aclDataType dtype)
{
    if (isinf(value))
        return !strpbrk(text, "iI"); /* inf and infinity are spelled so, and no number is */
    if (dtype == ACL_FLOAT)
        return isinf(strtof(text, NULL));
    const struct small_float *format = small_float_of(dtype);
    if (format != NULL && !isnan(value))
        return round_size(fabs(value), format) == format->end;
    return false;
}

static bool parse_complex_element(const char *text, aclDataType dtype, void *element, struct fault *fault)
{
    double value[2];
    if (!parse_complex(text, value))
        return fault_set(fault, "%.256s is not a number; 1, 2j or 1+2j, say, is expected", text);
    const float single[2] = {(float)value[0], (float)value[1]};
    bool is_single = dtype == ACL_COMPLEX64;
    bool is_infinite =
        isinf(value[0]) || isinf(value[1]) || (is_single && (isinf(single[0]) || isinf(single[1])));
    if (is_infinite && !strpbrk(text, "iI"))
        return fault_set(fault, "%.256s is too large for %s; smaller numbers, or inf, are expected", text,
                         dtype_name(dtype));
    memcpy(element, is_single ? (const void *)single : value, dtype_bytes(dtype));
    return true;
}

static bool parse_small(const char *text, aclDataType dtype, void *element, struct fault *fault)
{
    char *end;
    const double value = strtod(text, &end);
    uint8_t code = 0;
    if (end == text || *end || (dtype == ACL_INT4 && value != trunc(value)))
        return fault_set(fault, "%.256s is not %s", text, dtype == ACL_INT4 ? "an integer" : "a number");
    if (!small_number_code(dtype, value, &code))
        return fault_set(fault, "%.256s does not fit into %s", text, dtype_name(dtype));
    memcpy(element, &code, sizeof code);
    return true;
}

bool element_parse(const char *text, aclDataType dtype, void *element, struct fault *fault)
{
    text = without_words(text);
    if (dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128)
        return parse_complex_element(text, dtype, element, fault);
    const struct small_float *format = small_float_of(dtype);
    if (is_small_number(dtype))
        return parse_small(text, dtype, element, fault);
    if (format == NULL && dtype != ACL_FLOAT && dtype != ACL_DOUBLE)
        return parse_integer(text, dtype, element, fault);
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end)
        return fault_set(fault, "%.256s is not a number", text);
    if (overflows(text, value, dtype))
        return fault_set(fault, "%.256s is too large for %s; a smaller number, or inf, is expected", text,
                         dtype_name(dtype));
    float single = strtof(text, &end);
    const uint16_t bits = format != NULL ? round_to(value, format) : 0;
    if (dtype == ACL_FLOAT)
        memcpy(element, &single, sizeof single);
    else if (dtype == ACL_DOUBLE)
        memcpy(element, &value, sizeof value);
    else
        memcpy(element, &bits, dtype_bytes(dtype)); /* of little-endian bytes the low ones come first */
    return true;
}

void element_set_real(void *element, aclDataType dtype, double value)
{
    const struct small_float *format = small_float_of(dtype);
    const float single = (float)value;
    if (dtype == ACL_DOUBLE)
        memcpy(element, &value, sizeof value);
    else if (format == NULL)
        memcpy(element, &single, sizeof single);
    else
        memcpy(element, &(const uint16_t){round_to(value, format)}, sizeof(uint16_t));
}

double element_real(const void *element, aclDataType dtype)
{
    float single;
    double real;
    switch (dtype) {
    case ACL_FLOAT:
        memcpy(&single, element, sizeof single);
        return (double)single;
    case ACL_DOUBLE:
        memcpy(&real, element, sizeof real);
        return real;
    default:
        break;
    }
    const struct small_float *format = small_float_of(dtype);
    uint16_t bits = 0;
    if (is_small_number(dtype))
        return small_number_value(dtype, *(const uint8_t *)element);
    if (format == NULL)
        return (double)NAN;
    memcpy(&bits, element, dtype_bytes(dtype));
    return value_of(bits, format);
}

const char *element_text(const void *element, aclDataType dtype, char *text)
{
    const unsigned char *bytes = element;
    const struct small_float *format = small_float_of(dtype);
    uint64_t natural = 0;
    if (is_small_number(dtype)) { /* three digits tell its neighbours apart */
        snprintf(text, ELEMENT_TEXT, "%.3g", element_real(element, dtype));
        return text;
    }
    switch (dtype) {
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT:
    case ACL_DOUBLE: {
        /* Enough digits for the value to come back: 1 + ceil(p log10 2) for a mantissa of p bits. */
        int digits = format != NULL ? format->digits : dtype == ACL_FLOAT ? 9 : 17;
        snprintf(text, ELEMENT_TEXT, "%.*g", digits, element_real(element, dtype));
        return text;
    }
    case ACL_COMPLEX64:
    case ACL_COMPLEX128: {
        aclDataType part = dtype == ACL_COMPLEX64 ? ACL_FLOAT : ACL_DOUBLE;
        int digits = dtype == ACL_COMPLEX64 ? 9 : 17;
        snprintf(text, ELEMENT_TEXT, "%.*g%+.*gj", digits, element_real(bytes, part), digits,
                 element_real(bytes + dtype_bytes(part), part));
        return text;
    }
    case ACL_INT8:
    case ACL_INT16:
    case ACL_INT32:
    case ACL_INT64: {
        memcpy(&natural, element, dtype_bytes(dtype));
        unsigned unused_bits = 64 - 8 * dtype_bytes(dtype);
        snprintf(text, ELEMENT_TEXT, "%" PRId64, (int64_t)(natural << unused_bits) >> unused_bits);
        return text;
    }
    default:
        memcpy(&natural, element, dtype_bytes(dtype) < 8 ? dtype_bytes(dtype) : 8);
        snprintf(text, ELEMENT_TEXT, "%" PRIu64, natural);
        return text;
    }
}
