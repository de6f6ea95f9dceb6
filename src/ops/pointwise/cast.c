/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self in another dtype, by the rules of convert.h; of the same dtype, bit by bit.
 *
 * Every dtype goes to every other one: a float that becomes an integer loses its fraction and NaN is 0, a
 * complex number that becomes a real one loses its imaginary part, and what is not 0 is true, NaN and either
 * part included.
 */
#include "simd/kernel.h"
#include "simd/move.h"

#ifdef KERNEL_PASS

/* The maths: the walker converts, what is left is to copy. */
KERNELS(cast) = {.any = copy_elements};

#else

/* The contract. */
#include "aclnnop/aclnn_cast.h"
#include "ops/check.h"
#include "tensor/dtype.h"

enum { SELF, DTYPE, OUT };

KERNEL_LEVELS(cast);
static const struct elementwise elementwise = {cast_kernels, .cost_ps = {30, 30}};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, DTYPE));
    TRY(check_rank(call, SELF));
    result->computed = call_dtype(call, DTYPE);
    result_add(result, result->computed, DTYPE_EQUAL)->like = SELF;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct copy_parameters parameters = {.element_bytes = dtype_bytes(result->computed)};
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_all),
    [DTYPE] = {"dtype", &dtypes_all, .kind = PARAMETER_DTYPE},
    [OUT] = WRITTEN("out", &dtypes_all),
};

FUNCTION(aclnnCast, (const aclTensor *self, const aclDataType dtype, aclTensor *out),
         (ARG(self), ARG(dtype), ARG(out)), .stem = "cast", PARAMETERS(parameters), .promise = &promise_exact,
         ELEMENTWISE(&elementwise), .infer = infer, .plan = plan);

#endif
