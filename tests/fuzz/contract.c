/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The table of operators: how each is called, which dtypes it takes, and what it computes.
 */
#include "fuzz/contract.h"

#include <string.h>

#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_ones.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "aclnnop/aclnn_swish.h"
#include "aclnnop/aclnn_swish_backward.h"
#include "aclnnop/aclnn_zero.h"
#include "support/conversion.h"
#include "support/reference.h"

const aclDataType drawn_dtypes[DRAWN_ALL] = {
    ACL_FLOAT, ACL_FLOAT16, ACL_BF16,   ACL_DOUBLE, ACL_INT8,   ACL_INT16,     ACL_INT32,     ACL_INT64,
    ACL_UINT8, ACL_BOOL,    ACL_UINT16, ACL_UINT32, ACL_UINT64, ACL_COMPLEX64, ACL_COMPLEX128};

const char *product(void)
{
    const char *name = aclrtGetSocName();
    return strstr(name, "950") != NULL ? "950" : strstr(name, "910A") != NULL ? "910A" : "910B";
}

static bool is_oldest(void)
{
    return strcmp(product(), "910A") == 0;
}

/* Whether the product has it among the first so many of drawn_dtypes. */
bool is_among(aclDataType dtype, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (drawn_dtypes[i] == dtype)
            return dtype != ACL_BF16 || !is_oldest();
    return false;
}

bool is_wide_unsigned(aclDataType dtype)
{
    return dtype == ACL_UINT16 || dtype == ACL_UINT32 || dtype == ACL_UINT64;
}

bool is_complex(aclDataType dtype)
{
    return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
}

aclDataType promote_floats(aclDataType a, aclDataType b)
{
    if (a == b)
        return a;
    return a == ACL_DOUBLE || b == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
}

/* What a result in a float dtype may be written as. */
static bool is_float_result(aclDataType dtype)
{
    return is_among(dtype, DRAWN_FLOATS) || is_complex(dtype);
}

bool are_narrow(const struct operator_call *call, struct view *const *view, const struct scalar *scalar)
{
    (void)scalar;
    for (uint32_t i = 0; i < contract_of(call->kind)->operand_count; i++)
        if (!is_among(view[i]->dtype, DRAWN_NARROW))
            return false;
    return true;
}

bool are_narrow_and_equal(const struct operator_call *call, struct view *const *view,
                          const struct scalar *scalar)
{
    for (uint32_t i = 1; i < contract_of(call->kind)->operand_count; i++)
        if (view[i]->dtype != view[0]->dtype)
            return false;
    return are_narrow(call, view, scalar);
}

static bool accepts_silu_backward(const struct operator_call *call, struct view *const *view,
                                  const struct scalar *scalar)
{
    if (view[0]->dtype == view[1]->dtype || strcmp(product(), "950") != 0)
        return are_narrow_and_equal(call, view, scalar);
    return are_narrow(call, view, scalar) && view[2]->dtype == ACL_FLOAT;
}

static bool is_slope(const struct scalar *scalar)
{
    return is_among(scalar->dtype, DRAWN_ALL) && !is_wide_unsigned(scalar->dtype) &&
           !is_complex(scalar->dtype);
}

static bool accepts_leaky_relu_backward(const struct operator_call *call, struct view *const *view,
                                        const struct scalar *scalar)
{
    return is_among(view[0]->dtype, DRAWN_FLOATS) && is_among(view[1]->dtype, DRAWN_FLOATS) &&
           is_float_result(view[2]->dtype) && is_slope(scalar) &&
           !(call->self_is_result && scalar->value < 0);
}

static bool accepts_leaky_relu(const struct operator_call *call, struct view *const *view,
                               const struct scalar *scalar)
{
    return is_among(view[0]->dtype, DRAWN_FLOATS) &&
           is_float_result(view[contract_of(call->kind)->output]->dtype) && is_slope(scalar);
}

static bool accepts_swish(const struct operator_call *call, struct view *const *view,
                          const struct scalar *scalar)
{
    return are_narrow_and_equal(call, view, scalar) &&
           (scalar == NULL || (is_among(scalar->dtype, DRAWN_ALL) && !is_complex(scalar->dtype)));
}

static bool accepts_smooth_l1_loss(const struct operator_call *call, struct view *const *view,
                                   const struct scalar *scalar)
{
    (void)call, (void)scalar;
    return is_among(view[0]->dtype, DRAWN_NARROW) && is_among(view[1]->dtype, DRAWN_NARROW) &&
           is_float_result(view[2]->dtype);
}

