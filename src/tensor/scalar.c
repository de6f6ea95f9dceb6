/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclScalar: one value of any dtype, decoded once, when it is created.
 */
#include <math.h>
#include <string.h>

#include "base/made.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/report.h"
#include "tensor/dtype.h"
#include "tensor/lifetime.h"
#include "tensor/tensor.h"
#include "tensor/tensor_slot.h"

/* Nothing changes once the scalar is published, so that a reader need only ask for the handle again. */
struct scalar {
    struct handle_slot slot;
    _Atomic int32_t dtype;
    _Atomic uint64_t bits[2];  /* the union of struct scalar_value, as it lies in memory */
    _Atomic uint64_t given[2]; /* the value in its own dtype, as it was given */
};

struct handle_table scalar_table = HANDLE_TABLE(HANDLE_SCALAR, struct scalar, HANDLES_MAX);

#define LOAD(member)         atomic_load_explicit(&(member), memory_order_relaxed)
#define STORE(member, value) atomic_store_explicit(&(member), (value), memory_order_relaxed)

/* What the codes with an exponent of all ones mean in a floating-point format. */
enum specials {
    SPECIALS_NONE,    /* numbers like all others */
    SPECIALS_IEEE,    /* infinity with a zero mantissa, otherwise NaN */
    SPECIALS_ONE_NAN, /* NaN where the mantissa is all ones too, otherwise numbers */
};

struct float_format {
    unsigned exponent_bits;
    unsigned mantissa_bits;
    enum specials specials;
};

/*
 * Sign, exponent with a bias of 2^(bits - 1) - 1, mantissa; subnormal where the exponent is 0. Integers up to
 * the last step, whose operands and results are normal or zero: a caller that has subnormals flushed, or
 * another rounding mode, gets the same value.
 */
static double decode_float(uint32_t code, struct float_format format)
{
    uint32_t exponent_max = (1u << format.exponent_bits) - 1;
    uint32_t mantissa_max = (1u << format.mantissa_bits) - 1;
    uint32_t mantissa = code & mantissa_max;
    uint32_t exponent = code >> format.mantissa_bits & exponent_max;
    bool is_negative = code >> format.mantissa_bits >> format.exponent_bits & 1;
    int bias = (int)(exponent_max >> 1);
    /* E1M2: the rule gives a bias of 0, the format has 1. */
    if (format.exponent_bits == 1)
        bias = 1;
    double magnitude;
    if (format.specials == SPECIALS_IEEE && exponent == exponent_max)
        magnitude = mantissa == 0 ? (double)INFINITY : (double)NAN;
    else if (format.specials == SPECIALS_ONE_NAN && exponent == exponent_max && mantissa == mantissa_max)
        magnitude = (double)NAN;
    else if (exponent == 0)
        magnitude = ldexp(mantissa, 1 - bias - (int)format.mantissa_bits);
    else
        magnitude = ldexp(mantissa_max + 1 + mantissa, (int)exponent - bias - (int)format.mantissa_bits);
    return is_negative ? -magnitude : magnitude;
}

/*
 * HiFloat8: the sign, a prefix that gives the width D of the exponent (11: 4, 10: 3, 01: 2, 001: 1, 0001: 0),
 * the exponent as a sign and D - 1 bits below a leading one that is not stored, and the rest as mantissa. The
 * prefix 0000 marks the seven subnormal powers of two, 2^(mantissa - 23). The codes that would be 0 with a
 * minus sign and 1.5 * 2^15 are NaN and infinity.
 */
static double decode_hifloat8(uint32_t code)
{
    uint32_t body = code & 0x7f;
    double magnitude;
    if (code == 0x80)
        return (double)NAN;
    if (body == 0x6f) {
        magnitude = (double)INFINITY;
    } else if (body < 8) {
        magnitude = body == 0 ? 0.0 : ldexp(1.0, (int)body - 23);
    } else {
        unsigned width = body >= 0x60 ? 4 : body >= 0x40 ? 3 : body >= 0x20 ? 2 : body >= 0x10 ? 1 : 0;
        unsigned prefix_bits = width >= 2 ? 2 : width == 1 ? 3 : 4;
        unsigned mantissa_bits = 7 - prefix_bits - width;
        uint32_t mantissa = body & ((1u << mantissa_bits) - 1);
        uint32_t field = body >> mantissa_bits & ((1u << width) - 1);
        int exponent = 0;
        if (width > 0) {
            uint32_t lead = 1u << (width - 1);
            exponent = (int)(lead | (field & (lead - 1)));
            if (field & lead)
                exponent = -exponent;
        }
        magnitude = ldexp((1u << mantissa_bits) + mantissa, exponent - (int)mantissa_bits);
    }
    return code & 0x80 ? -magnitude : magnitude;
}

