/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * An equation of letters, "ij,jk->ik", as Einsum takes it.
 */
#ifndef BELAY_OPS_CONTRACTION_EQUATION_H
#define BELAY_OPS_CONTRACTION_EQUATION_H

#include "ops/check.h"

enum { EQUATION_OPERANDS = 2, EQUATION_LETTERS = 52 };

/* Letters are numbers: A to Z, then a to z. */
struct letters {
    uint32_t count;
    uint8_t letter[OPERAND_RANK_MAX];
};

struct equation {
    uint32_t operands;
    struct letters operand[EQUATION_OPERANDS], result;
    int64_t size[EQUATION_LETTERS]; /* of those that some operand has */
};

/* Reads the text for the tensors of a list, or refuses what is wrong with it. */
aclnnStatus equation_read(const struct call *call, unsigned list, const char *text,
                          struct equation *equation);

bool letters_have(const struct letters *letters, unsigned letter);

#endif
