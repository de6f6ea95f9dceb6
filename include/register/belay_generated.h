/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the functions are made with that op_build writes for the operators of a project.
 */
#ifndef BELAY_REGISTER_BELAY_GENERATED_H
#define BELAY_REGISTER_BELAY_GENERATED_H

#include <stdint.h>

#include "aclnn/acl_meta.h"

/* A function of the library: static, and known to Belay from its loading on. */
struct belay_generated {
    const char *name; /* of the operator: "AddCustom" */
    const char *stem; /* of its header: "add_custom" */
    aclnnStatus (*launch)(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                          aclrtStream stream);
    struct belay_generated *next; /* Belay's own, as what follows */
    void *own;
};

#ifdef __cplusplus
#include <dlfcn.h>

#include <cstring>

/* Belay's functions for these, in libopapi.so, which the library need not be linked with. */
struct belay_generated_functions {
    void (*enter)(struct belay_generated *);
    aclnnStatus (*plan)(struct belay_generated *, const uint64_t *, uint64_t *, aclOpExecutor **);
    aclnnStatus (*launch)(struct belay_generated *, void *, uint64_t, aclOpExecutor *, aclrtStream);
};

static inline const struct belay_generated_functions &belay_generated_all()
{
    static const struct belay_generated_functions all = [] {
        struct belay_generated_functions found = {};
        if (void *library = dlopen("libopapi.so", RTLD_LAZY)) {
            found.enter = (void (*)(struct belay_generated *))dlsym(library, "belay_generated_enter");
            found.plan = (aclnnStatus(*)(struct belay_generated *, const uint64_t *, uint64_t *,
                                         aclOpExecutor **))dlsym(library, "belay_generated_plan");
            found.launch = (aclnnStatus(*)(struct belay_generated *, void *, uint64_t, aclOpExecutor *,
                                           aclrtStream))dlsym(library, "belay_generated_launch");
        }
        return found;
    }();
    return all;
}

/* Arguments as words: short ones in whole words, floats as doubles. */
template <typename T> inline uint64_t belay_word(T value)
{
    uint64_t word = 0;
    static_assert(sizeof value <= sizeof word, "an argument of a call");
    std::memcpy(&word, &value, sizeof value);
    return word;
}
#endif

#endif
