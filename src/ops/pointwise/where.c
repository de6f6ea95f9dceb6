/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One of two where a condition holds, the other elsewhere: the bits of what is chosen, NaN included. What is
 * not 0 holds. The walker converts the condition to the dtype of the elements.
 */
#include "simd/vector/kernel.h"

#include <stdbool.h>
#include <stdint.h>

/* The places of the condition, of what is chosen where it holds, and of the other, among the kernel's inputs;
 * or a scalar where it holds. */
struct where_parameters {
    uint32_t element_bytes;
    uint8_t condition, yes, no;
    bool has_scalar;
    uint64_t
        truth; /* the bits of a condition, each element's or each 8 bytes', of which one holds: -0 is 0 */
    _Alignas(16) unsigned char scalar[16];
};

#ifdef KERNEL_PASS

#include <string.h>

/* Writes element i, by bits of the one that the condition's element i names, so that there is no branch. The
 * condition holds where a bit of truth is set in it. */
typedef void choose_function(const void *condition, const void *yes, size_t yes_at, const void *no, void *to,
                             size_t i, uint64_t truth);

/* step: 0 where yes is a scalar, else 1. */
static inline __attribute__((always_inline)) void choose_each(choose_function *choose, size_t bytes,
                                                              const void *condition, const void *yes,
                                                              size_t step, const void *no, void *to,
                                                              size_t count, uint64_t truth)
{
    unsigned char value[sizeof(uint64_t)];
    memcpy(value, yes, bytes);
    for (size_t i = 0; i < count && step == 0; i++)
        choose(condition, value, 0, no, to, i, truth);
    for (size_t i = 0; i < count && step == 1; i++)
        choose(condition, yes, i, no, to, i, truth);
}

