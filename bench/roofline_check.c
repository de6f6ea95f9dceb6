/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A roofline that skips work would make everything look slow, and one that does too much would flatter: each
 * of its kernels must write the exclusive or of exactly the operands that it has to read, in every layout.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "roofline.h"

static int64_t place_of(const struct view *view, int64_t index)
{
    int64_t place = view->offset;
    for (int64_t k = view->rank; k-- > 0;) {
        place += index % view->shape[k] * view->stride[k];
        index /= view->shape[k];
    }
    return place;
}

/* Repeated elements and columns are left out of the sum, as they are left out of the traffic. */
static bool is_read(const struct workload *workload, enum operand operand)
{
    const struct view *view = &workload->view[operand];
    return operation_has_operand(workload->operation, operand) &&
           (view->rank == 0 || view->stride[view->rank - 1] != 0);
}

/* Wrong elements. */
static int64_t compare(const struct workload *workload)
{
    int64_t wrong = 0, bytes = dtype_bytes(workload->dtype);
    for (int64_t i = 0; i < workload->count; i++) {
        unsigned char expected[8] = {0};
        for (enum operand operand = GRADIENT; operand < OUT; operand++)
            for (int64_t k = 0; is_read(workload, operand) && k < bytes; k++)
                expected[k] ^=
                    ((const unsigned char *)
                         workload->memory[operand])[place_of(&workload->view[operand], i) * bytes + k];
        const unsigned char *out =
            (const unsigned char *)workload->memory[OUT] + place_of(&workload->view[OUT], i) * bytes;
        wrong += memcmp(out, expected, (size_t)bytes) != 0;
    }
    return wrong;
}

static int64_t check(enum operation operation, enum dtype dtype, enum layout layout, int64_t count,
                     int candidate)
{
    struct workload workload = {.operation = operation, .dtype = dtype, .count = count};
    layout_apply(&workload, layout);
    for (enum operand operand = 0; operand < OPERANDS; operand++) {
        size_t size = (size_t)(workload.view[operand].storage * dtype_bytes(dtype));
        unsigned char *memory = malloc(size);
        if (!memory)
            exit(1);
        for (size_t i = 0; i < size; i++)
            memory[i] = (unsigned char)rand();
        workload.memory[operand] = memory;
    }
    struct roofline *roofline = roofline_prepare(&workload, candidate);
    roofline_run(roofline, 1);
    int64_t wrong = compare(&workload);
    if (wrong)
        printf("%s %s %s, %lld elements, %s: %lld are wrong\n", operation_name(operation), dtype_name(dtype),
               layout_name(layout), (long long)count, roofline_candidate_name(candidate), (long long)wrong);
    roofline_release(roofline);
    for (enum operand operand = 0; operand < OPERANDS; operand++)
        free(workload.memory[operand]);
    return wrong;
}

static bool takes(enum layout layout, int64_t count)
{
    if (layout == LAYOUT_ZERO_D)
        return count == 1;
    return count >= 4096 || layout == LAYOUT_CONTIGUOUS || layout == LAYOUT_UNALIGNED;
}

int main(void)
{
    static const int64_t counts[] = {1, 7, 1000, 4096, 1 << 14};
    static const enum dtype dtypes[] = {FP32, FP16, FP64};
    int64_t wrong = 0;
    roofline_set_threads(2);
    for (int candidate = 0; candidate < roofline_candidates(); candidate++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            for (enum layout layout = 0; layout < LAYOUTS; layout++)
                for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
                    if (takes(layout, counts[c])) {
                        wrong += check(LEAKY_RELU, dtypes[d], layout, counts[c], candidate);
                        wrong += check(SMOOTH_L1, dtypes[d], layout, counts[c], candidate);
                    }
    return wrong != 0;
}
