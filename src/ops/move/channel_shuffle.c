/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out[:, c * groups + k] = self[:, k * (C / groups) + c]: dim 1 as a matrix with a row for each group, which
 * is transposed. Bits stay as they are.
 */
#include "aclnnop/aclnn_channel_shuffle.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/signature.h"
#include "ops/loops/move.h"

#define CHANNEL_SHUFFLE(X, of)                            \
    X(of, IN, self, &dtypes_all_small, .sample = "1x4x2") \
    X(of, INT64, groups, .usual = "1")                    \
    X(of, OUT, out, &dtypes_all_small)
SIGNATURE(CHANNEL_SHUFFLE)

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[CHANNEL_SHUFFLE_self];
    const int64_t groups = call->argument[CHANNEL_SHUFFLE_groups].int64;
    TRY(check_dtype(call, CHANNEL_SHUFFLE_self));
    TRY(check_rank(call, CHANNEL_SHUFFLE_self));
    if (self->rank < 3)
        return refuse(call, "self has %u dims; 3 or more are expected", self->rank);
    if (groups <= 0 || self->shape[1] % groups != 0)
        return refuse(call,
                      "groups is %" PRId64 "; a number above 0 is expected that the %" PRId64
                      " channels of self are a multiple of",
                      groups, self->shape[1]);
    result_like(result, call, CHANNEL_SHUFFLE_self);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[CHANNEL_SHUFFLE_self],
                             *out = &call->tensor[CHANNEL_SHUFFLE_out];
    const int64_t groups = call->argument[CHANNEL_SHUFFLE_groups].int64;
    struct executor_content *content;
    struct move_plan *plan;
    if (self->count == 0)
        return call_idle(call);
    TRY(move_begin(call, 1, result->computed, result->computed, &content, &plan));
    struct move_part *part = move_add(plan, call->first_operand[CHANNEL_SHUFFLE_self],
                                      call->first_operand[CHANNEL_SHUFFLE_out], result->computed);
    for (uint32_t i = 0; i < self->rank; i++) {
        const int64_t size = self->shape[i], from = self->stride[i], to = out->stride[i];
        if (i == 1) {
            move_add_axis(part, size / groups, from, to * groups);
            move_add_axis(part, groups, from * (size / groups), to);
        } else {
            move_add_axis(part, size, from, to);
        }
    }
    move_finish(call, content, plan);
    return ACLNN_SUCCESS;
}

FUNCTION_OF(aclnnChannelShuffle, CHANNEL_SHUFFLE, .stem = "channel_shuffle", MOVE, .infer = infer,
            .plan = plan);
