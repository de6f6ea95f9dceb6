/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of matrices beside a peer: calls of both by turns, and the median of the ratios of their times, so
 * that what else the machine does falls on both alike.
 *
 *     contraction PEER [THREADS]     PEER is a peer_contraction_*.so of this folder; THREADS as in
 * BELAY_THREADS
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_mm.h"
#include "peer_contraction.h"

enum { ROUNDS = 31, OPERANDS = 4 };

static const struct product products[] = {
    {.rows = 1024, .columns = 1024, .depth = 1024},
    {.rows = 512, .columns = 512, .depth = 512},
    {.rows = 256, .columns = 256, .depth = 256},
    {.rows = 64, .columns = 64, .depth = 64},
    {.rows = 16, .columns = 16, .depth = 16},
    {.rows = 100, .columns = 100, .depth = 100},
    {.rows = 64, .columns = 64, .depth = 64, .batch = 64},
    {.rows = 512, .columns = 512, .depth = 512, .is_layer = true},
    {.rows = 32, .columns = 768, .depth = 768, .is_layer = true},
    {.rows = 1, .columns = 512, .depth = 512, .is_layer = true},
    {.rows = 1, .columns = 4096, .depth = 4096, .is_layer = true},
    {.rows = 1, .columns = 4096, .depth = 4096},
    {.rows = 4096, .columns = 1, .depth = 4096},
    {.rows = 4096, .columns = 16, .depth = 4096},
    {.rows = 16, .columns = 4096, .depth = 4096},
    {.rows = 1024, .columns = 1024, .depth = 1024, .dtype = ACL_FLOAT16},
    {.rows = 1024, .columns = 1024, .depth = 1024, .dtype = ACL_BF16},
};

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void require(int status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "contraction: %s failed with %d: %s\n", what, status, aclGetRecentErrMsg());
    exit(1);
}

/* Numbers between -1 and 1 whose bits suit any dtype: FLOAT16 and BFLOAT16 take them from any two bytes of
 * it. */
static void fill(void *memory, size_t count, aclDataType dtype)
{
    uint32_t state = 12345;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        if (dtype == ACL_FLOAT)
            ((float *)memory)[i] = (float)(int32_t)state * 0x1p-31f;
        else
            ((uint16_t *)memory)[i] =
                (uint16_t)((state >> 16 & 0x83ff) | (dtype == ACL_FLOAT16 ? 0x3800 : 0x3e00));
    }
}

struct ours {
    aclTensor *left, *right, *bias, *out;
    aclScalar *one;
    aclrtStream stream;
};

static void run_ours(const struct product *product, const struct ours *ours)
{
    uint64_t size;
    aclOpExecutor *executor;
    if (product->is_layer) {
        require(aclnnAddmmGetWorkspaceSize(ours->bias, ours->left, ours->right, ours->one, ours->one,
                                           ours->out, 0, &size, &executor),
                "aclnnAddmmGetWorkspaceSize");
        require(aclnnAddmm(NULL, 0, executor, ours->stream), "aclnnAddmm");
    } else if (product->batch > 1) {
        require(aclnnBatchMatMulGetWorkspaceSize(ours->left, ours->right, ours->out, 0, &size, &executor),
                "aclnnBatchMatMulGetWorkspaceSize");
        require(aclnnBatchMatMul(NULL, 0, executor, ours->stream), "aclnnBatchMatMul");
    } else {
        require(aclnnMmGetWorkspaceSize(ours->left, ours->right, ours->out, 0, &size, &executor),
                "aclnnMmGetWorkspaceSize");
        require(aclnnMm(NULL, 0, executor, ours->stream), "aclnnMm");
    }
    require(aclrtSynchronizeStream(ours->stream), "aclrtSynchronizeStream");
}

