/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The targets of a row are the entries before its first -1: isTarget is 1 at these classes and 0 at others. A
 * row's loss is the sum over targets t and the classes c that are none of max(0, 1 - x[t] + x[c]), over the
 * number of classes; a NaN counts 0. In DOUBLE, targets in their order; rounded once. A tensor without dims
 * is a row of one class.
 */
#include "aclnnop/aclnn_multilabel_margin_loss.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/plane_walk.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

static const char *const reductions[] = {"none", "mean", "sum", NULL};
#define MULTILABEL_MARGIN_LOSS(X, of)                               \
    X(of, IN, self, &dtypes_fp32_fp16_bf16)                         \
    X(of, IN, target, &dtypes_int32_int64, .sample = "2x3:INT64")   \
    X(of, INT64, reduction, .choices = reductions, .usual = "mean") \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                         \
    X(of, OUT, isTarget, &dtypes_fp32_fp16_bf16)
SIGNATURE(MULTILABEL_MARGIN_LOSS)
enum { NONE, MEAN, SUM };

/* A plane is one row, or all where their losses are put together. */
struct margin {
    uint64_t rows, classes;
    aclDataType dtype, target_dtype;
    bool is_mean;
};

static int64_t target_at(const struct margin *margin, const void *target, uint64_t i)
{
    return margin->target_dtype == ACL_INT32 ? ((const int32_t *)target)[i] : ((const int64_t *)target)[i];
}

/* The loss of a row whose targets end before `behind`. */
static double add_row(const struct margin *margin, const double *x, const double *is_target,
                      const void *target, uint64_t first, uint64_t behind)
{
    double sum = 0;
    for (uint64_t i = first; i < behind; i++) {
        const double own = x[target_at(margin, target, i)];
        for (uint64_t c = 0; c < margin->classes; c++) {
            const double term = 1 - own + x[c];
            sum += is_target[c] == 0 && term > 0 ? term : 0;
        }
    }
    return sum / (double)margin->classes;
}

static int64_t run_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                         void *room)
{
    const struct margin *margin = (const struct margin *)(const void *)walk->parameters;
    const uint64_t classes = margin->classes, count = margin->rows * classes;
    double *x = room, *is_target = x + count, loss = 0;
    plane_convert(walk, input[0], margin->dtype, x, ACL_DOUBLE, count);
    memset(is_target, 0, (size_t)count * sizeof *is_target);
    for (uint64_t first = 0; first < count; first += classes) {
        uint64_t behind = first;
        for (; behind < first + classes; behind++) {
            const int64_t class = target_at(margin, input[1], behind);
            if (class == -1)
                break;
            if (class < 0 || (uint64_t) class >= classes)
                return (int64_t)behind;
            is_target[first + (uint64_t) class] = 1;
        }
        loss += add_row(margin, x + first, is_target + first, input[1], first, behind);
    }
    loss = margin->is_mean ? loss / (double)margin->rows : loss;
    plane_convert(walk, &loss, ACL_DOUBLE, output[0], margin->dtype, 1);
    plane_convert(walk, is_target, ACL_DOUBLE, output[1], margin->dtype, count);
    return -1;
}

static int tell_target(const struct plane_walk *walk, const void *target, int64_t plane, int64_t element)
{
    const struct margin *margin = (const struct margin *)(const void *)walk->parameters;
    const int64_t classes = (int64_t)margin->classes;
    return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                          "target holds %" PRId64 " at %" PRId64 " of row %" PRId64 "; -1 to %" PRId64
                          " are expected",
                          target_at(margin, target, (uint64_t)element), element % classes,
                          plane + element / classes, classes - 1);
}

static int64_t classes_of(const struct tensor_view *self)
{
    return self->rank == 0 ? 1 : self->shape[self->rank - 1];
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[MULTILABEL_MARGIN_LOSS_self];
    TRY(check_dtype(call, MULTILABEL_MARGIN_LOSS_self));
    TRY(check_dtype(call, MULTILABEL_MARGIN_LOSS_target));
    if (self->rank > 2)
        return refuse(call, "self has %u dims; 2 at most are expected", self->rank);
    if (classes_of(self) == 0)
        return refuse(call, "self has no classes; 1 or more are expected");
    TRY(check_same_shape(call, MULTILABEL_MARGIN_LOSS_target, MULTILABEL_MARGIN_LOSS_self, NULL));
    TRY(check_choice(call, MULTILABEL_MARGIN_LOSS_reduction));
    struct shape losses = {.rank = 0};
    if (self->rank == 2 && call->argument[MULTILABEL_MARGIN_LOSS_reduction].int64 == NONE)
        losses = (struct shape){.rank = 1, .dim = {self->shape[0]}};
    result_reshaped(result, call, MULTILABEL_MARGIN_LOSS_self, losses);
    result->output[0].shape_rule = losses.rank == 0 ? SHAPE_ONE : SHAPE_EQUAL;
    result_like(result, call, MULTILABEL_MARGIN_LOSS_self);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[MULTILABEL_MARGIN_LOSS_self];
    const uint64_t rows = self->rank < 2 ? 1 : (uint64_t)self->shape[0];
    const bool is_each = call->argument[MULTILABEL_MARGIN_LOSS_reduction].int64 == NONE;
    (void)result;
    if (rows == 0 && is_each)
        return call_idle(call);
    const struct margin margin = {.rows = is_each ? 1 : rows,
                                  .classes = (uint64_t)classes_of(self),
                                  .dtype = self->dtype,
                                  .target_dtype = call->tensor[MULTILABEL_MARGIN_LOSS_target].dtype,
                                  .is_mean = call->argument[MULTILABEL_MARGIN_LOSS_reduction].int64 == MEAN};
    const uint64_t count = margin.rows * margin.classes;
    const struct plane_request request = {
        .function = run_plane,
        .explain = tell_target,
        .planes = is_each ? rows : 1,
        .inputs = 2,
        .outputs = 2,
        .parameter = {MULTILABEL_MARGIN_LOSS_self, MULTILABEL_MARGIN_LOSS_target, MULTILABEL_MARGIN_LOSS_out,
                      MULTILABEL_MARGIN_LOSS_isTarget},
        .room_bytes = (size_t)(2 * count + 1) * sizeof(double),
        .plane_ns = count * (2 + margin.classes / 4) + 50,
        .parameters = &margin,
        .parameter_bytes = sizeof margin};
    return plane_walk_plan(call, &request);
}

FUNCTION_OF(aclnnMultilabelMarginLoss, MULTILABEL_MARGIN_LOSS, .stem = "multilabel_margin_loss",
            .promise = &promise_sum, .family = FAMILY_INDEX, PLANE_WALK, .infer = infer, .plan = plan);
