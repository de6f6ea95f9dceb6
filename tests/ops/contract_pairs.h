/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows for every pair of the dtypes that convert: one operand of each, in three layouts.
 */
#ifndef BELAY_TESTS_OPS_CONTRACT_PAIRS_H
#define BELAY_TESTS_OPS_CONTRACT_PAIRS_H

#include <stdio.h>
#include <string.h>

#include "ops/contract.h"
#include "support/conversion.h"

enum { PAIR_LAYOUTS = 3, PAIRS_MAX = CONVERSION_DTYPES * CONVERSION_DTYPES * PAIR_LAYOUTS };

/* What most operators refuse and conversion takes. */
#define ALL_DTYPES                                                                     \
    (UINT64_C(1) << ACL_INT8 | UINT64_C(1) << ACL_INT16 | UINT64_C(1) << ACL_INT32 |   \
     UINT64_C(1) << ACL_INT64 | UINT64_C(1) << ACL_UINT8 | UINT64_C(1) << ACL_UINT16 | \
     UINT64_C(1) << ACL_UINT32 | UINT64_C(1) << ACL_UINT64 | UINT64_C(1) << ACL_BOOL | \
     UINT64_C(1) << ACL_COMPLEX64 | UINT64_C(1) << ACL_COMPLEX128 | UINT64_C(1) << ACL_DOUBLE)

static const char *const pair_names[CONVERSION_DTYPES] = {
    "f32", "f16", "bf16", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool", "c64", "c128"};

/* Appends the rows; the texts live as long as the program. Returns how many there are then. */
static inline int add_pairs(struct call *calls, int count, bool broadcasts)
{
    static char texts[PAIRS_MAX][3][40];
    static const char *const from[PAIR_LAYOUTS] = {"[1037]", "[5,7]{1,5}", "[9,5,7]{0,7,1}"};
    static const char *const to[PAIR_LAYOUTS] = {"[1037]", "[5,7]{16,2}+1", "[9,5,7]{35,1,5}"};
    for (int i = 0; i < PAIRS_MAX; i++) {
        int layout = i % PAIR_LAYOUTS, source = i / PAIR_LAYOUTS / CONVERSION_DTYPES,
            target = i / PAIR_LAYOUTS % CONVERSION_DTYPES;
        const char *shape = broadcasts && layout == 1 ? "[5,1]{3,3}" : from[layout];
        snprintf(texts[i][0], sizeof texts[i][0], "%s to %s%s", pair_names[source], pair_names[target],
                 to[layout]);
        snprintf(texts[i][1], sizeof texts[i][1], "%s%s", pair_names[source], shape);
        snprintf(texts[i][2], sizeof texts[i][2], "%s%s", pair_names[target], to[layout]);
        bool is_newer = conversion_dtypes[source] == ACL_BF16 || conversion_dtypes[target] == ACL_BF16;
        calls[count++] = (struct call){
            .name = texts[i][0], .operand = {texts[i][1], texts[i][2]}, .products = is_newer ? "bc" : NULL};
    }
    return count;
}

static inline void convert_element(const void *const *input, const aclDataType *input_dtype, void *output,
                                   aclDataType output_dtype, const struct attributes *attributes)
{
    (void)attributes;
    conversion_reference(input[0], input_dtype[0], output, output_dtype);
}

#endif
