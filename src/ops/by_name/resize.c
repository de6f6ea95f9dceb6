/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Images of another size, in the ways that functions of the library have not: `resize` and `unresize` of
 * programs (program.h). Element i of the last axes comes from i s, with the attribute align_corners (the first
 * and the last are those of the image) or half_pixel_centers ((i + 0.5) s - 0.5), s being how the sizes
 * compare; in FLOAT, as TensorFlow's kernels of these kinds count. "near" takes what lies below, with
 * align_corners what is nearest; "linear" a mean of both neighbours; "cubic" four neighbours by a cubic (cubic.h).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ops/by_name/along.h"
#include "ops/by_name/cubic.h"
#include "ops/by_name/program.h"
#include "runtime/named/op_attribute.h"

enum { AXES = 2 };

struct resizing {
    bool aligns, centers, is_linear, is_cubic;
};

/* The neighbours of each element, and how much of the second it takes. */
struct neighbours {
    int64_t *low, *high;
    float *share;
};

static float step_of(const struct resizing *rule, int64_t from, int64_t to)
{
    return rule->aligns && to > 1 ? (float)(from - 1) / (float)(to - 1) : (float)from / (float)to;
}

static struct cubic cubic_of(const struct resizing *rule, int32_t axis, int32_t rank, int64_t image,
                             int64_t resized)
{
    return (struct cubic){axis,         rank - 1 - axis, image, resized, step_of(rule, image, resized),
                          rule->centers};
}

static void find(const struct resizing *rule, int64_t from, int64_t to, const struct neighbours *found)
{
    const float step = step_of(rule, from, to);
    for (int64_t i = 0; i < to; i++) {
        const float half = rule->centers ? 0.5F : 0;
        float at = ((float)i + half) * step;
        if (rule->is_linear)
            at -= half;
        const float floored = rule->is_linear || !rule->aligns ? floorf(at) : roundf(at);
        const int64_t low = (int64_t)floored, last = from - 1;
        found->low[i] = low < 0 ? 0 : low > last ? last : low;
        found->high[i] = low + 1 < 0 ? 0 : low + 1 > last ? last : low + 1;
        found->share[i] = low < 0 ? 0 : at - floored;
    }
}

/* In own tensors, each with axes of one element behind the one that is resized. */
static int upload(struct run *run, const struct resizing *rule, int64_t from, int64_t to, int32_t axes_behind)
{
    struct neighbours found = {malloc((size_t)to * sizeof(int64_t) + 1),
                               malloc((size_t)to * sizeof(int64_t) + 1),
                               malloc((size_t)to * sizeof(float) + 1)};
    int status = found.low != NULL && found.high != NULL && found.share != NULL
                     ? 0
                     : fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for places", run->call->api);
    if (status == 0)
        find(rule, from, to, &found);
    if (status == 0)
        status = along_upload(run, ALONG_LOW, ACL_INT64, to, found.low);
    if (status == 0)
        status = along_upload(run, ALONG_HIGH, ACL_INT64, to, found.high);
    if (status == 0)
        status = along_upload(run, ALONG_SHARES, ACL_FLOAT, to, found.share);
    for (int32_t k = 0; k < axes_behind; k++)
        run->own[ALONG_SHARES].view.dims[run->own[ALONG_SHARES].view.rank++] = 1;
    free(found.low);
    free(found.high);
    free(found.share);
    return status;
}

/* The image and what it becomes, of the same axes but for the size. */
static int open(struct run *run, const char *small, const char *large, const char *how, struct resizing *rule)
{
    const struct named_operand *a = run_operand(run, small), *b = run_operand(run, large);
    *rule = (struct resizing){.aligns = op_attribute_number(run->call->attr, "align_corners", 0) != 0,
                              .centers = op_attribute_number(run->call->attr, "half_pixel_centers", 0) != 0,
                              .is_linear = strcmp(how, "linear") == 0,
                              .is_cubic = strcmp(how, "cubic") == 0};
    if (a == NULL || b == NULL || a->view.rank <= AXES || a->view.rank != b->view.rank ||
        run_count(&a->view) == 0 || (rule->aligns && rule->centers))
        return run_refuse(run, how);
    for (int32_t k = 0; k < a->view.rank - AXES; k++)
        if (a->view.dims[k] != b->view.dims[k])
            return run_refuse(run, how);
    return 0;
}

