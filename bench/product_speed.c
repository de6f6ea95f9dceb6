/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How fast products of matrices are, in FLOAT, FLOAT16 and BFLOAT16, beside an older build, OpenBLAS's sgemm and
 * oneDNN's matmul of BFLOAT16: all in the same rounds, on ordinary numbers. With one thread times are those of the
 * processor.
 *
 *   product_speed AFTER [BEFORE [OPENBLAS [ONEDNN [ONLY]]]]
 *
 * Folders of libraries, then files of them; "-" leaves one out. ONLY is a part of the names of shapes. Each build has
 * workers of its own, which take processors from the other's while they poll: how fast products of some 10 us are on
 * several threads is what a run without BEFORE says.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_batch_matmul.h"
#include "measure.h"
#include "product_peers.h"
#include "statistics.h"

enum { BLOCK = 16, ROUNDS = 15, BUILDS = 2, VARIANTS_MAX = 2 * PRODUCT_DTYPES + PRODUCT_PEERS };

static const aclDataType acl_dtypes[PRODUCT_DTYPES] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

static const struct product_shape shapes[] = {
    {.name = "1024 cubed", 1, 1024, 1024, 1024},
    {.name = "512 cubed", 1, 512, 512, 512},
    {.name = "256 cubed", 1, 256, 256, 256},
    {.name = "32x768x768", 1, 32, 768, 768},
    {.name = "32x768x768, linear", 1, 32, 768, 768, .is_right_turned = true},
    {.name = "4096x4096x16", 1, 4096, 4096, 16},
    {.name = "64 of 64 cubed", 64, 64, 64, 64},
    {.name = "512 cubed, left turned", 1, 512, 512, 512, .is_left_turned = true},
    {.name = "512 cubed, right turned", 1, 512, 512, 512, .is_right_turned = true},
    {.name = "512 cubed, both turned", 1, 512, 512, 512, .is_left_turned = true, .is_right_turned = true},
    {.name = "512x1024x1024, NZ", 1, 512, 1024, 1024, .is_in_blocks = true},
    {.name = "512x1024x1024, NZ turned", 1, 512, 1024, 1024, .is_right_turned = true, .is_in_blocks = true},
    {.name = "384x192x64, linear", 1, 384, 192, 64, .is_right_turned = true},
    {.name = "384x64x64, linear", 1, 384, 64, 64, .is_right_turned = true},
    {.name = "384x256x64, linear", 1, 384, 256, 64, .is_right_turned = true},
    {.name = "384x64x256, linear", 1, 384, 64, 256, .is_right_turned = true},
    {.name = "64 of 24x24x16", 64, 24, 24, 16, .is_right_turned = true},
    {.name = "1x4096x4096", 1, 1, 4096, 4096},
    {.name = "1x4096x4096, linear", 1, 1, 4096, 4096, .is_right_turned = true},
    {.name = "4096x1x4096", 1, 4096, 1, 4096},
};

struct build {
    void *library;
    __typeof__(aclrtMalloc) *allocate;
    __typeof__(aclrtFree) *free;
    __typeof__(aclrtSynchronizeStream) *synchronize;
    __typeof__(aclGetRecentErrMsg) *message;
    __typeof__(aclCreateTensor) *create_tensor;
    __typeof__(aclDestroyTensor) *destroy_tensor;
    __typeof__(aclnnBatchMatMulGetWorkspaceSize) *plan[2]; /* of a batch, and of none: aclnnMm's is alike */
    __typeof__(aclnnBatchMatMul) *launch[2];
    aclrtStream stream;
};

static void find(void *library, void *function, const char *name)
{
    void *found = dlsym(library, name); /* ISO C has no cast from object to function */
    if (!found) {
        fprintf(stderr, "product_speed: %s\n", dlerror());
        exit(2);
    }
    memcpy(function, &found, sizeof found);
}

static void check(const struct build *build, int status, const char *call)
{
    if (status == 0)
        return;
    fprintf(stderr, "product_speed: %s answers %d: %s\n", call, status, build->message());
    exit(2);
}

