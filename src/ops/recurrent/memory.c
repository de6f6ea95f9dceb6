/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A run of a network: its scratch, and the sizes of batches, which are values of a tensor.
 */
#include <inttypes.h>
#include <string.h>

#include "acl/acl_base.h"
#include "ops/recurrent/recurrent.h"
#include "runtime/streams/fault.h"

enum { LINE = 64, ROW_PAD = 16, CONFLICT_FLOATS = 512 };

void *memory_take(struct memory *memory, unsigned char *scratch, uint64_t count, size_t bytes)
{
    size_t length, end;
    if (__builtin_mul_overflow(count, bytes, &length) || __builtin_add_overflow(length, 2 * LINE, &length) ||
        __builtin_add_overflow(memory->bytes, length & ~(size_t)(LINE - 1), &end)) {
        memory->bytes = SIZE_MAX;
        return NULL;
    }
    unsigned char *place = scratch != NULL ? scratch + memory->bytes : NULL;
    memory->bytes = end;
    return place;
}

uint64_t memory_times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t memory_row_step(uint64_t floats)
{
    const uint64_t step = (floats + ROW_PAD - 1) / ROW_PAD * ROW_PAD;
    return step % CONFLICT_FLOATS == 0 ? step + ROW_PAD : step;
}

/*
 * A sequence of the only layer. Where its floats lie in the tensor as they would in the scratch they stay there, unless
 * kernels would read behind the end: those of cells read whole vectors of a direction's gradients.
 */
static float *take_sequence(const struct network *network, struct memory *memory, unsigned char *scratch,
                            const struct place *place, uint64_t elements, uint64_t most)
{
    const uint64_t rows = memory_times(network->steps, network->batch);
    const uint64_t at_once = place == &network->output_gradient ? network->hidden : elements;
    const bool is_direct = network->layers == 1 && network->dtype == ACL_FLOAT && place->is_given &&
                           at_once % ROW_PAD == 0 && place->stride[2] == 1 &&
                           place->stride[1] == (int64_t)elements &&
                           place->stride[0] == (int64_t)(elements * network->batch);
    if (!is_direct)
        return memory_take(memory, scratch, memory_times(rows, most), sizeof(float));
    return scratch == NULL ? NULL : (float *)(void *)place_at(network, memory, place, 0, 0);
}

static void lay_out(const struct network *network, void *const *address, unsigned char *scratch,
                    struct memory *memory)
{
    const bool is_gru = network->cell == CELL_GRU, is_backward = network->is_backward;
    const uint64_t width = network_width(network), hidden = network->hidden, batch = network->batch;
    const uint64_t rows = memory_times(network->steps, batch), between = network->directions * hidden;
    const uint64_t widest = network->inputs > between ? network->inputs : between;
    const uint64_t lanes = is_backward ? hidden : width;
    static const struct place nowhere;
    const struct place *sequence[] = {is_backward ? &network->output_gradient : &network->sequence,
                                      is_backward ? &network->result : &nowhere};
    const uint64_t elements[] = {is_backward ? between : network->inputs, network->inputs};
    *memory = (struct memory){.is_dry = scratch == NULL};
    memory->weight_step = memory_row_step(lanes);
    memory->gates_step = memory_row_step(width);
    memory->address = address;
    for (int i = 0; i < 2; i++) {
        const bool is_needed = i == 0 || network->layers > 1 || is_backward;
        memory->sequence[i] =
            take_sequence(network, memory, scratch, sequence[i], elements[i], is_needed ? widest : 0);
        memory->state[i] = memory_take(memory, scratch, memory_times(batch, hidden), sizeof(float));
        memory->bias[i] = memory_take(memory, scratch, width, sizeof(float));
    }
    memory->input = take_sequence(network, memory, scratch, &network->sequence, network->inputs,
                                  is_backward ? widest : 0);
    memory->earlier =
        memory_take(memory, scratch,
                    is_backward && !earlier_is_where_gradient_goes(network) ? memory_times(rows, hidden) : 0,
                    sizeof(float));
    memory->gates[0] = memory_take(memory, scratch, memory_times(rows, memory->gates_step), sizeof(float));
    memory->gates[1] = memory_take(memory, scratch,
                                   !is_gru ? 0 : memory_times(is_backward ? rows : batch, memory->gates_step),
                                   sizeof(float));
    memory->weight = memory_take(
        memory, scratch, memory_times(memory->weight_step, is_backward ? width : hidden), sizeof(float));
    memory->one = memory_take(memory, scratch, 1, sizeof(float));
    memory->batch_size = memory_take(memory, scratch, network->steps, sizeof(int64_t));
    memory->work = scratch != NULL ? scratch + memory->bytes : NULL;
}

static void run_pass(const struct network *network, struct memory *memory)
{
    if (network->is_backward)
        run_backward(network, memory);
    else
        run_forward(network, memory);
}

size_t network_work_bytes(const void *plan)
{
    const struct network *network = plan;
    struct memory memory;
    lay_out(network, NULL, NULL, &memory);
    if (memory.bytes > SIZE_MAX / 2)
        return SIZE_MAX / 2;
    run_pass(network, &memory);
    return memory.bytes + memory.work_bytes;
}

/* They fall, from the batch on. */
static int read_batch_sizes(const struct network *network, const struct memory *memory)
{
    const struct place *place = &network->batch_sizes;
    int64_t most = (int64_t)network->batch;
    for (uint64_t t = 0; t < network->steps; t++) {
        int64_t size = most;
        if (place->is_given)
            memcpy(&size, (const int64_t *)memory->address[place->address] + (int64_t)t * place->stride[2],
                   sizeof size);
        if (size < 0 || size > most)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "batchSizes is %" PRId64 " at step %" PRIu64 "; 0 to %" PRId64
                                  ", what it was before or the batch, is expected",
                                  size, t, most);
        memory->batch_size[t] = most = size;
    }
    return 0;
}

int network_run(const void *plan, void *const *address, void *scratch)
{
    const struct network *network = plan;
    struct memory memory;
    lay_out(network, address, scratch, &memory);
    const int status = read_batch_sizes(network, &memory);
    if (status != 0)
        return status;
    *memory.one = 1;
    run_pass(network, &memory);
    return 0;
}
