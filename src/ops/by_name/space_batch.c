/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Blocks of places as samples: `divide` and `join` of programs (program.h). Each of the axes behind the first
 * one that has a block is continued by zeros, or made shorter in the end; its places in a block are samples of
 * their own, those of the first such axis the outermost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ops/by_name/numbers.h"
#include "ops/by_name/program.h"
#include "ops/by_name/run.h"
#include "ops/call.h"

enum { WHOLE = 7 }; /* the program's own tensor that is continued, or not yet cut */

/* The whole tensor, (N, s1, ..., sM, ...), and the one in blocks, (b1, ..., bM, N, s1 / b1, ..., ...): dims of
 * both as they are seen, with the strides of the former. */
struct division {
    struct tensor_desc_view whole;
    int64_t pads[2 * TENSOR_DESC_RANK_MAX]; /* the last axis first */
    int64_t dim[OPERAND_RANK_MAX], stride[OPERAND_RANK_MAX];
    uint64_t rank;
};

/* From what is small, x0 in blocks or y0, and the other one: all must agree. */
static int describe(struct run *run, const struct tensor_desc_view *plain,
                    const struct tensor_desc_view *blocks, char *const *word, struct division *division)
{
    struct numbers block, pads;
    int64_t stride[TENSOR_DESC_RANK_MAX], step = 1, samples = plain->rank > 0 ? plain->dims[0] : 0;
    TRY(numbers_of(run->call, word[3], run->stream, &block));
    TRY(numbers_of(run->call, word[4], run->stream, &pads));
    const int32_t axes = (int32_t)block.count;
    bool fits = pads.count == 2 * block.count && axes < plain->rank && plain->rank == blocks->rank;
    *division = (struct division){.whole = *plain};
    for (int32_t i = 0; fits && i < axes; i++) {
        const int64_t before = pads.value[2 * i], behind = pads.value[2 * i + 1], size = block.value[i];
        int64_t *dim = &division->whole.dims[1 + i], *pair = division->pads + 2 * (plain->rank - 2 - i);
        fits = before >= 0 && behind >= 0 && before < INT32_MAX && behind < INT32_MAX && size > 0 &&
               size < INT32_MAX;
        pair[0] = before;
        pair[1] = behind;
        *dim += before + behind;
        fits = fits && *dim % size == 0 && blocks->dims[1 + i] == *dim / size;
        samples = fits ? samples * size : 0;
        division->rank += fits && size > 1;
    }
    division->rank += (uint64_t)plain->rank;
    if (!fits || blocks->dims[0] != samples || division->rank > OPERAND_RANK_MAX)
        return run_refuse(run, word[3]);
    for (int32_t k = plain->rank; k-- > 0; step *= division->whole.dims[k])
        stride[k] = step;
    uint64_t outer = 0;
    for (int32_t i = 0; i < axes; i++)
        if (block.value[i] > 1) {
            division->dim[outer] = block.value[i];
            division->stride[outer++] = stride[1 + i];
        }
    for (int32_t k = 0; k < plain->rank; k++) {
        const int64_t size = k >= 1 && k <= axes ? block.value[k - 1] : 1;
        division->dim[outer] = division->whole.dims[k] / size;
        division->stride[outer++] = stride[k] * size;
    }
    return 0;
}

/* Copies the whole one to blocks, or back. */
static int move(struct run *run, const struct division *division, const struct named_operand *blocks,
                bool joins)
{
    const struct named_operand *whole = &run->own[WHOLE];
    const int64_t count = run_count(&whole->view);
    const aclTensor *packed, *strided;
    struct named_operand seen = *blocks;
    if (count == 0)
        return 0;
    strided = aclCreateTensor(division->dim, division->rank, whole->view.dtype, division->stride, 0,
                              ACL_FORMAT_ND, &count, 1, whole->address);
    TRY(run_keep(run, PARAMETER_TENSOR, false, strided));
    packed = aclCreateTensor(division->dim, division->rank, seen.view.dtype, NULL, 0, ACL_FORMAT_ND, &count,
                             1, seen.address);
    TRY(run_keep(run, PARAMETER_TENSOR, false, packed));
    const union argument argument[] = {ARG(joins ? strided : packed), ARG(joins ? packed : strided)};
    return program_call(run, program_function("InplaceCopy"), argument);
}

/* `ConstantPadNd from pads 0 to`, whose numbers are known here. */
static int pad(struct run *run, const char *from, const char *to, const struct division *division,
               int64_t sign)
{
    char statement[512];
    const int numbers = 2 * (division->whole.rank - 1);
    int at = snprintf(statement, sizeof statement, "ConstantPadNd %s [", from);
    for (int i = 0; i < numbers; i++)
        at += snprintf(statement + at, sizeof statement - (size_t)at, "%s%lld", i > 0 ? "," : "",
                       (long long)(sign * division->pads[i]));
    snprintf(statement + at, sizeof statement - (size_t)at, "] 0 %s", to);
    return program_run_statement(run, statement);
}

int space_divide(struct run *run, char *const *word)
{
    const struct named_operand *to = run_operand(run, word[1]), *from = run_operand(run, word[2]);
    struct division division;
    if (to == NULL || from == NULL || to->view.dtype != from->view.dtype)
        return run_refuse(run, word[1]);
    TRY(describe(run, &from->view, &to->view, word, &division));
    TRY(pad(run, word[2], "t7", &division, 1));
    return move(run, &division, to, false);
}

int space_join(struct run *run, char *const *word)
{
    const struct named_operand *to = run_operand(run, word[1]);
    struct named_operand *from = run_operand(run, word[2]), *whole = &run->own[WHOLE];
    struct division division;
    if (to == NULL || from == NULL || to->view.dtype != from->view.dtype)
        return run_refuse(run, word[1]);
    TRY(describe(run, &to->view, &from->view, word, &division));
    TRY(run_bring(run, from));
    *whole = *from;
    whole->view = division.whole;
    TRY(run_allocate(run, from->view.bytes, &whole->address));
    TRY(move(run, &division, from, true));
    return pad(run, "t7", word[1], &division, -1);
}

static struct named_operator kinds[] = {
    KIND("SpaceToBatchND", 3, 1, 0, "divide y0 x0 $1 $2"),
    KIND("BatchToSpaceND", 3, 1, 0, "join y0 x0 $1 $2"),
};

__attribute__((constructor)) static void offer(void)
{
    program_offer(kinds, sizeof kinds / sizeof kinds[0]);
}
