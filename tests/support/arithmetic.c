/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The contract of Add, Sub, Mul and Div, once more.
 */
#include "support/arithmetic.h"

#include <math.h>
#include <string.h>

#include "acl/acl.h"
#include "support/allowance.h"
#include "support/conversion.h"
#include "support/reference.h"

/* Sums of products of numbers of fp32 fit, or of doubles; a quotient of such sums is no nearer to a tie. */
enum { BITS_NARROW = 2600, BITS_WIDE = 4400, BITS_QUOTIENT = 9000 };

enum kind { TRUTH, INTEGER, REAL_NUMBER, COMPLEX_NUMBER, NO_NUMBER };

static enum kind kind_of(aclDataType dtype)
{
    switch (dtype) {
    case ACL_BOOL:
        return TRUTH;
    case ACL_INT8:
    case ACL_INT16:
    case ACL_INT32:
    case ACL_INT64:
    case ACL_UINT8:
    case ACL_UINT16:
    case ACL_UINT32:
    case ACL_UINT64:
        return INTEGER;
    case ACL_FLOAT:
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_DOUBLE:
        return REAL_NUMBER;
    case ACL_COMPLEX64:
    case ACL_COMPLEX128:
        return COMPLEX_NUMBER;
    default:
        return NO_NUMBER;
    }
}

static bool is_newer_natural(aclDataType dtype)
{
    return dtype == ACL_UINT16 || dtype == ACL_UINT32 || dtype == ACL_UINT64;
}

static bool is_half(aclDataType dtype)
{
    return dtype == ACL_FLOAT16 || dtype == ACL_BF16;
}

static bool is_arithmetic(aclDataType dtype, char product)
{
    return kind_of(dtype) != NO_NUMBER && !is_newer_natural(dtype) && (dtype != ACL_BF16 || product != 'a');
}

static bool is_known(aclDataType dtype, char product)
{
    return kind_of(dtype) != NO_NUMBER && (dtype != ACL_BF16 || product != 'a');
}

static bool casts(aclDataType from, aclDataType to)
{
    return kind_of(from) != NO_NUMBER && kind_of(to) != NO_NUMBER && kind_of(from) <= kind_of(to);
}

aclDataType arithmetic_promoted(aclDataType a, aclDataType b)
{
    if (a == b)
        return a;
    if (is_newer_natural(a) || is_newer_natural(b))
        return ACL_DT_UNDEFINED;
    enum kind kind = kind_of(a) > kind_of(b) ? kind_of(a) : kind_of(b);
    if (kind == COMPLEX_NUMBER) {
        bool is_wide = a == ACL_DOUBLE || b == ACL_DOUBLE || a == ACL_COMPLEX128 || b == ACL_COMPLEX128;
        return is_wide ? ACL_COMPLEX128 : ACL_COMPLEX64;
    }
    if (kind == REAL_NUMBER) {
        if (kind_of(a) != REAL_NUMBER || kind_of(b) != REAL_NUMBER)
            return kind_of(a) == REAL_NUMBER ? a : b;
        return a == ACL_DOUBLE || b == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
    }
    if (kind_of(a) == TRUTH || kind_of(b) == TRUTH)
        return kind_of(a) == TRUTH ? b : a;
    size_t most = conversion_bytes(a) > conversion_bytes(b) ? conversion_bytes(a) : conversion_bytes(b);
    return most == 1 ? ACL_INT16 : most == 2 ? ACL_INT16 : most == 4 ? ACL_INT32 : ACL_INT64;
}

/* Whether a real scalar is a number of the 16-bit float. */
static bool is_number_of(aclDataType half, aclDataType dtype, const void *bytes)
{
    if (kind_of(dtype) == COMPLEX_NUMBER || !is_half(half))
        return true;
    unsigned char narrow[16] = {0};
    long double value;
    if (kind_of(dtype) == REAL_NUMBER) {
        value = (long double)reference_load(dtype, bytes);
    } else if (dtype == ACL_UINT64) {
        uint64_t number;
        memcpy(&number, bytes, sizeof number);
        value = (long double)number;
    } else {
        int64_t number = 0;
        conversion_reference(bytes, dtype, &number, ACL_INT64);
        if (dtype == ACL_INT64)
            memcpy(&number, bytes, sizeof number);
        value = (long double)number;
    }
    if (dtype == half)
        return true;
    conversion_reference(bytes, dtype, narrow, half);
    return isnan(value) || (long double)reference_load(half, narrow) == value;
}

