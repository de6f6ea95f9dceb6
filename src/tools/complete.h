/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What shells complete, for `belay help --complete`: the shells' own files know no verb and no option. Each
 * line is a word, with a tab and what it is for where that is known; or what the shell knows better:
 * ":files", or ":program N" where the words from N on are a line of their own.
 */
#ifndef BELAY_TOOLS_COMPLETE_H
#define BELAY_TOOLS_COMPLETE_H

struct completion {
    const char *word;  /* as it is on the line so far */
    const char *begin; /* the part of it that an offer replaces: the word's end */
};

/* Prints the word, behind what an offer does not replace, where it begins as the line does. */
void completion_offer(const struct completion *completion, const char *offer, const char *about);

/* Offers --NAME. */
void completion_offer_option(const struct completion *completion, const char *name, const char *about);

/* Offers replace the last element of a list alone. */
void completion_skip_list(struct completion *completion, char separator);

/* The shell offers files. */
void completion_offer_files(void);

#endif
