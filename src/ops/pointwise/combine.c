/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums with a product or a quotient, and what lies between two numbers: Addcmul, Addcdiv, Addr, Lerp, Lerps,
 * Rsub, Rsubs, AddV3, AddRelu and MaskedScale. In doubles each step errs by 2^-53 of its result, which FLOAT does
 * not see; DOUBLE is computed in pairs, as terms that cancel would leave nothing but errors. Where one is no
 * number, neither is a pair, and doubles tell the limit.
 */
#include "ops/pointwise/arithmetic.h"
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include "simd/loops/complex.h"
#include "simd/loops/blocks.h"
#include "simd/loops/formula_integers.h"
#include "simd/maths/series.h"

static inline struct pair alone(doubles x)
{
    return (struct pair){x, broadcast(0)};
}

/* The pair's value, or plain where that has none; and where both are 0, as pairs lose the sign. */
static inline doubles value_or(struct pair pair, doubles plain)
{
    doubles value = pair.high + pair.low;
    return choose((absolute(value) < (double)INFINITY) & ((value != 0) | (plain != 0)), value, plain);
}

/* x[0] + n[0] x[1] x[2] */
static inline doubles formula_addcmul(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    return x[0] + number[0] * x[1] * x[2];
}

static inline doubles formula_addcmul_wide(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    struct pair product = pair_multiply(two_product(broadcast(number[0]), x[1]), alone(x[2]));
    return value_or(pair_add(alone(x[0]), product), formula_addcmul(x, number));
}

static inline vector fp32_addcmul(const vector *x, const void *prepared)
{
    const double *number = prepared;
    return number[0] == 1 ? fused(x[1], x[2], x[0]) : fp32_by_doubles(x, 3, formula_addcmul, number);
}

static inline int64_t integer_addcmul(const int64_t *x, const int64_t *number)
{
    return (int64_t)((uint64_t)x[0] + (uint64_t)number[0] * (uint64_t)x[1] * (uint64_t)x[2]);
}

/* n[0] x[0] + n[1] x[1] x[2]; n[0] = 0 leaves x[0] out, whatever it is. */
static inline doubles formula_addr(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const doubles product = number[1] * x[1] * x[2];
    return number[0] == 0 ? product : number[0] * x[0] + product;
}

static inline doubles formula_addr_wide(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    struct pair product = pair_multiply(two_product(broadcast(number[1]), x[1]), alone(x[2]));
    struct pair sum = number[0] == 0 ? product : pair_add(two_product(broadcast(number[0]), x[0]), product);
    return value_or(sum, formula_addr(x, number));
}

static inline int64_t integer_addr(const int64_t *x, const int64_t *number)
{
    return (int64_t)((uint64_t)number[0] * (uint64_t)x[0] +
                     (uint64_t)number[1] * (uint64_t)x[1] * (uint64_t)x[2]);
}

/* x[0] + n[0] x[1] / x[2] */
static inline doubles formula_addcdiv(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    return x[0] + number[0] * x[1] / x[2];
}

static inline longs is_moderate(doubles x)
{
    return (absolute(x) > 0x1p-400) & (absolute(x) < 0x1p400);
}

/* Far from the ends of the range the rest of a quotient is exact, and so the same on every level. */
static inline doubles formula_addcdiv_wide(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const doubles plain = formula_addcdiv(x, number);
    struct pair product = two_product(broadcast(number[0]), x[1]);
    struct pair quotient = quotient_of_pairs(product, alone(x[2]));
    doubles value = value_or(pair_add(alone(x[0]), quotient), plain);
    return choose(is_moderate(product.high) & is_moderate(x[2]), value, plain);
}

/* In doubles, without their fraction; what is no number becomes 0, and what is too large the nearest. */
static inline int64_t integer_addcdiv(const int64_t *x, const int64_t *number)
{
    const double value = (double)x[0] + (double)number[0] * ((double)x[1] / (double)x[2]);
    return value != value ? 0 : value >= 0x1p63 ? INT64_MAX : value < -0x1p63 ? INT64_MIN : (int64_t)value;
}

/* x[0] + x[2] (x[1] - x[0]), from the nearer end; at 1 the other one. */
static inline doubles formula_lerp(const doubles *x, const void *prepared)
{
    doubles way = x[1] - x[0];
    return choose(absolute(x[2]) < 0.5, x[0] + x[2] * way, x[1] - way * (1 - x[2]));
}

