/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads the board of belay check when the program has ended. A process that was killed while it reported may
 * have left an entry that is not whole, which is passed over.
 */
#include "tools/check_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output_file.h"
#include "tools/source_line.h"

static const char *const titles[RULES] = {
    [RULE_HANDLE] = "NULL, forged or wrong handle",
    [RULE_DESTROYED] = "use of something that was destroyed",
    [RULE_EXECUTOR] = "executor that has run, or of another operator",
    [RULE_WORKSPACE] = "workspace too small, not device memory, or overlapping an operand",
    [RULE_VIEW] = "view that leaves its memory",
    [RULE_PLACE] = "host memory for device memory, or the reverse",
    [RULE_HOST_TOUCH] = "device memory touched by the host",
    [RULE_FREE] = "use of freed memory, or free of what is no live block",
    [RULE_COPY] = "access past the end of an allocation",
    [RULE_NEVER_WRITTEN] = "read of memory that was never written",
    [RULE_NO_WAIT] = "use by the host of what queued work still needs or makes",
    [RULE_RACE] = "work on two streams, of which neither waits for the other",
    [RULE_HOST_SOURCE] = "host memory that changed or died before a queued copy ran",
    [RULE_SELF_OVERLAP] = "output that overlaps itself",
    [RULE_OWNER] = "stream, event or context of another owner",
    [RULE_EVENT] = "event asked for what it has not",
    [RULE_LEAK] = "what is alive at the end",
    [RULE_ORDER] = "call that is missing, or comes too early",
    [RULE_ALIGNMENT] = "address that is not aligned to its elements",
    [RULE_SIZE] = "memory whose size does not fit its elements",
    [RULE_STATE] = "call without a context, in a forked child, or from a callback that would wait for itself",
    [RULE_NUMBER] = "NaN or infinity out of finite inputs",
    [RULE_CALL] = "call that failed",
    [RULE_WORK] = "work that failed while it ran",
    [RULE_COLLECTIVE] = "ranks that do not call the same collectives",
    [RULE_KERNEL] = "mistake of a kernel",
};

/* Each is a process of its own. */
enum { LOOKED_UP_MAX = 100 };

typedef void visit(const struct board_entry *entry, uint64_t count, void *context);

static void for_each_entry(struct board *board, visit *body, void *context)
{
    uint32_t used = atomic_load(&board->used);
    for (uint32_t i = 0; i < used && i < BOARD_ENTRIES; i++) {
        const struct board_entry *entry = &board->entry[i];
        if (atomic_load_explicit(&entry->is_whole, memory_order_acquire) != 0)
            body(entry, atomic_load(&entry->count), context);
    }
}

/* The place of a report in words: the line of a Python program, or the module and the offset. */
static void print_place(FILE *out, const struct board_place *place)
{
    const char *slash = strrchr(place->text.module, '/');
    if (place->text.line[0] != '\0')
        fprintf(out, " at %s", place->text.line);
    else if (place->text.module[0] != '\0')
        fprintf(out, " at %s+0x%llx", slash != NULL ? slash + 1 : place->text.module,
                (unsigned long long)place->text.offset);
}

static void print_repeated(const struct board_entry *entry, uint64_t count, void *context)
{
    (void)context;
    if (count < 2)
        return;
    fprintf(stderr, "belay check:   DC-%03d %s%s", entry->rule, entry->function[0] != '\0' ? "of " : "",
            entry->function);
    if (entry->place_count > 0)
        print_place(stderr, &entry->place[0]);
    fprintf(stderr, ": and %llu more\n", (unsigned long long)(count - 1));
}

/* The lines that have been printed, as many as are looked up. */
struct lines {
    uint32_t count;
    const struct place_text *text[LOOKED_UP_MAX];
};

/* Lines of C and C++, which the program itself did not look for while it ran. Each is told once. */
static void find_line(struct place_text *text, struct lines *lines)
{
    if (text->line[0] != '\0' || text->module[0] == '\0' || lines->count == LOOKED_UP_MAX)
        return;
    for (uint32_t i = 0; i < lines->count; i++)
        if (lines->text[i]->offset == text->offset && strcmp(lines->text[i]->module, text->module) == 0) {
            *text = *lines->text[i];
            return;
        }
    lines->text[lines->count++] = text;
    if (!source_line_find(text))
        return;
    const char *slash = strrchr(text->module, '/');
    fprintf(stderr, "belay check:   %s+0x%llx is %s\n", slash != NULL ? slash + 1 : text->module,
            (unsigned long long)text->offset, text->line);
}

static void find_lines(struct board *board)
{
    static struct lines lines;
    uint32_t used = atomic_load(&board->used);
    for (uint32_t i = 0; i < used && i < BOARD_ENTRIES; i++) {
        struct board_entry *entry = &board->entry[i];
        if (atomic_load_explicit(&entry->is_whole, memory_order_acquire) == 0)
            continue;
        for (uint32_t j = 0; j < entry->place_count && j < FINDING_PLACES; j++) {
            struct board_place *place = &entry->place[j];
            find_line(&place->text, &lines);
            for (uint32_t k = 0; k < place->caller_count && k < PLACE_CALLERS; k++)
                find_line(&place->caller[k], &lines);
        }
    }
}

