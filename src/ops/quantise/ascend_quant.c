/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * y = x scale + offset, of scales along a dim or one for all, as INT8 or INT4, in DOUBLE, rounded to a whole
 * number once. INT4 lie two to a byte, or eight to an element of an INT32 tensor, the first in the lowest bits.
 */
#include "aclnnop/aclnn_ascend_quant.h"
#include "aclnnop/aclnn_ascend_quant_v3.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/quantise/number.h"
#include "ops/signature.h"

enum { PIECE = 512, PIECES_AT_ONCE = 8, ELEMENT_PS = 2500, HALF = 2, WORD = 8 };

#define FLT3 &dtypes_fp32_fp16_bf16
#define QUANT(X, of)                                                    \
    X(of, IN, x, FLT3)                                                  \
    X(of, IN, scale, FLT3, .sample = "3")                               \
    X(of, IN, offsetOptional, FLT3, .is_optional = true, .sample = "3") \
    X(of, BOOL, sqrtMode, .usual = "false")                             \
    X(of, CONST_TEXT, roundModeOptional, .is_optional = true)           \
    X(of, INT32, dstType, .usual = "2")
#define V1(X, of) QUANT(X, of) X(of, OUT, y, &dtypes_int8_int32_int4)
#define V3(X, of) QUANT(X, of) X(of, INT32, axis, .usual = "-1") X(of, OUT, y, &dtypes_int8_int32_int4)
SIGNATURE(V1)
SIGNATURE(V3)

enum rounding { NEAREST, FLOOR, CEIL, TRUNC };

struct quant_plan {
    struct port x, scale, offset, y;
    bool has_offset, is_squared;
    enum rounding rounding;
    uint64_t count, inner, scales; /* element k has scale k / inner % scales */
    unsigned packs;                /* numbers in an element of y */
    double most;
};

static bool read_rounding(const char *text, enum rounding *rounding)
{
    static const struct {
        const char *name;
        enum rounding rounding;
    } names[] = {{"rint", NEAREST}, {"round", NEAREST}, {"floor", FLOOR}, {"ceil", CEIL}, {"trunc", TRUNC}};
    *rounding = NEAREST;
    for (size_t i = 0; text != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i].name) == 0) {
            *rounding = names[i].rounding;
            return true;
        }
    return text == NULL;
}

static int64_t axis_of(const struct call *call)
{
    return call->function->parameter_count == V3_y + 1 ? call->argument[V3_axis].int64 : -1;
}

/* Scales are one, or as many as x has along the dim: alone, or with dims of 1 around them. */
static aclnnStatus check_factor(const struct call *call, unsigned parameter, uint32_t dim)
{
    const struct tensor_view *factor = &call->tensor[parameter], *x = &call->tensor[V1_x];
    bool fits = factor->rank == 1 && (factor->shape[0] == 1 || factor->shape[0] == x->shape[dim]);
    if (!fits && factor->rank == x->rank) {
        fits = true;
        for (uint32_t i = 0; i < x->rank; i++)
            fits = fits && (factor->shape[i] == 1 || (i == dim && factor->shape[i] == x->shape[i]));
    }
    return fits ? ACLNN_SUCCESS
                : refuse(call,
                         "%s has shape %s; 1 element, or %" PRId64 ", those of dim %u of x, are expected",
                         call_name(call, parameter), shape_text(TEXT, factor), x->shape[dim], dim);
}

