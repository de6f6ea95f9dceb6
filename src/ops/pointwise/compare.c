/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Comparisons of a tensor with a tensor or a scalar, and logic: 1 where the relation holds, 0 elsewhere,
 * converted to out's dtype.
 *
 * Every comparison with NaN is false but for Ne, which is true; -0 equals +0; complex numbers are equal where
 * both parts are. Two tensors are converted to the dtype that they promote to, BOOL being 0 or 1. A scalar is
 * rounded to the dtype of a tensor of floats, so that of x < s, x == s and x > s one is true; integers are
 * compared with integers exactly, as large as these may be. Logic takes what is not 0 for true, NaN too.
 */
#include "ops/pointwise/compare.h"
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include <string.h>

#include "simd/vector/element.h"

typedef void block_function(enum relation relation, const void *a, const void *b, void *to, size_t count);

/* In blocks, for which the scalar is repeated; greater is less with the operands exchanged. */
static void compare_blocks(block_function *compare, size_t bytes, const void *const *input, void *output,
                           size_t count, const void *prepared)
{
    enum { BLOCK_BYTES = 2048 };
    const struct compare_parameters *parameters = prepared;
    _Alignas(64) unsigned char scalar[BLOCK_BYTES];
    const size_t block = BLOCK_BYTES / bytes;
    enum relation relation = parameters->relation;
    const bool is_swapped = relation == RELATION_GREATER || relation == RELATION_GREATER_OR_EQUAL;
    if (is_swapped)
        relation = relation == RELATION_GREATER ? RELATION_LESS : RELATION_LESS_OR_EQUAL;
    for (size_t i = 0; parameters->has_scalar && i < block && i < count; i++)
        memcpy(scalar + i * bytes, parameters->scalar, bytes);
    for (size_t done = 0; done < count; done += block) {
        const size_t length = count - done < block ? count - done : block;
        const char *a = (const char *)input[0] + done * bytes, *b = (const char *)scalar;
        if (!parameters->has_scalar)
            b = (const char *)input[1] + done * bytes;
        compare(relation, is_swapped ? b : a, is_swapped ? a : b, (char *)output + done * bytes, length);
    }
}

/* Whether a relation that is a constant holds between two numbers, of whom three comparisons are known; the
 * others are not computed. */
static inline __attribute__((always_inline)) bool relation_holds(enum relation relation, bool is_less,
                                                                 bool is_less_or_equal, bool is_equal)
{
    switch (relation) {
    case RELATION_LESS:
        return is_less;
    case RELATION_LESS_OR_EQUAL:
        return is_less_or_equal;
    case RELATION_EQUAL:
        return is_equal;
    case RELATION_NOT_EQUAL:
        return !is_equal;
    default:
        return relation == RELATION_ALWAYS;
    }
}

/* Whether a relation, a constant, holds between elements i of a and b. */
typedef bool relation_function(enum relation relation, const void *a, const void *b, size_t i);

/* Answers are integers as large as the elements: loops without branches, which become vector code with -O3.
 * */
static inline __attribute__((always_inline)) void answer_each(relation_function *holds,
                                                              enum relation relation, size_t bytes,
                                                              const void *a, const void *b, void *to,
                                                              size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_element(to, i, bytes, holds(relation, a, b, i));
}

static inline __attribute__((always_inline)) void answer(relation_function *holds, enum relation relation,
                                                         size_t bytes, const void *a, const void *b, void *to,
                                                         size_t count)
{
    switch (relation) {
    case RELATION_LESS:
        answer_each(holds, RELATION_LESS, bytes, a, b, to, count);
        break;
    case RELATION_LESS_OR_EQUAL:
        answer_each(holds, RELATION_LESS_OR_EQUAL, bytes, a, b, to, count);
        break;
    case RELATION_EQUAL:
        answer_each(holds, RELATION_EQUAL, bytes, a, b, to, count);
        break;
    case RELATION_NOT_EQUAL:
        answer_each(holds, RELATION_NOT_EQUAL, bytes, a, b, to, count);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            put_element(to, i, bytes, relation == RELATION_ALWAYS);
        break;
    }
}

