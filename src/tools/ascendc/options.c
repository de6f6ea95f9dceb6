/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the device's compiler is told and a host's is not, and the rest.
 */
#include "tools/ascendc/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
    const size_t length = strlen(text), tail = strlen(with);
    return length >= tail && strcmp(text + length - tail, with) == 0;
}

static bool is_one_of(const char *text, const char *const *list)
{
    while (*list != NULL && strcmp(*list, text) != 0)
        list++;
    return *list != NULL;
}

/* Options whose value is the next argument: of the device's compiler, which change nothing here. */
static const char *const dropped_with_value[] = {"-mllvm", "--cce-aicore-arch", "--npu-arch", "--npu-soc",
                                                 NULL};
static const char *const preprocessor_with_value[] = {
    "-I",         "-D",  "-U",  "-isystem", "-iquote",        "-include", "-imacros",
    "-idirafter", "-MF", "-MT", "-MQ",      "-Xpreprocessor", NULL};
static const char *const linker_with_value[] = {"-L", "-l", "-Xlinker", "-z", "-u", "-T", "-rpath", NULL};
static const char *const compiler_with_value[] = {"-target", "-arch",       "--param",
                                                  "-Xclang", "-Xassembler", NULL};
static const char *const dropped[] = {
    "--cce-",      "-cce-",  "--npu-",  "-fcce-",    "--run-mode", "--enable-simulator",
    "--cann-path", "--asc-", "-Xhost-", "-Xdevice-", "-Xaicore-",  "--relocatable-device-code",
    NULL};
static const char *const sources[] = {".asc", ".cce", ".cpp", ".cc", ".cxx", ".C", ".c++", NULL};

static bool is_dropped(const char *word)
{
    for (size_t i = 0; dropped[i] != NULL; i++)
        if (begins(word, dropped[i]))
            return true;
    return false;
}

static bool is_source(const char *word)
{
    for (size_t i = 0; sources[i] != NULL; i++)
        if (ends(word, sources[i]))
            return true;
    return false;
}

/* dav-2201, dav-c220-vec, Ascend910B1: what the headers are told. */
static void read_architecture(struct options *options, const char *name)
{
    static const struct {
        const char *part;
        unsigned npu, core;
    } all[] = {{"2201", 2201, 220}, {"c220", 2201, 220}, {"2002", 2002, 200}, {"m200", 2002, 200},
               {"1001", 1001, 100}, {"c100", 1001, 100}, {"3510", 3510, 310}, {"c310", 3510, 310},
               {"3101", 3101, 310}, {"910B", 2201, 220}, {"910b", 2201, 220}, {"910_93", 2201, 220},
               {"310P", 2002, 200}, {"310p", 2002, 200}, {"950", 3510, 310},  {"910_95", 3510, 310}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strstr(name, all[i].part) != NULL) {
            options->npu = all[i].npu;
            options->core = all[i].core;
        }
}

/* C++20 at least: unqualified calls with template arguments are found by their arguments. */
static bool is_old_standard(const char *word)
{
    static const char *const old[] = {"98", "03", "0x", "11", "1y", "14", "1z", "17", NULL};
    const char *plus = strstr(word, "++");
    return begins(word, "-std=") && plus != NULL && is_one_of(plus + 2, old);
}

static void take_value(struct words *list, const char *word, const char *value)
{
    words_add(list, word);
    words_add(list, value);
}

static bool refuse(const char *option, const char *missing)
{
    fprintf(stderr, "bisheng: %s has no %s behind it; one is expected\n", option, missing);
    return false;
}

/* An option with its value in the next argument; false where it is none. */
static bool take_pair(struct options *options, const char *word, const char *value)
{
    if (strcmp(word, "-o") == 0)
        options->output = value;
    else if (strcmp(word, "--belay-instead-of") == 0)
        options->instead_of = value;
    else if (is_one_of(word, dropped_with_value))
        read_architecture(options, begins(word, "-mllvm") ? "" : value);
    else if (is_one_of(word, preprocessor_with_value))
        take_value(&options->preprocess, word, value);
    else if (is_one_of(word, linker_with_value))
        take_value(&options->link, word, value);
    else if (is_one_of(word, compiler_with_value))
        take_value(&options->compile, word, value);
    else
        return strcmp(word, "-x") == 0;
    return true;
}

static void take(struct options *options, const char *word)
{
    if (strcmp(word, "-c") == 0) {
        options->compiles_only = true;
    } else if (strcmp(word, "-S") == 0) {
        options->compiles_only = options->assembles = true;
    } else if (strcmp(word, "-E") == 0) {
        options->preprocesses_only = true;
    } else if (strcmp(word, "--belay-launchers") == 0) {
        options->has_launchers = true;
    } else if (begins(word, "--belay-launch-headers=")) {
        options->headers = strchr(word, '=') + 1;
    } else if (begins(word, "-o") && word[2] != '\0' && !begins(word, "-objc")) {
        options->output = word + 2;
    } else if (is_dropped(word)) {
        if (begins(word, "--npu-") || begins(word, "--cce-aicore-arch"))
            read_architecture(options, word);
    } else if (word[0] != '-' && is_source(word)) {
        words_add(&options->sources, word);
    } else if (begins(word, "-I") || begins(word, "-D") || begins(word, "-U") || begins(word, "-M") ||
               begins(word, "-isystem") || begins(word, "-Wp,")) {
        words_add(&options->preprocess, word);
    } else if (word[0] != '-' || begins(word, "-l") || begins(word, "-L") || begins(word, "-Wl,") ||
               strcmp(word, "-shared") == 0 || strcmp(word, "-static") == 0 || strcmp(word, "-pie") == 0 ||
               strcmp(word, "-no-pie") == 0 || strcmp(word, "-rdynamic") == 0 || begins(word, "-fuse-ld=") ||
               strcmp(word, "-s") == 0 || begins(word, "-static-") || strcmp(word, "-nostdlib") == 0) {
        words_add(&options->link, word);
    } else if (!is_old_standard(word) && !begins(word, "-x")) {
        words_add(&options->compile, word);
    }
}

bool options_read(struct options *options, int argc, char **argv)
{
    bool is_c = false;
    *options = (struct options){.output = NULL};
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        /* What stands between these is for the device's cores alone. */
        if (strcmp(word, "-Xaicore-start") == 0 || strcmp(word, "-Xdevice-start") == 0) {
            while (i < argc && !ends(argv[i], "-end"))
                i++;
            if (i == argc)
                return refuse(word, "end");
            continue;
        }
        const bool is_last = i + 1 == argc;
        if (take_pair(options, word, is_last ? "" : argv[i + 1])) {
            if (is_last)
                return refuse(word, "value");
            i++;
            continue;
        }
        /* What a linker's and a preprocessor's option says may look like a file. */
        is_c = is_c || (word[0] != '-' && (ends(word, ".c") || ends(word, ".s") || ends(word, ".S")));
        if (strcmp(word, "-") == 0)
            options->is_plain = true;
        take(options, word);
    }
    options->is_c = is_c && options->sources.count == 0;
    options->is_plain = options->is_plain || options->sources.count == 0;
    if (options->output != NULL && options->compiles_only && options->sources.count > 1) {
        fputs("bisheng: -o with -c and several sources; one source is expected\n", stderr);
        return false;
    }
    return true;
}
