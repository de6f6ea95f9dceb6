/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Work along one axis of a tensor after the other, by places and weights that are counted on the host: edges
 * that continue a tensor, sizes of images, products.
 */
#ifndef BELAY_OPS_BY_NAME_ALONG_H
#define BELAY_OPS_BY_NAME_ALONG_H

#include "ops/by_name/run.h"

/* Tensors of the program's own that this uses: those behind t6; ALONG_PART is two of them. */
enum {
    ALONG_PLACES = 7,
    ALONG_LOW,
    ALONG_HIGH,
    ALONG_SHARES,
    ALONG_ROOM,
    ALONG_OTHER,
    ALONG_SUM,
    ALONG_PART
};

/* An own tensor of one dim with these elements, on the device. */
int along_upload(struct run *run, int own, aclDataType dtype, int64_t count, const void *elements);

/* An own tensor of zeros like an operand, of another size along an axis. */
int along_zeros(struct run *run, int own, const struct named_operand *like, int32_t axis, int64_t size);

/* What a step takes and leaves: the word of the tensor that it reads, and that of what it writes, the last
 * step the operand, others a part of the program's own. */
struct along {
    struct run *run;
    char from[16], to[16];
    const char *target;
    int32_t steps, step;
};
void along_begin(struct along *along, struct run *run, const char *to, const char *from, int32_t steps);
void along_next(struct along *along);
void along_end_of_step(struct along *along);

#endif
