/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One argument of belay eval: what the user wrote, and what the function gets of it.
 */
#ifndef BELAY_TOOLS_ARGUMENT_H
#define BELAY_TOOLS_ARGUMENT_H

#include "ops/call.h"
#include "tools/operand.h"

enum { CHOICES_TEXT = 128 };

struct given {
    const struct parameter *parameter;
    const char *text;        /* NULL where nothing is given */
    struct operand *operand; /* of a tensor, or a list's tensors; owned */
    size_t count;
    union argument argument; /* owned where it is a handle */
};

/* "none, mean, sum" into text, which has CHOICES_TEXT bytes; NULL where any number will do. */
const char *argument_choices(const struct parameter *parameter, char *text);

/* Whether plain numbers, or arrays that are written out, are all that is given where tensors are meant: their dtype
 * follows from other arguments. */
bool argument_is_plain_number(const struct given *given);

/* Reads everything but an output. number_dtype is that of tensors that are written out and say none; where it is not
 * known, that of the first in their list that says one. */
bool argument_read(struct given *given, aclDataType number_dtype, struct fault *fault);

/* The numbers of an array of integers that has been read, 64 at most; how many they are in *count. */
bool argument_integers(const struct given *given, int64_t value[64], size_t *count, struct fault *fault);

/* Creates what an output needs; like is the list that an output list is like, otherwise NULL. */
bool argument_create(struct given *given, const struct output *output, const struct given *like,
                     struct fault *fault);

/* Writes the tensors of an output, or of an input that the results took. */
bool argument_write(const struct given *given, struct fault *fault);

void argument_destroy(struct given *given);

#endif
