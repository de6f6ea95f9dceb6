/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest or least element along a dim with its place, and the one up to each element. NaN is before
 * every number, -0 equals +0. Of equal elements the first counts, of those up to an element the latest.
 */
#include "simd/loops/scan_kernel.h"

#ifdef KERNEL_PASS

/* The maths: keys, whole numbers that order as the elements do, are made of the bits of elements. */
typedef int32_t bits32 __attribute__((may_alias));
typedef int64_t bits64 __attribute__((may_alias));

/* The key of a float, without branches: a shift by all bits but one makes a mask of a sign. flip, all bits or
 * none, turns the order round, but for NaN. */
#define FLOAT_KEY(name, type, most, infinity)                                                 \
    static inline type name(type bits, type flip)                                             \
    {                                                                                         \
        const int all = 8 * (int)sizeof(type) - 1;                                            \
        const type size = bits & (most), is_zero = (size - 1) >> all;                         \
        const type is_nan = ((infinity)-size) >> all;                                         \
        const type order = (bits ^ (bits >> all & (most))) & ~is_zero; /* 0 for -0 as well */ \
        return ((order ^ flip) & ~is_nan) | ((most)&is_nan);                                  \
    }
#define INTEGER_KEY(name, type)                   \
    static inline type name(type bits, type flip) \
    {                                             \
        return bits ^ flip;                       \
    }

FLOAT_KEY(key_fp32, int32_t, INT32_MAX, 0x7f800000)
FLOAT_KEY(key_fp64, int64_t, INT64_MAX, INT64_C(0x7ff0000000000000))
INTEGER_KEY(key_int32, int32_t)
INTEGER_KEY(key_int64, int64_t)

/*
 * The greatest keys of lines side by side, STRIP of them where their number is constant, and where they are.
 * A line alone is one of rows that lie side by side, STRIP elements each; of its STRIP places the best one
 * counts. Rows are numbered in the size of keys.
 */
enum { ROWS = 1 << 20, STRIP = 32, PART = 8 };

#define word         int32_t
#define element_bits bits32
#define KEY          key_fp32
#define NAME(name)   name##_fp32
#include "ops/scan/extremes_of_dtype.h"

#define word         int64_t
#define element_bits bits64
#define KEY          key_fp64
#define NAME(name)   name##_fp64
#include "ops/scan/extremes_of_dtype.h"

#define word         int32_t
#define element_bits bits32
#define KEY          key_int32
#define NAME(name)   name##_int32
#include "ops/scan/extremes_of_dtype.h"

#define word         int64_t
#define element_bits bits64
#define KEY          key_int64
#define NAME(name)   name##_int64
#include "ops/scan/extremes_of_dtype.h"

SCAN_KERNELS(extremes) = {extreme_fp32, extreme_fp64, extreme_int32, extreme_int64};
SCAN_KERNELS(running) = {running_fp32, running_fp64, running_int32, running_int64};

#else

/* The contract. */
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_argmin.h"
#include "aclnnop/aclnn_cummax.h"
#include "aclnnop/aclnn_cummin.h"
#include "aclnnop/aclnn_max_dim.h"
#include "aclnnop/aclnn_min_dim.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/reduce.h"
#include "ops/loops/scan.h"
#include "ops/signature.h"

SCAN_LEVELS(extremes);
SCAN_LEVELS(running);

#define MAX_DIM(X, of)                            \
    X(of, IN, self, &dtypes_floats_integers_bool) \
    X(of, INT64, dim, .usual = "-1")              \
    X(of, BOOL, keepdim, .usual = "false")        \
    X(of, OUT, out, &dtypes_floats_integers_bool) \
    X(of, OUT, indices, &dtypes_int32_int64)
SIGNATURE(MAX_DIM)
#define ARG_MAX(X, of)                                     \
    X(of, IN, self, &dtypes_floats_integers_on_950_uint16) \
    X(of, INT64, dim, .usual = "-1")                       \
    X(of, BOOL, keepdim, .usual = "false")                 \
    X(of, OUT, out, &dtypes_int32_int64)
SIGNATURE(ARG_MAX)
#define CUMMAX(X, of)                                   \
    X(of, IN, self, &dtypes_floats_integers_bool)       \
    X(of, INT64, dim, .usual = "-1")                    \
    X(of, OUT, valuesOut, &dtypes_floats_integers_bool) \
    X(of, OUT, indicesOut, &dtypes_int32_int64)
SIGNATURE(CUMMAX)

/* What the kernels see: the float or integer that has all of the dtype's numbers. */
static aclDataType computed_of(aclDataType dtype)
{
    return dtype == ACL_DOUBLE || dtype == ACL_INT64 || dtype == ACL_FLOAT ? dtype
           : dtype == ACL_FLOAT16 || dtype == ACL_BF16                     ? ACL_FLOAT
                                                                           : ACL_INT32;
}

