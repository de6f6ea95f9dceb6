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
    return workload_has_operand(workload, operand) && (view->rank == 0 || view->stride[view->rank - 1] != 0);
}

/* The bytes of check()'s output before, and afterwards where nothing is read. */
enum { BEFORE = 0x5a };

/* Wrong elements. */
static int64_t compare(const struct workload *workload)
{
    int64_t wrong = 0, bytes = workload_dtype_bytes(workload->dtype);
    bool is_any_read = false;
    for (enum operand operand = FIRST; operand < OUT; operand++)
        is_any_read = is_any_read || is_read(workload, operand);
    for (int64_t i = 0; i < workload->count; i++) {
        unsigned char expected[8];
        memset(expected, is_any_read ? 0 : BEFORE, sizeof expected);
        for (enum operand operand = FIRST; operand < OUT; operand++)
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

static void allocate(struct workload *workload)
{
    for (enum operand operand = 0; operand < OPERANDS; operand++) {
        size_t size = (size_t)(workload->view[operand].storage * workload_element_bytes(workload, operand));
        unsigned char *memory = malloc(size + 64);
        if (!memory)
            exit(1);
        for (size_t i = 0; i < size; i++)
            memory[i] = (unsigned char)rand();
        workload->memory[operand] = memory;
    }
}

static void release(struct workload *workload)
{
    for (enum operand operand = 0; operand < OPERANDS; operand++)
        free(workload->memory[operand]);
}

static int64_t check(int inputs, enum dtype dtype, enum layout layout, int64_t count, int candidate)
{
    const struct subject subject = {.inputs = inputs};
    struct workload workload = workload_of(&subject, dtype, count, 1);
    layout_apply(&workload, layout);
    allocate(&workload);
    memset(workload.memory[OUT], BEFORE,
           (size_t)(workload.view[OUT].storage * workload_element_bytes(&workload, OUT)));
    struct roofline *roofline = roofline_prepare(&workload, candidate);
    roofline_run(roofline, 1);
    int64_t wrong = compare(&workload);
    if (wrong)
        printf("%d inputs, %s %s, %lld elements, %s: %lld are wrong\n", inputs, workload_dtype_name(dtype),
               layout_name(layout), (long long)count, roofline_candidate_name(candidate), (long long)wrong);
    roofline_release(roofline);
    release(&workload);
    return wrong;
}

/* The bytes of an operand, and their sum and exclusive or in words of 8. */
struct digest {
    uint64_t sum, words;
};

static struct digest digest_of(const struct workload *workload, enum operand operand)
{
    struct digest digest = {0, 0};
    const unsigned char *memory = workload->memory[operand];
    int64_t bytes = workload->count * workload_element_bytes(workload, operand);
    for (int64_t i = 0; i < bytes; i++) {
        digest.sum += memory[i];
        digest.words ^= (uint64_t)memory[i] << i % 8 * 8;
    }
    return digest;
}

/* What section family adds: other reads and writes than inputs and one output of their width. */
enum traffic { IN_PLACE, MEAN, WIDER, FOUR_TIMES_WIDER, NARROWER, FOUR_TIMES_NARROWER, TRAFFICS };

static struct workload workload_with(enum traffic traffic, const struct subject *subject, int64_t count)
{
    static const enum dtype dtypes[TRAFFICS][2] = {
        [WIDER] = {FP16, FP32},
        [FOUR_TIMES_WIDER] = {INT8, FP32},
        [NARROWER] = {INT64, FP32},
        [FOUR_TIMES_NARROWER] = {FP32, INT8},
    };
    struct workload workload = workload_of(subject, dtypes[traffic][0], count, 1);
    workload.out_dtype = dtypes[traffic][1];
    workload.is_reduced = traffic == MEAN;
    layout_apply(&workload, LAYOUT_CONTIGUOUS);
    allocate(&workload);
    return workload;
}

static int64_t check_traffic(enum traffic traffic, int64_t count, int candidate)
{
    static const char *const names[TRAFFICS] = {"in place",           "mean",     "wider",
                                                "four times as wide", "narrower", "a quarter as wide"};
    const struct subject subject = {.inputs = traffic < WIDER ? 2 : 1, .is_in_place = traffic == IN_PLACE};
    struct workload workload = workload_with(traffic, &subject, count);
    struct digest first = digest_of(&workload, FIRST), second = digest_of(&workload, SECOND), out = first;
    if (traffic == IN_PLACE)
        out = digest_of(&workload, OUT);
    struct roofline *roofline = roofline_prepare(&workload, candidate);
    roofline_run(roofline, 1);
    struct digest kept = digest_of(&workload, FIRST), after = first;
    if (traffic != MEAN)
        after = digest_of(&workload, OUT);
    bool is_right = kept.sum == first.sum && kept.words == first.words;
    if (traffic == IN_PLACE)
        is_right = is_right && after.words == (out.words ^ second.words);
    else if (traffic == MEAN)
        is_right = is_right && roofline_read(roofline) == (first.words ^ second.words);
    else if (traffic == WIDER)
        is_right = is_right && after.sum == 2 * first.sum;
    else if (traffic == FOUR_TIMES_WIDER)
        is_right = is_right && after.sum == 4 * first.sum;
    else if (count % 8 == 0) /* each part begins at a word */
        is_right = is_right && after.words == first.words;
    if (!is_right)
        printf("%s, %lld elements, %s: other bytes are expected\n", names[traffic], (long long)count,
               roofline_candidate_name(candidate));
    roofline_release(roofline);
    release(&workload);
    return !is_right;
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
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
                for (enum layout layout = 0; layout < LAYOUTS; layout++)
                    for (int inputs = layout == LAYOUT_CONTIGUOUS ? 0 : 2;
                         takes(layout, counts[c]) && inputs <= 3; inputs++)
                        wrong += check(inputs, dtypes[d], layout, counts[c], candidate);
            for (enum traffic traffic = 0; traffic < TRAFFICS; traffic++)
                wrong += check_traffic(traffic, counts[c], candidate);
        }
    return wrong != 0;
}
