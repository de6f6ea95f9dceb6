/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * belay help: what a verb says of itself, for people, for man and for shells.
 */
#include <stdio.h>
#include <string.h>

#include "tools/belay.h"
#include "tools/complete.h"

struct request {
    bool is_manual, completes;
    const char *name; /* of the verb; NULL: of the command */
    char **words;     /* to complete, ended by NULL */
};

enum { OPTION_MAN = 256, OPTION_COMPLETE };

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct request *request = state->input;
    switch (key) {
    case OPTION_MAN:
        request->is_manual = true;
        return 0;
    case OPTION_COMPLETE:
        request->completes = true;
        return 0;
    case ARGP_KEY_ARG:
        if (request->completes) {
            request->words = state->argv + state->next - 1;
            state->next = state->argc;
            return 0;
        }
        if (request->name)
            argp_error(state, "one verb at most is expected");
        request->name = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (!request->is_manual && !request->completes)
            argp_error(state, "a verb is expected");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    verb_parse(&verb_help, parse, argc, argv, &request);
    const struct verb *verb = request.name ? verb_find(request.name) : NULL;
    if (request.name && !verb) {
        complain("belay help: there is no verb %.256s; belay help lists them", request.name);
        return STATUS_USAGE;
    }
    if (request.completes) {
        int count = 0;
        while (request.words && request.words[count])
            count++;
        complete_print(count, (const char *const *)request.words);
    } else if (request.is_manual) {
        manual_print(verb);
    } else {
        verb_print_help(verb, "--help");
    }
    return finish_output("belay help");
}

static void complete(struct completion *completion, const char *option, int count, const char *const *words)
{
    (void)words;
    for (size_t i = 0; i < verb_count && !option && count <= 3; i++)
        completion_offer(completion, verbs[i]->name, verbs[i]->summary);
}

static const struct argp_option options[] = {
    {"man", OPTION_MAN, NULL, 0, "print the manual page, which man -l - shows", 0},
    {"complete", OPTION_COMPLETE, NULL, 0,
     "print what the last of the words behind -- may become, for shells", 0},
    {0}};

static const struct example examples[] = {
    {"belay help", "the verbs"},
    {"belay help trace", "one of them"},
    {"belay help --man trace | man -l -", "its manual page where none is installed"},
    {"belay help --complete -- eval silu_", "the operators that begin so"},
    {0}};

const struct verb verb_help = {
    .name = "help",
    .summary = "say more about a verb",
    .words = "[VERB]",
    .about =
        "Says what VERB does, what its options are, and how it is used; without VERB what verbs there are.",
    .options = options,
    .examples = examples,
    .run = run,
    .complete = complete,
};
