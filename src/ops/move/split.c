/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A list of tensors = the parts of self along a dim, all of one size but for the last one, or of sizes of
 * their own. Bits stay as they are.
 */
#include <inttypes.h>

#include "aclnnop/aclnn_split_tensor.h"
#include "aclnnop/aclnn_split_with_size.h"
#include "ops/check.h"
#include "ops/check_message.h"
#include "ops/dtypes.h"
#include "ops/loops/move.h"
#include "ops/overlap.h"
#include "ops/signature.h"

#define OUT_LIST(X, of)                                                                      \
    X(of, OVERWRITTEN_LIST, out, &dtypes_floats_integers_bool_complex_small_on_950_naturals, \
      .sample = "1x3:FLOAT")
#define SPLIT_TENSOR(X, of)                                                     \
    X(of, IN, self, &dtypes_floats_integers_bool_complex_small_on_950_naturals) \
    X(of, UINT64, splitSections, .sample = "1")                                 \
    X(of, INT64, dim, .usual = "0")                                             \
    OUT_LIST(X, of)
SIGNATURE(SPLIT_TENSOR)

static bool has_sizes(const struct call *call)
{
    return call->function->parameter[SPLIT_TENSOR_splitSections].kind == PARAMETER_INT_ARRAY;
}

/* The size of a part along the dim. */
static int64_t size_of(const struct call *call, uint64_t part, int64_t whole)
{
    if (has_sizes(call))
        return call->values[SPLIT_TENSOR_splitSections].value.int64[part];
    const int64_t size = call->argument[SPLIT_TENSOR_splitSections].int64,
                  left = whole - (int64_t)part * size;
    return left < size ? left : size;
}

/* How many parts there are; the sizes are those of self's dim together. */
static aclnnStatus count_parts(const struct call *call, int64_t whole, uint64_t *count)
{
    const struct call_values *sizes = &call->values[SPLIT_TENSOR_splitSections];
    if (!has_sizes(call)) {
        const int64_t size = call->argument[SPLIT_TENSOR_splitSections].int64;
        if (size < 0 || (size == 0 && whole > 0))
            return refuse(call, "splitSections is %" PRIu64 "; 1 to 2^63 - 1 are expected", (uint64_t)size);
        *count = size == 0 || whole == 0 ? 0 : (uint64_t)((whole - 1) / size + 1);
        return ACLNN_SUCCESS;
    }
    int64_t left = whole;
    for (uint64_t i = 0; i < sizes->count; i++) {
        if (sizes->value.int64[i] < 0 || sizes->value.int64[i] > left)
            return refuse(
                call, "splitSize holds %" PRId64 "; sizes of 0 or more are expected that add up to %" PRId64,
                sizes->value.int64[i], whole);
        left -= sizes->value.int64[i];
    }
    if (left > 0)
        return refuse(call, "splitSize adds up to %" PRId64 "; %" PRId64 " is expected", whole - left, whole);
    *count = sizes->count;
    return ACLNN_SUCCESS;
}

static aclnnStatus check_part(const struct call *call, uint64_t part, uint32_t dim)
{
    const struct tensor_view *self = &call->tensor[SPLIT_TENSOR_self],
                             *out = &call->values[SPLIT_TENSOR_out].value.tensor[part];
    bool is_right = out->dtype == self->dtype && out->rank == self->rank;
    for (uint32_t i = 0; is_right && i < self->rank; i++)
        is_right = out->shape[i] == (i == dim ? size_of(call, part, self->shape[dim]) : self->shape[i]);
    if (!is_right)
        return refuse(call,
                      "tensor %" PRIu64 " of out has another dtype than self, or another shape than that "
                      "part of it; the same ones are expected",
                      part);
    if (view_overlaps_itself(out))
        return refuse(call, "tensor %" PRIu64 " of out overlaps itself", part);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[SPLIT_TENSOR_self];
    uint64_t count = 0;
    uint32_t dim;
    TRY(check_dtype(call, SPLIT_TENSOR_self));
    TRY(check_rank(call, SPLIT_TENSOR_self));
    if (self->rank == 0)
        return refuse(call, "self has 0 dims; 1 or more are expected");
    TRY(check_dim(call, SPLIT_TENSOR_dim, call->argument[SPLIT_TENSOR_dim].int64, self->rank, &dim));
    TRY(count_parts(call, self->shape[dim], &count));
    bool is_nothing = !has_sizes(call) && self->shape[dim] == 0; /* no parts, or one without elements */
    if (call->values[SPLIT_TENSOR_out].count != count &&
        !(is_nothing && call->values[SPLIT_TENSOR_out].count == 1))
        return refuse(call, "out has %" PRIu64 " tensors; %" PRIu64 " are expected",
                      call->values[SPLIT_TENSOR_out].count, count);
    for (uint64_t i = 0; i < call->values[SPLIT_TENSOR_out].count; i++)
        TRY(check_part(call, i, dim));
    result->computed = self->dtype;
    struct output *output = result_add(result, self->dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_ONE;
    output->like = SPLIT_TENSOR_out;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[SPLIT_TENSOR_self];
    const struct call_values *list = &call->values[SPLIT_TENSOR_out];
    struct executor_content *content;
    struct move_plan *plan;
    uint32_t dim;
    int64_t at = 0;
    if (self->count == 0)
        return call_idle(call);
    TRY(check_dim(call, SPLIT_TENSOR_dim, call->argument[SPLIT_TENSOR_dim].int64, self->rank, &dim));
    TRY(move_begin(call, (uint32_t)list->count, result->computed, result->computed, &content, &plan));
    for (uint32_t n = 0; n < list->count; n++) {
        const struct tensor_view *out = &list->value.tensor[n];
        if (out->count == 0)
            continue;
        struct move_part *part = move_add(plan, call->first_operand[SPLIT_TENSOR_self],
                                          call->first_operand[SPLIT_TENSOR_out] + n, result->computed);
        part->from_first = at * self->stride[dim];
        for (uint32_t i = 0; i < self->rank; i++)
            move_add_axis(part, out->shape[i], self->stride[i], out->stride[i]);
        at += out->shape[dim];
    }
    move_finish(call, content, plan);
    return ACLNN_SUCCESS;
}

FUNCTION_OF(aclnnSplitTensor, SPLIT_TENSOR, .stem = "split_tensor", MOVE, .infer = infer, .plan = plan);

#define SPLIT_WITH_SIZE(X, of)                                                  \
    X(of, IN, self, &dtypes_floats_integers_bool_complex_small_on_950_naturals) \
    X(of, INTS, splitSize, .sample = "1,1")                                     \
    X(of, INT64, dim, .usual = "0")                                             \
    OUT_LIST(X, of)
SIGNATURE(SPLIT_WITH_SIZE)

FUNCTION_OF(aclnnSplitWithSize, SPLIT_WITH_SIZE, .stem = "split_with_size", MOVE, .infer = infer,
            .plan = plan);
