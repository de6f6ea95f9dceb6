/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The operands of the rows of contract.h: read from their text, and made.
 */
#ifndef BELAY_TESTS_OPS_CONTRACT_OPERAND_H
#define BELAY_TESTS_OPS_CONTRACT_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aclnn/acl_meta.h"

enum { DIMS_MAX = 26 };

/* One operand of one row: its text, parsed, and what was made of it. */
struct operand {
    aclDataType dtype;
    size_t element_bytes;
    int rank;
    int64_t shape[DIMS_MAX];
    int64_t stride[DIMS_MAX];
    int64_t offset;
    int64_t count;
    int shares; /* the operand whose memory this one uses, or -1 */
    bool has_no_data, is_odd, is_short, is_host, is_pinned, is_freed, is_interior, is_tame, is_benign,
        is_minute;
    unsigned char *block;  /* owned unless it is shared */
    unsigned char *data;   /* the raw address that the tensor is given */
    unsigned char *before; /* host copy of the memory behind data before the run, span bytes */
    size_t span;
    aclTensor *tensor;
    bool is_live;
};

/*
 * Makes the operand, one of all, that the text stands for; a failed test when it cannot be read. Inputs are
 * filled with values, an output with a pattern. The caller destroys the ones that are live, the last first.
 */
void operand_create(struct operand *all, struct operand *operand, const char *text, bool is_output);
void operand_destroy(struct operand *operand);

/* The dtype that the first length characters of the text name; a failed test when they name none. */
aclDataType dtype_named(const char *text, size_t length);

bool dtype_is_real(aclDataType dtype);

#endif
