/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What MoeInitRouting makes of rows on their way: the modes of quantising, what each asks for, and its outputs.
 */
#include <inttypes.h>

#include "ops/check.h"
#include "ops/experts/init_routing.h"
#include "ops/sizes.h"

/* Those above 1 are the newest product's. No public source says what sets 14 and 15 apart from 4 and 5. */
static const struct quant_mode quant_modes[] = {
    [0] = {.dtype = ACL_INT8, .scales = MOVED_NO_SCALES, .factors = FACTORS_ONE, .has_offset = true},
    [1] = {.dtype = ACL_INT8, .scales = MOVED_ROW_SCALES, .factors = FACTORS_COLUMNS},
    [2] = {.dtype = ACL_FLOAT8_E5M2, .scales = MOVED_MX_SCALES},
    [3] = {.dtype = ACL_FLOAT8_E4M3FN, .scales = MOVED_MX_SCALES},
    [4] = {.dtype = ACL_FLOAT8_E5M2, .scales = MOVED_BLOCK_SCALES},
    [5] = {.dtype = ACL_FLOAT8_E4M3FN, .scales = MOVED_BLOCK_SCALES},
    [6] = {.dtype = ACL_HIFLOAT8, .scales = MOVED_NO_SCALES},
    [7] = {.dtype = ACL_HIFLOAT8, .scales = MOVED_NO_SCALES, .factors = FACTORS_ONE},
    [8] = {.dtype = ACL_HIFLOAT8, .scales = MOVED_ROW_SCALES},
    [9] = {.dtype = ACL_FLOAT4_E2M1, .scales = MOVED_MX_SCALES},
    [10] = {.is_missing = true},
    [11] = {.dtype = ACL_FLOAT8_E5M2, .scales = MOVED_BLOCK_SCALES, .has_pairs = true},
    [12] = {.dtype = ACL_FLOAT8_E4M3FN, .scales = MOVED_BLOCK_SCALES, .has_pairs = true},
    [13] = {.dtype = ACL_INT4, .scales = MOVED_ROW_SCALES, .factors = FACTORS_COLUMNS},
    [14] = {.dtype = ACL_FLOAT8_E5M2, .scales = MOVED_BLOCK_SCALES},
    [15] = {.dtype = ACL_FLOAT8_E4M3FN, .scales = MOVED_BLOCK_SCALES},
    [16] = {.dtype = ACL_FLOAT8_E5M2, .scales = MOVED_MX_SCALES, .least = 1e-4F},
    [17] = {.dtype = ACL_FLOAT8_E4M3FN, .scales = MOVED_MX_SCALES, .least = 1e-4F},
};
enum { NOT_QUANTISED = -1, OLD_MODES = 2, MODES = sizeof quant_modes / sizeof quant_modes[0] };

static int64_t mode_number(const struct call *call)
{
    return form_number(call, QUANT, NOT_QUANTISED);
}

const struct quant_mode *quant_mode_of(const struct call *call)
{
    const int64_t mode = mode_number(call);
    return mode == NOT_QUANTISED ? NULL : &quant_modes[mode];
}

aclnnStatus check_mode(const struct call *call)
{
    const bool is_third = form_of(call)->choice == THIRD,
               is_newest = is_third && call->settings->product == PRODUCT_950;
    const int64_t mode = mode_number(call);
    if (mode >= 0 && mode < (is_newest ? MODES : OLD_MODES) && !quant_modes[mode].is_missing)
        return ACLNN_SUCCESS;
    if (mode == NOT_QUANTISED && (is_third || form_of(call)->number[QUANT] == 0))
        return ACLNN_SUCCESS;
    return refuse(call, "quantMode is %" PRId64 "; %s0 (a scale for all)%s is expected%s", mode,
                  is_third ? "-1 (none), " : "",
                  is_newest ? ", or 1 to 17 without 10," : " or 1 (for each row)",
                  is_third && !is_newest ? ", and 2 to 17 without 10 on Ascend950" : "");
}

/* Scales that go with rows as they are: FLOAT, one for each, or of MX blocks two for each 64 elements. */
static aclnnStatus check_own_scales(const struct call *call)
{
    const struct tensor_view *x = part_view(call, X);
    if (!part_given(call, SCALE) || part_view(call, SCALE)->dtype == ACL_FLOAT)
        return check_dims(call, SCALE, 1, x->shape[0], 0);
    return check_sizes(call, part_at(call, SCALE), 3,
                       (const int64_t[]){x->shape[0], (int64_t)mx_pairs((uint64_t)x->shape[1]), 2});
}

