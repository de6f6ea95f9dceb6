/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greater and the lesser of two, and what lies between bounds. NaN anywhere gives NaN; of equal numbers,
 * as zeros of both signs, the first stays. A lower bound above the upper one gives the upper one. And
 * Heaviside's step: 0 below 0 and of NaN, 1 above, the second of two at 0.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include "simd/loops/blocks.h"
#include "simd/loops/formula_integers.h"

static inline doubles formula_maximum(const doubles *x, const void *prepared)
{
    return choose((x[1] > x[0]) | (x[1] != x[1]), x[1], x[0]);
}

static inline doubles formula_minimum(const doubles *x, const void *prepared)
{
    return choose((x[1] < x[0]) | (x[1] != x[1]), x[1], x[0]);
}

static inline doubles formula_clamp(const doubles *x, const void *prepared)
{
    doubles both[] = {formula_maximum(x, prepared), x[2]};
    return formula_minimum(both, prepared);
}

static inline doubles formula_heaviside(const doubles *x, const void *prepared)
{
    return choose(x[0] == 0, x[1], choose(x[0] > 0, broadcast(1), broadcast(0)));
}

static inline int64_t integer_heaviside(const int64_t *x, const int64_t *number)
{
    return x[0] == 0 ? x[1] : x[0] > 0;
}

/* The processor's greatest and least are their second operand where that is NaN, or equal. */
static inline vector fp32_maximum(const vector *x, const void *prepared)
{
    return vector_choose(vector_is_nan(x[1]), x[1], vector_greatest(x[1], x[0]));
}

static inline vector fp32_minimum(const vector *x, const void *prepared)
{
    return vector_choose(vector_is_nan(x[1]), x[1], vector_least(x[1], x[0]));
}

static inline vector fp32_clamp(const vector *x, const void *prepared)
{
    const vector between = vector_least(x[2], vector_greatest(x[1], x[0]));
    return vector_choose(vector_are_unordered(x[1], x[2]), x[1] + x[2], between);
}

static inline int64_t integer_maximum(const int64_t *x, const int64_t *number)
{
    return x[1] > x[0] ? x[1] : x[0];
}

static inline int64_t integer_minimum(const int64_t *x, const int64_t *number)
{
    return x[1] < x[0] ? x[1] : x[0];
}

static inline int64_t integer_clamp(const int64_t *x, const int64_t *number)
{
    const int64_t both[] = {integer_maximum(x, number), x[2]};
    return integer_minimum(both, number);
}

FORMULA_INTEGERS(maximum, 2)
FORMULA_BOOL(maximum, 2)
FORMULA_INTEGERS(minimum, 2)
FORMULA_BOOL(minimum, 2)
FORMULA_INTEGERS(clamp, 3)
FORMULA_BOOL(clamp, 3)
FORMULA_INTEGERS(heaviside, 2)
FORMULA_BOOL(heaviside, 2)
FORMULA_KERNELS_BESIDE(heaviside, (INTEGERS_OF(heaviside), BOOL_OF(heaviside)), 2,
                       .doubles = formula_heaviside)
FORMULA_KERNELS_BESIDE(maximum, (INTEGERS_OF(maximum), BOOL_OF(maximum)), 2, .doubles = formula_maximum,
                       .floats = fp32_maximum)
FORMULA_KERNELS_BESIDE(minimum, (INTEGERS_OF(minimum), BOOL_OF(minimum)), 2, .doubles = formula_minimum,
                       .floats = fp32_minimum)
FORMULA_KERNELS_BESIDE(clamp, (INTEGERS_OF(clamp), BOOL_OF(clamp)), 3, .doubles = formula_clamp,
                       .floats = fp32_clamp)

#else

/* The contract. */
#include "aclnnop/aclnn_clamp.h"
#include "aclnnop/aclnn_hardtanh.h"
#include "aclnnop/aclnn_heaviside.h"
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_minimum.h"
#include "ops/dtypes.h"
#include "ops/pointwise/forms.h"
#include "ops/scalar.h"

/* Bounds that are scalars: computed in the dtype of out, which self may become; on the newest product in the
 * one that self and they have together. */
static aclDataType dtype_of_clamp(const struct call *call)
{
    return call->settings->product == PRODUCT_950 ? formula_beside_scalar(call) : formula_of_out(call);
}

#define CLAMP(stem, kernels_, ...) FORMULA_BY(stem, kernels_, 400, .out = DTYPE_CASTABLE, __VA_ARGS__)

KERNEL_LEVELS(maximum);
KERNEL_LEVELS(minimum);
KERNEL_LEVELS(clamp);
CLAMP(maximum, maximum, .broadcasts = true);
CLAMP(minimum, minimum, .broadcasts = true);
CLAMP(clamp, clamp, .inputs = 3, .dtype = dtype_of_clamp, .computes = &dtypes_floats_integers_on_950_bool);
CLAMP(clamp_min, maximum, .inputs = 2, .dtype = dtype_of_clamp, .computes = &dtypes_floats_integers);
CLAMP(clamp_max, minimum, .inputs = 2, .dtype = dtype_of_clamp, .computes = &dtypes_floats_integers);
CLAMP(clamp_tensor, clamp, .inputs = 3, .broadcasts = true, .computes = &dtypes_floats_integers);
CLAMP(clamp_min_tensor, maximum, .broadcasts = true, .computes = &dtypes_floats_integers);
CLAMP(clamp_max_tensor, minimum, .broadcasts = true, .computes = &dtypes_floats_integers);
FORMULA_BY(hardtanh, clamp, 400, .out = DTYPE_EQUAL, .inputs = 3, .is_of_one_dtype = true);

