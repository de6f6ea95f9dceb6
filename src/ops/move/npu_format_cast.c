/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * NpuFormatCast: a copy of bits. That either tensor may lie in blocks is known to all functions alike.
 */
#include "aclnnop/aclnn_npu_format_cast.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/signature.h"
#include "ops/loops/move.h"
#include "runtime/named/block_format.h"
#include "tensor/description.h"

#define NPU_FORMAT_CAST(X, of)              \
    X(of, IN, srcTensor, &dtypes_all_small) \
    X(of, OUT, dstTensor, &dtypes_all_small)
SIGNATURE(NPU_FORMAT_CAST)

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, NPU_FORMAT_CAST_srcTensor));
    TRY(check_rank(call, NPU_FORMAT_CAST_srcTensor));
    result_like(result, call, NPU_FORMAT_CAST_srcTensor);
    return ACLNN_SUCCESS;
}

/*
 * The plain shape that a cast of a view of blocks is told to have: such a view may begin behind others, which
 * have their room in front of it.
 */
static void find_plain_shape(const struct tensor_description *source, bool is_contiguous,
                             struct storage *storage)
{
    int64_t inner = 1;
    storage->rank = source->rank;
    memcpy(storage->dim, source->shape, source->rank * sizeof source->shape[0]);
    for (uint32_t i = 1; i < source->rank; i++)
        inner *= source->shape[i];
    if (source->rank == 0 && source->offset > 0) { /* an element, as one dim */
        storage->rank = 1;
        storage->dim[0] = 1;
    }
    if (storage->rank > 0 && is_contiguous)
        storage->dim[0] += source->offset / inner + (source->offset % inner != 0);
}

/*
 * How far behind the beginning of dstTensor the elements go. torch_npu gives the new tensor srcTensor's offset
 * when it is written, and makes its memory by the shape above, as one dim.
 */
static int64_t find_place(const struct call *call)
{
    const aclTensor *const from = call->argument[NPU_FORMAT_CAST_srcTensor].tensor,
                           *const to = call->argument[NPU_FORMAT_CAST_dstTensor].tensor;
    struct tensor_description source, made;
    struct storage storage;
    int64_t elements = 1;
    if (!call->tensor[NPU_FORMAT_CAST_srcTensor].is_in_blocks ||
        !call->tensor[NPU_FORMAT_CAST_srcTensor].is_contiguous ||
        call->tensor[NPU_FORMAT_CAST_srcTensor].offset == 0 || !tensor_describe(from, &source) ||
        !tensor_describe(to, &made) || made.storage_rank != 1 || made.offset != 0 ||
        source.offset != call->tensor[NPU_FORMAT_CAST_srcTensor].offset)
        return 0;
    find_plain_shape(&source, call->tensor[NPU_FORMAT_CAST_srcTensor].is_contiguous, &storage);
    for (uint32_t i = 0; i < storage.rank; i++)
        elements *= storage.dim[i];
    return made.storage_shape[0] == elements ? source.offset : 0;
}

/* Of what goes into blocks torch_npu would read other elements, in silence, where there are as many. */
static aclnnStatus check_place(const struct call *call)
{
    const struct tensor_view *from = &call->tensor[NPU_FORMAT_CAST_srcTensor],
                             *to = &call->tensor[NPU_FORMAT_CAST_dstTensor];
    if (call->settings->product == PRODUCT_950 && from->offset > 0 && from->is_contiguous &&
        !from->is_in_blocks && to->is_in_blocks && to->offset == 0 &&
        from->reach < call_blocks_of(call, NPU_FORMAT_CAST_dstTensor)->blocks.stored_count)
        return refuse(call,
                      "srcTensor has offset %" PRId64 "; 0 is expected of what goes into blocks: those of a "
                      "clone",
                      from->offset);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *from = &call->tensor[NPU_FORMAT_CAST_srcTensor],
                             *to = &call->tensor[NPU_FORMAT_CAST_dstTensor];
    struct executor_content *content;
    struct move_plan *plan;
    if (from->count == 0)
        return call_idle(call);
    TRY(check_place(call));
    const int64_t place = find_place(call);
    TRY(move_begin(call, 1, result->computed, result->computed, &content, &plan));
    struct move_part *part = move_add(plan, call->first_operand[NPU_FORMAT_CAST_srcTensor],
                                      call->first_operand[NPU_FORMAT_CAST_dstTensor], result->computed);
    for (uint32_t i = 0; i < from->rank; i++)
        move_add_axis(part, from->shape[i], from->stride[i], to->stride[i]);
    struct executor_operand *written = &content->operand[call->first_operand[NPU_FORMAT_CAST_dstTensor]];
    written->offset += place;
    written->reach += place;
    move_finish(call, content, plan);
    return ACLNN_SUCCESS;
}

FUNCTION_OF(aclnnNpuFormatCast, NPU_FORMAT_CAST, .stem = "npu_format_cast", MOVE, .infer = infer,
            .plan = plan);

/* What the one phase is asked, and answers. */
struct question {
    const char *api;
    struct tensor_description source;
    aclFormat format;
    uint32_t c0_bytes; /* of the dtype that C0 is counted in */
    bool is_contiguous, is_of_4_bytes, is_float4, is_newest;
};

static bool is_plain(aclFormat format)
{
    static const aclFormat plain[] = {ACL_FORMAT_NCHW,  ACL_FORMAT_NHWC,  ACL_FORMAT_ND, ACL_FORMAT_HWCN,
                                      ACL_FORMAT_NDHWC, ACL_FORMAT_NCDHW, ACL_FORMAT_NC, ACL_FORMAT_NCL};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (format == plain[i])
            return true;
    return false;
}

