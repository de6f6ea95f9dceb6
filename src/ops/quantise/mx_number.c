/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What functions ask for of numbers in MX blocks, and rows of them.
 */
#include "ops/quantise/mx_number.h"

#include <inttypes.h>
#include <math.h>

aclnnStatus check_mx_dtype(const struct call *call, const struct mx_choices *choices,
                           struct mx_number *number)
{
    const int64_t dtype = choices->dtype != 0 ? call->argument[choices->dtype].int64
                          : choices->y != 0   ? (int64_t)call->tensor[choices->y].dtype
                                              : ACL_FLOAT4_E2M1;
    const char *const text = choices->round != 0 ? call->argument[choices->round].string : NULL;
    const bool is_given = dtype == ACL_FLOAT8_E5M2 || dtype == ACL_FLOAT8_E4M3FN ||
                          dtype == ACL_FLOAT4_E2M1 || dtype == ACL_FLOAT4_E1M2;
    if (!is_given || !dtype_is_in(&dtypes_float8_float4, call->settings->product, (aclDataType)dtype))
        return refuse(call,
                      "dstType is %" PRId64
                      " on %s; 35 (FLOAT8_E5M2), 36 (FLOAT8_E4M3FN), 40 (FLOAT4_E2M1) or "
                      "41 (FLOAT4_E1M2) is expected on Ascend950",
                      dtype, call->settings->soc_name);
    number->format = number_format_of((aclDataType)dtype);
    const bool is_float4 = dtype_is_packed((aclDataType)dtype);
    const bool is_known = rounding_read(text, &number->rounding);
    if (!is_known || number->rounding == ROUNDING_HYBRID || (!is_float4 && number->rounding != ROUNDING_RINT))
        return refuse(call, "roundMode is \"%s\"; \"rint\"%s is expected for %s", text,
                      is_float4 ? ", \"round\", \"floor\", \"ceil\" or \"trunc\"" : "",
                      dtype_name((aclDataType)dtype));
    return ACLNN_SUCCESS;
}

aclnnStatus check_mx_rule(const struct call *call, const struct mx_choices *choices, struct mx_number *number)
{
    const aclDataType dtype = number->format->dtype;
    const int64_t rule = choices->rule != 0 ? call->argument[choices->rule].int64 : 0;
    const bool is_float4 = dtype_is_packed(dtype), is_e1m2 = dtype == ACL_FLOAT4_E1M2;
    const int64_t other = is_float4 ? 2 : 1;
    const bool has_other =
        !is_float4 || (!choices->has_no_float4_rule && (!is_e1m2 || choices->has_e1m2_rule));
    if (rule != 0 && (rule != other || !has_other))
        return refuse(call, "scaleAlg is %" PRId64 "; 0%s is expected for %s", rule,
                      !has_other  ? ""
                      : is_float4 ? " or 2"
                                  : " or 1",
                      dtype_name(dtype));
    number->rule = (enum mx_rule)rule;
    const double most = choices->most != 0 ? call->argument[choices->most].fp64 : 0,
                 least = choices->least != 0 ? call->argument[choices->least].fp64 : 0;
    const double from = is_e1m2 ? 1.75 : 6, to = is_e1m2 ? 3.5 : 12;
    if (most != 0 && !(is_float4 && has_other && most >= from && most <= to))
        return refuse(call, "%s is %g; 0%s is expected for %s", call_name(call, choices->most), most,
                      !is_float4 || !has_other ? ""
                      : is_e1m2                ? ", or 1.75 to 3.5,"
                                               : ", or 6 to 12,",
                      dtype_name(dtype));
    if (!(least >= 0 && least - least == 0) || (least != 0 && rule != 1))
        return refuse(call, "maxLowBound is %g with scaleAlg %" PRId64 "; 0, or more with 1, is expected",
                      least, rule);
    number->most = (float)most;
    number->least = (float)least;
    return ACLNN_SUCCESS;
}

aclnnStatus check_mx_width(const struct call *call, unsigned x, int64_t width, const struct mx_number *number)
{
    return !dtype_is_packed(number->format->dtype) || width % 2 == 0
               ? ACLNN_SUCCESS
               : refuse(call, "%s has shape %s; an even last dim is expected for %s", call_name(call, x),
                        shape_text(TEXT, &call->tensor[x]), dtype_name(number->format->dtype));
}

uint8_t mx_encode_values(const struct mx_number *number, const double *value, uint64_t count, uint8_t *code)
{
    double greatest = 0;
    bool is_number = true;
    for (uint64_t i = 0; i < count; i++) {
        const double size = fabs(value[i]);
        is_number = is_number && size == size;
        greatest = size > greatest ? size : greatest;
    }
    const uint8_t scale = mx_scale_of_block(
        number->format, number->rule, is_number ? (float)greatest : (float)NAN, number->most, number->least);
    mx_encode_block(number->format, number->rounding, scale, value, count, code);
    return scale;
}

void mx_write_row(const struct task *task, const struct mx_number *number, unsigned y, unsigned scale,
                  uint64_t row, uint64_t width, const double *value)
{
    enum { PAIRS = 16 }; /* at once */
    const uint64_t pairs = mx_pairs(width);
    for (uint64_t pair = 0; pair < pairs; pair += PAIRS) {
        uint8_t code[PAIRS * MX_PAIR] __attribute__((uninitialized)), power[2 * PAIRS] = {0};
        const uint64_t first = pair * MX_PAIR, left = width - first,
                       count = left < PAIRS * MX_PAIR ? left : PAIRS * MX_PAIR;
        for (uint64_t at = 0; at < count; at += MX_BLOCK)
            power[at / MX_BLOCK] = mx_encode_values(number, value + first + at,
                                                    count - at < MX_BLOCK ? count - at : MX_BLOCK, code + at);
        task_put(task, y, row * width + first, count, code);
        task_put(task, scale, 2 * (row * pairs + pair), 2 * (pairs - pair < PAIRS ? pairs - pair : PAIRS),
                 power);
    }
}