/* The dtype of the computation; ACL_DT_UNDEFINED where there is none. */
static aclDataType computed_in(const struct arithmetic_call *call)
{
    aclDataType self = call->self, other = call->other;
    enum kind kind = kind_of(self), scalar = kind_of(other);
    if (!call->has_scalar)
        return arithmetic_promoted(self, other);
    if (call->product == 'c') {
        if (kind == COMPLEX_NUMBER)
            return self;
        if (scalar == COMPLEX_NUMBER)
            return self == ACL_DOUBLE ? ACL_COMPLEX128 : ACL_COMPLEX64;
        if (kind == REAL_NUMBER) {
            bool has_alpha = call->operation == ARITHMETIC_ADD || call->operation == ARITHMETIC_SUB;
            bool fits = is_number_of(self, other, call->other_bytes) &&
                        (!has_alpha || is_number_of(self, call->alpha, call->alpha_bytes));
            return fits ? self : ACL_FLOAT;
        }
        if (scalar == REAL_NUMBER)
            return ACL_FLOAT;
        return kind == TRUTH ? arithmetic_promoted(self, other) : self;
    }
    if (call->operation == ARITHMETIC_DIV) {
        bool keeps = kind >= REAL_NUMBER || (self == ACL_INT32 && other == ACL_INT32) ||
                     (self == ACL_BOOL && other == ACL_BOOL);
        aclDataType own = keeps ? self : ACL_FLOAT;
        return scalar == COMPLEX_NUMBER ? arithmetic_promoted(own, other) : own;
    }
    if (kind == COMPLEX_NUMBER || scalar == COMPLEX_NUMBER)
        return arithmetic_promoted(self, other);
    if (kind == REAL_NUMBER)
        return call->operation == ARITHMETIC_MUL && self == ACL_BF16 ? ACL_FLOAT : self;
    if (other == ACL_DOUBLE &&
        (call->out == ACL_FLOAT || (call->operation == ARITHMETIC_MUL && kind == TRUTH)))
        return ACL_FLOAT;
    if (scalar == REAL_NUMBER || kind == TRUTH)
        return arithmetic_promoted(self, other);
    return self;
}

bool arithmetic_is_accepted(const struct arithmetic_call *call)
{
    const char product = call->product;
    const bool has_alpha = call->operation == ARITHMETIC_ADD || call->operation == ARITHMETIC_SUB;
    if (!is_arithmetic(call->self, product) || !is_known(call->other, product) ||
        !is_known(call->out, product))
        return false;
    if ((!call->has_scalar || call->operation == ARITHMETIC_DIV) && !is_arithmetic(call->other, product))
        return false;
    aclDataType computed = computed_in(call);
    if (!is_arithmetic(computed, product))
        return false;
    if (has_alpha) {
        if (!is_known(call->alpha, product))
            return false;
        if (computed == ACL_BOOL ? kind_of(call->alpha) > INTEGER : !casts(call->alpha, computed))
            return false;
    }
    if (call->operation == ARITHMETIC_MUL) {
        if (!is_arithmetic(call->out, product))
            return false;
        return call->has_scalar == (product != 'c') || casts(computed, call->out);
    }
    if (call->operation == ARITHMETIC_DIV) {
        if (product == 'c' && kind_of(computed) <= INTEGER)
            return casts(ACL_FLOAT, call->out);
        if (product != 'c' && call->has_scalar)
            return casts(call->self, call->out);
    }
    return casts(computed, call->out);
}

static uint64_t integer_of(aclDataType dtype, const void *element)
{
    int64_t value = 0;
    if (dtype == ACL_INT64 || dtype == ACL_UINT64)
        memcpy(&value, element, sizeof value);
    else
        conversion_reference(element, dtype, &value, ACL_INT64);
    return (uint64_t)value;
}