static inline doubles formula_lerp_wide(const doubles *x, const void *prepared)
{
    struct pair way = pair_multiply(two_sum(x[1], -x[0]), alone(x[2]));
    return value_or(pair_add(alone(x[0]), way), formula_lerp(x, prepared));
}

/* The same with one weight for all. It is compared by its bits, which compilers do before a loop: a comparison of doubles
 * might raise a flag. */
static inline doubles formula_lerps(const doubles *x, const void *prepared)
{
    const double weight = *(const double *)prepared, half = 0.5;
    const doubles way = x[1] - x[0];
    uint64_t bits, bits_of_half;
    memcpy(&bits, &weight, sizeof bits);
    memcpy(&bits_of_half, &half, sizeof half);
    return (bits & INT64_MAX) < bits_of_half ? x[0] + weight * way : x[1] - way * (1 - weight);
}

static inline doubles formula_lerps_wide(const doubles *x, const void *prepared)
{
    const doubles given[] = {x[0], x[1], broadcast(*(const double *)prepared)};
    return formula_lerp_wide(given, prepared);
}

/* a * b + c, rounded once: by the processor, or lane by lane by the C library, which is exact, too. */
static inline doubles fused_doubles(doubles a, doubles b, doubles c)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
    return (doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    doubles result = c;
    for (int i = 0; i < LANES; i++)
        result[i] = fma(a[i], b[i], c[i]);
    return result;
#endif
}

/* x[1] - n[0] x[0], rounded to odd: doubles have the product of two numbers of fp32. */
static inline doubles formula_rsub(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    struct pair sum = two_sum(x[1], -number[0] * x[0]);
    return choose(sum.low == sum.low, round_to_odd(sum.high, sum.low), sum.high); /* infinities lose NaN */
}

static inline doubles formula_rsub_wide(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    return fused_doubles(broadcast(-number[0]), x[0], x[1]);
}

/* x[1] + n[0] x[0] */
static inline doubles formula_add_v3(const doubles *x, const void *prepared)
{
    const double negative = -*(const double *)prepared;
    return formula_rsub(x, &negative);
}

static inline doubles formula_add_v3_wide(const doubles *x, const void *prepared)
{
    return fused_doubles(broadcast(*(const double *)prepared), x[0], x[1]);
}

static inline int64_t integer_add_v3(const int64_t *x, const int64_t *number)
{
    return (int64_t)((uint64_t)x[1] + (uint64_t)number[0] * (uint64_t)x[0]);
}

static inline int64_t integer_rsub(const int64_t *x, const int64_t *number)
{
    return (int64_t)((uint64_t)x[1] - (uint64_t)number[0] * (uint64_t)x[0]);
}

/* +0 where the sum is 0 or below. */
static inline doubles positive(doubles sum)
{
    return choose(sum <= 0, broadcast(0), sum);
}

/* x[0] + n[0] x[1] above 0, rounded once. */
static inline doubles formula_add_relu(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const double negative = -number[0];
    return positive(formula_rsub((const doubles[]){x[1], x[0]}, &negative));
}

static inline doubles formula_add_relu_wide(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    return positive(fused_doubles(broadcast(number[0]), x[1], x[0]));
}

/* x[0] x[1] n[0] */
static inline doubles formula_masked_scale(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    return x[0] * x[1] * number[0];
}

/* The sum wraps in its dtype, and is compared with 0 then. */
static inline int64_t integer_add_relu(const int64_t *x, const int64_t *number)
{
    return (int64_t)((uint64_t)x[0] + (uint64_t)number[0] * (uint64_t)x[1]);
}

static inline int64_t where_positive(bool is_positive, int64_t sum)
{
    return is_positive ? sum : 0;
}