static bool are_any(const struct operator_call *call, struct view *const *view, const struct scalar *scalar)
{
    (void)scalar;
    for (uint32_t i = 0; i < contract_of(call->kind)->operand_count; i++)
        if (!is_among(view[i]->dtype, DRAWN_ALL))
            return false;
    return true;
}

static bool accepts_cast(const struct operator_call *call, struct view *const *view,
                         const struct scalar *scalar)
{
    return are_any(call, view, scalar) && call->dtype == view[1]->dtype;
}

static bool accepts_fill(const struct operator_call *call, struct view *const *view,
                         const struct scalar *scalar)
{
    aclDataType to = view[0]->dtype, from = scalar->dtype;
    if (is_wide_unsigned(to) || is_wide_unsigned(from))
        return to == from && !is_oldest();
    return are_any(call, view, scalar) && is_among(from, DRAWN_ALL);
}

static bool accepts_zero(const struct operator_call *call, struct view *const *view,
                         const struct scalar *scalar)
{
    return are_any(call, view, scalar) && view[0]->dtype != ACL_UINT32 && view[0]->dtype != ACL_UINT64;
}

static bool accepts_one(const struct operator_call *call, struct view *const *view,
                        const struct scalar *scalar)
{
    return are_any(call, view, scalar) && !is_complex(view[0]->dtype) &&
           (!is_wide_unsigned(view[0]->dtype) || view[0]->dtype == ACL_UINT16);
}

static void compute_hardswish(mpfr_ptr result, const struct terms *terms)
{
    reference_hardswish(result, terms->input[0]);
}

static void compute_hardswish_backward(mpfr_ptr result, const struct terms *terms)
{
    reference_hardswish_backward(result, terms->input[0], terms->input[1]);
}

static void compute_hardswish_backward_v2(mpfr_ptr result, const struct terms *terms)
{
    reference_hardswish_backward_v2(result, terms->input[0], terms->input[1]);
}

static void compute_silu(mpfr_ptr result, const struct terms *terms)
{
    reference_silu(result, terms->input[0]);
}

static void compute_silu_backward(mpfr_ptr result, const struct terms *terms)
{
    reference_silu_backward(result, terms->input[0], terms->input[1]);
}

static void compute_swish(mpfr_ptr result, const struct terms *terms)
{
    reference_swish(result, terms->input[0], terms->scalar);
}

static void compute_swish_backward(mpfr_ptr result, const struct terms *terms)
{
    reference_swish_backward(result, terms->input[0], terms->input[1], terms->scalar);
}

static void compute_smooth_l1_loss(mpfr_ptr result, const struct terms *terms)
{
    reference_smooth_l1_loss(result, terms->input[0], terms->input[1], terms->beta);
}

static void compute_smooth_l1_loss_backward(mpfr_ptr result, const struct terms *terms)
{
    reference_smooth_l1_loss_backward(result, terms->input[0], terms->input[1], terms->input[2], terms->beta,
                                      terms->divisor);
}

static void compute_leaky_relu(mpfr_ptr result, const struct terms *terms)
{
    reference_leaky_relu(result, terms->input[0], terms->scalar);
}

static void compute_leaky_relu_backward(mpfr_ptr result, const struct terms *terms)
{
    reference_leaky_relu_backward(result, terms->input[0], terms->input[1], terms->scalar);
}

static void move_element(const struct source *source, void *output, aclDataType to)
{
    conversion_reference(source->element[0], source->dtype[0], output, to);
}

/* A complex value makes 0 of a real element: of scalars the first part is not taken. */
static void move_scalar(const struct source *source, void *output, aclDataType to)
{
    if (is_complex(source->scalar->dtype) && !is_complex(to))
        memset(output, 0, conversion_bytes(to));
    else
        conversion_reference(source->scalar->bytes, source->scalar->dtype, output, to);
}

static void move_zero(const struct source *source, void *output, aclDataType to)
{
    (void)source;
    memset(output, 0, conversion_bytes(to));
}

static void move_one(const struct source *source, void *output, aclDataType to)
{
    static const uint8_t one = 1;
    (void)source;
    conversion_reference(&one, ACL_UINT8, output, to);
}

