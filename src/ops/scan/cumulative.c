/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums and products of the elements up to each along a dim, from the first to the last one after the other:
 * floats in doubles, each result rounded once; integers by their low 64 bits; the parts of complex numbers
 * apart. A sum begins with +0, a product with 1.
 */
#include "ops/scan/scan.h"

#ifdef KERNEL_PASS

/* The maths. NaNs are the canonical one. */
#define CANONICAL(type, value) ((value) == (value) ? (type)(value) : (type)__builtin_nan(""))
#define AS_IT_IS(type, value)  ((type)(value))

/* Lines side by side, or one whose elements lie so, for which width and steps are constants. */
#define CUMULATE(name, type, wide, first_, operator, result)                                               \
    static inline __attribute__((always_inline)) void name##_lines(                                        \
        const struct scan_piece *piece, size_t width, int64_t step, int64_t output_step)                   \
    {                                                                                                      \
        const type *input = (const type *)piece->input;                                                    \
        type *output = (type *)piece->output;                                                              \
        wide state[2 * SCAN_WIDTH] __attribute__((uninitialized));                                         \
        const bool is_exclusive = piece->is_exclusive;                                                     \
        memcpy(state, piece->state, width * sizeof(wide));                                                 \
        for (size_t k = 0; k < width && piece->begins; k++)                                                \
            state[k] = (first_);                                                                           \
        for (size_t i = 0; i < piece->length; i++) {                                                       \
            for (size_t k = 0; k < width; k++) {                                                           \
                const wide next = state[k] operator(wide) input[k], made = is_exclusive ? state[k] : next; \
                output[k] = result(type, made);                                                            \
                state[k] = next;                                                                           \
            }                                                                                              \
            input += step;                                                                                 \
            output += output_step;                                                                         \
        }                                                                                                  \
        memcpy(piece->state, state, width * sizeof(wide));                                                 \
    }                                                                                                      \
    static void name(const struct scan_piece *piece)                                                       \
    {                                                                                                      \
        if (piece->width == 1 && piece->step == 1 && piece->output_step == 1)                              \
            name##_lines(piece, 1, 1, 1);                                                                  \
        else if (piece->width == SCAN_WIDTH)                                                               \
            name##_lines(piece, SCAN_WIDTH, piece->step, piece->output_step);                              \
        else                                                                                               \
            name##_lines(piece, piece->width, piece->step, piece->output_step);                            \
    }

CUMULATE(sum_fp32, float, double, 0, +, CANONICAL)
CUMULATE(sum_fp64, double, double, 0, +, CANONICAL)
CUMULATE(sum_int64, int64_t, uint64_t, 0, +, AS_IT_IS)
CUMULATE(product_fp32, float, double, 1, *, CANONICAL)
CUMULATE(product_fp64, double, double, 1, *, CANONICAL)
CUMULATE(product_int64, int64_t, uint64_t, 1, *, AS_IT_IS)

SCAN_KERNELS(sums) = {.fp32 = sum_fp32, .fp64 = sum_fp64, .int64 = sum_int64};
SCAN_KERNELS(products) = {.fp32 = product_fp32, .fp64 = product_fp64, .int64 = product_int64};

#else

/* The contract. */
#include "aclnnop/aclnn_cumprod.h"
#include "aclnnop/aclnn_cumsum.h"
#include "ops/check.h"
#include "ops/dtype_bits.h"
#include "ops/scalar.h"

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
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: self is %s, which is not cast to dtype %s",
                    call->function->operation.name, dtype_name(call_dtype(call, SELF)),
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

static const struct dtype_set multiplied = SET_WITH_BF16((BITS_REALS & ~DTYPE_BIT(ACL_BOOL)) | BITS_NATURALS);

static const struct parameter cumsum_parameters[] = {
    READ("self", &dtypes_arithmetic),
    USUAL("dim", INT64, "-1"),
    {"dtype", &dtypes_numbers, .kind = PARAMETER_DTYPE},
    WRITTEN("out", &dtypes_numbers),
};

static const struct parameter cumsum_v2_parameters[] = {
    READ("self", &dtypes_numbers),   USUAL("dim", INT64, "-1"),       USUAL("exclusive", BOOL, "false"),
    USUAL("reverse", BOOL, "false"), WRITTEN("out", &dtypes_numbers),
};

static const struct parameter cumprod_parameters[] = {
    READ("input", &multiplied),
    SCALAR("dim", &dtypes_indices, .usual = "-1:INT64"),
    {"dtype", &multiplied, .kind = PARAMETER_DTYPE},
    WRITTEN("out", &multiplied),
};

static const struct parameter inplace_cumprod_parameters[] = {
    BOTH("input", &multiplied),
    SCALAR("dim", &dtypes_indices, .usual = "-1:INT64"),
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