/* Wraps, as its low bits are all that counts. */
static void integer_element(const struct arithmetic_call *call, aclDataType computed, const void *self,
                            const void *other, void *result)
{
    uint64_t a = integer_of(call->self, self), b = integer_of(call->other, other), alpha = 1;
    if (call->operation == ARITHMETIC_ADD || call->operation == ARITHMETIC_SUB)
        alpha = integer_of(call->alpha, call->alpha_bytes);
    if (computed == ACL_BOOL) {
        bool x = a != 0, y = b != 0 && alpha != 0;
        unsigned char truth = call->operation == ARITHMETIC_MUL   ? x && y
                              : call->operation == ARITHMETIC_SUB ? x != y
                                                                  : x || y;
        memcpy(result, &truth, 1);
        return;
    }
    uint64_t value = call->operation == ARITHMETIC_MUL   ? a * b
                     : call->operation == ARITHMETIC_SUB ? a - alpha * b
                                                         : a + alpha * b;
    memcpy(result, &value, conversion_bytes(computed));
}

/* A complex number; the imaginary part of a real one is +0. */
struct number {
    mpfr_t real, imaginary;
};

static void number_open(struct number *number, mpfr_prec_t bits)
{
    mpfr_init2(number->real, bits);
    mpfr_init2(number->imaginary, bits);
    mpfr_set_zero(number->real, 1);
    mpfr_set_zero(number->imaginary, 1);
}

static void number_close(struct number *number)
{
    mpfr_clear(number->real);
    mpfr_clear(number->imaginary);
}

/* The element cast to the dtype first, which is a float or complex one. */
static void number_load(struct number *number, const void *element, aclDataType dtype, aclDataType to)
{
    unsigned char bytes[16] = {0};
    if (dtype == to)
        memcpy(bytes, element, conversion_bytes(to));
    else
        conversion_reference(element, dtype, bytes, to);
    bool is_complex = kind_of(to) == COMPLEX_NUMBER;
    aclDataType part = to == ACL_COMPLEX64 ? ACL_FLOAT : to == ACL_COMPLEX128 ? ACL_DOUBLE : to;
    mpfr_set_d(number->real, reference_load(part, bytes), MPFR_RNDN);
    if (is_complex)
        mpfr_set_d(number->imaginary, reference_load(part, bytes + conversion_bytes(part)), MPFR_RNDN);
}

static void multiply(struct number *result, const struct number *a, const struct number *b, bool is_complex)
{
    mpfr_t first, second;
    mpfr_inits2(mpfr_get_prec(result->real), first, second, (mpfr_ptr)0);
    mpfr_mul(first, a->real, b->real, MPFR_RNDN);
    mpfr_set(result->real, first, MPFR_RNDN);
    if (is_complex) {
        mpfr_mul(second, a->imaginary, b->imaginary, MPFR_RNDN);
        mpfr_sub(result->real, first, second, MPFR_RNDN);
        mpfr_mul(first, a->real, b->imaginary, MPFR_RNDN);
        mpfr_mul(second, a->imaginary, b->real, MPFR_RNDN);
        mpfr_add(result->imaginary, first, second, MPFR_RNDN);
    }
    mpfr_clears(first, second, (mpfr_ptr)0);
}

static void divide(struct number *result, const struct number *a, const struct number *b, bool is_complex)
{
    if (!is_complex) {
        mpfr_div(result->real, a->real, b->real, MPFR_RNDN);
        return;
    }
    mpfr_t first, second, modulus;
    mpfr_inits2(mpfr_get_prec(result->real), first, second, modulus, (mpfr_ptr)0);
    mpfr_sqr(first, b->real, MPFR_RNDN);
    mpfr_sqr(second, b->imaginary, MPFR_RNDN);
    mpfr_add(modulus, first, second, MPFR_RNDN);
    mpfr_mul(first, a->real, b->real, MPFR_RNDN);
    mpfr_mul(second, a->imaginary, b->imaginary, MPFR_RNDN);
    mpfr_add(first, first, second, MPFR_RNDN);
    mpfr_div(result->real, first, modulus, MPFR_RNDN);
    mpfr_mul(first, a->imaginary, b->real, MPFR_RNDN);
    mpfr_mul(second, a->real, b->imaginary, MPFR_RNDN);
    mpfr_sub(first, first, second, MPFR_RNDN);
    mpfr_div(result->imaginary, first, modulus, MPFR_RNDN);
    mpfr_clears(first, second, modulus, (mpfr_ptr)0);
}

