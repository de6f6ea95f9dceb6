/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Belay, the roofline and the peers on the same memory: sections throughput, layouts, data and family.
 */
#include <stdio.h>

#include "data.h"
#include "layout.h"
#include "roofline.h"
#include "session.h"

enum { VARIANTS_MAX = ROOFLINE_CANDIDATES + 2 + PEERS_MAX };

/* The sizes of section family: in the second cache, and beyond the last. */
enum { FAMILY_CACHED = 1 << 14, FAMILY_IN_MEMORY = 1 << 24 };

/* Below this the loop around a copy costs more than the copy. */
enum { ROOFLINE_FROM = 1024 };

struct contest {
    struct variant variant[VARIANTS_MAX];
    int count, rooflines, peers;
    struct variant *contiguous; /* Belay on contiguous views of the same memory, or NULL */
    const struct peer *peer[PEERS_MAX];
};

/* Order: Belay, rooflines, peers. */
static void enter(struct contest *contest, const struct session *session, const struct workload *workload,
                  const struct workload *copied)
{
    contest->variant[contest->count++] = (struct variant){
        .name = "belay", .run = belay_run, .context = belay_prepare(workload, session->stream)};
    for (int i = 0; copied && workload->count >= ROOFLINE_FROM && i < roofline_candidates(); i++) {
        contest->variant[contest->count++] = (struct variant){
            .name = roofline_candidate_name(i), .run = roofline_run, .context = roofline_prepare(copied, i)};
        contest->rooflines++;
    }
    for (int i = 0; i < session->peers.count; i++) {
        const struct peer *peer = session->peers.peer[i];
        void *prepared = peer->prepare(workload);
        if (!prepared)
            continue;
        contest->peer[contest->peers++] = peer;
        contest->variant[contest->count++] =
            (struct variant){.name = peer->name, .run = peer->run, .context = prepared};
    }
}

/* Where every operand's storage has room for all elements, how much the layout costs is asked too. */
static void enter_contiguous(struct contest *contest, const struct session *session,
                             const struct workload *workload)
{
    struct workload contiguous = *workload;
    layout_apply(&contiguous, LAYOUT_CONTIGUOUS);
    for (enum operand operand = 0; operand < OPERANDS; operand++)
        if (workload_has_operand(workload, operand) && workload->view[operand].storage < workload->count)
            return;
    contest->contiguous = &contest->variant[contest->count++];
    *contest->contiguous = (struct variant){
        .name = "contiguous", .run = belay_run, .context = belay_prepare(&contiguous, session->stream)};
}

static void leave(struct contest *contest)
{
    if (contest->contiguous)
        belay_release(contest->contiguous->context);

    belay_release(contest->variant[0].context);
    for (int i = 0; i < contest->rooflines; i++)
        roofline_release(contest->variant[1 + i].context);
    for (int i = 0; i < contest->peers; i++)
        contest->peer[i]->release(contest->variant[1 + contest->rooflines + i].context);
}

/* The variant of [begin, end) with the least median, or -1 if there is none. */
static int fastest(const struct contest *contest, int begin, int end, size_t rounds)
{
    int best = -1;
    double best_ns = 0;
    for (int i = begin; i < end; i++) {
        double ns = quantile(contest->variant[i].ns, rounds, 0.5);
        if (best < 0 || ns < best_ns) {
            best = i;
            best_ns = ns;
        }
    }
    return best;
}

static struct quartiles scaled(struct quartiles value, double factor)
{
    return (struct quartiles){value.lower * factor, value.median * factor, value.upper * factor};
}

