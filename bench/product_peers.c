/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The other libraries by what they export, of which no header is needed: oneDNN 3 has opaque handles and numbers.
 */
#include "product_peers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { CPU = 1, IN_ORDER = 1, BF16 = 2, SOURCE = 1, WEIGHTS = 33, DESTINATION = 17 }; /* oneDNN's numbers */
enum { ROW_MAJOR = 101, PLAIN = 111, TURNED = 112 };                                  /* CBLAS's */

struct exec_argument {
    int argument;
    void *memory;
};

static struct {
    int (*engine_create)(void **engine, int kind, size_t index);
    int (*stream_create)(void **stream, void *engine, unsigned flags);
    int (*desc_create)(void **desc, int rank, const int64_t *dims, int type, const int64_t *strides);
    int (*desc_destroy)(void *desc);
    int (*matmul_create)(void **made, void *engine, void *left, void *right, void *bias, void *out,
                         void *attr);
    int (*primitive_create)(void **primitive, void *made);
    int (*made_destroy)(void *made);
    int (*primitive_destroy)(void *primitive);
    int (*memory_create)(void **memory, void *desc, void *engine, void *handle);
    int (*memory_destroy)(void *memory);
    int (*execute)(void *primitive, void *stream, int count, const struct exec_argument *arguments);
    int (*wait)(void *stream);
} onednn;
static void *engine, *stream;
static void (*sgemm)(int order, int left_turned, int right_turned, int rows, int columns, int depth,
                     float alpha, const float *left, int left_step, const float *right, int right_step,
                     float beta, float *out, int out_step);

struct peer_call {
    struct product_shape shape;
    void *matrix[PRODUCT_MATRICES];
    void *primitive;
    struct exec_argument argument[PRODUCT_MATRICES];
};

/* By the name, or with the prefix of SciPy's build of OpenBLAS. */
static bool find(void *library, void *function, const char *name)
{
    char prefixed[128];
    snprintf(prefixed, sizeof prefixed, "scipy_%s", name);
    void *found = dlsym(library, name);
    if (!found)
        found = dlsym(library, prefixed);
    memcpy(function, &found, sizeof found); /* ISO C has no cast from object to function */
    return found != NULL;
}

static void *load_openblas(const char *path, int threads)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void (*set_threads)(int);
    char *(*core)(void);
    if (!library || !find(library, &sgemm, "cblas_sgemm") ||
        !find(library, &set_threads, "openblas_set_num_threads") ||
        !find(library, &core, "openblas_get_corename")) {
        fprintf(stderr, "product_speed: no OpenBLAS in %s\n", path);
        return NULL;
    }
    set_threads(threads);
    fprintf(stderr, "OpenBLAS's kernel: %s\n", core());
    return library;
}

