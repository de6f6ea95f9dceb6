/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One row by a matrix, and a matrix by one column, which use each weight once, beside how fast the same bytes are read:
 *
 *   BELAY_THREADS=1|2 row_speed [ONLY]
 *
 * For each shape there are as many matrices as fill 256 MB, more than caches hold, and calls take them in turn, as
 * those of a network's layers do. In the same rounds as many threads read the same matrices in the same order and do
 * nothing but take the exclusive or of what they read: with vectors of 256 and 512 bits, from one place and from four
 * places a quarter apart. A line has the bytes of weights (and of their scales) in a second as calls read them, what
 * the best of those loops reads, and the median of what both have in a round. A shape says rows x depth x columns; of
 * "linear" ones the weights of a column lie side by side, as networks have them, of INT8 with a scale in FLOAT16 for 32
 * of them (llama.cpp's Q8_0). Times are by the clock. ONLY is a part of the names.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"
#include "crew.h"
#include "measure.h"
#include "roofline.h"
#include "statistics.h"

enum { ALL_BYTES = 256 << 20, GROUP = 32, LAYERS_MAX = 128, ROUNDS = 15, LOOPS = 4 };

struct shape {
    int64_t rows, depth, columns;
    bool is_linear;
};

static const struct shape shapes[] = {
    {1, 4096, 4096, true}, {1, 4096, 4096, false}, {1, 768, 3072, true}, {1, 768, 3072, false},
    {1, 3072, 768, true},  {1, 8192, 8192, true},  {4096, 768, 1, true}, {4096, 4096, 1, true},
};

static const struct {
    aclDataType dtype;
    const char *name;
    int64_t bytes;
} dtypes[] = {
    {ACL_FLOAT, "FLOAT", 4}, {ACL_FLOAT16, "FLOAT16", 2}, {ACL_BF16, "BFLOAT16", 2}, {ACL_INT8, "INT8", 1}};

struct layer {
    void *weights, *scales;
    aclTensor *matrix, *scale;
};

struct layers {
    aclDataType dtype;
    int64_t count, bytes, scale_bytes; /* of a layer */
    bool is_column;
    struct layer layer[LAYERS_MAX];
    void *vector_memory, *out_memory, *workspace;
    uint64_t workspace_bytes;
    aclTensor *vector, *out;
};

/* A loop that reads the layers. */
struct reading {
    const struct layers *layers;
    roofline_copy *read;
    int sources;
    uint64_t seen; /* the exclusive or of all, so that nobody leaves the reading out */
};

static void check(int status, const char *call)
{
    if (status == 0)
        return;
    fprintf(stderr, "row_speed: %s answers %d: %s\n", call, status, aclGetRecentErrMsg());
    exit(2);
}

/* Ordinary numbers of either sign, some hundredths in size; as INT8 every one. */
static void *numbers(aclDataType dtype, int64_t bytes)
{
    void *memory;
    check(aclrtMalloc(&memory, (size_t)bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    uint32_t state = 1;
    for (int64_t i = 0; i < bytes / 4; i++) {
        state = state * 1664525 + 1013904223;
        const uint32_t random = state >> 9 | state << 23;
        const uint32_t word = dtype == ACL_FLOAT     ? (random & 0x80ffffff) | 0x3c000000
                              : dtype == ACL_FLOAT16 ? (random & 0x87ff87ff) | 0x20002000
                              : dtype == ACL_BF16    ? (random & 0x80ff80ff) | 0x3c003c00
                                                     : random;
        memcpy((unsigned char *)memory + 4 * i, &word, 4);
    }
    return memory;
}

static aclTensor *tensor(aclDataType dtype, int64_t rows, int64_t columns, bool is_turned, void *memory)
{
    const int64_t dims[] = {rows, columns}, strides[] = {is_turned ? 1 : columns, is_turned ? rows : 1};
    aclTensor *made = aclCreateTensor(dims, 2, dtype, strides, 0, ACL_FORMAT_ND, dims, 2, memory);
    if (made == NULL)
        check(-1, "aclCreateTensor");
    return made;
}

static struct layers *prepare(const struct shape *shape, aclDataType dtype, int64_t element_bytes)
{
    static struct layers layers;
    const bool is_column = shape->columns == 1;
    const int64_t rows = is_column ? shape->rows : shape->depth,
                  columns = is_column ? shape->depth : shape->columns;
    const aclDataType vectors = dtype == ACL_INT8 ? ACL_FLOAT16 : dtype;
    const int64_t vector_bytes = vectors == ACL_FLOAT ? 4 : 2;
    layers = (struct layers){.dtype = dtype, .is_column = is_column, .bytes = rows * columns * element_bytes};
    layers.scale_bytes = dtype == ACL_INT8 ? rows / GROUP * columns * 2 : 0;
    layers.count = ALL_BYTES / (layers.bytes + layers.scale_bytes);
    layers.count = layers.count > LAYERS_MAX ? LAYERS_MAX : layers.count < 1 ? 1 : layers.count;
    for (int64_t i = 0; i < layers.count; i++) {
        struct layer *layer = &layers.layer[i];
        layer->weights = numbers(dtype, layers.bytes);
        layer->matrix = tensor(dtype, rows, columns, !is_column && shape->is_linear, layer->weights);
        if (dtype != ACL_INT8)
            continue;
        layer->scales = numbers(ACL_FLOAT16, layers.scale_bytes);
        layer->scale = tensor(ACL_FLOAT16, rows / GROUP, columns, true, layer->scales);
    }
    layers.vector_memory = numbers(vectors, shape->depth * vector_bytes);
    layers.out_memory = numbers(vectors, (is_column ? rows : columns) * vector_bytes);
    layers.vector = tensor(vectors, is_column ? shape->depth : 1, is_column ? 1 : shape->depth, false,
                           layers.vector_memory);
    layers.out = tensor(vectors, shape->rows, shape->columns, false, layers.out_memory);
    return &layers;
}

static void release(struct layers *layers)
{
    for (int64_t i = 0; i < layers->count; i++) {
        struct layer *layer = &layers->layer[i];
        aclDestroyTensor(layer->matrix);
        aclrtFree(layer->weights);
        if (layer->scale == NULL)
            continue;
        aclDestroyTensor(layer->scale);
        aclrtFree(layer->scales);
    }
    aclDestroyTensor(layers->vector);
    aclDestroyTensor(layers->out);
    aclrtFree(layers->vector_memory);
    aclrtFree(layers->out_memory);
    if (layers->workspace)
        aclrtFree(layers->workspace);
}

static void run_calls(void *context, uint64_t repetitions)
{
    struct layers *layers = context;
    for (uint64_t i = 0; i < repetitions * (uint64_t)layers->count; i++) {
        const struct layer *layer = &layers->layer[i % (uint64_t)layers->count];
        const aclTensor *left = layers->is_column ? layer->matrix : layers->vector;
        const aclTensor *right = layers->is_column ? layers->vector : layer->matrix;
        uint64_t bytes;
        aclOpExecutor *executor;
        check(layers->dtype == ACL_INT8
                  ? aclnnWeightQuantBatchMatmulV2GetWorkspaceSize(left, right, layer->scale, NULL, NULL, NULL,
                                                                  NULL, GROUP, layers->out, &bytes, &executor)
                  : aclnnMmGetWorkspaceSize(left, right, layers->out, 0, &bytes, &executor),
              "phase 1");
        if (bytes > layers->workspace_bytes) {
            check(aclrtMalloc(&layers->workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
            layers->workspace_bytes = bytes;
        }
        check(layers->dtype == ACL_INT8
                  ? aclnnWeightQuantBatchMatmulV2(layers->workspace, bytes, executor, NULL)
                  : aclnnMm(layers->workspace, bytes, executor, NULL),
              "phase 2");
    }
    check(aclrtSynchronizeStream(NULL), "aclrtSynchronizeStream");
}

static uint64_t read_part(const struct reading *reading, const void *memory, int64_t bytes, int part,
                          int parts)
{
    const int64_t begin = bytes / parts * part / 256 * 256,
                  end = part + 1 == parts ? bytes : bytes / parts * (part + 1) / 256 * 256;
    const int64_t each = (end - begin) / reading->sources;
    const unsigned char *source[ROOFLINE_SOURCES];
    uint64_t word = 0;
    for (int k = 0; k < reading->sources; k++)
        source[k] = (const unsigned char *)memory + begin + k * each;
    reading->read(source, (unsigned char *)&word, (size_t)each);
    return word;
}

static void read_layers(void *context, int part, int parts)
{
    struct reading *reading = context;
    const struct layers *layers = reading->layers;
    uint64_t seen = 0;
    for (int64_t i = 0; i < layers->count; i++) {
        seen ^= read_part(reading, layers->layer[i].weights, layers->bytes, part, parts);
        if (layers->scale_bytes > 0)
            seen ^= read_part(reading, layers->layer[i].scales, layers->scale_bytes, part, parts);
    }
    __atomic_fetch_xor(&reading->seen, seen, __ATOMIC_RELAXED);
}

static void run_reading(void *context, uint64_t repetitions)
{
    crew_run(read_layers, context, repetitions);
}

static int choose_loops(roofline_copy **loop, int *sources)
{
    extern const struct roofline_kernels roofline_128;
    const struct roofline_kernels *kernels[2] = {&roofline_128};
    int count = 0;
#if defined(__x86_64__)
    extern const struct roofline_kernels roofline_256, roofline_512;
    if (__builtin_cpu_supports("avx2"))
        kernels[0] = &roofline_256;
    if (__builtin_cpu_supports("avx512f"))
        kernels[1] = &roofline_512;
#endif
    for (int k = 0; k < 2 && kernels[k] != NULL; k++)
        for (int s = 1; s <= ROOFLINE_SOURCES; s += ROOFLINE_SOURCES - 1) {
            sources[count] = s;
            loop[count++] = kernels[k]->read[s];
        }
    return count;
}

static void compare(const char *name, struct layers *layers, const struct measure_plan *plan)
{
    static struct variant variants[1 + LOOPS];
    struct reading reading[LOOPS];
    roofline_copy *loop[LOOPS];
    int sources[LOOPS];
    const int loops = choose_loops(loop, sources);
    variants[0] = (struct variant){.name = "calls", .run = run_calls, .context = layers};
    for (int i = 0; i < loops; i++) {
        reading[i] = (struct reading){.layers = layers, .read = loop[i], .sources = sources[i]};
        variants[1 + i] = (struct variant){.name = "reading", .run = run_reading, .context = &reading[i]};
    }
    const size_t rounds = (size_t)measure_rounds(variants, 1 + loops, plan);
    const double bytes = (double)(layers->count * (layers->bytes + layers->scale_bytes));
    int best = 1;
    for (int i = 2; i <= loops; i++)
        if (quartiles_of(variants[i].ns, rounds).median < quartiles_of(variants[best].ns, rounds).median)
            best = i;
    printf("| %s | %.1f | %.1f | %.2f |\n", name, bytes / quartiles_of(variants[0].ns, rounds).median,
           bytes / quartiles_of(variants[best].ns, rounds).median,
           ratio_of(variants[best].ns, variants[0].ns, rounds, 0).median);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *threads = getenv("BELAY_THREADS");
    const int count = threads ? atoi(threads) : 1;
    const struct measure_plan plan = {.rounds = ROUNDS,
                                      .sample_ns = 2e7,
                                      .budget_ns = 4e9,
                                      .rounds_min = 7,
                                      .threads = 2}; /* by the clock */
    check(aclInit(NULL), "aclInit");
    check(aclrtSetDevice(0), "aclrtSetDevice");
    crew_start(count);
    printf("GB/s of weights; %d thread%s\n\n| product | calls | reading | ratio |\n|---|---:|---:|---:|\n",
           count, count == 1 ? "" : "s");
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            const struct shape *shape = &shapes[s];
            char name[128];
            snprintf(name, sizeof name, "%s %lldx%lldx%lld%s", dtypes[d].name, (long long)shape->rows,
                     (long long)shape->depth, (long long)shape->columns,
                     shape->is_linear && shape->columns != 1 ? ", linear" : "");
            const bool is_there = dtypes[d].dtype != ACL_INT8 || (shape->is_linear && shape->columns != 1);
            if (!is_there || (argc > 1 && strstr(name, argv[1]) == NULL))
                continue;
            struct layers *layers = prepare(shape, dtypes[d].dtype, dtypes[d].bytes);
            compare(name, layers, &plan);
            release(layers);
        }
    return aclrtResetDevice(0) | aclFinalize();
}
