/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = 1 where the row is the column, 0 elsewhere.
 */
#include "aclnnop/aclnn_eye.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/numbered.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define EYE(X, of)                 \
    X(of, INT64, n, .sample = "2") \
    X(of, INT64, m, .sample = "3") \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex)
SIGNATURE(EYE)

/* Row k has its 1 at number k (columns + 1); rows without one lie behind these. */
static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const uint64_t columns = *(const uint64_t *)walk->parameters;
    uint8_t *value = (uint8_t *)elements;
    memset(value, 0, (size_t)count);
    for (uint64_t k = (at + columns) / (columns + 1); k < columns && k * (columns + 1) < at + count; k++)
        value[k * (columns + 1) - at] = 1;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const int64_t n = call->argument[EYE_n].int64, m = call->argument[EYE_m].int64;
    int64_t count;
    if (n < 0 || m < 0 || __builtin_mul_overflow(n, m, &count))
        return refuse(call,
                      "n is %" PRId64 " and m is %" PRId64
                      "; 0 or more are expected, and a product of 2^63 - 1 at most",
                      n, m);
    result->computed = ACL_BOOL;
    struct output *output = result_add(result, ACL_FLOAT, DTYPE_ANY);
    output->shape_rule = SHAPE_EQUAL;
    output->shape.rank = 2;
    output->shape.dim[0] = n;
    output->shape.dim[1] = m;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const uint64_t columns = (uint64_t)call->argument[EYE_m].int64;
    struct numbered_request request = numbered_request(call, EYE_out, make, ACL_BOOL);
    (void)result;
    request.parameters = &columns;
    request.parameter_bytes = sizeof columns;
    return numbered_plan(call, &request, 1);
}

FUNCTION_OF(aclnnEye, EYE, .stem = "eye", .family = FAMILY_CREATE, .promise = &promise_exact, NUMBERED,
            .infer = infer, .plan = plan);
