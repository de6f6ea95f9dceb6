/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls the kernel of an elementwise plan for elements that lie as it wants them.
 */
#include "ops/loops/elementwise_walk.h"

enum { LINE_BYTES = 64 };

/* Work from this size on is worth a call of the kernel for what comes before the first whole line. */
enum { ALIGNED_MIN = 1 << 15 };

/*
 * Kernels stream whole lines alone, so that what comes before the first and after the last one goes apart.
 * Without streaming the end is as good as the rest.
 */
static __attribute__((noinline)) void run_lines(const struct walk *walk, const void *const *input,
                                                unsigned char *output, size_t count)
{
    const struct elementwise_plan *plan = walk->plan;
    size_t bytes = plan->arithmetic_bytes, head = (-(uintptr_t)output % LINE_BYTES) / bytes;
    head = head < count ? head : count;
    size_t body =
        walk->non_temporal ? (count - head) / (LINE_BYTES / bytes) * (LINE_BYTES / bytes) : count - head;
    size_t part[] = {head, body, count - head - body};
    const void *source[WALK_INPUTS_MAX];
    for (uint32_t i = 0; i < plan->input_count; i++)
        source[i] = input[i];
    for (int k = 0; k < 3; k++) {
        if (part[k] > 0)
            plan->kernel(source, output, part[k], plan->parameters, walk->non_temporal && k == 1);
        for (uint32_t i = 0; i < plan->input_count; i++)
            source[i] = (const unsigned char *)source[i] + part[k] * bytes;
        output += part[k] * bytes;
    }
}

void walk_kernel(const struct walk *walk, const void *const *input, unsigned char *output, size_t count)
{
    const struct elementwise_plan *plan = walk->plan;
    if (walk->non_temporal ||
        ((uintptr_t)output % LINE_BYTES != 0 && count >= ALIGNED_MIN / plan->arithmetic_bytes))
        run_lines(walk, input, output, count);
    else
        plan->kernel(input, output, count, plan->parameters, false);
}
