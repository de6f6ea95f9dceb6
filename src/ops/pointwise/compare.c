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
#include "simd/kernel.h"

#ifdef KERNEL_PASS

#include <string.h>

/*
 * Results are integers as large as the elements: loops without branches, which become vector code with -O3.
 * KEY is what compares as the element does, IS_NUMBER whether it is no NaN.
 */
#define RELATION_LOOP(element, answer, KEY, IS_NUMBER, relation)                  \
    for (size_t i = 0; i < count; i++) {                                          \
        const element a = first[i], b = second[i];                                \
        to[i] = (answer)((KEY(a) relation KEY(b)) & IS_NUMBER(a) & IS_NUMBER(b)); \
    }

#define RELATION_LOOPS(name, element, answer, KEY, IS_NUMBER)                                            \
    static void name##_block(enum relation relation, const void *a_, const void *b_, void *to_,          \
                             size_t count)                                                               \
    {                                                                                                    \
        const element *first = a_, *second = b_;                                                         \
        answer *to = to_;                                                                                \
        switch (relation) {                                                                              \
        case RELATION_LESS:                                                                              \
            RELATION_LOOP(element, answer, KEY, IS_NUMBER, <)                                            \
            break;                                                                                       \
        case RELATION_LESS_OR_EQUAL:                                                                     \
            RELATION_LOOP(element, answer, KEY, IS_NUMBER, <=)                                           \
            break;                                                                                       \
        case RELATION_EQUAL:                                                                             \
            RELATION_LOOP(element, answer, KEY, IS_NUMBER, ==)                                           \
            break;                                                                                       \
        default:                                                                                         \
            RELATION_LOOP(element, answer, KEY, IS_NUMBER, ==)                                           \
            for (size_t i = 0; i < count; i++)                                                           \
                to[i] ^= 1;                                                                              \
            break;                                                                                       \
        }                                                                                                \
    }                                                                                                    \
    static void name(const void *const *input, void *output, size_t count, const void *parameters,       \
                     bool non_temporal)                                                                  \
    {                                                                                                    \
        (void)non_temporal;                                                                              \
        compare_blocks(name##_block, sizeof(element), sizeof(answer), input, output, count, parameters); \
    }

typedef void block_function(enum relation relation, const void *a, const void *b, void *to, size_t count);

/* In blocks, for which the scalar is repeated; greater is less with the operands exchanged. */
static void compare_blocks(block_function *compare, size_t bytes, size_t answer_bytes,
                           const void *const *input, void *output, size_t count, const void *prepared)
{
    enum { BLOCK_BYTES = 2048 };
    const struct compare_parameters *parameters = prepared;
    _Alignas(64) unsigned char scalar[BLOCK_BYTES];
    const size_t block = BLOCK_BYTES / bytes;
    const char *first = input[0], *second = parameters->has_scalar ? NULL : input[1];
    char *to = output;
    enum relation relation = parameters->relation;
    const bool is_swapped = relation == RELATION_GREATER || relation == RELATION_GREATER_OR_EQUAL;
    if (is_swapped)
        relation = relation == RELATION_GREATER ? RELATION_LESS : RELATION_LESS_OR_EQUAL;
    for (size_t i = 0; parameters->has_scalar && i < block && i < count; i++)
        memcpy(scalar + i * bytes, parameters->scalar, bytes);
    for (size_t done = 0; done < count; done += block) {
        const size_t length = count - done < block ? count - done : block;
        const void *a = first + done * bytes;
        const void *b = second == NULL ? (const void *)scalar : second + done * bytes;
        compare(relation, is_swapped ? b : a, is_swapped ? a : b, to + done * answer_bytes, length);
    }
}

#define ITSELF(x) (x)
#define ALWAYS(x) 1
#define TRUTH(x)  ((x) != 0)
/* Of 16 bits: integers in the order of the floats, in which both zeros are 0. */
#define HALF_KEY(x)       ((int16_t)((x) < 0 ? -((x)&0x7fff) : (x)))
#define IS_FP16_NUMBER(x) (((x)&0x7fff) <= 0x7c00)
#define IS_BF16_NUMBER(x) (((x)&0x7fff) <= 0x7f80)

RELATION_LOOPS(compare_fp32, float, int32_t, ITSELF, ALWAYS)
RELATION_LOOPS(compare_fp64, double, int64_t, ITSELF, ALWAYS)
RELATION_LOOPS(compare_fp16, int16_t, int16_t, HALF_KEY, IS_FP16_NUMBER)
RELATION_LOOPS(compare_bf16, int16_t, int16_t, HALF_KEY, IS_BF16_NUMBER)
RELATION_LOOPS(compare_int8, int8_t, int8_t, ITSELF, ALWAYS)
RELATION_LOOPS(compare_int16, int16_t, int16_t, ITSELF, ALWAYS)
RELATION_LOOPS(compare_int32, int32_t, int32_t, ITSELF, ALWAYS)
RELATION_LOOPS(compare_int64, int64_t, int64_t, ITSELF, ALWAYS)
RELATION_LOOPS(compare_uint8, uint8_t, uint8_t, ITSELF, ALWAYS)
RELATION_LOOPS(compare_uint16, uint16_t, uint16_t, ITSELF, ALWAYS)
RELATION_LOOPS(compare_uint32, uint32_t, uint32_t, ITSELF, ALWAYS)
RELATION_LOOPS(compare_uint64, uint64_t, uint64_t, ITSELF, ALWAYS)
RELATION_LOOPS(compare_truth, uint8_t, uint8_t, TRUTH, ALWAYS)

struct complex64 {
    float part[2];
};
struct complex128 {
    double part[2];
};

#define COMPLEX_LOOPS(name, element, answer, yes, no)                                                       \
    static void name##_block(enum relation relation, const void *a_, const void *b_, void *to_,             \
                             size_t count)                                                                  \
    {                                                                                                       \
        const element *first = a_, *second = b_;                                                            \
        const answer equal = relation == RELATION_EQUAL ? (answer)yes : (answer)no;                         \
        const answer other = relation == RELATION_EQUAL ? (answer)no : (answer)yes;                         \
        answer *to = to_;                                                                                   \
        for (size_t i = 0; i < count; i++)                                                                  \
            to[i] = first[i].part[0] == second[i].part[0] && first[i].part[1] == second[i].part[1] ? equal  \
                                                                                                   : other; \
    }                                                                                                       \
    static void name(const void *const *input, void *output, size_t count, const void *parameters,          \
                     bool non_temporal)                                                                     \
    {                                                                                                       \
        (void)non_temporal;                                                                                 \
        compare_blocks(name##_block, sizeof(element), sizeof(answer), input, output, count, parameters);    \
    }

#define ONE_OF_COMPLEX \
    {                  \
        {              \
            1, 0       \
        }              \
    }
#define ZERO_OF_COMPLEX \
    {                   \
        {               \
            0, 0        \
        }               \
    }

COMPLEX_LOOPS(compare_complex64, struct complex64, int64_t, 1, 0)
COMPLEX_LOOPS(compare_complex128, struct complex128, struct complex128, ONE_OF_COMPLEX, ZERO_OF_COMPLEX)

/* BOOL of any bytes, of which only 0 is false. */
static void compare_bool(const void *const *input, void *output, size_t count, const void *prepared,
                         bool non_temporal)
{
    const struct compare_parameters *parameters = prepared;
    const uint8_t *first = input[0], *second = input[1];
    uint8_t *to = output;
    switch (parameters->relation) {
    case RELATION_BOTH_TRUE:
        for (size_t i = 0; i < count; i++)
            to[i] = (uint8_t)((first[i] != 0) & (second[i] != 0));
        break;
    case RELATION_ANY_TRUE:
        for (size_t i = 0; i < count; i++)
            to[i] = (first[i] | second[i]) != 0;
        break;
    case RELATION_ONE_TRUE:
        for (size_t i = 0; i < count; i++)
            to[i] = (first[i] != 0) != (second[i] != 0);
        break;
    case RELATION_NOT_TRUE:
        for (size_t i = 0; i < count; i++)
            to[i] = first[i] == 0;
        break;
    default:
        compare_truth(input, output, count, parameters, non_temporal);
        break;
    }
}

/* Of a scalar that the dtype does not reach: one answer for all. The elements of answers are integers. */
static bool beyond_answer(const struct compare_parameters *parameters)
{
    switch (parameters->relation) {
    case RELATION_LESS:
    case RELATION_LESS_OR_EQUAL:
        return parameters->beyond > 0;
    case RELATION_GREATER:
    case RELATION_GREATER_OR_EQUAL:
        return parameters->beyond < 0;
    default:
        return parameters->relation == RELATION_NOT_EQUAL;
    }
}

#define INTEGER_COMPARISON(dtype, element)                                                              \
    static void run_##dtype(const void *const *input, void *output, size_t count, const void *prepared, \
                            bool non_temporal)                                                          \
    {                                                                                                   \
        const struct compare_parameters *parameters = prepared;                                         \
        element *to = output;                                                                           \
        if (parameters->beyond == 0) {                                                                  \
            compare_##dtype(input, output, count, prepared, non_temporal);                              \
            return;                                                                                     \
        }                                                                                               \
        const element answer = beyond_answer(parameters);                                               \
        for (size_t i = 0; i < count; i++)                                                              \
            to[i] = answer;                                                                             \
    }

