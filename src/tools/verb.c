/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The verbs, and the help of each: argp prints what it does and its options, and below them what it does not
 * know of.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/belay.h"

const struct verb *const verbs[] = {
    &verb_run, &verb_check, &verb_trace, &verb_info, &verb_prefix, &verb_ops, &verb_eval, &verb_help,
};
const size_t verb_count = sizeof verbs / sizeof verbs[0];

/* Whose help argp prints: its filter is not told. */
static const struct verb *verb_of_help;

const struct verb *verb_find(const char *name)
{
    for (size_t i = 0; i < verb_count; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

/* What follows the options, which argp frees; NULL where there is no memory for it. */
static char *describe(const struct verb *verb)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    if (verb->more)
        fprintf(stream, "%s\n\n", verb->more);
    if (verb->status)
        fprintf(stream, "%s\n\n", verb->status);
    fprintf(stream, "Examples:\n");
    for (const struct example *example = verb->examples; example->line; example++)
        fprintf(stream, "  %s\n      %s\n", example->line, example->about);
    return fclose(stream) == 0 ? text : NULL;
}

static char *add_to_help(int key, const char *text, void *input)
{
    (void)input;
    if (key == ARGP_KEY_HELP_EXTRA && verb_of_help)
        return describe(verb_of_help);
    return (char *)text; /* argp's own, which is not changed */
}

static struct argp argp_of(const struct verb *verb, argp_parser_t parser)
{
    verb_of_help = verb;
    return (struct argp){.options = verb->options,
                         .parser = parser,
                         .args_doc = verb->words,
                         .doc = verb->about,
                         .help_filter = add_to_help};
}

void verb_parse(const struct verb *verb, argp_parser_t parser, int argc, char **argv, void *input)
{
    const struct argp argp = argp_of(verb, parser);
    argp_parse(&argp, argc, argv, verb->takes_program ? ARGP_IN_ORDER : 0, NULL, input);
}

void verb_print_help(const struct verb *verb, const char *option)
{
    const struct argp argp = argp_of(verb, NULL);
    char title[64], word[16];
    snprintf(title, sizeof title, "belay %s", verb->name);
    snprintf(word, sizeof word, "%s", option);
    char *line[] = {title, word, NULL};
    argp_parse(&argp, 2, line, ARGP_NO_EXIT, NULL, NULL);
}

void verb_print_usage(const struct verb *verb)
{
    const struct argp argp = argp_of(verb, NULL);
    char title[64];
    snprintf(title, sizeof title, "belay %s", verb->name);
    argp_help(&argp, stderr, ARGP_HELP_USAGE | ARGP_HELP_SEE, title);
}