/* key makes of an element what compares as it does, is_number tells whether it is no NaN. */
#define COMPARE(name, element, key, is_number)                                                             \
    static inline bool name##_holds(enum relation relation, const void *a_, const void *b_, size_t i)      \
    {                                                                                                      \
        const element a = ((const element *)a_)[i], b = ((const element *)b_)[i];                          \
        return relation_holds(relation, (key(a) < key(b)) & (int)is_number(a) & (int)is_number(b),         \
                              (key(a) <= key(b)) & (int)is_number(a) & (int)is_number(b),                  \
                              (key(a) == key(b)) & (int)is_number(a));                                     \
    }                                                                                                      \
    static void name##_block(enum relation relation, const void *a, const void *b, void *to, size_t count) \
    {                                                                                                      \
        answer(name##_holds, relation, sizeof(element), a, b, to, count);                                  \
    }                                                                                                      \
    COMPARE_KERNEL(name, sizeof(element))
#define COMPARE_KERNEL(name, bytes)                                            \
    KERNEL(name)                                                               \
    {                                                                          \
        (void)non_temporal;                                                    \
        compare_blocks(name##_block, bytes, input, output, count, parameters); \
    }

#define ITSELF(x) (x)
#define ALWAYS(x) true

/* The bits of an fp16 or bf16 as an integer in the order of the floats, in which both zeros are 0. */
static inline int16_t half_key(int16_t bits)
{
    return (int16_t)(bits < 0 ? -(bits & 0x7fff) : bits);
}

static inline bool is_fp16_number(int16_t bits)
{
    return (bits & 0x7fff) <= 0x7c00;
}

static inline bool is_bf16_number(int16_t bits)
{
    return (bits & 0x7fff) <= 0x7f80;
}

COMPARE(compare_fp32, float, ITSELF, ALWAYS)
COMPARE(compare_fp64, double, ITSELF, ALWAYS)
COMPARE(compare_fp16, int16_t, half_key, is_fp16_number)
COMPARE(compare_bf16, int16_t, half_key, is_bf16_number)
COMPARE(compare_int8, int8_t, ITSELF, ALWAYS)
COMPARE(compare_int16, int16_t, ITSELF, ALWAYS)
COMPARE(compare_int32, int32_t, ITSELF, ALWAYS)
COMPARE(compare_int64, int64_t, ITSELF, ALWAYS)
COMPARE(compare_uint8, uint8_t, ITSELF, ALWAYS)
COMPARE(compare_uint16, uint16_t, ITSELF, ALWAYS)
COMPARE(compare_uint32, uint32_t, ITSELF, ALWAYS)
COMPARE(compare_uint64, uint64_t, ITSELF, ALWAYS)

/* Truth is any byte, of which only 0 is false. */
static inline bool truth_holds(enum relation relation, const void *a_, const void *b_, size_t i)
{
    const bool a = ((const uint8_t *)a_)[i] != 0, b = ((const uint8_t *)b_)[i] != 0;
    return relation_holds(relation, a < b, a <= b, a == b);
}

static inline bool logic_holds(enum relation relation, const void *a_, const void *b_, size_t i)
{
    const uint8_t a = ((const uint8_t *)a_)[i], b = ((const uint8_t *)b_)[i];
    switch (relation) {
    case RELATION_BOTH_TRUE:
        return (a != 0) & (b != 0);
    case RELATION_ANY_TRUE:
        return (a | b) != 0;
    default: /* RELATION_ONE_TRUE */
        return (a != 0) ^ (b != 0);
    }
}

static void compare_bool_block(enum relation relation, const void *a, const void *b, void *to, size_t count)
{
    switch (relation) {
    case RELATION_BOTH_TRUE:
        answer_each(logic_holds, RELATION_BOTH_TRUE, 1, a, b, to, count);
        break;
    case RELATION_ANY_TRUE:
        answer_each(logic_holds, RELATION_ANY_TRUE, 1, a, b, to, count);
        break;
    case RELATION_ONE_TRUE:
        answer_each(logic_holds, RELATION_ONE_TRUE, 1, a, b, to, count);
        break;
    default:
        answer(truth_holds, relation, 1, a, b, to, count);
        break;
    }
}
COMPARE_KERNEL(compare_bool, 1)

/* Complex numbers are equal or not; the answer is the real part of a number. */
static inline bool complex64_equal(const void *a_, const void *b_, size_t i)
{
    const float *a = a_, *b = b_;
    return (a[2 * i] == b[2 * i]) & (a[2 * i + 1] == b[2 * i + 1]);
}

static inline bool complex128_equal(const void *a_, const void *b_, size_t i)
{
    const double *a = a_, *b = b_;
    return (a[2 * i] == b[2 * i]) & (a[2 * i + 1] == b[2 * i + 1]);
}

static void compare_complex64_block(enum relation relation, const void *a, const void *b, void *to_,
                                    size_t count)
{
    float *to = to_;
    for (size_t i = 0; i < count; i++) {
        to[2 * i] = (float)(complex64_equal(a, b, i) ^ (relation == RELATION_NOT_EQUAL));
        to[2 * i + 1] = 0;
    }
}

static void compare_complex128_block(enum relation relation, const void *a, const void *b, void *to_,
                                     size_t count)
{
    double *to = to_;
    for (size_t i = 0; i < count; i++) {
        to[2 * i] = (double)(complex128_equal(a, b, i) ^ (relation == RELATION_NOT_EQUAL));
        to[2 * i + 1] = 0;
    }
}
COMPARE_KERNEL(compare_complex64, 2 * sizeof(float))
COMPARE_KERNEL(compare_complex128, 2 * sizeof(double))

KERNELS(compare) = {
    SAME_AT_BOTH_ACCURACIES(compare),
    .exact = {[ARITHMETIC_INT8] = compare_int8,
              [ARITHMETIC_INT16] = compare_int16,
              [ARITHMETIC_INT32] = compare_int32,
              [ARITHMETIC_INT64] = compare_int64,
              [ARITHMETIC_UINT8] = compare_uint8,
              [ARITHMETIC_UINT16] = compare_uint16,
              [ARITHMETIC_UINT32] = compare_uint32,
              [ARITHMETIC_UINT64] = compare_uint64,
              [ARITHMETIC_BOOL] = compare_bool,
              [ARITHMETIC_COMPLEX64] = compare_complex64,
              [ARITHMETIC_COMPLEX128] = compare_complex128},
};

#else

/* The contract. */
#include "aclnnop/aclnn_eq_scalar.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_ge_scalar.h"
#include "aclnnop/aclnn_ge_tensor.h"
#include "aclnnop/aclnn_gt_scalar.h"
#include "aclnnop/aclnn_gt_tensor.h"
#include "aclnnop/aclnn_is_in_tensor_scalar.h"
#include "aclnnop/aclnn_le_scalar.h"
#include "aclnnop/aclnn_le_tensor.h"
#include "aclnnop/aclnn_less_scalar.h"
#include "aclnnop/aclnn_logical_and.h"
#include "aclnnop/aclnn_logical_not.h"
#include "aclnnop/aclnn_logical_or.h"
#include "aclnnop/aclnn_logical_xor.h"
#include "aclnnop/aclnn_lt_scalar.h"
#include "aclnnop/aclnn_lt_tensor.h"
#include "aclnnop/aclnn_ne_scalar.h"
#include "aclnnop/aclnn_ne_tensor.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/elementwise.h"
#include "ops/scalar.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

/* The places of element and testElement are those of self and other. */
#define IS_IN(X, of)                                                 \
    X(of, IN, element, &dtypes_floats_integers_uint16_bool_complex)  \
    X(of, SCALAR, testElement, &dtypes_floats_integers_bool_complex) \
    X(of, BOOL, assumeUnique, .usual = "false")                      \
    X(of, BOOL, invert, .usual = "false")                            \
    X(of, OUT, out, &dtypes_bool)
SIGNATURE(IS_IN)

/* What of_family of these functions is. */
struct comparison {
    struct elementwise elementwise;
    enum relation relation;
};

static aclnnStatus infer_tensors(const struct call *call, struct result *result)
{
    static const unsigned both[] = {IS_IN_element, IS_IN_testElement};
    TRY(check_dtype(call, IS_IN_element));
    TRY(check_dtype(call, IS_IN_testElement));
    TRY(check_promotion(call, both, 2, &result->computed));
    TRY(check_rank(call, IS_IN_element));
    TRY(check_rank(call, IS_IN_testElement));
    return result_broadcast(result, call, both, 2, ACL_BOOL, DTYPE_ANY);
}

/* Logic of two tensors or of one. The conversion to BOOL tells what is not 0. */
static aclnnStatus infer_logic(const struct call *call, struct result *result)
{
    static const unsigned both[] = {IS_IN_element, IS_IN_testElement};
    const unsigned operands =
        call->function->parameter_count - parameter_is_output(&call->function->parameter[call_output(call)]);
    for (unsigned i = 0; i < operands; i++)
        TRY(check_dtype(call, i));
    for (unsigned i = 0; i < operands; i++)
        TRY(check_rank(call, i));
    result->computed = ACL_BOOL;
    if (operands == 2)
        return result_broadcast(result, call, both, operands, ACL_BOOL, DTYPE_ANY);
    result_add(result, ACL_BOOL, DTYPE_ANY)->like = IS_IN_element;
    return ACLNN_SUCCESS;
}

/* The tensor's own dtype, unless a scalar of a later kind (BOOL, integer, float, complex) stands beside it.
 */
static aclDataType dtype_beside_scalar(aclDataType self, aclDataType scalar)
{
    if (self == scalar || dtype_is_one_of(self, DTYPES_COMPLEX))
        return self;
    if (dtype_is_one_of(scalar, DTYPES_COMPLEX))
        return promote(self, scalar);
    if (dtype_is_one_of(self, DTYPES_FLOATS))
        return self;
    if (dtype_is_one_of(scalar, DTYPES_FLOATS))
        return promote(self, scalar);
    return self == ACL_BOOL ? scalar : self;
}

static aclnnStatus infer_scalar(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, IS_IN_element));
    TRY(check_dtype(call, IS_IN_testElement));
    const aclDataType self = call->tensor[IS_IN_element].dtype;
    result->computed = dtype_beside_scalar(self, call->scalar[IS_IN_testElement].dtype);
    if (result->computed == ACL_DT_UNDEFINED)
        return tell_promotion(call, IS_IN_testElement, self);
    TRY(check_rank(call, IS_IN_element));
    result_add(result, ACL_BOOL, DTYPE_ANY)->like = IS_IN_element;
    return ACLNN_SUCCESS;
}

