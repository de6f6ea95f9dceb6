/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kernels and launches in a C++ source that has been preprocessed.
 */
#ifndef BELAY_TOOLS_ASCENDC_SOURCE_H
#define BELAY_TOOLS_ASCENDC_SOURCE_H

#include <stdbool.h>

#include "tools/ascendc/text.h"
#include "tools/ascendc/tokens.h"

/* What the qualifiers of kernels are while bisheng looks for them: the headers leave these words for it. */
#define SOURCE_DEFINES                                                                             \
    "-D__global__=__belay_global__", "-D__vector__=__belay_vector__", "-D__cube__=__belay_cube__", \
        "-D__mix__(...)=__belay_mix__(__VA_ARGS__)"

struct source_kernel {
    char name[128];
    unsigned kind; /* BELAY_KERNEL_ of ascendc/host.h */
    bool is_template;
    bool is_defined; /* with its body */
    size_t first,
        last; /* tokens of the parameters, without the parentheses: first is behind last where there are none */
    char scope[256]; /* "", or "::a::b" */
};

struct source {
    struct tokens tokens;
    struct source_kernel *kernel; /* owned */
    size_t kernel_count;
};

/* The text is not copied. */
void source_read(struct source *source, const char *text);
void source_free(struct source *source);

/*
 * The text with each `name<<<blocks, l2, stream>>>(arguments)` as a call of belay_kernel::launch, and without the words
 * of the qualifiers; lines stay where they are. has_launchers: and at its end, for each kernel that is no template,
 * the function aclrtlaunch_NAME. False with a sentence for a launch that is none.
 */
bool source_rewrite(const struct source *source, bool has_launchers, struct text *out);

/* aclrtlaunch_NAME.h of a kernel. */
void source_write_header(const struct source *source, const struct source_kernel *kernel, struct text *out);

#endif