/* A batch of matrices one after the other; turned: the last two dims exchanged in memory. */
static aclTensor *create(aclDataType dtype, int64_t batch, int64_t rows, int64_t columns, bool is_turned,
                         void *data)
{
    int64_t dim[] = {batch, rows, columns}, count = batch * rows * columns;
    int64_t stride[] = {rows * columns, is_turned ? 1 : columns, is_turned ? rows : 1};
    uint64_t rank = batch > 1 ? 3 : 2;
    return aclCreateTensor(dim + 3 - rank, rank, dtype, stride + 3 - rank, 0, ACL_FORMAT_ND, &count, 1, data);
}

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static void measure(const struct product *product, const struct peer_contraction *peer, aclrtStream stream)
{
    const int64_t m = (int64_t)product->rows, n = (int64_t)product->columns, k = (int64_t)product->depth;
    const int64_t batch = product->batch > 1 ? (int64_t)product->batch : 1;
    const size_t counts[OPERANDS] = {(size_t)(batch * m * k), (size_t)(batch * n * k), (size_t)n,
                                     (size_t)(batch * m * n)};
    void *memory[OPERANDS];
    for (int i = 0; i < OPERANDS; i++) {
        require(aclrtMalloc(&memory[i], counts[i] * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        fill(memory[i], counts[i], product->dtype);
    }
    float one = 1;
    struct ours ours = {
        .left = create(product->dtype, batch, m, k, false, memory[0]),
        .right = create(product->dtype, batch, k, n, product->is_layer, memory[1]),
        .bias = aclCreateTensor(&n, 1, product->dtype, NULL, 0, ACL_FORMAT_ND, &n, 1, memory[2]),
        .out = create(product->dtype, batch, m, n, false, memory[3]),
        .one = aclCreateScalar(&one, ACL_FLOAT),
        .stream = stream,
    };
    void *theirs = peer->create(product, memory[0], memory[1], memory[2]);
    const double flops = 2.0 * (double)(batch * m * n * k);
    const int calls = flops > 2e7 ? 1 : (int)(2e7 / flops);
    double ratio[ROUNDS], time[ROUNDS];
    for (int round = -1; round < ROUNDS; round++) {
        double start = now_us();
        for (int i = 0; i < calls; i++)
            run_ours(product, &ours);
        double middle = now_us();
        for (int i = 0; i < calls; i++)
            peer->run(theirs);
        double end = now_us();
        if (round < 0)
            continue; /* caches, threads, the peer's own preparations */
        time[round] = (middle - start) / calls;
        ratio[round] = (end - middle) / (middle - start);
    }
    qsort(ratio, ROUNDS, sizeof ratio[0], compare);
    qsort(time, ROUNDS, sizeof time[0], compare);
    printf("%4lld x %4lld x %4lld, batch %2lld, %s%s: %10.2f us, %6.1f GFLOP/s, %5.2f of the speed of %s\n",
           (long long)m, (long long)n, (long long)k, (long long)batch,
           product->dtype == ACL_FLOAT     ? "FLOAT"
           : product->dtype == ACL_FLOAT16 ? "FLOAT16"
                                           : "BFLOAT16",
           product->is_layer ? ", layer" : "", time[ROUNDS / 2], flops / time[ROUNDS / 2] * 1e-3,
           ratio[ROUNDS / 2], peer->name);
    peer->destroy(theirs);
    aclDestroyTensor(ours.left), aclDestroyTensor(ours.right), aclDestroyTensor(ours.bias);
    aclDestroyTensor(ours.out), (void)aclDestroyScalar(ours.one);
    for (int i = 0; i < OPERANDS; i++)
        (void)aclrtFree(memory[i]);
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 2 || argument_count > 3) {
        fputs("usage: contraction PEER [THREADS]\n", stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    const char *threads = argument_count == 3 ? arguments[2] : "1";
    setenv("BELAY_THREADS", threads, 1);
    void *library = dlopen(arguments[1], RTLD_NOW);
    const struct peer_contraction *peer = library == NULL ? NULL : dlsym(library, "peer_contraction");
    if (peer == NULL) {
        fprintf(stderr, "contraction: %s\n", dlerror());
        return 1;
    }
    peer->set_threads(atoi(threads));
    aclrtStream stream;
    require(aclrtSetDevice(0), "aclrtSetDevice");
    require(aclrtCreateStream(&stream), "aclrtCreateStream");
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
        measure(&products[i], peer, stream);
    require(aclrtDestroyStream(stream), "aclrtDestroyStream");
    return 0;
}
