/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that frameworks look up and this library may lack. Where a framework has another way without the
 * name, the name is not there. Where it has none, what it says is about another thing, an installation or a
 * version; so such a name is exported, as a weak definition that refuses with its own name, and that gives way
 * where the library has the function. The build makes absent_names.h, a list `ABSENT(name)`, from names.txt,
 * which has the reason of each.
 *
 * With BELAY_ABSENT=report a process says in its end which of them were called.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "aclnn/acl_meta.h"
#include "base/error.h"
#include "base/settings.h"

enum absent {
#define ABSENT(name) ABSENT_##name,
#include "absent_names.h"
#undef ABSENT
    ABSENT_NAMES
};

static const char *const names[] = {
#define ABSENT(name) "aclnn" #name,
#include "absent_names.h"
#undef ABSENT
};

static _Atomic uint32_t calls[ABSENT_NAMES];

static int refuse(enum absent function)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return ACLNN_ERR_RUNTIME_ERROR;
    atomic_fetch_add_explicit(&calls[function], 1, memory_order_relaxed);
    if (function == ABSENT_MatmulCompressDequant) /* no release can have it */
        return fail(ACLNN_ERR_PARAM_INVALID,
                    "%s: x2 is compressed by a tool of the vendor's, in a form that is not public; the "
                    "weights as they are, to aclnnQuantMatmulV5, are expected",
                    names[function]);
    return fail(ACLNN_ERR_INNER, "%s is not in this release of Belay", names[function]);
}

/*
 * Whoever calls them passes the arguments of the real functions, of which nothing is looked at. A second
 * phase is called only by who overlooked that the first one failed.
 */
#define FUNCTION(name, function)                                         \
    __attribute__((weak, visibility("default"))) aclnnStatus name(void); \
    __attribute__((weak, visibility("default"))) aclnnStatus name(void)  \
    {                                                                    \
        return refuse(function);                                         \
    }
#define ABSENT(name)                                       \
    FUNCTION(aclnn##name##GetWorkspaceSize, ABSENT_##name) \
    FUNCTION(aclnn##name, ABSENT_##name)
#include "absent_names.h"

/* In the end of the process, or when the library is closed, which no loader does (-z nodelete). */
__attribute__((destructor)) static void report(void)
{
    const struct settings *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
    uint32_t count = 0;
    if (settings == NULL || !settings->reports_absent)
        return;
    for (int i = 0; i < ABSENT_NAMES; i++)
        count += atomic_load_explicit(&calls[i], memory_order_relaxed) > 0;
    if (count == 0)
        return;
    fprintf(stderr, "belay: %" PRIu32 " function%s asked for that this release lacks\n", count,
            count == 1 ? " was" : "s were");
    for (int i = 0; i < ABSENT_NAMES; i++) {
        uint32_t times = atomic_load_explicit(&calls[i], memory_order_relaxed);
        if (times > 0)
            fprintf(stderr, "belay:   %6" PRIu32 "  %s\n", times, names[i]);
    }
}
