/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Dims that calls name, and the shapes that are left without them.
 */
#include "ops/check.h"
#include "ops/loops/reduce.h"
#include "tensor/dtype.h"

/* Puts a dim into the set; wants it in [-r, r - 1], r being the rank or, of rank 0, 1. */
static aclnnStatus add_axis(const struct call *call, unsigned tensor, unsigned parameter, int64_t dim,
                            axes *reduced)
{
    const int64_t rank = call->tensor[tensor].rank, range = rank > 0 ? rank : 1;
    const char *name = call->function->parameter[parameter].name;
    if (dim < -range || dim >= range)
        return refuse(call, "%s names dim %lld of %s; one from %lld to %lld is expected", name,
                      (long long)dim, call_name(call, tensor), (long long)-range, (long long)(range - 1));
    const axes bit = UINT32_C(1) << (dim < 0 ? dim + range : dim);
    if ((*reduced & bit) != 0)
        return refuse(call, "%s names dim %lld twice; each once at most is expected", name,
                      (long long)(dim < 0 ? dim + range : dim));
    *reduced |= bit;
    return ACLNN_SUCCESS;
}

/* All dims of a tensor as a set, which is empty for a tensor of rank 0. */
static axes all_axes(const struct call *call, unsigned tensor)
{
    return (UINT32_C(1) << call->tensor[tensor].rank) - 1;
}

aclnnStatus check_axes(const struct call *call, unsigned tensor, unsigned dims, axes *reduced)
{
    *reduced = 0;
    const uint64_t count = call_has(call, dims) ? call->values[dims].count : 0;
    for (uint64_t i = 0; i < count; i++)
        TRY(add_axis(call, tensor, dims, call->values[dims].value.int64[i], reduced));
    *reduced &= all_axes(call, tensor);
    if (count == 0)
        *reduced = all_axes(call, tensor);
    return ACLNN_SUCCESS;
}

aclnnStatus check_axis(const struct call *call, unsigned tensor, unsigned dim, axes *reduced)
{
    *reduced = 0;
    TRY(add_axis(call, tensor, dim, call->argument[dim].int64, reduced));
    *reduced &= all_axes(call, tensor);
    return ACLNN_SUCCESS;
}

struct output *result_reduced(struct result *result, const struct call *call, unsigned tensor, axes reduced,
                              bool keeps, aclDataType dtype, enum dtype_rule rule)
{
    const struct tensor_view *view = &call->tensor[tensor];
    struct output *output = result_add(result, dtype, rule);
    output->like = tensor;
    output->shape.rank = 0;
    for (uint32_t i = 0; i < view->rank; i++) {
        const bool is_reduced = (reduced >> i & 1) != 0;
        if (!is_reduced || keeps)
            output->shape.dim[output->shape.rank++] = is_reduced ? 1 : view->shape[i];
    }
    /* () and {1} stand for each other where one element is left. */
    const bool is_one = output->shape.rank == 0 || (output->shape.rank == 1 && output->shape.dim[0] == 1);
    output->shape_rule = is_one ? SHAPE_ONE : SHAPE_EQUAL;
    return output;
}

enum { SELF, DIMS, KEEP_DIMS };

aclnnStatus reduce_infer(const struct call *call, struct result *result, enum dtype_rule rule,
                         bool needs_elements)
{
    axes reduced;
    bool has_outputs = true;
    TRY(check_rank(call, SELF));
    TRY(check_axes(call, SELF, DIMS, &reduced));
    const struct output *output = result_reduced(result, call, SELF, reduced,
                                                 call->argument[KEEP_DIMS].boolean, result->computed, rule);
    for (uint32_t i = 0; i < output->shape.rank; i++)
        has_outputs = has_outputs && output->shape.dim[i] != 0;
    if (!needs_elements || call->tensor[SELF].count != 0 || !has_outputs)
        return ACLNN_SUCCESS;
    return refuse(
        call, "%s names a dim of self that has size 0, and the result is %s; a size of 1 or more is expected",
        call_name(call, DIMS), dtype_name(result->computed));
}

aclnnStatus reduce_plan_usual(const struct call *call, const struct result *result)
{
    const unsigned self = SELF;
    const struct shape shape = shape_of(&call->tensor[SELF]);
    axes reduced;
    TRY(check_axes(call, SELF, DIMS, &reduced));
    return reduce_plan(call, call->function->of_family, &self, 1, &shape, reduced, result->computed, NULL, 0);
}
