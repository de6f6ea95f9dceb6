/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads the structures of CPython by offsets. The offsets of 3.13 and 3.14 are those that the interpreter
 * tells itself, of 3.11 those of all its releases. A layout that is not plainly known is not read.
 */
#include "check/python_frames.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

/* Offsets, in bytes. */
struct layout {
    uint64_t current_frame;                            /* in a thread's state: the innermost frame, */
    uint64_t previous, executable, instruction, owner; /* in a frame */
    uint64_t file, name, lines, first_line, code; /* in a code object; code is where its instructions begin */
    uint64_t type;                                /* in any object */
    uint64_t bytes_count, bytes;                  /* in a bytes object */
    uint64_t text_state, text_count, text;        /* in a str; text is where that of ASCII begins */
};
enum { MEMBERS = sizeof(struct layout) / sizeof(uint64_t) };

/* In Python 3.11 the innermost frame is one step further, and str is longer by a member when it is not
 * ASCII. */
static const struct layout layout_3_11 = {.current_frame = 56,
                                          .previous = 48,
                                          .executable = 32,
                                          .instruction = 56,
                                          .owner = 69,
                                          .file = 112,
                                          .name = 120,
                                          .lines = 136,
                                          .first_line = 72,
                                          .code = 184,
                                          .type = 8,
                                          .bytes_count = 16,
                                          .bytes = 32,
                                          .text_state = 32,
                                          .text_count = 16,
                                          .text = 48};
enum { FRAME_IN_3_11 = 8, WIDE_TEXT_IN_3_11 = 24, WIDE_TEXT = 16 };

/* Where the table of the interpreter has each of them: in 64-bit words from its beginning. */
static const uint8_t words_3_13[MEMBERS] = {23, 29, 30, 31, 33, 35, 36, 38, 39, 43, 45, 65, 66, 68, 69, 70};
static const uint8_t words_3_14[MEMBERS] = {26, 32, 33, 34, 36, 40, 41, 43, 44, 48, 51, 75, 76, 78, 79, 80};
enum { WORD_VERSION = 1, WORD_FREE_THREADED = 2, OFFSET_MOST = 4096 };

/* Frames of no function of the program: the interpreter's own. */
enum { OWNER_IS_INTERPRETER = 3 };

static struct {
    struct layout layout;
    const void *code_type;
    bool is_3_11, can_be_read;
} python; /* constant once it has been looked at */

static bool read_table(const uint64_t *table, unsigned version)
{
    const uint8_t *words = version == 0x030d ? words_3_13 : words_3_14;
    uint64_t offset[MEMBERS];
    if (table == NULL || memcmp(table, "xdebugpy", 8) != 0 || table[WORD_VERSION] >> 16 != version ||
        table[WORD_FREE_THREADED] != 0)
        return false;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        offset[i] = table[words[i]];
        if (offset[i] > OFFSET_MOST)
            return false;
    }
    memcpy(&python.layout, offset, sizeof offset);
    return true;
}

static void look(void)
{
    unsigned release = (unsigned)(*(const unsigned long *)dlsym(RTLD_DEFAULT, "Py_Version") >> 16);
    python.code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
    python.is_3_11 = release == 0x030b;
    python.layout = layout_3_11;
    if (!python.is_3_11 && release != 0x030d && release != 0x030e)
        return;
    python.can_be_read =
        python.code_type != NULL &&
        (python.is_3_11 || read_table((const uint64_t *)dlsym(RTLD_DEFAULT, "_PyRuntime"), release));
}

bool python_frames_can_be_read(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (sizeof(void *) != 8 || dlsym(RTLD_DEFAULT, "Py_Version") == NULL)
        return false;
    pthread_once(&once, look);
    return python.can_be_read;
}

static const unsigned char *pointer_at(const unsigned char *object, uint64_t offset)
{
    const unsigned char *pointer;
    memcpy(&pointer, object + offset, sizeof pointer);
    return pointer;
}

static int64_t number_at(const unsigned char *object, uint64_t offset)
{
    int64_t number;
    memcpy(&number, object + offset, sizeof number);
    return number;
}

uint32_t python_frames_read(const void *thread, struct python_frame frame[PYTHON_FRAMES])
{
    const struct layout *layout = &python.layout;
    const unsigned char *at = pointer_at((const unsigned char *)thread, layout->current_frame);
    uint32_t count = 0;
    if (python.is_3_11 && at != NULL)
        at = pointer_at(at, FRAME_IN_3_11);
    for (; at != NULL && count < PYTHON_FRAMES; at = pointer_at(at, layout->previous)) {
        /* The lowest bits of references are the interpreter's. */
        uintptr_t code = (uintptr_t)pointer_at(at, layout->executable) & ~(uintptr_t)7;
        if (at[layout->owner] >= OWNER_IS_INTERPRETER || code == 0 ||
            pointer_at((const unsigned char *)code, layout->type) != python.code_type)
            continue;
        frame[count++] =
            (struct python_frame){(const unsigned char *)code, pointer_at(at, layout->instruction)};
    }
    return count;
}

