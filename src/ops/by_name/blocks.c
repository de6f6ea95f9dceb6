/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operators by name whose operands are in blocks: their work runs on plain copies, which casts in the stream
 * make before and bring back after it. No operator knows of it; Identity, with which frameworks cast from one
 * format to another, is a copy.
 */
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "aclnnop/aclnn_npu_format_cast.h"
#include "ops/by_name.h"
#include "runtime/named/block_format.h"
#include "base/error.h"
#include "tensor/blocks.h"
#include "tensor/tensor.h"

/* An operand in blocks, as it was given, and the one of the call that stands for it. */
struct converted {
    struct named_operand stored, *plain;
    bool is_output;
    void *memory;
};

static size_t plain_bytes(const struct tensor_desc_view *view)
{
    size_t bytes = aclDataTypeSize(view->dtype);
    for (int32_t i = 0; i < view->rank; i++)
        bytes *= (size_t)view->dims[i];
    return bytes;
}

static aclTensor *stored_tensor(const struct named_operand *operand)
{
    const struct tensor_desc_view *view = &operand->view;
    return aclCreateTensor(view->dims, (uint64_t)view->rank, view->dtype, NULL, 0, view->format,
                           view->storage_dims, (uint64_t)view->storage_rank, operand->address);
}

static int64_t product_of(int32_t count, const int64_t *dim)
{
    int64_t product = 1;
    for (int32_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(product, dim[i], &product))
            return INT64_MAX;
    return product;
}

/* Descriptions have no offset: rows of a larger matrix, or one of several matrices, may be any of them. */
static bool is_part(const struct tensor_desc_view *view)
{
    const int32_t rank = view->rank, stored = view->storage_rank;
    if (!blocks_are_matrices(view->format) || rank < 2 || stored < 4)
        return false;
    const int64_t rows = view->dims[rank - 2], of_block = view->storage_dims[stored - 2];
    return product_of(stored - 4, view->storage_dims) > product_of(rank - 2, view->dims) ||
           (of_block > 0 && (rows - 1) / of_block + 1 < view->storage_dims[stored - 3]);
}

static int cast_between(const struct named_call *call, const struct converted *converted, aclTensor *stored,
                        aclTensor *plain, aclrtStream stream)
{
    const struct tensor_desc_view *view = &converted->stored.view;
    struct tensor_view read;
    uint64_t bytes;
    aclOpExecutor *executor;
    if (stored == NULL || plain == NULL)
        return ACL_ERROR_BAD_ALLOC; /* its sentence says why */
    if (!tensor_read(stored, &read) || !read.is_in_blocks)
        return fail(
            ACL_ERROR_API_NOT_SUPPORT,
            "%s: an %s has format %s (%d), %d dims and a storage of %d; the storage shape of that format "
            "is expected",
            call->api, converted->is_output ? "output" : "input", block_format_name(view->format),
            (int)view->format, (int)view->rank, (int)view->storage_rank);
    if (converted->is_output && is_part(view))
        return fail(
            ACL_ERROR_API_NOT_SUPPORT,
            "%s: an output has format %s (%d) and a storage for more rows or matrices than it has, and "
            "descriptions do not say which of them are meant; a whole tensor is expected",
            call->api, block_format_name(view->format), (int)view->format);
    aclTensor *from = converted->is_output ? plain : stored, *to = converted->is_output ? stored : plain;
    TRY(aclnnNpuFormatCastGetWorkspaceSize(from, to, &bytes, &executor));
    return by_name_run(aclnnNpuFormatCast, bytes, executor, stream);
}

/* From blocks, or back into them. */
static int cast(const struct named_call *call, const struct converted *converted, aclrtStream stream)
{
    if (converted->memory == NULL) /* there are no elements */
        return 0;
    aclTensor *stored = stored_tensor(&converted->stored),
              *plain = by_name_tensor(converted->plain, converted->memory);
    const int status = cast_between(call, converted, stored, plain, stream);
    if (plain != NULL)
        (void)aclDestroyTensor(plain);
    if (stored != NULL)
        (void)aclDestroyTensor(stored);
    return status;
}

/* Programs that describe a cast may give the storage shape alone: the plain one is that of the other side. */
static void find_dims(const struct named_call *call, struct tensor_desc_view *view,
                      const struct tensor_desc_view *other)
{
    if (call->inputs != 1 || call->outputs != 1 || block_format_name(other->format) != NULL ||
        view->rank != view->storage_rank ||
        memcmp(view->dims, view->storage_dims, (size_t)view->rank * sizeof view->dims[0]) != 0)
        return;
    view->rank = other->rank;
    memcpy(view->dims, other->dims, (size_t)other->rank * sizeof view->dims[0]);
}

static int begin(const struct named_call *call, struct named_operand *operand, bool is_output,
                 struct converted *converted, aclrtStream stream)
{
    find_dims(call, &operand->view, is_output ? &call->input->view : &call->output->view);
    *converted = (struct converted){.stored = *operand, .plain = operand, .is_output = is_output};
    operand->view.format = ACL_FORMAT_ND;
    operand->view.bytes = plain_bytes(&operand->view);
    if (operand->view.bytes == 0)
        return 0;
    TRY(aclrtMalloc(&converted->memory, operand->view.bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    operand->address = converted->memory;
    return is_output ? 0 : cast(call, converted, stream);
}

static int run_in_blocks(struct named_call *call, named_function *function, aclrtStream stream)
{
    const int most = call->inputs + call->outputs;
    struct converted *converted = calloc((size_t)most, sizeof *converted);
    int status = 0, count = 0;
    if (converted == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for the operands", call->api);
    for (int i = 0; i < most && status == 0; i++) {
        const bool is_output = i >= call->inputs;
        struct named_operand *operand = is_output ? &call->output[i - call->inputs] : &call->input[i];
        if (operand->is_there && block_format_name(operand->view.format) != NULL)
            status = begin(call, operand, is_output, &converted[count++], stream);
    }
    if (status == 0)
        status = function(call, stream);
    for (int i = 0; i < count && status == 0; i++)
        if (converted[i].is_output)
            status = cast(call, &converted[i], stream);
    for (int i = 0; i < count; i++)
        if (converted[i].memory != NULL) /* it lasts as long as the work */
            by_name_free(converted[i].memory);
    free(converted);
    return status;
}

__attribute__((constructor)) static void offer(void)
{
    named_operator_convert_by(run_in_blocks);
}
