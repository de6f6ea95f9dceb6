/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Connectionist temporal classification. The states of a sample are its labels with a blank before, between
 * and behind them; at each time a path stays, goes to the next state, or over a blank between labels that
 * differ. alpha[t][s], the logarithm of the sum of all paths to s, is log_probs[t][label of s] plus that of
 * the states that lead there, of which exponentials are added in that order; the loss is minus that of the
 * last two. The gradient has beta, the same from behind: its states in the opposite order.
 *
 * All in DOUBLE, rounded once; the gradient starts from logAlpha and negLogLikelihood as they were rounded.
 */
#include "ops/scan/ctc.h"

/* How much more room there is than states or classes, as vectors go beyond the last one; and a number that is
 * a multiple of all vectors' lanes. */
enum { CTC_ROOM = 10, CTC_SOME = 64 };

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/logarithm.h"

static doubles ctc_load(const double *from)
{
    doubles value;
    memcpy(&value, from, sizeof value);
    return value;
}

static void ctc_step(const double *previous, const double *skips, const double *own, double *next,
                     size_t states)
{
    const double none = -(double)INFINITY;
    for (size_t i = 0; i < states; i += LANES) {
        const doubles stays = ctc_load(previous + i + 2), follows = ctc_load(previous + i + 1),
                      skipping = choose(ctc_load(skips + i) == 0, ctc_load(previous + i), broadcast(none));
        doubles most = choose(stays > follows, stays, follows);
        most = choose(skipping > most, skipping, most);
        most = choose(most == none, broadcast(0), most);
        const doubles sum = maths_exp(stays - most) + maths_exp(follows - most) + maths_exp(skipping - most);
        const doubles value = maths_log(sum) + most + ctc_load(own + i);
        memcpy(next + i + 2, &value, sizeof value);
    }
}

static void ctc_exponentials(double *value, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        const doubles power = maths_exp(ctc_load(value + i));
        memcpy(value + i, &power, sizeof power);
    }
}

extern const struct ctc_kernels AT_LEVEL(ctc_kernels);
const struct ctc_kernels AT_LEVEL(ctc_kernels) = {ctc_step, ctc_exponentials};

#else

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ops/canonical.h"
#include "runtime/streams/fault.h"

/* A sample, and where its numbers are in the room of its plane. */
struct sample {
    const struct ctc *ctc;
    uint64_t times, states;
    int64_t *label;                        /* of each state */
    double *log_probs, *alpha;             /* of all times */
    double *previous, *next, *skips, *own; /* of states */
    double *most, *sum;                    /* of classes */
};

static uint64_t state_room(const struct ctc *ctc)
{
    return ctc->states + CTC_ROOM;
}

size_t ctc_room_bytes(const struct ctc *ctc)
{
    const uint64_t of_states = 5 * state_room(ctc), of_classes = 2 * (ctc->classes + CTC_ROOM);
    return (size_t)(1 + ctc->times * (ctc->classes + ctc->states) + CTC_ROOM + of_states + of_classes) *
           sizeof(double);
}

static int64_t target_at(const struct ctc *ctc, const void *targets, uint64_t i)
{
    return ctc->target_dtype == ACL_INT32 ? ((const int32_t *)targets)[i] : ((const int64_t *)targets)[i];
}

/* The first label of a sample among the targets that its plane sees. */
static uint64_t first_label(const struct plane_walk *walk, const struct ctc *ctc, uint64_t plane)
{
    uint64_t first = 0;
    for (uint64_t i = 0; i < plane && ctc->are_joined; i++)
        first += (uint64_t)plane_table(walk, 1)[i];
    return first;
}

