/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * belay run: replaces itself by the program, in an environment in which the loader finds Belay's libraries
 * for the names that the program was linked with.
 *
 * LD_LIBRARY_PATH is enough for most programs. It is searched after a DT_RPATH (one without a DT_RUNPATH
 * beside it), and not at all for a library that is named with its folder; then the libraries are preloaded,
 * which settles the names before the program's own wishes are looked at.
 */
#include "tools/belay.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/elf_needs.h"
#include "tools/run.h"

enum { PRELOAD_TEXT = 8 * PATH_MAX };

struct request {
    bool preload_is_forced;
    int argc;
    char **argv; /* the program and its arguments */
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct request *request = state->input;
    (void)argument;
    switch (key) {
    case 'p':
        request->preload_is_forced = true;
        return 0;
    case ARGP_KEY_ARG:
        request->argv = state->argv + state->next - 1;
        request->argc = state->argc - state->next + 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The toolkit root: the folder above the one that holds this command. */
static bool find_root(char *root)
{
    ssize_t length = readlink("/proc/self/exe", root, PATH_MAX - 1);
    if (length < 0)
        return false;
    root[length] = 0;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(root, '/');
        if (!slash)
            return false;
        *slash = 0;
    }
    return true;
}

/* Where execvp would find the program; false when nowhere, which execvp then says better. */
static bool find_program(const char *name, char *path)
{
    if (strchr(name, '/'))
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        int written = length ? snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folders, name)
                             : snprintf(path, PATH_MAX, "./%s", name);
        if (written < PATH_MAX && access(path, X_OK) == 0)
            return true;
        folders += length;
        folders += *folders == ':';
    }
    return false;
}

/* name=value, with what name held before appended behind separator. */
static bool prepend(const char *name, const char *value, char separator)
{
    const char *old = getenv(name);
    if (!old || !*old)
        return setenv(name, value, 1) == 0;
    size_t size = strlen(value) + strlen(old) + 2;
    char *both = malloc(size);
    if (!both)
        return false;
    snprintf(both, size, "%s%c%s", value, separator, old);
    bool is_good = setenv(name, both, 1) == 0;
    free(both);
    return is_good;
}

/* The libraries that the program needs and Belay has, as LD_PRELOAD takes them; "" when there are none. */
static bool list_preloads(const struct elf_needs *needs, const char *folder, char *list)
{
    size_t filled = 0;
    list[0] = 0;
    for (uint32_t i = 0; i < needs->count; i++) {
        const char *slash = strrchr(needs->name[i], '/');
        char path[PATH_MAX];
        if (snprintf(path, sizeof path, "%s/%s", folder, slash ? slash + 1 : needs->name[i]) >=
            (int)sizeof path)
            return false;
        if (access(path, R_OK) != 0)
            continue;
        int written = snprintf(list + filled, PRELOAD_TEXT - filled, filled ? ":%s" : "%s", path);
        if (written < 0 || (size_t)written >= PRELOAD_TEXT - filled)
            return false;
        filled += (size_t)written;
    }
    return true;
}

/* On failure a sentence has been printed. */
static bool prepare(const char *verb, const char *name, const char *root, bool preload_is_forced)
{
    char folder[PATH_MAX], opp[PATH_MAX], program[PATH_MAX], preloads[PRELOAD_TEXT];
    if (snprintf(folder, sizeof folder, "%s/lib64", root) >= (int)sizeof folder ||
        snprintf(opp, sizeof opp, "%s/opp", root) >= (int)sizeof opp) {
        fprintf(stderr, "%s: the path of Belay's folder is too long\n", verb);
        return false;
    }
    if (strpbrk(folder, ": ")) {
        /* Both end an entry in the loader's lists, and it knows no way to escape them. */
        fprintf(stderr, "%s: %s has a colon or a space in it, which the loader cannot take; move it\n", verb,
                folder);
        return false;
    }
    bool is_good = prepend("LD_LIBRARY_PATH", folder, ':') && setenv("ASCEND_HOME_PATH", root, 1) == 0 &&
                   setenv("ASCEND_TOOLKIT_HOME", root, 1) == 0 && setenv("ASCEND_OPP_PATH", opp, 1) == 0;
    struct elf_needs needs;
    if (is_good && find_program(name, program) && elf_needs_read(program, &needs)) {
        if (needs.path_wins || preload_is_forced)
            is_good = list_preloads(&needs, folder, preloads) &&
                      (!preloads[0] || prepend("LD_PRELOAD", preloads, ':'));
        elf_needs_destroy(&needs);
    }
    if (!is_good)
        fprintf(stderr, "%s: there is not enough room for the environment\n", verb);
    return is_good;
}

bool run_prepare(const char *verb, const char *program, bool preload_is_forced)
{
    char root[PATH_MAX];
    if (!find_root(root)) {
        fprintf(stderr, "%s: /proc/self/exe does not say where Belay lies: %s\n", verb, strerror(errno));
        return false;
    }
    return prepare(verb, program, root, preload_is_forced);
}

int run_replace(const char *verb, char **argv)
{
    execvp(argv[0], argv);
    int error = errno;
    fprintf(stderr, "%s: %s: %s\n", verb, argv[0], strerror(error));
    /* What shells answer: not found, or found but not runnable. */
    return error == ENOENT ? 127 : 126;
}

int verb_run(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"preload", 'p', NULL, 0, "preload the libraries even where LD_LIBRARY_PATH seems enough", 0}, {0}};
    static const char documentation[] =
        "Runs PROGRAM on Belay, whatever toolkit it was built against and wherever it would look for it.";
    const struct argp argp = {options, parse, "PROGRAM [ARGUMENT...]", documentation, NULL, NULL, NULL};
    struct request request = {0};
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &request);

    if (!run_prepare("belay run", request.argv[0], request.preload_is_forced))
        return STATUS_REFUSED;
    return run_replace("belay run", request.argv);
}