/* Own tensors have other shapes for the next axis. */
static void forget(struct run *run)
{
    run->own[ALONG_ROOM].is_there = run->own[ALONG_OTHER].is_there = run->own[ALONG_SUM].is_there = false;
}

static int gather(struct run *run, const char *from, int axis, int places, const char *to)
{
    char statement[80];
    snprintf(statement, sizeof statement, "GatherV2 %s %d t%d %s", from, axis, places, to);
    return program_run_statement(run, statement);
}

static int step_forth(struct run *run, const struct resizing *rule, int axis, const struct along *along)
{
    char low[16], high[16], statement[80];
    if (!rule->is_linear)
        return gather(run, along->from, axis, ALONG_LOW, along->to);
    snprintf(low, sizeof low, "t%d", ALONG_ROOM);
    snprintf(high, sizeof high, "t%d", ALONG_OTHER);
    TRY(gather(run, along->from, axis, ALONG_LOW, low));
    TRY(gather(run, along->from, axis, ALONG_HIGH, high));
    snprintf(statement, sizeof statement, "Lerp %s %s t%d %s", low, high, ALONG_SHARES, along->to);
    return program_run_statement(run, statement);
}

int resize_run(struct run *run, const char *to_word, const char *from_word, const char *how)
{
    struct resizing rule;
    struct along along;
    TRY(open(run, from_word, to_word, how, &rule));
    const struct tensor_desc_view from = run_operand(run, from_word)->view,
                                  to = run_operand(run, to_word)->view;
    along_begin(&along, run, to_word, from_word, AXES);
    for (int32_t k = from.rank - AXES; k < from.rank; k++) {
        forget(run);
        along_next(&along);
        if (rule.is_cubic) {
            const struct cubic cubic = cubic_of(&rule, k, from.rank, from.dims[k], to.dims[k]);
            TRY(cubic_forth(&along, &cubic));
        } else {
            TRY(upload(run, &rule, from.dims[k], to.dims[k], from.rank - 1 - k));
            TRY(step_forth(run, &rule, (int)k, &along));
        }
        along_end_of_step(&along);
    }
    return 0;
}

static int add_at(struct run *run, int into, int axis, int places, const char *what, const char *to)
{
    char statement[80];
    snprintf(statement, sizeof statement, "IndexAdd t%d %d t%d %s 1 %s", into, axis, places, what, to);
    return program_run_statement(run, statement);
}

static int step_back(struct run *run, const struct resizing *rule, int axis, const struct along *along)
{
    char statement[80], low[16], high[16], sum[16];
    if (!rule->is_linear)
        return add_at(run, ALONG_ROOM, axis, ALONG_LOW, along->from, along->to);
    snprintf(high, sizeof high, "t%d", ALONG_OTHER);
    snprintf(low, sizeof low, "t%d", ALONG_PLACES);
    snprintf(sum, sizeof sum, "t%d", ALONG_SUM);
    run->own[ALONG_PLACES].is_there = false;
    snprintf(statement, sizeof statement, "Mul %s t%d %s", along->from, ALONG_SHARES, high);
    TRY(program_run_statement(run, statement));
    snprintf(statement, sizeof statement, "Sub %s %s 1 %s", along->from, high, low);
    TRY(program_run_statement(run, statement));
    TRY(add_at(run, ALONG_ROOM, axis, ALONG_LOW, low, sum));
    return add_at(run, ALONG_SUM, axis, ALONG_HIGH, high, along->to);
}

/* The gradient: each element goes to the neighbours that it was made of, by its shares. */
int resize_back(struct run *run, const char *to_word, const char *from_word, const char *how)
{
    struct resizing rule;
    struct along along;
    TRY(open(run, to_word, from_word, how, &rule));
    const struct tensor_desc_view from = run_operand(run, from_word)->view,
                                  to = run_operand(run, to_word)->view;
    along_begin(&along, run, to_word, from_word, AXES);
    for (int32_t k = from.rank - AXES; k < from.rank; k++) {
        forget(run);
        along_next(&along);
        TRY(along_zeros(run, ALONG_ROOM, run_operand(run, along.from), k, to.dims[k]));
        if (rule.is_cubic) {
            const struct cubic cubic = cubic_of(&rule, k, from.rank, to.dims[k], from.dims[k]);
            TRY(cubic_back(&along, &cubic));
        } else {
            TRY(upload(run, &rule, to.dims[k], from.dims[k], from.rank - 1 - k));
            TRY(step_back(run, &rule, (int)k, &along));
        }
        along_end_of_step(&along);
    }
    return 0;
}
