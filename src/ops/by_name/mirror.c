/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors that are continued at their edges by what lies before them: axis by axis, the elements at places
 * that are counted here. No function of the library mirrors with the edge itself, or more than three axes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "ops/by_name/numbers.h"
#include "ops/by_name/program.h"
#include "ops/by_name/run.h"
#include "base/error.h"
#include "runtime/named/op_attribute.h"

enum { PLACES = 1, PARTS = 2 }; /* tensors of the program's own: places; what comes out, in turns */

/* In t1, on the device, the places of an axis of so many elements with others before and behind. */
static int count_places(struct run *run, int64_t size, int64_t before, int64_t behind, bool has_edge)
{
    struct named_operand *own = &run->own[PLACES];
    const int64_t count = before + size + behind;
    const size_t bytes = (size_t)count * sizeof(int64_t);
    int64_t *places = malloc(bytes);
    if (places == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for %lld places", run->call->api,
                    (long long)count);
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = i - before;
        places[i] = at < 0 ? -at - has_edge : at < size ? at : 2 * size - 2 - at + has_edge;
    }
    *own = (struct named_operand){.is_there = true,
                                  .view = {.dtype = ACL_INT64, .format = ACL_FORMAT_ND, .rank = 1}};
    own->view.dims[0] = count;
    own->view.bytes = bytes;
    int status = run_allocate(run, bytes, &own->address);
    if (status == 0)
        status = aclrtMemcpy(own->address, bytes, places, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    free(places);
    return status;
}

int mirror_run(struct run *run, const char *to_word, const char *from_word, const char *pads_word)
{
    const bool has_edge = strcmp(op_attribute_text(run->call->attr, "mode", "REFLECT"), "SYMMETRIC") == 0;
    const struct named_operand *from = run_operand(run, from_word);
    char source[16], target[16], statement[80];
    struct numbers pads;
    if (from == NULL)
        return run_refuse(run, from_word);
    TRY(numbers_of(run->call, pads_word, run->stream, &pads));
    const int32_t rank = from->view.rank;
    if (rank < 1 || pads.count != 2 * (uint64_t)rank)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: %s of %d axes has %llu numbers; two for each are expected",
                    run->call->api, run->call->named->name, (int)rank, (unsigned long long)pads.count);
    snprintf(source, sizeof source, "%s", from_word);
    for (int32_t k = 0; k < rank; k++) {
        const int64_t size = from->view.dims[k], before = pads.value[2 * k], behind = pads.value[2 * k + 1],
                      most = size - !has_edge;
        if (before < 0 || behind < 0 || before > most || behind > most)
            if (before != 0 || behind != 0)
                return fail(
                    ACL_ERROR_INVALID_PARAM,
                    "%s: %s continues %lld elements of axis %d by %lld and %lld; 0 to %lld are expected",
                    run->call->api, run->call->named->name, (long long)size, (int)k, (long long)before,
                    (long long)behind, (long long)(most > 0 ? most : 0));
        if (before == 0 && behind == 0 && k + 1 < rank)
            continue;
        TRY(count_places(run, size, before, behind, has_edge));
        const int part = PARTS + k % 2;
        snprintf(target, sizeof target, "t%d", part);
        if (k + 1 < rank)
            run->own[part].is_there = false;
        snprintf(statement, sizeof statement, "GatherV2 %s %d t%d %s", source, (int)k, PLACES,
                 k + 1 < rank ? target : to_word);
        TRY(program_run_statement(run, statement));
        snprintf(source, sizeof source, "%s", target);
    }
    return 0;
}