/* 1, -1 or 0: an integer scalar is above, below or among what an integer dtype has. */
static int beyond(const struct scalar_value *scalar, aclDataType dtype)
{
    const uint64_t naturals = DTYPES_NATURALS | DTYPE_BIT(ACL_UINT8);
    const bool is_natural = dtype_is_one_of(dtype, naturals);
    const bool is_negative = !dtype_is_one_of(scalar->dtype, naturals) && scalar->value.integer < 0;
    if (!dtype_is_one_of(dtype, DTYPES_INTEGERS | DTYPES_NATURALS))
        return 0;
    const uint64_t greatest = UINT64_MAX >> (64 - 8 * dtype_bytes(dtype) + !is_natural);
    if (is_negative)
        return is_natural || scalar->value.integer < -(int64_t)greatest - 1 ? -1 : 0;
    return scalar->value.natural > greatest;
}

/* The relation to a scalar, which for all that the dtype has may be the same. */
static enum relation relation_beyond(enum relation relation, int beyond)
{
    bool is_below = relation == RELATION_LESS || relation == RELATION_LESS_OR_EQUAL;
    bool is_above = relation == RELATION_GREATER || relation == RELATION_GREATER_OR_EQUAL;
    bool is_true = (is_below && beyond > 0) || (is_above && beyond < 0) || relation == RELATION_NOT_EQUAL;
    return beyond == 0 ? relation : is_true ? RELATION_ALWAYS : RELATION_NEVER;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    /* The dtype of the answers that a kernel writes, by the bytes of an element. */
    static const aclDataType answers[] = {[1] = ACL_BOOL, [2] = ACL_INT16, [4] = ACL_INT32, [8] = ACL_INT64};
    const struct comparison *comparison = call->function->of_family;
    const aclDataType computed = result->computed;
    struct compare_parameters parameters = {.relation = comparison->relation};
    if (parameters.relation == RELATION_EQUAL && call->function->parameter_count > IS_IN_invert &&
        call->argument[IS_IN_invert].boolean)
        parameters.relation = RELATION_NOT_EQUAL;
    if (parameters.relation == RELATION_NOT_TRUE) {
        parameters.relation = RELATION_EQUAL;
        parameters.has_scalar = true;
    } else if (call->function->parameter[IS_IN_testElement].kind == PARAMETER_SCALAR) {
        const struct scalar_value *scalar = &call->scalar[IS_IN_testElement];
        parameters.has_scalar = true;
        scalar_convert(scalar, computed, parameters.scalar);
        if (!dtype_is_one_of(scalar->dtype, DTYPES_FLOATS | DTYPES_COMPLEX))
            parameters.relation = relation_beyond(parameters.relation, beyond(scalar, computed));
    }
    const bool is_complex = dtype_is_one_of(computed, DTYPES_COMPLEX);
    return elementwise_plan_to(call, computed, is_complex ? computed : answers[dtype_bytes(computed)],
                               &parameters, sizeof parameters);
}

