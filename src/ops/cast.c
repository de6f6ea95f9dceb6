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

/* The tensor says what is written and the argument what is asked for; they are to be one. */
static aclnnStatus check_dtype_of_out(const struct call *call)
{
    aclDataType found = call->tensor[OUT].dtype, expected = call_dtype(call, DTYPE);
    if (found != expected)
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: out has dtype %s; %s, the argument dtype, is expected",
                    call->description->operation.name, dtype_name(found), dtype_name(expected));
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call)
{
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, DTYPE));
    TRY(check_dtype_of_out(call));
    TRY(check_rank(call, SELF));
    TRY(check_same_shape(call, OUT, SELF, NULL));
    aclDataType dtype = call->tensor[OUT].dtype;
    const struct copy_parameters parameters = {.element_bytes = dtype_bytes(dtype)};
    return elementwise_plan(call, dtype, &parameters, sizeof parameters);
}

OPERATOR(cast) = {
    .operation = ELEMENTWISE("aclnnCast"),
    .stem = "cast",
    .parameter_count = 3,
    .parameter =
        {
            [SELF] = {.name = "self", .kind = PARAMETER_INPUT, .dtypes = &dtypes_all},
            [DTYPE] = {.name = "dtype", .kind = PARAMETER_DTYPE, .dtypes = &dtypes_all},
            [OUT] = {.name = "out", .kind = PARAMETER_OUTPUT, .dtypes = &dtypes_all},
        },
    .elementwise = &elementwise,
    .plan = plan,
    .launch = aclnnCast,
};

aclnnStatus aclnnCastGetWorkspaceSize(const aclTensor *self, const aclDataType dtype, aclTensor *out,
                                      uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = self}, {.int64 = dtype}, {.tensor = out}};
    return operator_plan(&cast, argument, workspaceSize, executor);
}

PHASE_2(aclnnCast, cast)

#endif
