/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * check_results OPERATOR X RESULT: compares an operator's results, computed as scripts/demo.sh does it, with
 * the documented formula evaluated in long double. It shares the reading of files with the command and
 * nothing with the operators.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tensor/dtype.h"
#include "tools/specification.h"

/* Rounding the exact result to nearest is off by half a unit; the long double may be off by a little itself.
 */
static const long double LIMIT = 0.501L;

/* Significant bits and the exponents of the smallest and the largest unit in the last place. */
struct format {
    aclDataType dtype;
    int bits, least_unit, greatest_unit;
};

static const struct format formats[] = {
    {ACL_FLOAT16, 11, -24, 5},
    {ACL_BF16, 8, -133, 120},
    {ACL_FLOAT, 24, -149, 104},
    {ACL_DOUBLE, 53, -1074, 971},
};

/* gradOutput = self = x. */
static long double hardswish_backward(long double x)
{
    return x * (x < -3 ? 0 : x > 3 ? 1 : x / 3 + 0.5L);
}

static long double silu_backward(long double x)
{
    if (isinf(x))
        return (long double)NAN;
    long double sigma = 1 / (1 + expl(-x)), rest = 1 / (1 + expl(x));
    return x * sigma * (1 + x * rest);
}

/* gradOut = self = x, target = 1, beta = 1, mean. */
static long double smooth_l1_loss_backward(long double x, size_t count)
{
    long double d = x - 1;
    long double r = fabsl(d) < 1 || isnan(d) ? d : copysignl(1, d);
    return x * r / (long double)count;
}

/* The slope is rounded to fp32 for all dtypes but DOUBLE. */
static long double leaky_relu_backward(long double x, aclDataType dtype)
{
    double slope = dtype == ACL_DOUBLE ? 0.01 : (double)0.01f;
    return x > 0 ? x : x * (long double)slope;
}

static bool compute(const char *name, long double x, size_t count, aclDataType dtype, long double *exact)
{
    if (strcmp(name, "aclnnHardswishBackward") == 0)
        *exact = hardswish_backward(x);
    else if (strcmp(name, "aclnnSiluBackward") == 0)
        *exact = silu_backward(x);
    else if (strcmp(name, "aclnnSmoothL1LossBackward") == 0)
        *exact = smooth_l1_loss_backward(x, count);
    else if (strcmp(name, "aclnnLeakyReluBackward") == 0)
        *exact = leaky_relu_backward(x, dtype);
    else
        return false;
    return true;
}

/* How far the result is from the exact value, in units in the last place of the exact value; infinite where
 * one of them is special and the other is not the same. */
static long double error_in_units(const struct format *format, long double exact, long double result)
{
    if (isnan(exact) || isnan(result))
        return isnan(exact) && isnan(result) ? 0 : (long double)INFINITY;
    /* The next number after the greatest would be this one; half way to it rounding goes to infinity. */
    long double beyond = ldexpl(1, format->greatest_unit + format->bits);
    if (isinf(exact))
        return exact == result ? 0 : (long double)INFINITY;
    if (isinf(result))
        result = copysignl(beyond, result);
    if (exact == 0)
        return result == 0 && !signbit(exact) == !signbit(result) ? 0 : (long double)INFINITY;
    int exponent;
    frexpl(exact, &exponent);
    int unit = exponent - format->bits;
    unit = unit < format->least_unit ? format->least_unit : unit;
    unit = unit > format->greatest_unit ? format->greatest_unit : unit;
    if (result == 0 && !signbit(exact) != !signbit(result))
        return (long double)INFINITY;
    return fabsl(ldexpl(exact - result, -unit));
}

/* Where an array keeps the element that is number index when the last dim runs fastest. */
static size_t place(const struct array *array, size_t index)
{
    if (!array->is_fortran_order)
        return index;
    size_t at = 0, stride = array_count(array);
    for (uint32_t axis = array->rank; axis-- > 0;) {
        size_t dim = (size_t)array->shape[axis];
        stride /= dim;
        at += index % dim * stride;
        index /= dim;
    }
    return at;
}

int main(int argc, char **argv)
{
    struct fault fault;
    struct array x, result;
    if (argc != 4) {
        fprintf(stderr, "Usage: check_results OPERATOR X RESULT\n");
        return 2;
    }
    if (!array_read(argv[2], ACL_FLOAT, &x, &fault) || !array_read(argv[3], ACL_FLOAT, &result, &fault)) {
        fprintf(stderr, "check_results: %s\n", fault.text);
        return 2;
    }
    const struct format *format = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].dtype == result.dtype)
            format = &formats[i];
    size_t count = array_count(&x), wrong = 0;
    long double greatest = 0;
    if (!format || count != array_count(&result)) {
        fprintf(stderr, "check_results: %s and %s do not belong together\n", argv[2], argv[3]);
        return 2;
    }
    for (size_t i = 0; i < count; i++) {
        long double exact;
        long double input =
            (long double)element_real((char *)x.data + place(&x, i) * dtype_bytes(x.dtype), x.dtype);
        long double output =
            (long double)element_real((char *)result.data + i * dtype_bytes(result.dtype), result.dtype);
        if (!compute(argv[1], input, count, x.dtype, &exact)) {
            fprintf(stderr, "check_results: there is no formula for %s\n", argv[1]);
            return 2;
        }
        long double error = error_in_units(format, exact, output);
        bool is_wrong = !(error <= LIMIT);
        greatest = error > greatest ? error : greatest;
        if (i < 4 || (is_wrong && wrong < 4))
            printf("  x %14.8Lg  result %14.8Lg  formula %14.8Lg%s\n", input, output, exact,
                   is_wrong ? "  WRONG" : "");
        wrong += is_wrong;
    }
    printf("  %zu of %zu results are wrong; greatest error %.3Lf units in the last place (%s)\n", wrong,
           count, greatest, dtype_name(result.dtype));
    array_destroy(&x);
    array_destroy(&result);
    return wrong != 0;
}