KERNEL_LEVELS(compare);

#define COMPARING(relation)               [relation] = {{compare_kernels, .cost_ps = {100, 100}}, relation}
static const struct comparison comparisons[] = {
    COMPARING(RELATION_EQUAL),         COMPARING(RELATION_NOT_EQUAL), COMPARING(RELATION_LESS),
    COMPARING(RELATION_LESS_OR_EQUAL), COMPARING(RELATION_GREATER),   COMPARING(RELATION_GREATER_OR_EQUAL),
    COMPARING(RELATION_BOTH_TRUE),     COMPARING(RELATION_ANY_TRUE),  COMPARING(RELATION_ONE_TRUE),
    COMPARING(RELATION_NOT_TRUE)};

/* The parameters of each form. */
#define TENSORS(X, of, set)               X(of, IN, self, set) X(of, IN, other, set) X(of, OUT, out, &dtypes_all)
#define TENSORS_IN_PLACE(X, of, set)      X(of, BOTH, selfRef, set) X(of, IN, other, set)
#define SCALAR_AND_OUT(X, of, set)        X(of, IN, self, set) X(of, SCALAR, other, set) X(of, OUT, out, &dtypes_all)
#define SCALAR_IN_PLACE(X, of, set)       X(of, BOTH, selfRef, set) X(of, SCALAR, other, set)
#define ONE(X, of, set)                   X(of, IN, self, set) X(of, OUT, out, set)
#define ONE_IN_PLACE(X, of, set)          X(of, BOTH, selfRef, set)
#define ORDERED_TENSORS(X, of)            TENSORS(X, of, &dtypes_reals)
SIGNATURE(ORDERED_TENSORS)
#define ORDERED_TENSORS_IN_PLACE(X, of)   TENSORS_IN_PLACE(X, of, &dtypes_reals)
SIGNATURE(ORDERED_TENSORS_IN_PLACE)
#define ORDERED_SCALAR_AND_OUT(X, of)     SCALAR_AND_OUT(X, of, &dtypes_reals)
SIGNATURE(ORDERED_SCALAR_AND_OUT)
#define ORDERED_SCALAR_IN_PLACE(X, of)    SCALAR_IN_PLACE(X, of, &dtypes_reals)
SIGNATURE(ORDERED_SCALAR_IN_PLACE)
#define UNORDERED_TENSORS(X, of)          TENSORS(X, of, &dtypes_all)
SIGNATURE(UNORDERED_TENSORS)
#define UNORDERED_TENSORS_IN_PLACE(X, of) TENSORS_IN_PLACE(X, of, &dtypes_all)
SIGNATURE(UNORDERED_TENSORS_IN_PLACE)
#define UNORDERED_SCALAR_AND_OUT(X, of)   SCALAR_AND_OUT(X, of, &dtypes_all)
SIGNATURE(UNORDERED_SCALAR_AND_OUT)
#define UNORDERED_SCALAR_IN_PLACE(X, of)  SCALAR_IN_PLACE(X, of, &dtypes_all)
SIGNATURE(UNORDERED_SCALAR_IN_PLACE)
#define UNORDERED_ONE(X, of)              ONE(X, of, &dtypes_all)
SIGNATURE(UNORDERED_ONE)
#define UNORDERED_ONE_IN_PLACE(X, of)     ONE_IN_PLACE(X, of, &dtypes_all)
SIGNATURE(UNORDERED_ONE_IN_PLACE)

#define COMMON(stem_, relation, infer_)                                                                     \
    .stem = (stem_), .promise = &promise_exact, ELEMENTWISE(&comparisons[RELATION_##relation].elementwise), \
    .infer = (infer_), .plan = plan

#define COMPARISON(api, stem, relation, form, dtypes) \
    FUNCTION_OF(api, dtypes##_##form, COMMON(#stem, relation, infer_##form));
#define LOGIC(api, stem, relation, form) \
    FUNCTION_OF(api, UNORDERED_##form, COMMON(#stem, relation, infer_logic));
#define infer_TENSORS          infer_tensors
#define infer_TENSORS_IN_PLACE infer_tensors
#define infer_SCALAR_AND_OUT   infer_scalar
#define infer_SCALAR_IN_PLACE  infer_scalar

#include "ops/pointwise/comparisons.h"

static aclnnStatus infer_is_in(const struct call *call, struct result *result)
{
    TRY(infer_scalar(call, result));
    result->output[0].dtype_rule = DTYPE_EQUAL;
    return ACLNN_SUCCESS;
}

FUNCTION_OF(aclnnIsInTensorScalar, IS_IN, COMMON("is_in_tensor_scalar", EQUAL, infer_is_in));

#endif
