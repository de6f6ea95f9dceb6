/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tabulates the terms of a correlation's sums: which steps of the kernel take part in a pass, and where each of
 * them finds its elements.
 */
#include "ops/convolution/terms.h"

/* The steps of the kernel along an axis that take part in a pass. */
struct taps {
    int64_t count, first, step;
};

static struct taps taps_of(const struct correlation *plan, uint32_t number, int64_t pass)
{
    const struct convolution_axis *axis = &plan->geometry.axis[number];
    struct taps taps = {.count = axis->kernel, .first = 0, .step = 1};
    if (!plan->is_spread)
        return taps;
    int64_t period = 1;
    while (period < axis->stride && period < axis->kernel && period * axis->dilation % axis->stride != 0)
        period++;
    taps.step = period;
    while (taps.first < period && taps.first < axis->kernel &&
           floor_remainder(pass + axis->padding - taps.first * axis->dilation, axis->stride) != 0)
        taps.first++;
    taps.count =
        taps.first < period && taps.first < axis->kernel ? (axis->kernel - 1 - taps.first) / period + 1 : 0;
    return taps;
}

int64_t passes_along(const struct correlation *plan, uint32_t number)
{
    const struct convolution_axis *axis = &plan->geometry.axis[number];
    return !plan->is_spread ? 1 : axis->stride < axis->large ? axis->stride : axis->large;
}

void split_pass(const struct correlation *plan, uint64_t pass, int64_t *along)
{
    for (uint32_t i = CONVOLUTION_AXES; i-- > 0;) {
        const uint64_t passes = (uint64_t)passes_along(plan, i);
        along[i] = (int64_t)(pass % passes);
        pass /= passes;
    }
}

/* Along an axis: which plane step k of the kernel reads in a pass, and its shift there. */
static void find_step(const struct correlation *plan, uint32_t number, int64_t pass, int64_t k,
                      int64_t *phase, int64_t *shift)
{
    const struct convolution_axis *axis = &plan->geometry.axis[number];
    const struct planes_axis *planes = &plan->planes.axis[number];
    if (plan->is_spread) {
        *phase = 0;
        *shift = floor_quotient(pass + axis->padding - k * axis->dilation, axis->stride) - planes->first;
    } else {
        *phase = k % planes->phases;
        *shift = floor_quotient(k * axis->dilation - axis->padding, axis->stride) - planes->first;
    }
}

/* Where one step along an axis leads: elements of the weight, planes, and floats of a plane. */
struct place {
    int64_t weight, plane, shift;
};

static struct place place_along(const struct correlation *plan, uint32_t axis, int64_t pass, int64_t k)
{
    int64_t phase, shift;
    find_step(plan, axis, pass, k, &phase, &shift);
    int64_t planes = phase;
    for (uint32_t i = axis + 1; i < CONVOLUTION_AXES; i++)
        planes *= plan->planes.axis[i].phases;
    return (struct place){k * plan->weight.axis[axis], planes, shift * plan->planes.pitch[axis]};
}

/* The tables of a pass, from a term on; the term behind them. */
static uint64_t tabulate_pass(const struct correlation *plan, const struct terms *tables, uint64_t pass,
                              uint64_t term)
{
    const int64_t stride = plan->is_spread ? plan->weight.small : plan->weight.large;
    const uint64_t begin = term;
    int64_t along[CONVOLUTION_AXES];
    struct taps taps[CONVOLUTION_AXES];
    split_pass(plan, pass, along);
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++)
        taps[i] = taps_of(plan, i, along[i]);
    if (plan->terms == 0)
        return term;
    for (int64_t a = 0; a < taps[0].count; a++)
        for (int64_t b = 0; b < taps[1].count; b++)
            for (int64_t c = 0; c < taps[2].count; c++, term++) {
                const struct place of_a = place_along(plan, 0, along[0], taps[0].first + a * taps[0].step),
                                   of_b = place_along(plan, 1, along[1], taps[1].first + b * taps[1].step),
                                   of_c = place_along(plan, 2, along[2], taps[2].first + c * taps[2].step);
                tables->weight_place[term] = of_a.weight + of_b.weight + of_c.weight;
                tables->plane_place[term] = (of_a.plane + of_b.plane + of_c.plane) * plan->planes.floats +
                                            of_a.shift + of_b.shift + of_c.shift;
            }
    const uint64_t steps = term - begin, terms = steps * plan->terms;
    const int64_t channel = plan->planes.planes * plan->planes.floats;
    for (uint64_t i = steps; i < terms; i++) {
        tables->weight_place[begin + i] = tables->weight_place[begin + i - steps] + stride;
        tables->plane_place[begin + i] = tables->plane_place[begin + i - steps] + channel;
    }
    return begin + terms;
}

void terms_tabulate(const struct correlation *plan, const struct terms *terms)
{
    uint64_t term = 0;
    for (uint64_t pass = 0; pass < plan->passes; pass++) {
        terms->pass_first[pass] = term;
        term = tabulate_pass(plan, terms, pass, term);
    }
    terms->pass_first[plan->passes] = term;
}