static aclnnStatus check_width(const struct call *call, aclDataType dtype)
{
    const struct tensor_view *x = &call->tensor[V1_x];
    const unsigned y = call->function->parameter_count - 1;
    const int64_t packs = dtype == ACL_INT4 ? HALF : dtype == ACL_INT32 ? WORD : 1;
    if (x->shape[x->rank - 1] % packs != 0)
        return refuse(call, "x has rows of %" PRId64 " elements; a multiple of %" PRId64 " is expected: INT4",
                      x->shape[x->rank - 1], packs);
    if (dtype != ACL_INT4 || !call->has_outputs || call->tensor[y].dtype != ACL_INT4 ||
        call->tensor[y].count == 0)
        return ACLNN_SUCCESS;
    const struct span span = span_of(&call->tensor[y], SPAN_AS_IT_IS);
    if (!span_is_contiguous(&span) || call->tensor[y].offset % 2 != 0)
        return refuse(call, "y of INT4 is a view; a contiguous one that begins with a byte is expected");
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[V1_x];
    const int64_t dst_type = call->argument[V1_dstType].int64;
    enum rounding rounding;
    uint32_t dim;
    for (unsigned i = V1_x; i <= V1_offsetOptional; i++)
        TRY(call_has(call, i) ? check_dtype(call, i) : ACLNN_SUCCESS);
    TRY(check_rank(call, V1_x));
    if (x->rank < 1)
        return refuse(call, "x has 0 dims; 1 or more are expected");
    TRY(check_dim(call, call->function->parameter_count - 2, axis_of(call), x->rank, &dim));
    TRY(check_factor(call, V1_scale, dim));
    if (call_has(call, V1_offsetOptional)) {
        TRY(check_factor(call, V1_offsetOptional, dim));
        if (call->tensor[V1_offsetOptional].count != call->tensor[V1_scale].count)
            return refuse(call,
                          "offsetOptional has %" PRId64 " elements; %" PRId64 ", as scale has, are expected",
                          call->tensor[V1_offsetOptional].count, call->tensor[V1_scale].count);
    }
    if (!read_rounding(call->argument[V1_roundModeOptional].string, &rounding))
        return refuse(
            call, "roundMode is \"%s\"; \"rint\", \"round\", \"floor\", \"ceil\" or \"trunc\" is expected",
            call->argument[V1_roundModeOptional].string);
    if (dst_type != ACL_INT8 && dst_type != ACL_INT32 && dst_type != ACL_INT4)
        return refuse(
            call, "dstType is %" PRId64 "; %d, INT8, %d, INT32 of eight INT4 each, or %d, INT4, is expected",
            dst_type, ACL_INT8, ACL_INT32, ACL_INT4);
    TRY(check_width(call, (aclDataType)dst_type));
    result->computed = x->dtype;
    struct output *output = result_add(result, (aclDataType)dst_type, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape_of(x);
    if (dst_type == ACL_INT32)
        output->shape.dim[x->rank - 1] /= WORD;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = &call->tensor[V1_x];
    const unsigned y = call->function->parameter_count - 1;
    const aclDataType dtype = result->output[0].dtype;
    struct executor_content *content;
    void *made;
    uint32_t dim;
    if (x->count == 0)
        return call_idle(call);
    TRY(check_dim(call, y - 1, axis_of(call), x->rank, &dim));
    TRY(call_begin(call, sizeof(struct quant_plan), &content, &made));
    struct quant_plan *plan = made;
    *plan = (struct quant_plan){.x = port_of(call, V1_x, ACL_DOUBLE),
                                .scale = port_of(call, V1_scale, ACL_DOUBLE),
                                .y = port_of(call, y, dtype),
                                .has_offset = call_has(call, V1_offsetOptional),
                                .is_squared = call->argument[V1_sqrtMode].boolean,
                                .count = (uint64_t)x->count,
                                .inner = 1,
                                .scales = (uint64_t)call->tensor[V1_scale].count,
                                .packs = dtype == ACL_INT4    ? HALF
                                         : dtype == ACL_INT32 ? WORD
                                                              : 1,
                                .most = dtype == ACL_INT8 ? 127 : 7};
    if (plan->has_offset)
        plan->offset = port_of(call, V1_offsetOptional, ACL_DOUBLE);
    if (dtype == ACL_INT4)
        plan->y.span = span_contiguous(plan->count / HALF, 1);
    for (uint32_t i = dim + 1; i < x->rank; i++)
        plan->inner *= (uint64_t)x->shape[i];
    read_rounding(call->argument[V1_roundModeOptional].string, &plan->rounding);
    content->cost_ns = (uint64_t)((double)x->count * ELEMENT_PS / 1000);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

struct quant_work {
    const struct quant_plan *plan;
    void *const *address;
};

/* Factors of elements from one on, and how many of them follow one another, or have the first one. */
static uint64_t read_factors(const struct quant_work *work, const struct port *port, uint64_t at,
                             uint64_t count, double *factor)
{
    const struct quant_plan *plan = work->plan;
    const uint64_t first = at / plan->inner % plan->scales, left = plan->inner - at % plan->inner;
    if (plan->inner == 1 && plan->scales > 1) {
        const uint64_t some = count < plan->scales - first ? count : plan->scales - first;
        port_bring(port, work->address, first, some, factor);
        return some;
    }
    const uint64_t some = plan->scales == 1 || count < left ? count : left;
    port_bring(port, work->address, first, 1, factor);
    for (uint64_t i = 1; i < some; i++)
        factor[i] = factor[0];
    return some;
}

static double whole_of(double value, enum rounding rounding)
{
    return rounding == NEAREST ? value
           : rounding == FLOOR ? floor(value)
           : rounding == CEIL  ? ceil(value)
                               : trunc(value);
}

/* Elements of y hold some numbers each. */
static void quantise_piece(void *context, uint64_t at, uint64_t count)
{
    const struct quant_work *work = context;
    const struct quant_plan *plan = work->plan;
    const uint64_t first = at * plan->packs, numbers = count * plan->packs;
    double x[PIECE] __attribute__((uninitialized)), scale[PIECE] __attribute__((uninitialized)),
        offset[PIECE];
    int8_t number[PIECE] __attribute__((uninitialized));
    memset(offset, 0, sizeof offset);
    port_bring(&plan->x, work->address, first, numbers, x);
    for (uint64_t i = 0, some; i < numbers; i += some) {
        some = read_factors(work, &plan->scale, first + i, numbers - i, scale);
        if (plan->has_offset)
            read_factors(work, &plan->offset, first + i, numbers - i, offset);
        for (uint64_t k = 0; k < some; k++) {
            const double scaled = x[i + k] * scale[k] * (plan->is_squared ? scale[k] : 1);
            number[i + k] = quantised_number(whole_of(scaled + offset[k], plan->rounding), plan->most);
        }
    }
    uint8_t packed[PIECE] __attribute__((uninitialized));
    pack_numbers(number, numbers, plan->packs, packed);
    port_deliver(&plan->y, work->address, at, count, packed);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct quant_plan *plan = prepared;
    struct quant_work work = {plan, address};
    (void)scratch;
    pieces_run(quantise_piece, &work, plan->count / plan->packs, PIECE / WORD, PIECES_AT_ONCE,
               (uint64_t)((double)plan->count * ELEMENT_PS / 1000));
    return 0;
}

#define QUANTISES \
    .family = FAMILY_QUANTISE, .promise = &promise_exact, .operation.run = run, .infer = infer, .plan = plan
FUNCTION_OF(aclnnAscendQuant, V1, .stem = "ascend_quant", QUANTISES);
FUNCTION_OF(aclnnAscendQuantV3, V3, .stem = "ascend_quant_v3", QUANTISES);
