/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the generations of QuantMatmul ask of their tensors.
 */
#include "ops/contraction/quant_call.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/quantise/formats.h"
#include "tensor/dtype.h"

#define BITS_64 (DTYPE_BIT(ACL_INT64) | DTYPE_BIT(ACL_UINT64))

/* The matrix that x1 or x2 has in its last two dims, the other way round if asked for. */
bool quant_matrix(const struct call *call, unsigned side, struct numbers *numbers)
{
    const struct tensor_view *own = &call->tensor[side];
    struct tensor_view view = *own;
    const bool is_turned = quant_turns(call, side);
    view.rank = 2;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t from = own->rank - 2 + (is_turned ? 1 - i : i);
        view.shape[i] = own->shape[from];
        view.stride[i] = own->stride[from];
    }
    return matrix_of_numbers(&view, false, call->first_operand[side], numbers);
}

aclnnStatus quant_find_batch(const struct call *call, struct shape *batch)
{
    struct shape left = shape_of(&call->tensor[LEFT]), right = shape_of(&call->tensor[RIGHT]);
    left.rank -= 2, right.rank -= 2;
    return broadcast(&left, &right, batch) ? ACLNN_SUCCESS
                                           : refuse(call, "the shapes of x1 and x2 do not fit: the dims "
                                                          "before the last two are expected to broadcast");
}

/* The dims of scales by blocks, the way that their operand's are. */
static int64_t scale_dim(const struct call *call, unsigned part, unsigned side, uint32_t dim)
{
    const struct tensor_view *scale = quant_view(call, part);
    return scale->shape[scale->rank - (is_mx(scale) ? 3 : 2) + (quant_turns(call, side) ? 1 - dim : dim)];
}

/* Scales by blocks have the dims of their operand, the last two as blocks of it, and of MX pairs behind. */
static bool has_dims_of(const struct tensor_view *scale, const struct tensor_view *operand)
{
    const uint32_t more = is_mx(scale) ? 1 : 0;
    return scale->rank == operand->rank + more && (more == 0 || scale->shape[scale->rank - 1] == 2) &&
           memcmp(scale->shape, operand->shape, (operand->rank - 2) * sizeof scale->shape[0]) == 0;
}

/* Of MX both sides have powers of two: pairs of parts by columns, and rows by pairs. */
static aclnnStatus find_mx(const struct call *call, struct sizes *sizes)
{
    const struct tensor_view *scale = quant_view(call, SCALE);
    const int64_t pairs = (int64_t)mx_pairs((uint64_t)sizes->depth);
    sizes->part = MX_BLOCK, sizes->parts = sizes->depth / MX_BLOCK + (sizes->depth % MX_BLOCK != 0);
    sizes->column_block = 1, sizes->row_block = 1;
    if (!sizes->is_float || !quant_given(call, ROWS_SCALE) || !is_mx(quant_view(call, ROWS_SCALE)))
        return refuse(call,
                      "x2Scale is FLOAT8_E8M0; floats of 8 or of 4 bits and an x1Scale like it are expected");
    if (!has_dims_of(scale, &call->tensor[RIGHT]) || scale_dim(call, SCALE, RIGHT, 0) != pairs ||
        scale_dim(call, SCALE, RIGHT, 1) != sizes->columns)
        return refuse(call,
                      "x2Scale has shape %s; x2's dims, of which one is %" PRId64
                      " for pairs of 32 steps, and pairs, [.., 2], are expected",
                      shape_text(TEXT, scale), pairs);
    const struct tensor_view *own = quant_view(call, ROWS_SCALE);
    if (!has_dims_of(own, &call->tensor[LEFT]) || scale_dim(call, ROWS_SCALE, LEFT, 0) != sizes->rows ||
        scale_dim(call, ROWS_SCALE, LEFT, 1) != pairs)
        return refuse(call,
                      "x1Scale has shape %s; x1's dims, of which one is %" PRId64
                      " for pairs of 32 steps, and pairs, [.., 2], are expected",
                      shape_text(TEXT, own), pairs);
    return ACLNN_SUCCESS;
}

