/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop of functions that make the elements of an output by their row-major numbers: a function makes any
 * piece of them, of its parameters, the numbers, and elements of inputs; pieces are shared out to threads.
 * Layouts and the dtype of the output are the loop's.
 */
#ifndef BELAY_OPS_LOOPS_NUMBERED_H
#define BELAY_OPS_LOOPS_NUMBERED_H

#include "ops/call.h"
#include "ops/port.h"

/* Elements of a piece: pieces begin at multiples of it, and what is made of them is at most 16 bytes each. */
enum { NUMBERED_PIECE = 1024, NUMBERED_INPUTS = 4, NUMBERED_ROOM = 320, NUMBERED_WALKS = 3 };

struct numbered_walk;

/* Makes `count` elements from number `at` on. Reads what it needs of inputs first: elements may be theirs. */
typedef void numbered_function(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements);

struct numbered_input {
    struct port port;  /* as it is */
    bool is_by_number; /* of input and output the same numbers are read and made: it may be the output */
};

/* What a function makes, by its parameters. */
struct numbered_request {
    numbered_function *make;
    unsigned out;
    struct port port;       /* of the elements that are made: some of out, or all; in the dtype of make's */
    uint32_t element_ps;    /* picoseconds for an element, roughly */
    const void *parameters; /* copied: NUMBERED_ROOM at most */
    size_t parameter_bytes;
    unsigned input_count;
    struct numbered_input input[NUMBERED_INPUTS];
};

/* While the work runs. */
struct numbered_walk {
    const struct transfer *transfer;
    const void *parameters;
    const struct numbered_input *input;
    void *const *address;
};

/* Requests for the whole of an output, with an input that has its shape or broadcasts to it. */
struct numbered_request numbered_request(const struct call *call, unsigned out, numbered_function *make,
                                         aclDataType made);
void numbered_add_input(struct numbered_request *request, const struct call *call, unsigned parameter,
                        bool is_by_number);

/* An input of that broadcasts to the shape of the view. */
struct span numbered_broadcast(const struct tensor_view *input, const struct tensor_view *shape);

/* The end of phase 1: the requests run one behind the other. */
aclnnStatus numbered_plan(const struct call *call, const struct numbered_request *request, unsigned count);

int numbered_run(const void *plan, void *const *address, void *scratch);

/* Elements of an input from a number on, as they are or in another dtype. */
void numbered_read(const struct numbered_walk *walk, unsigned input, uint64_t at, uint64_t count, void *to);
void numbered_read_as(const struct numbered_walk *walk, unsigned input, uint64_t at, uint64_t count,
                      aclDataType dtype, void *to);

/* The first element of an input. */
static inline const unsigned char *numbered_first(const struct numbered_walk *walk, unsigned input)
{
    return walk->address[walk->input[input].port.address];
}

/* In the description of a function: how it runs. */
#define NUMBERED .operation.run = numbered_run

#endif
