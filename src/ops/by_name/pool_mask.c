/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The masks that pools by name leave for their gradients: a bit for each place of a window and each window,
 * in two bytes for 16 windows. The functions of the library pass sixteen times as many bytes. Nobody else
 * looks into a mask, which may have room for more channels than there are.
 */
#include <stdio.h>

#include "ops/by_name/numbers.h"
#include "ops/by_name/program.h"
#include "ops/by_name/run.h"
#include "base/error.h"

enum { PART = 2, WIDER = 16 };

/* Rows of the mask of one matrix, or of several: as many channels as fit into an operand, at least these. */
struct mask {
    int32_t rank; /* 3: one matrix */
    int64_t matrices, channels, places, row_bytes;
};

/* The operand's memory as t2, whose rows the statement widens or narrows; *room is of how many channels. */
static int see_rows(struct run *run, const char *word, const struct mask *mask, int64_t *room)
{
    struct named_operand *operand = run_operand(run, word), *rows = &run->own[PART];
    int64_t channel = mask->matrices;
    if (operand == NULL)
        return run_refuse(run, word);
    if (__builtin_mul_overflow(channel, mask->places, &channel) ||
        __builtin_mul_overflow(channel, mask->row_bytes, &channel))
        channel = INT64_MAX;
    *room = channel > 0 ? (int64_t)operand->view.bytes / channel : 0;
    if (*room < mask->channels || (channel > 0 && (int64_t)operand->view.bytes % channel != 0))
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: the mask of %s has %zu bytes; %lld for each of %lld channels or more are expected",
                    run->call->api, run->call->named->name, operand->view.bytes, (long long)channel,
                    (long long)mask->channels);
    if (word[0] == 'x')
        TRY(run_bring(run, operand));
    const int64_t dims[] = {mask->matrices, *room, mask->places, mask->row_bytes};
    *rows = (struct named_operand){.is_there = true, .address = operand->address};
    rows->view = (struct tensor_desc_view){.dtype = ACL_INT8, .format = ACL_FORMAT_ND, .rank = mask->rank};
    for (int32_t k = 0; k < mask->rank; k++)
        rows->view.dims[k] = dims[4 - mask->rank + k];
    rows->view.bytes = operand->view.bytes;
    return 0;
}

static int change_rows(struct run *run, const char *from, int64_t wider, int64_t channels, const char *to)
{
    char statement[96];
    snprintf(statement, sizeof statement, "ConstantPadNd %s [0,%lld,0,0,0,%lld] 0 %s", from, (long long)wider,
             (long long)channels, to);
    return program_run_statement(run, statement);
}

int pool_mask_narrow(struct run *run, const char *to_word, const char *from_word)
{
    const struct named_operand *from = run_operand(run, from_word);
    int64_t room;
    if (from == NULL || from->view.rank < 3)
        return run_refuse(run, from_word);
    const int64_t *last = from->view.dims + from->view.rank - 3;
    const struct mask mask = {from->view.rank, from->view.rank > 3 ? from->view.dims[0] : 1, last[0], last[1],
                              last[2] / WIDER};
    TRY(see_rows(run, to_word, &mask, &room));
    return change_rows(run, from_word, mask.row_bytes - last[2], room - mask.channels, "t2");
}

int pool_mask_widen(struct run *run, const char *to_word, const char *from_word, const char *windows_word)
{
    const struct named_operand *windows = run_operand(run, windows_word);
    struct numbers size;
    int64_t room, count, places;
    TRY(numbers_of(run->call, "ksize:m", run->stream, &size));
    if (windows == NULL || windows->view.rank < 3 || windows->view.rank > 4 || size.count != 2)
        return run_refuse(run, windows_word);
    const int64_t *last = windows->view.dims + windows->view.rank - 3;
    if (__builtin_mul_overflow(last[1], last[2], &count) || count > INT64_MAX / 2 - 64 ||
        __builtin_mul_overflow(size.value[0], size.value[1], &places))
        return run_refuse(run, windows_word);
    const struct mask mask = {windows->view.rank, windows->view.rank > 3 ? windows->view.dims[0] : 1, last[0],
                              places, ((count + 15) / 16 + 1) * 2};
    TRY(see_rows(run, from_word, &mask, &room));
    return change_rows(run, "t2", mask.row_bytes * (WIDER - 1), mask.channels - room, to_word);
}
