/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The modes of quantising of MoeDistributeDispatch.
 */
#include "ops/with_ranks/dispatch_modes.h"

#include <inttypes.h>

#include "ops/check.h"

/* Numbers are of the dtype of expandX, which is one of the mode's; without it of the first of these. */
static const struct quant_mode {
    enum moved_scales scales;
    const struct dtype_set *dtypes;
    aclDataType usual;
    const char *names;
} modes[] = {
    [DISPATCH_STATIC] = {MOVED_NO_SCALES, &dtypes_int8_on_950_float8_hifloat8, ACL_INT8,
                         "INT8, HIFLOAT8, FLOAT8_E4M3FN or FLOAT8_E5M2"},
    [DISPATCH_BY_ROW] = {MOVED_ROW_SCALES, &dtypes_int8_on_950_float8_hifloat8, ACL_INT8,
                         "INT8 or, on Ascend950, HIFLOAT8, FLOAT8_E4M3FN or FLOAT8_E5M2"},
    [DISPATCH_BY_128] = {MOVED_BLOCK_SCALES, &dtypes_hifloat8_float8, ACL_FLOAT8_E4M3FN,
                         "FLOAT8_E4M3FN, FLOAT8_E5M2 or HIFLOAT8"},
    [DISPATCH_BY_MX] = {MOVED_MX_SCALES, &dtypes_float8_float4, ACL_FLOAT8_E4M3FN,
                        "FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT4_E2M1 or FLOAT4_E1M2"},
    [DISPATCH_BY_MX_TOO] = {MOVED_MX_SCALES, &dtypes_float8_float4, ACL_FLOAT8_E4M3FN,
                            "FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT4_E2M1 or FLOAT4_E1M2"},
};

aclnnStatus check_dispatched(const struct call *call, unsigned rows, int64_t mode)
{
    const bool is_newest = call->settings->product == PRODUCT_950,
               is_old = mode == DISPATCH_UNCHANGED || mode == DISPATCH_BY_ROW;
    if (mode < DISPATCH_UNCHANGED || mode > DISPATCH_BY_MX_TOO || (!is_newest && !is_old))
        return refuse(call, "quantMode is %" PRId64 "; 0 (none)%s expected", mode,
                      is_newest ? " to 5 is" : " or 2 (a scale for each row) is, and on Ascend950 1 to 5,");
    if (mode == DISPATCH_UNCHANGED || !call->has_outputs)
        return ACLNN_SUCCESS;
    const aclDataType dtype = call->tensor[rows].dtype;
    if (dtype_is_in(modes[mode].dtypes, call->settings->product, dtype))
        return ACLNN_SUCCESS;
    return refuse(call, "%s is %s; %s is expected with quantMode %" PRId64, call_name(call, rows),
                  dtype_name(dtype), modes[mode].names, mode);
}

bool is_made_before(const struct call *call)
{
    const aclDataType dtype = part_view(call, X)->dtype;
    return dtype != ACL_FLOAT16 && dtype != ACL_BF16;
}

aclnnStatus check_scales_of_mode(const struct call *call, int64_t mode, int64_t experts)
{
    const struct tensor_view *x = part_view(call, X), *scales = part_view(call, SCALES);
    const bool is_before = is_made_before(call), is_word = x->dtype == ACL_INT32;
    if (mode != DISPATCH_UNCHANGED && is_before)
        return refuse(call, "x is %s; FLOAT16 or BFLOAT16 is expected with quantMode %" PRId64,
                      dtype_name(x->dtype), mode);
    if (mode == DISPATCH_STATIC)
        TRY(check_part_given(call, SCALES, "quantMode 1"));
    if (!part_given(call, SCALES))
        return ACLNN_SUCCESS;
    if (mode == DISPATCH_UNCHANGED && !is_before)
        return refuse(call, "scales is given; NULL is expected with quantMode 0 and x of %s",
                      dtype_name(x->dtype));
    if (mode != DISPATCH_UNCHANGED && scales->dtype != ACL_FLOAT)
        return refuse(call, "scales is %s; FLOAT is expected with quantMode %" PRId64,
                      dtype_name(scales->dtype), mode);
    if (mode != DISPATCH_UNCHANGED)
        return check_dims(call, SCALES, 2, experts, x->shape[1]);
    TRY(check_dims(call, SCALES, is_word ? 1 : 2, x->shape[0], -1));
    if (!is_word && scales->shape[1] > INT32_MAX)
        return refuse(call, "scales has shape %s; 2^31 - 1 columns at most are expected",
                      shape_text(TEXT, scales));
    return ACLNN_SUCCESS;
}

struct moved_rows dispatched_rows(const struct call *call, unsigned rows, int64_t mode)
{
    if (mode == DISPATCH_UNCHANGED)
        return (struct moved_rows){.scales = MOVED_NO_SCALES};
    return moved_rows_of(call->has_outputs ? call->tensor[rows].dtype : modes[mode].usual, modes[mode].scales,
                         0);
}
