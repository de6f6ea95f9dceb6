/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads arrays that are written out, from left to right; the first number says how many dims there are.
 */
#include "tools/literal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/dtype.h"

struct reading {
    const char *at; /* what comes next */
    aclDataType dtype;
    uint32_t rank;                 /* 0: no number and no end of a list has been met */
    int64_t shape[ARRAY_RANK_MAX]; /* -1: no list of that depth has ended */
    unsigned char *element;        /* as many as there can be */
    size_t count;
    struct fault *fault;
};

static void skip_spaces(struct reading *reading)
{
    while (isspace((unsigned char)*reading->at))
        reading->at++;
}

/* The first number, or end of an empty list, fixes the rank; the others are to lie as deep. */
static bool settle_rank(struct reading *reading, uint32_t rank)
{
    if (reading->rank == 0)
        reading->rank = rank;
    return reading->rank == rank ||
           fault_set(reading->fault,
                     "some numbers lie in %u lists and others in %u; an array has them in as many",
                     reading->rank, rank);
}

static bool read_element(struct reading *reading, uint32_t depth)
{
    char text[ELEMENT_TEXT];
    size_t length = strcspn(reading->at, ",[]");
    while (length > 0 && isspace((unsigned char)reading->at[length - 1]))
        length--;
    if (length == 0)
        return fault_set(reading->fault,
                         "'%.20s' is no number; numbers with commas between them are expected", reading->at);
    if (length >= sizeof text)
        return fault_set(reading->fault, "'%.20s...' is too long for a number", reading->at);
    memcpy(text, reading->at, length);
    text[length] = '\0';
    reading->at += length;
    return settle_rank(reading, depth) &&
           element_parse(text, reading->dtype,
                         reading->element + reading->count++ * dtype_bytes(reading->dtype), reading->fault);
}

/* What is between the brackets of a list, of which depth lie around it; without brackets where depth is 0. */
static bool read_list(struct reading *reading, uint32_t depth, char end) // NOLINT(misc-no-recursion)
{
    int64_t length = 0;
    skip_spaces(reading);
    for (; *reading->at != end || length > 0; length++) {
        bool is_list = *reading->at == '[';
        if (is_list && depth + 1 >= ARRAY_RANK_MAX)
            return fault_set(reading->fault, "an array has at most %d dims", ARRAY_RANK_MAX);
        reading->at += is_list;
        if (is_list ? !read_list(reading, depth + 1, ']') : !read_element(reading, depth + 1))
            return false;
        skip_spaces(reading);
        if (*reading->at == end) {
            length++;
            break;
        }
        if (*reading->at != ',')
            return fault_set(reading->fault,
                             "'%.20s' follows a number; a comma or the end of its list is expected",
                             reading->at);
        reading->at++;
        skip_spaces(reading);
    }
    reading->at += end != '\0';
    if (length == 0 && !settle_rank(reading, depth + 1))
        return false;
    if (reading->shape[depth] >= 0 && reading->shape[depth] != length)
        return fault_set(reading->fault, "one list has %lld elements and another beside it %lld",
                         (long long)reading->shape[depth], (long long)length);
    reading->shape[depth] = length;
    return true;
}

bool literal_is_array(const char *text)
{
    return (text[0] == '[' && strchr(text, '/') == NULL) ||
           (strchr(text, ',') != NULL && text[strspn(text, "0123456789+-.,eEj ")] == '\0');
}

bool literal_read(const char *text, aclDataType dtype, struct array *array, struct fault *fault)
{
    struct reading reading = {.at = text, .dtype = dtype, .fault = fault};
    bool has_brackets = text[0] == '[';
    size_t most = 1;
    for (const char *at = text; *at != '\0'; at++)
        most += *at == ',';
    for (uint32_t i = 0; i < ARRAY_RANK_MAX; i++)
        reading.shape[i] = -1;
    reading.element = calloc(most, dtype_bytes(dtype));
    if (reading.element == NULL)
        return fault_set(fault, "there is not enough memory");
    reading.at += has_brackets;
    bool is_good = read_list(&reading, 0, has_brackets ? ']' : '\0') &&
                   (*reading.at == '\0' ||
                    fault_set(fault, "'%.20s' follows the array; nothing is expected there", reading.at)) &&
                   array_create(array, dtype, reading.rank, reading.shape, fault);
    if (is_good)
        memcpy(array->data, reading.element, array->bytes);
    free(reading.element);
    return is_good;
}
