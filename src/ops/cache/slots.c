/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Slots of caches: their shapes, their rows, and whether they are there.
 */
#include "ops/cache/slots.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/streams/fault.h"

aclnnStatus slots_of(const struct call *call, unsigned cache, int64_t width, bool has_tiles,
                     struct slots *slots)
{
    const struct tensor_view *view = &call->tensor[cache];
    const int64_t tile = has_tiles ? 32 / (int64_t)dtype_bytes(view->dtype) : width,
                  blocks = view->rank > 0 ? view->shape[0] : 0;
    /* With one head, heads before rows are the same elements in the same order. */
    const unsigned row_dim = view->rank == 4 && view->shape[1] == 1 && view->shape[3] == width ? 2 : 1;
    const bool is_plain = view->rank >= 3 && view->count == blocks * view->shape[row_dim] * width;
    const bool is_tiled = has_tiles && view->rank >= 4 && view->shape[view->rank - 1] == tile &&
                          view->count == blocks * view->shape[view->rank - 2] * width;
    if ((!is_plain && !is_tiled) || (has_tiles && width % tile != 0) || width < 1)
        return refuse(call, "%s has shape %s; blocks, rows and %" PRId64 " elements%s are expected",
                      call_name(call, cache), shape_text(TEXT, view), width,
                      has_tiles ? ", whole tiles of 32 bytes," : "");
    *slots = (struct slots){.blocks = (uint64_t)blocks,
                            .rows = (uint64_t)(is_tiled ? view->shape[view->rank - 2] : view->shape[row_dim]),
                            .width = (uint64_t)width,
                            .tile = (uint64_t)tile};
    return ACLNN_SUCCESS;
}

aclnnStatus slots_check_scale(const struct call *call, unsigned cache, unsigned rows, unsigned scale)
{
    const bool is_int8 = call_dtype(call, cache) == ACL_INT8;
    if (!is_int8)
        TRY(check_same_dtype(call, cache, rows, NULL));
    return is_int8 == call_has(call, scale)
               ? ACLNN_SUCCESS
               : refuse(call,
                        "%s has dtype %s and %s was%s given; INT8 with a scale, or the dtype of %s without "
                        "one is "
                        "expected",
                        call_name(call, cache), dtype_name(call_dtype(call, cache)), call_name(call, scale),
                        is_int8 ? " not" : "", call_name(call, rows));
}

void slots_write(const struct task *task, unsigned cache, const struct slots *slots, uint64_t slot,
                 const double *row)
{
    for (uint64_t k = 0; k < slots->width / slots->tile; k++)
        task_write(task, cache, slots_at(slots, slot, k), slots->tile, row + k * slots->tile);
}

void slots_store(const struct task *task, unsigned cache, const struct slots *slots, uint64_t slot,
                 unsigned from, uint64_t at)
{
    for (uint64_t k = 0; k < slots->width / slots->tile; k++)
        task_copy(task, cache, slots_at(slots, slot, k), from, at + k * slots->tile, slots->tile);
}

void slots_load(const struct task *task, unsigned cache, const struct slots *slots, uint64_t slot,
                unsigned to, uint64_t at)
{
    for (uint64_t k = 0; k < slots->width / slots->tile; k++)
        task_copy(task, to, at + k * slots->tile, cache, slots_at(slots, slot, k), slots->tile);
}

int slots_check(struct task *task, const struct slots *slots, uint64_t tasks, const char *name,
                int64_t (*slot_of)(const struct task *task, uint64_t number))
{
    unsigned char *seen = task->shared;
    memset(seen, 0, slots_bytes(slots));
    for (uint64_t i = 0; i < tasks; i++) {
        const int64_t slot = slot_of(task, i);
        if (slot >= (int64_t)slots_count(slots))
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "%s leads to slot %" PRId64 " for row %" PRIu64 "; up to %" PRIu64
                                  ", or a negative one, is expected",
                                  name, slot, i, slots_count(slots) - 1);
        if (slot < 0)
            continue;
        const unsigned bit = 1U << slot % 8;
        task->in_order |= (seen[slot / 8] & bit) != 0;
        seen[slot / 8] |= (unsigned char)bit;
    }
    return 0;
}

aclnnStatus slots_mode(const struct call *call, unsigned parameter, const char *const *names, unsigned *mode)
{
    const char *text = call->argument[parameter].string;
    struct text *expected = TEXT;
    *mode = 0;
    if (text == NULL || *text == 0)
        return ACLNN_SUCCESS;
    for (*mode = 0; names[*mode] != NULL; ++*mode) {
        if (strcmp(text, names[*mode]) == 0)
            return ACLNN_SUCCESS;
        text_append(expected, "%s%s",
                    *mode == 0                 ? ""
                    : names[*mode + 1] == NULL ? " or "
                                               : ", ",
                    names[*mode]);
    }
    return refuse(call, "%s is \"%s\"; %s is expected", call_name(call, parameter), text, expected->bytes);
}

struct output *slots_kept(struct result *result, const struct call *call, unsigned parameter)
{
    struct output *output = result_add(result, call_dtype(call, parameter), DTYPE_EQUAL);
    output->like = parameter;
    return output;
}

struct output *slots_output(struct result *result, aclDataType dtype, uint32_t rank, const int64_t *dim)
{
    struct output *output = result_add(result, dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape.rank = rank;
    memcpy(output->shape.dim, dim, rank * sizeof *dim);
    return output;
}
