/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of vllm-ascend's own library of kernels, which launch code for a device. They are called by name
 * from another library, so that those of this one, which is preloaded, come first: libatb.so computes what they
 * are for. (Those that are not here launch, and the launch fails in its stream.)
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* As atb/lora.h has it. */
struct lora_call {
    void *x, *weight, *indices, *lengths, *y;
};
typedef void shrink_function(int32_t, void *, const struct lora_call *, uint32_t, uint32_t, uint32_t,
                             uint32_t, float);
typedef void expand_function(int32_t, void *, const struct lora_call *, uint32_t, uint32_t, uint32_t,
                             uint32_t, uint32_t, uint32_t);

#pragma GCC visibility push(default)
void bgmv_shrink(
    int32_t type, void *stream, void *x, void *weight, void *indices, uint32_t index_count, void *y,
    uint32_t rows, uint32_t rows_of_core, uint32_t hidden, uint32_t rank,
    float scale) __asm__("_ZN11vllm_ascend16bgmv_shrink_implENS_10AscendTypeEPvS1_S1_S1_jS1_jjjjf");
void bgmv_expand(
    int32_t type, void *stream, void *x, void *weight, void *indices, uint32_t index_count, void *y,
    void *out, uint32_t rows, uint32_t rows_of_core, uint32_t rank, uint32_t hidden, uint32_t offset,
    uint32_t whole) __asm__("_ZN11vllm_ascend16bgmv_expand_implENS_10AscendTypeEPvS1_S1_S1_jS1_S1_jjjjjj");
void sgmv_shrink(
    int32_t type, void *stream, void *x, void *weight, void *indices, uint32_t index_count, void *lengths,
    uint32_t length_count, void *y, uint32_t rows, uint32_t rows_of_core, uint32_t hidden, uint32_t rank,
    float scale) __asm__("_ZN11vllm_ascend16sgmv_shrink_implENS_10AscendTypeEPvS1_S1_S1_jS1_jS1_jjjjf");
void sgmv_expand(
    int32_t type, void *stream, void *x, void *weight, void *indices, uint32_t index_count, void *lengths,
    uint32_t length_count, void *y, void *out, uint32_t rows, uint32_t rows_of_core, uint32_t rank,
    uint32_t hidden, uint32_t offset,
    uint32_t
        whole) __asm__("_ZN11vllm_ascend16sgmv_expand_implENS_10AscendTypeEPvS1_S1_S1_jS1_jS1_S1_jjjjjj");
#pragma GCC visibility pop

/*
 * What libatb.so has, which lies beside this library. Where it does not, a kernel is launched that nobody could
 * load, which fails in the stream.
 */
static bool find(const char *name, void *stream, void *function, size_t bytes)
{
    void *library = dlopen("libatb.so", RTLD_NOW | RTLD_LOCAL);
    void *address = library != NULL ? dlsym(library, name) : NULL;
    if (address != NULL) {
        memcpy(function, &address, bytes);
        return true;
    }
    int (*launch)(void *, uint32_t, void *, void *, void *, size_t, void *, size_t) = NULL;
    address = dlsym(RTLD_DEFAULT, "aclrtLaunchKernelWithHostArgs");
    memcpy(&launch, &address, sizeof launch);
    if (launch != NULL)
        launch(NULL, 0, stream, NULL, NULL, 0, NULL, 0);
    return false;
}

void bgmv_shrink(int32_t type, void *stream, void *x, void *weight, void *indices, uint32_t index_count,
                 void *y, uint32_t rows, uint32_t rows_of_core, uint32_t hidden, uint32_t rank, float scale)
{
    sgmv_shrink(type, stream, x, weight, indices, index_count, NULL, 0, y, rows, rows_of_core, hidden, rank,
                scale);
}

void bgmv_expand(int32_t type, void *stream, void *x, void *weight, void *indices, uint32_t index_count,
                 void *y, void *out, uint32_t rows, uint32_t rows_of_core, uint32_t rank, uint32_t hidden,
                 uint32_t offset, uint32_t whole)
{
    sgmv_expand(type, stream, x, weight, indices, index_count, NULL, 0, y, out, rows, rows_of_core, rank,
                hidden, offset, whole);
}

void sgmv_shrink(int32_t type, void *stream, void *x, void *weight, void *indices, uint32_t index_count,
                 void *lengths, uint32_t length_count, void *y, uint32_t rows, uint32_t rows_of_core,
                 uint32_t hidden, uint32_t rank, float scale)
{
    shrink_function *shrink;
    const struct lora_call call = {x, weight, indices, lengths, y};
    const uint32_t count = lengths != NULL && length_count < index_count ? length_count : index_count;
    (void)rows_of_core;
    if (find("belay_lora_shrink", stream, &shrink, sizeof shrink))
        shrink(type, stream, &call, count, rows, hidden, rank, scale);
}

/* y and out are the same memory. */
void sgmv_expand(int32_t type, void *stream, void *x, void *weight, void *indices, uint32_t index_count,
                 void *lengths, uint32_t length_count, void *y, void *out, uint32_t rows,
                 uint32_t rows_of_core, uint32_t rank, uint32_t hidden, uint32_t offset, uint32_t whole)
{
    expand_function *expand;
    const struct lora_call call = {x, weight, indices, lengths, out};
    const uint32_t count = lengths != NULL && length_count < index_count ? length_count : index_count;
    (void)rows_of_core, (void)y;
    if (find("belay_lora_expand", stream, &expand, sizeof expand))
        expand(type, stream, &call, count, rows, rank, hidden, offset, whole);
}
