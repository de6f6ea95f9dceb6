/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = real + i imag, bit by bit: two parts of it, each broadcast to its shape.
 */
#include "aclnnop/aclnn_complex.h"

#include "ops/check.h"
#include "ops/signature.h"
#include "ops/loops/move.h"
#include "tensor/dtype.h"

#define COMPLEX(X, of)                 \
    X(of, IN, real, &dtypes_fp32_fp64) \
    X(of, IN, imag, &dtypes_fp32_fp64) \
    X(of, OUT, out, &dtypes_complex)
SIGNATURE(COMPLEX)

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned both[] = {COMPLEX_real, COMPLEX_imag};
    TRY(check_dtype(call, COMPLEX_real));
    TRY(check_dtype(call, COMPLEX_imag));
    TRY(check_same_dtype(call, COMPLEX_imag, COMPLEX_real, NULL));
    TRY(check_rank(call, COMPLEX_real));
    TRY(check_rank(call, COMPLEX_imag));
    result->computed = call_dtype(call, COMPLEX_real) == ACL_DOUBLE ? ACL_COMPLEX128 : ACL_COMPLEX64;
    return result_broadcast(result, call, both, 2, result->computed, DTYPE_EQUAL);
}

/* In elements of the parts, of which each of out's has two. */
static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *out = &call->tensor[COMPLEX_out];
    const aclDataType dtype = call_dtype(call, COMPLEX_real);
    struct executor_content *content;
    struct move_plan *plan;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(move_begin(call, 2, dtype, dtype, &content, &plan));
    for (unsigned k = COMPLEX_real; k <= COMPLEX_imag; k++) {
        const struct tensor_view *view = &call->tensor[k];
        struct move_part *part =
            move_add(plan, call->first_operand[k], call->first_operand[COMPLEX_out], dtype);
        const uint32_t missing = out->rank - view->rank;
        part->to_first = k == COMPLEX_imag;
        for (uint32_t i = 0; i < out->rank; i++) {
            const bool repeats = i < missing || view->shape[i - missing] == 1;
            move_add_axis(part, out->shape[i], repeats ? 0 : view->stride[i - missing], 2 * out->stride[i]);
        }
    }
    move_finish(call, content, plan);
    return ACLNN_SUCCESS;
}

FUNCTION_OF(aclnnComplex, COMPLEX, .stem = "complex", MOVE, .infer = infer, .plan = plan);
