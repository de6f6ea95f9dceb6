/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Adds up the channels of a side: pieces of CHANNEL_PIECE positions are shared by threads, and the sums of the
 * pieces are merged in their order, so that the number of threads changes no bit.
 */
#include "ops/convolution/channel_sums.h"

#include "ops/loops/tasks.h"

struct run {
    const struct channel_sums *plan;
    const unsigned char *side;
    unsigned char *out;
};

/* Positions of an image as floats, row by row. */
static void read_positions(const struct channel_sums *plan, const unsigned char *image, int64_t first,
                           int64_t count, float *to)
{
    const struct side *side = &plan->side;
    for (int64_t done = 0, some; done < count; done += some) {
        const int64_t at = first + done, column = at % plan->size[2], row = at / plan->size[2];
        some = plan->size[2] - column < count - done ? plan->size[2] - column : count - done;
        const int64_t place = row / plan->size[1] * side->axis[0] + row % plan->size[1] * side->axis[1] +
                              column * side->axis[2];
        planes_read(plan->transfer, image + place * (int64_t)side->bytes, side, side->axis[2], some,
                    to + done);
    }
}

static double sum_of_channel(const struct channel_sums *plan, const unsigned char *channel)
{
    const int64_t positions = plan->size[0] * plan->size[1] * plan->size[2];
    float memory[CHANNEL_PIECE] __attribute__((uninitialized));
    double total = 0;
    for (int64_t n = 0; n < plan->batch; n++)
        for (int64_t first = 0, count; first < positions; first += count) {
            count = positions - first < CHANNEL_PIECE ? positions - first : CHANNEL_PIECE;
            read_positions(plan, channel + n * plan->side.batch * (int64_t)plan->side.bytes, first, count,
                           memory);
            total += plan->kernels->add_up(memory, (size_t)count);
        }
    return total;
}

static void sum_channel(void *context, uint64_t number)
{
    const struct run *run = (const struct run *)context;
    const struct channel_sums *plan = run->plan;
    const int64_t channel = (int64_t)number * plan->side.channel * (int64_t)plan->side.bytes;
    const double total = plan->side.extent > 0 ? sum_of_channel(plan, run->side + channel) : 0;
    plan->transfer->convert(&total, ACL_DOUBLE,
                            run->out + (int64_t)number * plan->stride * (int64_t)plan->bytes, plan->dtype, 1);
}

void channel_sums_run(const struct channel_sums *plan, void *const *address, const unsigned char *side)
{
    struct run run = {plan, side, address[plan->address]};
    const uint64_t elements =
        (uint64_t)(plan->batch * plan->channels) * (uint64_t)(plan->size[0] * plan->size[1] * plan->size[2]);
    tasks_run(sum_channel, &run, (uint64_t)plan->channels, 1, elements / 2);
}
