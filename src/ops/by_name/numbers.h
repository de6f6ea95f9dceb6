/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The numbers that a program (program.h) passes to functions: attributes, what inputs hold, dims, literals.
 */
#ifndef BELAY_OPS_BY_NAME_NUMBERS_H
#define BELAY_OPS_BY_NAME_NUMBERS_H

#include "runtime/named/named_operator.h"

enum { NUMBERS_MAX = 512 };

struct numbers {
    uint64_t count;
    int64_t value[NUMBERS_MAX];
    double first;      /* of one number, whatever it is */
    aclDataType dtype; /* of the first: FLOAT where it is written or given as one */
};

/* What the token stands for; 100000 with a sentence where there is nothing, or what the call reads is not
 * there. Reading what lies on the device waits for the stream. */
int numbers_of(const struct named_call *call, const char *token, aclrtStream stream, struct numbers *numbers);

/* Copies what an operand holds: memory of the host now, what lies on the device when the work before has
 * ended. */
int numbers_bring(const struct named_call *call, const struct named_operand *operand, aclrtStream stream,
                  void *to);

/* Whether the attribute is there and not 0; the input "x2" is there; what the input "#2" holds is not 0; the
 * product is "@950". */
bool numbers_is_set(const struct named_call *call, const char *name, aclrtStream stream);

/* Where channels are: the second axis, or the last where the attribute `data_format` says so. */
int32_t numbers_channel_axis(const struct named_call *call);

/* The operand that "x0" or "y1" names, NULL where the call has none. */
struct named_operand *numbers_operand(const struct named_call *call, const char *token);

/* pads.c: what "@edges/x0", "@pads/x0" and "@crop/x0", "@fill/x0/y0" and "@unfill/x0/y0", "@blocks/x1/name",
 * "@later/#1" and "@earlier/#1" stand for. */
int numbers_around(const struct named_call *call, const char *token, struct numbers *numbers);
int numbers_fill(const struct named_call *call, const char *token, struct numbers *numbers);
int numbers_blocks(const struct named_call *call, const char *token, struct numbers *numbers);
int numbers_moves(const struct named_call *call, const char *token, aclrtStream stream,
                  struct numbers *numbers);

/* kind_numbers.c: "@lowest", "@greatest", "@labels", "@formats". */
int numbers_of_kind(const struct named_call *call, const char *token, aclrtStream stream,
                    struct numbers *numbers);

#endif