void measure_contest(const struct session *session, enum section section, const struct workload *workload,
                     const struct workload *copied, struct row *row)
{
    struct contest contest = {0};
    enter(&contest, session, workload, copied);
    int peers_end = contest.count;
    if (section == SECTION_LAYOUTS)
        enter_contiguous(&contest, session, workload);
    struct measure_plan plan = session_plan(session, section, workload->count);
    size_t rounds = (size_t)measure_rounds(contest.variant, contest.count, &plan);

    const double *belay = contest.variant[0].ns;
    bool best_quartile = session->threads > 1;
    struct quartiles ns = quartiles_of(belay, rounds);
    if (best_quartile)
        ns.median = ns.lower;
    double payload = (double)workload_payload_bytes(copied ? copied : workload);
    row_add(row, "ns", ns);
    row_add(row, "GB/s", (struct quartiles){payload / ns.upper, payload / ns.median, payload / ns.lower});
    row_add(row, "cycles/16", scaled(ns, session->clock_ghz * 16 / (double)workload->count));

    int best = fastest(&contest, 1, 1 + contest.rooflines, rounds);
    if (best >= 0) {
        struct quartiles roof = quartiles_of(contest.variant[best].ns, rounds);
        row_add(row, "roofline GB/s",
                (struct quartiles){payload / roof.upper, payload / roof.median, payload / roof.lower});
        row_add(row, "roofline", ratio_of(contest.variant[best].ns, belay, rounds, best_quartile));
    }
    int peers_begin = 1 + contest.rooflines;
    for (int i = peers_begin; i < peers_end; i++)
        row_add(row, contest.variant[i].name, ratio_of(contest.variant[i].ns, belay, rounds, best_quartile));
    best = fastest(&contest, peers_begin, peers_end, rounds);
    if (best >= 0)
        row_add(row, "peer", ratio_of(contest.variant[best].ns, belay, rounds, best_quartile));
    if (contest.contiguous)
        row_add(row, "contiguous", ratio_of(contest.contiguous->ns, belay, rounds, best_quartile));
    leave(&contest);
}

static void compare(const struct session *session, enum section section, int gradient, enum dtype dtype,
                    enum layout layout, enum data_set data_set, int64_t count)
{
    struct workload workload = workload_of(subject_at(gradient), dtype, count, session->threads);
    layout_apply(&workload, layout);
    session_allocate(&workload);
    data_fill(&workload, data_set);
    struct row row = session_row(session, section, subject_at(gradient)->name, workload_dtype_name(dtype),
                                 layout_name(layout), data_set_name(data_set), count);
    measure_contest(session, section, &workload, &workload, &row);
    session->emit(&row);
    session_free(&workload);
}

static bool is_wanted(const struct session *session, int subject, enum dtype dtype)
{
    return session->options.has_subject[subject] && session->options.has_dtype[dtype] &&
           subject_has_dtype(subject_at(subject), dtype);
}

void measure_throughput(const struct session *session)
{
    for (int gradient = 0; gradient < GRADIENTS; gradient++)
        for (enum dtype dtype = 0; dtype < DTYPES; dtype++)
            for (int i = 0; is_wanted(session, gradient, dtype) && i < session->options.counts; i++) {
                int64_t count = session->options.count[i];
                compare(session, SECTION_THROUGHPUT, gradient, dtype, LAYOUT_CONTIGUOUS, DATA_NORMAL, count);
                /* The range of x decides how silu is computed. */
                if (gradient == SILU && dtype == FP32 && count >= 1 << 14 && count <= 1 << 18)
                    compare(session, SECTION_THROUGHPUT, gradient, dtype, LAYOUT_CONTIGUOUS, DATA_WIDE,
                            count);
            }
}

void measure_layouts(const struct session *session)
{
    static const int64_t counts[] = {1 << 18, 1 << 22};
    for (int gradient = 0; gradient < GRADIENTS; gradient++)
        for (enum dtype dtype = 0; dtype < DTYPES; dtype++)
            for (enum layout layout = LAYOUT_CONTIGUOUS + 1; layout < LAYOUTS; layout++) {
                int sizes = layout == LAYOUT_ZERO_D || session->options.is_quick ? 1 : 2;
                for (int i = 0; is_wanted(session, gradient, dtype) && i < sizes; i++)
                    compare(session, SECTION_LAYOUTS, gradient, dtype, layout, DATA_NORMAL,
                            layout == LAYOUT_ZERO_D ? 1 : counts[i]);
            }
}

/* All data sets in the same rounds, each in its own memory: more than a second-level cache holds of all of
 * them, but each is repeated in its turn. */
static void compare_data_sets(const struct session *session, int gradient, enum dtype dtype)
{
    const int64_t count = 1 << 13;
    struct workload workload[DATA_SETS];
    struct variant variant[DATA_SETS];
    for (enum data_set data_set = 0; data_set < DATA_SETS; data_set++) {
        workload[data_set] = workload_of(subject_at(gradient), dtype, count, session->threads);
        layout_apply(&workload[data_set], LAYOUT_CONTIGUOUS);
        session_allocate(&workload[data_set]);
        data_fill(&workload[data_set], data_set);
        variant[data_set] = (struct variant){.name = data_set_name(data_set),
                                             .run = belay_run,
                                             .context = belay_prepare(&workload[data_set], session->stream)};
    }
    struct measure_plan plan = session_plan(session, SECTION_DATA, count);
    size_t rounds = (size_t)measure_rounds(variant, DATA_SETS, &plan);
    for (enum data_set data_set = 0; data_set < DATA_SETS; data_set++) {
        struct row row =
            session_row(session, SECTION_DATA, subject_at(gradient)->name, workload_dtype_name(dtype),
                        layout_name(LAYOUT_CONTIGUOUS), data_set_name(data_set), count);
        struct quartiles ns = quartiles_of(variant[data_set].ns, rounds);
        row_add(&row, "ns", ns);
        row_add(&row, "cycles/16", scaled(ns, session->clock_ghz * 16 / (double)count));
        row_add(&row, "normal", ratio_of(variant[DATA_NORMAL].ns, variant[data_set].ns, rounds, false));
        session->emit(&row);
        belay_release(variant[data_set].context);
        session_free(&workload[data_set]);
    }
}