PHASE_1(call_hardswish_backward, aclnnHardswishBackwardGetWorkspaceSize, operand[0], operand[1], operand[2])
PHASE_1(call_silu_backward, aclnnSiluBackwardGetWorkspaceSize, operand[0], operand[1], operand[2])
PHASE_1(call_smooth_l1_loss_backward, aclnnSmoothL1LossBackwardGetWorkspaceSize, operand[0], operand[1],
        operand[2], call->reduction, call->beta, operand[3])
PHASE_1(call_leaky_relu_backward, aclnnLeakyReluBackwardGetWorkspaceSize, operand[0], operand[1],
        call->scalar, call->self_is_result, operand[2])
PHASE_1(call_hardswish, aclnnHardswishGetWorkspaceSize, operand[0], operand[1])
PHASE_1(call_inplace_hardswish, aclnnInplaceHardswishGetWorkspaceSize, operand[0])
PHASE_1(call_hardswish_backward_v2, aclnnHardswishBackwardV2GetWorkspaceSize, operand[0], operand[1],
        operand[2])
PHASE_1(call_silu, aclnnSiluGetWorkspaceSize, operand[0], operand[1])
PHASE_1(call_swish, aclnnSwishGetWorkspaceSize, operand[0], call->scalar, operand[1])
PHASE_1(call_swish_backward, aclnnSwishBackwardGetWorkspaceSize, operand[0], operand[1], call->scalar,
        operand[2])
PHASE_1(call_smooth_l1_loss, aclnnSmoothL1LossGetWorkspaceSize, operand[0], operand[1], call->reduction,
        call->beta, operand[2])
PHASE_1(call_leaky_relu, aclnnLeakyReluGetWorkspaceSize, operand[0], call->scalar, operand[1])
PHASE_1(call_inplace_leaky_relu, aclnnInplaceLeakyReluGetWorkspaceSize, operand[0], call->scalar)
PHASE_1(call_cast, aclnnCastGetWorkspaceSize, operand[0], call->dtype, operand[1])
PHASE_1(call_copy, aclnnInplaceCopyGetWorkspaceSize, operand[0], operand[1])
PHASE_1(call_fill, aclnnInplaceFillScalarGetWorkspaceSize, operand[0], call->scalar)
PHASE_1(call_zero, aclnnInplaceZeroGetWorkspaceSize, operand[0])
PHASE_1(call_one, aclnnInplaceOneGetWorkspaceSize, operand[0])