static unsigned outputs_of(const struct call *call)
{
    return call->function->parameter_count - 1 - call_written(call, 0) + 1;
}

/* What of_family of these functions is: whether the least element is asked for. */
static const bool least = true, greatest = false;

/* Indices are INT32 or INT64, whichever was given. */
static void set_indices(const struct call *call, struct output *output)
{
    const unsigned indices = call->function->parameter_count - 1;
    output->dtype = ACL_INT64;
    if (call->has_outputs && call_dtype(call, indices) == ACL_INT32)
        output->dtype = ACL_INT32;
}

static aclnnStatus infer_extreme(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[MAX_DIM_self];
    const bool keeps = call->argument[MAX_DIM_keepdim].boolean;
    axes reduced;
    TRY(check_dtype(call, MAX_DIM_self));
    TRY(check_rank(call, MAX_DIM_self));
    TRY(check_axis(call, MAX_DIM_self, MAX_DIM_dim, &reduced));
    if (outputs_of(call) == 2)
        (void)result_reduced(result, call, MAX_DIM_self, reduced, keeps, self->dtype, DTYPE_EQUAL);
    struct output *output =
        result_reduced(result, call, MAX_DIM_self, reduced, keeps, ACL_INT64, DTYPE_EQUAL);
    set_indices(call, output);
    for (uint32_t i = 0; i < self->rank; i++)
        if ((reduced >> i & 1) == 0 && self->shape[i] == 0)
            return ACLNN_SUCCESS;
    if (self->count == 0)
        return refuse(call, "dim names a dim of self that has size 0; a size of 1 or more is expected");
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_running(const struct call *call, struct result *result)
{
    uint32_t dim;
    TRY(check_dtype(call, MAX_DIM_self));
    TRY(check_rank(call, MAX_DIM_self));
    TRY(check_dim(call, MAX_DIM_dim, call->argument[MAX_DIM_dim].int64, call->tensor[MAX_DIM_self].rank,
                  &dim));
    result_like(result, call, MAX_DIM_self);
    struct output *output = result_add(result, ACL_INT64, DTYPE_EQUAL);
    output->like = MAX_DIM_self;
    set_indices(call, output);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_along(const struct call *call, enum scan_kind kind,
                              const struct scan_kernels *const *kernels)
{
    if (call->tensor[MAX_DIM_self].count == 0)
        return call_idle(call);
    const int indices = (int)call->function->parameter_count - 1;
    const struct scan_request request = {
        .kind = kind,
        .kernels = kernels,
        .self = MAX_DIM_self,
        .values = outputs_of(call) == 2 ? indices - 1 : SCAN_NONE,
        .indices = indices,
        .dim = scan_dim(call, MAX_DIM_self, call->argument[MAX_DIM_dim].int64),
        .cast = call_dtype(call, MAX_DIM_self),
        .computed = computed_of(call_dtype(call, MAX_DIM_self)),
        .is_least = *(const bool *)call->function->of_family,
        .element_ps = kind == SCAN_LAST ? 300 : 3000,
    };
    return scan_plan(call, &request);
}

static aclnnStatus plan_extreme(const struct call *call, const struct result *result)
{
    (void)result;
    return plan_along(call, SCAN_LAST, extremes_scan_kernels);
}

static aclnnStatus plan_running(const struct call *call, const struct result *result)
{
    (void)result;
    return plan_along(call, SCAN_PLACES, running_scan_kernels);
}

#define AS_SCAN(stem_, which, infer_, plan_)                                                    \
    .stem = (stem_), SCAN, .of_family = &(which), .promise = &promise_exact, .infer = (infer_), \
    .plan = (plan_)

FUNCTION_OF(aclnnMaxDim, MAX_DIM, AS_SCAN("max_dim", greatest, infer_extreme, plan_extreme));
FUNCTION_OF(aclnnMinDim, MAX_DIM, AS_SCAN("min_dim", least, infer_extreme, plan_extreme));
FUNCTION_OF(aclnnArgMax, ARG_MAX, AS_SCAN("argmax", greatest, infer_extreme, plan_extreme));
FUNCTION_OF(aclnnArgMin, ARG_MAX, AS_SCAN("argmin", least, infer_extreme, plan_extreme));
FUNCTION_OF(aclnnCummax, CUMMAX, AS_SCAN("cummax", greatest, infer_running, plan_running));
FUNCTION_OF(aclnnCummin, CUMMAX, AS_SCAN("cummin", least, infer_running, plan_running));

#endif
