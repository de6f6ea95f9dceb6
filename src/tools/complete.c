/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Completes a line of the command from what the verbs say of themselves.
 */
#include "tools/complete.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tools/belay.h"

enum { OPTION_TEXT = 64 };

void completion_offer(const struct completion *completion, const char *offer, const char *about)
{
    if (strncmp(offer, completion->begin, strlen(completion->begin)) == 0)
        printf("%.*s%s%s%s\n", (int)(completion->begin - completion->word), completion->word, offer,
               about ? "\t" : "", about ? about : "");
}

void completion_offer_option(const struct completion *completion, const char *name, const char *about)
{
    char option[OPTION_TEXT];
    snprintf(option, sizeof option, "--%s", name);
    completion_offer(completion, option, about);
}

void completion_skip_list(struct completion *completion, char separator)
{
    const char *last = strrchr(completion->begin, separator);
    if (last)
        completion->begin = last + 1;
}

void completion_offer_files(void)
{
    puts(":files");
}

/* The option that a word names, as --only, --only=leak or -o; NULL where the verb has none like it. */
static const struct argp_option *find_option(const struct verb *verb, const char *word)
{
    size_t length = strcspn(word, "=");
    for (const struct argp_option *option = verb->options; option && (option->name || option->key);
         option++) {
        if (option->flags & OPTION_DOC)
            continue;
        if (length == 2 && isprint(option->key) && word[1] == option->key)
            return option;
        if (word[1] == '-' && length == strlen(option->name) + 2 &&
            strncmp(word + 2, option->name, length - 2) == 0)
            return option;
    }
    return NULL;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1];
}

/* Whether the word is an option whose value is the next word. What no table names is an operator's. */
static bool wants_value(const struct verb *verb, const char *word)
{
    if (!is_option(word) || strchr(word, '='))
        return false;
    const struct argp_option *option = find_option(verb, word);
    return option ? option->arg != NULL : verb == &verb_eval && strncmp(word, "--", 2) == 0;
}

/* The value of the option in `word`, which --NAME=VALUE has in the same word. */
static void offer_values(const struct verb *verb, const char *word, struct completion *completion, int count,
                         const char *const *words)
{
    const struct argp_option *option = find_option(verb, word);
    char name[OPTION_TEXT] = "";
    if (option && option->arg && strcmp(option->arg, "FILE") == 0) {
        completion_offer_files();
    } else if (verb->complete) {
        if (option)
            snprintf(name, sizeof name, "%s", option->name);
        else if (strncmp(word, "--", 2) == 0)
            snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
        verb->complete(completion, name, count, words);
    }
}

static void offer_options(const struct verb *verb, struct completion *completion)
{
    for (const struct argp_option *option = verb->options; option && option->name; option++)
        if (!(option->flags & (OPTION_DOC | OPTION_HIDDEN)))
            completion_offer_option(completion, option->name, option->doc);
    completion_offer_option(completion, "help", "what it does, its options, examples");
}

/* Where the words of PROGRAM begin, or count. */
static int find_program(const struct verb *verb, int count, const char *const *words)
{
    int at = 1;
    while (at < count && is_option(words[at]) && strcmp(words[at], "--") != 0)
        at += 1 + wants_value(verb, words[at]);
    return at < count && strcmp(words[at], "--") == 0 ? at + 1 : at;
}

static void complete_verb(const struct verb *verb, int count, const char *const *words)
{
    const char *word = words[count - 1], *before = words[count - 2];
    struct completion completion = {word, word};
    if (verb->takes_program) {
        int program = find_program(verb, count, words);
        if (program < count) {
            printf(":program %d\n", program + 1); /* the shell counts "belay", too */
            return;
        }
    }
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    if (equals) {
        completion.begin = equals + 1;
        offer_values(verb, word, &completion, count, words);
    } else if (wants_value(verb, before)) {
        offer_values(verb, before, &completion, count, words);
    } else {
        if (word[0] == '-')
            offer_options(verb, &completion);
        if (verb->complete)
            verb->complete(&completion, NULL, count, words);
    }
}

void complete_print(int count, const char *const *words)
{
    if (count > 1) {
        const struct verb *verb = verb_find(words[0]);
        if (verb)
            complete_verb(verb, count, words);
        return;
    }
    const char *word = count > 0 ? words[0] : "";
    const struct completion completion = {word, word};
    for (size_t i = 0; i < verb_count; i++)
        completion_offer(&completion, verbs[i]->name, verbs[i]->summary);
    if (word[0] == '-') {
        completion_offer_option(&completion, "help", "the verbs");
        completion_offer_option(&completion, "version", "the version");
    }
}
