/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of lists of tensors that compute each tensor as a function of tensors does, with its kernels:
 * those of one tensor, sums with products and quotients, what lies between, bounds, powers, copies, zeros.
 */
#include "ops/dtypes.h"
#include "ops/foreach/foreach.h"
#include "simd/vector/kernel.h"

#include <string.h>

#include "aclnnop/aclnn_foreach_abs.h"
#include "aclnnop/aclnn_foreach_acos.h"
#include "aclnnop/aclnn_foreach_addcdiv_list.h"
#include "aclnnop/aclnn_foreach_addcdiv_scalar.h"
#include "aclnnop/aclnn_foreach_addcdiv_scalar_list.h"
#include "aclnnop/aclnn_foreach_addcdiv_scalar_v2.h"
#include "aclnnop/aclnn_foreach_addcmul_list.h"
#include "aclnnop/aclnn_foreach_addcmul_scalar.h"
#include "aclnnop/aclnn_foreach_addcmul_scalar_list.h"
#include "aclnnop/aclnn_foreach_addcmul_scalar_v2.h"
#include "aclnnop/aclnn_foreach_asin.h"
#include "aclnnop/aclnn_foreach_atan.h"
#include "aclnnop/aclnn_foreach_copy.h"
#include "aclnnop/aclnn_foreach_cos.h"
#include "aclnnop/aclnn_foreach_cosh.h"
#include "aclnnop/aclnn_foreach_erf.h"
#include "aclnnop/aclnn_foreach_erfc.h"
#include "aclnnop/aclnn_foreach_exp.h"
#include "aclnnop/aclnn_foreach_expm1.h"
#include "aclnnop/aclnn_foreach_lerp_list.h"
#include "aclnnop/aclnn_foreach_lerp_scalar.h"
#include "aclnnop/aclnn_foreach_log.h"
#include "aclnnop/aclnn_foreach_log10.h"
#include "aclnnop/aclnn_foreach_log1p.h"
#include "aclnnop/aclnn_foreach_log2.h"
#include "aclnnop/aclnn_foreach_maximum_list.h"
#include "aclnnop/aclnn_foreach_maximum_scalar.h"
#include "aclnnop/aclnn_foreach_maximum_scalar_list.h"
#include "aclnnop/aclnn_foreach_maximum_scalar_v2.h"
#include "aclnnop/aclnn_foreach_minimum_list.h"
#include "aclnnop/aclnn_foreach_minimum_scalar.h"
#include "aclnnop/aclnn_foreach_minimum_scalar_list.h"
#include "aclnnop/aclnn_foreach_minimum_scalar_v2.h"
#include "aclnnop/aclnn_foreach_neg.h"
#include "aclnnop/aclnn_foreach_pow_list.h"
#include "aclnnop/aclnn_foreach_pow_scalar_and_tensor.h"
#include "aclnnop/aclnn_foreach_pow_scalar.h"
#include "aclnnop/aclnn_foreach_pow_scalar_list.h"
#include "aclnnop/aclnn_foreach_pow_scalar_v2.h"
#include "aclnnop/aclnn_foreach_reciprocal.h"
#include "aclnnop/aclnn_foreach_sigmoid.h"
#include "aclnnop/aclnn_foreach_sign.h"
#include "aclnnop/aclnn_foreach_sin.h"
#include "aclnnop/aclnn_foreach_sinh.h"
#include "aclnnop/aclnn_foreach_sqrt.h"
#include "aclnnop/aclnn_foreach_tan.h"
#include "aclnnop/aclnn_foreach_tanh.h"
#include "aclnnop/aclnn_foreach_zero_inplace.h"
#include "ops/foreach/lists.h"
#include "simd/loops/move.h"
#include "tensor/dtype.h"

static void fill_copy(const struct foreach *foreach, const struct scalar_value *scalar, aclDataType dtype,
                      void *parameters)
{
    const struct copy_parameters copy = {.element_bytes = dtype_bytes(dtype)};
    (void)foreach, (void)scalar;
    memcpy(parameters, &copy, sizeof copy);
}