static aclnnStatus check_factors(const struct call *call, const struct quant_mode *mode, int64_t experts)
{
    const struct tensor_view *x = part_view(call, X);
    struct text *what = TEXT;
    if (mode->factors == FACTORS_NONE)
        return ACLNN_SUCCESS;
    text_append(what, "quantMode %" PRId64, mode_number(call));
    if (part_given(call, SCALE) && part_view(call, SCALE)->dtype != ACL_FLOAT)
        return refuse(call, "%s is %s; FLOAT is expected with %s", call_name(call, part_at(call, SCALE)),
                      dtype_name(part_view(call, SCALE)->dtype), what->bytes);
    if (mode->factors == FACTORS_COLUMNS) {
        const bool is_for_all = part_given(call, SCALE) && part_view(call, SCALE)->rank == 2 &&
                                part_view(call, SCALE)->shape[0] == 1;
        return check_dims(call, SCALE, 2, is_for_all ? 1 : experts, x->shape[1]);
    }
    TRY(check_part_given(call, SCALE, what->bytes));
    TRY(mode->has_offset ? check_part_given(call, OFFSET, what->bytes) : ACLNN_SUCCESS);
    TRY(check_one_element(call, part_at(call, SCALE)));
    return mode->has_offset ? check_one_element(call, part_at(call, OFFSET)) : ACLNN_SUCCESS;
}

struct moved_rows rows_made(const struct call *call)
{
    const struct quant_mode *mode = quant_mode_of(call);
    struct moved_rows rows = {.scales = MOVED_NO_SCALES};
    if (mode == NULL)
        return rows;
    rows = moved_rows_of(mode->dtype, mode->scales, mode->least);
    rows.has_pairs = mode->has_pairs;
    return rows;
}

aclDataType dtype_made(const struct call *call)
{
    const struct quant_mode *mode = quant_mode_of(call);
    if (mode == NULL)
        return part_view(call, X)->dtype;
    return mode->dtype == ACL_INT4 && call->has_outputs && part_view(call, ROWS)->dtype == ACL_INT32
               ? ACL_INT32
               : mode->dtype;
}

unsigned packs_made(const struct call *call)
{
    return quant_mode_of(call) == NULL         ? 1
           : dtype_made(call) == ACL_INT32     ? 8
           : dtype_is_packed(dtype_made(call)) ? 2
                                               : 1;
}

aclnnStatus check_quantising(const struct call *call, int64_t experts)
{
    const struct quant_mode *mode = quant_mode_of(call);
    const struct tensor_view *x = part_view(call, X);
    if (mode == NULL)
        return check_own_scales(call);
    if (!dtype_is_in(&dtypes_fp32_fp16_bf16, call->settings->product, x->dtype))
        return refuse(call, "x is %s; FLOAT, FLOAT16 or BFLOAT16 is expected with quantMode %" PRId64,
                      dtype_name(x->dtype), mode_number(call));
    if (x->shape[1] % packs_made(call) != 0)
        return refuse(call,
                      "x has shape %s; a last dim of a multiple of %u is expected with quantMode %" PRId64,
                      shape_text(TEXT, x), packs_made(call), mode_number(call));
    TRY(check_factors(call, mode, experts));
    return call->has_outputs && has_row_scales(call) ? check_part_given(call, ROW_SCALES, "quantMode")
                                                     : ACLNN_SUCCESS;
}

bool has_row_scales(const struct call *call)
{
    const struct quant_mode *mode = quant_mode_of(call);
    if (mode != NULL)
        return mode->scales != MOVED_NO_SCALES;
    return part_given(call, SCALE) && (!call->has_outputs || part_given(call, ROW_SCALES));
}

uint64_t row_scales(const struct call *call, aclDataType *dtype)
{
    const struct moved_rows rows = rows_made(call);
    const bool is_own = quant_mode_of(call) == NULL && part_given(call, SCALE);
    *dtype = is_own ? part_view(call, SCALE)->dtype : moved_scale_dtype(&rows);
    const uint64_t width = (uint64_t)part_view(call, X)->shape[1];
    return !is_own ? moved_scale_count(&rows, width) : *dtype == ACL_FLOAT ? 1 : 2 * mx_pairs(width);
}

/* [rows], or [rows, scales], those in pairs [rows, pairs, 2]; any shape of as many elements will do. */
void add_row_scales(const struct call *call, struct result *result, int64_t rows)
{
    const struct moved_rows made = rows_made(call);
    aclDataType dtype;
    const int64_t scales = (int64_t)row_scales(call, &dtype);
    const bool are_pairs = dtype == ACL_FLOAT8_E8M0 || made.has_pairs;
    struct output *output = are_pairs ? add_dims(result, dtype, 3, rows, scales / 2, 2)
                            : made.scales == MOVED_BLOCK_SCALES ? add_dims(result, dtype, 2, rows, scales, 0)
                                                                : add_dims(result, dtype, 1, rows, 0, 0);
    output->shape_rule = SHAPE_BY_COUNT;
    output->is_unwanted = !has_row_scales(call);
}