INTEGER_COMPARISON(int8, int8_t)
INTEGER_COMPARISON(int16, int16_t)
INTEGER_COMPARISON(int32, int32_t)
INTEGER_COMPARISON(int64, int64_t)
INTEGER_COMPARISON(uint8, uint8_t)
INTEGER_COMPARISON(uint16, uint16_t)
INTEGER_COMPARISON(uint32, uint32_t)
INTEGER_COMPARISON(uint64, uint64_t)

#define KERNELS_OF_FLOATS                                                   \
    {                                                                       \
        [ARITHMETIC_FP32] = compare_fp32, [ARITHMETIC_FP16] = compare_fp16, \
        [ARITHMETIC_BF16] = compare_bf16, [ARITHMETIC_FP64] = compare_fp64  \
    }

KERNELS(compare) = {
    .run = {[ACCURACY_DEFAULT] = KERNELS_OF_FLOATS, [ACCURACY_EXACT] = KERNELS_OF_FLOATS},
    .exact = {[ARITHMETIC_INT8] = run_int8,
              [ARITHMETIC_INT16] = run_int16,
              [ARITHMETIC_INT32] = run_int32,
              [ARITHMETIC_INT64] = run_int64,
              [ARITHMETIC_UINT8] = run_uint8,
              [ARITHMETIC_UINT16] = run_uint16,
              [ARITHMETIC_UINT32] = run_uint32,
              [ARITHMETIC_UINT64] = run_uint64,
              [ARITHMETIC_BOOL] = compare_bool,
              [ARITHMETIC_COMPLEX64] = compare_complex64,
              [ARITHMETIC_COMPLEX128] = compare_complex128},
};

