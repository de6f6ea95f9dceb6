/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rules for the arguments of convolutions.
 */
#include "ops/convolution/geometry.h"

#include <inttypes.h>
#include <string.h>

#include "tensor/dtype.h"

/* The number of an axis in an array of one number, or one for each of them; all are least at least. */
static aclnnStatus number_along(const struct call *call, uint8_t parameter, uint32_t axis, uint32_t axes,
                                int64_t least, int64_t usual, int64_t *number)
{
    *number = usual;
    if (parameter == NO_PARAMETER || !call_has(call, parameter))
        return ACLNN_SUCCESS;
    const struct call_values *values = &call->values[parameter];
    if (values->count == 0 && call->function->parameter[parameter].is_optional)
        return ACLNN_SUCCESS;
    if (values->count != 1 && values->count != axes)
        return refuse(call, "%s has %" PRIu64 " numbers; 1 or %u are expected", call_name(call, parameter),
                      values->count, axes);
    *number = values->value.int64[values->count == 1 ? 0 : axis];
    return *number >= least ? ACLNN_SUCCESS
                            : refuse(call, "%s has %" PRId64 "; %" PRId64 " or more is expected",
                                     call_name(call, parameter), *number, least);
}

/* The padding before an axis and behind it: of one number for both, or of one for each. */
static aclnnStatus padding_along(const struct call *call, const struct convolution_parameters *parameters,
                                 uint32_t axis, uint32_t axes, int64_t *before, int64_t *behind)
{
    const uint8_t parameter = parameters->padding;
    if (parameter == NO_PARAMETER || call->values[parameter].count != 2 * (uint64_t)axes) {
        TRY(number_along(call, parameter, axis, axes, 0, parameters->usual_padding, before));
        *behind = *before;
        return ACLNN_SUCCESS;
    }
    *before = call->values[parameter].value.int64[2 * axis];
    *behind = call->values[parameter].value.int64[2 * axis + 1];
    return *before >= 0 && *behind >= 0 ? ACLNN_SUCCESS
                                        : refuse(call, "%s has %" PRId64 "; 0 or more is expected",
                                                 call_name(call, parameter), *before < 0 ? *before : *behind);
}

/* What the dilated kernel covers beyond its first element; false where that is too large for anything. */
static bool reach_of(const struct convolution_axis *axis, int64_t *reach)
{
    return !__builtin_mul_overflow(axis->dilation, axis->kernel - 1, reach);
}

static bool count_small(struct convolution_axis *axis, int64_t behind)
{
    int64_t reach, room;
    if (!reach_of(axis, &reach) || __builtin_add_overflow(axis->large, axis->padding, &room) ||
        __builtin_add_overflow(room, behind, &room) || __builtin_sub_overflow(room, reach, &room) || room < 1)
        return false;
    axis->small = (room - 1) / axis->stride + 1;
    return true;
}

static bool count_large(struct convolution_axis *axis, int64_t behind, int64_t more)
{
    int64_t reach, size;
    if (!reach_of(axis, &reach) || __builtin_mul_overflow(axis->small - 1, axis->stride, &size) ||
        __builtin_sub_overflow(size, axis->padding, &size) || __builtin_sub_overflow(size, behind, &size) ||
        __builtin_add_overflow(size, reach, &size) || __builtin_add_overflow(size, more, &size) ||
        __builtin_add_overflow(size, 1, &size) || size < 1)
        return false;
    axis->large = size;
    return true;
}

static aclnnStatus read_axis(const struct call *call, const struct convolution_parameters *parameters,
                             uint32_t number, uint32_t axes, int64_t in, struct convolution_axis *axis)
{
    int64_t behind, more;
    if (axis->kernel < 1)
        return refuse(call, "%s has a kernel of %" PRId64 " elements; 1 or more is expected",
                      call_name(call, parameters->weight), axis->kernel);
    TRY(number_along(call, parameters->stride, number, axes, 1, 1, &axis->stride));
    TRY(padding_along(call, parameters, number, axes, &axis->padding, &behind));
    TRY(number_along(call, parameters->dilation, number, axes, 1, 1, &axis->dilation));
    TRY(number_along(call, parameters->output_padding, number, axes, 0, 0, &more));
    if (parameters->is_transposed) {
        axis->small = in;
        const int64_t most = axis->stride > axis->dilation ? axis->stride : axis->dilation;
        if (more >= most)
            return refuse(call, "%s has %" PRId64 "; less than stride or dilation, %" PRId64 ", is expected",
                          call_name(call, parameters->output_padding), more, most);
        if (in > 0 && count_large(axis, behind, more))
            return ACLNN_SUCCESS;
    } else {
        axis->large = in;
        if (count_small(axis, behind))
            return ACLNN_SUCCESS;
    }
    return refuse(call,
                  "a kernel of %" PRId64 " with dilation %" PRId64 " and padding %" PRId64
                  " gives nothing on %" PRId64 " elements",
                  axis->kernel, axis->dilation, axis->padding, in);
}