/* -1, or the target that is no class. */
static int64_t read_sample(const struct plane_walk *walk, const void *log_probs, const void *targets,
                           void *room, struct sample *sample)
{
    const struct ctc *ctc = (const struct ctc *)(const void *)walk->parameters;
    uint64_t plane;
    memcpy(&plane, room, sizeof plane);
    const uint64_t labels = (uint64_t)plane_table(walk, 1)[plane], first = first_label(walk, ctc, plane);
    *sample = (struct sample){.ctc = ctc,
                              .times = (uint64_t)plane_table(walk, 0)[plane],
                              .states = 2 * labels + 1,
                              .log_probs = (double *)room + 1};
    sample->alpha = sample->log_probs + ctc->times * ctc->classes;
    sample->previous = sample->alpha + ctc->times * ctc->states + CTC_ROOM;
    sample->next = sample->previous + state_room(ctc);
    sample->skips = sample->next + state_room(ctc);
    sample->own = sample->skips + state_room(ctc);
    sample->label = (int64_t *)(void *)(sample->own + state_room(ctc));
    sample->most = sample->own + 2 * state_room(ctc);
    sample->sum = sample->most + ctc->classes + CTC_ROOM;
    for (uint64_t s = 0; s < sample->states; s++) {
        sample->label[s] = s % 2 == 0 ? ctc->blank : target_at(ctc, targets, first + s / 2);
        if (sample->label[s] < 0 || (uint64_t)sample->label[s] >= ctc->classes)
            return (int64_t)(first + s / 2);
    }
    plane_convert(walk, log_probs, ctc->dtype, sample->log_probs, ACL_DOUBLE, ctc->times * ctc->classes);
    return -1;
}

int ctc_tell_target(const struct plane_walk *walk, const void *targets, int64_t plane, int64_t element)
{
    const struct ctc *ctc = (const struct ctc *)(const void *)walk->parameters;
    return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                          "targets holds %" PRId64 " as element %" PRId64 " of %s, for sample %" PRId64
                          "; 0 to %" PRIu64 " are expected",
                          target_at(ctc, targets, (uint64_t)element), element,
                          ctc->are_joined ? "all" : "its row", plane, ctc->classes - 1);
}

/* The label of a state, counted from behind where paths are. */
static int64_t label_at(const struct sample *sample, uint64_t state, bool from_behind)
{
    return sample->label[from_behind ? sample->states - 1 - state : state];
}

/* Before the first time of either direction: one path to the first state, which the next may follow. */
static void begin_paths(struct sample *sample, bool from_behind)
{
    const double none = -(double)INFINITY;
    for (uint64_t i = 0; i < state_room(sample->ctc); i++)
        sample->previous[i] = sample->next[i] = sample->skips[i] = none, sample->own[i] = 0;
    sample->previous[2] = 0;
    for (uint64_t s = 2; s < sample->states; s++)
        if (label_at(sample, s, from_behind) != label_at(sample, s - 2, from_behind))
            sample->skips[s] = 0;
}

/* Goes to a time; next then has its states from index 2 on, and is previous of the one that follows. */
static const double *step_paths(struct sample *sample, uint64_t time, bool from_behind)
{
    const double *log_probs = sample->log_probs + time * sample->ctc->classes;
    for (uint64_t s = 0; s < sample->states; s++)
        sample->own[s] = log_probs[label_at(sample, s, from_behind)];
    sample->ctc->kernels->step(sample->previous, sample->skips, sample->own, sample->next, sample->states);
    double *next = sample->next;
    sample->next = sample->previous;
    sample->previous = next;
    return next + 2;
}

/* The loss from the two last states, of which the one before the last counts only where there is one. */
static double loss_of(struct sample *sample, const double *last)
{
    const double none = -(double)INFINITY;
    const bool has_labels = sample->states > 1;
    double ends[2 + CTC_ROOM] = {none, has_labels ? last[sample->states - 2] : none,
                                 last[sample->states - 1]},
                    room[2 + CTC_ROOM], nothing[CTC_ROOM] = {1};
    sample->ctc->kernels->step(ends, nothing, nothing + 1, room, 1);
    return 0 - room[2];
}

int64_t ctc_run_forward(const struct plane_walk *walk, const void *const *input, void *const *output,
                        void *room)
{
    struct sample sample;
    const int64_t fault = read_sample(walk, input[0], input[1], room, &sample);
    const struct ctc *ctc = sample.ctc;
    if (fault >= 0)
        return fault;
    const double *alpha = NULL;
    for (uint64_t i = 0; i < ctc->times * ctc->states; i++)
        sample.alpha[i] = -(double)INFINITY;
    begin_paths(&sample, false);
    for (uint64_t t = 0; t < sample.times; t++) {
        alpha = step_paths(&sample, t, false);
        memcpy(sample.alpha + t * ctc->states, alpha, (size_t)sample.states * sizeof *alpha);
    }
    /* In no time there is a path to nothing alone. */
    double loss = alpha != NULL ? loss_of(&sample, alpha) : sample.states > 1 ? (double)INFINITY : 0;
    if (ctc->zero_infinity && loss == (double)INFINITY)
        loss = 0;
    canonical_nans(&loss, 1);
    canonical_nans(sample.alpha, (size_t)(ctc->times * ctc->states));
    plane_convert(walk, &loss, ACL_DOUBLE, output[0], ctc->dtype, 1);
    plane_convert(walk, sample.alpha, ACL_DOUBLE, output[1], ctc->dtype, ctc->times * ctc->states);
    return -1;
}

