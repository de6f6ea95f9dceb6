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

#include "runtime/error.h"

#ifndef BELAY_VERSION
#error "the build gives the version"
#endif

static const struct verb {
    const char *name;
    char *title; /* argv[0] of the verb */
    verb_function *run;
    bool takes_program; /* whose words are not the command's */
} verbs[] = {
    {"run", (char[]){"belay run"}, verb_run, true},
    {"check", (char[]){"belay check"}, verb_check, true},
    {"trace", (char[]){"belay trace"}, verb_trace, true},
    {"info", (char[]){"belay info"}, verb_info, false},
    {"prefix", (char[]){"belay prefix"}, verb_prefix, false},
    {"ops", (char[]){"belay ops"}, verb_ops, false},
    {"eval", (char[]){"belay eval"}, verb_eval, false},
};

enum { VERBS = sizeof verbs / sizeof verbs[0], OPTION_TEXT_MAX = 100 };

static const char documentation[] =
    "Runs programs that are written for Ascend NPUs on this machine, with no NPU.\v"
    "Verbs:\n"
    "  run PROGRAM [ARGUMENT...]   run a program on Belay, whatever toolkit it was built against\n"
    "  check PROGRAM [ARGUMENT...] run a program and report what it does wrong\n"
    "  trace PROGRAM [ARGUMENT...] run a program and write down what it did when\n"
    "  info                        what this Belay is and how the environment sets it up\n"
    "  prefix                      the folder that ASCEND_HOME_PATH names, with include and lib64\n"
    "  ops                         the operators, with their dtypes and accuracy\n"
    "  eval OPERATOR ...           compute an operator on arrays from files\n\n"
    "belay VERB --help says more about each.";

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
    static char help[] = "--help";
    for (; *argv && (!takes_program || (*argv)[0] == '-'); argv++) {
        const char *option = *argv;
        if (strcmp(option, "--") == 0)
            return true;
        if (strcmp(option, "-h") == 0)
            *argv = help;
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

int main(int argc, char **argv)
{
    argp_program_version = "belay " BELAY_VERSION;
    argp_err_exit_status = STATUS_USAGE;
    struct rest rest = {0};
    const struct argp argp = {.parser = parse, .args_doc = "VERB [ARGUMENT...]", .doc = documentation};
    if (!ready_options(argv + 1, "belay", true))
        return STATUS_USAGE;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &rest);
    if (strcmp(rest.argv[0], "help") == 0) {
        argp_help(&argp, stdout, ARGP_HELP_STD_HELP, (char[]){"belay"});
        return finish_output("belay help");
    }
    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(rest.argv[0], verbs[i].name) != 0)
            continue;
        rest.argv[0] = verbs[i].title;
        if (!ready_options(rest.argv + 1, verbs[i].title, verbs[i].takes_program))
            return STATUS_USAGE;
        return verbs[i].run(rest.argc, rest.argv);
    }
    complain("belay: there is no verb %.256s; run, check, trace, info, prefix, ops and eval exist",
             rest.argv[0]);
    return STATUS_USAGE;
}