static void add(struct number *result, const struct number *self, const struct number *other,
                const struct number *alpha, bool subtracts, bool is_complex)
{
    struct number product;
    number_open(&product, mpfr_get_prec(result->real));
    bool is_one =
        mpfr_number_p(alpha->real) && mpfr_cmp_ui(alpha->real, 1) == 0 && mpfr_zero_p(alpha->imaginary);
    if (is_one) {
        mpfr_set(product.real, other->real, MPFR_RNDN);
        mpfr_set(product.imaginary, other->imaginary, MPFR_RNDN);
    } else {
        multiply(&product, alpha, other, is_complex);
    }
    int (*combine)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t) = subtracts ? mpfr_sub : mpfr_add;
    combine(result->real, self->real, product.real, MPFR_RNDN);
    combine(result->imaginary, self->imaginary, product.imaginary, MPFR_RNDN);
    number_close(&product);
}

/* A scalar in the dtype of the computation: FLOAT beside 16 bits. */
static aclDataType scalar_dtype(aclDataType computed)
{
    return is_half(computed) ? ACL_FLOAT : computed;
}

/* The other operand, where that is a scalar. It is rounded to 16 bits where it is added to them or taken
 * away, but for the newest product. */
static void load_scalar(struct number *number, const struct arithmetic_call *call, aclDataType computed,
                        const void *other)
{
    const bool is_sum = call->operation == ARITHMETIC_ADD || call->operation == ARITHMETIC_SUB;
    unsigned char narrow[16] = {0};
    if (!is_sum || call->product == 'c' || !is_half(computed)) {
        number_load(number, other, call->other, scalar_dtype(computed));
        return;
    }
    conversion_reference(other, call->other, narrow, computed);
    number_load(number, narrow, computed, computed);
}

/* The magnitude of the parts together. */
static double size_of(const double *number)
{
    return fabs(number[0]) + fabs(number[1]);
}

/*
 * What docs/accuracy.md allows parts of complex numbers: units in the last place, and 2^-100 of the largest
 * term; where a product is infinite, the formula's steps.
 */
static void allow_complex(const struct arithmetic_call *call, aclDataType computed, const double *a,
                          const double *b, const double *alpha, const void *result,
                          struct allowance *allowance)
{
    const bool is_wide = computed == ACL_COMPLEX128, is_quotient = call->operation == ARITHMETIC_DIV;
    const bool is_sum = !is_quotient && call->operation != ARITHMETIC_MUL;
    const double sign = call->operation == ARITHMETIC_SUB ? -1 : 1;
    const double *first = is_sum ? alpha : a;
    double terms = size_of(first) * size_of(b);
    allow_units(allowance, is_wide && is_quotient ? 4 : 1, result, computed);
    if (is_sum)
        terms += size_of(a);
    double slack = isfinite(terms) ? 4 * terms * 0x1p-100 : 0;
    if (is_wide && terms < 0x1p-900)
        slack += 0x1p-1072; /* products lose bits below the least number */
    if (is_wide && terms > 0x1p+1000 && isfinite(terms))
        slack += terms * 0x1p-52; /* and next to the greatest one what rounding took */
    if (is_quotient)
        slack = size_of(a) * 0x1p-98 / size_of(b); /* infinite only far beside what is infinite itself */
    if (isnan(slack))
        slack = 0;
    allowance->error[0] += slack;
    allowance->error[1] += slack;
    if (is_quotient || isfinite(terms))
        return;
    allowance->has_steps = true;
    allowance->steps[0] = first[0] * b[0] - first[1] * b[1];
    allowance->steps[1] = first[0] * b[1] + first[1] * b[0];
    if (is_sum) {
        allowance->steps[0] = a[0] + sign * allowance->steps[0];
        allowance->steps[1] = a[1] + sign * allowance->steps[1];
    }
}

