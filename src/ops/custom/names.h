/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the parameters of an operator of a project are called in the function that is made of it, and their order: inputs,
 * attributes, outputs. The command that writes the header and the library that reads the calls share it.
 */
#ifndef BELAY_OPS_CUSTOM_NAMES_H
#define BELAY_OPS_CUSTOM_NAMES_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "register/belay_operator.h"

enum { CUSTOM_NAME_BYTES = 96 };

/* "x_scale" as xScale, with an ending. */
static inline void custom_name(const char *name, const char *ending, char text[CUSTOM_NAME_BYTES])
{
    size_t length = 0;
    bool is_begin = false;
    for (; *name != '\0' && length + 1 < CUSTOM_NAME_BYTES; name++) {
        if (*name == '_' && length > 0)
            is_begin = true;
        else if (*name != '_') {
            text[length++] = is_begin ? (char)toupper((unsigned char)*name) : *name;
            is_begin = false;
        }
    }
    text[length] = '\0';
    if (length > 0)
        text[0] = (char)tolower((unsigned char)text[0]);
    snprintf(text + length, CUSTOM_NAME_BYTES - length, "%s", ending);
}

/* The input that an output of the same name is: its tensor is read and written. outputs where there is none. */
static inline uint32_t custom_output_of(const struct belay_operator *operation, uint32_t input)
{
    const struct belay_operator_product *product = &operation->product[0];
    uint32_t i = 0;
    while (i < operation->outputs && strcmp(product->output[i].name, product->input[input].name) != 0)
        i++;
    return i;
}

static inline uint32_t custom_input_of(const struct belay_operator *operation, uint32_t output)
{
    const struct belay_operator_product *product = &operation->product[0];
    uint32_t i = 0;
    while (i < operation->inputs && strcmp(product->input[i].name, product->output[output].name) != 0)
        i++;
    return i;
}

static inline void custom_input_name(const struct belay_operator *operation, uint32_t input,
                                     char text[CUSTOM_NAME_BYTES])
{
    const struct belay_operator_parameter *parameter = &operation->product[0].input[input];
    const bool is_changed = custom_output_of(operation, input) < operation->outputs;
    custom_name(parameter->name,
                is_changed                              ? "Ref"
                : parameter->presence == BELAY_OPTIONAL ? "Optional"
                                                        : "",
                text);
}

/* The only output is out. */
static inline void custom_output_name(const struct belay_operator *operation, uint32_t output,
                                      char text[CUSTOM_NAME_BYTES])
{
    const char *name = operation->product[0].output[output].name;
    const size_t length = strlen(name);
    const bool has_end = length >= 3 && tolower((unsigned char)name[length - 3]) == 'o' &&
                         strcmp(name + length - 2, "ut") == 0;
    custom_name(operation->outputs == 1 ? "out" : name, operation->outputs == 1 || has_end ? "" : "Out",
                text);
}

#endif
