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

/*
 * Results are integers as large as the elements: loops without branches, which become vector code with -O3.
 * KEY is what compares as the element does, IS_NUMBER whether it is no NaN.
 */
#define RELATION_LOOP(relation_, answer, expression) \
    case relation_:                                  \
        for (size_t i = 0; i < count; i++)           \
            to[i] = (answer)(expression);            \
        break;

#define COMPARE(name, element, answer, KEY, IS_NUMBER, LOGIC)                                           \
    static void name##_block(enum relation relation, const void *a_, const void *b_, void *to_,         \
                             size_t count)                                                              \
    {                                                                                                   \
        const element *a = a_, *b = b_;                                                                 \
        answer *to = to_;                                                                               \
        switch (relation) {                                                                             \
            RELATION_LOOP(RELATION_LESS, answer,                                                        \
                          (KEY(a[i]) < KEY(b[i])) & IS_NUMBER(a[i]) & IS_NUMBER(b[i]))                  \
            RELATION_LOOP(RELATION_LESS_OR_EQUAL, answer,                                               \
                          (KEY(a[i]) <= KEY(b[i])) & IS_NUMBER(a[i]) & IS_NUMBER(b[i]))                 \
            RELATION_LOOP(RELATION_EQUAL, answer, (KEY(a[i]) == KEY(b[i])) & IS_NUMBER(a[i]))           \
            RELATION_LOOP(RELATION_NOT_EQUAL, answer, ((KEY(a[i]) == KEY(b[i])) & IS_NUMBER(a[i])) ^ 1) \
            LOGIC                                                                                       \
        default:                                                                                        \
            for (size_t i = 0; i < count; i++)                                                          \
                to[i] = relation == RELATION_ALWAYS;                                                    \
            break;                                                                                      \
        }                                                                                               \
    }                                                                                                   \
    KERNEL(name)                                                                                        \
    {                                                                                                   \
        (void)non_temporal;                                                                             \
        compare_blocks(name##_block, sizeof(element), input, output, count, parameters);                \
    }

#define ITSELF(x) (x)
#define ALWAYS(x) 1
#define TRUTH(x)  ((x) != 0)
/* Of 16 bits: integers in the order of the floats, in which both zeros are 0. */
#define HALF_KEY(x)       ((int16_t)((x) < 0 ? -((x)&0x7fff) : (x)))
#define IS_FP16_NUMBER(x) (((x)&0x7fff) <= 0x7c00)
#define IS_BF16_NUMBER(x) (((x)&0x7fff) <= 0x7f80)

COMPARE(compare_fp32, float, int32_t, ITSELF, ALWAYS, )
COMPARE(compare_fp64, double, int64_t, ITSELF, ALWAYS, )
COMPARE(compare_fp16, int16_t, int16_t, HALF_KEY, IS_FP16_NUMBER, )
COMPARE(compare_bf16, int16_t, int16_t, HALF_KEY, IS_BF16_NUMBER, )
COMPARE(compare_int8, int8_t, int8_t, ITSELF, ALWAYS, )
COMPARE(compare_int16, int16_t, int16_t, ITSELF, ALWAYS, )
COMPARE(compare_int32, int32_t, int32_t, ITSELF, ALWAYS, )
COMPARE(compare_int64, int64_t, int64_t, ITSELF, ALWAYS, )
COMPARE(compare_uint8, uint8_t, uint8_t, ITSELF, ALWAYS, )
COMPARE(compare_uint16, uint16_t, uint16_t, ITSELF, ALWAYS, )
COMPARE(compare_uint32, uint32_t, uint32_t, ITSELF, ALWAYS, )
COMPARE(compare_uint64, uint64_t, uint64_t, ITSELF, ALWAYS, )
COMPARE(compare_bool, uint8_t, uint8_t, TRUTH, ALWAYS, /* of any bytes, of which only 0 is false */
        RELATION_LOOP(RELATION_BOTH_TRUE, uint8_t, TRUTH(a[i]) & TRUTH(b[i]))
            RELATION_LOOP(RELATION_ANY_TRUE, uint8_t, TRUTH(a[i] | b[i]))
                RELATION_LOOP(RELATION_ONE_TRUE, uint8_t, TRUTH(a[i]) ^ TRUTH(b[i])))

/* Complex numbers are equal or not; the answer is the real part of a number. */
#define COMPARE_COMPLEX(name, part)                                                                       \
    static void name##_block(enum relation relation, const void *a_, const void *b_, void *to_,           \
                             size_t count)                                                                \
    {                                                                                                     \
        const part *a = a_, *b = b_;                                                                      \
        part *to = to_;                                                                                   \
        for (size_t i = 0; i < 2 * count; i += 2) {                                                       \
            to[i] = (part)(((a[i] == b[i]) & (a[i + 1] == b[i + 1])) ^ (relation == RELATION_NOT_EQUAL)); \
            to[i + 1] = 0;                                                                                \
        }                                                                                                 \
    }                                                                                                     \
    KERNEL(name)                                                                                          \
    {                                                                                                     \
        (void)non_temporal;                                                                               \
        compare_blocks(name##_block, 2 * sizeof(part), input, output, count, parameters);                 \
    }

COMPARE_COMPLEX(compare_complex64, float)
COMPARE_COMPLEX(compare_complex128, double)

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
#include "ops/pointwise/elementwise.h"
#include "ops/scalar.h"
#include "tensor/dtype.h"

enum { SELF, OTHER, ASSUME_UNIQUE, INVERT }; /* the last two of IsInTensorScalar */

/* What of_family of these functions is. */
struct comparison {
    struct elementwise elementwise;
    enum relation relation;
};

static aclnnStatus infer_tensors(const struct call *call, struct result *result)
{
    static const unsigned both[] = {SELF, OTHER};
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, OTHER));
    TRY(check_promotion(call, both, 2, &result->computed));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, OTHER));
    return result_broadcast(result, call, both, 2, ACL_BOOL, DTYPE_ANY);
}

