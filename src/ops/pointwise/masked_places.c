/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Masked fills of tensors whose indices share elements, one index after the other: only where the mask holds
 * anything is written, so that no order of indices shows.
 */
#include "ops/pointwise/masked_places.h"

#include <string.h>

#include "ops/check.h"
#include "ops/nest.h"
#include "ops/operands.h"
#include "ops/transfer.h"
#include "tensor/dtype.h"

enum { SELF, MASK, VIEWS };

struct plan {
    const struct transfer *transfer;
    struct operand self, mask, value;
    bool has_element;
    _Alignas(16) unsigned char element[16];
    struct nest nest; /* of both views; last, as it is long */
};

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    const struct nest *nest = &plan->nest;
    const struct nest_axis row = nest_inner(nest);
    const size_t bytes = plan->self.bytes;
    unsigned char *self = address[plan->self.address];
    const unsigned char *mask = operand_first(&plan->mask, address); /* of one byte */
    _Alignas(16) unsigned char element[16];
    struct nest_place place = nest_place_at(nest, 0);
    (void)scratch;
    memcpy(element, plan->element, sizeof element);
    if (!plan->has_element)
        transfer_convert(plan->transfer, operand_first(&plan->value, address), plan->value.dtype, element,
                         plan->self.dtype, 1);
    for (uint64_t done = 0; done < nest->count; done += (uint64_t)row.size) {
        for (int64_t i = 0; i < row.size; i++)
            if (mask[place.offset[MASK] + i * row.stride[MASK]] != 0)
                memcpy(self + (place.offset[SELF] + i * row.stride[SELF]) * (int64_t)bytes, element, bytes);
        nest_advance(nest, &place, (uint64_t)row.size);
    }
    return 0;
}

static const struct operation one_by_one = {.run = run};

aclnnStatus masked_places_plan(const struct call *call, unsigned self, unsigned mask, unsigned value,
                               const void *element)
{
    const struct tensor_view *const view[VIEWS] = {&call->tensor[self], &call->tensor[mask]};
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, sizeof(struct plan), &content, &made));
    struct plan *plan = made;
    plan->transfer = transfer_of(call->settings->isa);
    plan->self = operand_of(call, self);
    plan->mask = operand_of(call, mask);
    plan->has_element = element != NULL;
    if (element != NULL)
        memcpy(plan->element, element, plan->self.bytes);
    else
        plan->value = operand_of(call, value);
    nest_of_views(&plan->nest, view[SELF]->rank, view[SELF]->shape, view, VIEWS);
    nest_merge(&plan->nest);
    content->runs = &one_by_one;
    content->cost_ns = plan->nest.count;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}
