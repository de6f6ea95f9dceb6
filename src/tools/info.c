/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * belay info: what this Belay is and how the environment sets it up. belay prefix: where it lies.
 */
#include "tools/belay.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"
#include "base/settings.h"
#include "tools/build_version.h"
#include "tools/run.h"

/* The file that the loader took a function from: the library that programs would get here, too. */
static void print_library(const char *symbol)
{
    Dl_info found;
    char path[PATH_MAX];
    void *address = dlsym(RTLD_DEFAULT, symbol);
    bool is_found = address && dladdr(address, &found) && realpath(found.dli_fname, path);
    printf("library        %s\n", is_found ? path : "?");
}

static const char *schedule_name(enum schedule schedule)
{
    return schedule == SCHEDULE_EAGER ? "eager" : schedule == SCHEDULE_LAZY ? "lazy" : "random";
}

static void print_checks(uint32_t checks)
{
    const char *separator = "";
    printf("checks         ");
    for (uint32_t i = 0; i < CHECKS; i++)
        if (checks & 1u << i) {
            printf("%s%s", separator, settings_check_name(i));
            separator = ", ";
        }
    puts(checks ? "" : "none");
}

/* Whether several processes can communicate: by Gloo, which Belay is built with where it is there. */
static void print_collectives(void)
{
    char path[PATH_MAX];
    const bool is_there =
        run_find_root("belay info", path) && strlen(path) + sizeof "/lib64/libbelay_gloo.so" < sizeof path;
    if (is_there)
        strcat(path, "/lib64/libbelay_gloo.so");
    void *library = is_there && access(path, R_OK) == 0 ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    puts(library ? "collectives    by several processes (Gloo)"
                 : "collectives    by threads of one process alone (no Gloo: apt install libgloo-dev before "
                   "the build)");
    if (library)
        dlclose(library);
}

static void print_settings(const struct settings *settings)
{
    printf("product        %s\n", settings->soc_name);
    printf("devices        %" PRId32 "%s\n", settings->device_count,
           settings->visible_devices_are_bad ? " (ASCEND_RT_VISIBLE_DEVICES is not a valid list)" : "");
    printf("threads        %" PRIu32 "\n", settings->thread_count);
    printf("device memory  %" PRIu64 " bytes (%.1f GiB) per device\n", settings->memory_bytes,
           (double)settings->memory_bytes / (1 << 30));
    printf("instructions   %s (this processor has %s)\n", isa_level_name(settings->isa),
           isa_level_name(processor_level()));
    printf("accuracy       %s\n", settings->accuracy == ACCURACY_EXACT ? "exact" : "default");
    printf("schedule       %s\n", schedule_name(settings->schedule));
    printf("host pointers  %s\n", settings->host_pointers_allowed ? "allowed" : "refused");
    print_checks(settings->checks);
    printf("workspace      at least %" PRIu64 " bytes\n", settings->workspace_bytes);
}

static void print_environment(void)
{
    static const char *const prefixes[] = {"BELAY_", "ASCEND_", "LD_LIBRARY_PATH=", "LD_PRELOAD="};
    for (char **entry = environ; entry && *entry; entry++)
        for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
            if (strncmp(*entry, prefixes[i], strlen(prefixes[i])) == 0)
                printf("environment    %s%s\n", *entry,
                       i == 0 && !run_knows_variable(*entry)
                           ? "   (not a variable of Belay: it has no effect)"
                           : "");
}

static int run_info(int argc, char **argv)
{
    verb_parse(&verb_info, NULL, argc, argv, NULL);

    int32_t major, minor, patch;
    const struct settings *settings;
    printf("%s\n", argp_program_version);
    printf("commit         %s\n",
           *BELAY_COMMIT ? BELAY_COMMIT : "? (built without git, of no archive of a commit)");
    print_library("aclrtMalloc");
    print_library("aclCreateTensor");
    print_library("aclnnSiluBackward");
    print_environment();
    if (settings_get(&settings) != 0 || aclrtGetVersion(&major, &minor, &patch) != 0) {
        fflush(stdout);
        const char *message = aclGetRecentErrMsg();
        complain("belay info: %s", message ? message : "the library cannot be used here");
        return STATUS_REFUSED;
    }
    printf("acl interface  %" PRId32 ".%" PRId32 ".%" PRId32 "\n", major, minor, patch);
    print_settings(settings);
    print_collectives();
    return finish_output("belay info");
}

static int run_prefix(int argc, char **argv)
{
    verb_parse(&verb_prefix, NULL, argc, argv, NULL);
    char root[PATH_MAX];
    if (!run_find_root("belay prefix", root))
        return STATUS_REFUSED;
    puts(root);
    return finish_output("belay prefix");
}

static const struct example examples_of_info[] = {
    {"belay info", "which libraries, which product, how many devices and threads"},
    {"BELAY_SOC=Ascend950PR_9599 belay info", "whether a setting is understood"},
    {0}};

const struct verb verb_info = {
    .name = "info",
    .summary = "what this Belay is and how the environment sets it up",
    .about = "Says what this Belay is and how the environment sets it up: the version, the libraries that "
             "programs "
             "get here, the variables that are set, and what follows from them.",
    .status = "The exit status is 1 where a variable is not understood, with which no program works.",
    .examples = examples_of_info,
    .run = run_info,
};

static const struct example examples_of_prefix[] = {
    {"cc -c program.c -I$(belay prefix)/include", "compile a program"},
    {"cmake -DCMAKE_PREFIX_PATH=$(belay prefix) ..", "configure a project that has find_package(Belay)"},
    {". $(belay prefix)/set_env.sh", "set up this shell"},
    {0}};

const struct verb verb_prefix = {
    .name = "prefix",
    .summary = "the folder that ASCEND_HOME_PATH names, with include and lib64",
    .about = "Prints the toolkit root, for ASCEND_HOME_PATH, cmake -DCMAKE_PREFIX_PATH=, -I (include) and -L "
             "(lib64).",
    .examples = examples_of_prefix,
    .run = run_prefix,
};
