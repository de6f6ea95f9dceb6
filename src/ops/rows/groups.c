/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sizes, checks and rows that the normalisations of groups of channels share.
 */
#include "ops/rows/groups.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/rows/normalise.h"

struct group_sizes group_sizes_of(const struct call *call, unsigned first)
{
    const union argument *argument = &call->argument[first];
    return (struct group_sizes){argument[0].int64, argument[1].int64, argument[2].int64, argument[3].int64};
}

struct group_sizes group_sizes_of_view(const struct tensor_view *view, int64_t group)
{
    struct group_sizes sizes = {view->shape[0], view->shape[1], 1, group};
    /* In a tensor without elements the product of the sizes may not fit 64 bits. */
    for (uint32_t i = 2; i < view->rank; i++)
        if (__builtin_mul_overflow(sizes.area, view->shape[i], &sizes.area))
            sizes.area = 0;
    return sizes;
}

aclnnStatus check_group(const struct call *call, const struct group_sizes *sizes)
{
    return sizes->group > 0 && sizes->channels % sizes->group == 0
               ? ACLNN_SUCCESS
               : refuse(call, "group is %" PRId64 "; a divisor of C, %" PRId64 ", is expected", sizes->group,
                        sizes->channels);
}

aclnnStatus check_eps(const struct call *call, double eps)
{
    return eps > 0 ? ACLNN_SUCCESS : refuse(call, "eps is %g; more than 0 is expected", eps);
}

aclnnStatus check_group_sizes(const struct call *call, unsigned first)
{
    const struct group_sizes sizes = group_sizes_of(call, first);
    for (unsigned i = first; i < first + 3; i++)
        if (call->argument[i].int64 < 0)
            return refuse(call, "%s is %" PRId64 "; 0 or more is expected", call_name(call, i),
                          call->argument[i].int64);
    return check_group(call, &sizes);
}

/* Dims N and C, and then some whose sizes have the product HxW. */
static bool has_sizes(const struct tensor_view *view, const struct group_sizes *sizes)
{
    int64_t area = 1;
    if (view->rank < 2 || view->rank > OPERAND_RANK_MAX || view->shape[0] != sizes->images ||
        view->shape[1] != sizes->channels)
        return false;
    for (uint32_t i = 2; i < view->rank; i++)
        if (__builtin_mul_overflow(area, view->shape[i], &area))
            return false;
    return area == sizes->area;
}

aclnnStatus check_group_elements(const struct call *call, unsigned parameter, const struct group_sizes *sizes)
{
    const struct tensor_view *view = &call->tensor[parameter];
    int64_t count;
    const bool is_whole = !__builtin_mul_overflow(sizes->images, sizes->channels, &count) &&
                          !__builtin_mul_overflow(count, sizes->area, &count) && view->count == count;
    if (has_sizes(view, sizes) || (is_whole && view->is_contiguous))
        return ACLNN_SUCCESS;
    return refuse(call, "the dims of %s are not N, C and those of HxW: %" PRId64 ", %" PRId64 " and %" PRId64,
                  call_name(call, parameter), sizes->images, sizes->channels, sizes->area);
}

/* The view with dims N, group, channels of a group, and the rest. */
static struct tensor_view by_groups(const struct tensor_view *view, const struct group_sizes *sizes)
{
    struct tensor_view split = *view;
    const int64_t channels = sizes->channels / sizes->group;
    if (!has_sizes(view, sizes)) {
        split.rank = 3;
        split.shape[2] = sizes->area;
        split.stride[2] = 1;
        split.stride[1] = sizes->area;
        split.stride[0] = sizes->area * sizes->channels;
    }
    for (uint32_t i = split.rank; i-- > 2;) {
        split.shape[i + 1] = split.shape[i];
        split.stride[i + 1] = split.stride[i];
    }
    split.rank++;
    split.shape[0] = sizes->images;
    split.shape[1] = sizes->group;
    split.shape[2] = channels;
    split.stride[2] = split.stride[1];
    split.stride[1] = split.stride[2] * channels;
    return split;
}

/* What has an element for each channel in a view of that rank: its one dim, in groups, and then dims of 1. */
static struct tensor_view factor_by_groups(const struct tensor_view *view, const struct group_sizes *sizes,
                                           uint32_t rank)
{
    struct tensor_view split = *view;
    int64_t stride = 0;
    for (uint32_t i = 0; i < view->rank; i++)
        stride = view->shape[i] != 1 ? view->stride[i] : stride;
    split.rank = rank - 1;
    for (uint32_t i = 2; i < split.rank; i++) {
        split.shape[i] = 1;
        split.stride[i] = 0;
    }
    split.shape[0] = sizes->group;
    split.shape[1] = sizes->channels / sizes->group;
    split.stride[1] = stride;
    split.stride[0] = stride * split.shape[1];
    return split;
}

aclnnStatus check_channel_factor(const struct call *call, unsigned parameter, int64_t channels)
{
    unsigned dims = 0;
    TRY(check_count(call, parameter, channels, "one for each channel"));
    for (uint32_t i = 0; call_has(call, parameter) && i < call->tensor[parameter].rank; i++)
        dims += call->tensor[parameter].shape[i] != 1;
    return dims <= 1 ? ACLNN_SUCCESS
                     : refuse(call, "%s has %u dims; one is expected", call_name(call, parameter), dims);
}

aclnnStatus plan_groups(const struct call *call, const struct group_sizes *sizes,
                        struct group_numbers numbers, struct rows_tensor *input, unsigned inputs,
                        struct rows_tensor *output)
{
    numbers.channels = (uint64_t)(sizes->channels / sizes->group);
    struct tensor_view view[ROWS_INPUTS_MAX + ROWS_OUTPUTS_MAX];
    for (unsigned i = 0; i < inputs + 3; i++) {
        struct rows_tensor *tensor = i < inputs ? &input[i] : &output[i - inputs];
        const struct tensor_view *given = call_view(call, tensor->parameter);
        if (!call_has(call, tensor->parameter) ||
            (tensor->part != ROWS_WHOLE && tensor->part != ROWS_CHANNELS))
            continue;
        view[i] = tensor->part == ROWS_WHOLE ? by_groups(given, sizes)
                                             : factor_by_groups(given, sizes, view[0].rank);
        tensor->view = &view[i];
    }
    const struct rows_request request = {.rank = view[0].rank,
                                         .shape = view[0].shape,
                                         .along = ~UINT32_C(3),
                                         .input = input,
                                         .output = output,
                                         .inputs = inputs,
                                         .outputs = 3,
                                         .period = (uint64_t)sizes->group,
                                         .parameters = &numbers,
                                         .parameter_bytes = sizeof numbers};
    return rows_plan(call, &request);
}
