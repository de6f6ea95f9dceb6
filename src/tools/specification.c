/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How the user names an array on the line.
 */
#include "tools/specification.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tensor/dtype.h"
#include "tools/literal.h"
#include "tools/npy.h"

#define DTYPES_OF_CODES                                                                    \
    (DTYPE_BIT(ACL_HIFLOAT8) | DTYPE_BIT(ACL_FLOAT8_E5M2) | DTYPE_BIT(ACL_FLOAT8_E4M3FN) | \
     DTYPE_BIT(ACL_FLOAT8_E8M0) | DTYPES_PACKED)

/* "4x2" or "", up to the end of text. */
static bool parse_shape(const char *text, struct specification *specification)
{
    specification->rank = 0;
    while (*text) {
        char *end;
        errno = 0;
        long long dim = strtoll(text, &end, 10);
        if (*text < '0' || *text > '9' || errno || specification->rank == ARRAY_RANK_MAX)
            return false;
        specification->shape[specification->rank++] = dim;
        if (*end == 'x' && end[1])
            end++;
        else if (*end)
            return false;
        text = end;
    }
    return true;
}

/*
 * What stands behind a colon, is neither a dtype nor a shape, and could not well be part of a name, is a
 * mistake; false with a sentence that says which part it is. A file of that name is no mistake.
 */
static bool explain_suffix(const char *text, struct fault *fault)
{
    struct specification ignored;
    const char *last = strrchr(text, ':'); /* there is one */
    if (strpbrk(last, "./") || access(text, F_OK) == 0)
        return true;
    const char *previous = last;
    while (previous > text && previous[-1] != ':')
        previous--;
    size_t length = (size_t)(last - previous);
    bool may_be_dtype = previous != text && !memchr(previous, '.', length) && !memchr(previous, '/', length);
    bool is_dtype = may_be_dtype && dtype_from_name(previous, length) != ACL_DT_UNDEFINED;
    if (is_dtype)
        return fault_set(fault, "%.256s is not a shape; dims with x between them, such as 3x5, are expected",
                         last + 1);
    if (!parse_shape(last + 1, &ignored))
        return fault_no_dtype(fault, last + 1, strlen(last + 1));
    if (may_be_dtype)
        return fault_no_dtype(fault, previous, length);
    return fault_set(fault, "the shape %.256s has no dtype in front of it; FILE:DTYPE:SHAPE is expected",
                     last + 1);
}

static bool keep_unless_mistaken(const char *text, struct specification *specification, struct fault *fault)
{
    if (explain_suffix(text, fault))
        return true;
    free(specification->path);
    specification->path = NULL;
    return false;
}

/*
 * Reads the parts from the right, as a path may hold colons too: what does not look like a dtype or a shape
 * is part of the path.
 */
bool specification_parse(const char *text, struct specification *specification, struct fault *fault)
{
    *specification = (struct specification){.path = strdup(text), .dtype = ACL_DT_UNDEFINED};
    if (!specification->path)
        return fault_set(fault, "there is not enough memory");
    char *last = strrchr(specification->path, ':');
    if (!last)
        return true;
    specification->dtype = dtype_from_name(last + 1, strlen(last + 1));
    if (specification->dtype != ACL_DT_UNDEFINED) {
        *last = 0;
        return true;
    }
    if (!parse_shape(last + 1, specification)) {
        specification->rank = 0;
        return keep_unless_mistaken(text, specification, fault);
    }
    *last = 0;
    char *previous = strrchr(specification->path, ':');
    if (previous)
        specification->dtype = dtype_from_name(previous + 1, strlen(previous + 1));
    if (!previous || specification->dtype == ACL_DT_UNDEFINED) {
        *last = ':';
        specification->rank = 0;
        return keep_unless_mistaken(text, specification, fault);
    }
    *previous = 0;
    specification->has_shape = true;
    return true;
}

/* A tensor without dims from a number on the line. */
static bool read_number(struct array *array, const struct specification *specification,
                        aclDataType number_dtype, struct fault *fault)
{
    aclDataType dtype = specification->dtype == ACL_DT_UNDEFINED ? number_dtype : specification->dtype;
    return array_create(array, dtype, 0, NULL, fault) &&
           element_parse(specification->path, dtype, array->data, fault);
}

static bool read_array(struct array *array, const struct specification *specification,
                       aclDataType number_dtype, struct fault *fault)
{
    aclDataType wanted = specification->dtype;
    if (specification->has_shape)
        return raw_read(specification->path, wanted, specification->rank, specification->shape, array, fault);
    if (text_is_number(specification->path))
        return read_number(array, specification, number_dtype, fault);
    if (literal_is_array(specification->path))
        return literal_read(specification->path, wanted == ACL_DT_UNDEFINED ? number_dtype : wanted, array,
                            fault);
    if (!npy_read(specification->path, array, fault))
        return false;
    /* NumPy has no bfloat16 of its own, so files of plain 2-byte integers are in use too. */
    if (wanted == ACL_BF16 && array->dtype == ACL_UINT16)
        array->dtype = ACL_BF16;
    /* What numbers of 8 or 4 bits a file holds only the user knows; plain bytes are in use too. */
    if (dtype_is_one_of(wanted, DTYPES_OF_CODES) && array->dtype == ACL_UINT8) {
        array->dtype = wanted;
        array->is_of_codes = false;
    }
    if (array->is_of_codes)
        return fault_set(
            fault,
            "%.256s holds bytes that have no meaning of their own; %.256s:FLOAT8_E4M3FN, say, is "
            "expected",
            specification->path, specification->path);
    if (wanted != ACL_DT_UNDEFINED && wanted != array->dtype)
        return fault_set(fault, "%.256s holds %s, not %s", specification->path, dtype_name(array->dtype),
                         dtype_name(wanted));
    return true;
}

bool array_read(const char *text, aclDataType number_dtype, struct array *array, struct fault *fault)
{
    *array = (struct array){0};
    struct specification specification;
    if (!specification_parse(text, &specification, fault))
        return false;
    bool is_good = read_array(array, &specification, number_dtype, fault);
    free(specification.path);
    if (!is_good)
        array_destroy(array);
    return is_good;
}
