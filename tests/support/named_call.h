/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls of operators by name that are written as text, with the results that are expected.
 */
#ifndef BELAY_TESTS_NAMED_CALL_H
#define BELAY_TESTS_NAMED_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"

enum { OPERANDS = 24, ELEMENTS = 512, RANK = 8 };

/* Operands are "f 2,3: 1 2 3 4 5 6": a dtype (f FLOAT, h FLOAT16, i INT32, l INT64, b BOOL, u UINT8), dims,
 * "-" for none, and elements. H before it: memory of the host; =1: an output in the place of input 1; *: one
 * that is not compared; N: of the format NHWC or NDHWC; K: of HWCN. Attributes are "name:kind=value", kinds i,
 * b, f, s, I for a list and F for one of floats. */
struct row {
    const char *kind, *inputs, *attributes, *outputs;
};

struct operand {
    bool is_left_out, is_on_host, is_any, is_in_place;
    int of; /* the input whose place it takes */
    aclDataType dtype;
    aclFormat format;
    int rank;
    int64_t dims[RANK], count;
    double value[ELEMENTS];
    size_t bytes;
    void *memory;
    aclTensorDesc *desc;
    aclDataBuffer *buffer;
};

struct call {
    int inputs, outputs;
    struct operand *in, *out;
    aclopAttr *attr;
};

/* The operands are in memory as the row says, outputs filled with something else. */
void open_call(const struct row *row, struct call *call);

/* With so many of the inputs; what aclopCompileAndExecuteV2 answers. */
int execute(const char *kind, const struct call *call, int inputs, aclrtStream stream);

/* By a handle, which outlives what it was made of and is not needed by what it has queued. */
int execute_by_handle(const char *kind, struct call *call, aclrtStream stream);

/* What the call was given of the host is gone. */
void take_away(struct call *call);

/* 0, or 1 with a message: whether the output is what the row expects of it. */
int compare(const struct row *row, const struct operand *out);

void close_call(struct call *call);

#endif
