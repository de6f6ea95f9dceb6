/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers in MX blocks: what functions ask for, and a row of them.
 */
#ifndef BELAY_OPS_QUANTISE_MX_NUMBER_H
#define BELAY_OPS_QUANTISE_MX_NUMBER_H

#include "ops/check.h"
#include "ops/loops/row_tasks.h"
#include "ops/quantise/formats.h"

struct mx_number {
    const struct number_format *format;
    enum rounding rounding;
    enum mx_rule rule;
    float most, least; /* what mx_scale_of_block takes */
};

/* Where a function has what it asks for; 0: it has it not. Without a dtype and y numbers are FLOAT4_E2M1. */
struct mx_choices {
    uint8_t dtype, round, rule, most, least;
    uint8_t y;               /* whose dtype it is, where it is given */
    bool has_e1m2_rule;      /* scaleAlg 2 is of FLOAT4_E1M2, too */
    bool has_no_float4_rule; /* and of none of FLOAT4 */
};

/* The dtype and the rounding; then the rule of scales and what belongs to it. */
aclnnStatus check_mx_dtype(const struct call *call, const struct mx_choices *choices,
                           struct mx_number *number);
aclnnStatus check_mx_rule(const struct call *call, const struct mx_choices *choices,
                          struct mx_number *number);

/* FLOAT4 lie two to a byte along the last dim. */
aclnnStatus check_mx_width(const struct call *call, unsigned x, int64_t width,
                           const struct mx_number *number);

/* The scale of values, which may be apart, and their codes. */
uint8_t mx_encode_values(const struct mx_number *number, const double *value, uint64_t count, uint8_t *code);

/* A row of numbers in blocks along it, and its scales, of which there is an even number; a byte for each number
 * and scale is room. */
void mx_write_row(const struct task *task, const struct mx_number *number, unsigned y, unsigned scale,
                  uint64_t row, uint64_t width, const double *value);

#endif