static void fill_zero(const struct foreach *foreach, const struct scalar_value *scalar, aclDataType dtype,
                      void *parameters)
{
    const struct fill_parameters zero = {.element_bytes = dtype_bytes(dtype)};
    (void)foreach, (void)scalar;
    memcpy(parameters, &zero, sizeof zero);
}

#define OF_EACH(name, stem, tier, set) \
    KERNEL_LEVELS(stem);               \
    OVER_LISTS(name, stem, tier, stem, 1, NONE, 0, NULL, foreach_infer, (OF_LIST, set));

OF_EACH(aclnnForeachAbs, abs, exact, &dtypes_floats_int32_int64)
OF_EACH(aclnnForeachAcos, acos, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachAsin, asin, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachAtan, atan, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachCos, cos, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachCosh, cosh, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachErf, erf, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachErfc, erfc, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachExp, exp, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachExpm1, expm1, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachLog, log, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachLog10, log10, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachLog1p, log1p, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachLog2, log2, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachNeg, neg, exact, &dtypes_floats_int32_int64)
OF_EACH(aclnnForeachReciprocal, reciprocal, exact, &dtypes_floats)
OF_EACH(aclnnForeachSigmoid, sigmoid, fp32_ulp1, &dtypes_fp32_fp16_bf16)
OF_EACH(aclnnForeachSign, sign, exact, &dtypes_floats_int32_int64)
OF_EACH(aclnnForeachSin, sin, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachSinh, sinh, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachSqrt, sqrt, exact, &dtypes_floats)
OF_EACH(aclnnForeachTan, tan, ulp1, &dtypes_floats)
OF_EACH(aclnnForeachTanh, tanh, fp32_ulp1, &dtypes_fp32_fp16_bf16)

/* Functions of three lists and a scalar, or of a tensor that has it or one for each. */
#define ADD_SCALED(name, stem, kernels, set, scalars, scalar_, entry)                         \
    OVER_LISTS(name, stem, ulp1, kernels, 3, scalars, 0, foreach_fill_formula, foreach_infer, \
               (OF_THREE_AND, set, entry, scalar_));
KERNEL_LEVELS(addcmul);
ADD_SCALED(aclnnForeachAddcmulScalarV2, addcmul_scalar_v2, addcmul, &dtypes_floats_int32_int64, ONE, scalar,
           ONE_SCALAR)
ADD_SCALED(aclnnForeachAddcmulScalar, addcmul_scalar, addcmul, &dtypes_floats_int32_int64, TENSOR, scalar,
           TENSOR_SCALAR)
ADD_SCALED(aclnnForeachAddcmulScalarList, addcmul_scalar_list, addcmul, &dtypes_floats_int32_int64,
           TENSOR_EACH, scalars, TENSOR_EACH)
ADD_SCALED(aclnnForeachAddcmulList, addcmul_list, addcmul, &dtypes_floats_int32_int64, TENSOR_EACH, scalars,
           TENSOR_EACH)

KERNEL_LEVELS(addcdiv);
ADD_SCALED(aclnnForeachAddcdivScalarV2, addcdiv_scalar_v2, addcdiv, &dtypes_floats, ONE, scalar, ONE_SCALAR)
ADD_SCALED(aclnnForeachAddcdivScalar, addcdiv_scalar, addcdiv, &dtypes_floats, TENSOR, scalar, TENSOR_SCALAR)
ADD_SCALED(aclnnForeachAddcdivScalarList, addcdiv_scalar_list, addcdiv, &dtypes_floats, TENSOR_EACH, scalars,
           TENSOR_EACH)
ADD_SCALED(aclnnForeachAddcdivList, addcdiv_list, addcdiv, &dtypes_floats, TENSOR_EACH, scalars, TENSOR_EACH)

KERNEL_LEVELS(lerp);
#define WEIGHTS(X, of, name) X(of, IN_LIST, name, &dtypes_floats)
OVER_LISTS(aclnnForeachLerpScalar, lerp_scalar, ulp1, lerp, 2, ONE, 3, foreach_fill_formula, foreach_infer,
           (OF_LISTS_AND, &dtypes_floats, ONE_SCALAR, weight));
OVER_LISTS(aclnnForeachLerpList, lerp_list, ulp1, lerp, 3, NONE, 0, NULL, foreach_infer,
           (OF_LISTS_AND, &dtypes_floats, WEIGHTS, weight));

