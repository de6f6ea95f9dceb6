/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Norms of any order by names, which torch_npu under Ascend910 asks for where an order has no function there:
 * LpNormReduceV2, the sum of |x|^p along axes; LpNormUpdateV2, x^(1/p).
 */
#include "acl/acl_rt.h"
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "ops/by_name.h"
#include "base/error.h"
#include "runtime/named/op_attribute.h"

/* What a call makes, to be destroyed with it. */
struct made {
    aclTensor *in, *out, *powers;
    aclScalar *exponent;
    aclIntArray *axes;
    void *room;
};

static int make(const struct named_call *call, float exponent, struct made *made)
{
    *made = (struct made){.in = by_name_tensor(call->input, call->input->address),
                          .out = by_name_tensor(call->output, call->output->address),
                          .exponent = aclCreateScalar(&exponent, ACL_FLOAT)};
    return made->in != NULL && made->out != NULL && made->exponent != NULL ? 0 : ACL_ERROR_BAD_ALLOC;
}

static int finish(struct made *made, int status)
{
    aclDestroyTensor(made->in);
    aclDestroyTensor(made->out);
    aclDestroyTensor(made->powers);
    aclDestroyScalar(made->exponent);
    aclDestroyIntArray(made->axes);
    if (made->room != NULL) /* it lasts as long as the work */
        by_name_free(made->room);
    return status;
}

static int raise_to(const aclTensor *from, const aclScalar *exponent, aclTensor *to, aclrtStream stream)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    TRY(aclnnPowTensorScalarGetWorkspaceSize(from, exponent, to, &bytes, &executor));
    return by_name_run(aclnnPowTensorScalar, bytes, executor, stream);
}

static int add_powers(const struct named_call *call, struct made *made, bool keeps, aclrtStream stream)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    TRY(aclnnAbsGetWorkspaceSize(made->in, made->powers, &bytes, &executor));
    TRY(by_name_run(aclnnAbs, bytes, executor, stream));
    TRY(raise_to(made->powers, made->exponent, made->powers, stream));
    TRY(aclnnReduceSumGetWorkspaceSize(made->powers, made->axes, keeps, call->output->view.dtype, made->out,
                                       &bytes, &executor));
    return by_name_run(aclnnReduceSum, bytes, executor, stream);
}

/* make with the order of the norm, or 1 over it, as exponent. Orders whose norm is no power of a sum are
 * other functions: NAMED_UNKNOWN, and nothing made. */
static int make_power(const struct named_call *call, bool is_inverse, struct made *made)
{
    const double p = op_attribute_number(call->attr, "p", 2);
    if (p == 0 || p <= -(double)INT32_MAX || p >= (double)INT32_MAX)
        return NAMED_UNKNOWN;
    return make(call, (float)(is_inverse ? 1 / p : p), made);
}

static int run_reduce(const struct named_call *call, aclrtStream stream)
{
    struct made made;
    uint64_t count;
    const int64_t *axes = op_attribute_list(call->attr, "axes", &count);
    int status = make_power(call, false, &made);
    if (status == NAMED_UNKNOWN)
        return status;
    made.axes = aclCreateIntArray(axes, count);
    if (made.axes == NULL)
        status = ACL_ERROR_BAD_ALLOC;
    if (status == 0 && call->input->view.bytes > 0)
        status = aclrtMalloc(&made.room, call->input->view.bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status == 0)
        made.powers = by_name_tensor(call->input, made.room);
    if (status == 0)
        status = made.powers == NULL
                     ? ACL_ERROR_BAD_ALLOC
                     : add_powers(call, &made, op_attribute_number(call->attr, "keepdim", 0) != 0, stream);
    return finish(&made, status);
}

static int run_update(const struct named_call *call, aclrtStream stream)
{
    struct made made;
    int status = make_power(call, true, &made);
    if (status == NAMED_UNKNOWN)
        return status;
    if (status == 0)
        status = raise_to(made.in, made.exponent, made.out, stream);
    return finish(&made, status);
}

__attribute__((constructor)) static void offer(void)
{
    static struct named_operator offered[] = {{"LpNormReduceV2", 1, 1, 0, run_reduce, NULL, NULL},
                                              {"LpNormUpdateV2", 1, 1, 0, run_update, NULL, NULL}};
    for (size_t i = 0; i < sizeof offered / sizeof offered[0]; i++)
        named_operator_offer(&offered[i]);
}