/* The size of blocks of which so many cover a dim: as said, or what fits; 0: none. */
static int64_t block_of(int64_t size, int64_t blocks, int64_t said)
{
    enum { USUAL = 128 };
    const int64_t block = said > 0 ? said : blocks > 0 && size % blocks == 0 ? size / blocks : USUAL;
    return block > 0 && blocks > 0 && size / block + (size % block != 0) == blocks ? block : 0;
}

static bool is_row(const struct tensor_view *view, int64_t count)
{
    return view->rank <= 2 && (view->count == 1 || view->count == count) &&
           (view->rank < 2 || view->count == view->shape[view->rank - 1]);
}

/* Scales of columns and parts of the depth, and of rows or blocks of them and the same parts. */
static aclnnStatus find_blocks(const struct call *call, struct sizes *sizes)
{
    const struct tensor_view *scale = quant_view(call, SCALE);
    const int64_t said = quant_has(call, GROUPS) ? call->argument[quant_part_at(call, GROUPS)].int64 : 0;
    const int64_t column_said = said >> 16 & 0xffff, part_said = said & 0xffff;
    sizes->parts = 1, sizes->part = sizes->depth > 0 ? sizes->depth : 1;
    if (is_mx(scale))
        return find_mx(call, sizes);
    if (is_row(scale, sizes->columns) || (scale->rank == 2 && scale->count == 1))
        return ACLNN_SUCCESS;
    if (!has_dims_of(scale, &call->tensor[RIGHT]) || !quant_has(call, GROUPS))
        return refuse(call, "%s has shape %s; 1 element or %" PRId64 " are expected",
                      call_name(call, quant_part_at(call, SCALE)), shape_text(TEXT, scale), sizes->columns);
    sizes->parts = scale_dim(call, SCALE, RIGHT, 0);
    sizes->part = block_of(sizes->depth, sizes->parts, part_said);
    const bool has_blocks = scale_dim(call, SCALE, RIGHT, 1) != sizes->columns || column_said > 1;
    sizes->column_block =
        has_blocks ? block_of(sizes->columns, scale_dim(call, SCALE, RIGHT, 1), column_said) : 1;
    if (sizes->part == 0 || sizes->column_block == 0)
        return refuse(call,
                      "x2Scale has shape %s; 1 element or %" PRId64
                      " are expected, or scales of blocks of the %" PRId64
                      " steps and the columns, by groupSize %" PRId64,
                      shape_text(TEXT, scale), sizes->columns, sizes->depth, said);
    return ACLNN_SUCCESS;
}

/* Scales of rows for each part, or of blocks of them: two dims that are not (m, 1) or, without parts, (1, m). */
static aclnnStatus find_row_blocks(const struct call *call, struct sizes *sizes)
{
    if (!quant_has(call, GROUPS) || !quant_given(call, ROWS_SCALE))
        return ACLNN_SUCCESS;
    const struct tensor_view *own = quant_view(call, ROWS_SCALE);
    const int64_t said = call->argument[quant_part_at(call, GROUPS)].int64 >> 32 & 0xffff;
    if (is_mx(own) != is_mx(quant_view(call, SCALE)))
        return refuse(call, "x1Scale is %s and x2Scale %s; both or none are expected to be FLOAT8_E8M0",
                      dtype_name(own->dtype), dtype_name(quant_view(call, SCALE)->dtype));
    if (is_mx(own) || own->rank < 2 || own->count == 1 ||
        (own->rank == 2 && own->shape[0] == sizes->rows && own->shape[1] == 1) ||
        (sizes->parts == 1 && is_row(own, sizes->rows)))
        return ACLNN_SUCCESS;
    sizes->row_block = block_of(sizes->rows, scale_dim(call, ROWS_SCALE, LEFT, 0), said);
    if (sizes->row_block == 0 || !has_dims_of(own, &call->tensor[LEFT]) ||
        scale_dim(call, ROWS_SCALE, LEFT, 1) != sizes->parts)
        return refuse(call,
                      "x1ScaleOptional has shape %s; 1 element or %" PRId64
                      " are expected, or scales of rows, or of blocks of them, by %" PRId64 " parts",
                      shape_text(TEXT, own), sizes->rows, sizes->parts);
    return ACLNN_SUCCESS;
}

