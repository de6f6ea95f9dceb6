/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The numbers that a program (program.h) passes to functions: attributes, what inputs hold, dims, literals.
 */
#ifndef BELAY_OPS_BY_NAME_NUMBERS_H
#define BELAY_OPS_BY_NAME_NUMBERS_H

#include "runtime/named/named_operator.h"

enum { NUMBERS_MAX = 64 };

struct numbers {
    uint64_t count;
    int64_t value[NUMBERS_MAX];
    double first;      /* of one number, whatever it is */
    aclDataType dtype; /* of the first: FLOAT where it is written or given as one */
};

/* What the token stands for; 100000 with a sentence where there is nothing, or what the call reads is not
 * there. Reading what lies on the device waits for the stream. */
int numbers_of(const struct named_call *call, const char *token, aclrtStream stream, struct numbers *numbers);

/* Whether the attribute is there and not 0; the input "x2" is there; what the input "#2" holds is not 0; the
 * product is "@950". */
bool numbers_is_set(const struct named_call *call, const char *name, aclrtStream stream);

/* The operand that "x0" or "y1" names, NULL where the call has none. */
struct named_operand *numbers_operand(const struct named_call *call, const char *token);

#endif
