/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * CdistGrad by its name, which torch_npu asks for under Ascend910: of grad, x1, x2 and cdist, which are all
 * broadcast to (.., P, R, M) and copied, to (.., P, M). What lies there more than once is taken from its
 * first place, for aclnnCdistBackward.
 */
#include "acl/acl_rt.h"
#include "aclnnop/aclnn_cdist_backward.h"
#include "ops/by_name.h"
#include "base/error.h"
#include "runtime/named/op_attribute.h"

enum { GRAD, FIRST, SECOND, DISTANCE, INPUTS };

static bool shapes_fit(const struct named_call *call)
{
    const struct tensor_desc_view *whole = &call->input[GRAD].view, *out = &call->output[0].view;
    bool fits =
        whole->rank >= 3 && whole->rank <= 8 && out->rank == whole->rank - 1 && out->dtype == whole->dtype;
    for (int i = FIRST; fits && i < INPUTS; i++) {
        const struct tensor_desc_view *view = &call->input[i].view;
        fits = view->rank == whole->rank && view->dtype == whole->dtype;
        for (int32_t k = 0; fits && k < whole->rank; k++)
            fits = view->dims[k] == whole->dims[k];
    }
    for (int32_t k = 0; fits && k < out->rank; k++)
        fits = out->dims[k] == whole->dims[k < out->rank - 1 ? k : k + 1];
    return fits;
}

/* All dims but `left_out`, of whose places the first is taken. */
static aclTensor *tensor_without(const struct named_operand *operand, int32_t left_out)
{
    int64_t shape[8] = {0}, stride[8] = {0}, step = 1;
    int32_t rank = operand->view.rank, place = rank - (left_out < rank);
    const uint64_t dims = (uint64_t)place;
    for (int32_t k = rank; k-- > 0; step *= operand->view.dims[k])
        if (k != left_out) {
            shape[--place] = operand->view.dims[k];
            stride[place] = step;
        }
    return aclCreateTensor(shape, dims, operand->view.dtype, stride, 0, ACL_FORMAT_ND, operand->view.dims,
                           (uint64_t)rank, operand->address);
}

static int run_backward(aclTensor *const *tensor, float p, aclrtStream stream)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    TRY(aclnnCdistBackwardGetWorkspaceSize(tensor[GRAD], tensor[FIRST], tensor[SECOND], tensor[DISTANCE], p,
                                           tensor[INPUTS], &bytes, &executor));
    return by_name_run(aclnnCdistBackward, bytes, executor, stream);
}

static int run(const struct named_call *call, aclrtStream stream)
{
    if (!shapes_fit(call))
        return NAMED_UNKNOWN;
    const int32_t rank = call->input[GRAD].view.rank;
    if (call->input[GRAD].view.bytes == 0) /* the sum over no rows */
        return call->output->view.bytes == 0
                   ? 0
                   : aclrtMemsetAsync(call->output->address, call->output->view.bytes, 0,
                                      call->output->view.bytes, stream);
    const int32_t left_out[] = {
        [GRAD] = rank - 1, [FIRST] = rank - 2, [SECOND] = rank - 3, [DISTANCE] = rank - 1};
    aclTensor *tensor[INPUTS + 1];
    bool is_made = true;
    for (int i = 0; i <= INPUTS; i++) {
        tensor[i] =
            i < INPUTS ? tensor_without(&call->input[i], left_out[i]) : tensor_without(call->output, rank);
        is_made = is_made && tensor[i] != NULL;
    }
    const int status = is_made ? run_backward(tensor, (float)op_attribute_number(call->attr, "p", 2), stream)
                               : ACL_ERROR_BAD_ALLOC;
    for (int i = 0; i <= INPUTS; i++)
        if (tensor[i] != NULL)
            aclDestroyTensor(tensor[i]);
    return status;
}

__attribute__((constructor)) static void offer(void)
{
    static struct named_operator cdist_grad = {"CdistGrad", INPUTS, 1, 0, run, NULL, NULL};
    named_operator_offer(&cdist_grad);
}