uint64_t python_frames_hash(const struct python_frame *frame, uint32_t count)
{
    const struct layout *layout = &python.layout;
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *code = frame[i].code;
        uint64_t part = (uint64_t)(uintptr_t)frame[i].instruction ^
                        (uint64_t)(uintptr_t)pointer_at(code, layout->file) << 20 ^
                        (uint64_t)(uintptr_t)pointer_at(code, layout->lines) << 7;
        hash = (hash ^ part) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* One character in UTF-8 at to, which has room for four bytes; their number. */
static size_t encode(uint32_t character, char *to)
{
    if (character < 0x80) {
        to[0] = (char)character;
        return 1;
    }
    size_t more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    to[0] = (char)(0xff00 >> (more + 1) | character >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (character >> 6 * (more - i) & 0x3f));
    return more + 1;
}

/* The text of a str. Its state has the bytes of a character in bits 2 to 4, and in the next two whether it
 * lies in the object and whether it is ASCII. */
static void read_text(const unsigned char *object, char *text, size_t bytes)
{
    const struct layout *layout = &python.layout;
    size_t length = 0;
    text[0] = '\0';
    if (object == NULL)
        return;
    uint32_t state;
    memcpy(&state, object + layout->text_state, sizeof state);
    uint32_t kind = state >> 2 & 7;
    bool is_compact = (state >> 5 & 1) != 0, is_ascii = (state >> 6 & 1) != 0;
    int64_t count = number_at(object, layout->text_count);
    if (!is_compact || count < 0 || (kind != 1 && kind != 2 && kind != 4))
        return;
    const unsigned char *from = object + layout->text;
    if (!is_ascii)
        from += python.is_3_11 ? WIDE_TEXT_IN_3_11 : WIDE_TEXT;
    for (int64_t i = 0; i < count && length + 5 < bytes; i++, from += kind) {
        uint32_t character = 0;
        memcpy(&character, from, kind); /* the processors there are have the lowest byte first */
        length += encode(character, text + length);
    }
    text[length] = '\0';
}

/* A number of the table of lines: six bits a byte, the lowest first, and one bit that more follows. */
static uint32_t read_number(const unsigned char **at, const unsigned char *end)
{
    uint32_t number = 0, shift = 0;
    while (*at < end && shift < 30) {
        unsigned char byte = *(*at)++;
        number |= (uint32_t)(byte & 63) << shift;
        shift += 6;
        if ((byte & 64) == 0)
            break;
    }
    return number;
}

/*
 * The table has an entry for each run of instructions: a byte with its top bit set, the kind in the next four
 * and the length less one in the last three, and what else belongs to the kind, in bytes without that bit.
 */
static int line_of(const struct python_frame *frame)
{
    enum { SHORT_MOST = 9, ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NO_LINE = 15, UNIT = 2 };
    const struct layout *layout = &python.layout;
    const unsigned char *table = pointer_at(frame->code, layout->lines);
    int32_t line;
    memcpy(&line, frame->code + layout->first_line, sizeof line);
    if (table == NULL)
        return line;
    const unsigned char *at = table + layout->bytes, *end = at + number_at(table, layout->bytes_count);
    const unsigned char *code = frame->code + layout->code;
    while (at < end) {
        unsigned char head = *at++;
        unsigned kind = head >> 3 & 15;
        if (kind == NO_COLUMNS || kind == LONG) {
            uint32_t number = read_number(&at, end);
            line += (number & 1) != 0 ? -(int32_t)(number >> 1) : (int32_t)(number >> 1);
        } else if (kind > SHORT_MOST && kind < NO_COLUMNS) {
            line += (int32_t)kind - ONE_LINE;
        }
        while (at < end && (*at & 0x80) == 0)
            at++;
        code += ((head & 7u) + 1) * UNIT;
        if (frame->instruction < code)
            return line;
    }
    return line;
}

int python_frame_describe(const struct python_frame *frame, char path[PYTHON_PATH_BYTES],
                          char name[PYTHON_NAME_BYTES])
{
    read_text(pointer_at(frame->code, python.layout.file), path, PYTHON_PATH_BYTES);
    read_text(pointer_at(frame->code, python.layout.name), name, PYTHON_NAME_BYTES);
    return line_of(frame);
}
