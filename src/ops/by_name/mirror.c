/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors that are continued at their edges by what they have, axis by axis, by the places that are counted
 * here: mirrored without the edge or with it, the edge itself, or from the other end. No function of the
 * library mirrors with the edge itself, or more than three axes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "ops/by_name/along.h"
#include "ops/by_name/numbers.h"
#include "ops/by_name/program.h"
#include "runtime/named/op_attribute.h"

enum mode { REFLECT, SYMMETRIC, EDGE, WRAP };

static enum mode mode_of(const struct run *run)
{
    const char *text = op_attribute_text(run->call->attr, "mode", "REFLECT");
    return strcasecmp(text, "SYMMETRIC") == 0                                   ? SYMMETRIC
           : strcasecmp(text, "edge") == 0                                      ? EDGE
           : strcasecmp(text, "circular") == 0 || strcasecmp(text, "wrap") == 0 ? WRAP
                                                                                : REFLECT;
}

/* How many elements one side may have beside so many. */
static int64_t most_of(enum mode mode, int64_t size)
{
    return mode == EDGE ? (size > 0 ? INT32_MAX : 0) : mode == REFLECT ? size - 1 : size;
}

static int64_t place_of(enum mode mode, int64_t at, int64_t size)
{
    if (at >= 0 && at < size)
        return at;
    if (mode == EDGE)
        return at < 0 ? 0 : size - 1;
    if (mode == WRAP)
        return at < 0 ? at + size : at - size;
    return at < 0 ? -at - (mode == SYMMETRIC) : 2 * size - 2 - at + (mode == SYMMETRIC);
}

/* The places of an axis of so many elements with others before and behind. */
static int count_places(struct run *run, int64_t size, int64_t before, int64_t behind)
{
    const enum mode mode = mode_of(run);
    const int64_t count = before + size + behind;
    int64_t *places = malloc((size_t)count * sizeof *places + 1);
    if (places == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for %lld places", run->call->api,
                    (long long)count);
    for (int64_t i = 0; i < count; i++)
        places[i] = place_of(mode, i - before, size);
    const int status = along_upload(run, ALONG_PLACES, ACL_INT64, count, places);
    free(places);
    return status;
}

/* Of a tensor of these dims without edges. */
static int check_edges(struct run *run, const struct named_operand *plain, const struct numbers *pads)
{
    const int32_t rank = plain->view.rank;
    if (rank < 1 || pads->count != 2 * (uint64_t)rank)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: %s of %d axes has %llu numbers; two for each are expected",
                    run->call->api, run->call->named->name, (int)rank, (unsigned long long)pads->count);
    for (int32_t k = 0; k < rank; k++) {
        const int64_t size = plain->view.dims[k], before = pads->value[2 * k],
                      behind = pads->value[2 * k + 1], most = most_of(mode_of(run), size);
        if ((before != 0 || behind != 0) && (before < 0 || behind < 0 || before > most || behind > most))
            return fail(ACL_ERROR_INVALID_PARAM,
                        "%s: %s continues %lld elements of axis %d by %lld and %lld; 0 to %lld are expected",
                        run->call->api, run->call->named->name, (long long)size, (int)k, (long long)before,
                        (long long)behind, (long long)(most > 0 ? most : 0));
    }
    return 0;
}

static bool has_edge(const struct numbers *pads, int32_t axis)
{
    return pads->value[2 * axis] != 0 || pads->value[2 * axis + 1] != 0;
}

static int32_t count_edges(const struct numbers *pads)
{
    int32_t count = 0;
    for (int32_t k = 0; 2 * (uint64_t)k < pads->count; k++)
        count += has_edge(pads, k);
    return count;
}

static int copy_all(struct run *run, const char *to_word, const char *from_word)
{
    char statement[48];
    snprintf(statement, sizeof statement, "copy %.16s %.16s", to_word, from_word);
    return program_run_statement(run, statement);
}

int edges_continue(struct run *run, const char *to_word, const char *from_word, const char *pads_word)
{
    const struct named_operand *from = run_operand(run, from_word);
    char statement[80];
    struct numbers pads;
    struct along along;
    if (from == NULL)
        return run_refuse(run, from_word);
    TRY(numbers_of(run->call, pads_word, run->stream, &pads));
    TRY(check_edges(run, from, &pads));
    if (count_edges(&pads) == 0)
        return copy_all(run, to_word, from_word);
    along_begin(&along, run, to_word, from_word, count_edges(&pads));
    for (int32_t k = 0; k < from->view.rank; k++) {
        if (!has_edge(&pads, k))
            continue;
        TRY(count_places(run, from->view.dims[k], pads.value[2 * k], pads.value[2 * k + 1]));
        along_next(&along);
        snprintf(statement, sizeof statement, "GatherV2 %s %d t%d %s", along.from, (int)k, ALONG_PLACES,
                 along.to);
        TRY(program_run_statement(run, statement));
        along_end_of_step(&along);
    }
    return 0;
}

/* The gradient: what lies beside goes to the places that it was taken from. */
int edges_gather(struct run *run, const char *to_word, const char *from_word, const char *pads_word)
{
    const struct named_operand *to = run_operand(run, to_word);
    char statement[80];
    struct numbers pads;
    struct along along;
    if (to == NULL || run_operand(run, from_word) == NULL)
        return run_refuse(run, from_word);
    TRY(numbers_of(run->call, pads_word, run->stream, &pads));
    TRY(check_edges(run, to, &pads));
    if (count_edges(&pads) == 0)
        return copy_all(run, to_word, from_word);
    along_begin(&along, run, to_word, from_word, count_edges(&pads));
    for (int32_t k = 0; k < to->view.rank; k++) {
        if (!has_edge(&pads, k))
            continue;
        TRY(count_places(run, to->view.dims[k], pads.value[2 * k], pads.value[2 * k + 1]));
        TRY(along_zeros(run, ALONG_ROOM, run_operand(run, along.from), k, to->view.dims[k]));
        along_next(&along);
        snprintf(statement, sizeof statement, "IndexAdd t%d %d t%d %s 1 %s", ALONG_ROOM, (int)k, ALONG_PLACES,
                 along.from, along.to);
        TRY(program_run_statement(run, statement));
        along_end_of_step(&along);
    }
    return 0;
}