static void *load_onednn(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct {
        void *function;
        const char *name;
    } names[] = {
        {&onednn.engine_create, "dnnl_engine_create"},
        {&onednn.stream_create, "dnnl_stream_create"},
        {&onednn.desc_create, "dnnl_memory_desc_create_with_strides"},
        {&onednn.desc_destroy, "dnnl_memory_desc_destroy"},
        {&onednn.matmul_create, "dnnl_matmul_primitive_desc_create"},
        {&onednn.primitive_create, "dnnl_primitive_create"},
        {&onednn.made_destroy, "dnnl_primitive_desc_destroy"},
        {&onednn.primitive_destroy, "dnnl_primitive_destroy"},
        {&onednn.memory_create, "dnnl_memory_create"},
        {&onednn.memory_destroy, "dnnl_memory_destroy"},
        {&onednn.execute, "dnnl_primitive_execute"},
        {&onednn.wait, "dnnl_stream_wait"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!library || !find(library, names[i].function, names[i].name)) {
            fprintf(stderr, "product_speed: no oneDNN 3 in %s\n", path);
            return NULL;
        }
    if (onednn.engine_create(&engine, CPU, 0) != 0 || onednn.stream_create(&stream, engine, IN_ORDER) != 0) {
        fprintf(stderr, "product_speed: oneDNN does not start\n");
        return NULL;
    }
    return library;
}

struct product_peers product_peers_load(const char *openblas, const char *onednn_path, int threads)
{
    return (struct product_peers){openblas ? load_openblas(openblas, threads) : NULL,
                                  onednn_path ? load_onednn(onednn_path) : NULL};
}

static void run_sgemm(void *context, uint64_t repetitions)
{
    const struct peer_call *call = context;
    const struct product_shape *shape = &call->shape;
    const int rows = (int)shape->rows, columns = (int)shape->columns, depth = (int)shape->depth;
    for (uint64_t i = 0; i < repetitions; i++)
        for (int64_t b = 0; b < shape->batch; b++)
            sgemm(ROW_MAJOR, shape->is_left_turned ? TURNED : PLAIN, shape->is_right_turned ? TURNED : PLAIN,
                  rows, columns, depth, 1, (const float *)call->matrix[0] + b * rows * depth,
                  shape->is_left_turned ? rows : depth, (const float *)call->matrix[1] + b * depth * columns,
                  shape->is_right_turned ? depth : columns, 0, (float *)call->matrix[2] + b * rows * columns,
                  columns);
}

static void run_matmul(void *context, uint64_t repetitions)
{
    const struct peer_call *call = context;
    for (uint64_t i = 0; i < repetitions; i++)
        if (onednn.execute(call->primitive, stream, PRODUCT_MATRICES, call->argument) != 0 ||
            onednn.wait(stream) != 0) {
            fprintf(stderr, "product_speed: oneDNN's product fails\n");
            exit(2);
        }
}

void (*const product_peer_run[PRODUCT_PEERS])(void *, uint64_t) = {run_sgemm, run_matmul};

static bool prepare_matmul(struct peer_call *call)
{
    static const int arguments[PRODUCT_MATRICES] = {SOURCE, WEIGHTS, DESTINATION};
    const struct product_shape *shape = &call->shape;
    const int64_t m = shape->rows, n = shape->columns, k = shape->depth;
    const int64_t dims[PRODUCT_MATRICES][3] = {
        {shape->batch, m, k}, {shape->batch, k, n}, {shape->batch, m, n}};
    const bool is_turned[PRODUCT_MATRICES] = {shape->is_left_turned, shape->is_right_turned, false};
    const int skip = shape->batch == 1;
    void *desc[PRODUCT_MATRICES] = {NULL}, *made = NULL;
    int status = 0;
    for (int i = 0; i < PRODUCT_MATRICES && status == 0; i++) {
        const int64_t *size = dims[i];
        const int64_t strides[] = {size[1] * size[2], is_turned[i] ? 1 : size[2], is_turned[i] ? size[1] : 1};
        status = onednn.desc_create(&desc[i], 3 - skip, size + skip, BF16, strides + skip);
        call->argument[i].argument = arguments[i];
        if (status == 0)
            status = onednn.memory_create(&call->argument[i].memory, desc[i], engine, call->matrix[i]);
    }
    if (status == 0)
        status = onednn.matmul_create(&made, engine, desc[0], desc[1], NULL, desc[2], NULL);
    if (status == 0)
        status = onednn.primitive_create(&call->primitive, made);
    if (made)
        onednn.made_destroy(made);
    for (int i = 0; i < PRODUCT_MATRICES; i++)
        if (desc[i])
            onednn.desc_destroy(desc[i]);
    return status == 0;
}

void *product_peer_prepare(const struct product_peers *peers, enum product_peer peer,
                           const struct product_shape *shape,
                           void (*fill)(void *memory, enum product_dtype dtype, size_t count))
{
    const enum product_dtype dtype = peer == PEER_OPENBLAS ? PRODUCT_FP32 : PRODUCT_BF16;
    const size_t count[PRODUCT_MATRICES] = {(size_t)(shape->batch * shape->rows * shape->depth),
                                            (size_t)(shape->batch * shape->depth * shape->columns),
                                            (size_t)(shape->batch * shape->rows * shape->columns)};
    if ((peer == PEER_OPENBLAS ? peers->openblas : peers->onednn) == NULL)
        return NULL;
    struct peer_call *call = calloc(1, sizeof *call);
    call->shape = *shape;
    for (int i = 0; i < PRODUCT_MATRICES; i++) {
        call->matrix[i] = aligned_alloc(64, (count[i] * product_bytes(dtype) + 63) / 64 * 64);
        fill(call->matrix[i], dtype, count[i]);
    }
    if (peer == PEER_OPENBLAS || prepare_matmul(call))
        return call;
    product_peer_release(peers, peer, call);
    return NULL;
}

void product_peer_release(const struct product_peers *peers, enum product_peer peer, void *context)
{
    struct peer_call *call = context;
    (void)peers, (void)peer;
    if (call->primitive)
        onednn.primitive_destroy(call->primitive);
    for (int i = 0; i < PRODUCT_MATRICES; i++) {
        if (call->argument[i].memory)
            onednn.memory_destroy(call->argument[i].memory);
        free(call->matrix[i]);
    }
    free(call);
}
