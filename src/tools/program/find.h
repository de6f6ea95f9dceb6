/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where programs are: this one, and those that it runs.
 */
#ifndef BELAY_TOOLS_PROGRAM_FIND_H
#define BELAY_TOOLS_PROGRAM_FIND_H

#include <stdbool.h>
#include <stddef.h>

/* Where PATH has the program; a name with a slash in it is the place. False when nothing can be run there. */
bool program_find(const char *name, char *path, size_t bytes);

/* The root of the installation that has this command in its bin; false where the system does not say. */
bool program_root(char *root, size_t bytes);

#endif
