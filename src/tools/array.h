/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * An array in host memory, as the command reads it from a file and writes it to one, and the numbers that its
 * elements hold.
 */
#ifndef BELAY_TOOLS_ARRAY_H
#define BELAY_TOOLS_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

/* What NumPy allows; how many dims an operator takes is the library's to say. */
enum { ARRAY_RANK_MAX = 64 };

struct array {
    aclDataType dtype;
    uint32_t rank;
    int64_t shape[ARRAY_RANK_MAX];
    bool is_fortran_order; /* the first index runs fastest; otherwise the last one */
    bool is_of_codes;      /* of a file whose elements are bytes without a meaning of their own */
    size_t bytes;
    void *data; /* malloc'ed, in this processor's byte order; not NULL even for 0 bytes */
};

/* What went wrong, in one sentence for the user. */
struct fault {
    char text[512];
};

/* Records the sentence and returns false. */
bool fault_set(struct fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says that name, of this length, is no dtype, and which are. */
bool fault_no_dtype(struct fault *fault, const char *name, size_t length);

/* Number of elements and bytes for dtype and shape, allocated and zeroed; false when it is too much. */
bool array_create(struct array *array, aclDataType dtype, uint32_t rank, const int64_t *shape,
                  struct fault *fault);
void array_destroy(struct array *array);

/* Bytes that dtype and shape take; false when the product exceeds what memory can hold. */
bool array_bytes(aclDataType dtype, uint32_t rank, const int64_t *shape, size_t *bytes);

size_t array_count(const struct array *array);

/* "FLOAT", "FLOAT32", "BF16", "BFLOAT16", "ACL_FLOAT16", ...; ACL_DT_UNDEFINED for anything else. */
aclDataType dtype_from_name(const char *name, size_t length);

/* Whether text is a number, a complex one (1+2j) or a truth value, as element_parse takes them. */
bool text_is_number(const char *text);

/*
 * Writes the number that text spells as one element of dtype at element (16 bytes are enough for any).
 * Floating-point values are rounded once, from the double that text gives, and must not overflow; integers
 * must fit. "true" and "false" are 1 and 0.
 */
bool element_parse(const char *text, aclDataType dtype, void *element, struct fault *fault);

/* The element as text that gives the same value when read again. text holds ELEMENT_TEXT bytes. */
enum { ELEMENT_TEXT = 64 };
const char *element_text(const void *element, aclDataType dtype, char *text);

/* Makes the element of FLOAT16, BFLOAT16, FLOAT or DOUBLE the value, rounded once. */
void element_set_real(void *element, aclDataType dtype, double value);

/* The value of an element of a real floating-point dtype, exactly. */
double element_real(const void *element, aclDataType dtype);

#endif
