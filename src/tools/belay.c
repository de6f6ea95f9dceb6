/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The belay command: finds the verb and hands the rest of the line to it.
 */
#include "tools/belay.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/name_distance.h"
#include "tools/build_version.h"
#include "tools/operator_name.h"

enum { OPTION_TEXT_MAX = 100 };

static const char documentation[] =
    "Runs programs that are written for Ascend NPUs on this machine, with no NPU.";

/* The words from the verb on. */
struct rest {
    int argc;
    char **argv;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct rest *rest = state->input;
    (void)argument;
    if (key == ARGP_KEY_ARG) {
        /* The verb: what follows is the verb's own affair. */
        rest->argv = state->argv + state->next - 1;
        rest->argc = state->argc - state->next + 1;
        state->next = state->argc;
        return 0;
    }
    if (key == ARGP_KEY_NO_ARGS)
        argp_usage(state);
    return ARGP_ERR_UNKNOWN;
}

/* The list of verbs, below the options; argp frees it. */
static char *list_verbs(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_EXTRA)
        return (char *)text; /* argp's own, which is not changed */
    char *list = NULL;
    size_t size;
    FILE *stream = open_memstream(&list, &size);
    if (!stream)
        return NULL;
    fprintf(stream, "Verbs:\n");
    for (size_t i = 0; i < verb_count; i++)
        fprintf(stream, "  %-8s %s\n", verbs[i]->name, verbs[i]->summary);
    fprintf(stream, "\nbelay VERB --help says more about each, with examples; so does man belay-VERB.");
    return fclose(stream) == 0 ? list : NULL;
}

void complain(const char *format, ...)
{
    char raw[2048], escaped[2048];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    /* What the library said ends its line itself. */
    if (length > 0 && (size_t)length < sizeof raw && raw[length - 1] == '\n')
        raw[length - 1] = 0;
    error_escape(escaped, sizeof escaped, length >= 0 ? raw : format);
    fprintf(stderr, "%s\n", escaped);
}

int finish_output(const char *verb)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    complain("%s: writing to standard output failed: %s", verb, strerror(errno));
    return STATUS_REFUSED;
}

/*
 * Readies the options for argp: it has -? for help but not -h, and would print an option that it does not
 * know as it is. False after a complaint.
 */
static bool ready_options(char **argv, const char *title, bool takes_program)
{
    static char help[] = "--help", version[] = "--version";
    for (; *argv && (!takes_program || (*argv)[0] == '-'); argv++) {
        const char *option = *argv;
        if (strcmp(option, "--") == 0)
            return true;
        if (strcmp(option, "-h") == 0)
            *argv = help;
        if (strcmp(option, "-v") == 0)
            *argv = version;
        size_t length = option[0] == '-' ? strcspn(option, "=") : 0;
        bool is_odd = length > OPTION_TEXT_MAX;
        for (size_t i = 0; i < length; i++)
            is_odd = is_odd || iscntrl((unsigned char)option[i]);
        if (is_odd) {
            complain("%s: %.256s is not an option", title, option);
            return false;
        }
    }
    return true;
}

/* The verb that a misspelt word may mean, or NULL. */
static const char *nearest_verb(const char *word)
{
    struct nearest_name nearest = nearest_name_to(word);
    for (size_t i = 0; i < verb_count; i++)
        nearest_name_try(&nearest, verbs[i]->name);
    return nearest.name;
}

int main(int argc, char **argv)
{
    argp_program_version = "belay " BELAY_BUILD_VERSION;
    argp_err_exit_status = STATUS_USAGE;
    struct rest rest = {0};
    const struct argp argp = {
        .parser = parse, .args_doc = "VERB [ARGUMENT...]", .doc = documentation, .help_filter = list_verbs};
    if (!ready_options(argv + 1, "belay", true))
        return STATUS_USAGE;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &rest);
    if (strcmp(rest.argv[0], "version") == 0) {
        puts(argp_program_version);
        return finish_output("belay version");
    }
    const struct verb *verb = verb_find(rest.argv[0]);
    if (!verb) {
        const char *near = nearest_verb(rest.argv[0]);
        complain("belay: there is no verb %.256s%s%s; belay help lists them", rest.argv[0],
                 near ? "; did you mean " : "", near ? near : "");
        return STATUS_USAGE;
    }
    static char title[64]; /* argv[0] of the verb */
    snprintf(title, sizeof title, "belay %s", verb->name);
    rest.argv[0] = title;
    if (verb == &verb_help && rest.argc == 1) {
        const struct argp help = {.args_doc = argp.args_doc, .doc = documentation, .help_filter = list_verbs};
        argp_parse(&help, 2, (char *[]){(char[]){"belay"}, (char[]){"--help"}, NULL}, ARGP_NO_EXIT, NULL,
                   NULL);
        return finish_output(title);
    }
    if (!ready_options(rest.argv + 1, title, verb->takes_program))
        return STATUS_USAGE;
    return verb->run(rest.argc, rest.argv);
}
