/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums and products of the elements up to each along a dim, from the first to the last one after the other:
 * floats in doubles, each result rounded once; integers by their low 64 bits; the parts of complex numbers
 * apart. A sum begins with +0, a product with 1.
 */
#include "simd/loops/scan_kernel.h"

#ifdef KERNEL_PASS

/* The maths: NaNs are the canonical one. */
#include "simd/vector/vector.h"

static inline doubles load_fp32(const float *from)
{
    floats value;
    memcpy(&value, from, sizeof value);
    return doubles_of(value);
}

static inline doubles load_fp64(const double *from)
{
    doubles value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline ulongs load_int64(const int64_t *from)
{
    ulongs value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline doubles canonical(doubles value)
{
    return choose(value == value, value, broadcast(__builtin_nan("")));
}

static inline void store_fp32(float *to, doubles value)
{
    const floats rounded = floats_of(canonical(value));
    memcpy(to, &rounded, sizeof rounded);
}

static inline void store_fp64(double *to, doubles value)
{
    const doubles stored = canonical(value);
    memcpy(to, &stored, sizeof stored);
}

static inline void store_int64(int64_t *to, ulongs value)
{
    memcpy(to, &value, sizeof value);
}

/* Vectors of lines that lie side by side, several of them and one at a time, then the rest line by line. */
enum { VECTORS = 4 };

#define CUMULATE(name, type, wide, vector, first_, operator, dtype)                                    \
    static inline __attribute__((always_inline)) void name##_vectors(const struct scan_piece *piece,   \
                                                                     size_t line, size_t vectors)      \
    {                                                                                                  \
        const type *input = (const type *)piece->input + line;                                         \
        type *output = (type *)piece->output + line;                                                   \
        vector state[VECTORS] __attribute__((uninitialized));                                          \
        const bool is_exclusive = piece->is_exclusive;                                                 \
        for (size_t k = 0; k < vectors; k++)                                                           \
            if (piece->begins)                                                                         \
                state[k] = (vector){0} + (first_);                                                     \
            else                                                                                       \
                memcpy(&state[k], piece->state + line + k * LANES, sizeof state[k]);                   \
        for (size_t i = 0; i < piece->length; i++, input += piece->step, output += piece->output_step) \
            for (size_t k = 0; k < vectors; k++) {                                                     \
                const vector next = state[k] operator load_##dtype(input + k * LANES);                 \
                store_##dtype(output + k * LANES, is_exclusive ? state[k] : next);                     \
                state[k] = next;                                                                       \
            }                                                                                          \
        for (size_t k = 0; k < vectors; k++)                                                           \
            memcpy(piece->state + line + k * LANES, &state[k], sizeof state[k]);                       \
    }                                                                                                  \
    static void name##_line(const struct scan_piece *piece, size_t line)                               \
    {                                                                                                  \
        const type *input = (const type *)piece->input + line;                                         \
        type *output = (type *)piece->output + line;                                                   \
        const int64_t step = piece->step, output_step = piece->output_step;                            \
        const bool is_exclusive = piece->is_exclusive;                                                 \
        const size_t length = piece->length;                                                           \
        wide state = (first_);                                                                         \
        if (!piece->begins)                                                                            \
            memcpy(&state, piece->state + line, sizeof state);                                         \
        for (size_t i = 0; i < length; i++, input += step, output += output_step) {                    \
            const wide next = state operator(wide) * input, made = is_exclusive ? state : next;        \
            *output = made == made ? (type)made : (type)__builtin_nan("");                             \
            state = next;                                                                              \
        }                                                                                              \
        memcpy(piece->state + line, &state, sizeof state);                                             \
    }                                                                                                  \
    static void name(const struct scan_piece *piece)                                                   \
    {                                                                                                  \
        size_t line = 0;                                                                               \
        for (; line + (size_t)VECTORS * LANES <= piece->width; line += (size_t)VECTORS * LANES)        \
            name##_vectors(piece, line, VECTORS);                                                      \
        for (; line + LANES <= piece->width; line += LANES)                                            \
            name##_vectors(piece, line, 1);                                                            \
        for (; line < piece->width; line++)                                                            \
            name##_line(piece, line);                                                                  \
    }

CUMULATE(sum_fp32, float, double, doubles, 0, +, fp32)
CUMULATE(sum_fp64, double, double, doubles, 0, +, fp64)
CUMULATE(sum_int64, int64_t, uint64_t, ulongs, 0, +, int64)
CUMULATE(product_fp32, float, double, doubles, 1, *, fp32)
CUMULATE(product_fp64, double, double, doubles, 1, *, fp64)
CUMULATE(product_int64, int64_t, uint64_t, ulongs, 1, *, int64)

SCAN_KERNELS(sums) = {.fp32 = sum_fp32, .fp64 = sum_fp64, .int64 = sum_int64};
SCAN_KERNELS(products) = {.fp32 = product_fp32, .fp64 = product_fp64, .int64 = product_int64};

#else

/* The contract. */
#include "aclnnop/aclnn_cumprod.h"
#include "aclnnop/aclnn_cumsum.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/scalar.h"
#include "ops/scan/scan.h"

SCAN_LEVELS(sums);
SCAN_LEVELS(products);

enum { SELF, DIM, DTYPE, EXCLUSIVE = DTYPE, REVERSE };

static bool has_dtype(const struct call *call)
{
    return call->function->parameter_count > DTYPE &&
           call->function->parameter[DTYPE].kind == PARAMETER_DTYPE;
}

static bool is_product(const struct call *call)
{
    return call->function->parameter[DIM].kind == PARAMETER_SCALAR;
}

static int64_t dim_of(const struct call *call)
{
    int64_t dim;
    if (!is_product(call))
        return call->argument[DIM].int64;
    scalar_convert(&call->scalar[DIM], ACL_INT64, &dim);
    return dim;
}

/* The dtype that elements are cast to and out has; an undefined one stands for out's. */
static aclDataType dtype_of(const struct call *call)
{
    if (!has_dtype(call))
        return call_dtype(call, SELF);
    if (is_product(call) && call_dtype(call, DTYPE) == ACL_DT_UNDEFINED)
        return call->has_outputs ? call_dtype(call, call_output(call)) : call_dtype(call, SELF);
    return call_dtype(call, DTYPE);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    uint32_t dim;
    result->computed = dtype_of(call);
    TRY(check_dtype(call, SELF));
    if (is_product(call))
        TRY(check_dtype(call, DIM));
    if (has_dtype(call) && (!is_product(call) || call_dtype(call, DTYPE) != ACL_DT_UNDEFINED))
        TRY(check_dtype(call, DTYPE));
    if (!is_product(call) && !can_cast(call_dtype(call, SELF), result->computed))
        return refuse(call, "self is %s, which is not cast to dtype %s", dtype_name(call_dtype(call, SELF)),
                      dtype_name(result->computed));
    TRY(check_rank(call, SELF));
    TRY(check_dim(call, DIM, dim_of(call), call->tensor[SELF].rank, &dim));
    result_add(result, result->computed, DTYPE_EQUAL)->like = SELF;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const aclDataType dtype = result->computed;
    const bool has_flags = call->function->parameter_count > REVERSE && !has_dtype(call);
    if (call->tensor[SELF].count == 0)
        return call_idle(call);
    const struct scan_request request = {
        .kind = SCAN_VALUES,
        .kernels = is_product(call) ? products_scan_kernels : sums_scan_kernels,
        .self = SELF,
        .values = (int)call_output(call),
        .indices = SCAN_NONE,
        .dim = scan_dim(call, SELF, dim_of(call)),
        .cast = dtype,
        .computed = dtype == ACL_FLOAT                                                 ? ACL_FLOAT
                    : dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE ? ACL_DOUBLE
                    : dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128                ? ACL_COMPLEX128
                                                                                       : ACL_INT64,
        .is_exclusive = has_flags && call->argument[EXCLUSIVE].boolean,
        .is_reversed = has_flags && call->argument[REVERSE].boolean,
        .element_ps = 1400,
    };
    return scan_plan(call, &request);
}

static const struct parameter cumsum_parameters[] = {
    READ("self", &dtypes_floats_integers_bool_complex),
    USUAL("dim", INT64, "-1"),
    {"dtype", &dtypes_floats_integers_complex, .kind = PARAMETER_DTYPE},
    WRITTEN("out", &dtypes_floats_integers_complex),
};

static const struct parameter cumsum_v2_parameters[] = {
    READ("self", &dtypes_floats_integers_complex),
    USUAL("dim", INT64, "-1"),
    USUAL("exclusive", BOOL, "false"),
    USUAL("reverse", BOOL, "false"),
    WRITTEN("out", &dtypes_floats_integers_complex),
};

static const struct parameter cumprod_parameters[] = {
    READ("input", &dtypes_floats_integers_naturals),
    SCALAR("dim", &dtypes_int32_int64, .usual = "-1:INT64"),
    {"dtype", &dtypes_floats_integers_naturals, .kind = PARAMETER_DTYPE},
    WRITTEN("out", &dtypes_floats_integers_naturals),
};

static const struct parameter inplace_cumprod_parameters[] = {
    BOTH("input", &dtypes_floats_integers_naturals),
    SCALAR("dim", &dtypes_int32_int64, .usual = "-1:INT64"),
};

#define CUMULATIVE SCAN, .promise = &promise_sum, .infer = infer, .plan = plan

FUNCTION(aclnnCumsum, (const aclTensor *self, int64_t dim, aclDataType dtype, aclTensor *out),
         (ARG(self), ARG(dim), ARG(dtype), ARG(out)), .stem = "cumsum", PARAMETERS(cumsum_parameters),
         CUMULATIVE);

FUNCTION(aclnnCumsumV2, (const aclTensor *self, int64_t dim, bool exclusive, bool reverse, aclTensor *out),
         (ARG(self), ARG(dim), ARG(exclusive), ARG(reverse), ARG(out)), .stem = "cumsum",
         PARAMETERS(cumsum_v2_parameters), CUMULATIVE);

FUNCTION(aclnnCumprod,
         (const aclTensor *input, const aclScalar *dim, const aclDataType dtype, aclTensor *out),
         (ARG(input), ARG(dim), ARG(dtype), ARG(out)), .stem = "cumprod", PARAMETERS(cumprod_parameters),
         CUMULATIVE);

FUNCTION(aclnnInplaceCumprod, (aclTensor * input, const aclScalar *dim), (ARG(input), ARG(dim)),
         .stem = "cumprod", PARAMETERS(inplace_cumprod_parameters), CUMULATIVE);

#endif
