/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Manual pages, in the language of man(7), of what the verbs say of themselves.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/belay.h"

/* Sources wrap, too: mandoc -Tlint asks for it. */
enum { COLUMNS = 72 };

static const char variables_text[] =
    "The variables BELAY_SOC (the product), BELAY_DEVICES (how many), BELAY_THREADS, BELAY_MEMORY, "
    "BELAY_CHECK "
    "and others set the libraries up. belay info prints those that are set and what follows from them; "
    "environment.md of the documents describes all.";
static const char status_text[] =
    "0, 1 where what was asked for was refused or failed, 2 where it was not understood.";

/* One character, so that no device of troff makes another of it: hyphens that one types stay hyphens. */
static void put_literally(char character)
{
    if (character == '\\')
        fputs("\\e", stdout);
    else if (character == '-')
        fputs("\\-", stdout);
    else if (character == '\'')
        fputs("\\(aq", stdout);
    else if (character == '^' || character == '`' || character == '~')
        printf("\\(%s", character == '^' ? "ha" : character == '`' ? "ga" : "ti");
    else
        putchar(character);
}

/* A text that one types: no line ends in it, and its begin is not what troff takes for a request. */
static void put_words(const char *text)
{
    fputs("\\%", stdout);
    for (; *text; text++)
        if (*text == ' ')
            fputs("\\ ", stdout);
        else
            put_literally(*text);
}

/* Names are not divided; a word of the text may be, unless it is one. */
static bool is_name(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (strchr("_=/:-", word[i]) || (word[i] == '.' && i + 1 < length) ||
            (i > 0 && isupper((unsigned char)word[i])))
            return true;
    return false;
}

/* Text, an empty line of which begins a paragraph by the given macro. */
static void put_text(const char *text, const char *paragraph)
{
    size_t column = 0;
    while (*text) {
        if (text[0] == '\n' && text[1] == '\n') {
            printf("\n%s\n", paragraph);
            column = 0;
        }
        size_t blank = strspn(text, " \n"), length = strcspn(text + blank, " \n");
        text += blank;
        if (length == 0)
            break;
        if (column > 0 && column + 1 + length > COLUMNS) {
            putchar('\n');
            column = 0;
        } else if (column > 0) {
            putchar(' ');
            column++;
        }
        /* Either keeps troff from taking the word for a request, too. */
        if (is_name(text, length))
            fputs("\\%", stdout);
        else if (column == 0 && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        for (size_t i = 0; i < length; i++)
            put_literally(text[i]);
        column += length;
        text += length;
    }
    putchar('\n');
}

static void put_section(const char *title)
{
    printf(".SH %s\n", title);
}

/* SOURCE_DATE_EPOCH makes a build repeatable. */
static void put_date(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    time_t now = epoch && *epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    struct tm day;
    char text[32] = "";
    if (gmtime_r(&now, &day))
        strftime(text, sizeof text, "%Y-%m-%d", &day);
    printf("%s", text);
}

/* The title, the section NAME and the begin of the synopsis. */
static void put_head(const char *name, const char *summary)
{
    printf(".TH ");
    for (const char *letter = name; *letter; letter++)
        putchar(toupper((unsigned char)*letter));
    printf(" 1 ");
    put_date();
    printf(" \"%s\" \"User Commands\"\n", argp_program_version);
    put_section("NAME");
    put_words(name);
    printf(" \\- ");
    put_text(summary, ".PP");
    put_section("SYNOPSIS");
}

static void put_option(const struct argp_option *option)
{
    bool has_letter = isprint(option->key) && option->key < 256;
    printf(".TP\n\\fB");
    if (option->flags & OPTION_DOC) {
        put_words(option->name);
        printf("\\fR\n");
    } else {
        if (has_letter)
            printf("\\-%c\\fR, \\fB", option->key);
        printf("\\-\\-");
        put_words(option->name);
        printf("\\fR");
        if (option->arg)
            printf("=\\fI%s\\fR", option->arg);
        putchar('\n');
    }
    put_text(option->doc, ".IP");
}

static void put_see_also(const struct verb *verb)
{
    put_section("SEE ALSO");
    if (verb)
        printf(".BR belay (1)");
    for (size_t i = 0, named = verb != NULL; i < verb_count; i++)
        if (verbs[i] != verb)
            printf("%s.BR belay\\-%s (1)", named++ ? ",\n" : "", verbs[i]->name);
    printf("\n.PP\nThe documents, in\n.I share/doc/belay\nof the folder that Belay was installed to.\n");
}

static void put_command(void)
{
    put_head("belay", "programs for Ascend NPUs on any Linux machine, with no NPU");
    printf(".B belay\n.I VERB\n.RI [ ARGUMENT ...]\n");
    put_section("DESCRIPTION");
    put_text("Runs programs that are written for Ascend NPUs (acl runtime, aclnn operators, PyTorch with its "
             "torch_npu wheel) on this machine, with no NPU, and helps to find what is wrong with them. What "
             "each verb does, and its options, has a page of its own.",
             ".PP");
    put_section("VERBS");
    for (size_t i = 0; i < verb_count; i++) {
        printf(".TP\n.BR belay\\-%s (1)\n", verbs[i]->name);
        put_text(verbs[i]->summary, ".IP");
    }
    put_section("OPTIONS");
    printf(".TP\n\\fB\\-\\-help\\fR\nprint the verbs\n.TP\n\\fB\\-\\-version\\fR\nprint the version\n");
}

static void put_verb(const struct verb *verb)
{
    char name[64];
    snprintf(name, sizeof name, "belay-%s", verb->name);
    put_head(name, verb->summary);
    printf(".B belay %s\n.RI [ OPTION ...]\\&\n", verb->name);
    if (verb->words)
        put_text(verb->words, ".PP");
    put_section("DESCRIPTION");
    put_text(verb->about, ".PP");
    if (verb->more) {
        printf(".PP\n");
        put_text(verb->more, ".PP");
    }
    put_section("OPTIONS");
    for (const struct argp_option *option = verb->options; option && option->name; option++)
        put_option(option);
    printf(".TP\n\\fB\\-?\\fR, \\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint what this page says\n");
}

void manual_print(const struct verb *verb)
{
    if (verb)
        put_verb(verb);
    else
        put_command();
    put_section("EXIT STATUS");
    put_text(verb && verb->status ? verb->status : status_text, ".PP");
    put_section("ENVIRONMENT");
    put_text(variables_text, ".PP");
    if (verb) {
        put_section("EXAMPLES");
        for (const struct example *example = verb->examples; example->line; example++) {
            printf(".TP\n\\fB");
            put_words(example->line);
            printf("\\fR\n");
            put_text(example->about, ".IP");
        }
    }
    put_see_also(verb);
}