#else

/* The contract. */
#include <string.h>

#include "aclnnop/aclnn_eq_scalar.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_ge_scalar.h"
#include "aclnnop/aclnn_ge_tensor.h"
#include "aclnnop/aclnn_gt_scalar.h"
#include "aclnnop/aclnn_gt_tensor.h"
#include "aclnnop/aclnn_le_scalar.h"
#include "aclnnop/aclnn_le_tensor.h"
#include "aclnnop/aclnn_logical_and.h"
#include "aclnnop/aclnn_logical_not.h"
#include "aclnnop/aclnn_logical_or.h"
#include "aclnnop/aclnn_logical_xor.h"
#include "aclnnop/aclnn_lt_scalar.h"
#include "aclnnop/aclnn_lt_tensor.h"
#include "aclnnop/aclnn_ne_scalar.h"
#include "aclnnop/aclnn_ne_tensor.h"
#include "ops/check.h"
#include "ops/scalar.h"
#include "tensor/dtype.h"

enum { SELF, OTHER };

KERNEL_LEVELS(compare);
static const struct elementwise elementwise = {compare_kernels, .cost_ps = {100, 100}};

/* Of an element that the kernel for the dtype writes. */
static aclDataType answer_dtype(aclDataType computed)
{
    switch (dtype_bytes(computed)) {
    case 1:
        return ACL_BOOL;
    case 2:
        return ACL_INT16;
    case 4:
        return ACL_INT32;
    case 8:
        return ACL_INT64;
    default:
        return computed;
    }
}

static aclnnStatus plan_relation(const struct call *call, const struct result *result,
                                 struct compare_parameters *parameters)
{
    return elementwise_plan_to(call, result->computed, answer_dtype(result->computed), parameters,
                               sizeof *parameters);
}

static aclnnStatus infer_broadcast(const struct call *call, struct result *result)
{
    static const unsigned both[] = {SELF, OTHER};
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, OTHER));
    return result_broadcast(result, call, both, 2, ACL_BOOL, DTYPE_ANY);
}

