/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = input (cos angle + i sin angle): each part in doubles, rounded once.
 */
#include <stddef.h>

#include "simd/vector/level_table.h"

/* Makes of count sizes and angles as many pairs of parts. */
typedef void polar_function(const double *size, const double *angle, float *to, size_t count);

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/circle.h"
#include "simd/loops/row.h"

polar_function AT_LEVEL(polar);
void AT_LEVEL(polar)(const double *size, const double *angle, float *to, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        const doubles length = row_load(ARITHMETIC_FP64, size, i, count - i),
                      turn = row_load(ARITHMETIC_FP64, angle, i, count - i);
        float part[2][LANES];
        row_store(ARITHMETIC_FP32, part[0], 0, length * maths_cos(turn), LANES, true);
        row_store(ARITHMETIC_FP32, part[1], 0, length * maths_sin(turn), LANES, true);
        for (size_t k = 0; k < row_least(count - i); k++) {
            to[2 * (i + k)] = part[0][k];
            to[2 * (i + k) + 1] = part[1][k];
        }
    }
}

#else

/* The contract. */
#include "aclnnop/aclnn_polar.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/numbered.h"
#include "ops/signature.h"

LEVEL_TABLE(polar_function, polar_of, polar);

#define POLAR(X, of)               \
    X(of, IN, input, &dtypes_fp32) \
    X(of, IN, angle, &dtypes_fp32) \
    X(of, OUT, out, &dtypes_complex64)
SIGNATURE(POLAR)

static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    polar_function *const *polar = walk->parameters;
    double size[NUMBERED_PIECE], angle[NUMBERED_PIECE];
    numbered_read_as(walk, 0, at, count, ACL_DOUBLE, size);
    numbered_read_as(walk, 1, at, count, ACL_DOUBLE, angle);
    (*polar)(size, angle, elements, (size_t)count);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned both[] = {POLAR_input, POLAR_angle};
    TRY(check_dtype(call, POLAR_input));
    TRY(check_dtype(call, POLAR_angle));
    TRY(check_rank(call, POLAR_input));
    TRY(check_rank(call, POLAR_angle));
    result->computed = ACL_COMPLEX64;
    return result_broadcast(result, call, both, 2, ACL_COMPLEX64, DTYPE_EQUAL);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct numbered_request request = numbered_request(call, POLAR_out, make, ACL_COMPLEX64);
    (void)result;
    if (call->tensor[POLAR_out].count == 0)
        return call_idle(call);
    request.element_ps = 4000;
    request.parameters = &polar_of[call->settings->isa];
    request.parameter_bytes = sizeof polar_of[0];
    numbered_add_input(&request, call, POLAR_input, true);
    numbered_add_input(&request, call, POLAR_angle, true);
    return numbered_plan(call, &request, 1);
}

FUNCTION_OF(aclnnPolar, POLAR, .stem = "polar", .family = FAMILY_CREATE, .promise = &promise_ulp1, NUMBERED,
            .infer = infer, .plan = plan);

#endif