/* Which dtypes meet. */
static aclnnStatus check_pair(const struct call *call, const struct sizes *sizes)
{
    const aclDataType left = call->tensor[LEFT].dtype, right = call->tensor[RIGHT].dtype;
    const bool is_8 = dtype_is_one_of(left, DTYPES_FLOAT8),
               is_same = left == right && (left == ACL_HIFLOAT8 || left == ACL_FLOAT4_E2M1);
    const bool is_4 = right == ACL_FLOAT4_E2M1 || right == ACL_FLOAT;
    if (!sizes->is_float && (right == ACL_FLOAT || is_small_float(right)))
        return refuse(call, "x1 is %s and x2 %s; INT8 by INT8 or INT4, or INT4 by INT4, is expected",
                      dtype_name(left), dtype_name(right));
    if (!sizes->is_float && sizes->is_halved && right == ACL_INT8)
        return refuse(call, "x1 is %s and x2 INT8; INT8 by INT8 or INT4, or INT4 by INT4, is expected",
                      dtype_name(left));
    if (!sizes->is_float || is_same || (is_8 && dtype_is_one_of(right, DTYPES_FLOAT8)) ||
        (left == ACL_FLOAT8_E4M3FN && is_4))
        return ACLNN_SUCCESS;
    return refuse(call,
                  "x1 is %s and x2 %s; FLOAT8 by FLOAT8, FLOAT8_E4M3FN by FLOAT4_E2M1, or two of HIFLOAT8 or "
                  "of FLOAT4_E2M1 are expected",
                  dtype_name(left), dtype_name(right));
}

/* What comes beside floats: those of 4 bits want MX, or scales of parts behind which others come. */
static aclnnStatus check_float_scales(const struct call *call, const struct sizes *sizes)
{
    const struct tensor_view *scale = quant_view(call, SCALE);
    const bool has_4 = call->tensor[RIGHT].dtype == ACL_FLOAT4_E2M1 || call->tensor[RIGHT].dtype == ACL_FLOAT;
    if (!sizes->is_float)
        return ACLNN_SUCCESS;
    if (has_4 && !is_mx(scale) && !quant_given(call, Y_SCALE))
        return refuse(call, "x2Scale is %s beside FLOAT4_E2M1; FLOAT8_E8M0 is expected, or yScale",
                      dtype_name(scale->dtype));
    if (quant_given(call, BIAS_PART) && quant_view(call, BIAS_PART)->dtype == ACL_INT32)
        return refuse(call, "biasOptional is INT32; floats are expected where x1 is %s",
                      dtype_name(call->tensor[LEFT].dtype));
    if (!quant_given(call, Y_SCALE))
        return ACLNN_SUCCESS;
    const struct tensor_view *end = quant_view(call, Y_SCALE);
    if (!has_4 || is_mx(scale) || quant_given(call, ROWS_SCALE) || !dtype_is_one_of(end->dtype, BITS_64) ||
        !is_row(end, sizes->columns))
        return refuse(call,
                      "yScaleOptional has shape %s and dtype %s; INT64 or UINT64 of 1 element or %" PRId64
                      " is expected, of FLOAT8_E4M3FN by FLOAT4_E2M1 without x1Scale",
                      shape_text(TEXT, end), dtype_name(end->dtype), sizes->columns);
    return ACLNN_SUCCESS;
}