/* A power of two and nothing else: no sign, no zero. */
static double decode_e8m0(uint8_t code)
{
    return code == 0xff ? (double)NAN : ldexp(1.0, code - 127);
}

/* Reads one value of type from memory of any alignment. */
#define READ(type) (*(type *)memcpy(&(type){0}, source, sizeof(type)))

/* False for a dtype that scalars cannot have. Formats of less than a byte lie in the low bits of one. */
static bool decode(const void *source, aclDataType dtype, struct scalar_value *value)
{
    static const struct float_format fp32 = {8, 23, SPECIALS_IEEE};
    static const struct float_format bf16 = {8, 7, SPECIALS_IEEE};
    static const struct float_format fp16 = {5, 10, SPECIALS_IEEE};
    static const struct float_format e5m2 = {5, 2, SPECIALS_IEEE};
    static const struct float_format e4m3 = {4, 3, SPECIALS_ONE_NAN};
    static const struct float_format e3m2 = {3, 2, SPECIALS_NONE};
    static const struct float_format e2m3 = {2, 3, SPECIALS_NONE};
    static const struct float_format e2m1 = {2, 1, SPECIALS_NONE};
    static const struct float_format e1m2 = {1, 2, SPECIALS_NONE};
    value->dtype = dtype;
    value->value.complex_[0] = 0.0;
    value->value.complex_[1] = 0.0;
    switch (dtype) {
    case ACL_FLOAT:
        value->value.real = decode_float(READ(uint32_t), fp32);
        return true;
    case ACL_DOUBLE:
        value->value.real = READ(double);
        return true;
    case ACL_FLOAT16:
        value->value.real = decode_float(READ(uint16_t), fp16);
        return true;
    case ACL_BF16:
        value->value.real = decode_float(READ(uint16_t), bf16);
        return true;
    case ACL_HIFLOAT8:
        value->value.real = decode_hifloat8(READ(uint8_t));
        return true;
    case ACL_FLOAT8_E5M2:
        value->value.real = decode_float(READ(uint8_t), e5m2);
        return true;
    case ACL_FLOAT8_E4M3FN:
        value->value.real = decode_float(READ(uint8_t), e4m3);
        return true;
    case ACL_FLOAT8_E8M0:
        value->value.real = decode_e8m0(READ(uint8_t));
        return true;
    case ACL_FLOAT6_E3M2:
        value->value.real = decode_float(READ(uint8_t), e3m2);
        return true;
    case ACL_FLOAT6_E2M3:
        value->value.real = decode_float(READ(uint8_t), e2m3);
        return true;
    case ACL_FLOAT4_E2M1:
        value->value.real = decode_float(READ(uint8_t), e2m1);
        return true;
    case ACL_FLOAT4_E1M2:
        value->value.real = decode_float(READ(uint8_t), e1m2);
        return true;
    case ACL_INT8:
        value->value.integer = READ(int8_t);
        return true;
    case ACL_INT16:
        value->value.integer = READ(int16_t);
        return true;
    case ACL_INT32:
        value->value.integer = READ(int32_t);
        return true;
    case ACL_INT64:
        value->value.integer = READ(int64_t);
        return true;
    case ACL_BOOL:
        value->value.integer = READ(uint8_t) != 0;
        return true;
    case ACL_UINT8:
        value->value.natural = READ(uint8_t);
        return true;
    case ACL_UINT16:
        value->value.natural = READ(uint16_t);
        return true;
    case ACL_UINT32:
        value->value.natural = READ(uint32_t);
        return true;
    case ACL_UINT64:
        value->value.natural = READ(uint64_t);
        return true;
    case ACL_COMPLEX64: {
        uint32_t part[2];
        memcpy(part, source, sizeof part);
        value->value.complex_[0] = decode_float(part[0], fp32);
        value->value.complex_[1] = decode_float(part[1], fp32);
        return true;
    }
    case ACL_COMPLEX128:
        memcpy(value->value.complex_, source, sizeof value->value.complex_);
        return true;
    case ACL_DT_UNDEFINED:
    case ACL_STRING:
    case ACL_INT4:
    case ACL_UINT1:
    case ACL_COMPLEX32:
        break;
    }
    return false;
}

