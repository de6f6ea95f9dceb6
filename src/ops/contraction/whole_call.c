/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the functions of products of whole numbers have in common of their contracts.
 */
#include "ops/contraction/whole_call.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/quantise/formats.h"
#include "tensor/dtype.h"

enum { EIGHT = 8, BLOCK_STEPS = 128 };

struct given given_of(const struct call *call, unsigned parameter)
{
    const bool is_list = call->function->parameter[parameter].kind == PARAMETER_TENSOR_LIST;
    struct given given = {.parameter = parameter};
    if (!call_has(call, parameter))
        return given;
    given.operand = call->first_operand[parameter];
    given.view = is_list ? call->values[parameter].value.tensor : &call->tensor[parameter];
    given.count = is_list ? call->values[parameter].count : 1;
    if (given.count == 1 && given.view->count == 0 && given.view->rank <= 1)
        given.count = 0;
    return given;
}

static const struct tensor_view *view_of(const struct given *given, uint64_t group)
{
    return &given->view[given->count == 1 ? 0 : group];
}

static uint32_t operand_of_group(const struct given *given, uint64_t group)
{
    return given->operand + (uint32_t)(given->count == 1 ? 0 : group);
}

static aclnnStatus check_dtypes_of(const struct whole_call *whole, const struct given *given,
                                   aclDataType expected)
{
    for (uint64_t i = 0; i < given->count; i++) {
        TRY(check_dtype_in_list(whole->call, given->parameter, given->view[i].dtype));
        if (given->view[i].dtype != given->view[0].dtype ||
            (expected != ACL_DT_UNDEFINED && given->view[i].dtype != expected))
            return refuse(whole->call, "tensor %" PRIu64 " of %s has dtype %s; %s is expected", i,
                          call_name(whole->call, given->parameter), dtype_name(given->view[i].dtype),
                          dtype_name(expected != ACL_DT_UNDEFINED ? expected : given->view[0].dtype));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_counts(const struct whole_call *whole, const struct given *given, uint64_t expected,
                                bool may_be_one)
{
    if (given->count == 0 || given->count == expected || (may_be_one && given->count == 1))
        return ACLNN_SUCCESS;
    return refuse(whole->call, "%s has %" PRIu64 " tensors; %" PRIu64 " are expected",
                  call_name(whole->call, given->parameter), given->count, expected);
}

/* The matrix of a group: of weight depth by columns. */
bool whole_matrix(const struct whole_call *whole, uint64_t group, struct numbers *numbers)
{
    const struct given *given = &whole->weight;
    const struct tensor_view *view = view_of(given, group);
    const bool stacks = given->count == 1 && (view->rank == 3 || view->rank == 5);
    if (!matrix_of_numbers(view, stacks, operand_of_group(given, group), numbers))
        return false;
    if (stacks && (uint64_t)view->shape[0] != whole->groups)
        return false;
    if (stacks)
        numbers->first += (int64_t)group * view->stride[0] * numbers_in(view->dtype);
    return stacks || given->count > 1 || whole->groups == 1;
}

static bool is_small_4(aclDataType dtype)
{
    return dtype_is_one_of(dtype, DTYPES_FLOAT4);
}

int64_t whole_rows(const struct whole_call *whole)
{
    struct numbers numbers;
    return matrix_of_numbers(whole->x.view, false, 0, &numbers) ? numbers.size[0] : 0;
}

static aclnnStatus check_float_pair(const struct whole_call *whole, aclDataType x, aclDataType weight)
{
    if ((dtype_is_one_of(x, DTYPES_FLOAT8) && dtype_is_one_of(weight, DTYPES_FLOAT8)) ||
        (x == weight && (x == ACL_HIFLOAT8 || x == ACL_FLOAT4_E2M1)) ||
        (x == ACL_FLOAT8_E4M3FN && weight == ACL_FLOAT4_E2M1))
        return ACLNN_SUCCESS;
    return refuse(whole->call,
                  "%s is %s and %s %s; FLOAT8 by FLOAT8, FLOAT8_E4M3FN by FLOAT4_E2M1, or two of HIFLOAT8 or "
                  "of FLOAT4_E2M1 are expected",
                  call_name(whole->call, whole->x.parameter), dtype_name(x),
                  call_name(whole->call, whole->weight.parameter), dtype_name(weight));
}

static aclnnStatus check_pair(struct whole_call *whole)
{
    const struct call *call = whole->call;
    const aclDataType x = whole->x.view[0].dtype, weight = whole->weight.view[0].dtype;
    TRY(check_dtypes_of(whole, &whole->x, ACL_DT_UNDEFINED));
    TRY(check_dtypes_of(whole, &whole->weight, ACL_DT_UNDEFINED));
    whole->is_mixed = x == ACL_INT8 && weight != ACL_INT8;
    whole->is_float = is_small_float(x);
    if (whole->is_float)
        return check_float_pair(whole, x, weight);
    if (!is_whole_dtype(weight) || !is_whole_dtype(x) || (x != ACL_INT8 && weight == ACL_INT8))
        return refuse(call, "%s is %s and %s %s; INT8 by INT8 or INT4, or INT4 by INT4, is expected",
                      call_name(call, whole->x.parameter), dtype_name(x),
                      call_name(call, whole->weight.parameter), dtype_name(weight));
    return ACLNN_SUCCESS;
}

/* Weights in blocks may have rows and columns behind those that there are. */
static bool fits_rows(const struct numbers *numbers, int64_t depth)
{
    return numbers->size[0] == depth || (numbers->block[0] > 0 && numbers->size[0] > depth &&
                                         numbers->size[0] - depth < numbers->block[0]);
}

static aclnnStatus check_matrices(struct whole_call *whole)
{
    const struct call *call = whole->call;
    struct numbers x, weight;
    if (whole->x.view->rank != 2 || !matrix_of_numbers(whole->x.view, false, 0, &x))
        return refuse(call, "%s has shape %s; a matrix is expected", call_name(call, whole->x.parameter),
                      shape_text(TEXT, whole->x.view));
    whole->depth = x.size[1];
    for (uint64_t g = 0; g < whole->groups; g++) {
        if (!whole_matrix(whole, g, &weight))
            return refuse(call, "%s has shape %s; matrices for %" PRIu64 " groups are expected",
                          call_name(call, whole->weight.parameter),
                          shape_text(TEXT, view_of(&whole->weight, g)), whole->groups);
        if (!fits_rows(&weight, whole->depth))
            return refuse(call,
                          "%s has %" PRId64 " columns and %s %" PRId64 " rows in group %" PRIu64
                          "; as many are expected",
                          call_name(call, whole->x.parameter), whole->depth,
                          call_name(call, whole->weight.parameter), weight.size[0], g);
        if (g == 0)
            whole->columns = weight.size[1];
        if (weight.size[1] != whole->columns)
            return refuse(call,
                          "%s has %" PRId64 " columns in group %" PRIu64 " and %" PRId64
                          " in the first; one number is expected",
                          call_name(call, whole->weight.parameter), weight.size[1], g, whole->columns);
    }
    return ACLNN_SUCCESS;
}

static int64_t blocks_in(int64_t size, int64_t block)
{
    return size / block + (size % block != 0);
}

/* Of columns, or of MX columns and pairs of parts. */
bool whole_factors(const struct whole_call *whole, const struct given *given, uint64_t group, int64_t *parts,
                   struct factors *factors)
{
    *factors = (struct factors){.is_given = given->count > 0, .lanes = 1};
    *parts = 1;
    if (given->count == 0)
        return true;
    const struct tensor_view *view = view_of(given, group);
    const bool is_mx = view->dtype == ACL_FLOAT8_E8M0;
    const uint32_t usual = is_mx ? 3 : 2, least = is_mx ? usual + 1 : whole->groups > 1 ? 2 : 3;
    const bool stacks = given->count == 1 && view->rank >= least && (uint64_t)view->shape[0] == whole->groups;
    const uint32_t rank = view->rank - stacks, last = view->rank - 1 - is_mx;
    factors->dtype = view->dtype;
    factors->bytes = dtype_bytes(view->dtype);
    factors->address = operand_of_group(given, group);
    factors->first = stacks ? (int64_t)group * view->stride[0] : 0;
    if (rank < 1 || rank > usual || (!stacks && given->count == 1 && whole->groups > 1))
        return false;
    const int64_t columns = view->shape[last];
    if (is_mx && (rank != usual || view->shape[last + 1] != 2 || columns != whole->columns ||
                  view->shape[last - 1] != blocks_in(whole->depth, MX_PAIR)))
        return false;
    const bool has_blocks = whole->is_float && rank == 2 && !is_mx && columns != whole->columns &&
                            columns == blocks_in(whole->columns, BLOCK_STEPS);
    if (columns != whole->columns && columns != 1 && !has_blocks)
        return false;
    factors->lanes = has_blocks && columns > 1 ? BLOCK_STEPS : 1;
    factors->stride[1] = columns == 1 ? 0 : view->stride[last];
    factors->is_paired = is_mx;
    factors->second = is_mx ? view->stride[last + 1] : 0;
    *parts = is_mx ? blocks_in(whole->depth, MX_BLOCK) : rank == 2 ? view->shape[last - 1] : 1;
    factors->stride[0] = *parts > 1 ? view->stride[last - 1] : 0;
    return *parts > 0;
}

aclnnStatus whole_check_factors(const struct whole_call *whole, const struct given *given,
                                bool may_have_parts, int64_t *parts)
{
    *parts = 1;
    TRY(check_dtypes_of(whole, given, ACL_DT_UNDEFINED));
    TRY(check_counts(whole, given, whole->groups, true));
    for (uint64_t g = 0; given->count > 0 && g < whole->groups; g++) {
        struct factors factors;
        int64_t own;
        const bool is_like_that = whole_factors(whole, given, g, &own, &factors);
        if (!is_like_that || (own > 1 && !may_have_parts) || (g > 0 && own != *parts))
            return refuse(
                whole->call,
                "%s has shape %s; one element or %" PRId64 "%s for each of %" PRIu64 " groups are expected",
                call_name(whole->call, given->parameter), shape_text(TEXT, view_of(given, g)), whole->columns,
                may_have_parts ? ", or rows of so many for parts of the depth," : "", whole->groups);
        *parts = own;
    }
    return ACLNN_SUCCESS;
}

/* One for each row; of small floats also for each part, which of MX lie in pairs. */
static aclnnStatus check_rows_scale(struct whole_call *whole)
{
    const struct given *given = &whole->rows_scale;
    const bool is_mx = whole->scale.count > 0 && whole->scale.view->dtype == ACL_FLOAT8_E8M0;
    const int64_t rows = whole_rows(whole), pairs = blocks_in(whole->depth, MX_PAIR);
    TRY(check_dtypes_of(whole, given, ACL_DT_UNDEFINED));
    TRY(check_counts(whole, given, 1, false));
    if (given->count == 0)
        return is_mx ? refuse(whole->call, "%s is FLOAT8_E8M0; scales of the rows like it are expected",
                              call_name(whole->call, whole->scale.parameter))
                     : ACLNN_SUCCESS;
    const struct tensor_view *view = given->view;
    if (is_mx != (view->dtype == ACL_FLOAT8_E8M0))
        return refuse(whole->call, "%s is %s; FLOAT8_E8M0 is expected where %s is, and nowhere else",
                      call_name(whole->call, given->parameter), dtype_name(view->dtype),
                      call_name(whole->call, whole->scale.parameter));
    if (is_mx &&
        (view->rank != 3 || view->shape[0] != rows || view->shape[1] != pairs || view->shape[2] != 2))
        return refuse(whole->call, "%s has shape %s; [%" PRId64 ", %" PRId64 ", 2] is expected",
                      call_name(whole->call, given->parameter), shape_text(TEXT, view), rows, pairs);
    whole->rows_have_parts = is_mx || (whole->is_float && whole->parts > 1 && view->rank == 2 &&
                                       view->shape[0] == rows && view->shape[1] == whole->parts);
    if (!whole->rows_have_parts && (view->count != rows || view->rank > 2))
        return refuse(whole->call, "%s has shape %s; %" PRId64 " elements, one for each row, are expected",
                      call_name(whole->call, given->parameter), shape_text(TEXT, view), rows);
    return ACLNN_SUCCESS;
}

/* Parts of the depth that have scales: of one size, or of small floats 32 or 128 steps. */
static aclnnStatus check_parts(struct whole_call *whole)
{
    const struct call *call = whole->call;
    const int64_t depth = whole->depth > 0 ? whole->depth : 1;
    const bool is_mx = whole->scale.count > 0 && whole->scale.view->dtype == ACL_FLOAT8_E8M0;
    whole->part = is_mx ? MX_BLOCK : whole->is_float && whole->parts > 1 ? BLOCK_STEPS : depth / whole->parts;
    if (is_mx && !whole->is_float)
        return refuse(call, "%s is FLOAT8_E8M0; floats of 8 or of 4 bits are expected beside it",
                      call_name(call, whole->scale.parameter));
    if (whole->is_float && !is_mx && is_small_4(whole->weight.view->dtype))
        return refuse(call, "%s is FLOAT4_E2M1; FLOAT8_E8M0 is expected of %s",
                      call_name(call, whole->weight.parameter),
                      whole->scale.count > 0 ? call_name(call, whole->scale.parameter) : "scales");
    if (whole->is_float && whole->parts > 1 && whole->parts != blocks_in(whole->depth, whole->part))
        return refuse(call,
                      "%s has %" PRId64 " rows for the depth %" PRId64 "; one for each 128 steps is expected",
                      call_name(call, whole->scale.parameter), whole->parts, whole->depth);
    if (!whole->is_float && whole->parts > 1 &&
        (whole->weight.view[0].dtype == ACL_INT8 || whole->depth % whole->parts != 0))
        return refuse(call, "%s has %" PRId64 " rows for parts of the depth %" PRId64 "; %s",
                      call_name(call, whole->scale.parameter), whole->parts, whole->depth,
                      whole->weight.view[0].dtype == ACL_INT8 ? "one is expected of INT8 by INT8"
                                                              : "parts of one size are expected");
    return ACLNN_SUCCESS;
}

aclnnStatus whole_check(struct whole_call *whole)
{
    const struct call *call = whole->call;
    int64_t parts;
    TRY(check_pair(whole));
    TRY(check_counts(whole, &whole->x, 1, false));
    TRY(check_counts(whole, &whole->weight, whole->groups, true));
    TRY(check_matrices(whole));
    TRY(whole_check_factors(whole, &whole->scale, true, &whole->parts));
    TRY(check_parts(whole));
    TRY(whole_check_factors(whole, &whole->bias, false, &parts));
    TRY(whole_check_factors(whole, &whole->offset, !whole->offsets_are_end, &parts));
    if (whole->offset.count > 0 && !whole->offsets_are_end && parts != whole->parts)
        return refuse(call, "%s has %" PRId64 " rows; %" PRId64 " are expected, as %s has",
                      call_name(call, whole->offset.parameter), parts, whole->parts,
                      call_name(call, whole->scale.parameter));
    if (whole->offset.count > 0 && !whole->offsets_are_end && !whole->is_mixed)
        return refuse(call, "%s is given; NULL is expected unless INT8 meets INT4",
                      call_name(call, whole->offset.parameter));
    TRY(check_rows_scale(whole));
    if (whole->is_float && (whole->out == ACL_INT32 || whole->out == ACL_INT8 || whole->offset.count > 0 ||
                            (whole->bias.count > 0 && whole->bias.view->dtype == ACL_INT32)))
        return refuse(call, "%s is %s; %s", call_name(call, whole->x.parameter),
                      dtype_name(whole->x.view->dtype),
                      whole->offset.count > 0 ? "no offset is expected then"
                      : whole->out == ACL_INT32 || whole->out == ACL_INT8
                          ? "a result of FLOAT, FLOAT16 or BFLOAT16 is expected"
                          : "a bias of floats is expected");
    if (whole->out == ACL_INT32 && (whole->scale.count > 0 || whole->rows_scale.count > 0))
        return refuse(
            call, "%s is given; NULL is expected where the result is INT32",
            call_name(call, whole->scale.count > 0 ? whole->scale.parameter : whole->rows_scale.parameter));
    if (whole->out == ACL_INT32 && whole->bias.count > 0 && whole->bias.view[0].dtype != ACL_INT32)
        return refuse(call, "%s is %s; INT32 is expected where the result is",
                      call_name(call, whole->bias.parameter), dtype_name(whole->bias.view[0].dtype));
    return ACLNN_SUCCESS;
}

static struct factors rows_of(const struct whole_call *whole)
{
    const struct given *given = &whole->rows_scale;
    if (given->count == 0)
        return (struct factors){.lanes = 1};
    const struct tensor_view *view = given->view;
    if (whole->rows_have_parts) {
        struct factors factors = factors_of_view(view, given->operand, view->stride[1], view->stride[0]);
        factors.is_paired = view->rank == 3;
        factors.second = view->rank == 3 ? view->stride[2] : 0;
        return factors;
    }
    uint32_t dim = view->rank > 0 ? view->rank - 1 : 0;
    if (view->rank == 2 && view->shape[1] == 1)
        dim = 0;
    return factors_of_view(view, given->operand, 0, view->rank > 0 ? view->stride[dim] : 0);
}

void whole_product(const struct whole_call *whole, uint64_t g, struct scaled *scaled,
                   struct scaled_product *product)
{
    const struct settings *settings = whole->call->settings;
    const bool has_whole_bias = whole->bias.count > 0 && whole->bias.view[0].dtype == ACL_INT32;
    const bool shifts = whole->is_mixed && whole->bias.count > 0 && !has_whole_bias;
    int64_t parts;
    *scaled = (struct scaled){.transfer = transfer_of(settings->isa),
                              .isa = settings->isa,
                              .threads = settings->thread_count,
                              .columns = (uint64_t)whole->columns,
                              .depth = (uint64_t)whole->depth,
                              .parts = (uint64_t)whole->parts,
                              .part = (uint64_t)whole->part,
                              .rows_have_parts = whole->rows_have_parts,
                              .is_float = whole->is_float,
                              .shift = shifts ? EIGHT : 0,
                              .bias_place = has_whole_bias ? BIAS_OF_SUMS
                                            : shifts       ? BIAS_OF_PARTS
                                                           : BIAS_LAST,
                              .has_offsets = whole->offset.count > 0 && !whole->offsets_are_end,
                              .has_bits_at_end = whole->out == ACL_INT8,
                              .is_whole = whole->out == ACL_INT32};
    struct numbers weight;
    (void)whole_matrix(whole, g, &weight);
    *product = (struct scaled_product){.right = numbers_turned(&weight), .rows = rows_of(whole)};
    (void)matrix_of_numbers(whole->x.view, false, whole->x.operand, &product->left);
    (void)whole_factors(whole, &whole->scale, g, &parts, &product->columns);
    product->columns.is_plain = !whole->is_float && whole->weight.view[0].dtype != ACL_INT8;
    (void)whole_factors(whole, &whole->bias, g, &parts, &product->bias);
    (void)whole_factors(whole, &whole->offset, g, &parts,
                        whole->offsets_are_end ? &product->end : &product->offset);
}
