/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The elements that a window takes, for a pooling function that says its kernel, stride, padding and dilation
 * or is adaptive, and the checks of those arguments.
 */
#include "ops/window/pool.h"

#include <inttypes.h>
#include <string.h>

struct pool_part pool_part(const struct pool_axis *axis, int64_t window, bool counts_padding)
{
    if (axis->is_adaptive) {
        const int64_t begin = window * axis->in / axis->out,
                      end = ((window + 1) * axis->in + axis->out - 1) / axis->out;
        return (struct pool_part){begin, end - begin, 1, end - begin};
    }
    const int64_t start = window * axis->stride - axis->padding, step = axis->dilation;
    const int64_t before = start < 0 ? (-start + step - 1) / step : 0, room = axis->in - start;
    int64_t behind = room > 0 ? (room - 1) / step + 1 : 0;
    behind = behind < axis->kernel ? behind : axis->kernel;
    struct pool_part part = {start + before * step, behind > before ? behind - before : 0, step, 0};
    const int64_t padded = axis->in + axis->padding - start;
    part.counted = !counts_padding ? part.count : padded < axis->kernel ? padded : axis->kernel;
    return part;
}

static aclnnStatus read_adaptive(const struct call *call, const struct pool_parameters *parameters,
                                 struct pool *pool)
{
    const struct tensor_view *self = &call->tensor[parameters->self];
    const uint32_t axes = parameters->axes;
    const struct tensor_view *grad = &call->tensor[parameters->sizes];
    const struct call_values *sizes = &call->values[parameters->sizes];
    if (parameters->is_gradient && grad->rank != self->rank)
        return refuse(call, "%s has %u dims; %u are expected", call_name(call, parameters->sizes), grad->rank,
                      self->rank);
    if (!parameters->is_gradient && sizes->count != axes)
        return refuse(call, "%s has %" PRIu64 " numbers; %u are expected", call_name(call, parameters->sizes),
                      sizes->count, axes);
    for (uint32_t i = 0; i < axes; i++) {
        struct pool_axis *axis = &pool->axis[POOL_AXES - axes + i];
        axis->in = self->shape[self->rank - axes + i];
        axis->out = parameters->is_gradient ? grad->shape[grad->rank - axes + i] : sizes->value.int64[i];
        axis->is_adaptive = true;
        if (axis->out < 0)
            return refuse(call, "%s has %" PRId64 "; 0 or more is expected",
                          call_name(call, parameters->sizes), axis->out);
        if (axis->out > 0 && (axis->in == 0 || axis->in > INT64_MAX / (axis->out + 1) - 1))
            return refuse(call, "%s has %" PRId64 " elements along an axis; they give no %" PRId64 " windows",
                          call_name(call, parameters->self), axis->in, axis->out);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus pool_read(const struct call *call, const struct pool_parameters *parameters, struct pool *pool)
{
    const struct tensor_view *self = &call->tensor[parameters->self];
    const uint32_t axes = parameters->axes;
    *pool = (struct pool){.dtype = self->dtype};
    for (uint32_t i = 0; i < POOL_AXES; i++)
        pool->axis[i] = (struct pool_axis){1, 1, 1, 1, 0, 1, false};
    if (self->rank != axes + 1 && self->rank != axes + 2)
        return refuse(call, "%s has %u dims; %u or %u are expected", call_name(call, parameters->self),
                      self->rank, axes + 1, axes + 2);
    if (parameters->is_adaptive)
        return read_adaptive(call, parameters, pool);
    for (uint32_t i = 0; i < axes; i++) {
        struct window window;
        TRY(window_along(call, &parameters->window, i, axes, self->shape[self->rank - axes + i], &window));
        pool->axis[POOL_AXES - axes + i] = (struct pool_axis){
            window.in, window.out, window.kernel, window.stride, window.padding, window.dilation, false};
    }
    return ACLNN_SUCCESS;
}

struct shape pool_shape(const struct tensor_view *self, uint32_t axes, const struct pool *pool)
{
    struct shape shape = shape_of(self);
    for (uint32_t i = 0; i < axes; i++)
        shape.dim[shape.rank - axes + i] = pool->axis[POOL_AXES - axes + i].out;
    return shape;
}

aclnnStatus pool_check_shape(const struct call *call, unsigned parameter, const struct shape *shape)
{
    const struct tensor_view *view = &call->tensor[parameter];
    if (view->rank == shape->rank && memcmp(view->shape, shape->dim, shape->rank * sizeof shape->dim[0]) == 0)
        return ACLNN_SUCCESS;
    return refuse(call, "%s has shape %s; %s is expected", call_name(call, parameter), shape_text(TEXT, view),
                  dims_text(TEXT, shape->rank, shape->dim));
}

struct plane_request pool_request(const struct call *call, const struct pool_parameters *parameters,
                                  const struct pool *pool)
{
    const struct tensor_view *self = &call->tensor[parameters->self];
    struct plane_request request = {
        .planes = 1, .parameters = pool, .parameter_bytes = sizeof *pool, .inputs = 1, .outputs = 1};
    for (uint32_t i = 0; i + parameters->axes < self->rank; i++)
        request.planes *= (uint64_t)self->shape[i];
    uint64_t places = 1;
    for (uint32_t i = 0; i < POOL_AXES; i++) {
        const struct pool_axis *axis = &pool->axis[i];
        places *= (uint64_t)(axis->is_adaptive && axis->out > 0 ? axis->in / axis->out + 1 : axis->kernel);
    }
    request.plane_ns = pool_out(pool) * (places + 1) + pool_in(pool) / 4;
    return request;
}
