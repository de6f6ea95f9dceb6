/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Recurrent networks: layers of LSTM or GRU cells over the steps of sequences, in one direction or both.
 *
 * Everything between the tensors of a call is FLOAT in one scratch: the products of all steps' inputs with
 * the weights at once, then step by step those of the states, and the gates of a step element by element.
 * Products are contractions and the gates are formulas of single elements, so that the bits of a result
 * depend on shapes alone. Where tensors have 16 bits, h and c are rounded to them after each step, and the
 * rounded ones go on, so that the backward pass has what the next step saw.
 */
#ifndef BELAY_OPS_RECURRENT_RECURRENT_H
#define BELAY_OPS_RECURRENT_RECURRENT_H

#include "ops/contraction/contraction.h"
#include "ops/function.h"
#include "ops/recurrent/cell.h"

/* A tensor of a call; an absent one has no address. */
struct place {
    uint32_t address;
    bool is_given;
    int64_t stride[3]; /* elements; of a matrix or vector the last ones, and 0 before */
};

enum { WEIGHT_INPUT, WEIGHT_STATE, BIAS_INPUT, BIAS_STATE, WEIGHTS };

/* One direction of one layer; the lists in the order of the cell's enum. */
struct direction {
    struct place weight[WEIGHTS], gradient[WEIGHTS];
    struct place list[CELL_LISTS];
};

/* The plan. Sequences are (step, batch, element), states (layer and direction, batch, element). */
struct network {
    enum cell_kind cell;
    bool is_backward, has_bias, is_exact;
    bool has_lists; /* of the forward pass: the lists are written */
    aclDataType dtype;
    uint32_t bytes; /* of an element */
    uint32_t layers, directions, gates;
    uint64_t steps, batch, inputs, hidden;
    enum isa_level level;
    uint32_t threads;
    struct place sequence, result;  /* input and output; backward: input and its gradient */
    struct place start[2], end[2];  /* h and c: given before the first step, and after the last one */
    struct place output_gradient;   /* backward: of output; end is what is given, of hy and cy, */
    struct place start_gradient[2]; /* and this what comes out */
    struct place batch_sizes;       /* of the sequences that are still there in a step */
    uint64_t cost_ns;
    struct direction direction[]; /* [layer * directions + direction] */
};

/*
 * Where what is in the scratch lies. A dry run, without a scratch, does everything but read and write, and
 * finds out how long it is: so both cannot differ.
 */
struct memory {
    float *sequence[2]; /* (steps * batch, width of a layer): what goes into it and what comes out; backward:
                           the gradients of both, what comes out first; of the only layer perhaps the
                           tensors themselves, and so the input */
    float *input;       /* backward: what went into the layer */
    float *earlier;     /* backward: the states before each step, (steps * batch, hidden); perhaps where the
                           gradient of what went into the layer will be */
    float *gates[2];    /* (steps * batch, width of the gates); of GRU also of_state: of all steps backward */
    float *weight;      /* of the states, its rows weight_step apart */
    float *bias[2], *one;
    float *state[2];      /* h and c, or their gradients */
    int64_t *batch_size;  /* of each step: the sequences that are still there */
    void *const *address; /* of the call; none in a dry run */
    unsigned char *work;  /* of contractions */
    uint64_t weight_step, gates_step;
    size_t bytes, work_bytes;
    bool is_dry;
};

/*
 * Whether the states before each step have room where the gradient of what went into a layer is written behind them:
 * the tensor of the only layer may be too narrow, and a second direction adds to the gradient.
 */
static inline bool earlier_is_where_gradient_goes(const struct network *network)
{
    return network->directions == 1 && (network->layers > 1 || network->inputs >= network->hidden);
}

/* The width of a row of gates: all gates of a direction. */
static inline uint64_t network_width(const struct network *network)
{
    return network->gates * network->hidden;
}

static inline uint64_t inputs_of(const struct network *network, uint32_t layer)
{
    return layer == 0 ? network->inputs : network->directions * network->hidden;
}

/* A matrix of the products below. */
struct matrix {
    const void *first;
    aclDataType dtype;
    int64_t stride[2]; /* elements: row, column */
};

/* out = left @ right (+ addend), of rows x depth and depth x columns. */
struct multiply {
    uint64_t rows, columns, depth;
    bool has_addend;
    struct matrix left, right, addend, out;
};

/* One of a step is prepared once, and runs with other addresses each time. */
void multiply_prepare(const struct network *network, struct memory *memory, const struct multiply *product,
                      struct contraction *plan);
void multiply_repeat(const struct memory *memory, const struct multiply *product,
                     const struct contraction *plan);
void multiply_run(const struct network *network, struct memory *memory, const struct multiply *product);

/* Copies (outer, inner, elements) to or from floats, whose rows lie float_step apart. */
struct rows {
    const struct place *place;
    uint64_t first; /* of the outer index */
    uint64_t outer, inner, elements;
    float *floats;
    uint64_t float_step; /* from an inner row to the next; outer * inner of them */
};
void rows_load(const struct network *network, const struct memory *memory,
               struct rows rows); /* absent: zeros */
void rows_store(const struct network *network, const struct memory *memory, struct rows rows);

/* The row of a place where these indices lead; NULL of an absent one. */
static inline unsigned char *place_at(const struct network *network, const struct memory *memory,
                                      const struct place *place, uint64_t i, uint64_t j)
{
    return !place->is_given ? NULL
                            : (unsigned char *)memory->address[place->address] +
                                  ((int64_t)i * place->stride[0] + (int64_t)j * place->stride[1]) *
                                      (int64_t)network->bytes;
}

/*
 * Takes memory from the scratch, NULL of none, and a line more than is asked for, as kernels read a vector
 * behind the end. A length that cannot be makes it SIZE_MAX long, which nobody has.
 */
void *memory_take(struct memory *memory, unsigned char *scratch, uint64_t count, size_t bytes);
uint64_t memory_times(uint64_t a, uint64_t b); /* for a count, as impossible where it overflows */

/* From row to row of so many floats: rows that are a multiple of the caches' sets apart push one another out.
 */
uint64_t memory_row_step(uint64_t floats);

/* For struct operation. */
size_t network_work_bytes(const void *plan);
int network_run(const void *plan, void *const *address, void *scratch);

void run_forward(const struct network *network, struct memory *memory);
void run_backward(const struct network *network, struct memory *memory);

/* The kernels of the plan's level. */
const struct cell_kernels *network_kernels(const struct network *network);

#endif
