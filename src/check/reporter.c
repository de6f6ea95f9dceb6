/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Prints reports, and counts them on the board.
 */
#include "check/reporter.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check/board.h"
#include "check/suppression.h"
#include "base/error.h"
#include "base/hash.h"

static _Atomic(struct board *) board; /* mapped for the life of the process */
static _Atomic bool is_shared;        /* with belay check */

/* Held while an entry of the board is looked for and filled in. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool report_begin(const char *path)
{
    struct board *opened = board_open(path);
    if (opened == NULL)
        return false;
    atomic_fetch_add_explicit(&opened->processes, 1, memory_order_relaxed);
    atomic_store_explicit(&is_shared, path != NULL, memory_order_relaxed);
    atomic_store_explicit(&board, opened, memory_order_release);
    return true;
}

struct board *report_board(void)
{
    struct board *found = atomic_load_explicit(&board, memory_order_acquire);
    return atomic_load_explicit(&is_shared, memory_order_relaxed) ? found : NULL;
}

void report_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
}

/* One write, so that lines of several threads and processes do not mix. */
static void print(const char *text, size_t left)
{
    while (left > 0) {
        ssize_t written = write(STDERR_FILENO, text, left);
        if (written < 0 && errno != EINTR)
            return;
        text += written > 0 ? written : 0;
        left -= written > 0 ? (size_t)written : 0;
    }
}

/* Appends to a text of *length characters, and cuts at the end. */
__attribute__((format(printf, 4, 5))) static void append(char *text, size_t bytes, size_t *length,
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(text + *length, bytes - *length, format, arguments);
    va_end(arguments);
    *length += more > 0 ? (size_t)more : 0;
    if (*length >= bytes)
        *length = bytes - 1;
}

/* A frame: the Python line, or module, offset and symbol. */
static void append_frame(char *text, size_t bytes, size_t *length, const struct place_text *words)
{
    const char *slash = strrchr(words->module, '/');
    const char *module = slash != NULL ? slash + 1 : words->module;
    if (words->line[0] != '\0')
        append(text, bytes, length, "%s", words->line);
    else if (module[0] != '\0')
        append(text, bytes, length, "%s+0x%llx%s%s", module, (unsigned long long)words->offset,
               words->symbol[0] != '\0' ? " in " : "", words->symbol);
    else
        append(text, bytes, length, "an unknown place");
}

/* "made by aclrtMalloc at train.py:17 (step), call 12", and where that was called from. */
static void append_place(char *text, size_t bytes, size_t *length, const struct board_place *place)
{
    append(text, bytes, length, "belay check:     %s%s", place->what, place->what[0] != '\0' ? " " : "");
    if (place->what[0] != '\0' && place->function[0] != '\0')
        append(text, bytes, length, "%s ", place->function);
    append(text, bytes, length, "at ");
    append_frame(text, bytes, length, &place->text);
    if (place->number != 0)
        append(text, bytes, length, ", call %llu", (unsigned long long)place->number);
    append(text, bytes, length, "\n");
    for (uint32_t i = 0; i < place->caller_count; i++) {
        append(text, bytes, length, "belay check:         from ");
        append_frame(text, bytes, length, &place->caller[i]);
        append(text, bytes, length, "\n");
    }
}

static void print_entry(const struct board_entry *entry)
{
    static char text[16384]; /* too large for small stacks; under the lock */
    char code[16] = "";
    size_t length = 0;
    if (entry->code != 0)
        snprintf(code, sizeof code, " (%d)", (int)entry->code);
    append(text, sizeof text, &length, "belay check: DC-%03d: %s%s\n", (int)entry->rule, entry->sentence,
           code);
    for (uint32_t i = 0; i < entry->place_count; i++)
        append_place(text, sizeof text, &length, &entry->place[i]);
    if (entry->advice[0] != '\0')
        append(text, sizeof text, &length, "belay check:     %s\n", entry->advice);
    print(text, length);
}

void report_read_function(char function[BOARD_FUNCTION_BYTES], const char *sentence)
{
    size_t length = 0;
    while ((sentence[length] >= 'a' && sentence[length] <= 'z') ||
           (sentence[length] >= 'A' && sentence[length] <= 'Z') || sentence[length] == '_' ||
           (sentence[length] >= '0' && sentence[length] <= '9'))
        length++;
    bool is_name = length > 0 && length < BOARD_FUNCTION_BYTES && sentence[length] == ':';
    snprintf(function, BOARD_FUNCTION_BYTES, "%.*s", is_name ? (int)length : 0, sentence);
}

