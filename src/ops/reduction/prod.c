/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The product of all elements, or of those along a dim, cast to a dtype: of floats and complex numbers in
 * doubles in the order of reductions, of integers with wrap, of BOOL whether all are true; of nothing 1.
 */
#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/reduce.h"

static inline longs multiply_floats(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return (longs)((doubles)state * (doubles)input[0]);
}

static inline longs merge_floats(longs state, longs other)
{
    return (longs)((doubles)state * (doubles)other);
}

static inline longs merge_integers(longs state, longs other)
{
    return (longs)((ulongs)state * (ulongs)other); /* which wraps */
}

static inline longs multiply_integers(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return merge_integers(state, input[0]);
}

/* Complex states begin as 0 in all words: the real part is kept apart from the bits of 1. */
static inline longs ones(void)
{
    longs bits;
    for (int i = 0; i < LANES; i++)
        bits[i] = i % 2 == 0 ? INT64_C(0x3ff0000000000000) : 0;
    return bits;
}

/* Each even lane twice, each odd one twice, and pairs turned. */
static inline longs of_pairs(longs v, int even, int odd)
{
    longs result;
    for (int i = 0; i < LANES; i += 2) {
        result[i] = v[i + even];
        result[i + 1] = v[i + odd];
    }
    return result;
}

/* (a + b i)(c + d i) = (a c - b d) + (a d + b c) i */
static inline longs product_of_pairs(longs x, longs y)
{
    const ulongs sign = (ulongs)(ones() != 0) & (UINT64_C(1) << 63);
    const doubles direct = (doubles)of_pairs(x, 0, 0) * (doubles)y;
    const doubles crossed = (doubles)of_pairs(x, 1, 1) * (doubles)of_pairs(y, 1, 0);
    return (longs)(direct + (doubles)((ulongs)crossed ^ sign));
}

static inline longs multiply_complex(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return product_of_pairs(state ^ ones(), input[0]) ^ ones();
}

static inline longs merge_complex(longs state, longs other)
{
    return product_of_pairs(state ^ ones(), other ^ ones()) ^ ones();
}

static const struct reduce_steps floats_steps = {.step = multiply_floats, .merge = merge_floats, .inputs = 1};
static const struct reduce_steps integers_steps = {
    .step = multiply_integers, .merge = merge_integers, .inputs = 1};
static const struct reduce_steps complex_steps = {
    .step = multiply_complex, .merge = merge_complex, .inputs = 1};

REDUCE_FLOATS(prod, floats_steps)
REDUCE_LOOPS(prod_complex64, ARITHMETIC_FP32, 2, complex_steps)
REDUCE_LOOPS(prod_complex128, ARITHMETIC_FP64, 2, complex_steps)
REDUCE_INTEGERS(prod, integers_steps)

#define ONE UINT64_C(0x3ff0000000000000) /* as a double's bits */

REDUCE_KERNELS(prod) = {
    .of = {REDUCE_FLOAT_KERNELS(prod, ONE),
           REDUCE_INTEGER_KERNELS(prod, 1), [ARITHMETIC_COMPLEX64] = REDUCE_KERNEL(prod_complex64, 2, 0),
           [ARITHMETIC_COMPLEX128] = REDUCE_KERNEL(prod_complex128, 2, 0)}};

#else

/* The contract. */
#include "aclnnop/aclnn_prod.h"
#include "ops/check.h"
#include "ops/loops/reduce.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

REDUCE_LEVELS(prod);

/* Complex states to numbers. */
static void end(void *state, size_t outputs, uint64_t elements, aclDataType computed, const void *parameters)
{
    uint64_t *word = state;
    (void)elements, (void)parameters;
    for (size_t i = 0; (computed == ACL_COMPLEX64 || computed == ACL_COMPLEX128) && i < outputs; i++)
        word[2 * i] ^= UINT64_C(0x3ff0000000000000);
}

static const struct reduction reduction = {prod_reduce_kernels, .element_ps = 80, .end = end};

#define PROD(X, of)                                           \
    X(of, IN, self, &dtypes_floats_integers_bool_complex)     \
    X(of, DTYPE, dtype, &dtypes_floats_integers_bool_complex) \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex)
SIGNATURE(PROD)
#define PROD_DIM(X, of)                                       \
    X(of, IN, self, &dtypes_floats_integers_bool_complex)     \
    X(of, INT64, dim, .usual = "-1")                          \
    X(of, BOOL, keepDim, .usual = "false")                    \
    X(of, DTYPE, dtype, &dtypes_floats_integers_bool_complex) \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex)
SIGNATURE(PROD_DIM)

/* What is reduced: all dims, or the one that the call names. */
static aclnnStatus reduced_by(const struct call *call, axes *reduced)
{
    *reduced = ALL_AXES;
    return call_output(call) == PROD_out ? ACLNN_SUCCESS : check_axis(call, PROD_self, PROD_DIM_dim, reduced);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const bool is_along = call_output(call) != PROD_out;
    const unsigned dtype = is_along ? PROD_DIM_dtype : PROD_dtype;
    axes reduced;
    TRY(check_dtype(call, PROD_self));
    TRY(check_dtype(call, dtype));
    TRY(check_rank(call, PROD_self));
    TRY(reduced_by(call, &reduced));
    result->computed = call_dtype(call, dtype);
    const struct output *output =
        result_reduced(result, call, PROD_self, reduced, is_along && call->argument[PROD_DIM_keepDim].boolean,
                       result->computed, DTYPE_EQUAL);
    bool has_outputs = true;
    for (uint32_t i = 0; i < output->shape.rank; i++)
        has_outputs = has_outputs && output->shape.dim[i] != 0;
    if ((result->computed == ACL_COMPLEX64 || result->computed == ACL_COMPLEX128) &&
        call->tensor[PROD_self].count == 0 && has_outputs)
        return refuse(call, "self has no elements, and the result is %s; one or more are expected",
                      dtype_name(result->computed));
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const unsigned self = PROD_self;
    const struct shape shape = shape_of(&call->tensor[PROD_self]);
    axes reduced;
    TRY(reduced_by(call, &reduced));
    return reduce_plan(call, &reduction, &self, 1, &shape, reduced, result->computed, NULL, 0);
}

FUNCTION_OF(aclnnProd, PROD, .stem = "prod", .promise = &promise_sum, REDUCTION(&reduction), .infer = infer,
            .plan = plan);

FUNCTION_OF(aclnnProdDim, PROD_DIM, .stem = "prod", .promise = &promise_sum, REDUCTION(&reduction),
            .infer = infer, .plan = plan);

#endif