aclnnStatus quant_find_sizes(const struct call *call, struct sizes *sizes)
{
    struct numbers left, right;
    if (!quant_matrix(call, LEFT, &left) || !quant_matrix(call, RIGHT, &right))
        return refuse(call, "x1 or x2 has more elements than can be counted");
    *sizes = (struct sizes){.rows = left.size[0],
                            .columns = right.size[1],
                            .depth = left.size[1],
                            .is_float = left.codes != ACL_INT8,
                            .is_mixed = left.codes == ACL_INT8 && !left.is_in_halves && right.is_in_halves,
                            .is_halved = left.codes == ACL_INT8 && left.is_in_halves};
    TRY(check_pair(call, sizes));
    if (left.size[1] != right.size[0])
        return refuse(call,
                      "the shapes of x1 and x2 do not fit: the sums run along %" PRId64 " and %" PRId64
                      " elements; as many of both are expected",
                      left.size[1], right.size[0]);
    TRY(find_blocks(call, sizes));
    TRY(find_row_blocks(call, sizes));
    return check_float_scales(call, sizes);
}

static aclnnStatus check_row(const struct call *call, unsigned part, int64_t count)
{
    if (!quant_given(call, part) || is_row(quant_view(call, part), count))
        return ACLNN_SUCCESS;
    const struct tensor_view *view = quant_view(call, part);
    if (part == ROWS_SCALE && view->rank == 2 && view->shape[0] == count && view->shape[1] == 1)
        return ACLNN_SUCCESS;
    return refuse(call, "%s has shape %s; 1 element or %" PRId64 " are expected",
                  call_name(call, quant_part_at(call, part)), shape_text(TEXT, view), count);
}

static aclnnStatus check_offset(const struct call *call, const struct sizes *sizes, aclDataType out)
{
    if (!quant_given(call, OFFSET))
        return ACLNN_SUCCESS;
    const struct tensor_view *offset = quant_view(call, OFFSET);
    if (out == ACL_INT8)
        return check_row(call, OFFSET, sizes->columns);
    if (!sizes->is_halved)
        return refuse(call, "%s is given; NULL is expected unless out is INT8",
                      call_name(call, quant_part_at(call, OFFSET)));
    const struct tensor_view *scale = quant_view(call, SCALE);
    if (offset->rank == scale->rank &&
        memcmp(offset->shape, scale->shape, scale->rank * sizeof scale->shape[0]) == 0)
        return ACLNN_SUCCESS;
    return refuse(call, "%s has shape %s; %s, as x2Scale has, is expected",
                  call_name(call, quant_part_at(call, OFFSET)), shape_text(TEXT, offset),
                  shape_text(TEXT, scale));
}

static aclnnStatus check_bias(const struct call *call, const struct shape *batch, const struct sizes *sizes)
{
    if (!quant_given(call, BIAS_PART))
        return ACLNN_SUCCESS;
    const struct tensor_view *bias = quant_view(call, BIAS_PART);
    int64_t batches = 1;
    for (uint32_t i = 0; i < batch->rank; i++)
        batches *= batch->dim[i];
    if (bias->rank < 1 || bias->rank > 3 || bias->shape[bias->rank - 1] != sizes->columns ||
        (bias->rank >= 2 && bias->shape[bias->rank - 2] != 1) ||
        (bias->rank == 3 && bias->shape[0] != batches))
        return refuse(call,
                      "biasOptional has shape %s; [%" PRId64 "] or a row of so many for each of %" PRId64
                      " batches, [.., 1, ..], is expected",
                      shape_text(TEXT, bias), sizes->columns, batches);
    if (bias->dtype == ACL_INT32 && sizes->parts > 1)
        return refuse(call, "biasOptional is INT32; floats are expected beside scales of parts of the sums");
    return ACLNN_SUCCESS;
}

