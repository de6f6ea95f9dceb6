/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The verbs of the belay command: one file each. What a verb says of itself stands in its struct verb alone;
 * --help, the manual page and what shells complete are made of that.
 */
#ifndef BELAY_TOOLS_BELAY_H
#define BELAY_TOOLS_BELAY_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

/* How the command ends, besides 0: what was asked for was refused or failed; it was not understood. */
enum { STATUS_REFUSED = 1, STATUS_USAGE = 2 };

/*
 * A verb gets the words from itself on (argv[0] is "belay run", for its messages) and returns the exit status
 * of the process. It prints results to standard output and complaints to standard error.
 */
typedef int verb_function(int argc, char **argv);

/*
 * Offers what the last of the words, which begin with the verb, may become: a value of option where that is
 * not NULL, otherwise a word or an option that is not among the verb's options. See complete.h.
 */
struct completion;
typedef void verb_complete(struct completion *completion, const char *option, int count,
                           const char *const *words);

struct example {
    const char *line;  /* a command as one types it */
    const char *about; /* what it is for: no sentence */
};

/* All texts are ASCII; paragraphs of one text are separated by an empty line. */
struct verb {
    const char *name;
    const char *summary;               /* no sentence, in lower case */
    const char *words;                 /* what follows the options; NULL: nothing */
    const char *about;                 /* what it does */
    const struct argp_option *options; /* NULL: none. The argument FILE is a file to the shells */
    const char *more;                  /* what is good to know; or NULL */
    const char *status;                /* what the exit status says; NULL: 0, STATUS_REFUSED, STATUS_USAGE */
    const struct example *examples;    /* ended by one without a line */
    bool takes_program;                /* whose words, from the first one on, are not the command's */
    verb_function *run;
    verb_complete *complete; /* NULL: there is nothing to offer but options and files */
};

extern const struct verb verb_run, verb_check, verb_trace, verb_info, verb_prefix, verb_ops, verb_eval,
    verb_help;

/* All of them, in the order of the help. */
extern const struct verb *const verbs[];
extern const size_t verb_count;

/* NULL where no verb has the name. */
const struct verb *verb_find(const char *name);

/* Parses the line of a verb; --help and --usage are answered, and what is not understood ends the process. */
void verb_parse(const struct verb *verb, argp_parser_t parser, int argc, char **argv, void *input);

/* What the verb answers to this option, --help or --usage; and what it says where its line is not understood.
 */
void verb_print_help(const struct verb *verb, const char *option);
void verb_print_usage(const struct verb *verb);

/* The manual page of a verb, or of the whole command for NULL, in the language of man(7). */
void manual_print(const struct verb *verb);

/* What the last word may become, a line each; the words are those behind "belay". */
void complete_print(int count, const char *const *words);

/*
 * One line on standard error, the newline included. Control characters, which may come from names on the
 * line, are shown as \xHH, so that they neither command a terminal nor forge a line; print names with %.256s.
 */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Standard output's errors come late and are easily missed; 0, or STATUS_REFUSED with a complaint. */
int finish_output(const char *verb);

#endif