/* The format, of which the newest product tells FRACTAL_NZ by its C0. */
static int format_of(const struct question *question)
{
    const bool is_nz = question->format == ACL_FORMAT_FRACTAL_NZ;
    if (is_nz && question->is_newest && question->is_float4)
        return ACL_FORMAT_FRACTAL_NZ_C0_32;
    if (!is_nz || !question->is_newest || !question->is_of_4_bytes || question->c0_bytes > 2)
        return (int)question->format;
    return question->c0_bytes == 2 ? ACL_FORMAT_FRACTAL_NZ_C0_16 : ACL_FORMAT_FRACTAL_NZ_C0_32;
}

static aclnnStatus find_storage(const struct question *question, struct storage *storage)
{
    enum { C0_BYTES = 32, NZ_RANK_MAX = 6 };
    const struct tensor_description *source = &question->source;
    const char *const to = block_format_name(question->format);
    const bool is_in_blocks = blocks_are_meant(source);
    struct blocks blocks;
    if (to == NULL ? !is_plain(question->format) : is_in_blocks || question->format == ACL_FORMAT_NC1HWC0_C04)
        return fail(
            ACLNN_ERR_RUNTIME_ERROR,
            "%s: srcTensor is %s and dstFormat is %d (%s); from a plain format into FRACTAL_NZ, NC1HWC0, "
            "FRACTAL_Z, NDC1HWC0 or FRACTAL_Z_3D, or into a plain one, is expected",
            question->api, is_in_blocks ? block_format_name(source->format) : "plain", (int)question->format,
            to != NULL ? to : "unknown");
    if (to == NULL) {
        find_plain_shape(source, question->is_contiguous, storage);
        return ACLNN_SUCCESS;
    }
    if (source->rank > NZ_RANK_MAX ||
        !blocks_lay_out(question->format, source->rank, source->shape, C0_BYTES / question->c0_bytes,
                        dtype_bytes(source->dtype), storage, &blocks))
        return fail(
            ACLNN_ERR_PARAM_INVALID,
            "%s: srcTensor has %u dims and dtype %s; %s is made of 2 to %d dims for FRACTAL_NZ, 5 for "
            "what is 3-D and up to 4 for others, of whole bytes",
            question->api, source->rank, dtype_name(source->dtype), to, NZ_RANK_MAX);
    return ACLNN_SUCCESS;
}

static aclnnStatus read_source(struct question *question, const aclTensor *tensor)
{
    struct tensor_view view;
    if (!tensor_read(tensor, &view) || !tensor_describe(tensor, &question->source))
        return report_misuse(tensor_rule(tensor), ACLNN_ERR_PARAM_INVALID,
                             "%s: srcTensor %s; a live tensor is expected", question->api,
                             tensor_fault(tensor));
    if (!view.is_possible || view.count == 0)
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: srcTensor is %s; a tensor with elements is expected",
                    question->api, view.is_possible ? "empty" : "no view that can be");
    question->is_contiguous = view.is_contiguous;
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnNpuFormatCastCalculateSizeAndFormat(const aclTensor *srcTensor, const int dstFormat,
                                                     const int additionalDtype, int64_t **dstShape,
                                                     uint64_t *dstShapeSize, int *actualFormat)
{
    struct question question = {.api = "aclnnNpuFormatCastCalculateSizeAndFormat",
                                .format = (aclFormat)dstFormat};
    const struct settings *settings;
    struct storage storage;
    if (settings_get(&settings) != 0)
        return ACLNN_ERR_RUNTIME_ERROR;
    const char *missing = srcTensor == NULL      ? "srcTensor"
                          : dstShape == NULL     ? "dstShape"
                          : dstShapeSize == NULL ? "dstShapeSize"
                          : actualFormat == NULL ? "actualFormat"
                                                 : NULL;
    if (missing != NULL)
        return report_misuse(RULE_HANDLE, ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL", question.api, missing);
    TRY(read_source(&question, srcTensor));
    const aclDataType counted = additionalDtype == -1 ? question.source.dtype : (aclDataType)additionalDtype;
    question.c0_bytes = counted == ACL_INT4 ? 0 : dtype_bytes(counted); /* of FLOAT4 C0 is 32, too */
    question.is_float4 = dtype_is_one_of(question.source.dtype, DTYPES_FLOAT4);
    question.is_of_4_bytes = dtype_bytes(question.source.dtype) == sizeof(float);
    question.is_newest = settings->product == PRODUCT_950;
    if (question.c0_bytes == 0 && additionalDtype != -1)
        return fail(ACLNN_ERR_RUNTIME_ERROR,
                    "%s: additionalDtype is %d (%s); -1, or a dtype of whole bytes, is expected",
                    question.api, additionalDtype, dtype_name(counted));
    if (question.c0_bytes == 0)
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: srcTensor has dtype %s; one of whole bytes is expected",
                    question.api, dtype_name(counted));
    TRY(find_storage(&question, &storage));
    int64_t *dims = dims_for_program(storage.rank);
    if (dims == NULL)
        return fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, "%s: there is no memory for %u dims", question.api,
                    storage.rank);
    memcpy(dims, storage.dim, storage.rank * sizeof *dims);
    *dstShape = dims;
    *dstShapeSize = storage.rank;
    *actualFormat = format_of(&question);
    return ACLNN_SUCCESS;
}
