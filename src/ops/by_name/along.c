/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps along axes, and `product` of programs (program.h).
 */
#include "ops/by_name/along.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "base/error.h"
#include "ops/by_name/numbers.h"
#include "ops/by_name/program.h"
#include "ops/call.h"
#include "tensor/dtype.h"

int along_upload(struct run *run, int own, aclDataType dtype, int64_t count, const void *elements)
{
    struct named_operand *tensor = &run->own[own];
    *tensor = (struct named_operand){.is_there = true,
                                     .view = {.dtype = dtype, .format = ACL_FORMAT_ND, .rank = 1}};
    tensor->view.dims[0] = count;
    tensor->view.bytes = (size_t)count * dtype_bytes(dtype);
    TRY(run_allocate(run, tensor->view.bytes, &tensor->address));
    return count > 0 ? aclrtMemcpy(tensor->address, tensor->view.bytes, elements, tensor->view.bytes,
                                   ACL_MEMCPY_HOST_TO_DEVICE)
                     : 0;
}

int along_zeros(struct run *run, int own, const struct named_operand *like, int32_t axis, int64_t size)
{
    struct named_operand *tensor = &run->own[own];
    const aclTensor *zeros;
    *tensor = (struct named_operand){.is_there = true, .view = like->view};
    tensor->view.dims[axis] = size;
    tensor->view.bytes = (size_t)run_count(&tensor->view) * dtype_bytes(tensor->view.dtype);
    TRY(run_allocate(run, tensor->view.bytes, &tensor->address));
    TRY(run_tensor(run, tensor, false, &zeros));
    const union argument argument[] = {ARG(zeros)};
    return program_call(run, program_function("InplaceZero"), argument);
}

void along_begin(struct along *along, struct run *run, const char *to, const char *from, int32_t steps)
{
    *along = (struct along){.run = run, .target = to, .steps = steps};
    snprintf(along->from, sizeof along->from, "%s", from);
}

void along_next(struct along *along)
{
    const int part = ALONG_PART + along->step % 2;
    if (++along->step == along->steps) {
        snprintf(along->to, sizeof along->to, "%s", along->target);
        return;
    }
    along->run->own[part].is_there = false;
    snprintf(along->to, sizeof along->to, "t%d", part);
}

void along_end_of_step(struct along *along)
{
    memcpy(along->from, along->to, sizeof along->from);
}

int axes_multiply(struct run *run, const char *to_word, const char *from_word, const char *axes_word)
{
    const struct named_operand *from = run_operand(run, from_word);
    char statement[96];
    struct numbers axes;
    struct along along;
    if (from == NULL)
        return run_refuse(run, from_word);
    TRY(numbers_of(run->call, axes_word, run->stream, &axes));
    if (axes.count == 0) {
        snprintf(statement, sizeof statement, "copy %s %s", to_word, from_word);
        return program_run_statement(run, statement);
    }
    along_begin(&along, run, to_word, from_word, (int32_t)axes.count);
    for (uint64_t i = 0; i < axes.count; i++) {
        along_next(&along);
        snprintf(statement, sizeof statement, "ProdDim %s %lld 1 %s %s", along.from, (long long)axes.value[i],
                 to_word, along.to);
        TRY(program_run_statement(run, statement));
        along_end_of_step(&along);
    }
    return 0;
}

int numbers_upload(struct run *run, const char *own_word, const char *word)
{
    struct numbers numbers;
    TRY(numbers_of(run->call, word, run->stream, &numbers));
    return along_upload(run, atoi(own_word + 1) % OWN_TENSORS, ACL_INT64, (int64_t)numbers.count,
                        numbers.value);
}
