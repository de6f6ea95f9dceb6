/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Files of arrays. An .npy file is the magic bytes, a format version, the length of a header, the header, and
 * the elements. The header is the text of a Python dict with the keys descr, fortran_order and shape.
 */
#include "tools/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tensor/dtype.h"
#include "tools/output_file.h"

static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* A header of an array without fields needs some 100 bytes; more is no array that an operator takes. */
enum { HEADER_MAX = 64 * 1024, READ_STEP = 16 * 1024 * 1024 };

/* Fields of a header, before anything is made of them. */
struct header {
    char order;     /* byte order: < > | = */
    char kind;      /* b i u f c V */
    uint32_t bytes; /* of an element */
    bool has_descr, has_order, has_shape;
    struct array array; /* rank, shape and is_fortran_order only */
};

static const struct {
    char kind;
    uint32_t bytes;
    aclDataType dtype;
} kinds[] = {
    {'f', 4, ACL_FLOAT},       {'f', 2, ACL_FLOAT16}, {'f', 8, ACL_DOUBLE}, {'V', 2, ACL_BF16},
    {'f', 1, ACL_FLOAT8_E5M2}, {'V', 1, ACL_UINT8},   {'b', 1, ACL_BOOL},   {'i', 1, ACL_INT8},
    {'i', 2, ACL_INT16},       {'i', 4, ACL_INT32},   {'i', 8, ACL_INT64},  {'u', 1, ACL_UINT8},
    {'u', 2, ACL_UINT16},      {'u', 4, ACL_UINT32},  {'u', 8, ACL_UINT64}, {'c', 8, ACL_COMPLEX64},
    {'c', 16, ACL_COMPLEX128},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The parser: each function takes the text from *at on, moves *at behind what it read, or returns false. The
 * text ends with a NUL, which nothing below reads past. */

static void skip_space(const char **at)
{
    while (**at == ' ' || **at == '\t' || **at == '\n' || **at == '\r')
        ++*at;
}

static bool take(const char **at, char wanted)
{
    skip_space(at);
    if (**at != wanted)
        return false;
    ++*at;
    return true;
}

static bool take_word(const char **at, const char *word)
{
    size_t length = strlen(word);
    skip_space(at);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

/* A string in either kind of quotes, without escapes. */
static bool take_string(const char **at, char *text, size_t size)
{
    skip_space(at);
    char quote = **at;
    if (quote != '\'' && quote != '"')
        return false;
    const char *end = strchr(*at + 1, quote);
    if (!end || (size_t)(end - *at) > size)
        return false;
    size_t length = (size_t)(end - *at) - 1;
    memcpy(text, *at + 1, length);
    text[length] = 0;
    *at = end + 1;
    return strchr(text, '\\') == NULL;
}

static bool take_dim(const char **at, int64_t *dim)
{
    skip_space(at);
    if (**at < '0' || **at > '9')
        return false;
    char *end;
    errno = 0;
    *dim = strtoll(*at, &end, 10);
    *at = end;
    if (**at == 'L') /* how Python 2 wrote long integers */
        ++*at;
    return errno == 0;
}

static bool take_shape(const char **at, struct array *array)
{
    if (!take(at, '('))
        return false;
    while (!take(at, ')')) {
        if (array->rank == ARRAY_RANK_MAX || !take_dim(at, &array->shape[array->rank]))
            return false;
        array->rank++;
        if (!take(at, ',')) {
            /* (3) is a number in Python, not a tuple; only a comma makes one. */
            if (array->rank == 1 || !take(at, ')'))
                return false;
            return true;
        }
    }
    return true;
}

static bool take_descr(const char **at, struct header *header, const char *path, struct fault *fault)
{
    char text[32], *end;
    skip_space(at);
    if (**at == '[')
        return fault_set(
            fault, "%.256s: the array has fields (a structured dtype); a plain dtype is expected", path);
    if (!take_string(at, text, sizeof text) || strlen(text) < 2 || !strchr("<>|=", text[0]))
        return fault_set(fault, "%.256s: the header's descr is not a dtype such as '<f4'", path);
    header->order = text[0];
    header->kind = text[1];
    unsigned long bytes = strtoul(text + 2, &end, 10);
    bool is_known = false;
    for (size_t i = 0; i < KINDS; i++)
        is_known = is_known || (kinds[i].kind == text[1] && kinds[i].bytes == bytes);
    /* strtoul takes a sign and space too. */
    if (*end || text[2] < '0' || !is_known)
        return fault_set(fault, "%.256s: dtype %s is not one that tensors have", path, text);
    header->bytes = (uint32_t)bytes;
    return true;
}

static bool parse_header(const char *text, struct header *header, const char *path, struct fault *fault)
{
    const char *at = text;
    char key[32];
    if (!take(&at, '{'))
        return fault_set(fault, "%.256s: the header is not a dict", path);
    while (!take(&at, '}')) {
        if (!take_string(&at, key, sizeof key) || !take(&at, ':'))
            return fault_set(fault, "%.256s: the header is damaged", path);
        if (strcmp(key, "descr") == 0 && !header->has_descr) {
            if (!take_descr(&at, header, path, fault))
                return false;
            header->has_descr = true;
        } else if (strcmp(key, "fortran_order") == 0 && !header->has_order) {
            header->array.is_fortran_order = take_word(&at, "True");
            if (!header->array.is_fortran_order && !take_word(&at, "False"))
                return fault_set(fault, "%.256s: the header's fortran_order is neither True nor False", path);
            header->has_order = true;
        } else if (strcmp(key, "shape") == 0 && !header->has_shape) {
            if (!take_shape(&at, &header->array))
                return fault_set(fault, "%.256s: the header's shape is not a tuple of at most %d dims", path,
                                 ARRAY_RANK_MAX);
            header->has_shape = true;
        } else {
            return fault_set(fault, "%.256s: the header has an unknown or a second key %s", path, key);
        }
        if (!take(&at, ',') && *at != '}')
            return fault_set(fault, "%.256s: the header is damaged", path);
    }
    skip_space(&at);
    if (*at)
        return fault_set(fault, "%.256s: something follows the header's dict", path);
    if (!header->has_descr || !header->has_order || !header->has_shape)
        return fault_set(fault, "%.256s: the header lacks descr, fortran_order or shape", path);
    return true;
}

static bool read_header(FILE *file, struct header *header, const char *path, struct fault *fault)
{
    unsigned char start[sizeof magic + 2], length_bytes[4] = {0};
    if (fread(start, 1, sizeof start, file) != sizeof start || memcmp(start, magic, sizeof magic) != 0)
        return fault_set(
            fault,
            "%.256s: not an .npy file (its first bytes are not NumPy's); raw elements are given as "
            "FILE:DTYPE:SHAPE",
            path);
    unsigned version = start[sizeof magic];
    if (version < 1 || version > 3)
        return fault_set(fault, "%.256s: .npy format version %u is not known; 1, 2 or 3 is expected", path,
                         version);
    size_t length_size = version == 1 ? 2 : 4;
    if (fread(length_bytes, 1, length_size, file) != length_size)
        return fault_set(fault, "%.256s: the file ends within its header", path);
    uint32_t length = (uint32_t)length_bytes[0] | (uint32_t)length_bytes[1] << 8 |
                      (uint32_t)length_bytes[2] << 16 | (uint32_t)length_bytes[3] << 24;
    if (length > HEADER_MAX)
        return fault_set(fault, "%.256s: the header is %u bytes long; at most %d are expected", path, length,
                         HEADER_MAX);
    char *text = malloc(length + 1u);
    if (!text)
        return fault_set(fault, "%.256s: there is not enough memory", path);
    text[length] = 0;
    bool is_good = fread(text, 1, length, file) == length;
    if (!is_good)
        fault_set(fault, "%.256s: the file ends within its header", path);
    else if (strlen(text) != length)
        is_good = fault_set(fault, "%.256s: the header holds a NUL byte", path);
    else
        is_good = parse_header(text, header, path, fault);
    free(text);
    return is_good;
}

/*
 * Reads array->bytes bytes, which must be all that is left of the file. Memory is taken as the bytes arrive
 * where the length of the file is not known (a pipe), so that a header cannot ask for more than there is.
 */
static bool read_elements(FILE *file, struct array *array, const char *path, struct fault *fault)
{
    struct stat status;
    size_t capacity = array->bytes < READ_STEP ? array->bytes : READ_STEP, filled = 0;
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode)) {
        off_t position = ftello(file);
        if (position < 0 || status.st_size < position ||
            (uint64_t)(status.st_size - position) != array->bytes)
            return fault_set(fault,
                             "%.256s: %" PRId64 " bytes of elements are there; dtype and shape need %zu",
                             path, (int64_t)(status.st_size - position), array->bytes);
        capacity = array->bytes;
    }
    array->data = malloc(capacity ? capacity : 1);
    while (array->data) {
        filled += fread((char *)array->data + filled, 1, capacity - filled, file);
        if (filled < capacity)
            return fault_set(fault,
                             "%.256s: the file ends after %zu bytes of elements; dtype and shape need %zu",
                             path, filled, array->bytes);
        if (filled == array->bytes) {
            if (fgetc(file) != EOF)
                return fault_set(fault, "%.256s: the file goes on after the %zu bytes of its elements", path,
                                 array->bytes);
            return true;
        }
        capacity = array->bytes - capacity < capacity ? array->bytes : 2 * capacity;
        void *larger = realloc(array->data, capacity);
        if (!larger)
            break;
        array->data = larger;
    }
    return fault_set(fault, "%.256s: there is not enough memory for %zu bytes", path, array->bytes);
}

