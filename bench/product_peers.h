/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of matrices by other libraries, as product_speed.c measures them: OpenBLAS's sgemm, matrix by matrix,
 * and oneDNN's matmul of BFLOAT16. Each is opened at run time from a file; none need be there.
 */
#ifndef BELAY_BENCH_PRODUCT_PEERS_H
#define BELAY_BENCH_PRODUCT_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum product_dtype { PRODUCT_FP32, PRODUCT_FP16, PRODUCT_BF16, PRODUCT_DTYPES };
enum product_peer { PEER_OPENBLAS, PEER_ONEDNN, PRODUCT_PEERS };
enum { PRODUCT_MATRICES = 3 };

struct product_shape {
    const char *name;
    int64_t batch, rows, columns, depth;
    bool is_left_turned, is_right_turned; /* its dims are exchanged in memory */
    bool is_in_blocks;                    /* the right one is in FRACTAL_NZ; for peers it is plain */
};

static inline size_t product_bytes(enum product_dtype dtype)
{
    return dtype == PRODUCT_FP32 ? 4 : 2;
}

/* An ordinary number; of 16 bits it is cut off. */
static inline void product_store(void *memory, enum product_dtype dtype, size_t i, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t half = (uint16_t)(bits >> 16);
    if (dtype == PRODUCT_FP16) {
        const uint32_t exponent = bits >> 23 & 0xff;
        half = (uint16_t)(exponent < 113
                              ? 0
                              : (bits >> 16 & 0x8000) | (exponent - 112) << 10 | (bits >> 13 & 0x3ff));
    }
    if (dtype == PRODUCT_FP32)
        memcpy((unsigned char *)memory + i * 4, &value, 4);
    else
        memcpy((unsigned char *)memory + i * 2, &half, 2);
}

struct product_peers {
    void *openblas, *onednn;
};

/* Files, or NULL; says on standard error what is there, and which kernel OpenBLAS has chosen. */
struct product_peers product_peers_load(const char *openblas, const char *onednn, int threads);

/* NULL where the library is not there. fill writes ordinary numbers. */
void *product_peer_prepare(const struct product_peers *peers, enum product_peer peer,
                           const struct product_shape *shape,
                           void (*fill)(void *memory, enum product_dtype dtype, size_t count));
extern void (*const product_peer_run[PRODUCT_PEERS])(void *context, uint64_t repetitions);
void product_peer_release(const struct product_peers *peers, enum product_peer peer, void *context);

#endif
