/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The table of states, which a script writes from proofs, suites and tests (scripts/states.py).
 */
#include "tools/state.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum state { STATE_PROVED, STATE_SUITE, STATE_REFERENCE, STATE_REFUSED };

/*
 * what: of a proof the dtypes, with blanks between them; of a suite its name. by: the file that proves, the
 * suite's cases, with commas, or the tests that have the reference, with blanks.
 */
struct row {
    const char *function;
    enum state state;
    const char *what, *by;
};

static const struct row rows[] = {
#include "tools/states.inc"
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* The rows of a function stand together; behind the last one is `end`. */
static const struct row *rows_of(const char *function, const struct row **end)
{
    const struct row *row = rows;
    while (row < rows + ROWS && strcmp(row->function, function) != 0)
        row++;
    *end = row;
    while (*end < rows + ROWS && strcmp((*end)->function, function) == 0)
        (*end)++;
    return row;
}

static const char *reason_of(const char *word)
{
    return strcmp(word, "upgrade") == 0 ? "exported, since a later CANN would be asked for without it"
                                        : "exported, since an installation would seem broken without it";
}

void state_print(const char *function)
{
    const struct row *end, *row = rows_of(function, &end);
    for (const char *title = "state"; row < end; row++, title = "") {
        printf("  %-33s", title);
        switch (row->state) {
        case STATE_PROVED:
            printf("proved over all inputs, %s: %s\n", row->what, row->by);
            break;
        case STATE_SUITE:
            printf("compared with %s: %s\n", row->what, row->by);
            break;
        case STATE_REFERENCE:
            printf("compared with a reference of its own: %s\n", row->by);
            break;
        case STATE_REFUSED:
            printf("refused: not in this release (561000); %s\n", reason_of(row->by));
            break;
        }
    }
}

static void print_list(const char *member, const char *texts, const char *separators)
{
    printf(", \"%s\": [", member);
    for (const char *at = texts; *at; at += strspn(at, separators)) {
        const size_t length = strcspn(at, separators);
        printf("%s\"%.*s\"", at == texts ? "" : ", ", (int)length, at);
        at += length;
    }
    printf("]");
}

void state_print_json(const char *function)
{
    const struct row *end, *row = rows_of(function, &end);
    printf(", \"states\": [");
    for (const char *separator = ""; row < end; row++, separator = ", ") {
        printf("%s{\"state\": ", separator);
        switch (row->state) {
        case STATE_PROVED:
            printf("\"proved\"");
            print_list("dtypes", row->what, " ");
            print_list("by", row->by, " ");
            break;
        case STATE_SUITE:
            printf("\"suite\", \"suite\": \"%s\"", row->what);
            print_list("cases", row->by, ", ");
            break;
        case STATE_REFERENCE:
            printf("\"reference\"");
            print_list("by", row->by, " ");
            break;
        case STATE_REFUSED:
            printf("\"refused\", \"reason\": \"%s\"", reason_of(row->by));
            break;
        }
        printf("}");
    }
    printf("]");
}

void state_print_cell(const char *function)
{
    const struct row *end, *row = rows_of(function, &end);
    for (const char *separator = ""; row < end; row++, separator = "; ") {
        printf("%s", separator);
        if (row->state == STATE_PROVED)
            printf("proved: %s", row->what);
        else
            printf("%s", row->state == STATE_SUITE       ? row->what
                         : row->state == STATE_REFERENCE ? "own reference"
                                                         : "refused");
    }
}

const char *state_refused(const char *name)
{
    for (const struct row *row = rows; row < rows + ROWS; row++)
        if (row->state == STATE_REFUSED &&
            (strcasecmp(row->function, name) == 0 || strcasecmp(row->function + strlen("aclnn"), name) == 0))
            return row->function;
    return NULL;
}

const char *state_next_refused(const char *previous)
{
    bool is_behind = previous == NULL;
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        if (row->state == STATE_REFUSED && is_behind)
            return row->function;
        is_behind = is_behind || row->function == previous;
    }
    return NULL;
}