OF_TWO(aclnnMaximum, maximum, maximum, exact, self, other, dtypes_floats_integers_bool,
       dtypes_floats_integers_bool)
FORMULA(heaviside, .out = DTYPE_CASTABLE, .broadcasts = true);
OF_TWO(aclnnHeaviside, heaviside, heaviside, exact, input, values, dtypes_floats_integers_bool,
       dtypes_floats_integers_bool)
OF_TWO(aclnnMinimum, minimum, minimum, exact, self, other, dtypes_floats_integers_bool,
       dtypes_floats_integers_bool)

/* One of the two bounds may be NULL. The output has the dtype that self may become. */
static aclnnStatus infer_clamp(const struct call *call, struct result *result)
{
    enum { MIN = 1, MAX = 2 };
    const struct parameter *parameter = call->function->parameter;
    if (!call_has(call, MIN) && parameter[MIN].is_optional && !call_has(call, MAX) &&
        parameter[MAX].is_optional)
        return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s and %s are NULL; one of them is expected",
                    call->function->operation.name, parameter[MIN].name, parameter[MAX].name);
    TRY(formula_infer(call, result));
    if (call->settings->product != PRODUCT_950 && parameter[MIN].kind == PARAMETER_SCALAR)
        result->output[0].dtype = call->tensor[0].dtype;
    return ACLNN_SUCCESS;
}

#define BOUND(kind, name) (kind, name, &dtypes_floats_integers_bool, .is_optional = true)
FORM(aclnnClamp, clamp, clamp, exact, infer_clamp, (IN, self, &dtypes_floats_integers_on_950_bool),
     BOUND(SCALAR, clipValueMin), BOUND(SCALAR, clipValueMax),
     (OUT, out, &dtypes_floats_integers_on_950_bool));
FORM(aclnnClampMin, clamp, clamp_min, exact, infer_clamp, (IN, self, &dtypes_floats_integers),
     (SCALAR, clipValueMin, &dtypes_floats_integers_bool), (OUT, out, &dtypes_floats_integers));
FORM(aclnnClampMax, clamp, clamp_max, exact, infer_clamp, (IN, self, &dtypes_floats_integers),
     (SCALAR, clipValueMax, &dtypes_floats_integers_bool), (OUT, out, &dtypes_floats_integers));
FORM(aclnnInplaceClampMax, clamp, clamp_max, exact, infer_clamp, (BOTH, selfRef, &dtypes_floats_integers),
     (SCALAR, clipValueMax, &dtypes_floats_integers_bool));

FORM(aclnnClampTensor, clamp, clamp_tensor, exact, infer_clamp, (IN, self, &dtypes_floats_integers),
     BOUND(IN, clipValueMin), BOUND(IN, clipValueMax), (OUT, out, &dtypes_floats_integers));

/* With one bound of tensors, with an output and in place. */
#define BOUND_BY(name, formula, max)                                                      \
    FORM(name, clamp, formula, exact, formula_infer, (IN, self, &dtypes_floats_integers), \
         (IN, max, &dtypes_floats_integers_bool), (OUT, out, &dtypes_floats_integers));
#define BOUND_IN_PLACE_BY(name, formula, max)                                                  \
    FORM(name, clamp, formula, exact, formula_infer, (BOTH, selfRef, &dtypes_floats_integers), \
         (IN, max, &dtypes_floats_integers_bool));
BOUND_BY(aclnnClampMinTensor, clamp_min_tensor, clipValueMin)
BOUND_IN_PLACE_BY(aclnnInplaceClampMinTensor, clamp_min_tensor, clipValueMin)
BOUND_BY(aclnnClampMaxTensor, clamp_max_tensor, max)
BOUND_IN_PLACE_BY(aclnnInplaceClampMaxTensor, clamp_max_tensor, max)

/* Bounds that are the wrong way around give the greater side, clipValueMax, as in Clamp. */
FORM(aclnnHardtanh, hardtanh, hardtanh, exact, formula_infer, (IN, self, &dtypes_floats_integers),
     (SCALAR, clipValueMin, &dtypes_floats_integers, .usual = "-1"),
     (SCALAR, clipValueMax, &dtypes_floats_integers, .usual = "1"), (OUT, out, &dtypes_floats_integers));
FORM(aclnnInplaceHardtanh, hardtanh, hardtanh, exact, formula_infer, (BOTH, selfRef, &dtypes_floats_integers),
     (SCALAR, clipValueMin, &dtypes_floats_integers, .usual = "-1"),
     (SCALAR, clipValueMax, &dtypes_floats_integers, .usual = "1"));

#endif
