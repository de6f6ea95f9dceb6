/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The belay command: finds the verb and hands the rest of the line to it.
 */
#include "tools/belay.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#ifndef BELAY_VERSION
#error "the build gives the version"
#endif

static const struct verb {
    const char *name;
    char *title; /* argv[0] of the verb */
    verb_function *run;
} verbs[] = {
    {"run", (char[]){"belay run"}, verb_run},       {"check", (char[]){"belay check"}, verb_check},
    {"trace", (char[]){"belay trace"}, verb_trace}, {"info", (char[]){"belay info"}, verb_info},
    {"ops", (char[]){"belay ops"}, verb_ops},       {"eval", (char[]){"belay eval"}, verb_eval},
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

static const char documentation[] =
    "Runs programs that are written for Ascend NPUs on this machine, with no NPU.\v"
    "Verbs:\n"
    "  run PROGRAM [ARGUMENT...]   run a program on Belay, whatever toolkit it was built against\n"
    "  check PROGRAM [ARGUMENT...] run a program and report what it does wrong\n"
    "  trace PROGRAM [ARGUMENT...] run a program and write down what it did when\n"
    "  info                        what this Belay is and how the environment sets it up\n"
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

int finish_output(const char *verb)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    fprintf(stderr, "%s: writing to standard output failed: %s\n", verb, strerror(errno));
    return STATUS_REFUSED;
}

int main(int argc, char **argv)
{
    argp_program_version = "belay " BELAY_VERSION;
    argp_err_exit_status = STATUS_USAGE;
    struct rest rest = {0};
    const struct argp argp = {.parser = parse, .args_doc = "VERB [ARGUMENT...]", .doc = documentation};
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &rest);
    if (strcmp(rest.argv[0], "help") == 0) {
        argp_help(&argp, stdout, ARGP_HELP_STD_HELP, (char[]){"belay"});
        return finish_output("belay help");
    }
    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(rest.argv[0], verbs[i].name) != 0)
            continue;
        rest.argv[0] = verbs[i].title;
        return verbs[i].run(rest.argc, rest.argv);
    }
    fprintf(stderr, "belay: there is no verb %s; run, check, trace, info, ops and eval exist\n",
            rest.argv[0]);
    return STATUS_USAGE;
}
