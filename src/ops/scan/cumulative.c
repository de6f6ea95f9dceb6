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
#include "simd/vector/kernels.h"
#include "simd/vector/canonical.h"

/* One step of a sum or product, of states that are doubles or uint64 in words of 64 bits. */
struct cumulation {
    enum arithmetic dtype;
    bool is_product;
};

static inline __attribute__((always_inline)) longs load_words(enum arithmetic dtype, const void *from)
{
    if (dtype == ARITHMETIC_FP32) {
        floats value;
        memcpy(&value, from, sizeof value);
        return (longs)doubles_of(value);
    }
    longs value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline __attribute__((always_inline)) void store_words(enum arithmetic dtype, void *to, longs value)
{
    if (dtype == ARITHMETIC_FP32) {
        const floats rounded = floats_of(canonical_doubles((doubles)value));
        memcpy(to, &rounded, sizeof rounded);
    } else if (dtype == ARITHMETIC_FP64) {
        const doubles stored = canonical_doubles((doubles)value);
        memcpy(to, &stored, sizeof stored);
    } else {
        memcpy(to, &value, sizeof value);
    }
}

static inline __attribute__((always_inline)) longs next_words(struct cumulation of, longs state, longs value)
{
    if (of.dtype == ARITHMETIC_INT64)
        return of.is_product ? (longs)((ulongs)state * (ulongs)value)
                             : (longs)((ulongs)state + (ulongs)value);
    return of.is_product ? (longs)((doubles)state * (doubles)value)
                         : (longs)((doubles)state + (doubles)value);
}

static inline __attribute__((always_inline)) longs first_words(struct cumulation of)
{
    if (of.dtype == ARITHMETIC_INT64)
        return (longs){0} + (int64_t)of.is_product;
    return (longs)((doubles){0} + (double)of.is_product);
}

/* The same of one line: words are bits of doubles or are uint64. */
static inline __attribute__((always_inline)) uint64_t first_word(struct cumulation of)
{
    const double first = of.is_product;
    uint64_t word = of.is_product;
    if (of.dtype != ARITHMETIC_INT64)
        memcpy(&word, &first, sizeof word);
    return word;
}

static inline __attribute__((always_inline)) uint64_t next_word(struct cumulation of, uint64_t state,
                                                                const void *from)
{
    if (of.dtype == ARITHMETIC_INT64) {
        uint64_t value;
        memcpy(&value, from, sizeof value);
        return of.is_product ? state * value : state + value;
    }
    float narrow;
    double value, before;
    memcpy(&before, &state, sizeof before);
    if (of.dtype == ARITHMETIC_FP32) {
        memcpy(&narrow, from, sizeof narrow);
        value = (double)narrow;
    } else {
        memcpy(&value, from, sizeof value);
    }
    value = of.is_product ? before * value : before + value;
    memcpy(&state, &value, sizeof state);
    return state;
}

static inline __attribute__((always_inline)) void store_word(enum arithmetic dtype, void *to, uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    const float narrow = value == value ? (float)value : __builtin_nanf("");
    if (dtype == ARITHMETIC_FP32)
        memcpy(to, &narrow, sizeof narrow);
    else if (dtype == ARITHMETIC_FP64 && value != value)
        memcpy(to, &(double){__builtin_nan("")}, sizeof value);
    else
        memcpy(to, &word, sizeof word);
}

/* Vectors of lines that lie side by side, several of them and one at a time, then the rest line by line; or so
 * many rows at a time. */
enum { VECTORS = 4, ROWS = 4 };

static inline __attribute__((always_inline)) size_t bytes_of_element(enum arithmetic dtype)
{
    return dtype == ARITHMETIC_FP32 ? sizeof(float) : sizeof(int64_t);
}

static inline __attribute__((always_inline)) void
cumulate_vectors(struct cumulation of, const struct scan_piece *piece, size_t line, size_t vectors)
{
    const size_t bytes = bytes_of_element(of.dtype);
    const char *input = (const char *)piece->input + line * bytes;
    char *output = (char *)piece->output + line * bytes;
    longs state[VECTORS] __attribute__((uninitialized));
    const bool is_exclusive = piece->is_exclusive;
    for (size_t k = 0; k < vectors; k++)
        if (piece->begins)
            state[k] = first_words(of);
        else
            memcpy(&state[k], piece->state + line + k * LANES, sizeof state[k]);
    for (size_t i = 0; i < piece->length; i++) {
        for (size_t k = 0; k < vectors; k++) {
            const longs next = next_words(of, state[k], load_words(of.dtype, input + k * LANES * bytes));
            store_words(of.dtype, output + k * LANES * bytes, is_exclusive ? state[k] : next);
            state[k] = next;
        }
        input += piece->step * (int64_t)bytes;
        output += piece->output_step * (int64_t)bytes;
    }
    for (size_t k = 0; k < vectors; k++)
        memcpy(piece->state + line + k * LANES, &state[k], sizeof state[k]);
}

/* Rows, a constant number of them, element after element of all: none waits for the one before it alone. */
static inline __attribute__((always_inline)) void
cumulate_rows(struct cumulation of, const struct scan_piece *piece, size_t line, size_t rows)
{
    const bool is_exclusive = piece->is_exclusive;
    const size_t length = piece->length, bytes = bytes_of_element(of.dtype);
    const char *input = (const char *)piece->input + (int64_t)line * piece->line_step * (int64_t)bytes;
    char *output = (char *)piece->output + (int64_t)line * piece->output_line_step * (int64_t)bytes;
    const int64_t step = piece->line_step * (int64_t)bytes,
                  to_step = piece->output_line_step * (int64_t)bytes;
    uint64_t state[ROWS] __attribute__((uninitialized));
    for (size_t k = 0; k < rows; k++)
        state[k] = piece->begins ? first_word(of) : (uint64_t)piece->state[line + k];
    for (size_t i = 0; i < length; i++, input += bytes, output += bytes)
#pragma GCC unroll 4
        for (size_t k = 0; k < rows; k++) {
            const uint64_t next = next_word(of, state[k], input + (int64_t)k * step);
            store_word(of.dtype, output + (int64_t)k * to_step, is_exclusive ? state[k] : next);
            state[k] = next;
        }
    for (size_t k = 0; k < rows; k++)
        piece->state[line + k] = (int64_t)state[k];
}

/* One line of floats; input and output of FLOAT or DOUBLE. */
static inline __attribute__((always_inline)) void cumulate_floats(struct cumulation of,
                                                                  const struct scan_piece *piece, size_t line)
{
    const bool is_fp32 = of.dtype == ARITHMETIC_FP32, is_exclusive = piece->is_exclusive;
    const int64_t step = piece->step, output_step = piece->output_step;
    const size_t length = piece->length;
    int64_t from = (int64_t)line, to = (int64_t)line;
    double state = of.is_product;
    if (!piece->begins)
        memcpy(&state, piece->state + line, sizeof state);
    for (size_t i = 0; i < length; i++, from += step, to += output_step) {
        const double value =
            is_fp32 ? (double)((const float *)piece->input)[from] : ((const double *)piece->input)[from];
        const double next = of.is_product ? state * value : state + value, made = is_exclusive ? state : next;
        if (is_fp32)
            ((float *)piece->output)[to] = made == made ? (float)made : __builtin_nanf("");
        else
            ((double *)piece->output)[to] = made == made ? made : __builtin_nan("");
        state = next;
    }
    memcpy(piece->state + line, &state, sizeof state);
}

static inline __attribute__((always_inline)) void
cumulate_integers(struct cumulation of, const struct scan_piece *piece, size_t line)
{
    const int64_t *input = (const int64_t *)piece->input + line;
    int64_t *output = (int64_t *)piece->output + line;
    const int64_t step = piece->step, output_step = piece->output_step;
    const bool is_exclusive = piece->is_exclusive;
    const size_t length = piece->length;
    uint64_t state = of.is_product;
    if (!piece->begins)
        memcpy(&state, piece->state + line, sizeof state);
    for (size_t i = 0; i < length; i++, input += step, output += output_step) {
        const uint64_t value = (uint64_t)*input, next = of.is_product ? state * value : state + value;
        *output = (int64_t)(is_exclusive ? state : next);
        state = next;
    }
    memcpy(piece->state + line, &state, sizeof state);
}

static inline __attribute__((always_inline)) void cumulate(struct cumulation of,
                                                           const struct scan_piece *piece)
{
    size_t line = 0;
    if (piece->line_step != 1 || piece->output_line_step != 1) {
        for (; line + ROWS <= piece->width; line += ROWS)
            cumulate_rows(of, piece, line, ROWS);
        for (; line < piece->width; line++)
            cumulate_rows(of, piece, line, 1);
        return;
    }
    for (; line + (size_t)VECTORS * LANES <= piece->width; line += (size_t)VECTORS * LANES)
        cumulate_vectors(of, piece, line, VECTORS);
    for (; line + LANES <= piece->width; line += LANES)
        cumulate_vectors(of, piece, line, 1);
    for (; line < piece->width; line++)
        if (of.dtype == ARITHMETIC_INT64)
            cumulate_integers(of, piece, line);
        else
            cumulate_floats(of, piece, line);
}

#define CUMULATE(name, dtype, is_product)                                     \
    static void name(const struct scan_piece *piece)                          \
    {                                                                         \
        cumulate((struct cumulation){ARITHMETIC_##dtype, is_product}, piece); \
    }

CUMULATE(sum_fp32, FP32, false)
CUMULATE(sum_fp64, FP64, false)
CUMULATE(sum_int64, INT64, false)
CUMULATE(product_fp32, FP32, true)
CUMULATE(product_fp64, FP64, true)
CUMULATE(product_int64, INT64, true)

SCAN_KERNELS(sums) = {.fp32 = sum_fp32, .fp64 = sum_fp64, .int64 = sum_int64};
SCAN_KERNELS(products) = {.fp32 = product_fp32, .fp64 = product_fp64, .int64 = product_int64};

#else

/* The contract. */
#include "aclnnop/aclnn_cumprod.h"
#include "aclnnop/aclnn_cumsum.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/scalar.h"
#include "ops/loops/scan.h"
#include "ops/signature.h"

SCAN_LEVELS(sums);
SCAN_LEVELS(products);

#define CUMSUM(X, of)                                     \
    X(of, IN, self, &dtypes_floats_integers_bool_complex) \
    X(of, INT64, dim, .usual = "-1")                      \
    X(of, DTYPE, dtype, &dtypes_floats_integers_complex)  \
    X(of, OUT, out, &dtypes_floats_integers_complex)
SIGNATURE(CUMSUM)
#define CUMSUM_V2(X, of)                             \
    X(of, IN, self, &dtypes_floats_integers_complex) \
    X(of, INT64, dim, .usual = "-1")                 \
    X(of, BOOL, exclusive, .usual = "false")         \
    X(of, BOOL, reverse, .usual = "false")           \
    X(of, OUT, out, &dtypes_floats_integers_complex)
SIGNATURE(CUMSUM_V2)
#define CUMPROD(X, of)                                           \
    X(of, IN, input, &dtypes_floats_integers_naturals)           \
    X(of, SCALAR, dim, &dtypes_int32_int64, .usual = "-1:INT64") \
    X(of, DTYPE, dtype, &dtypes_floats_integers_naturals)        \
    X(of, OUT, out, &dtypes_floats_integers_naturals)
SIGNATURE(CUMPROD)
#define INPLACE_CUMPROD(X, of)                           \
    X(of, BOTH, input, &dtypes_floats_integers_naturals) \
    X(of, SCALAR, dim, &dtypes_int32_int64, .usual = "-1:INT64")
SIGNATURE(INPLACE_CUMPROD)

static bool has_dtype(const struct call *call)
{
    return call->function->parameter_count > CUMSUM_dtype &&
           call->function->parameter[CUMSUM_dtype].kind == PARAMETER_DTYPE;
}

static bool is_product(const struct call *call)
{
    return call->function->parameter[CUMSUM_dim].kind == PARAMETER_SCALAR;
}

static int64_t dim_of(const struct call *call)
{
    int64_t dim;
    if (!is_product(call))
        return call->argument[CUMSUM_dim].int64;
    scalar_convert(&call->scalar[CUMSUM_dim], ACL_INT64, &dim);
    return dim;
}

/* The dtype that elements are cast to and out has; an undefined one stands for out's. */
static aclDataType dtype_of(const struct call *call)
{
    if (!has_dtype(call))
        return call_dtype(call, CUMSUM_self);
    if (is_product(call) && call_dtype(call, CUMSUM_dtype) == ACL_DT_UNDEFINED)
        return call->has_outputs ? call_dtype(call, call_output(call)) : call_dtype(call, CUMSUM_self);
    return call_dtype(call, CUMSUM_dtype);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    uint32_t dim;
    result->computed = dtype_of(call);
    TRY(check_dtype(call, CUMSUM_self));
    if (is_product(call))
        TRY(check_dtype(call, CUMSUM_dim));
    if (has_dtype(call) && (!is_product(call) || call_dtype(call, CUMSUM_dtype) != ACL_DT_UNDEFINED))
        TRY(check_dtype(call, CUMSUM_dtype));
    if (!is_product(call) && !can_cast(call_dtype(call, CUMSUM_self), result->computed))
        return refuse(call, "self is %s, which is not cast to dtype %s",
                      dtype_name(call_dtype(call, CUMSUM_self)), dtype_name(result->computed));
    TRY(check_rank(call, CUMSUM_self));
    TRY(check_dim(call, CUMSUM_dim, dim_of(call), call->tensor[CUMSUM_self].rank, &dim));
    result_add(result, result->computed, DTYPE_EQUAL)->like = CUMSUM_self;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const aclDataType dtype = result->computed;
    const bool has_flags = call->function->parameter_count > CUMSUM_V2_reverse && !has_dtype(call);
    if (call->tensor[CUMSUM_self].count == 0)
        return call_idle(call);
    const struct scan_request request = {
        .kind = SCAN_VALUES,
        .kernels = is_product(call) ? products_scan_kernels : sums_scan_kernels,
        .self = CUMSUM_self,
        .values = (int)call_output(call),
        .indices = SCAN_NONE,
        .dim = scan_dim(call, CUMSUM_self, dim_of(call)),
        .cast = dtype,
        .computed = dtype == ACL_FLOAT                                                 ? ACL_FLOAT
                    : dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE ? ACL_DOUBLE
                    : dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128                ? ACL_COMPLEX128
                                                                                       : ACL_INT64,
        .is_exclusive = has_flags && call->argument[CUMSUM_V2_exclusive].boolean,
        .is_reversed = has_flags && call->argument[CUMSUM_V2_reverse].boolean,
        .takes_rows = true,
        .element_ps = 1400,
    };
    return scan_plan(call, &request);
}

#define CUMULATIVE SCAN, .promise = &promise_sum, .infer = infer, .plan = plan

FUNCTION_OF(aclnnCumsum, CUMSUM, .stem = "cumsum", CUMULATIVE);
FUNCTION_OF(aclnnCumsumV2, CUMSUM_V2, .stem = "cumsum", CUMULATIVE);
FUNCTION_OF(aclnnCumprod, CUMPROD, .stem = "cumprod", CUMULATIVE);
FUNCTION_OF(aclnnInplaceCumprod, INPLACE_CUMPROD, .stem = "cumprod", CUMULATIVE);

#endif