static void get_doubles(double *part, const struct number *number)
{
    part[0] = mpfr_get_d(number->real, MPFR_RNDN);
    part[1] = mpfr_get_d(number->imaginary, MPFR_RNDN);
}

static void float_element(const struct arithmetic_call *call, aclDataType computed, const void *self,
                          const void *other, void *result, struct allowance *allowance)
{
    const bool is_complex = kind_of(computed) == COMPLEX_NUMBER;
    const bool is_wide = computed == ACL_DOUBLE || computed == ACL_COMPLEX128;
    const mpfr_prec_t bits = !is_wide                                          ? BITS_NARROW
                             : is_complex && call->operation == ARITHMETIC_DIV ? BITS_QUOTIENT
                                                                               : BITS_WIDE;
    struct number a, b, alpha, value;
    number_open(&a, bits);
    number_open(&b, bits);
    number_open(&alpha, bits);
    number_open(&value, bits);
    number_load(&a, self, call->self, computed);
    if (call->has_scalar)
        load_scalar(&b, call, computed, other);
    else
        number_load(&b, other, call->other, computed);
    if (call->operation == ARITHMETIC_MUL) {
        multiply(&value, &a, &b, is_complex);
    } else if (call->operation == ARITHMETIC_DIV) {
        divide(&value, &a, &b, is_complex);
    } else {
        number_load(&alpha, call->alpha_bytes, call->alpha, scalar_dtype(computed));
        add(&value, &a, &b, &alpha, call->operation == ARITHMETIC_SUB, is_complex);
    }
    aclDataType part = computed == ACL_COMPLEX64    ? ACL_FLOAT
                       : computed == ACL_COMPLEX128 ? ACL_DOUBLE
                                                    : computed;
    reference_store(part, value.real, result);
    if (is_complex) {
        double numbers[3][2];
        reference_store(part, value.imaginary, (unsigned char *)result + conversion_bytes(part));
        get_doubles(numbers[0], &a);
        get_doubles(numbers[1], &b);
        get_doubles(numbers[2], &alpha);
        allow_complex(call, computed, numbers[0], numbers[1], numbers[2], result, allowance);
    }
    number_close(&a);
    number_close(&b);
    number_close(&alpha);
    number_close(&value);
}

/* The quotient of integers, of which INT64 holds all, in FLOAT. */
static void integer_quotient(const struct arithmetic_call *call, const void *self, const void *other,
                             void *result)
{
    int64_t a = (int64_t)integer_of(call->self, self), b = (int64_t)integer_of(call->other, other);
    mpfr_t quotient, divisor;
    mpfr_inits2(BITS_NARROW, quotient, divisor, (mpfr_ptr)0);
    mpfr_set_sj(quotient, a, MPFR_RNDN);
    mpfr_set_sj(divisor, b, MPFR_RNDN);
    mpfr_div(quotient, quotient, divisor, MPFR_RNDN);
    reference_store(ACL_FLOAT, quotient, result);
    mpfr_clears(quotient, divisor, (mpfr_ptr)0);
}

void arithmetic_element(const struct arithmetic_call *call, const void *self, const void *other, void *out)
{
    unsigned char result[16] = {0};
    struct allowance allowance = {.has_steps = false};
    aclDataType computed = computed_in(call);
    bool are_integers = kind_of(call->self) <= INTEGER && kind_of(call->other) <= INTEGER;
    if (call->operation == ARITHMETIC_DIV && are_integers) {
        computed = ACL_FLOAT;
        integer_quotient(call, self, other, result);
    } else if (kind_of(computed) <= INTEGER) {
        integer_element(call, computed, self, other, result);
    } else {
        /* A 16-bit tensor that a scalar makes compute in FLOAT: rounded once where it goes back. */
        if (call->has_scalar && computed == ACL_FLOAT && is_half(call->self) && call->out == call->self)
            computed = call->self;
        float_element(call, computed, self, other, result, &allowance);
    }
    store_unless_allowed(result, computed, &allowance, out, call->out);
}

char arithmetic_product(void)
{
    const char *name = aclrtGetSocName();
    return strstr(name, "950") != NULL ? 'c' : strstr(name, "910A") != NULL ? 'a' : 'b';
}