static void swap_bytes(struct array *array, size_t unit)
{
    unsigned char *bytes = array->data;
    for (size_t i = 0; i + unit <= array->bytes; i += unit)
        for (size_t j = 0; j < unit / 2; j++) {
            unsigned char low = bytes[i + j];
            bytes[i + j] = bytes[i + unit - 1 - j];
            bytes[i + unit - 1 - j] = low;
        }
}

/* NumPy keeps a BOOL in a byte; a byte that is neither 0 nor 1 is one that no tensor has. */
static bool bools_are_valid(const struct array *array)
{
    const unsigned char *bytes = array->data;
    for (size_t i = 0; i < array->bytes; i++)
        if (bytes[i] > 1)
            return false;
    return true;
}

static bool read_npy_file(FILE *file, const char *path, struct array *array, struct fault *fault)
{
    struct header header = {0};
    if (!read_header(file, &header, path, fault))
        return false;
    *array = header.array;
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].kind == header.kind && kinds[i].bytes == header.bytes)
            array->dtype = kinds[i].dtype;
    array->is_of_codes = header.kind == 'V' && header.bytes == 1;
    if (!array_bytes(array->dtype, array->rank, array->shape, &array->bytes))
        return fault_set(fault, "%.256s: the dims in the header are larger than any memory", path);
    if (!read_elements(file, array, path, fault))
        return false;
    if (array->dtype == ACL_BOOL && !bools_are_valid(array))
        return fault_set(fault, "%.256s: a bool is neither 0 nor 1", path);
    if (header.order == '>')
        swap_bytes(array, header.kind == 'c' ? header.bytes / 2 : header.bytes);
    return true;
}