/* Each build has its libraries, their threads and the C library to itself. */
static struct build load(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/libopapi.so", folder);
    struct build build = {.library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL)};
    if (!build.library) {
        fprintf(stderr, "product_speed: %s\n", dlerror());
        exit(2);
    }
    __typeof__(aclrtSetDevice) *set_device;
    __typeof__(aclrtCreateStream) *create_stream;
    find(build.library, &set_device, "aclrtSetDevice");
    find(build.library, &create_stream, "aclrtCreateStream");
    find(build.library, &build.message, "aclGetRecentErrMsg");
    find(build.library, &build.allocate, "aclrtMalloc");
    find(build.library, &build.free, "aclrtFree");
    find(build.library, &build.synchronize, "aclrtSynchronizeStream");
    find(build.library, &build.create_tensor, "aclCreateTensor");
    find(build.library, &build.destroy_tensor, "aclDestroyTensor");
    find(build.library, &build.plan[0], "aclnnBatchMatMulGetWorkspaceSize");
    find(build.library, &build.launch[0], "aclnnBatchMatMul");
    find(build.library, &build.plan[1], "aclnnMmGetWorkspaceSize");
    find(build.library, &build.launch[1], "aclnnMm");
    check(&build, set_device(0), "aclrtSetDevice");
    check(&build, create_stream(&build.stream), "aclrtCreateStream");
    return build;
}

/* A product of a build, which may remember where its memory lies. */
struct call {
    const struct build *build;
    bool is_single;
    void *memory[PRODUCT_MATRICES], *workspace;
    aclTensor *tensor[PRODUCT_MATRICES];
    uint64_t workspace_bytes;
};