/* own becomes alpha + beta of each state, and most and sum of each class what e^most sum is of those of its
 * states, all of a time. */
static void add_classes(struct sample *sample, const double *alpha, const double *beta)
{
    const double none = -(double)INFINITY;
    for (uint64_t c = 0; c < sample->ctc->classes; c++)
        sample->most[c] = none, sample->sum[c] = 0;
    for (uint64_t s = 0; s < sample->states; s++) {
        double *most = &sample->most[sample->label[s]];
        sample->own[s] = alpha[s] + beta[sample->states - 1 - s];
        *most = sample->own[s] > *most ? sample->own[s] : *most;
    }
    for (uint64_t s = 0; s < sample->states; s++) {
        const double most = sample->most[sample->label[s]];
        sample->own[s] -= most == none ? 0 : most;
    }
    sample->ctc->kernels->exponentials(sample->own, sample->states);
    for (uint64_t s = 0; s < sample->states; s++)
        sample->sum[sample->label[s]] += sample->own[s];
}

/* The gradient takes the place of the time's log_probs. */
static void derive_time(struct sample *sample, uint64_t time, double loss, double times)
{
    const uint64_t classes = sample->ctc->classes;
    double *log_probs = sample->log_probs + time * classes;
    for (uint64_t c = 0; c < classes; c++)
        sample->most[c] += loss - log_probs[c];
    sample->ctc->kernels->exponentials(sample->most, classes);
    for (uint64_t first = 0; first < classes; first += CTC_SOME) {
        double power[CTC_SOME] = {0};
        const uint64_t count = classes - first < CTC_SOME ? classes - first : CTC_SOME;
        memcpy(power, log_probs + first, (size_t)count * sizeof *power);
        sample->ctc->kernels->exponentials(power, count);
        for (uint64_t c = 0; c < count; c++)
            log_probs[first + c] = (power[c] - sample->sum[first + c] * sample->most[first + c]) * times;
    }
}

int64_t ctc_run_backward(const struct plane_walk *walk, const void *const *input, void *const *output,
                         void *room)
{
    struct sample sample;
    const int64_t fault = read_sample(walk, input[1], input[4], room, &sample);
    const struct ctc *ctc = sample.ctc;
    if (fault >= 0)
        return fault;
    double times, loss;
    plane_convert(walk, input[0], ctc->dtype, &times, ACL_DOUBLE, 1);
    plane_convert(walk, input[2], ctc->dtype, &loss, ACL_DOUBLE, 1);
    plane_convert(walk, input[3], ctc->dtype, sample.alpha, ACL_DOUBLE, ctc->times * ctc->states);
    uint64_t done = ctc->times; /* times from here on are written */
    const double *last = sample.times == 0 ? NULL : sample.alpha + (sample.times - 1) * ctc->states;
    const bool is_infinite = last == NULL ? sample.states > 1 : loss_of(&sample, last) == (double)INFINITY;
    if (!(ctc->zero_infinity && is_infinite)) {
        begin_paths(&sample, true);
        done = sample.times;
        for (uint64_t t = sample.times; t-- > 0;) {
            const double *beta = step_paths(&sample, t, true);
            add_classes(&sample, sample.alpha + t * ctc->states, beta);
            derive_time(&sample, t, loss, times);
        }
    } else
        done = 0;
    for (uint64_t i = done * ctc->classes; i < ctc->times * ctc->classes; i++)
        sample.log_probs[i] = 0;
    canonical_nans(sample.log_probs, (size_t)(ctc->times * ctc->classes));
    plane_convert(walk, sample.log_probs, ACL_DOUBLE, output[0], ctc->dtype, ctc->times * ctc->classes);
    return -1;
}

#endif
