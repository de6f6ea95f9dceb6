/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Equations of letters: what they say, and what is wrong with them.
 */
#include "ops/contraction/equation.h"

#include <inttypes.h>
#include <string.h>

bool letters_have(const struct letters *letters, unsigned letter)
{
    for (uint32_t i = 0; i < letters->count; i++)
        if (letters->letter[i] == letter)
            return true;
    return false;
}

static int letter_of(char character)
{
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const char *found = character != 0 ? strchr(all, character) : NULL;
    return found != NULL ? (int)(found - all) : -1;
}

static char character_of(unsigned letter)
{
    return (char)(letter < EQUATION_LETTERS / 2 ? 'A' + letter : 'a' + (letter - EQUATION_LETTERS / 2));
}

/* Letters up to a comma, an arrow or the end, past which *text is left. */
static aclnnStatus read_letters(const struct call *call, const char *begin, const char **text,
                                struct letters *letters)
{
    letters->count = 0;
    for (; **text != 0 && **text != ',' && **text != '-'; ++*text) {
        const int letter = letter_of(**text);
        if (**text == ' ')
            continue;
        if (letter < 0)
            return refuse(
                call, "equation has a character %d at [%d]; letters, spaces, commas and one -> are expected",
                (unsigned char)**text, (int)(*text - begin));
        if (letters->count == OPERAND_RANK_MAX)
            return refuse(call,
                          "equation has more than %d letters in one place, at [%d]; that many are expected",
                          OPERAND_RANK_MAX, (int)(*text - begin));
        letters->letter[letters->count++] = (uint8_t)letter;
    }
    return ACLNN_SUCCESS;
}

/* The size of a letter is that of all dims that have it, but for those of 1. */
static aclnnStatus read_sizes(const struct call *call, unsigned list, struct equation *equation)
{
    bool is_known[EQUATION_LETTERS] = {false};
    for (uint32_t k = 0; k < equation->operands; k++) {
        const struct letters *letters = &equation->operand[k];
        const struct tensor_view *view = &call->values[list].value.tensor[k];
        if (letters->count != view->rank)
            return refuse(
                call, "equation has %u letters for tensor %u of %s, which has %u dims; as many are expected",
                letters->count, k, call_name(call, list), view->rank);
        for (uint32_t i = 0; i < letters->count; i++) {
            int64_t *size = &equation->size[letters->letter[i]];
            for (uint32_t other = 0; other < i; other++)
                if (letters->letter[other] == letters->letter[i] && view->shape[other] != view->shape[i])
                    return refuse(call,
                                  "letter %c of equation has sizes %" PRId64 " and %" PRId64
                                  " in one tensor; one is expected",
                                  character_of(letters->letter[i]), view->shape[other], view->shape[i]);
            if (is_known[letters->letter[i]] && *size != 1 && view->shape[i] != 1 && *size != view->shape[i])
                return refuse(call,
                              "letter %c of equation has sizes %" PRId64 " and %" PRId64
                              "; one, or 1, is expected",
                              character_of(letters->letter[i]), *size, view->shape[i]);
            if (!is_known[letters->letter[i]] || *size == 1)
                *size = view->shape[i];
            is_known[letters->letter[i]] = true;
        }
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_letters_of_result(const struct call *call, const struct equation *equation)
{
    const struct letters *result = &equation->result;
    for (uint32_t i = 0; i < result->count; i++) {
        struct letters first = *result;
        first.count = i;
        if (letters_have(&first, result->letter[i]))
            return refuse(call, "equation has the letter %c twice behind ->; once is expected",
                          character_of(result->letter[i]));
        if (!letters_have(&equation->operand[0], result->letter[i]) &&
            !letters_have(&equation->operand[1], result->letter[i]))
            return refuse(call, "equation has the letter %c behind -> alone; one of a tensor is expected",
                          character_of(result->letter[i]));
    }
    return ACLNN_SUCCESS;
}

/* Without an arrow the letters that there are once. */
static aclnnStatus derive_result(const struct call *call, struct equation *equation)
{
    unsigned times[EQUATION_LETTERS] = {0};
    for (uint32_t k = 0; k < equation->operands; k++)
        for (uint32_t i = 0; i < equation->operand[k].count; i++)
            times[equation->operand[k].letter[i]]++;
    for (unsigned letter = 0; letter < EQUATION_LETTERS; letter++) {
        if (times[letter] != 1)
            continue;
        if (equation->result.count == OPERAND_RANK_MAX)
            return refuse(call, "equation has no -> and more than %d letters once; that many are expected",
                          OPERAND_RANK_MAX);
        equation->result.letter[equation->result.count++] = (uint8_t)letter;
    }
    return ACLNN_SUCCESS;
}

aclnnStatus equation_read(const struct call *call, unsigned list, const char *text, struct equation *equation)
{
    const uint64_t tensors = call->values[list].count;
    const char *begin = text;
    memset(equation, 0, sizeof *equation);
    if (tensors < 1 || tensors > EQUATION_OPERANDS)
        return refuse(call, "%s has %" PRIu64 " tensors; 1 or 2 are expected", call_name(call, list),
                      tensors);
    do {
        if (equation->operands == EQUATION_OPERANDS)
            return refuse(call, "equation has more than %d parts; one is expected for each tensor",
                          EQUATION_OPERANDS);
        text += equation->operands > 0; /* the comma */
        TRY(read_letters(call, begin, &text, &equation->operand[equation->operands++]));
    } while (*text == ',');
    if (equation->operands != tensors)
        return refuse(call, "equation has %u parts and %s %" PRIu64 " tensors; one is expected for each",
                      equation->operands, call_name(call, list), tensors);
    TRY(read_sizes(call, list, equation));
    if (*text == 0)
        return derive_result(call, equation);
    if (text[1] != '>')
        return refuse(call, "equation has - without > at [%d]; -> is expected", (int)(text - begin));
    text += 2;
    TRY(read_letters(call, begin, &text, &equation->result));
    if (*text != 0)
        return refuse(call, "equation has %s behind ->, at [%d]; letters are expected",
                      *text == ',' ? "a comma" : "a -", (int)(text - begin));
    return check_letters_of_result(call, equation);
}
