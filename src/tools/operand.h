/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor argument of belay eval: what the user wrote, the array that it names, and the tensor made of it.
 */
#ifndef BELAY_TOOLS_OPERAND_H
#define BELAY_TOOLS_OPERAND_H

#include "aclnn/acl_meta.h"
#include "tools/array.h"

struct operand {
    char *path; /* of an output, malloc'ed; NULL when it is to be printed */
    struct array array;
    void *memory; /* on the device */
    aclTensor *tensor;
};

/* The last sentence of the library, with the code in front of it; status 0 when there is no code. False. */
bool fault_from_library(struct fault *fault, int status);

/* An input, named as specification.h says. On failure the operand holds what there is, to be destroyed. */
bool operand_read(struct operand *operand, const char *text, aclDataType number_dtype, struct fault *fault);

/* An output: NULL, FILE, FILE:DTYPE or FILE:DTYPE:SHAPE, with dtype and shape of predicted where not given.
 */
bool operand_create(struct operand *operand, const char *text, const struct array *predicted,
                    struct fault *fault);

/* Where to write an input that becomes the output: NULL or FILE, whose dtype and shape are what they are. */
bool operand_name_file(struct operand *operand, const char *text, struct fault *fault);

/* Copies an output from the device and writes it to its file, or prints it. */
bool operand_write(struct operand *operand, struct fault *fault);

/* Accepts an operand that is all zero or half made. */
void operand_destroy(struct operand *operand);

#endif
