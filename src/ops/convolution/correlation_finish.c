/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums of a correlation that are complete, to the output: as many at once as lie at equal distances.
 */
#include "ops/convolution/correlation_work.h"

static int64_t output_step(const struct correlation *plan, uint32_t axis)
{
    return plan->is_spread ? plan->geometry.axis[axis].stride : 1;
}

/* Positions that lie side by side in the output, of a block of channels or of lines; sums of the first one. */
static void finish_positions(const struct work *work, const struct pass_work *pass, uint64_t row,
                             uint32_t rows, bool are_lines, const struct positions *positions,
                             const unsigned char *of_first, int64_t sums_step)
{
    const struct correlation *plan = work->run->plan;
    const struct side *out = &plan->out;
    const uint64_t channel = work->group * plan->channels + row;
    int64_t place = (int64_t)(work->tile.image + (uint64_t)positions->image) * out->batch +
                    (int64_t)channel * out->channel;
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++) {
        const int64_t index = positions->along[i] + (i == plan->planes.cut ? (int64_t)work->tile.row : 0);
        place += (index * output_step(plan, i) + pass->along[i]) * out->axis[i];
    }
    const struct convolution_sums sums = {
        .sums = of_first,
        .sums_step = sums_step,
        .bias = plan->has_bias ? work->run->bias + channel : NULL,
        .bias_step = are_lines ? 0 : 1,
        .rows = rows,
        .columns = (uint32_t)positions->count,
        .is_exact = plan->is_exact,
        .dtype = out->dtype,
        .out = work->run->out + place * (int64_t)out->bytes,
        .row_stride = are_lines ? out->axis[1] * output_step(plan, 1) : out->channel,
        .column_stride = out->axis[2] * output_step(plan, 2),
    };
    plan->kernels->finish(&sums);
}

/* How many lines of a pass, from the beginning of one on, end before some columns do: those of one channel are finished
 * together. */
static int64_t lines_together(const struct work *work, const struct pass_work *pass,
                              const struct positions *positions, int64_t columns)
{
    const int64_t whole = (columns - pass->count[2]) / work->run->plan->planes.pitch[1] + 1,
                  lines = pass->count[1] - positions->along[1];
    return columns < pass->count[2] || positions->along[2] > 0 ? 1 : whole < lines ? whole : lines;
}

void correlation_finish_columns(const struct work *work, const struct pass_work *pass, uint64_t row,
                                uint32_t rows, int64_t column, int64_t columns)
{
    const struct correlation *plan = work->run->plan;
    const struct planes *planes = &plan->planes;
    for (int64_t at = column, next; at < column + columns; at = next) {
        int64_t rest = at % planes->image, lines = 1;
        struct positions positions = {.image = at / planes->image};
        int64_t *j = positions.along;
        for (uint32_t i = 0; i < CONVOLUTION_AXES; rest %= planes->pitch[i], i++)
            j[i] = rest / planes->pitch[i];
        positions.count = pass->count[2] - j[2];
        if (positions.count > column + columns - at)
            positions.count = column + columns - at;
        if (j[0] < pass->count[0] && j[1] < pass->count[1] && positions.count > 0) {
            if (rows == 1)
                lines = lines_together(work, pass, &positions, column + columns - at);
            finish_positions(work, pass, row, lines > 1 ? (uint32_t)lines : rows, lines > 1, &positions,
                             work->sums + (size_t)(at - column) * number_bytes(plan),
                             lines > 1 ? planes->pitch[1] : columns_at_once(plan));
        }
        next = at - j[2] + lines * planes->pitch[1];
    }
}

/* How many positions of a pass, in their order, are equally far apart in the output. */
static int64_t positions_together(const struct correlation *plan, const struct pass_work *pass)
{
    const struct side *out = &plan->out;
    int64_t count = pass->count[2];
    for (uint32_t i = 2; i-- > 0; count *= pass->count[i])
        if (pass->count[i] > 1 &&
            out->axis[i] * output_step(plan, i) != count * out->axis[2] * output_step(plan, 2))
            break;
    return count;
}

void correlation_finish_packed(const struct work *work, const struct pass_work *pass, uint64_t row,
                               uint32_t rows, int64_t position, int64_t columns, const unsigned char *sums,
                               int64_t sums_step)
{
    const int64_t together = positions_together(work->run->plan, pass);
    for (int64_t at = position, some; at < position + columns; at += some) {
        struct positions positions = positions_at(pass, at);
        some = together - at % together;
        some = some < position + columns - at ? some : position + columns - at;
        positions.count = some;
        finish_positions(work, pass, row, rows, false, &positions,
                         sums + (size_t)(at - position) * number_bytes(work->run->plan), sums_step);
    }
}