static void run(void *context, uint64_t repetitions)
{
    struct call *call = context;
    const struct build *build = call->build;
    aclOpExecutor *executor;
    uint64_t bytes;
    for (uint64_t i = 0; i < repetitions; i++) {
        check(build,
              build->plan[call->is_single](call->tensor[0], call->tensor[1], call->tensor[2], 0, &bytes,
                                           &executor),
              "phase 1");
        if (bytes > call->workspace_bytes) {
            check(build, build->allocate(&call->workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
            call->workspace_bytes = bytes;
        }
        check(build, build->launch[call->is_single](call->workspace, bytes, executor, build->stream),
              "phase 2");
        check(build, build->synchronize(build->stream), "aclrtSynchronizeStream");
    }
}

/* count floats of the normal distribution, nearly, in a dtype. */
static void fill(void *memory, enum product_dtype dtype, size_t count)
{
    uint32_t state = 12345;
    for (size_t i = 0; i < count; i++) {
        float sum = 0;
        for (int k = 0; k < 4; k++) {
            state = state * 1664525 + 1013904223;
            sum += (float)(state >> 8) * 0x1p-24f - 0.5f;
        }
        product_store(memory, dtype, i, sum * 1.7f);
    }
}

/* (batch, rows, columns), whose dims are exchanged in memory, or in blocks; a batch of one has no dim. */
static aclTensor *matrix(const struct build *build, const struct product_shape *shape, aclDataType dtype,
                         int64_t rows, int64_t columns, bool is_turned, bool is_in_blocks, void *memory)
{
    const int64_t dims[] = {shape->batch, rows, columns};
    const int64_t stride[] = {rows * columns, is_turned ? 1 : columns, is_turned ? rows : 1};
    const int64_t stored_rows = is_turned ? columns : rows, stored_columns = is_turned ? rows : columns;
    const int64_t blocks[] = {stored_columns / BLOCK, stored_rows / BLOCK, BLOCK, BLOCK};
    const uint64_t skip = shape->batch == 1;
    return build->create_tensor(dims + skip, 3 - skip, dtype, stride + skip, 0,
                                is_in_blocks ? ACL_FORMAT_FRACTAL_NZ : ACL_FORMAT_ND,
                                is_in_blocks ? blocks : dims + skip, is_in_blocks ? 4 : 3 - skip, memory);
}

static struct call *prepare(const struct build *build, const struct product_shape *shape,
                            enum product_dtype dtype)
{
    const int64_t sizes[PRODUCT_MATRICES][2] = {
        {shape->rows, shape->depth}, {shape->depth, shape->columns}, {shape->rows, shape->columns}};
    const bool is_turned[] = {shape->is_left_turned, shape->is_right_turned, false};
    struct call *call = calloc(1, sizeof *call);
    call->build = build;
    call->is_single = shape->batch == 1;
    for (int i = 0; i < PRODUCT_MATRICES; i++) {
        const size_t count = (size_t)(shape->batch * sizes[i][0] * sizes[i][1]);
        check(build,
              build->allocate(&call->memory[i], count * product_bytes(dtype), ACL_MEM_MALLOC_HUGE_FIRST),
              "aclrtMalloc");
        fill(call->memory[i], dtype, count);
        call->tensor[i] = matrix(build, shape, acl_dtypes[dtype], sizes[i][0], sizes[i][1], is_turned[i],
                                 i == 1 && shape->is_in_blocks, call->memory[i]);
    }
    return call;
}

static void release(struct call *call)
{
    for (int i = 0; i < PRODUCT_MATRICES; i++) {
        call->build->destroy_tensor(call->tensor[i]);
        call->build->free(call->memory[i]);
    }
    if (call->workspace)
        call->build->free(call->workspace);
    free(call);
}

/* A column of the table: how many times as fast one variant is as another, or "-". */
static void print_ratio(const struct variant *slower, const struct variant *faster, size_t rounds,
                        bool is_last)
{
    if (slower == NULL || faster == NULL)
        printf(" %s |", "-");
    else
        printf(" %.2f |", ratio_of(slower->ns, faster->ns, rounds, 0).median);
    if (is_last)
        printf("\n");
}

static void print_speed(const struct variant *variant, const struct product_shape *shape, size_t rounds)
{
    const double products =
        2.0 * (double)shape->batch * (double)shape->rows * (double)shape->columns * (double)shape->depth;
    printf(" %.0f |", products / quartiles_of(variant->ns, rounds).median);
}

static void compare(const struct build *builds, const struct product_peers *peers,
                    const struct product_shape *shape, const struct measure_plan *plan)
{
    static struct variant variants[VARIANTS_MAX];
    struct variant *own[BUILDS][PRODUCT_DTYPES] = {{NULL}}, *peer[PRODUCT_PEERS] = {NULL};
    int count = 0;
    for (int b = 0; b < BUILDS; b++)
        for (int d = 0; d < PRODUCT_DTYPES && builds[b].library; d++) {
            own[b][d] = &variants[count++];
            *own[b][d] = (struct variant){
                .name = "build", .run = run, .context = prepare(&builds[b], shape, (enum product_dtype)d)};
        }
    for (int p = 0; p < PRODUCT_PEERS; p++) {
        void *context = product_peer_prepare(peers, (enum product_peer)p, shape, fill);
        if (context) {
            peer[p] = &variants[count++];
            *peer[p] = (struct variant){.name = "peer", .run = product_peer_run[p], .context = context};
        }
    }
    const size_t rounds = (size_t)measure_rounds(variants, count, plan);
    struct variant *const *after = own[1], *const *before = own[0];
    printf("| %s |", shape->name);
    print_speed(after[PRODUCT_FP32], shape, rounds);
    print_ratio(before[PRODUCT_FP32], after[PRODUCT_FP32], rounds, false);
    print_ratio(peer[PEER_OPENBLAS], after[PRODUCT_FP32], rounds, false);
    print_speed(after[PRODUCT_FP16], shape, rounds);
    print_ratio(before[PRODUCT_FP16], after[PRODUCT_FP16], rounds, false);
    print_ratio(after[PRODUCT_FP32], after[PRODUCT_FP16], rounds, false);
    print_speed(after[PRODUCT_BF16], shape, rounds);
    print_ratio(before[PRODUCT_BF16], after[PRODUCT_BF16], rounds, false);
    print_ratio(peer[PEER_ONEDNN], after[PRODUCT_BF16], rounds, true);
    fflush(stdout);
    for (int b = 0; b < BUILDS; b++)
        for (int d = 0; d < PRODUCT_DTYPES && builds[b].library; d++)
            release(own[b][d]->context);
    for (int p = 0; p < PRODUCT_PEERS; p++)
        if (peer[p])
            product_peer_release(peers, (enum product_peer)p, peer[p]->context);
}

static const char *argument(int argc, char **argv, int i)
{
    return i < argc && strcmp(argv[i], "-") != 0 ? argv[i] : NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 6) {
        fputs("product_speed AFTER [BEFORE [OPENBLAS [ONEDNN [ONLY]]]]: folders and files of libraries are "
              "expected\n",
              stderr);
        return 2;
    }
    const char *before = argument(argc, argv, 2), *only = argument(argc, argv, 5);
    const char *threads = getenv("BELAY_THREADS");
    const struct build builds[BUILDS] = {before ? load(before) : (struct build){0}, load(argv[1])};
    const struct measure_plan plan = {.rounds = ROUNDS,
                                      .sample_ns = 2e7,
                                      .budget_ns = 2e10,
                                      .rounds_min = 7,
                                      .threads = threads ? atoi(threads) : 1};
    const struct product_peers peers =
        product_peers_load(argument(argc, argv, 3), argument(argc, argv, 4), plan.threads);
    printf("GFLOP/s, and how many times as fast as what the column names; %d thread%s\n\n"
           "| product | fp32 | before | OpenBLAS | fp16 | before | own fp32 | bf16 | before | "
           "oneDNN |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
           plan.threads, plan.threads == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (!only || strstr(shapes[i].name, only))
            compare(builds, &peers, &shapes[i], &plan);
    return 0;
}
