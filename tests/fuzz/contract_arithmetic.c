/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Add, Sub, Mul and Div, by the contract that support/arithmetic.h has of them.
 */
#include <string.h>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_sub.h"
#include "fuzz/contract.h"
#include "support/arithmetic.h"

enum { FORMS = 4 }; /* tensors, a scalar, and both in place: in this order from ADD on */

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
    if (contract_of(kind)->has_alpha) {
        call.alpha = alpha->dtype;
        call.alpha_bytes = alpha->bytes;
    }
    return call;
}

static bool accepts_arithmetic(const struct operator_call *call, struct view *const *view,
                               const struct scalar *scalar)
{
    struct arithmetic_call judged = call_of(call->kind, scalar, call->alpha_found);
    judged.self = view[0]->dtype;
    judged.out = view[contract_of(call->kind)->output]->dtype;
    if (!judged.has_scalar)
        judged.other = view[1]->dtype;
    return arithmetic_is_accepted(&judged);
}

static void compute_arithmetic(const struct source *source, void *output, aclDataType to)
{
    struct arithmetic_call call = call_of(source->kind, source->scalar, source->alpha);
    call.self = source->dtype[0];
    call.out = to;
    if (!call.has_scalar)
        call.other = source->dtype[1];
    arithmetic_element(&call, source->element[0],
                       call.has_scalar ? source->scalar->bytes : source->element[1], output);
}

PHASE_1(call_add, aclnnAddGetWorkspaceSize, operand[0], operand[1], call->alpha, operand[2])
PHASE_1(call_adds, aclnnAddsGetWorkspaceSize, operand[0], call->scalar, call->alpha, operand[1])
PHASE_1(call_inplace_add, aclnnInplaceAddGetWorkspaceSize, operand[0], operand[1], call->alpha)
PHASE_1(call_inplace_adds, aclnnInplaceAddsGetWorkspaceSize, operand[0], call->scalar, call->alpha)
PHASE_1(call_sub, aclnnSubGetWorkspaceSize, operand[0], operand[1], call->alpha, operand[2])
PHASE_1(call_subs, aclnnSubsGetWorkspaceSize, operand[0], call->scalar, call->alpha, operand[1])
PHASE_1(call_inplace_sub, aclnnInplaceSubGetWorkspaceSize, operand[0], operand[1], call->alpha)
PHASE_1(call_inplace_subs, aclnnInplaceSubsGetWorkspaceSize, operand[0], call->scalar, call->alpha)
PHASE_1(call_mul, aclnnMulGetWorkspaceSize, operand[0], operand[1], operand[2])
PHASE_1(call_muls, aclnnMulsGetWorkspaceSize, operand[0], call->scalar, operand[1])
PHASE_1(call_inplace_mul, aclnnInplaceMulGetWorkspaceSize, operand[0], operand[1])
PHASE_1(call_inplace_muls, aclnnInplaceMulsGetWorkspaceSize, operand[0], call->scalar)
PHASE_1(call_div, aclnnDivGetWorkspaceSize, operand[0], operand[1], operand[2])
PHASE_1(call_divs, aclnnDivsGetWorkspaceSize, operand[0], call->scalar, operand[1])
PHASE_1(call_inplace_div, aclnnInplaceDivGetWorkspaceSize, operand[0], operand[1])
PHASE_1(call_inplace_divs, aclnnInplaceDivsGetWorkspaceSize, operand[0], call->scalar)

#define ARITHMETIC(call_, phase_2_)                                                    \
    .drawn = DRAWN_ALL, .mixed = DRAWN_ALL, .phase_1 = (call_), .phase_2 = (phase_2_), \
    .accepts = accepts_arithmetic, .move = compute_arithmetic
#define OF_TENSORS(call_, phase_2_, has_alpha_)                                         \
    {                                                                                   \
        .operand_count = 3, .output = 2, .broadcasts = true, .has_alpha = (has_alpha_), \
        ARITHMETIC(call_, phase_2_)                                                     \
    }
#define OF_A_SCALAR(call_, phase_2_, has_alpha_)                                             \
    {                                                                                        \
        .operand_count = 2, .output = 1, .scalar = SCALAR_NEEDED, .has_alpha = (has_alpha_), \
        ARITHMETIC(call_, phase_2_)                                                          \
    }
#define TO_A_TENSOR(call_, phase_2_, has_alpha_)                                           \
    {                                                                                      \
        .operand_count = 2, .is_in_place = true, .reads_output = true, .broadcasts = true, \
        .has_alpha = (has_alpha_), ARITHMETIC(call_, phase_2_)                             \
    }
#define TO_A_TENSOR_OF_A_SCALAR(call_, phase_2_, has_alpha_)                                    \
    {                                                                                           \
        .operand_count = 1, .is_in_place = true, .reads_output = true, .scalar = SCALAR_NEEDED, \
        .has_alpha = (has_alpha_), ARITHMETIC(call_, phase_2_)                                  \
    }

const struct contract arithmetic_contracts[OPERATORS - ADD] = {
    [ADD - ADD] = OF_TENSORS(call_add, aclnnAdd, true),
    [ADDS - ADD] = OF_A_SCALAR(call_adds, aclnnAdds, true),
    [INPLACE_ADD - ADD] = TO_A_TENSOR(call_inplace_add, aclnnInplaceAdd, true),
    [INPLACE_ADDS - ADD] = TO_A_TENSOR_OF_A_SCALAR(call_inplace_adds, aclnnInplaceAdds, true),
    [SUB - ADD] = OF_TENSORS(call_sub, aclnnSub, true),
    [SUBS - ADD] = OF_A_SCALAR(call_subs, aclnnSubs, true),
    [INPLACE_SUB - ADD] = TO_A_TENSOR(call_inplace_sub, aclnnInplaceSub, true),
    [INPLACE_SUBS - ADD] = TO_A_TENSOR_OF_A_SCALAR(call_inplace_subs, aclnnInplaceSubs, true),
    [MUL - ADD] = OF_TENSORS(call_mul, aclnnMul, false),
    [MULS - ADD] = OF_A_SCALAR(call_muls, aclnnMuls, false),
    [INPLACE_MUL - ADD] = TO_A_TENSOR(call_inplace_mul, aclnnInplaceMul, false),
    [INPLACE_MULS - ADD] = TO_A_TENSOR_OF_A_SCALAR(call_inplace_muls, aclnnInplaceMuls, false),
    [DIV - ADD] = OF_TENSORS(call_div, aclnnDiv, false),
    [DIVS - ADD] = OF_A_SCALAR(call_divs, aclnnDivs, false),
    [INPLACE_DIV - ADD] = TO_A_TENSOR(call_inplace_div, aclnnInplaceDiv, false),
    [INPLACE_DIVS - ADD] = TO_A_TENSOR_OF_A_SCALAR(call_inplace_divs, aclnnInplaceDivs, false),
};
