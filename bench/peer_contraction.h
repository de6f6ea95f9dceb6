/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What contraction.c asks of a peer: a shared object with one object of this type, peer_contraction.
 */
#ifndef BELAY_BENCH_PEER_CONTRACTION_H
#define BELAY_BENCH_PEER_CONTRACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = left @ right of contiguous matrices; of a layer bias + left @ right^T, with right (columns, depth).
 */
struct product {
    uint64_t rows, columns, depth;
    uint64_t batch; /* 0 is 1 */
    bool is_layer;
    aclDataType dtype;
};

struct peer_contraction {
    const char *name;
    void (*set_threads)(int count);
    void *(*create)(const struct product *product, void *left, void *right, void *bias); /* with an output */
    void (*run)(void *prepared);
    void (*destroy)(void *prepared);
};

extern const struct peer_contraction peer_contraction __attribute__((visibility("default")));

#ifdef __cplusplus
}
#endif

#endif
