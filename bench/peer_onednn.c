/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * oneDNN 2 or 3 through its C API: the primitive is created once, a call is execute and wait.
 */
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

static dnnl_engine_t engine;
static dnnl_stream_t stream;

struct prepared {
    dnnl_primitive_t primitive;
    dnnl_memory_t memory[3];
    dnnl_exec_arg_t argument[3];
};

static void set_threads(int threads)
{
    /* oneDNN follows OpenMP, whose variable the benchmark sets before this process begins. */
    (void)threads;
}

static void release(void *bytes)
{
    struct prepared *prepared = bytes;
    if (prepared->primitive)
        dnnl_primitive_destroy(prepared->primitive);
    for (int i = 0; i < 3; i++)
        if (prepared->memory[i])
            dnnl_memory_destroy(prepared->memory[i]);
    free(prepared);
}

/* What is the same in both versions of the API: the algorithm and its two numbers; undefined where it has
 * none. */
static dnnl_alg_kind_t algorithm(const struct subject *subject, float *alpha, float *beta)
{
    *beta = 0;
    if (strcmp(subject->api, "aclnnSiluBackward") == 0) {
        *alpha = 1;
        return dnnl_eltwise_swish;
    }
    if (strcmp(subject->api, "aclnnHardswishBackward") == 0) {
        *alpha = 1.0f / 6;
        *beta = 0.5f;
        return dnnl_eltwise_hardswish;
    }
    *alpha = (float)subject->attribute[0];
    return strcmp(subject->api, "aclnnLeakyReluBackward") == 0 ? dnnl_eltwise_relu : dnnl_alg_kind_undef;
}

#if DNNL_VERSION_MAJOR >= 3
static dnnl_status_t create(const struct workload *workload, dnnl_data_type_t type, struct prepared *prepared)
{
    float alpha, beta;
    dnnl_alg_kind_t kind = algorithm(workload->subject, &alpha, &beta);
    dnnl_memory_desc_t description[3] = {NULL, NULL, NULL};
    dnnl_primitive_desc_t forward = NULL, backward = NULL;
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < 3 && !status; i++) {
        const dnnl_dims_t shape = {workload->count}, stride = {1};
        status = dnnl_memory_desc_create_with_strides(&description[i], 1, shape, type, stride);
        if (!status)
            status = dnnl_memory_create(&prepared->memory[i], description[i], engine, DNNL_MEMORY_NONE);
    }
    if (!status)
        status = dnnl_eltwise_forward_primitive_desc_create(
            &forward, engine, dnnl_forward_training, kind, description[0], description[0], alpha, beta, NULL);
    if (!status)
        status = dnnl_eltwise_backward_primitive_desc_create(&backward, engine, kind, description[2],
                                                             description[1], description[0], alpha, beta,
                                                             forward, NULL);
    if (!status)
        status = dnnl_primitive_create(&prepared->primitive, backward);
    if (forward)
        dnnl_primitive_desc_destroy(forward);
    if (backward)
        dnnl_primitive_desc_destroy(backward);
    for (int i = 0; i < 3; i++)
        if (description[i])
            dnnl_memory_desc_destroy(description[i]);
    return status;
}
#else
static dnnl_status_t create(const struct workload *workload, dnnl_data_type_t type, struct prepared *prepared)
{
    float alpha, beta;
    dnnl_alg_kind_t kind = algorithm(workload->subject, &alpha, &beta);
    dnnl_memory_desc_t description[3];
    dnnl_primitive_desc_t forward = NULL, backward = NULL;
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < 3 && !status; i++) {
        const dnnl_dims_t shape = {workload->count}, stride = {1};
        status = dnnl_memory_desc_init_by_strides(&description[i], 1, shape, type, stride);
        if (!status)
            status = dnnl_memory_create(&prepared->memory[i], &description[i], engine, DNNL_MEMORY_NONE);
    }
    dnnl_eltwise_desc_t operation;
    if (!status)
        status = dnnl_eltwise_forward_desc_init(&operation, dnnl_forward_training, kind, &description[0],
                                                alpha, beta);
    if (!status)
        status = dnnl_primitive_desc_create(&forward, &operation, NULL, engine, NULL);
    if (!status)
        status =
            dnnl_eltwise_backward_desc_init(&operation, kind, &description[1], &description[0], alpha, beta);
    if (!status)
        status = dnnl_primitive_desc_create(&backward, &operation, NULL, engine, forward);
    if (!status)
        status = dnnl_primitive_create(&prepared->primitive, backward);
    if (forward)
        dnnl_primitive_desc_destroy(forward);
    if (backward)
        dnnl_primitive_desc_destroy(backward);
    return status;
}
#endif

static void *prepare(const struct workload *workload)
{
    static const dnnl_data_type_t types[DTYPES] = {dnnl_f32, dnnl_f16, dnnl_bf16}; /* undef is 0 */
    static const int names[3] = {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC};
    static const enum operand operands[3] = {SECOND, FIRST, OUT};
    /* What is not contiguous would go to its reference code, which is not meant to be fast. */
    float alpha, beta;
    if (algorithm(workload->subject, &alpha, &beta) == dnnl_alg_kind_undef ||
        types[workload->dtype] == dnnl_data_type_undef || workload->view[OUT].rank != 1)
        return NULL;
    struct prepared *prepared = calloc(1, sizeof *prepared);
    if (!prepared)
        return NULL;
    if (create(workload, types[workload->dtype], prepared) != dnnl_success) {
        release(prepared);
        return NULL;
    }
    for (int i = 0; i < 3; i++) {
        int64_t offset = workload->view[operands[i]].offset * workload_dtype_bytes(workload->dtype);
        dnnl_memory_set_data_handle(prepared->memory[i], (char *)workload->memory[operands[i]] + offset);
        prepared->argument[i] = (dnnl_exec_arg_t){names[i], prepared->memory[i]};
    }
    return prepared;
}

static void run(void *bytes, uint64_t repetitions)
{
    struct prepared *prepared = bytes;
    for (uint64_t i = 0; i < repetitions; i++) {
        dnnl_primitive_execute(prepared->primitive, stream, 3, prepared->argument);
        dnnl_stream_wait(stream);
    }
}

__attribute__((visibility("default"))) const struct peer *bench_peer(void)
{
    static char version[32];
    static const struct peer onednn = {"onednn", version, set_threads, prepare, run, release};
    const dnnl_version_t *running = dnnl_version();
    snprintf(version, sizeof version, "%d.%d.%d", running->major, running->minor, running->patch);
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success ||
        dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) != dnnl_success)
        return NULL;
    return &onednn;
}
