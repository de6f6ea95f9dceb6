/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that are made for a kernel, one for a statement of its text: they stand between it and
 * libbelay_kernel.so, which takes any shape and type. Each is declared in the text, and written in LLVM's language
 * behind what the text has become.
 */
#ifndef BELAY_TOOLS_TRITON_MADE_H
#define BELAY_TOOLS_TRITON_MADE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/triton/text.h"

enum made_kind {
    MADE_CHECK_LOAD,  /* (view): the view's elements are memory of the tensor that it belongs to */
    MADE_CHECK_STORE, /* the same, to be written */
    MADE_COPY_INSIDE, /* (view, memref): copies what is inside, and 0 for all else */
    MADE_LOAD_INSIDE, /* (view of one element) -> element: 0 where it is not inside */
    MADE_STORE_WHERE, /* (mask, value, view): stores the elements whose mask is true */
    MADE_READ,        /* (view, memref) -> memref: the view, checked, or the memref, with a copy of it */
    MADE_REACH        /* (i64) -> memref: memory at an address that the kernel has read */
};

struct made {
    enum made_kind kind;
    char type[3][VIEW_BYTES]; /* of the parameters; of MADE_REACH the result's is the first */
    char place[PLACE_BYTES];
};

/* Of one kernel. */
struct made_list {
    struct made *made; /* owned */
    unsigned count;
    bool is_full; /* there was no memory */
};

/* A new one's number, with the place of the statement. */
unsigned made_add(struct made_list *list, enum made_kind kind, const char *line);

/* The declarations from that number on, for the text. */
void made_declare(const struct made_list *list, unsigned first, FILE *to);

/* The functions, in LLVM's language. */
void made_write(const struct made_list *list, FILE *to);

/* The bytes of an element, and LLVM's type; 0 for a type that has no memory. */
struct element {
    uint32_t rank, bytes;
    const char *llvm;
};
struct element element_of(const char *type);

#endif
