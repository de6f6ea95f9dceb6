/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of lists of tensors that compute each tensor as a function of tensors does, with its kernels:
 * those of one tensor, sums with products and quotients, what lies between, bounds, powers, copies, zeros.
 */
#include "ops/foreach/foreach.h"
#include "simd/kernel.h"

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
#include "simd/move.h"
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

#define OF_EACH(name, stem, tier, set)                                  \
    KERNEL_LEVELS(stem);                                                \
    OVER_LISTS(name, stem, tier, stem, 1, NONE, 0, NULL, foreach_infer, \
               (READ_LIST("x", set), LIST("out", ROLE_WRITTEN, set)),   \
               (const aclTensorList *x, aclTensorList *out), (ARG(x), ARG(out)));

OF_EACH(Abs, abs, exact, &dtypes_foreach_long)
OF_EACH(Acos, acos, ulp1, &dtypes_floats)
OF_EACH(Asin, asin, ulp1, &dtypes_floats)
OF_EACH(Atan, atan, ulp1, &dtypes_floats)
OF_EACH(Cos, cos, ulp1, &dtypes_floats)
OF_EACH(Cosh, cosh, ulp1, &dtypes_floats)
OF_EACH(Erf, erf, ulp1, &dtypes_floats)
OF_EACH(Erfc, erfc, ulp1, &dtypes_floats)
OF_EACH(Exp, exp, ulp1, &dtypes_floats)
OF_EACH(Expm1, expm1, ulp1, &dtypes_floats)
OF_EACH(Log, log, ulp1, &dtypes_floats)
OF_EACH(Log10, log10, ulp1, &dtypes_floats)
OF_EACH(Log1p, log1p, ulp1, &dtypes_floats)
OF_EACH(Log2, log2, ulp1, &dtypes_floats)
OF_EACH(Neg, neg, exact, &dtypes_foreach_long)
OF_EACH(Reciprocal, reciprocal, exact, &dtypes_floats)
OF_EACH(Sigmoid, sigmoid, fp32_ulp1, &dtypes_fp32_fp16_bf16)
OF_EACH(Sign, sign, exact, &dtypes_foreach_long)
OF_EACH(Sin, sin, ulp1, &dtypes_floats)
OF_EACH(Sinh, sinh, ulp1, &dtypes_floats)
OF_EACH(Sqrt, sqrt, exact, &dtypes_floats)
OF_EACH(Tan, tan, ulp1, &dtypes_floats)
OF_EACH(Tanh, tanh, fp32_ulp1, &dtypes_fp32_fp16_bf16)

