/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 2 of an operator of a project: what is not contiguous is copied, the kernel runs on the addresses, and what it has
 * written goes back. The workspace that it gets is Belay's own, as that of the program has no address here.
 */
#include <string.h>

#include "ops/custom/custom.h"
#include "ops/custom/plan.h"
#include "tensor/scratch.h"

size_t custom_work_bytes(const void *plan)
{
    return ((const struct custom_plan *)plan)->scratch_bytes;
}

/* What the kernel may reach, as the arguments are put together. */
struct tables {
    const void **pointer;
    struct belay_operator_memory *memory;
    uint32_t count;
};

static void reach(struct tables *tables, const void *base, uint64_t bytes)
{
    if (base != NULL && bytes > 0)
        tables->memory[tables->count++] = (struct belay_operator_memory){base, bytes};
}

static const void *place_of(const struct custom_tensor *tensor, void *const *address, unsigned char *scratch)
{
    return tensor->is_copied ? scratch + tensor->copy_at : address[tensor->address];
}

/* A list for the kernel: its words, then the addresses. */
static const void *make_list(const struct custom_plan *plan, const struct custom_argument *argument,
                             void *const *address, unsigned char *scratch)
{
    unsigned char *made = scratch + argument->made_at;
    memcpy(made, custom_data(plan) + argument->at, argument->bytes);
    uint64_t *to = (uint64_t *)(void *)(made + argument->bytes);
    for (uint32_t i = 0; i < argument->count; i++)
        to[i] = (uint64_t)(uintptr_t)place_of(&custom_tensors(plan)[argument->first + i], address, scratch);
    return made;
}

static const void *put_argument(const struct custom_plan *plan, const struct custom_argument *argument,
                                void *const *address, unsigned char *scratch, struct tables *tables)
{
    const void *pointer = NULL;
    uint64_t bytes = 0;
    switch (argument->kind) {
    case CUSTOM_NONE:
        break;
    case CUSTOM_TENSOR: /* among all tensors already */
        return place_of(&custom_tensors(plan)[argument->first], address, scratch);
    case CUSTOM_LIST:
        pointer = make_list(plan, argument, address, scratch);
        bytes = argument->bytes + argument->count * sizeof(uint64_t);
        break;
    case CUSTOM_VALUES:
        pointer = custom_data(plan) + argument->at;
        bytes = argument->bytes;
        break;
    case CUSTOM_WORKSPACE:
        pointer = plan->workspace_bytes > 0 ? scratch : NULL;
        bytes = plan->workspace_bytes;
        break;
    case CUSTOM_TILING:
        pointer = custom_data(plan) + plan->tiling_at;
        bytes = plan->tiling_bytes;
        break;
    }
    reach(tables, pointer, bytes);
    return pointer;
}

int custom_run(const void *prepared, void *const *address, void *scratch)
{
    const struct custom_plan *plan = prepared;
    const struct custom_tensor *tensor = custom_tensors(plan);
    unsigned char *end = (unsigned char *)scratch + plan->scratch_bytes;
    struct tables tables = {.count = 0};
    end -= whole_lines((2 * (uint64_t)plan->argument_count + plan->tensor_count) * sizeof *tables.memory);
    tables.memory = (struct belay_operator_memory *)(void *)end;
    tables.pointer = (const void **)(void *)(end - whole_lines(plan->argument_count * sizeof(void *)));
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        const void *place = place_of(&tensor[i], address, scratch);
        if (tensor[i].is_copied) /* an output, too: the kernel may write some of its elements */
            port_bring(&tensor[i].port, address, 0, tensor[i].port.span.count,
                       (unsigned char *)scratch + tensor[i].copy_at);
        reach(&tables, place, tensor[i].bytes);
    }
    for (uint32_t i = 0; i < plan->argument_count; i++)
        tables.pointer[i] = put_argument(plan, &plan->argument[i], address, scratch, &tables);
    const struct belay_operator_launch launch = {.name = plan->name,
                                                 .pointer = (void *const *)(void *)tables.pointer,
                                                 .blocks = plan->blocks,
                                                 .tiling_key = plan->tiling_key,
                                                 .memory_count = tables.count,
                                                 .memory = tables.memory};
    const int status = plan->kernel->run(&launch);
    for (uint32_t i = 0; status == 0 && i < plan->tensor_count; i++)
        if (tensor[i].is_copied && tensor[i].is_written)
            port_deliver(&tensor[i].port, address, 0, tensor[i].port.span.count,
                         (const unsigned char *)scratch + tensor[i].copy_at);
    return status;
}
