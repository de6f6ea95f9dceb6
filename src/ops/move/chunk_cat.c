/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out[..., k, :] = the k-th of numChunks pieces of each tensor along a dim, one tensor behind the other. A
 * piece of a tensor of size s there has ceil(s / numChunks) indices, with all dims behind, row-major; where
 * the tensor has come to its end, there are zeros. Values are cast to out's dtype.
 */
#include "aclnnop/aclnn_chunk_cat.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/loops/move.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define CHUNK_CAT(X, of)                            \
    X(of, IN_LIST, tensors, &dtypes_fp32_fp16_bf16) \
    X(of, INT64, dim, .usual = "0")                 \
    X(of, INT64, numChunks, .usual = "1")           \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(CHUNK_CAT)
enum { PARTS_OF_TENSOR = 4 };

/* Elements for each index of the dim. */
static int64_t behind(const struct tensor_view *view, uint32_t dim)
{
    int64_t count = 1;
    for (uint32_t i = dim + 1; i < view->rank; i++)
        count *= view->shape[i];
    return count;
}

static int64_t piece_of(const struct call *call, const struct tensor_view *view, uint32_t dim)
{
    int64_t chunks = call->argument[CHUNK_CAT_numChunks].int64, size = view->shape[dim];
    return size / chunks + (size % chunks != 0);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct call_values *list = &call->values[CHUNK_CAT_tensors];
    const struct tensor_view *first = list->value.tensor;
    const int64_t dim = call->argument[CHUNK_CAT_dim].int64,
                  chunks = call->argument[CHUNK_CAT_numChunks].int64;
    if (list->count == 0)
        return refuse(call, "tensors is an empty list; 1 tensor or more is expected");
    for (uint64_t i = 0; i < list->count; i++)
        TRY(check_dtype_in_list(call, CHUNK_CAT_tensors, first[i].dtype));
    for (uint64_t i = 1; i < list->count; i++)
        if (first[i].dtype != first->dtype)
            return refuse(
                call, "tensor %" PRIu64 " of tensors has dtype %s; %s, the dtype of tensor 0, is expected", i,
                dtype_name(first[i].dtype), dtype_name(first->dtype));
    if (chunks < 1)
        return refuse(call, "numChunks is %" PRId64 "; 1 or more is expected", chunks);
    if (dim < 0 || dim > OPERAND_RANK_MAX - 2)
        return refuse(call, "dim is %" PRId64 "; 0 to %d are expected", dim, OPERAND_RANK_MAX - 2);
    struct output *output = result_add(result, first->dtype, DTYPE_CASTABLE);
    struct shape *shape = &output->shape;
    output->shape_rule = SHAPE_EQUAL;
    result->computed = first->dtype;
    shape->rank = (uint32_t)dim + 2;
    shape->dim[dim] = chunks;
    shape->dim[dim + 1] = 0;
    for (uint64_t i = 0; i < list->count; i++) {
        bool fits = first[i].rank > dim && first[i].rank <= OPERAND_RANK_MAX;
        for (uint32_t k = 0; k < dim && fits; k++) {
            shape->dim[k] = first->shape[k];
            fits = first[i].shape[k] == first->shape[k];
        }
        int64_t row;
        if (!fits ||
            __builtin_mul_overflow(piece_of(call, &first[i], (uint32_t)dim), behind(&first[i], (uint32_t)dim),
                                   &row) ||
            __builtin_add_overflow(shape->dim[dim + 1], row, &shape->dim[dim + 1]))
            return refuse(call,
                          "tensor %" PRIu64
                          " of tensors has %u dims, or other sizes than tensor 0 before dim "
                          "%" PRId64 "; more dims than that, %d at most, and the same sizes are expected",
                          i, first[i].rank, dim, OPERAND_RANK_MAX);
    }
    return check_element_count(call, shape);
}

/* `count` chunks of `indices` of the tensor, or of zeros where `view` is NULL: all else is in the part. */
static void add_pieces(const struct tensor_view *view, struct move_part *part, uint32_t dim,
                       const struct tensor_view *out, int64_t count, int64_t piece, int64_t indices,
                       int64_t width)
{
    const int64_t step = out->stride[dim + 1];
    for (uint32_t i = 0; i < dim; i++)
        move_add_axis(part, out->shape[i], view != NULL ? view->stride[i] : 0, out->stride[i]);
    move_add_axis(part, count, view != NULL ? piece * view->stride[dim] : 0, out->stride[dim]);
    if (view == NULL) {
        move_add_axis(part, indices * width, 0, step);
        return;
    }
    move_add_axis(part, indices, view->stride[dim], width * step);
    for (uint32_t i = dim + 1; i < view->rank; i++)
        move_add_axis(part, view->shape[i], view->stride[i], behind(view, i) * step);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct call_values *list = &call->values[CHUNK_CAT_tensors];
    const struct tensor_view *out = &call->tensor[CHUNK_CAT_out];
    const uint32_t dim = (uint32_t)call->argument[CHUNK_CAT_dim].int64,
                   to = call->first_operand[CHUNK_CAT_out];
    const int64_t chunks = call->argument[CHUNK_CAT_numChunks].int64;
    struct executor_content *content;
    struct move_plan *plan;
    int64_t place = 0;
    if (out->count == 0)
        return call_idle(call);
    TRY(move_begin(call, (uint32_t)list->count * PARTS_OF_TENSOR, result->computed, out->dtype, &content,
                   &plan));
    for (uint64_t i = 0; i < list->count; i++) {
        const struct tensor_view *view = &list->value.tensor[i];
        const uint32_t from = call->first_operand[CHUNK_CAT_tensors] + (uint32_t)i;
        if (view->count == 0)
            continue;
        const int64_t piece = piece_of(call, view, dim), width = behind(view, dim);
        const int64_t whole = view->shape[dim] / piece, rest = view->shape[dim] % piece;
        const int64_t first = place * out->stride[dim + 1], last = first + whole * out->stride[dim];
        struct move_part *part = move_add(plan, from, to, view->dtype);
        part->to_first = first;
        add_pieces(view, part, dim, out, whole, piece, piece, width);
        if (rest > 0) {
            part = move_add(plan, from, to, view->dtype);
            part->from_first = whole * piece * view->stride[dim];
            part->to_first = last;
            add_pieces(view, part, dim, out, 1, piece, rest, width);
            part = move_add_zeros(plan, to);
            part->to_first = last + rest * width * out->stride[dim + 1];
            add_pieces(NULL, part, dim, out, 1, piece, piece - rest, width);
        }
        if (whole + (rest > 0) < chunks) {
            part = move_add_zeros(plan, to);
            part->to_first = last + (rest > 0) * out->stride[dim];
            add_pieces(NULL, part, dim, out, chunks - whole - (rest > 0), piece, piece, width);
        }
        place += piece * width;
    }
    move_finish(call, content, plan);
    return ACLNN_SUCCESS;
}

FUNCTION_OF(aclnnChunkCat, CHUNK_CAT, .stem = "chunk_cat", MOVE, .infer = infer, .plan = plan);
