/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What weights in blocks (FRACTAL_NZ) cost a product: Matmul of FLOAT16 with weights of 4096 x 4096, plain and
 * in blocks, in turn, for some numbers of rows, as they are and with their dims exchanged, as layers have
 * them. Times are those of the processor, so that what else runs
 * counts little; the medians, and whether both results have the same bits.
 *
 *   BELAY_THREADS=1 blocks_cost
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_matmul.h"

enum { SIZE = 4096, ROWS_MOST = 512, BLOCK = 16, ROUNDS_MOST = 15 };

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint16_t *allocate(size_t count)
{
    void *memory = NULL;
    if (aclrtMalloc(&memory, count * sizeof(uint16_t), ACL_MEM_MALLOC_HUGE_FIRST) != 0) {
        fprintf(stderr, "blocks_cost: %s\n", aclGetRecentErrMsg());
        exit(1);
    }
    return memory;
}

/* Numbers of either sign with sizes from 1/8 to 1/4. */
static void draw(uint16_t *numbers, size_t count)
{
    uint32_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525 + 1013904223;
        numbers[i] = (uint16_t)(0x3000 | state >> 22 | (state >> 5 & 0x8000));
    }
}

static aclTensor *matrix(int64_t rows, uint16_t *memory, aclFormat format, bool is_exchanged)
{
    const int64_t exchanged[] = {1, SIZE};
    const int64_t shape[] = {rows, SIZE}, blocks[] = {SIZE / BLOCK, SIZE / BLOCK, BLOCK, BLOCK};
    const bool is_plain = format == ACL_FORMAT_ND;
    return aclCreateTensor(shape, 2, ACL_FLOAT16, is_exchanged ? exchanged : NULL, 0, format,
                           is_plain ? shape : blocks, is_plain ? 2 : 4, memory);
}

static double seconds_of(const aclTensor *self, const aclTensor *weights, aclTensor *out)
{
    const double begin = processor_seconds();
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    int status = aclnnMatmulGetWorkspaceSize(self, weights, out, 0, &bytes, &executor);
    if (status == 0)
        status = aclnnMatmul(NULL, bytes, executor, NULL);
    if (status == 0)
        status = aclrtSynchronizeStream(NULL);
    if (status != 0) {
        fprintf(stderr, "blocks_cost: %s\n", aclGetRecentErrMsg());
        exit(1);
    }
    return processor_seconds() - begin;
}

static void compare(int64_t rows, bool is_exchanged, uint16_t *self, aclTensor *const weights[2],
                    uint16_t *const out[2])
{
    const int rounds = rows == ROWS_MOST ? ROUNDS_MOST / 3 : ROUNDS_MOST;
    aclTensor *left = matrix(rows, self, ACL_FORMAT_ND, false);
    aclTensor *results[] = {matrix(rows, out[0], ACL_FORMAT_ND, false),
                            matrix(rows, out[1], ACL_FORMAT_ND, false)};
    double seconds[2][ROUNDS_MOST];
    for (int round = -1; round < rounds; round++) /* the first one warms up */
        for (int i = 0; i < 2; i++)
            seconds[i][round < 0 ? 0 : round] = seconds_of(left, weights[i], results[i]);
    for (int i = 0; i < 2; i++)
        qsort(seconds[i], (size_t)rounds, sizeof seconds[i][0], by_size);
    const double one = seconds[0][rounds / 2], other = seconds[1][rounds / 2];
    printf("%4lld %-9s %11.3f %10.3f %6.2f  %s\n", (long long)rows, is_exchanged ? "exchanged" : "",
           one * 1e3, other * 1e3, other / one,
           memcmp(out[0], out[1], (size_t)rows * SIZE * sizeof *out[0]) == 0 ? "equal" : "DIFFER");
    aclDestroyTensor(left);
    for (int i = 0; i < 2; i++)
        aclDestroyTensor(results[i]);
}

int main(void)
{
    static const int64_t all_rows[] = {1, 16, ROWS_MOST};
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    uint16_t *plain = allocate((size_t)SIZE * SIZE), *blocks = allocate((size_t)SIZE * SIZE),
             *self = allocate((size_t)ROWS_MOST * SIZE), *out[2];
    draw(plain, (size_t)SIZE * SIZE);
    draw(self, (size_t)ROWS_MOST * SIZE);
    for (size_t k = 0; k < SIZE; k++)
        for (size_t n = 0; n < SIZE; n++)
            blocks[n / BLOCK * SIZE * BLOCK + k * BLOCK + n % BLOCK] = plain[k * SIZE + n];
    for (int i = 0; i < 2; i++)
        out[i] = allocate((size_t)ROWS_MOST * SIZE);
    printf("rows              plain ms  blocks ms  times  bits\n");
    for (int exchanged = 0; exchanged < 2; exchanged++) {
        aclTensor *weights[] = {matrix(SIZE, plain, ACL_FORMAT_ND, exchanged == 1),
                                matrix(SIZE, blocks, ACL_FORMAT_FRACTAL_NZ, exchanged == 1)};
        for (size_t r = 0; r < sizeof all_rows / sizeof all_rows[0]; r++)
            compare(all_rows[r], exchanged == 1, self, weights, out);
        for (int i = 0; i < 2; i++)
            aclDestroyTensor(weights[i]);
    }
    return aclrtResetDevice(0) | aclFinalize();
}
