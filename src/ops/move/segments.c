/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Parts from segments.
 */
#include "ops/move/segments.h"

#include "base/error.h"

struct segments segments_whole(int64_t size)
{
    return (struct segments){.count = 1, .segment = {{.size = size, .step = 1}}};
}

void segments_add(struct segments *segments, struct segment segment)
{
    if (segment.size > 0)
        segments->segment[segments->count++] = segment;
}

aclnnStatus segments_plan(const struct call *call, unsigned self, unsigned out,
                          const struct segments *segments, const int64_t *to_stride)
{
    const struct tensor_view *from = &call->tensor[self];
    struct executor_content *content;
    struct move_plan *plan;
    uint32_t parts = 1; /* SEGMENTS_MAX^8 at most */
    for (uint32_t i = 0; i < from->rank; i++)
        parts *= segments[i].count;
    if (call->tensor[out].count == 0)
        return call_idle(call);
    TRY(move_begin(call, parts, from->dtype, from->dtype, &content, &plan));
    for (uint32_t n = 0; n < parts; n++) {
        struct move_part *part =
            move_add(plan, call->first_operand[self], call->first_operand[out], from->dtype);
        uint32_t rest = n;
        for (uint32_t i = from->rank; i-- > 0; rest /= segments[i].count) {
            const struct segment *segment = &segments[i].segment[rest % segments[i].count];
            part->from_first += segment->from * from->stride[i];
            part->to_first += segment->to * to_stride[i];
            move_add_axis(part, segment->size, segment->step * from->stride[i], to_stride[i]);
        }
    }
    move_finish(call, content, plan);
    return ACLNN_SUCCESS;
}