/* With its end, so that two texts are not taken for one that is cut elsewhere. */
static uint64_t add_text(uint64_t hash, const char *text)
{
    return hash_add(hash, text, strlen(text) + 1);
}

/* What makes reports the same: rule, function and first place; the sentence where there is no place. The
 * address does not count, as processes have their libraries at different ones. */
static uint64_t key_of(const struct board_entry *entry)
{
    const struct place_text *first = &entry->place[0].text;
    uint64_t hash = hash_add(HASH_START, &entry->rule, sizeof entry->rule);
    bool has_place = entry->place_count > 0 && (first->module[0] != '\0' || first->line[0] != '\0');
    hash = add_text(hash, entry->function);
    hash = add_text(hash, has_place ? first->module : entry->sentence);
    hash = add_text(hash, has_place ? first->line : "");
    if (has_place)
        hash = hash_add(hash, &first->offset, sizeof first->offset);
    return hash != 0 ? hash : 1;
}

void report_escape(struct place_text *text, const struct place_text *raw)
{
    text->offset = raw->offset;
    error_escape(text->module, sizeof text->module, raw->module);
    error_escape(text->symbol, sizeof text->symbol, raw->symbol);
    error_escape(text->line, sizeof text->line, raw->line);
}

static void keep_place(struct board_entry *entry, const struct finding_place *from)
{
    struct board_place *place = &entry->place[entry->place_count++];
    snprintf(place->what, sizeof place->what, "%s", from->what != NULL ? from->what : "");
    snprintf(place->function, sizeof place->function, "%s",
             from->place->function != NULL ? from->place->function : "");
    place->number = from->place->number;
    struct place_text raw;
    place_describe(from->place, &raw);
    report_escape(&place->text, &raw);
}

/* Keeps the callers of a report that is to be printed. The lock is held. */
static void keep_callers(struct board_place *place, const struct call_place *from)
{
    static struct place_text raw[PLACE_CALLERS];
    place->caller_count = place_describe_callers(from, raw);
    for (uint32_t i = 0; i < place->caller_count; i++)
        report_escape(&place->caller[i], &raw[i]);
}

bool report_show(const struct finding *finding, int code, const char *sentence)
{
    struct board *shared = atomic_load_explicit(&board, memory_order_acquire);
    static struct board_entry entry; /* too large for small stacks; under the lock */
    if (shared == NULL)
        return false;
    pthread_mutex_lock(&lock);
    entry = (struct board_entry){.rule = (int32_t)finding->rule, .code = code, .process = (int32_t)getpid()};
    error_escape(entry.sentence, sizeof entry.sentence, sentence);
    report_read_function(entry.function, entry.sentence);
    if (finding->advice != NULL)
        error_escape(entry.advice, sizeof entry.advice, finding->advice);
    for (size_t i = 0; i < FINDING_PLACES && finding->place[i].place != NULL; i++)
        keep_place(&entry, &finding->place[i]);
    if (suppressions_match(entry.rule, entry.function, entry.place[0].text.module)) {
        atomic_fetch_add_explicit(&shared->suppressed, 1, memory_order_relaxed);
        pthread_mutex_unlock(&lock);
        return false;
    }
    bool is_new;
    struct board_entry *kept = board_find(shared, key_of(&entry), &is_new);
    atomic_fetch_add_explicit(&shared->count[finding->rule], 1, memory_order_relaxed);
    for (uint32_t i = 0; (kept == NULL || is_new) && i < entry.place_count; i++)
        keep_callers(&entry.place[i], finding->place[i].place);
    if (kept != NULL)
        board_fill(kept, &entry, is_new, 1);
    if (kept == NULL || is_new)
        print_entry(&entry);
    pthread_mutex_unlock(&lock);
    return true;
}

void report_finding(const struct finding *finding, const char *format, ...)
{
    char sentence[ERROR_SENTENCE_BYTES];
    int kept_errno = errno;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    report_show(finding, 0, length >= 0 ? sentence : format);
    errno = kept_errno;
}