static aclnnStatus check_ranks(const struct call *call, const struct convolution_parameters *parameters,
                               const struct tensor_view *input, const struct tensor_view *weight)
{
    if (input->rank < 3 || input->rank > 2 + CONVOLUTION_AXES)
        return refuse(call, "%s has %u dims; 3 to 5 are expected", call_name(call, parameters->input),
                      input->rank);
    if (weight->rank != input->rank)
        return refuse(call, "%s has %u dims; %u are expected, as %s has", call_name(call, parameters->weight),
                      weight->rank, input->rank, call_name(call, parameters->input));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_channels(const struct call *call, const struct convolution_parameters *parameters,
                                  const struct tensor_view *input, const struct tensor_view *weight)
{
    const int64_t channels = input->shape[1], groups = parameters->groups;
    if (groups < 1 || groups > 65535 || channels % groups != 0)
        return refuse(call, "groups is %" PRId64 "; a divisor of the %" PRId64 " channels of %s is expected",
                      groups, channels, call_name(call, parameters->input));
    const int64_t found = weight->shape[parameters->is_transposed ? 0 : 1];
    const int64_t expected = parameters->is_transposed ? channels : channels / groups;
    if (found != expected)
        return refuse(call, "dim %d of %s has size %" PRId64 "; %" PRId64 " is expected",
                      parameters->is_transposed ? 0 : 1, call_name(call, parameters->weight), found,
                      expected);
    if (!parameters->is_transposed && weight->shape[0] % groups != 0)
        return refuse(call,
                      "dim 0 of %s has size %" PRId64 "; a multiple of groups, %" PRId64 ", is expected",
                      call_name(call, parameters->weight), weight->shape[0], groups);
    return ACLNN_SUCCESS;
}

aclnnStatus geometry_read(const struct call *call, const struct convolution_parameters *parameters,
                          const struct tensor_view *input, const struct tensor_view *weight,
                          struct geometry *geometry)
{
    TRY(check_ranks(call, parameters, input, weight));
    TRY(check_channels(call, parameters, input, weight));
    const uint32_t axes = input->rank - 2;
    *geometry = (struct geometry){
        .is_transposed = parameters->is_transposed,
        .batch = input->shape[0],
        .groups = parameters->groups,
        .small_channels = weight->shape[0] / parameters->groups,
        .large_channels = weight->shape[1],
    };
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++)
        geometry->axis[i] = (struct convolution_axis){1, 1, 1, 1, 0, 1};
    for (uint32_t i = 0; i < axes; i++) {
        struct convolution_axis *axis = &geometry->axis[CONVOLUTION_AXES - axes + i];
        axis->kernel = weight->shape[2 + i];
        TRY(read_axis(call, parameters, i, axes, input->shape[2 + i], axis));
    }
    return ACLNN_SUCCESS;
}

struct shape geometry_output(const struct geometry *geometry, uint32_t rank)
{
    const int64_t channels = geometry->is_transposed ? geometry->large_channels : geometry->small_channels;
    struct shape shape = {.rank = rank};
    shape.dim[0] = geometry->batch;
    shape.dim[1] = channels * geometry->groups;
    for (uint32_t i = 0; i + 2 < rank; i++) {
        const struct convolution_axis *axis = &geometry->axis[CONVOLUTION_AXES + 2 - rank + i];
        shape.dim[2 + i] = geometry->is_transposed ? axis->large : axis->small;
    }
    return shape;
}

struct tensor_view view_permuted(const struct tensor_view *view, uint32_t first, uint32_t second,
                                 uint32_t third)
{
    const uint32_t order[] = {first, second, third};
    struct tensor_view permuted = *view;
    for (uint32_t i = 0; i < 3; i++) {
        permuted.shape[i] = view->shape[order[i]];
        permuted.stride[i] = view->stride[order[i]];
    }
    return permuted;
}

aclnnStatus check_rank_is(const struct call *call, unsigned parameter, uint32_t rank)
{
    return call->tensor[parameter].rank == rank
               ? ACLNN_SUCCESS
               : refuse(call, "%s has %u dims; %u are expected", call_name(call, parameter),
                        call->tensor[parameter].rank, rank);
}

static uint64_t extent_of(const struct tensor_view *view)
{
    return view->count > 0 ? (uint64_t)(view->reach - view->offset) + 1 : 0;
}

struct side side_of(const struct tensor_view *view, uint32_t address)
{
    struct side side = {.dtype = view->dtype,
                        .bytes = dtype_bytes(view->dtype),
                        .address = address,
                        .extent = extent_of(view),
                        .batch = view->stride[0],
                        .channel = view->stride[1]};
    for (uint32_t i = 0; i + 2 < view->rank; i++)
        side.axis[CONVOLUTION_AXES + 2 - view->rank + i] = view->stride[2 + i];
    return side;
}

struct weight weight_of(const struct tensor_view *view, uint32_t address)
{
    struct weight weight = {.dtype = view->dtype,
                            .bytes = dtype_bytes(view->dtype),
                            .address = address,
                            .small = view->stride[0],
                            .large = view->stride[1]};
    for (uint32_t i = 0; i + 2 < view->rank; i++)
        weight.axis[CONVOLUTION_AXES + 2 - view->rank + i] = view->stride[2 + i];
    return weight;
}
