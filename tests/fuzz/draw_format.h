/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Formats and dims of tensors and descriptions that a fuzzed program makes, right ones and others.
 */
#ifndef BELAY_TESTS_FUZZ_DRAW_FORMAT_H
#define BELAY_TESTS_FUZZ_DRAW_FORMAT_H

#include <limits.h>

#include "fuzz/world.h"

static inline aclFormat draw_format(struct world *world)
{
    static const aclFormat formats[] = {ACL_FORMAT_NCHW,      ACL_FORMAT_NHWC,      ACL_FORMAT_HWCN,
                                        ACL_FORMAT_NCDHW,     ACL_FORMAT_NDHWC,     ACL_FORMAT_ND,
                                        ACL_FORMAT_NC,        ACL_FORMAT_UNDEFINED, ACL_FORMAT_NCHW,
                                        (aclFormat)(INT_MAX), ACL_FORMAT_FRACTAL_NZ};
    return formats[draw(world, sizeof formats / sizeof formats[0])];
}

static inline int64_t draw_dim(struct world *world)
{
    static const int64_t extremes[] = {INT64_MAX, INT64_MIN, -1, -2, INT64_C(1) << 32, INT64_C(1) << 62};
    uint32_t choice = draw(world, 24);
    return choice < 16   ? choice
           : choice < 22 ? extremes[choice - 16]
           : choice < 23 ? (int64_t)draw_word(world)
                         : 1000003;
}

#endif