static aclnnStatus infer_tensor(const struct call *call, struct result *result)
{
    static const unsigned both[] = {SELF, OTHER};
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, OTHER));
    TRY(check_promotion(call, both, 2, &result->computed));
    return infer_broadcast(call, result);
}

/* The conversion to BOOL tells what is not 0. */
static aclnnStatus infer_logic(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, OTHER));
    result->computed = ACL_BOOL;
    return infer_broadcast(call, result);
}

static aclnnStatus infer_not(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    result->computed = ACL_BOOL;
    result_add(result, ACL_BOOL, DTYPE_ANY)->like = SELF;
    return ACLNN_SUCCESS;
}

#define FLOATS    (DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_FLOAT16) | DTYPE_BIT(ACL_BF16) | DTYPE_BIT(ACL_DOUBLE))
#define COMPLEXES (DTYPE_BIT(ACL_COMPLEX64) | DTYPE_BIT(ACL_COMPLEX128))

static bool is_one_of(aclDataType dtype, uint64_t set)
{
    return (set >> (unsigned)dtype & 1) != 0;
}

/* The tensor's own dtype, unless a scalar of a later kind (BOOL, integer, float, complex) stands beside it.
 */
static aclDataType dtype_beside_scalar(aclDataType self, aclDataType scalar)
{
    if (is_one_of(self, COMPLEXES) || self == scalar)
        return self;
    if (is_one_of(scalar, COMPLEXES))
        return promote(self, scalar);
    if (is_one_of(self, FLOATS))
        return self;
    if (is_one_of(scalar, FLOATS))
        return promote(self, scalar);
    return self == ACL_BOOL ? scalar : self;
}

static aclnnStatus infer_scalar(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, OTHER));
    const aclDataType self = call->tensor[SELF].dtype;
    result->computed = dtype_beside_scalar(self, call->scalar[OTHER].dtype);
    if (result->computed == ACL_DT_UNDEFINED)
        return tell_promotion(call, OTHER, self);
    TRY(check_rank(call, SELF));
    result_add(result, ACL_BOOL, DTYPE_ANY)->like = SELF;
    return ACLNN_SUCCESS;
}

/* 1, -1 or 0: an integer scalar is above, below or among what an integer dtype has. */
static int8_t beyond(const struct scalar_value *scalar, aclDataType dtype)
{
    static const struct {
        int64_t least;
        uint64_t greatest;
    } range[] = {
        [ACL_INT8] = {INT8_MIN, INT8_MAX},    [ACL_INT16] = {INT16_MIN, INT16_MAX},
        [ACL_INT32] = {INT32_MIN, INT32_MAX}, [ACL_INT64] = {INT64_MIN, INT64_MAX},
        [ACL_UINT8] = {0, UINT8_MAX},         [ACL_UINT16] = {0, UINT16_MAX},
        [ACL_UINT32] = {0, UINT32_MAX},       [ACL_UINT64] = {0, UINT64_MAX},
    };
    const uint64_t naturals =
        DTYPE_BIT(ACL_UINT8) | DTYPE_BIT(ACL_UINT16) | DTYPE_BIT(ACL_UINT32) | DTYPE_BIT(ACL_UINT64);
    if ((size_t)dtype >= sizeof range / sizeof range[0] || range[dtype].greatest == 0)
        return 0;
    if (!is_one_of(scalar->dtype, naturals) && scalar->value.integer < range[dtype].least)
        return -1;
    bool is_negative = !is_one_of(scalar->dtype, naturals) && scalar->value.integer < 0;
    return !is_negative && scalar->value.natural > range[dtype].greatest;
}

static aclnnStatus plan_scalar(const struct call *call, const struct result *result, enum relation relation)
{
    struct compare_parameters parameters = {.relation = relation, .has_scalar = true};
    const struct scalar_value *scalar = &call->scalar[OTHER];
    if (!is_one_of(scalar->dtype, FLOATS | COMPLEXES))
        parameters.beyond = beyond(scalar, result->computed);
    scalar_convert(scalar, result->computed, parameters.scalar);
    return plan_relation(call, result, &parameters);
}

