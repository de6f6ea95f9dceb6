/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Add, Sub, Mul and Div, by the contract that support/arithmetic.h has of them.
 */
#include "fuzz/contract_arithmetic.h"

#include <string.h>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_sub.h"
#include "support/arithmetic.h"

enum { FORMS = 4 }; /* tensors, a scalar, and both in place: in this order from ADD on */

int call_add(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnAddGetWorkspaceSize(call->operand[0], call->operand[1], call->alpha, call->operand[2], size,
                                    executor);
}

int call_adds(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnAddsGetWorkspaceSize(call->operand[0], call->scalar, call->alpha, call->operand[1], size,
                                     executor);
}

int call_inplace_add(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnInplaceAddGetWorkspaceSize(call->operand[0], call->operand[1], call->alpha, size, executor);
}

int call_inplace_adds(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnInplaceAddsGetWorkspaceSize(call->operand[0], call->scalar, call->alpha, size, executor);
}

int call_sub(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnSubGetWorkspaceSize(call->operand[0], call->operand[1], call->alpha, call->operand[2], size,
                                    executor);
}

int call_subs(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnSubsGetWorkspaceSize(call->operand[0], call->scalar, call->alpha, call->operand[1], size,
                                     executor);
}

int call_inplace_sub(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnInplaceSubGetWorkspaceSize(call->operand[0], call->operand[1], call->alpha, size, executor);
}

int call_inplace_subs(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnInplaceSubsGetWorkspaceSize(call->operand[0], call->scalar, call->alpha, size, executor);
}

int call_mul(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnMulGetWorkspaceSize(call->operand[0], call->operand[1], call->operand[2], size, executor);
}

int call_muls(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnMulsGetWorkspaceSize(call->operand[0], call->scalar, call->operand[1], size, executor);
}

int call_inplace_mul(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnInplaceMulGetWorkspaceSize(call->operand[0], call->operand[1], size, executor);
}

int call_inplace_muls(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnInplaceMulsGetWorkspaceSize(call->operand[0], call->scalar, size, executor);
}

int call_div(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnDivGetWorkspaceSize(call->operand[0], call->operand[1], call->operand[2], size, executor);
}

int call_divs(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnDivsGetWorkspaceSize(call->operand[0], call->scalar, call->operand[1], size, executor);
}

int call_inplace_div(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnInplaceDivGetWorkspaceSize(call->operand[0], call->operand[1], size, executor);
}

int call_inplace_divs(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    return aclnnInplaceDivsGetWorkspaceSize(call->operand[0], call->scalar, size, executor);
}

/* What the kind of the call says; other is the dtype of the tensor or the scalar. */
static struct arithmetic_call call_of(enum operator_kind kind, const struct scalar *scalar,
                                      const struct scalar *alpha)
{
    struct arithmetic_call call = {
        .operation = (enum arithmetic_operation)((kind - ADD) / FORMS),
        .has_scalar = (kind - ADD) % 2 != 0,
        .product = arithmetic_product(),
    };
    if (call.has_scalar) {
        call.other = scalar->dtype;
        call.other_bytes = scalar->bytes;
    }
    if (contracts[kind].has_alpha) {
        call.alpha = alpha->dtype;
        call.alpha_bytes = alpha->bytes;
    }
    return call;
}

bool accepts_arithmetic(const struct operator_call *call, struct view *const *view,
                        const struct scalar *scalar)
{
    struct arithmetic_call judged = call_of(call->kind, scalar, call->alpha_found);
    judged.self = view[0]->dtype;
    judged.out = view[contracts[call->kind].output]->dtype;
    if (!judged.has_scalar)
        judged.other = view[1]->dtype;
    return arithmetic_is_accepted(&judged);
}

void compute_arithmetic(const struct source *source, void *output, aclDataType to)
{
    struct arithmetic_call call = call_of(source->kind, source->scalar, source->alpha);
    unsigned char result[16];
    call.self = source->dtype[0];
    call.out = to;
    if (!call.has_scalar)
        call.other = source->dtype[1];
    arithmetic_element(&call, source->element[0],
                       call.has_scalar ? source->scalar->bytes : source->element[1], result);
    memcpy(output, result, aclDataTypeSize(to));
}
