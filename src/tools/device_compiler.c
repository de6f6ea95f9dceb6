/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * bisheng, which compiles kernels in C++ and what launches them (ccec is another name of it), and
 * bishengir-compile, which compiles those that triton-ascend writes: for the host. They say which target there
 * is, as triton-ascend asks for that. Options that tune what a device's compiler does are taken and change nothing.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef LOWERS_KERNELS
#include "tools/triton/lower.h"
#else
#include "tools/ascendc/compile.h"
#include "tools/triton/launcher.h"
#endif

static int is_asked(int argc, char **argv, const char *option)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], option) == 0 || (option[0] == '-' && option[1] != '-' && argv[i][0] == '-' &&
                                             strcmp(argv[i] + 1, option) == 0)) /* with one dash or two */
            return 1;
    return 0;
}

#ifdef LOWERS_KERNELS
/*
 * `-o NAME` stands for an object: NAME.o, and NAME_reloc.o beside it, since callers know their compiler's release
 * by which of the two it writes.
 */
static int compile(int argc, char **argv, const char *name)
{
    const char *input = NULL, *output = NULL;
    char path[2][PATH_MAX];
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
            output = argv[++i];
        else if (argv[i][0] != '-' && input == NULL)
            input = argv[i];
    if (input == NULL || output == NULL) {
        fprintf(stderr, "%s: KERNEL.mlir [options] -o OUTPUT is expected\n", name);
        return 1;
    }
    const size_t length = strlen(output);
    const int has_ending = length > 2 && strcmp(output + length - 2, ".o") == 0;
    if (snprintf(path[0], PATH_MAX, "%s%s", output, has_ending ? "" : ".o") >= PATH_MAX ||
        snprintf(path[1], PATH_MAX, "%s_reloc.o", output) >= PATH_MAX) {
        fprintf(stderr, "%s: the output's name is too long\n", name);
        return 1;
    }
    if (!kernel_lower(input, path[0]))
        return 1;
    unlink(path[1]);
    return !has_ending && link(path[0], path[1]) != 0;
}
#else
static int compile(int argc, char **argv, const char *name)
{
    (void)name;
    return ascendc_compile(argc, argv);
}
#endif

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash != NULL ? slash + 1 : argv[0];
    if (is_asked(argc, argv, "-print-targets")) {
#ifndef LOWERS_KERNELS
        launcher_tell_missing(name);
#endif
        puts("  Registered Targets:\n    hiipu64 - the cores of the device");
        return 0;
    }
    if (is_asked(argc, argv, "-help") || is_asked(argc, argv, "-version")) {
        printf("%s of Belay " BELAY_VERSION ": -print-targets says which target there is; ", name);
        puts(strcmp(name, "bishengir-compile") == 0
                 ? "KERNEL.mlir -o OUTPUT compiles a kernel for the host."
                 : "[-x asc] SOURCES [options of a C++ compiler] -o OUTPUT compiles kernels for the host.");
        return 0;
    }
    return compile(argc, argv, name);
}
