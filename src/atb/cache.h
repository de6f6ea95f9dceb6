/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the C functions tell the kinds that have no parameters in C++.
 */
#ifndef BELAY_ATB_CACHE_H
#define BELAY_ATB_CACHE_H

#include "atb/operation.h"

struct paged_cache_load_param {
    bool is_nz, is_cumulated, has_starts;
};

struct fused_add_topk_div_param {
    int64_t groups, kept_groups, of_group, k;
    bool is_normalised;
    float scale;
};

extern const struct kind kind_paged_cache_load, kind_fused_add_topk_div;

#endif
