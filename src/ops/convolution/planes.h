/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Channels of a side as floats in which every step of a kernel is a shift.
 *
 * Element j + shift of a plane is element (j + shift) * step + residue of the side, or 0 where that is
 * padding; a kernel whose offsets have several residues has a plane for each. So the elements that a step of
 * the kernel takes for positions side by side lie side by side, over the ends of rows too: the zeros between
 * two rows belong to both. Positions of a tile are columns: j along the last axis, rows at a pitch, and
 * images.
 */
#ifndef BELAY_OPS_CONVOLUTION_PLANES_H
#define BELAY_OPS_CONVOLUTION_PLANES_H

#include "ops/convolution/geometry.h"
#include "ops/transfer.h"

struct planes_axis {
    int64_t in, count;      /* elements of the side; positions */
    int64_t step;           /* elements of the side from position to position */
    int64_t first, reach;   /* the least shift, and how many more there are */
    int64_t phases;         /* planes along this axis */
    int64_t dilation, base; /* phase m has the residue of m * dilation + base */
};

/* Tiles: so many images, or so many positions of an image along the axis that is cut. */
struct planes {
    struct planes_axis axis[CONVOLUTION_AXES];
    uint32_t cut;
    uint64_t images, rows;            /* of a tile, at most */
    uint64_t tiles_batch, tiles_rows; /* how many there are */
    int64_t pitch[CONVOLUTION_AXES];  /* columns from position to position */
    int64_t image;                    /* and from image to image */
    int64_t span, floats;             /* of one plane: used, and from plane to plane */
    int64_t planes;                   /* of a channel */
};

/* A tile: images and positions along the cut axis. */
struct planes_tile {
    uint64_t image, images, row, rows;
    int64_t columns; /* from the first position to the last */
};

/* Planes of the large side for small positions, and of the small side for large ones, phase by phase. */
void planes_of_large(const struct geometry *geometry, struct planes *planes);
void planes_of_small(const struct geometry *geometry, struct planes *planes);

/* A side as it is: columns are its elements. */
void planes_of_side(const int64_t *size, struct planes *planes);

/* Chooses the axis that is cut: the first that has positions to cut. */
void planes_choose_cut(struct planes *planes);

/* Sets how large a tile is, and what follows. */
void planes_choose_tile(struct planes *planes, int64_t batch, uint64_t images, uint64_t rows);

/* Positions of an image. */
uint64_t planes_positions(const struct planes *planes);

struct planes_tile planes_tile_at(const struct planes *planes, int64_t batch, uint64_t number);

/* Floats that so many channels take, with what the last panel reads beyond them; or SCRATCH_MOST. */
uint64_t planes_floats(const struct planes *planes, uint64_t channels);

/* Fills planes of so many channels; first is the side's first element of these channels. */
void planes_fill(const struct planes *planes, const struct planes_tile *tile, const struct side *side,
                 const unsigned char *first, uint64_t channels, const struct transfer *transfer, float *to);

/* Elements of a side that are so far apart, as floats. */
void planes_read(const struct transfer *transfer, const unsigned char *from, const struct side *side,
                 int64_t stride, int64_t count, float *to);

#endif
