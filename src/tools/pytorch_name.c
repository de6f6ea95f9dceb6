/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The table is what tests saw PyTorch call (scripts/states.py).
 */
#include "tools/pytorch_name.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name, *functions;
} names[] = {
#include "tools/pytorch_names.inc"
};

const char *pytorch_name(const char *name, const char **functions)
{
    const char *last = strrchr(name, '.');
    last = last ? last + 1 : name;
    /* The whole name counts before its last part, and a function before a tensor's method. */
    for (int part = 0; part < 3; part++)
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            const char *dot = strrchr(names[i].name, '.');
            const char *known = part == 0 || !dot ? names[i].name : dot + 1;
            if (part == 1 && strncmp(names[i].name, "torch.Tensor.", strlen("torch.Tensor.")) == 0)
                continue;
            if (strcasecmp(known, part == 0 ? name : last) == 0) {
                *functions = names[i].functions;
                return names[i].name;
            }
        }
    return NULL;
}