void measure_data(const struct session *session)
{
    for (int gradient = 0; gradient < GRADIENTS; gradient++)
        for (enum dtype dtype = 0; dtype < DTYPES; dtype++)
            if (is_wanted(session, gradient, dtype))
                compare_data_sets(session, gradient, dtype);
}

/* One way to call an operator: the dtype of its result, whether it is one element, and the data. False where
 * the operator has no such result. */
static bool compare_family(const struct session *session, const struct subject *subject, enum dtype dtype,
                           enum dtype out_dtype, bool is_reduced, enum data_set data_set, int64_t count)
{
    struct workload workload = workload_of(subject, dtype, count, session->threads);
    workload.out_dtype = out_dtype;
    workload.is_reduced = is_reduced;
    layout_apply(&workload, LAYOUT_CONTIGUOUS);
    session_allocate(&workload);
    if (!belay_accepts(&workload)) {
        session_free(&workload);
        return false;
    }
    data_fill(&workload, data_set);
    char what[24];
    if (out_dtype != dtype)
        snprintf(what, sizeof what, "to_%s", workload_dtype_name(out_dtype));
    else if (is_reduced)
        snprintf(what, sizeof what, "mean%s%s", data_set == DATA_NORMAL ? "" : "_",
                 data_set == DATA_NORMAL ? "" : data_set_name(data_set));
    else
        snprintf(what, sizeof what, "%s", data_set_name(data_set));
    struct row row = session_row(session, SECTION_FAMILY, subject->api, workload_dtype_name(dtype),
                                 layout_name(LAYOUT_CONTIGUOUS), what, count);
    measure_contest(session, SECTION_FAMILY, &workload, &workload, &row);
    if (dtype == FP32 && out_dtype == dtype && count == FAMILY_CACHED) {
        double reckoned = subject_reckoned_ns(subject, count);
        struct quartiles ns = row_figure(&row, "ns")->value;
        row_add(&row, "reckoned",
                (struct quartiles){reckoned / ns.upper, reckoned / ns.median, reckoned / ns.lower});
    }
    session->emit(&row);
    session_free(&workload);
    return true;
}

/* What an operator computes of a dtype, one after the other: whatever a conversion is from or to FLOAT, the
 * mean, the dtype itself or, of integers, FLOAT. */
static void compare_results(const struct session *session, const struct subject *subject, enum dtype dtype,
                            int64_t count)
{
    for (enum dtype out = 0; subject_converts(subject) && out < DTYPES; out++)
        if ((dtype == FP32) != (out == FP32))
            compare_family(session, subject, dtype, out, false, DATA_NORMAL, count);
    if (subject_converts(subject))
        return;
    if (subject_reduces(subject)) {
        compare_family(session, subject, dtype, dtype, true, DATA_NORMAL, count);
        compare_family(session, subject, dtype, dtype, true, DATA_SCATTERED, count);
    }
    const enum data_set data_set = subject->is_in_place ? DATA_IN_PLACE : DATA_NORMAL;
    if (!compare_family(session, subject, dtype, dtype, false, data_set, count) && dtype >= INT32 &&
        !subject->is_in_place)
        compare_family(session, subject, dtype, FP32, false, DATA_NORMAL, count);
}

void measure_family(const struct session *session)
{
    static const int64_t counts[] = {FAMILY_CACHED, FAMILY_IN_MEMORY};
    for (int i = 0; i < subjects_count(); i++)
        for (enum dtype dtype = 0; dtype < DTYPES; dtype++)
            for (int k = 0; subject_at(i)->is_any_shape && is_wanted(session, i, dtype) &&
                            k < (session->options.is_quick ? 1 : 2);
                 k++)
                compare_results(session, subject_at(i), dtype, counts[k]);
}