#define POSITIVE_SUMS(type)                            \
    static inline int64_t positive_##type(int64_t sum) \
    {                                                  \
        return where_positive((type)sum > 0, sum);     \
    }                                                  \
    FORMULA_INTEGER(add_relu, 2, type, FORMULA_ITSELF, positive_##type)
POSITIVE_SUMS(int8_t)
POSITIVE_SUMS(int16_t)
POSITIVE_SUMS(int32_t)
POSITIVE_SUMS(int64_t)
POSITIVE_SUMS(uint8_t)

FORMULA_INTEGERS(addcmul, 3)
FORMULA_INTEGERS(addcdiv, 3)
FORMULA_INTEGERS(addr, 3)
FORMULA_INTEGER(addr, 3, truth_t, FORMULA_TRUTH, FORMULA_TRUTH) /* either term */
FORMULA_INTEGERS(rsub, 2)
FORMULA_INTEGERS(add_v3, 2)
FORMULA_KERNELS_BESIDE(addcmul, (INTEGERS_OF(addcmul)), 3, .doubles = formula_addcmul,
                       .wide = formula_addcmul_wide, .floats = fp32_addcmul)
FORMULA_KERNELS_BESIDE(addcdiv, (INTEGERS_OF(addcdiv)), 3, .doubles = formula_addcdiv,
                       .wide = formula_addcdiv_wide)
FORMULA_KERNELS_BESIDE(addr, (INTEGERS_OF(addr), BOOL_OF(addr)), 3, .doubles = formula_addr,
                       .wide = formula_addr_wide)
FORMULA_KERNELS(lerp, 3, .doubles = formula_lerp, .wide = formula_lerp_wide, .floats_by_doubles = true)
FORMULA_KERNELS(lerps, 2, .doubles = formula_lerps, .wide = formula_lerps_wide, .floats_by_doubles = true)
FORMULA_KERNELS_BESIDE(add_relu, (INTEGERS_OF(add_relu)), 2, .doubles = formula_add_relu,
                       .wide = formula_add_relu_wide)
FORMULA_KERNELS_BESIDE(add_v3, (INTEGERS_OF(add_v3)), 2, .doubles = formula_add_v3,
                       .wide = formula_add_v3_wide)
FORMULA_KERNELS(masked_scale, 2, .doubles = formula_masked_scale)

/* other - alpha self, or without a product. */
static inline void rsub_of_complex(bool is_wide, doubles (*input)[PARTS], doubles *result,
                                   const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    const doubles alpha[PARTS] = {broadcast(parameters->alpha[REAL]),
                                  broadcast(parameters->alpha[IMAGINARY])};
    if (parameters->alpha_is_one)
        for (int part = 0; part < PARTS; part++)
            result[part] = input[1][part] - input[0][part];
    else
        complex_product(is_wide, input[1], -1, alpha, input[0], result);
}

COMPLEX_KERNEL_OF(rsub_complex64, false, 2, rsub_of_complex, arithmetic_scalar(parameters))
COMPLEX_KERNEL_OF(rsub_complex128, true, 2, rsub_of_complex, arithmetic_scalar(parameters))
FORMULA_KERNELS_BESIDE(
    rsub,
    (INTEGERS_OF(rsub), [ARITHMETIC_COMPLEX64] = rsub_complex64, [ARITHMETIC_COMPLEX128] = rsub_complex128),
    2, .doubles = formula_rsub, .wide = formula_rsub_wide)

#else

/* The contract. */
#include "aclnnop/aclnn_add_relu.h"
#include "aclnnop/aclnn_add_v3.h"
#include "aclnnop/aclnn_addcdiv.h"
#include "aclnnop/aclnn_addcmul.h"
#include "aclnnop/aclnn_addr.h"
#include "aclnnop/aclnn_lerp_scalar.h"
#include "aclnnop/aclnn_lerp_tensor.h"
#include "aclnnop/aclnn_masked_scale.h"
#include "aclnnop/aclnn_rsub.h"
#include "ops/dtypes.h"
#include "ops/pointwise/forms.h"

FORMULA(addcmul, .out = DTYPE_CASTABLE, .broadcasts = true,
        .computes = &dtypes_floats_int8_int32_int64_uint8);
FORMULA(addcdiv, .out = DTYPE_CASTABLE, .broadcasts = true, .computes = &dtypes_floats_int64);
FORMULA(lerp, .out = DTYPE_EQUAL, .broadcasts = true, .is_of_one_dtype = true);
FORMULA(rsub, .out = DTYPE_CASTABLE, .broadcasts = true, .casts_scalars = true);
FORMULA(lerps, .out = DTYPE_ANY, .broadcasts = true, .is_of_one_dtype = true);
FORMULA_BY(rsubs, rsub, 1500, .out = DTYPE_CASTABLE, .inputs = 2, .casts_scalars = true, .is_sum = true,
           .dtype = formula_beside_scalar);

/* (self, tensor1, tensor2, value), with an output and in place. */
#define ADD_SCALED(name, stem, dtypes)                                                       \
    FORM(name, stem, stem, ulp1, formula_infer, (IN, self, &dtypes), (IN, tensor1, &dtypes), \
         (IN, tensor2, &dtypes), REAL(value, "1"), (OUT, out, &dtypes_all));
#define ADD_SCALED_IN_PLACE(name, stem, dtypes)                                                   \
    FORM(name, stem, stem, ulp1, formula_infer, (BOTH, selfRef, &dtypes), (IN, tensor1, &dtypes), \
         (IN, tensor2, &dtypes), REAL(value, "1"));

ADD_SCALED(aclnnAddcmul, addcmul, dtypes_floats_int8_int32_int64_uint8)
ADD_SCALED_IN_PLACE(aclnnInplaceAddcmul, addcmul, dtypes_floats_int8_int32_int64_uint8)
ADD_SCALED(aclnnAddcdiv, addcdiv, dtypes_floats_int64)
ADD_SCALED_IN_PLACE(aclnnInplaceAddcdiv, addcdiv, dtypes_floats_int64)

FORMULA(addr, .out = DTYPE_CASTABLE, .broadcasts = true, .casts_scalars = true);

enum { ADDR_SELF, VEC1, VEC2, BETA, ALPHA };

/* Whether an integer scales BOOL: it counts as it does in Add, by whether it is not 0. */
static bool scales_truth(const struct call *call, unsigned parameter)
{
    for (unsigned i = ADDR_SELF; i <= VEC2; i++)
        if (call_dtype(call, i) != ACL_BOOL)
            return false;
    return dtype_is_one_of(call->scalar[parameter].dtype, DTYPES_INTEGERS);
}

/* vec1 as a column, which broadcasts with vec2 as a row; and 1 for numbers that were not given. */
static void set_columns(const struct call *call, struct call *wider)
{
    *wider = *call;
    wider->is_uniform = false;
    wider->tensor[VEC1].rank = 2;
    wider->tensor[VEC1].shape[1] = 1;
    wider->tensor[VEC1].stride[1] = 0;
    for (unsigned i = BETA; i <= ALPHA; i++)
        if (!call_has(call, i)) {
            wider->scalar[i] = (struct scalar_value){.dtype = ACL_BOOL, .value.integer = 1};
            wider->given |= UINT64_C(1) << i;
        } else if (scales_truth(call, i)) {
            wider->scalar[i] =
                (struct scalar_value){.dtype = ACL_BOOL, .value.integer = call->scalar[i].value.integer != 0};
        }
}

static aclnnStatus infer_addr(const struct call *call, struct result *result)
{
    const struct tensor_view *view = call->tensor;
    for (unsigned i = ADDR_SELF; i <= VEC2; i++)
        TRY(check_dtype(call, i));
    if (view[ADDR_SELF].rank > 2 || view[VEC1].rank != 1 || view[VEC2].rank != 1)
        return refuse(call, "%s, vec1 and vec2 have %u, %u and %u dims; 2 at most, 1 and 1 are expected",
                      call_name(call, ADDR_SELF), view[ADDR_SELF].rank, view[VEC1].rank, view[VEC2].rank);
    struct call wider;
    set_columns(call, &wider);
    TRY(formula_infer(&wider, result));
    for (unsigned i = BETA; i <= ALPHA; i++)
        if (call_has(call, i) && call->scalar[i].dtype == ACL_BOOL && result->computed != ACL_BOOL)
            return refuse(call, "%s is BOOL beside numbers; a number is expected", call_name(call, i));
    const struct shape *shape = &result->output[0].shape;
    if (shape->dim[0] != view[VEC1].shape[0] || shape->dim[1] != view[VEC2].shape[0])
        return refuse(call,
                      "%s is larger than the product of vec1 and vec2; one that broadcasts to it is expected",
                      call_name(call, ADDR_SELF));
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_addr(const struct call *call, const struct result *result)
{
    struct call wider;
    set_columns(call, &wider);
    return formula_plan(&wider, result);
}

#define VECTORS                                                                                        \
    (IN, vec1, &dtypes_floats_integers_bool, .sample = "2"),                                           \
        (IN, vec2, &dtypes_floats_integers_bool, .sample = "3"),                                       \
        (SCALAR, betaOptional, &dtypes_floats_integers_bool, .usual = "1:INT64", .is_optional = true), \
        (SCALAR, alphaOptional, &dtypes_floats_integers_bool, .usual = "1:INT64", .is_optional = true)
#define ADDED &dtypes_floats_integers_bool, .sample = "2x3", .is_partly_read = true
FORM_PLANNED(aclnnAddr, addr, addr, ulp1, infer_addr, plan_addr, (IN, self, ADDED), VECTORS,
             (OUT, out, &dtypes_all));
FORM_PLANNED(aclnnInplaceAddr, addr, addr, ulp1, infer_addr, plan_addr, (BOTH, selfRef, ADDED), VECTORS);

FORM(aclnnLerp, lerp_tensor, lerp, ulp1, formula_infer, WIDE(self), WIDE(end), WIDE(weight),
     (OUT, out, &dtypes_floats));
FORM(aclnnInplaceLerp, lerp_tensor, lerp, ulp1, formula_infer, (BOTH, selfRef, &dtypes_floats), WIDE(end),
     WIDE(weight));
FORM(aclnnLerps, lerp_scalar, lerps, ulp1, formula_infer, WIDE(self), WIDE(end), REAL(weight, "0.5"),
     (OUT, out, &dtypes_floats));
FORM(aclnnInplaceLerps, lerp_scalar, lerps, ulp1, formula_infer, (BOTH, selfRef, &dtypes_floats), WIDE(end),
     REAL(weight, "0.5"));

/* Complex numbers take their scalars as Sub does. */
static aclnnStatus plan_rsub(const struct call *call, const struct result *result)
{
    enum { OTHER = 1, ALPHA_OF_SELF = 2 };
    if (!dtype_is_one_of(result->computed, DTYPES_COMPLEX))
        return formula_plan(call, result);
    struct arithmetic_parameters parameters =
        arithmetic_sum(&call->scalar[ALPHA_OF_SELF], result->computed, false);
    if (call->function->parameter[OTHER].kind == PARAMETER_SCALAR)
        arithmetic_set_scalar(&parameters, &call->scalar[OTHER], result->computed);
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

#define RSUB_ALPHA (SCALAR, alpha, &dtypes_floats_integers_bool_complex, .usual = "1:INT64")
FORM_PLANNED(aclnnRsub, rsub, rsub, exact, formula_infer, plan_rsub,
             (IN, self, &dtypes_floats_integers_complex), (IN, other, &dtypes_floats_integers_complex),
             RSUB_ALPHA, (OUT, out, &dtypes_all));
FORM_PLANNED(aclnnRsubs, rsub, rsubs, exact, formula_infer, plan_rsub,
             (IN, self, &dtypes_floats_integers_complex), (SCALAR, other, &dtypes_floats_integers_complex),
             RSUB_ALPHA, (OUT, out, &dtypes_all));

FORMULA(add_v3, .out = DTYPE_CASTABLE, .inputs = 2, .casts_scalars = true, .is_sum = true,
        .dtype = formula_beside_scalar);
FORM(aclnnAddV3, add_v3, add_v3, exact, formula_infer, (SCALAR, self, &dtypes_floats_integers),
     (IN, other, &dtypes_floats_integers), REAL(alpha, "1:INT64"), (OUT, out, &dtypes_floats_integers));

FORMULA(add_relu, .out = DTYPE_CASTABLE, .broadcasts = true, .casts_scalars = true);
FORM(aclnnAddRelu, add_relu, add_relu, exact, formula_infer, (IN, self, &dtypes_floats_integers),
     (IN, other, &dtypes_floats_integers), REAL(alpha, "1:INT64"), (OUT, out, &dtypes_floats_integers));
FORM(aclnnInplaceAddRelu, add_relu, add_relu, exact, formula_infer, (BOTH, selfRef, &dtypes_floats_integers),
     (IN, other, &dtypes_floats_integers), REAL(alpha, "1:INT64"));

FORMULA(masked_scale, .out = DTYPE_CASTABLE);
FORM(aclnnMaskedScale, masked_scale, masked_scale, ulp1, formula_infer, FLOATS(self),
     (IN, mask, &dtypes_fp32_fp16_bf16_int8_uint8_bool), (DOUBLE, scale, .usual = "2"),
     (OUT, y, &dtypes_fp32_fp16_bf16));

#endif
