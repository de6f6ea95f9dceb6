/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How the user names an array on the line: a file, with a dtype and a shape where the file does not say them.
 */
#ifndef BELAY_TOOLS_SPECIFICATION_H
#define BELAY_TOOLS_SPECIFICATION_H

#include "tools/array.h"

/* The parts of FILE:DTYPE:SHAPE. */
struct specification {
    char *path;        /* malloc'ed */
    aclDataType dtype; /* ACL_DT_UNDEFINED where it is not given */
    bool has_shape;
    uint32_t rank;
    int64_t shape[ARRAY_RANK_MAX];
};

/* The caller frees path when this is true. False for a suffix that is neither a dtype nor a shape. */
bool specification_parse(const char *text, struct specification *specification, struct fault *fault);

/*
 * Reads the array that text names: FILE, an .npy file; FILE:DTYPE, one that must hold this dtype, or 2-byte
 * integers that are BF16, or bytes that are floats of 8 bits; FILE:DTYPE:SHAPE, raw elements, SHAPE being 4x2, or empty for no dims; NUMBER or
 * NUMBER:DTYPE, an array without dims; [[1,2],[3,4]] or [1,2]:DTYPE, one that is written out; number_dtype is for
 * those without a dtype. A file that is called like a number has another name with its folder (./3). The caller
 * destroys the array.
 */
bool array_read(const char *text, aclDataType number_dtype, struct array *array, struct fault *fault);

#endif
