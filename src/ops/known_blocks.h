/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Which plain matrices lie in blocks at which addresses. The storage of a tensor in FRACTAL_NZ says in how many
 * blocks its rows are, not how long they are, so that a view that begins within it (a row, a part of one, an
 * element) does not say which elements it is of. Who laid the tensor out does.
 */
#ifndef BELAY_OPS_KNOWN_BLOCKS_H
#define BELAY_OPS_KNOWN_BLOCKS_H

#include "tensor/blocks.h"

/* A function writes all of such a tensor, which lies so; the last few thousand addresses are kept. */
void known_blocks_keep(const struct tensor_description *whole, const struct blocks *blocks);

/*
 * How the tensor lies that begins at the view's data, where one of the same storage is known there, and the view
 * is of whole rows, or within the rows. Other matrices may have been copied there since: what is stored beside
 * the elements of those that are known must be zeros when they are read.
 */
bool known_blocks_find(const struct tensor_description *view, struct blocks *blocks);
bool known_blocks_fit(const struct blocks *blocks, const void *stored);

#endif
