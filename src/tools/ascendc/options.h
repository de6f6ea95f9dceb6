/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The command line of bisheng and ccec, sorted.
 */
#ifndef BELAY_TOOLS_ASCENDC_OPTIONS_H
#define BELAY_TOOLS_ASCENDC_OPTIONS_H

#include <stdbool.h>

#include "tools/ascendc/text.h"

struct options {
    struct words sources;    /* C++, with kernels or without */
    struct words preprocess; /* for the preprocessor alone: folders, macros, lists of what is included */
    struct words compile;    /* for preprocessor and compiler */
    struct words link;       /* for the linker, and objects: in their order */
    const char *output;      /* NULL: none named */
    const char *headers; /* the folder for launch headers of the sources, which are not compiled; NULL: no */
    const char *instead_of; /* the compiler in whose place a build calls; NULL: none */
    unsigned npu, core;     /* __NPU_ARCH__ and __CCE_AICORE__; 0: not named */
    bool has_launchers;     /* --belay-launchers: functions aclrtlaunch_NAME too */
    bool compiles_only;     /* -c or -S */
    bool assembles;         /* -S */
    bool preprocesses_only; /* -E */
    bool is_plain;          /* nothing to rewrite: the command line as it is is the host's compiler's */
    bool is_c;              /* of C alone */
};

/* False with a sentence. */
bool options_read(struct options *options, int argc, char **argv);

#endif
