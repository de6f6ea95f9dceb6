/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * NonZero by its name: the coordinates of all elements that are not 0, as aclnnNonzero gives them. It is done
 * when the call returns, so that the description of the output can say how many there are.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "base/error.h"
#include "ops/by_name/program.h"
#include "ops/by_name/run.h"
#include "ops/call.h"
#include "runtime/named/op_attribute.h"
#include "runtime/streams/stream.h"

/* How many rows the function has given the tensor, once the work has run. */
static int count_rows(struct run *run, const aclTensor *rows, int64_t *found)
{
    int64_t *shape = NULL;
    uint64_t rank;
    TRY(aclGetViewShape(rows, &shape, &rank));
    *found = rank == 2 ? shape[0] : -1;
    free(shape);
    return *found >= 0 ? 0 : run_refuse(run, "y0");
}

/* The rows as columns, one axis behind the other. */
static int turn(struct run *run, const struct named_operand *rows, int64_t found,
                const struct named_operand *y)
{
    const int64_t axes = rows->view.dims[1], shape[] = {axes, found}, stride[] = {1, axes},
                  count = run_count(&rows->view);
    struct named_operand seen = *y;
    const aclTensor *to, *from;
    seen.view.rank = 2;
    memcpy(seen.view.dims, shape, sizeof shape);
    TRY(run_tensor(run, &seen, false, &to));
    from = aclCreateTensor(shape, 2, ACL_INT64, stride, 0, ACL_FORMAT_ND, &count, 1, rows->address);
    TRY(run_keep(run, PARAMETER_TENSOR, false, from));
    const union argument argument[] = {ARG(to), ARG(from)};
    return program_call(run, program_function("InplaceCopy"), argument);
}

static int find(struct run *run, struct named_operand *x, const struct named_operand *y, bool is_turned)
{
    const aclTensor *from, *to;
    const int64_t all[] = {run_count(&x->view), x->view.rank};
    struct named_operand rows = *y;
    int64_t found;
    bool drops = false;
    if (is_turned) {
        if (run_count(&y->view) != all[0] * all[1])
            return run_refuse(run, "y0");
        rows.view.rank = 2;
        memcpy(rows.view.dims, all, sizeof all);
        TRY(run_allocate(run, y->view.bytes, &rows.address));
    }
    TRY(run_bring(run, x));
    TRY(run_tensor(run, x, false, &from));
    TRY(run_tensor(run, &rows, false, &to));
    const union argument argument[] = {ARG(from), ARG(to)};
    TRY(program_call(run, program_function("Nonzero"), argument));
    TRY(stream_finish(run->call->api, run->stream, &drops));
    if (drops)
        return 0;
    TRY(count_rows(run, to, &found));
    if (is_turned && found > 0 && all[1] > 0) {
        TRY(turn(run, &rows, found, y));
        TRY(stream_finish(run->call->api, run->stream, &drops));
    }
    const int64_t dims[] = {is_turned ? all[1] : found, is_turned ? found : all[1]};
    return y->desc != NULL ? aclSetTensorShape(y->desc, 2, dims) : 0;
}

static int run_nonzero(const struct named_call *call, aclrtStream stream)
{
    struct run run = {.call = call, .stream = stream};
    const struct named_operand *y = &call->output[0];
    if (y->view.dtype != ACL_INT64)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: NonZero gives INT64; an output of that dtype is expected",
                    call->api);
    const int status = find(&run, &call->input[0], y, op_attribute_number(call->attr, "transpose", 0) != 0);
    run_end(&run);
    return status;
}

__attribute__((constructor)) static void offer(void)
{
    static struct named_operator kind = {"NonZero", 1, 1, 0, run_nonzero, NULL, NULL};
    named_operator_offer(&kind);
}