/* Of three lists and a scalar, or a tensor that has it or one for each. */
#define ADD_SCALED(name, stem, kernels, set, scalars, scalar_, entry, handle)                      \
    OVER_LISTS(name, stem, ulp1, kernels, 3, scalars, 0, foreach_fill_formula, foreach_infer,      \
               (READ_LIST("x1", set), READ_LIST("x2", set), READ_LIST("x3", set), entry(#scalar_), \
                LIST("out", ROLE_WRITTEN, set)),                                                   \
               (const aclTensorList *x1, const aclTensorList *x2, const aclTensorList *x3,         \
                const handle *scalar_, aclTensorList *out),                                        \
               (ARG(x1), ARG(x2), ARG(x3), ARG(scalar_), ARG(out)));
#define ALL_SCALED(name, stem, kernels, set)                                                          \
    KERNEL_LEVELS(kernels);                                                                           \
    ADD_SCALED(name##ScalarV2, stem##_scalar_v2, kernels, set, ONE, scalar, ONE_SCALAR, aclScalar)    \
    ADD_SCALED(name##Scalar, stem##_scalar, kernels, set, TENSOR, scalar, TENSOR_SCALAR, aclTensor)   \
    ADD_SCALED(name##ScalarList, stem##_scalar_list, kernels, set, TENSOR_EACH, scalars, TENSOR_EACH, \
               aclTensor)                                                                             \
    ADD_SCALED(name##List, stem##_list, kernels, set, TENSOR_EACH, scalars, TENSOR_EACH, aclTensor)
ALL_SCALED(Addcmul, addcmul, addcmul, &dtypes_foreach_long)
ALL_SCALED(Addcdiv, addcdiv, addcdiv, &dtypes_floats)

KERNEL_LEVELS(lerp);
OVER_LISTS(LerpScalar, lerp_scalar, ulp1, lerp, 2, ONE, 3, foreach_fill_formula, foreach_infer,
           (READ_LIST("x1", &dtypes_floats), READ_LIST("x2", &dtypes_floats), ONE_SCALAR("weight"),
            LIST("out", ROLE_WRITTEN, &dtypes_floats)),
           (const aclTensorList *x1, const aclTensorList *x2, const aclScalar *weight, aclTensorList *out),
           (ARG(x1), ARG(x2), ARG(weight), ARG(out)));
OVER_LISTS(LerpList, lerp_list, ulp1, lerp, 3, NONE, 0, NULL, foreach_infer,
           (READ_LIST("x1", &dtypes_floats), READ_LIST("x2", &dtypes_floats),
            READ_LIST("weight", &dtypes_floats), LIST("out", ROLE_WRITTEN, &dtypes_floats)),
           (const aclTensorList *x1, const aclTensorList *x2, const aclTensorList *weight,
            aclTensorList *out),
           (ARG(x1), ARG(x2), ARG(weight), ARG(out)));

/* The forms of a function of two: with a list, a scalar, also in a tensor, a scalar for each. */
#define OF_TWO_LISTS(name, stem, kernels, tier)                                                       \
    KERNEL_LEVELS(kernels);                                                                           \
    OVER_LISTS(name##List, stem##_list, tier, kernels, 2, NONE, 0, NULL, foreach_infer,               \
               (READ_LIST("x1", &dtypes_foreach_long), READ_LIST("x2", &dtypes_foreach_long),         \
                LIST("out", ROLE_WRITTEN, &dtypes_foreach_long)),                                     \
               (const aclTensorList *x1, const aclTensorList *x2, aclTensorList *out),                \
               (ARG(x1), ARG(x2), ARG(out)));                                                         \
    OVER_LISTS(name##ScalarV2, stem##_scalar_v2, tier, kernels, 1, ONE, 2, foreach_fill_formula,      \
               foreach_infer,                                                                         \
               (READ_LIST("x", &dtypes_foreach_long), ONE_SCALAR("scalar"),                           \
                LIST("out", ROLE_WRITTEN, &dtypes_foreach_long)),                                     \
               (const aclTensorList *x, const aclScalar *scalar, aclTensorList *out),                 \
               (ARG(x), ARG(scalar), ARG(out)));                                                      \
    OVER_LISTS(name##Scalar, stem##_scalar, tier, kernels, 1, TENSOR, 2, foreach_fill_formula,        \
               foreach_infer,                                                                         \
               (READ_LIST("x", &dtypes_foreach_long), TENSOR_SCALAR("scalar"),                        \
                LIST("out", ROLE_WRITTEN, &dtypes_foreach_long)),                                     \
               (const aclTensorList *x, const aclTensor *scalar, aclTensorList *out),                 \
               (ARG(x), ARG(scalar), ARG(out)));                                                      \
    OVER_LISTS(name##ScalarList, stem##_scalar_list, tier, kernels, 1, EACH, 2, foreach_fill_formula, \
               foreach_infer,                                                                         \
               (READ_LIST("x", &dtypes_foreach_long), SCALAR_EACH("scalars"),                         \
                LIST("out", ROLE_WRITTEN, &dtypes_foreach_long)),                                     \
               (const aclTensorList *x, const aclScalarList *scalars, aclTensorList *out),            \
               (ARG(x), ARG(scalars), ARG(out)));
OF_TWO_LISTS(Maximum, maximum, maximum, exact)
OF_TWO_LISTS(Minimum, minimum, minimum, exact)
OF_TWO_LISTS(Pow, pow, pow, ulp1)
OVER_LISTS(PowScalarAndTensor, pow_scalar_and_tensor, ulp1, pow, 1, ONE, 1, foreach_fill_formula,
           foreach_infer,
           (ONE_SCALAR("scalar"), READ_LIST("x", &dtypes_foreach_long),
            LIST("out", ROLE_WRITTEN, &dtypes_foreach_long)),
           (const aclScalar *scalar, const aclTensorList *x, aclTensorList *out),
           (ARG(scalar), ARG(x), ARG(out)));

KERNEL_LEVELS(copy);
KERNEL_LEVELS(fill);

/* Any dtype, to any other. */
static aclnnStatus infer_copy(const struct call *call, struct result *result)
{
    enum { OUT = 1 };
    TRY(foreach_infer(call, result));
    result->output[0].dtype_rule = DTYPE_ANY;
    const uint64_t set = dtypes_all.on[call->settings->product];
    for (uint64_t i = 0; call->has_outputs && i < call->values[OUT].count; i++) {
        const aclDataType dtype = call->values[OUT].value.tensor[i].dtype;
        if ((unsigned)dtype >= 64 || (set >> dtype & 1) == 0)
            return refuse(call, "tensor %llu of out has dtype %s, which is not computed in",
                          (unsigned long long)i, dtype_name(dtype));
    }
    return ACLNN_SUCCESS;
}

OVER_LISTS(Copy, copy, exact, copy, 1, NONE, 0, fill_copy, infer_copy,
           (READ_LIST("x", &dtypes_all), LIST("out", ROLE_WRITTEN, &dtypes_all)),
           (const aclTensorList *x, aclTensorList *out), (ARG(x), ARG(out)));
OVER_LISTS(ZeroInplace, zero_inplace, exact, fill, 1, NONE, 0, fill_zero, foreach_infer,
           (LIST("x", ROLE_OVERWRITTEN, &dtypes_all)), (aclTensorList * x), (ARG(x)));