/* The forms of a function of two: with a list, a scalar, also in a tensor, a scalar for each. */
#define WITH_LIST(name, stem, kernels, tier)                               \
    OVER_LISTS(name, stem, tier, kernels, 2, NONE, 0, NULL, foreach_infer, \
               (OF_LISTS, &dtypes_floats_int32_int64));
#define WITH_SCALARS(name, stem, kernels, tier, scalars_, scalar_, entry)                      \
    OVER_LISTS(name, stem, tier, kernels, 1, scalars_, 2, foreach_fill_formula, foreach_infer, \
               (OF_LIST_AND, &dtypes_floats_int32_int64, entry, scalar_));
KERNEL_LEVELS(maximum);
WITH_LIST(aclnnForeachMaximumList, maximum_list, maximum, exact)
WITH_SCALARS(aclnnForeachMaximumScalarV2, maximum_scalar_v2, maximum, exact, ONE, scalar, ONE_SCALAR)
WITH_SCALARS(aclnnForeachMaximumScalar, maximum_scalar, maximum, exact, TENSOR, scalar, TENSOR_SCALAR)
WITH_SCALARS(aclnnForeachMaximumScalarList, maximum_scalar_list, maximum, exact, EACH, scalars, SCALAR_EACH)

KERNEL_LEVELS(minimum);
WITH_LIST(aclnnForeachMinimumList, minimum_list, minimum, exact)
WITH_SCALARS(aclnnForeachMinimumScalarV2, minimum_scalar_v2, minimum, exact, ONE, scalar, ONE_SCALAR)
WITH_SCALARS(aclnnForeachMinimumScalar, minimum_scalar, minimum, exact, TENSOR, scalar, TENSOR_SCALAR)
WITH_SCALARS(aclnnForeachMinimumScalarList, minimum_scalar_list, minimum, exact, EACH, scalars, SCALAR_EACH)

KERNEL_LEVELS(pow);
WITH_LIST(aclnnForeachPowList, pow_list, pow, ulp1)
WITH_SCALARS(aclnnForeachPowScalarV2, pow_scalar_v2, pow, ulp1, ONE, scalar, ONE_SCALAR)
WITH_SCALARS(aclnnForeachPowScalar, pow_scalar, pow, ulp1, TENSOR, scalar, TENSOR_SCALAR)
WITH_SCALARS(aclnnForeachPowScalarList, pow_scalar_list, pow, ulp1, EACH, scalars, SCALAR_EACH)

#define SCALAR_AND_LIST(X, of, set) ONE_SCALAR(X, of, scalar) OF_LIST(X, of, set)
OVER_LISTS(aclnnForeachPowScalarAndTensor, pow_scalar_and_tensor, ulp1, pow, 1, ONE, 1, foreach_fill_formula,
           foreach_infer, (SCALAR_AND_LIST, &dtypes_floats_int32_int64));

KERNEL_LEVELS(copy);
KERNEL_LEVELS(fill);

/* Any dtype, to any other. */
static aclnnStatus infer_copy(const struct call *call, struct result *result)
{
    enum { OUT = 1 };
    TRY(foreach_infer(call, result));
    result->output[0].dtype_rule = DTYPE_ANY;
    for (uint64_t i = 0; call->has_outputs && i < call->values[OUT].count; i++) {
        const aclDataType dtype = call->values[OUT].value.tensor[i].dtype;
        if (!dtype_is_in(&dtypes_all_small, call->settings->product, dtype))
            return refuse(call, "tensor %llu of out has dtype %s, which is not computed in",
                          (unsigned long long)i, dtype_name(dtype));
    }
    return ACLNN_SUCCESS;
}

#define IN_PLACE(X, of) X(of, OVERWRITTEN_LIST, x, &dtypes_all_small)
OVER_LISTS(aclnnForeachCopy, copy, exact, copy, 1, NONE, 0, fill_copy, infer_copy,
           (OF_LIST, &dtypes_all_small));
OVER_LISTS(aclnnForeachZeroInplace, zero_inplace, exact, fill, 1, NONE, 0, fill_zero, foreach_infer,
           (IN_PLACE));