const struct contract contracts[RELU] = {
    [HARDSWISH_BACKWARD] = {.operand_count = 3,
                            .output = 2,
                            .drawn = DRAWN_NARROW,
                            .phase_1 = call_hardswish_backward,
                            .phase_2 = aclnnHardswishBackward,
                            .accepts = are_narrow_and_equal,
                            .formula = compute_hardswish_backward},
    [SILU_BACKWARD] = {.operand_count = 3,
                       .output = 2,
                       .drawn = DRAWN_NARROW,
                       .phase_1 = call_silu_backward,
                       .phase_2 = aclnnSiluBackward,
                       .accepts = accepts_silu_backward,
                       .formula = compute_silu_backward},
    [SMOOTH_L1_LOSS_BACKWARD] = {.operand_count = 4,
                                 .output = 3,
                                 .broadcasts = true,
                                 .has_loss_attributes = true,
                                 .drawn = DRAWN_NARROW,
                                 .mixed = DRAWN_NARROW,
                                 .phase_1 = call_smooth_l1_loss_backward,
                                 .phase_2 = aclnnSmoothL1LossBackward,
                                 .accepts = are_narrow,
                                 .formula = compute_smooth_l1_loss_backward},
    [LEAKY_RELU_BACKWARD] = {.operand_count = 3,
                             .output = 2,
                             .broadcasts = true,
                             .scalar = SCALAR_NEEDED,
                             .drawn = DRAWN_FLOATS,
                             .mixed = DRAWN_NARROW,
                             .phase_1 = call_leaky_relu_backward,
                             .phase_2 = aclnnLeakyReluBackward,
                             .accepts = accepts_leaky_relu_backward,
                             .formula = compute_leaky_relu_backward},
    [HARDSWISH] = {.operand_count = 2,
                   .output = 1,
                   .has_any_rank = true,
                   .drawn = DRAWN_NARROW,
                   .mixed = DRAWN_NARROW,
                   .phase_1 = call_hardswish,
                   .phase_2 = aclnnHardswish,
                   .accepts = are_narrow,
                   .formula = compute_hardswish},
    [INPLACE_HARDSWISH] = {.operand_count = 1,
                           .is_in_place = true,
                           .reads_output = true,
                           .has_any_rank = true,
                           .drawn = DRAWN_NARROW,
                           .phase_1 = call_inplace_hardswish,
                           .phase_2 = aclnnInplaceHardswish,
                           .accepts = are_narrow,
                           .formula = compute_hardswish},
    [HARDSWISH_BACKWARD_V2] = {.operand_count = 3,
                               .output = 2,
                               .drawn = DRAWN_NARROW,
                               .phase_1 = call_hardswish_backward_v2,
                               .phase_2 = aclnnHardswishBackwardV2,
                               .accepts = are_narrow_and_equal,
                               .formula = compute_hardswish_backward_v2},
    [SILU] = {.operand_count = 2,
              .output = 1,
              .has_any_rank = true,
              .drawn = DRAWN_NARROW,
              .phase_1 = call_silu,
              .phase_2 = aclnnSilu,
              .accepts = are_narrow_and_equal,
              .formula = compute_silu},
    [SWISH] = {.operand_count = 2,
               .output = 1,
               .scalar = SCALAR_OPTIONAL,
               .drawn = DRAWN_NARROW,
               .phase_1 = call_swish,
               .phase_2 = aclnnSwish,
               .accepts = accepts_swish,
               .formula = compute_swish},
    [SWISH_BACKWARD] = {.operand_count = 3,
                        .output = 2,
                        .scalar = SCALAR_OPTIONAL,
                        .drawn = DRAWN_NARROW,
                        .phase_1 = call_swish_backward,
                        .phase_2 = aclnnSwishBackward,
                        .accepts = accepts_swish,
                        .formula = compute_swish_backward},
    [SMOOTH_L1_LOSS] = {.operand_count = 3,
                        .output = 2,
                        .broadcasts = true,
                        .has_loss_attributes = true,
                        .reduces = true,
                        .drawn = DRAWN_NARROW,
                        .mixed = DRAWN_NARROW,
                        .phase_1 = call_smooth_l1_loss,
                        .phase_2 = aclnnSmoothL1Loss,
                        .accepts = accepts_smooth_l1_loss,
                        .formula = compute_smooth_l1_loss},
    [LEAKY_RELU] = {.operand_count = 2,
                    .output = 1,
                    .scalar = SCALAR_NEEDED,
                    .drawn = DRAWN_FLOATS,
                    .mixed = DRAWN_FLOATS,
                    .phase_1 = call_leaky_relu,
                    .phase_2 = aclnnLeakyRelu,
                    .accepts = accepts_leaky_relu,
                    .formula = compute_leaky_relu},
    [INPLACE_LEAKY_RELU] = {.operand_count = 1,
                            .is_in_place = true,
                            .reads_output = true,
                            .scalar = SCALAR_NEEDED,
                            .drawn = DRAWN_FLOATS,
                            .phase_1 = call_inplace_leaky_relu,
                            .phase_2 = aclnnInplaceLeakyRelu,
                            .accepts = accepts_leaky_relu,
                            .formula = compute_leaky_relu},
    [CAST] = {.operand_count = 2,
              .output = 1,
              .drawn = DRAWN_ALL,
              .mixed = DRAWN_ALL,
              .phase_1 = call_cast,
              .phase_2 = aclnnCast,
              .accepts = accepts_cast,
              .move = move_element},
    [COPY] = {.operand_count = 2,
              .is_in_place = true,
              .broadcasts = true,
              .drawn = DRAWN_ALL,
              .mixed = DRAWN_ALL,
              .phase_1 = call_copy,
              .phase_2 = aclnnInplaceCopy,
              .accepts = are_any,
              .move = move_element},
    [FILL] = {.operand_count = 1,
              .is_in_place = true,
              .scalar = SCALAR_NEEDED,
              .drawn = DRAWN_ALL,
              .phase_1 = call_fill,
              .phase_2 = aclnnInplaceFillScalar,
              .accepts = accepts_fill,
              .move = move_scalar},
    [ZERO] = {.operand_count = 1,
              .is_in_place = true,
              .drawn = DRAWN_ALL,
              .phase_1 = call_zero,
              .phase_2 = aclnnInplaceZero,
              .accepts = accepts_zero,
              .move = move_zero},
    [ONE] = {.operand_count = 1,
             .is_in_place = true,
             .drawn = DRAWN_ALL,
             .phase_1 = call_one,
             .phase_2 = aclnnInplaceOne,
             .accepts = accepts_one,
             .move = move_one},
};
