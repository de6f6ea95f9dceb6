/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The cross product of vectors of three elements along a dim: out_i = a_j b_k - a_k b_j for i, j, k in turn.
 * Floats in doubles, rounded once more to their dtype, and so the parts of complex numbers; integers wrap.
 */
#include "aclnnop/aclnn_linalg_cross.h"

#include <inttypes.h>
#include <string.h>

#include "ops/canonical.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/numbered.h"
#include "ops/signature.h"

#define LINALG_CROSS(X, of)                                            \
    X(of, IN, self, &dtypes_floats_integers_complex, .sample = "2x3")  \
    X(of, IN, other, &dtypes_floats_integers_complex, .sample = "2x3") \
    X(of, INT64, dim, .usual = "-1")                                   \
    X(of, OUT, out, &dtypes_floats_integers_complex)
SIGNATURE(LINALG_CROSS)
enum { ROOM = NUMBERED_PIECE + 4 };

/* a b, in real arithmetic. */
static void multiply(const double *a, const double *b, double *product)
{
    product[0] = a[0] * b[0] - a[1] * b[1];
    product[1] = a[0] * b[1] + a[1] * b[0];
}

static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const aclDataType wide = *(const aclDataType *)walk->parameters;
    const uint64_t before = at % 3, all = (before + count + 2) / 3 * 3;
    union {
        double real[ROOM], complex[ROOM][2];
        uint64_t whole[ROOM];
    } a, b;
    numbered_read_as(walk, 0, at - before, all, wide, &a);
    numbered_read_as(walk, 1, at - before, all, wide, &b);
    for (uint64_t n = 0; n < count; n++) {
        const uint64_t i = before + n, vector = i / 3 * 3, j = vector + (i + 1) % 3, k = vector + (i + 2) % 3;
        double ahead[2], back[2];
        if (wide == ACL_INT64) {
            ((uint64_t *)elements)[n] = a.whole[j] * b.whole[k] - a.whole[k] * b.whole[j];
        } else if (wide == ACL_DOUBLE) {
            ((double *)elements)[n] = a.real[j] * b.real[k] - a.real[k] * b.real[j];
        } else {
            multiply(a.complex[j], b.complex[k], ahead);
            multiply(a.complex[k], b.complex[j], back);
            for (unsigned part = 0; part < 2; part++)
                ((double *)elements)[2 * n + part] = ahead[part] - back[part];
        }
    }
    if (wide != ACL_INT64)
        canonical_nans((double *)elements, wide == ACL_DOUBLE ? count : 2 * count);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned both[] = {LINALG_CROSS_self, LINALG_CROSS_other};
    uint32_t dim;
    for (unsigned i = LINALG_CROSS_self; i <= LINALG_CROSS_other; i++)
        TRY(check_dtype(call, i));
    TRY(check_same_dtype(call, LINALG_CROSS_other, LINALG_CROSS_self, NULL));
    for (unsigned i = LINALG_CROSS_self; i <= LINALG_CROSS_other; i++)
        TRY(check_rank(call, i));
    result->computed = call_dtype(call, LINALG_CROSS_self);
    TRY(result_broadcast(result, call, both, 2, result->computed, DTYPE_EQUAL));
    const struct output *output = &result->output[0];
    const struct shape shape =
        output->shape_rule == SHAPE_LIKE ? shape_of(&call->tensor[LINALG_CROSS_self]) : output->shape;
    TRY(check_dim(call, LINALG_CROSS_dim, call->argument[LINALG_CROSS_dim].int64, shape.rank, &dim));
    if (shape.rank == 0 || shape.dim[dim] != 3)
        return refuse(call, "self and other have size %" PRId64 " along dim; 3 is expected",
                      shape.rank == 0 ? 1 : shape.dim[dim]);
    return ACLNN_SUCCESS;
}

/* The dim, counted in out, becomes the last one; dims of size 1 come before those of a smaller rank. */
static struct tensor_view with_last(const struct tensor_view *view, uint32_t rank, uint32_t dim)
{
    struct tensor_view turned = *view;
    uint32_t place = 0;
    turned.rank = rank;
    for (uint32_t i = 0; i < rank; i++) {
        const uint32_t from = (i + dim + 1) % rank, missing = rank - view->rank;
        turned.shape[place] = from < missing ? 1 : view->shape[from - missing];
        turned.stride[place++] = from < missing ? 0 : view->stride[from - missing];
    }
    return turned;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *out = &call->tensor[LINALG_CROSS_out];
    const uint64_t bit = DTYPE_BIT(result->computed);
    const aclDataType wide = (bit & DTYPES_INTEGERS) != 0  ? ACL_INT64
                             : (bit & DTYPES_COMPLEX) != 0 ? ACL_COMPLEX128
                                                           : ACL_DOUBLE;
    uint32_t dim;
    if (out->count == 0)
        return call_idle(call);
    TRY(check_dim(call, LINALG_CROSS_dim, call->argument[LINALG_CROSS_dim].int64, out->rank, &dim));
    struct numbered_request request = numbered_request(call, LINALG_CROSS_out, make, wide);
    const struct tensor_view turned = with_last(out, out->rank, dim);
    request.port.span = span_of(&turned, SPAN_AS_IT_IS);
    request.element_ps = 3000;
    request.parameters = &wide;
    request.parameter_bytes = sizeof wide;
    for (unsigned i = LINALG_CROSS_self; i <= LINALG_CROSS_other; i++) {
        const struct tensor_view input = with_last(&call->tensor[i], out->rank, dim);
        numbered_add_input(&request, call, i, false);
        request.input[i].port.span = numbered_broadcast(&input, &turned);
    }
    return numbered_plan(call, &request, 1);
}

FUNCTION_OF(aclnnLinalgCross, LINALG_CROSS, .stem = "linalg_cross", .family = FAMILY_CREATE,
            .promise = &promise_sum, NUMBERED, .infer = infer, .plan = plan);