aclScalar *aclCreateScalar(void *value, aclDataType dataType)
{
    if (lifetime_check() != 0)
        return NULL;
    if (value == NULL) {
        fail(ACLNN_ERR_PARAM_NULLPTR, "aclCreateScalar: value is NULL; the address of a value is expected");
        return NULL;
    }
    struct scalar_value decoded;
    if (!decode(value, dataType, &decoded)) {
        fail(ACLNN_ERR_PARAM_INVALID,
             "aclCreateScalar: dataType is %d (%s); a number type other than INT4, UINT1 and COMPLEX32 is "
             "expected",
             (int)dataType, dtype_name(dataType));
        return NULL;
    }
    struct scalar *scalar = (struct scalar *)handle_acquire(&scalar_table);
    if (scalar == NULL) {
        fail(ACLNN_ERR_INNER, "aclCreateScalar: there is no memory for another scalar");
        return NULL;
    }
    uint64_t bits[2], given[2] = {0, 0};
    memcpy(bits, &decoded.value, sizeof bits);
    uint32_t bytes = dtype_bytes(dataType);
    memcpy(given, value, bytes != 0 ? bytes : 1);
    /* A reader of the last scalar in this slot that sees one of these stores must see that its handle is
     * gone. */
    atomic_thread_fence(memory_order_release);
    STORE(scalar->dtype, (int32_t)dataType);
    STORE(scalar->bits[0], bits[0]);
    STORE(scalar->bits[1], bits[1]);
    STORE(scalar->given[0], given[0]);
    STORE(scalar->given[1], given[1]);
    uint64_t handle = handle_publish(&scalar_table, scalar);
    made(HANDLE_SCALAR, handle, 0, -1, "aclCreateScalar");
    return (aclScalar *)(uintptr_t)handle;
}

bool scalar_destroy(const aclScalar *scalar)
{
    uint64_t handle = (uint64_t)(uintptr_t)scalar;
    struct scalar *object = (struct scalar *)handle_find(&scalar_table, handle);
    if (object == NULL || !handle_retire(object, handle))
        return false;
    handle_release(&scalar_table, object);
    return true;
}

aclnnStatus aclDestroyScalar(const aclScalar *scalar)
{
    if (scalar == NULL)
        return ACLNN_SUCCESS;
    TRY(lifetime_check());
    if (scalar_destroy(scalar))
        return ACLNN_SUCCESS;
    return report_misuse(scalar_rule(scalar), ACLNN_ERR_PARAM_INVALID,
                         "aclDestroyScalar: scalar %s; a scalar or NULL is expected", scalar_fault(scalar));
}

bool scalar_read(const aclScalar *scalar, struct scalar_value *value)
{
    uint64_t handle = (uint64_t)(uintptr_t)scalar;
    const struct scalar *object = (const struct scalar *)handle_find(&scalar_table, handle);
    if (object == NULL)
        return false;
    uint64_t bits[2] = {LOAD(object->bits[0]), LOAD(object->bits[1])};
    value->dtype = (aclDataType)LOAD(object->dtype);
    memcpy(&value->value, bits, sizeof bits);
    return handle_is_live(object, handle);
}

const void *scalar_given(const aclScalar *scalar)
{
    const struct scalar *object =
        (const struct scalar *)handle_find(&scalar_table, (uint64_t)(uintptr_t)scalar);
    return object != NULL ? object->given : NULL;
}

const char *scalar_fault(const aclScalar *scalar)
{
    return handle_fault(&scalar_table, (uint64_t)(uintptr_t)scalar);
}

enum rule scalar_rule(const aclScalar *scalar)
{
    return handle_rule(&scalar_table, (uint64_t)(uintptr_t)scalar);
}
