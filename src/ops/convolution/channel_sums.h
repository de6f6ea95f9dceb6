/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sum of each channel of a side, which is the gradient of a bias, in DOUBLE and rounded once: image by
 * image, each of which is cut into pieces of CHANNEL_PIECE positions that kernels.h adds up.
 */
#ifndef BELAY_OPS_CONVOLUTION_CHANNEL_SUMS_H
#define BELAY_OPS_CONVOLUTION_CHANNEL_SUMS_H

#include "ops/convolution/kernels.h"
#include "ops/convolution/planes.h"

enum { CHANNEL_PIECE = 1024 };

struct channel_sums {
    int64_t batch, channels, size[CONVOLUTION_AXES];
    struct side side;
    aclDataType dtype; /* of the output */
    uint32_t bytes, address;
    int64_t stride;
    const struct convolution_kernels *kernels;
    const struct transfer *transfer;
};

void channel_sums_run(const struct channel_sums *plan, void *const *address, const unsigned char *side);

#endif