uint64_t check_summarise(struct board *board)
{
    uint64_t total = 0, suppressed = atomic_load(&board->suppressed);
    for (int rule = 0; rule < RULES; rule++)
        total += atomic_load(&board->count[rule]);
    fprintf(stderr, "belay check: %llu report%s\n", (unsigned long long)total, total == 1 ? "" : "s");
    for (int rule = 0; rule < RULES; rule++) {
        uint64_t count = atomic_load(&board->count[rule]);
        if (count > 0)
            fprintf(stderr, "belay check:   DC-%03d %6llu  %s\n", rule, (unsigned long long)count,
                    titles[rule] != NULL ? titles[rule] : "");
    }
    for_each_entry(board, print_repeated, NULL);
    if (suppressed > 0)
        fprintf(stderr, "belay check: %llu more left out: %s\n", (unsigned long long)suppressed,
                getenv("BELAY_CHECK_SUPPRESSIONS") != NULL
                    ? "suppressed, or known of libraries that PyTorch brings"
                    : "known of libraries that PyTorch brings");
    find_lines(board);
    return total;
}

/* The text is escaped for terminals and logs already, so that only JSON's own characters are left. */
static void write_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": \"", name);
    for (; *text != '\0'; text++)
        fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', out);
}

static void write_frame(FILE *out, const struct place_text *text)
{
    write_text(out, "module", text->module);
    fprintf(out, ", \"offset\": %llu, ", (unsigned long long)text->offset);
    write_text(out, "symbol", text->symbol);
    fputs(", ", out);
    write_text(out, "line", text->line);
}

static void write_place(FILE *out, const struct board_place *place)
{
    fputs("{", out);
    write_text(out, "what", place->what);
    fputs(", ", out);
    write_text(out, "function", place->function);
    fprintf(out, ", \"call\": %llu, ", (unsigned long long)place->number);
    write_frame(out, &place->text);
    fputs(",\n                 \"callers\": [", out);
    for (uint32_t i = 0; i < place->caller_count && i < PLACE_CALLERS; i++) {
        fputs(i > 0 ? ",\n                             {" : "{", out);
        write_frame(out, &place->caller[i]);
        fputs("}", out);
    }
    fputs("]}", out);
}

/* Calls that succeed, but leave something undone, are warnings. */
static const char *severity_of(int rule)
{
    return rule == RULE_LEAK || rule == RULE_ORDER || rule == RULE_SIZE || rule == RULE_NUMBER ? "warning"
                                                                                               : "error";
}

struct document {
    FILE *out;
    bool has_any;
};

static void write_entry(const struct board_entry *entry, uint64_t count, void *context)
{
    struct document *document = (struct document *)context;
    FILE *out = document->out;
    fprintf(out, "%s\n    {\"rule\": \"DC-%03d\", ", document->has_any ? "," : "", entry->rule);
    document->has_any = true;
    write_text(out, "severity", severity_of(entry->rule));
    fputs(", ", out);
    write_text(out, "title", titles[entry->rule] != NULL ? titles[entry->rule] : "");
    fprintf(out, ", \"count\": %llu, \"process\": %d, \"code\": %d,\n     ", (unsigned long long)count,
            entry->process, entry->code);
    write_text(out, "function", entry->function);
    fputs(", ", out);
    write_text(out, "sentence", entry->sentence);
    fputs(",\n     ", out);
    write_text(out, "advice", entry->advice);
    fputs(",\n     \"places\": [", out);
    for (uint32_t i = 0; i < entry->place_count && i < FINDING_PLACES; i++) {
        fputs(i > 0 ? ",\n                " : "", out);
        write_place(out, &entry->place[i]);
    }
    fputs("]}", out);
}

bool check_write_json(struct board *board, const char *path, int status)
{
    char *text = NULL;
    size_t length = 0;
    uint64_t total = 0;
    struct fault fault;
    struct document document = {.out = open_memstream(&text, &length)};
    if (document.out == NULL) {
        fprintf(stderr, "belay check: %.256s: %s\n", path, strerror(errno));
        return false;
    }
    for (int rule = 0; rule < RULES; rule++)
        total += atomic_load(&board->count[rule]);
    fprintf(document.out,
            "{\"version\": 1, \"status\": %d, \"processes\": %llu, \"total\": %llu, \"suppressed\": %llu,\n"
            "  \"reports\": [",
            status, (unsigned long long)atomic_load(&board->processes), (unsigned long long)total,
            (unsigned long long)atomic_load(&board->suppressed));
    for_each_entry(board, write_entry, &document);
    fputs("]}\n", document.out);
    bool is_whole = ferror(document.out) == 0;
    is_whole = fclose(document.out) == 0 && is_whole;
    struct piece piece = {text, length};
    bool is_written = is_whole && output_file_write(path, &piece, 1, &fault);
    if (!is_whole)
        fprintf(stderr, "belay check: there is no memory for %.256s\n", path);
    else if (!is_written)
        fprintf(stderr, "belay check: %s\n", fault.text);
    free(text);
    return is_written;
}
