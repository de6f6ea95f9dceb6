/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reports that nobody wants to see, by rule, function and module.
 */
#ifndef BELAY_CHECK_SUPPRESSION_H
#define BELAY_CHECK_SUPPRESSION_H

#include <stdbool.h>
#include <stddef.h>

enum { SUPPRESSIONS_MAX = 256 };

/*
 * Reads a file of lines `RULE FUNCTION [MODULE]`, each a pattern as the shell has them: DC-017 aclCreate*
 * libother.so. Empty lines and what follows a # are passed over. False with a sentence of what is wrong.
 */
bool suppressions_read(const char *path, char *sentence, size_t bytes);

/* Whether reports of the rule, of the function (may be empty) and of calls from the module (a path; may be
 * empty) are not to be shown. */
bool suppressions_match(int rule, const char *function, const char *module);

#endif
