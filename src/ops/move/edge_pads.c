/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = the last dims of self continued at both edges: mirrored without the edge itself, by the edge again
 * and again, or from the other edge on. Pairs of numbers, low and high, begin with the last dim; what is
 * below 0 crops, of what the other one adds, too. Bits stay as they are.
 */
#include <inttypes.h>

#include "aclnnop/aclnn_circular_pad2d.h"
#include "aclnnop/aclnn_circular_pad3d.h"
#include "aclnnop/aclnn_reflection_pad1d.h"
#include "aclnnop/aclnn_reflection_pad2d.h"
#include "aclnnop/aclnn_reflection_pad3d.h"
#include "aclnnop/aclnn_replication_pad1d.h"
#include "aclnnop/aclnn_replication_pad2d.h"
#include "aclnnop/aclnn_replication_pad3d.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/move/edges.h"
#include "ops/signature.h"

#define EDGE_PADS(X, of, set, sample_, numbers) \
    X(of, IN, self, &(set), .sample = sample_)  \
    X(of, INTS, padding, .sample = numbers)     \
    X(of, OUT, out, &(set))
SIGNATURE_PLACES(EDGE_PADS, , , )

/* The numbers for a dim of self; 0 and 0 for those in front. */
static void read_pair(const struct call *call, unsigned self, uint32_t dim, int64_t *low, int64_t *high)
{
    const struct padded *padded = (const struct padded *)call->function->of_family;
    const uint32_t pair = call->tensor[self].rank - 1 - dim;
    const int64_t *padding = call->values[self + 1].value.int64;
    const bool is_padded = pair < padded->dims;
    *low = is_padded ? padding[2 * pair] : 0;
    *high = is_padded ? padding[2 * pair + 1] : 0;
}

/* *size is that of out. */
static aclnnStatus check_dim_padding(const struct call *call, unsigned self, uint32_t dim, int64_t *size)
{
    const struct padded *padded = (const struct padded *)call->function->of_family;
    const int64_t own = call->tensor[self].shape[dim];
    const int64_t most = padded->edge == REFLECTED ? own - 1 : padded->edge == CIRCULAR ? own : INT64_MAX / 4;
    int64_t low, high;
    *size = own;
    if (call->tensor[self].rank - 1 - dim >= padded->dims)
        return ACLNN_SUCCESS;
    read_pair(call, self, dim, &low, &high);
    if (low >= INT64_MIN / 4 && high >= INT64_MIN / 4 && low <= most && high <= most &&
        own + low + high >= 0) {
        *size = own + low + high;
        return ACLNN_SUCCESS;
    }
    return refuse(call,
                  "padding holds %" PRId64 " and %" PRId64 " for dim %u of self, of size %" PRId64
                  "; %" PRId64 " at most are expected, and no more is cropped than there is",
                  low, high, dim, own, most);
}

aclnnStatus edges_check(const struct call *call, unsigned parameter, struct shape *shape)
{
    const struct tensor_view *self = &call->tensor[parameter];
    const struct padded *padded = (const struct padded *)call->function->of_family;
    if (self->rank != padded->dims + 1 && self->rank != padded->dims + 2)
        return refuse(call, "self has %u dims; %u or %u are expected", self->rank, padded->dims + 1,
                      padded->dims + 2);
    if (call->values[parameter + 1].count != 2 * padded->dims)
        return refuse(call, "padding has %" PRIu64 " elements; %u are expected",
                      call->values[parameter + 1].count, 2 * padded->dims);
    const uint32_t batch_dims = self->rank == padded->dims + 2;
    for (uint32_t i = batch_dims; i < self->rank; i++)
        if (self->shape[i] == 0)
            return refuse(
                call, "dim %u of self has size 0; of those without elements only the batch is expected to",
                i);
    shape->rank = self->rank;
    for (uint32_t i = 0; i < self->rank; i++)
        TRY(check_dim_padding(call, parameter, i, &shape->dim[i]));
    return check_element_count(call, shape);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, EDGE_PADS_self));
    return edges_check(
        call, EDGE_PADS_self,
        result_reshaped(result, call, EDGE_PADS_self, shape_of(&call->tensor[EDGE_PADS_self])));
}

