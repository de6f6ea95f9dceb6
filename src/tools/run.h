/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Running a program on Belay's libraries, for the verbs that do.
 */
#ifndef BELAY_TOOLS_RUN_H
#define BELAY_TOOLS_RUN_H

#include <argp.h>
#include <stdbool.h>

/* argp's part for PROGRAM [ARGUMENT...]: from PROGRAM on all belongs to the program. */
error_t run_parse(int key, struct argp_state *state, char ***argv);

/* The toolkit root, the folder above the one that holds this command, in PATH_MAX bytes; false after a
 * complaint. */
bool run_find_root(const char *verb, char *root);

/* Sets the environment in which the loader gives program Belay's libraries; false after a complaint. */
bool run_prepare(const char *verb, const char *program, bool preload_is_forced);

/* Whether something of Belay reads the variable of NAME=VALUE. */
bool run_knows_variable(const char *entry);

/* Becomes argv[0]. Returns only when that fails, after a complaint, with the exit status for it. */
int run_replace(const char *verb, char **argv);

#endif