static aclnnStatus check_given(const struct call *call)
{
    for (unsigned i = LEFT; i < SIDES; i++) {
        TRY(check_dtype(call, i));
        TRY(check_rank(call, i));
        if (call->tensor[i].rank < 2 || call->tensor[i].rank > BATCH_DIMS)
            return refuse(call, "%s has %u dims; 2 to 6 are expected", call_name(call, i),
                          call->tensor[i].rank);
    }
    for (unsigned part = ROWS_SCALE; part <= BIAS_PART; part++)
        if (quant_given(call, part) || part == SCALE)
            TRY(check_dtype(call, quant_part_at(call, part)));
    if (!quant_has(call, GROUPS))
        return ACLNN_SUCCESS;
    for (unsigned part = Y_SCALE; part <= X3; part++)
        if (quant_given(call, part) && (part != Y_SCALE || !is_small_float(call->tensor[LEFT].dtype)))
            return refuse(call, "%s is given; NULL is expected of whole numbers",
                          call_name(call, quant_part_at(call, part)));
    return ACLNN_SUCCESS;
}

/* Of products that are added up: one dim before the last two, and a scale for each row of each. */
static aclnnStatus check_batches(const struct call *call, const struct shape *batch,
                                 const struct sizes *sizes)
{
    const struct tensor_view *scale = quant_view(call, ROWS_SCALE);
    if (batch->rank != 1)
        return refuse(call, "x1 and x2 have %u dims; 3 are expected", batch->rank + 2);
    if (scale->rank == 2 && scale->shape[0] == batch->dim[0] && scale->shape[1] == sizes->rows)
        return ACLNN_SUCCESS;
    return refuse(call, "x1Scale has shape %s; [%" PRId64 ", %" PRId64 "] is expected",
                  shape_text(TEXT, scale), batch->dim[0], sizes->rows);
}

aclnnStatus quant_infer(const struct call *call, struct result *result)
{
    struct shape batch;
    struct sizes sizes;
    TRY(check_given(call));
    TRY(quant_find_batch(call, &batch));
    TRY(quant_find_sizes(call, &sizes));
    if (quant_generation(call)->sums)
        TRY(check_batches(call, &batch, &sizes));
    else if (sizes.row_block == 0)
        TRY(check_row(call, ROWS_SCALE, sizes.rows));
    TRY(check_row(call, Y_OFFSET, sizes.columns));
    if (quant_given(call, Y_OFFSET) && !sizes.is_mixed)
        return refuse(call, "yOffsetOptional is given; NULL is expected unless INT8 meets INT4");
    const bool has_out = call->has_outputs || quant_generation(call)->adds;
    const aclDataType given = has_out ? call->tensor[quant_part_at(call, OUT)].dtype : ACL_FLOAT16;
    TRY(check_offset(call, &sizes, given));
    TRY(check_bias(call, &batch, &sizes));
    if (given == ACL_INT32 && quant_given(call, BIAS_PART) && quant_view(call, BIAS_PART)->dtype != ACL_INT32)
        return refuse(call, "biasOptional is %s; INT32 is expected where out is",
                      dtype_name(quant_view(call, BIAS_PART)->dtype));
    if (sizes.is_float && (given == ACL_INT32 || given == ACL_INT8))
        return refuse(call, "out is %s; FLOAT, FLOAT16 or BFLOAT16 is expected of floats", dtype_name(given));
    if (given == ACL_INT32 && sizes.parts > 1)
        return refuse(call, "out is INT32; floats are expected beside scales of parts of the sums");
    if (quant_has(call, FUSED_TYPE)) {
        const char *type = call->argument[quant_part_at(call, FUSED_TYPE)].string;
        if (strcmp(type, "gelu_erf") != 0 && strcmp(type, "gelu_tanh") != 0)
            return refuse(call, "fusedOpType is \"%s\"; \"gelu_erf\" or \"gelu_tanh\" is expected", type);
    }
    result->computed = ACL_INT32;
    struct output *output = result_add(result, given, DTYPE_ANY);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = batch;
    if (quant_generation(call)->sums)
        batch.rank = 0;
    output->shape.rank = batch.rank + 2;
    output->shape.dim[batch.rank] = sizes.rows;
    output->shape.dim[batch.rank + 1] = sizes.columns;
    return check_element_count(call, &output->shape);
}