/* NULL with a sentence. A folder can be opened, too, but not read. */
static FILE *open_file(const char *path, struct fault *fault)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    bool is_folder = file && fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode);
    if (file && !is_folder)
        return file;
    const int error = is_folder ? EISDIR : errno;
    fault_set(fault, "%.256s: %s", path, strerror(error));
    if (is_folder)
        fclose(file);
    return NULL;
}

bool npy_read(const char *path, struct array *array, struct fault *fault)
{
    *array = (struct array){0};
    FILE *file = open_file(path, fault);
    if (!file)
        return false;
    bool is_good = read_npy_file(file, path, array, fault);
    fclose(file);
    if (!is_good)
        array_destroy(array);
    return is_good;
}

bool raw_read(const char *path, aclDataType dtype, uint32_t rank, const int64_t *shape, struct array *array,
              struct fault *fault)
{
    *array = (struct array){.dtype = dtype, .rank = rank};
    for (uint32_t i = 0; i < rank; i++)
        array->shape[i] = shape[i];
    if (!array_bytes(dtype, rank, shape, &array->bytes))
        return fault_set(fault, "%.256s: these dims are larger than any memory", path);
    FILE *file = open_file(path, fault);
    if (!file)
        return false;
    bool is_good = read_elements(file, array, path, fault);
    fclose(file);
    if (!is_good)
        array_destroy(array);
    return is_good;
}

/* Writes the header into text and returns its length, which makes the elements start at a multiple of 64. */
static size_t write_header(const struct array *array, char *text, size_t size)
{
    char kind = 'V';
    uint32_t bytes = dtype_bytes(array->dtype);
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].dtype == array->dtype && array->dtype != ACL_FLOAT8_E5M2) /* NumPy reads no '<f1' */
            kind = kinds[i].kind;
    int length = snprintf(text, size, "{'descr': '%c%c%u', 'fortran_order': %s, 'shape': (",
                          bytes == 1 ? '|' : '<', kind, bytes, array->is_fortran_order ? "True" : "False");
    for (uint32_t i = 0; i < array->rank; i++)
        length += snprintf(text + length, size - (size_t)length, "%" PRId64 "%s", array->shape[i],
                           i + 1 < array->rank ? ", "
                           : array->rank == 1  ? ","
                                               : "");
    length += snprintf(text + length, size - (size_t)length, "), }");
    size_t fixed = sizeof magic + 2 + 2, end = (size_t)length;
    while ((fixed + end + 1) % 64)
        text[end++] = ' ';
    text[end++] = '\n';
    return end;
}

bool npy_write(const char *path, const struct array *array, struct fault *fault)
{
    enum { DIM_BYTES = 22 }; /* 20 characters and a comma and space */
    char text[ARRAY_RANK_MAX * DIM_BYTES + 256];
    size_t length = write_header(array, text, sizeof text);
    unsigned char start[sizeof magic + 4];
    memcpy(start, magic, sizeof magic);
    start[sizeof magic] = 1; /* format version 1.0; its header may be 64 KiB long */
    start[sizeof magic + 1] = 0;
    start[sizeof magic + 2] = (unsigned char)(length & 255);
    start[sizeof magic + 3] = (unsigned char)(length >> 8);
    const struct piece pieces[] = {{start, sizeof start}, {text, length}, {array->data, array->bytes}};
    return output_file_write(path, pieces, sizeof pieces / sizeof pieces[0], fault);
}