/* Logic of two tensors or of one. The conversion to BOOL tells what is not 0. */
static aclnnStatus infer_logic(const struct call *call, struct result *result)
{
    static const unsigned both[] = {SELF, OTHER};
    const unsigned operands =
        call->function->parameter_count - parameter_is_output(&call->function->parameter[call_output(call)]);
    for (unsigned i = 0; i < operands; i++)
        TRY(check_dtype(call, i));
    for (unsigned i = 0; i < operands; i++)
        TRY(check_rank(call, i));
    result->computed = ACL_BOOL;
    if (operands == 2)
        return result_broadcast(result, call, both, operands, ACL_BOOL, DTYPE_ANY);
    result_add(result, ACL_BOOL, DTYPE_ANY)->like = SELF;
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
    if (parameters.relation == RELATION_EQUAL && call->function->parameter_count > INVERT &&
        call->argument[INVERT].boolean)
        parameters.relation = RELATION_NOT_EQUAL;
    if (parameters.relation == RELATION_NOT_TRUE) {
        parameters.relation = RELATION_EQUAL;
        parameters.has_scalar = true;
    } else if (call->function->parameter[OTHER].kind == PARAMETER_SCALAR) {
        const struct scalar_value *scalar = &call->scalar[OTHER];
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

#define COMPARING(relation) [relation] = {{compare_kernels, .cost_ps = {100, 100}}, relation}
static const struct comparison comparisons[] = {
    COMPARING(RELATION_EQUAL),         COMPARING(RELATION_NOT_EQUAL), COMPARING(RELATION_LESS),
    COMPARING(RELATION_LESS_OR_EQUAL), COMPARING(RELATION_GREATER),   COMPARING(RELATION_GREATER_OR_EQUAL),
    COMPARING(RELATION_BOTH_TRUE),     COMPARING(RELATION_ANY_TRUE),  COMPARING(RELATION_ONE_TRUE),
    COMPARING(RELATION_NOT_TRUE)};

/* The parameters of each form. */
#define PARAMETERS_OF_FORMS(kind, dtypes)                                                                   \
    static const struct parameter kind##_TENSORS[] = {READ("self", dtypes), READ("other", dtypes),          \
                                                      WRITTEN("out", &dtypes_all)},                         \
                                  kind##_TENSORS_IN_PLACE[] = {BOTH("selfRef", dtypes),                     \
                                                               READ("other", dtypes)},                      \
                                  kind##_SCALAR_AND_OUT[] = {READ("self", dtypes), SCALAR("other", dtypes), \
                                                             WRITTEN("out", &dtypes_all)},                  \
                                  kind##_SCALAR_IN_PLACE[] = {BOTH("selfRef", dtypes),                      \
                                                              SCALAR("other", dtypes)};
