/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of few bits: which there are, what their tensors must be, and their way to memory and back.
 */
#include "ops/quantise/number.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/span.h"

enum { PIECE = 512, HALF = 2, WORD = 8 };

struct number number_of(aclDataType dtype)
{
    const struct number_format *format = number_format_of(dtype == ACL_INT32 ? ACL_INT4 : dtype);
    return (struct number){.format = format,
                           .dtype = dtype,
                           .packs = dtype == ACL_INT32       ? WORD
                                    : dtype_is_packed(dtype) ? HALF
                                                             : 1,
                           .most = format->most,
                           .rounding = dtype == ACL_HIFLOAT8 ? ROUNDING_ROUND : ROUNDING_RINT};
}

static bool may_be(const struct call *call, unsigned y, int64_t dtype)
{
    return dtype >= 0 && dtype < 64 &&
           (call->function->parameter[y].dtypes->on[call->settings->product] >> dtype & 1) != 0;
}

static aclnnStatus refuse_dtype(const struct call *call, unsigned y, unsigned dst_type)
{
    struct text choices = {.length = 0};
    static const struct {
        aclDataType dtype;
        const char *name;
    } all[] = {{ACL_INT8, "INT8"},
               {ACL_INT32, "INT32 of eight INT4 each"},
               {ACL_INT4, "INT4"},
               {ACL_HIFLOAT8, "HIFLOAT8"},
               {ACL_FLOAT8_E5M2, "FLOAT8_E5M2"},
               {ACL_FLOAT8_E4M3FN, "FLOAT8_E4M3FN"},
               {ACL_FLOAT4_E2M1, "FLOAT4_E2M1"},
               {ACL_FLOAT4_E1M2, "FLOAT4_E1M2"}};
    unsigned left = 0;
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        left += may_be(call, y, all[i].dtype);
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        if (may_be(call, y, all[i].dtype))
            text_append(&choices, "%s%d, %s, ", --left == 0 && choices.length > 0 ? "or " : "", all[i].dtype,
                        all[i].name);
    return refuse(call, "%s is %" PRId64 "; %sis expected", call_name(call, dst_type),
                  call->argument[dst_type].int64, choices.bytes);
}

aclnnStatus check_numbers(const struct call *call, unsigned y, unsigned dst_type, unsigned x, int64_t width,
                          struct number *number)
{
    const bool is_said = dst_type < call->function->parameter_count,
               has_y = call->has_outputs && call_has(call, y);
    int64_t dtype = is_said ? call->argument[dst_type].int64
                    : has_y ? (int64_t)call->tensor[y].dtype
                            : ACL_INT8;
    if (!may_be(call, y, dtype)) {
        if (is_said)
            return refuse_dtype(call, y, dst_type);
        dtype = ACL_INT8; /* what is given is judged with the other outputs */
    }
    *number = number_of((aclDataType)dtype);
    if (width % number->packs != 0)
        return refuse(call, "%s has rows of %" PRId64 " elements; multiples of %u are expected for %s",
                      call_name(call, x), width, number->packs,
                      dtype == ACL_INT32 ? "INT4 in INT32" : dtype_name((aclDataType)dtype));
    if (number->packs != HALF || !has_y || (int64_t)call->tensor[y].dtype != dtype ||
        call->tensor[y].count == 0)
        return ACLNN_SUCCESS;
    const struct span span = span_of(&call->tensor[y], SPAN_AS_IT_IS);
    if (!span_is_contiguous(&span) || call->tensor[y].offset % HALF != 0)
        return refuse(call, "%s of %s is a view; a contiguous one that begins with a byte is expected",
                      call_name(call, y), dtype_name((aclDataType)dtype));
    return ACLNN_SUCCESS;
}

aclnnStatus check_rounding(const struct call *call, unsigned parameter, bool rounds_to_even,
                           struct number *number)
{
    const char *text = call->argument[parameter].string;
    const bool is_hifloat8 = number->dtype == ACL_HIFLOAT8;
    enum rounding rounding;
    const bool is_known = rounding_read(text, &rounding);
    if (is_hifloat8)
        return is_known && (rounding == ROUNDING_RINT || rounding == ROUNDING_ROUND ||
                            rounding == ROUNDING_HYBRID)
                   ? ACLNN_SUCCESS
                   : refuse(call, "roundMode is \"%s\"; \"round\" or \"hybrid\" is expected for HIFLOAT8",
                            text);
    if (!is_known || rounding == ROUNDING_HYBRID)
        return refuse(
            call, "roundMode is \"%s\"; \"rint\", \"round\", \"floor\", \"ceil\" or \"trunc\" is expected",
            text);
    if (rounding == ROUNDING_ROUND && rounds_to_even)
        rounding = ROUNDING_RINT;
    if (!number->format->is_whole && number->packs == 1 && rounding != ROUNDING_RINT)
        return refuse(call, "roundMode is \"%s\"; \"rint\" is expected for floats of 8 bits", text);
    number->rounding = rounding;
    return ACLNN_SUCCESS;
}

struct output *add_numbers(struct result *result, const struct number *number, const struct shape *shape)
{
    struct output *output = result_add(result, number->dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = *shape;
    if (number->packs == WORD || (number->packs == HALF && number->dtype == ACL_INT8))
        output->shape.dim[shape->rank - 1] /= number->packs;
    return output;
}

void numbers_write(const struct task *task, unsigned parameter, const struct number *number, uint64_t at,
                   uint64_t count, const double *value)
{
    for (uint64_t some; count > 0; count -= some, at += some, value += some) {
        uint8_t code[PIECE] __attribute__((uninitialized)), packed[PIECE] __attribute__((uninitialized));
        some = count < PIECE ? count : PIECE;
        numbers_encode(number->format, number->rounding, value, some, code);
        if (number->packs > 1)
            numbers_pack(code, some, packed);
        task_put(task, parameter, at / number->packs, some / number->packs,
                 number->packs > 1 ? packed : code);
    }
}