#define CHOOSE(name, type)                                                                              \
    static inline void name##_at(const void *condition, const void *yes, size_t yes_at, const void *no, \
                                 void *to, size_t i, uint64_t truth)                                    \
    {                                                                                                   \
        const type held = (type) - ((((const type *)condition)[i] & (type)truth) != 0);                 \
        type chosen;                                                                                    \
        memcpy(&chosen, (const char *)yes + yes_at * sizeof chosen, sizeof chosen);                     \
        ((type *)to)[i] = (type)((chosen & held) | (((const type *)no)[i] & (type)~held));              \
    }                                                                                                   \
    static void name(const void *condition, const void *yes, size_t step, const void *no, void *to,     \
                     size_t count, uint64_t truth)                                                      \
    {                                                                                                   \
        choose_each(name##_at, sizeof(type), condition, yes, step, no, to, count, truth);               \
    }

CHOOSE(choose_8, uint8_t)
CHOOSE(choose_16, uint16_t)
CHOOSE(choose_32, uint32_t)
CHOOSE(choose_64, uint64_t)

static void choose_128(const void *condition_, const void *yes_, size_t step, const void *no_, void *to_,
                       size_t count, uint64_t truth)
{
    const uint64_t *condition = condition_, *yes = yes_, *no = no_;
    uint64_t *to = to_;
    for (size_t i = 0; i < 2 * count; i++) {
        const uint64_t held = -(uint64_t)(((condition[i & ~(size_t)1] | condition[i | 1]) & truth) != 0);
        to[i] = (yes[step == 0 ? i & 1 : i] & held) | (no[i] & ~held);
    }
}

static void choose_elements(const void *const *input, void *output, size_t count, const void *prepared,
                            bool non_temporal)
{
    const struct where_parameters *where = prepared;
    const void *condition = input[where->condition], *no = input[where->no];
    const void *yes = where->has_scalar ? where->scalar : input[where->yes];
    const size_t step = where->has_scalar ? 0 : 1;
    (void)non_temporal;
    switch (where->element_bytes) {
    case 1:
        choose_8(condition, yes, step, no, output, count, where->truth);
        break;
    case 2:
        choose_16(condition, yes, step, no, output, count, where->truth);
        break;
    case 4:
        choose_32(condition, yes, step, no, output, count, where->truth);
        break;
    case 8:
        choose_64(condition, yes, step, no, output, count, where->truth);
        break;
    default:
        choose_128(condition, yes, step, no, output, count, where->truth);
        break;
    }
}

KERNELS(where) = {.any = choose_elements};

#else

/* The contract. */
#include "aclnnop/aclnn_masked_fill_scalar.h"
#include "aclnnop/aclnn_masked_fill_tensor.h"
#include "aclnnop/aclnn_s_where.h"
#include "ops/check.h"
#include "ops/entries.h"
#include "ops/dtypes.h"
#include "ops/overlap.h"
#include "ops/loops/elementwise.h"
#include "ops/pointwise/masked_places.h"
#include "ops/scalar.h"
#include "tensor/dtype.h"

KERNEL_LEVELS(where);
static const struct elementwise elementwise = {where_kernels, .cost_ps = {100, 100}};

/* Without the signs of floats. */
static uint64_t truth_bits(aclDataType dtype)
{
    switch (dtype) {
    case ACL_FLOAT16:
    case ACL_BF16:
        return 0x7fff;
    case ACL_FLOAT:
    case ACL_COMPLEX64:
        return UINT64_C(0x7fffffff7fffffff);
    case ACL_DOUBLE:
    case ACL_COMPLEX128:
        return UINT64_C(0x7fffffffffffffff);
    default:
        return UINT64_MAX;
    }
}

static aclnnStatus plan_where(const struct call *call, const struct result *result,
                              struct where_parameters *parameters)
{
    parameters->element_bytes = dtype_bytes(result->computed);
    parameters->truth = truth_bits(result->computed);
    return elementwise_plan(call, result->computed, parameters, sizeof *parameters);
}

static bool is_float(aclDataType dtype)
{
    return arithmetic_of(dtype) < ARITHMETICS;
}

/* Whether what is not 0 stays so in the dtype of the elements. */
static bool keeps_truth(aclDataType condition, aclDataType dtype)
{
    if (dtype_bytes(condition) == 1 || dtype == ACL_BOOL)
        return true;
    if (is_float(condition))
        return dtype_is_one_of(dtype, DTYPES_COMPLEX) ||
               (is_float(dtype) && promote(condition, dtype) == dtype);
    return is_float(dtype) || dtype_is_one_of(dtype, DTYPES_COMPLEX | DTYPES_SMALL) ||
           dtype_bytes(condition) <= dtype_bytes(dtype);
}

static aclnnStatus infer_where(const struct call *call, struct result *result)
{
    enum { CONDITION, SELF, OTHER };
    static const unsigned all[] = {CONDITION, SELF, OTHER}, both[] = {SELF, OTHER};
    for (unsigned i = 0; i < 3; i++)
        TRY(check_dtype(call, i));
    TRY(check_promotion(call, both, 2, &result->computed));
    if (!keeps_truth(call->tensor[CONDITION].dtype, result->computed))
        return refuse(call,
                      "condition has dtype %s beside elements of %s, in which its numbers may become 0; BOOL "
                      "is expected",
                      dtype_name(call->tensor[CONDITION].dtype), dtype_name(result->computed));
    for (unsigned i = 0; i < 3; i++)
        TRY(check_rank(call, i));
    return result_broadcast(result, call, all, 3, result->computed, DTYPE_ANY);
}

static aclnnStatus plan_s_where(const struct call *call, const struct result *result)
{
    struct where_parameters parameters = {.condition = 0, .yes = 1, .no = 2};
    return plan_where(call, result, &parameters);
}

FUNCTION_WITH(aclnnSWhere,
              ((IN, condition, &dtypes_floats_integers_bool, .sample = "2x3:BOOL"),
               (IN, self, &dtypes_all_small, .is_partly_read = true),
               (IN, other, &dtypes_all_small, .is_partly_read = true), (OUT, out, &dtypes_all_small)),
              .stem = "s_where", .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = infer_where,
              .plan = plan_s_where);

enum { REF, MASK, VALUE };

/* The mask is as large as selfRef or broadcasts to it. */
static aclnnStatus infer_fill(const struct call *call, struct result *result)
{
    static const unsigned both[] = {REF, MASK};
    const bool is_tensor = call->function->parameter[VALUE].kind == PARAMETER_TENSOR;
    for (unsigned i = 0; i < 3; i++)
        TRY(check_dtype(call, i));
    TRY(check_rank(call, REF));
    TRY(check_rank(call, MASK));
    if (is_tensor)
        TRY(check_rank(call, VALUE));
    result->computed = call->tensor[REF].dtype;
    TRY(result_broadcast(result, call, both, 2, result->computed, DTYPE_EQUAL));
    result->output[0].may_overlap = true;
    return is_tensor ? check_one_element(call, VALUE) : ACLNN_SUCCESS;
}

/* A complex value has a real part where selfRef has no other. */
static void convert_value(const struct scalar_value *value, aclDataType dtype, void *element)
{
    struct scalar_value real = *value;
    if (dtype_is_one_of(value->dtype, DTYPES_COMPLEX) && !dtype_is_one_of(dtype, DTYPES_COMPLEX))
        real = (struct scalar_value){.dtype = ACL_DOUBLE, .value.real = value->value.complex_[0]};
    scalar_convert(&real, dtype, element);
}

static bool shares_elements(const struct call *call)
{
    return !call->is_uniform && view_overlaps_itself(&call->tensor[REF]);
}

static aclnnStatus plan_fill_scalar(const struct call *call, const struct result *result)
{
    struct where_parameters parameters = {.condition = MASK, .no = REF, .has_scalar = true};
    convert_value(&call->scalar[VALUE], result->computed, parameters.scalar);
    if (shares_elements(call))
        return masked_places_plan(call, REF, MASK, VALUE, parameters.scalar);
    return plan_where(call, result, &parameters);
}

static aclnnStatus plan_fill_tensor(const struct call *call, const struct result *result)
{
    struct where_parameters parameters = {.condition = MASK, .yes = VALUE, .no = REF};
    if (shares_elements(call))
        return masked_places_plan(call, REF, MASK, VALUE, NULL);
    return plan_where(call, result, &parameters);
}

FUNCTION_WITH(aclnnInplaceMaskedFillScalar,
              ((BOTH, selfRef, &dtypes_all_small, .is_partly_read = true),
               (IN, mask, &dtypes_uint8_bool, .sample = "2x3:BOOL"), (SCALAR, value, &dtypes_all)),
              .stem = "masked_fill_scalar", .promise = &promise_exact, ELEMENTWISE(&elementwise),
              .infer = infer_fill, .plan = plan_fill_scalar);

FUNCTION_WITH(aclnnInplaceMaskedFillTensor,
              ((BOTH, selfRef, &dtypes_all_small, .is_partly_read = true),
               (IN, mask, &dtypes_uint8_bool, .sample = "2x3:BOOL"),
               (IN, value, &dtypes_all_small, .sample = "1")),
              .stem = "masked_fill_tensor", .promise = &promise_exact, ELEMENTWISE(&elementwise),
              .infer = infer_fill, .plan = plan_fill_tensor);

#endif
