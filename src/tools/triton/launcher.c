/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * triton-ascend asks its compiler for targets before anything else, and compiles C++ against Python's headers afterwards:
 * where either is missing it fails in a compiler's words, behind which nobody sees what to install. So it is said when
 * the targets are asked for.
 */
#include "tools/triton/launcher.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/program/find.h"

static void tell_missing_compiler(const char *name)
{
    const char *given = getenv("CC");
    char path[PATH_MAX];
    if (given != NULL ? program_find(given, path, sizeof path)
                      : program_find("clang++", path, sizeof path) || program_find("g++", path, sizeof path))
        return;
    if (given != NULL)
        fprintf(stderr,
                "%s: Triton's launchers are compiled by the C++ compiler that CC names, %s, which cannot be "
                "run\n",
                name, given);
    else
        fprintf(stderr,
                "%s: Triton's launchers are compiled by a C++ compiler, and there is none: install g++\n",
                name);
}

/* The headers of BIN/python3.11 are in BIN/../include/python3.11. */
static void tell_missing_headers(const char *name, const char *python)
{
    const char *slash = strrchr(python, '/');
    const char *program = slash + 1;
    char path[PATH_MAX + 32];
    const int folder = (int)(slash - python);
    if (strncmp(program, "python3.", 8) != 0)
        return;
    snprintf(path, sizeof path, "%.*s/../include/%s/Python.h", folder, python, program);
    if (access(path, R_OK) == 0)
        return;
    fprintf(stderr, "%s: Triton's launchers need the headers of %s, and there is no %s: install %s-dev\n",
            name, program, path, program);
}

void launcher_tell_missing(const char *name)
{
    char link[64], python[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/exe", (int)getppid());
    const ssize_t length = readlink(link, python, sizeof python - 1);
    if (length <= 0)
        return;
    python[length] = '\0';
    const char *slash = strrchr(python, '/');
    if (slash == NULL || strncmp(slash + 1, "python", 6) != 0)
        return;
    tell_missing_compiler(name);
    tell_missing_headers(name, python);
}