/* A plan function for one relation. */
#define PLANS(name, relation_)                                                           \
    static aclnnStatus name##_plan(const struct call *call, const struct result *result) \
    {                                                                                    \
        struct compare_parameters parameters = {.relation = RELATION_##relation_};       \
        return plan_relation(call, result, &parameters);                                 \
    }
#define SCALAR_PLANS(name, relation_)                                                           \
    static aclnnStatus name##_scalar_plan(const struct call *call, const struct result *result) \
    {                                                                                           \
        return plan_scalar(call, result, RELATION_##relation_);                                 \
    }

/* The parameters of the four functions of a comparison: with out and in place, of a tensor and a scalar. */
#define ORDERED   &dtypes_castable_to_fp32
#define UNORDERED &dtypes_all

#define PARAMETER_LISTS(kind, dtypes)                                                               \
    static const struct parameter kind##_tensor[] = {READ("self", dtypes), READ("other", dtypes),   \
                                                     WRITTEN("out", &dtypes_all)};                  \
    static const struct parameter kind##_tensor_in_place[] = {BOTH("selfRef", dtypes),              \
                                                              READ("other", dtypes)};               \
    static const struct parameter kind##_scalar[] = {READ("self", dtypes), SCALAR("other", dtypes), \
                                                     WRITTEN("out", &dtypes_all)};                  \
    static const struct parameter kind##_scalar_in_place[] = {BOTH("selfRef", dtypes),              \
                                                              SCALAR("other", dtypes)};
PARAMETER_LISTS(ORDERED, ORDERED)
PARAMETER_LISTS(UNORDERED, UNORDERED)

#define COMMON(stem_, parameters_, infer_, plan_)                                                   \
    .stem = (stem_), PARAMETERS(parameters_), .promise = &promise_exact, ELEMENTWISE(&elementwise), \
    .infer = (infer_), .plan = (plan_)

#define COMPARISON(name, stem_, relation, dtypes)                                                  \
    PLANS(stem_, relation)                                                                         \
    SCALAR_PLANS(stem_, relation)                                                                  \
    FUNCTION(aclnn##name##Tensor, (const aclTensor *self, const aclTensor *other, aclTensor *out), \
             (ARG(self), ARG(other), ARG(out)),                                                    \
             COMMON(#stem_ "_tensor", dtypes##_tensor, infer_tensor, stem_##_plan));               \
    FUNCTION(aclnnInplace##name##Tensor, (aclTensor * selfRef, const aclTensor *other),            \
             (ARG(selfRef), ARG(other)),                                                           \
             COMMON(#stem_ "_tensor", dtypes##_tensor_in_place, infer_tensor, stem_##_plan));      \
    FUNCTION(aclnn##name##Scalar, (const aclTensor *self, const aclScalar *other, aclTensor *out), \
             (ARG(self), ARG(other), ARG(out)),                                                    \
             COMMON(#stem_ "_scalar", dtypes##_scalar, infer_scalar, stem_##_scalar_plan));        \
    FUNCTION(aclnnInplace##name##Scalar, (aclTensor * selfRef, const aclScalar *other),            \
             (ARG(selfRef), ARG(other)),                                                           \
             COMMON(#stem_ "_scalar", dtypes##_scalar_in_place, infer_scalar, stem_##_scalar_plan));

COMPARISONS(COMPARISON)

#define LOGIC(name, stem_, relation)                                                       \
    PLANS(stem_, relation)                                                                 \
    FUNCTION(aclnn##name, (const aclTensor *self, const aclTensor *other, aclTensor *out), \
             (ARG(self), ARG(other), ARG(out)),                                            \
             COMMON(#stem_, UNORDERED_tensor, infer_logic, stem_##_plan));

#define LOGIC_IN_PLACE(name, stem_, relation)                                                               \
    FUNCTION(aclnnInplace##name, (aclTensor * selfRef, const aclTensor *other), (ARG(selfRef), ARG(other)), \
             COMMON(#stem_, UNORDERED_tensor_in_place, infer_logic, stem_##_plan));

LOGICS(LOGIC)
LOGICS(LOGIC_IN_PLACE)
LOGIC(LogicalXor, logical_xor, ONE_TRUE)

static const struct parameter not_parameters[] = {READ("self", UNORDERED), WRITTEN("out", &dtypes_all)};
static const struct parameter not_in_place[] = {BOTH("selfRef", UNORDERED)};

PLANS(logical_not, NOT_TRUE)
FUNCTION(aclnnLogicalNot, (const aclTensor *self, aclTensor *out), (ARG(self), ARG(out)),
         COMMON("logical_not", not_parameters, infer_not, logical_not_plan));
FUNCTION(aclnnInplaceLogicalNot, (aclTensor * selfRef), (ARG(selfRef)),
         COMMON("logical_not", not_in_place, infer_not, logical_not_plan));

#endif
