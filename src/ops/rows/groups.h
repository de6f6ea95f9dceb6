/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the normalisations of groups of channels share: of their kernels the factors of channels, of their
 * contracts the sizes, their checks, and rows that are groups.
 */
#ifndef BELAY_OPS_ROWS_GROUPS_H
#define BELAY_OPS_ROWS_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

/* The parameter of the kernels. */
struct group_numbers {
    double eps, swish; /* the latter times the result in its sigmoid */
    bool is_activated;
    uint64_t channels; /* of a group: plan_groups fills it in */
};

#ifdef KERNEL_PASS

#include "simd/loops/row_moments.h"

/* A row, or what has an element for each channel of it, from the i-th element on. */
static inline const void *group_part(enum arithmetic dtype, const void *row, size_t i)
{
    return (const char *)row + i * bytes_of(dtype);
}

/* The factor of a channel, or that number where there are none. */
static inline double group_factor(enum arithmetic dtype, const void *factors, size_t channel,
                                  double otherwise)
{
    return factors == NULL ? otherwise : row_single(dtype, group_part(dtype, factors, channel), 0);
}

#else

#include "ops/loops/rows.h"

/* The sizes that a call gives, or those of its tensor; group: how many groups an image has. */
struct group_sizes {
    int64_t images, channels, area, group;
};

/* The sizes of a call that gives them one after the other, from the parameter of the first one on. */
struct group_sizes group_sizes_of(const struct call *call, unsigned first);

/* The sizes of a tensor of 2 dims or more. */
struct group_sizes group_sizes_of_view(const struct tensor_view *view, int64_t group);

/* None is negative, and group is as it must be. */
aclnnStatus check_group_sizes(const struct call *call, unsigned first);

/* It divides the number of channels. */
aclnnStatus check_group(const struct call *call, const struct group_sizes *sizes);

/* More than 0. */
aclnnStatus check_eps(const struct call *call, double eps);

/* The tensor has dims N, C and those of HxW as it is, or has them where its elements follow one another. */
aclnnStatus check_group_elements(const struct call *call, unsigned parameter,
                                 const struct group_sizes *sizes);

/* gamma or beta, if it was given: C elements along one dim. */
aclnnStatus check_channel_factor(const struct call *call, unsigned parameter, int64_t channels);

/* A request for the rows of groups, with three outputs: by views of its tensors, which are filled in. */
aclnnStatus plan_groups(const struct call *call, const struct group_sizes *sizes,
                        struct group_numbers numbers, struct rows_tensor *input, unsigned inputs,
                        struct rows_tensor *output);

/* A tensor that need not be given. */
#define OPTIONAL(entry_, name_, sample_) \
    entry_(name_, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = (sample_))

#endif

#endif
