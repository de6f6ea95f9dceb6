/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * bisheng and bishengir-compile: the commands that triton-ascend looks for. They say which target there is, as
 * they are asked for that; what they are to compile they refuse in a sentence.
 */
#include <stdio.h>
#include <string.h>

static int is_asked(int argc, char **argv, const char *option)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], option) == 0 || (option[0] == '-' && option[1] != '-' && argv[i][0] == '-' &&
                                             strcmp(argv[i] + 1, option) == 0)) /* with one dash or two */
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash != NULL ? slash + 1 : argv[0];
    if (is_asked(argc, argv, "-print-targets")) {
        puts("  Registered Targets:\n    hiipu64 - the cores of the device");
        return 0;
    }
    if (is_asked(argc, argv, "-help") || is_asked(argc, argv, "-version")) {
        printf("%s of Belay " BELAY_VERSION ": -print-targets says which target there is; this release "
               "compiles nothing for it.\n",
               name);
        return 0;
    }
    fprintf(
        stderr,
        "%s: this release of Belay compiles no kernels for the device yet; with TRITON_INTERPRET=1 Triton "
        "runs its kernels itself\n",
        name);
    return 1;
}
