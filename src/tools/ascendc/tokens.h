/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The tokens of a C++ source that has been preprocessed, as far as a search for launches and kernels has to know them.
 */
#ifndef BELAY_TOOLS_ASCENDC_TOKENS_H
#define BELAY_TOOLS_ASCENDC_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_MARK /* one character */ };

struct token {
    enum token_kind kind;
    size_t at, length;
};

struct tokens {
    const char *text; /* not owned */
    struct token *token;
    size_t count, room;
};

/* Comments, spaces and lines of the preprocessor are none. */
void tokens_read(struct tokens *tokens, const char *text);
void tokens_free(struct tokens *tokens);

/* Whether the token `at` is this word, or mark. False where there is no such token. */
bool token_is(const struct tokens *tokens, size_t at, const char *text);

/* Whether so many of the mark stand side by side from `at` on, with nothing between. */
bool tokens_are(const struct tokens *tokens, size_t at, char mark, size_t count);

/* The mark that closes the one `at`, of ( [ {; or the one that opens that of ) ] }; tokens->count, or 0, where none
 * does. */
size_t token_closing(const struct tokens *tokens, size_t at);
size_t token_opening(const struct tokens *tokens, size_t at);

/* The same for < and >, with what is in brackets passed over. */
size_t token_opening_angle(const struct tokens *tokens, size_t at);
size_t token_closing_angle(const struct tokens *tokens, size_t at);

#endif