/* The segment of a side with so many elements more, the first of which is `to` in out. */
static struct segment low_side(enum edge edge, int64_t size, int64_t low)
{
    return edge == REFLECTED    ? (struct segment){low, low, -1, 0}
           : edge == REPLICATED ? (struct segment){low, 0, 0, 0}
                                : (struct segment){low, size - low, 1, 0};
}

static struct segment high_side(enum edge edge, int64_t size, int64_t high, int64_t to)
{
    return edge == REFLECTED    ? (struct segment){high, size - 2, -1, to}
           : edge == REPLICATED ? (struct segment){high, size - 1, 0, to}
                                : (struct segment){high, 0, 1, to};
}

/* The sides as if nothing was cropped there, less what lies outside of out. */
static struct segments segments_of(enum edge edge, int64_t size, int64_t low, int64_t high)
{
    const struct segment all[] = {
        low_side(edge, size, low > 0 ? low : 0),
        {size, 0, 1, low},
        high_side(edge, size, high > 0 ? high : 0, size + low),
    };
    const int64_t end = size + low + high;
    struct segments segments = {.count = 0};
    for (int i = 0; i < SEGMENTS_MAX; i++) {
        struct segment segment = all[i];
        const int64_t before = segment.to < 0 ? -segment.to : 0;
        const int64_t behind = segment.to + segment.size > end ? segment.to + segment.size - end : 0;
        segment.from += before * segment.step;
        segment.to += before;
        segment.size -= before + behind;
        segments_add(&segments, segment);
    }
    return segments;
}

void edges_segments(const struct call *call, unsigned parameter, struct segments *segments)
{
    const struct padded *padded = (const struct padded *)call->function->of_family;
    for (uint32_t i = 0; i < call->tensor[parameter].rank; i++) {
        int64_t low, high;
        read_pair(call, parameter, i, &low, &high);
        segments[i] = segments_of(padded->edge, call->tensor[parameter].shape[i], low, high);
    }
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct segments segments[OPERAND_RANK_MAX];
    (void)result;
    if (call->tensor[EDGE_PADS_out].count == 0)
        return call_idle(call);
    edges_segments(call, EDGE_PADS_self, segments);
    return segments_plan(call, EDGE_PADS_self, EDGE_PADS_out, segments, call->tensor[EDGE_PADS_out].stride);
}

#define EDGE_PAD(api, stem_, dims_, edge_, ...)                                                       \
    static const struct padded api##_padded = {.dims = (dims_), .edge = (edge_)};                     \
    FUNCTION_LIKE(api, (EDGE_PADS, __VA_ARGS__), .stem = (stem_), MOVE, .infer = infer, .plan = plan, \
                  .of_family = &api##_padded)

EDGE_PAD(aclnnReflectionPad1d, "reflection_pad1d", 1, REFLECTED,
         dtypes_floats_integers_bool_small_on_910b_complex_on_950_naturals, "2x3", "1,1");
EDGE_PAD(aclnnReflectionPad2d, "reflection_pad2d", 2, REFLECTED,
         dtypes_floats_integers_bool_small_on_910b_complex_on_950_naturals, "2x3x4", "1,1,1,1");
EDGE_PAD(aclnnReflectionPad3d, "reflection_pad3d", 3, REFLECTED,
         dtypes_floats_integers_bool_small_on_910b_complex_on_950_naturals, "2x3x4x2", "1,1,1,1,1,1");
EDGE_PAD(aclnnReplicationPad1d, "replication_pad1d", 1, REPLICATED,
         dtypes_floats_integers_small_on_910b_complex_on_950_naturals_bool, "2x3", "1,1");
EDGE_PAD(aclnnReplicationPad2d, "replication_pad2d", 2, REPLICATED,
         dtypes_floats_integers_small_on_910b_complex_on_950_naturals_bool, "2x3x4", "1,1,1,1");
EDGE_PAD(aclnnReplicationPad3d, "replication_pad3d", 3, REPLICATED,
         dtypes_floats_integers_small_on_910b_complex_on_950_naturals_bool, "2x3x4x2", "1,1,1,1,1,1");
EDGE_PAD(aclnnCircularPad2d, "circular_pad2d", 2, CIRCULAR, dtypes_fp32_fp16_bf16_int8_int32_small, "2x3x4",
         "1,1,1,1");
EDGE_PAD(aclnnCircularPad3d, "circular_pad3d", 3, CIRCULAR, dtypes_fp32_fp16_bf16_int8_int32_small, "2x3x4x2",
         "1,1,1,1,1,1");