PARAMETERS_OF_FORMS(ORDERED, &dtypes_reals)
PARAMETERS_OF_FORMS(UNORDERED, &dtypes_all)
static const struct parameter UNORDERED_ONE[] = {READ("self", &dtypes_all), WRITTEN("out", &dtypes_all)},
                              UNORDERED_ONE_IN_PLACE[] = {BOTH("selfRef", &dtypes_all)};

#define COMMON(stem_, relation, parameters_, infer_)                     \
    .stem = (stem_), PARAMETERS(parameters_), .promise = &promise_exact, \
    ELEMENTWISE(&comparisons[RELATION_##relation].elementwise), .infer = (infer_), .plan = plan

#define FORM_TENSORS(api, ...)                                                     \
    FUNCTION(api, (const aclTensor *self, const aclTensor *other, aclTensor *out), \
             (ARG(self), ARG(other), ARG(out)), COMMON(__VA_ARGS__));
#define FORM_TENSORS_IN_PLACE(api, ...)                                                      \
    FUNCTION(api, (aclTensor * selfRef, const aclTensor *other), (ARG(selfRef), ARG(other)), \
             COMMON(__VA_ARGS__));
#define FORM_SCALAR_AND_OUT(api, ...)                                              \
    FUNCTION(api, (const aclTensor *self, const aclScalar *other, aclTensor *out), \
             (ARG(self), ARG(other), ARG(out)), COMMON(__VA_ARGS__));
#define FORM_SCALAR_IN_PLACE(api, ...)                                                       \
    FUNCTION(api, (aclTensor * selfRef, const aclScalar *other), (ARG(selfRef), ARG(other)), \
             COMMON(__VA_ARGS__));
#define FORM_ONE(api, ...) \
    FUNCTION(api, (const aclTensor *self, aclTensor *out), (ARG(self), ARG(out)), COMMON(__VA_ARGS__));
#define FORM_ONE_IN_PLACE(api, ...) FUNCTION(api, (aclTensor * selfRef), (ARG(selfRef)), COMMON(__VA_ARGS__));

#define COMPARISON(api, stem, relation, form, dtypes) \
    FORM_##form(api, #stem, relation, dtypes##_##form, infer_##form)
#define LOGIC(api, stem, relation, form) FORM_##form(api, #stem, relation, UNORDERED_##form, infer_logic)
#define infer_TENSORS                    infer_tensors
#define infer_TENSORS_IN_PLACE           infer_tensors
#define infer_SCALAR_AND_OUT             infer_scalar
#define infer_SCALAR_IN_PLACE            infer_scalar

#include "ops/pointwise/comparisons.h"

static aclnnStatus infer_is_in(const struct call *call, struct result *result)
{
    TRY(infer_scalar(call, result));
    result->output[0].dtype_rule = DTYPE_EQUAL;
    return ACLNN_SUCCESS;
}

static const struct parameter is_in_parameters[] = {
    [SELF] = READ("element", &dtypes_floats_integers_uint16_bool_complex),
    [OTHER] = SCALAR("testElement", &dtypes_floats_integers_bool_complex),
    [ASSUME_UNIQUE] = USUAL("assumeUnique", BOOL, "false"),
    [INVERT] = USUAL("invert", BOOL, "false"),
    WRITTEN("out", &dtypes_bool),
};

FUNCTION(aclnnIsInTensorScalar,
         (const aclTensor *element, const aclScalar *testElement, bool assumeUnique, bool invert,
          aclTensor *out),
         (ARG(element), ARG(testElement), ARG(assumeUnique), ARG(invert), ARG(out)),
         COMMON("is_in_tensor_scalar", EQUAL, is_in_parameters, infer_is_in));

#endif
