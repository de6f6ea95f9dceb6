/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program as its users write them, at its hardest: 8 threads with 16 streams each run chains of operators
 * that feed one another across streams, ordered by events alone. Descriptors are destroyed right after phase
 * 2, one workspace per stream serves every call, and every other phase 2 runs on another thread than its
 * phase 1. The results must be those of the same chains run one call at a time.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"

enum { THREADS = 8, STREAMS = 16, STEPS = 9, COUNT = 1537 };

/* Phase 2 on another thread: the owner hands a call over and waits until it has been made. */
struct hand_over {
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t changed;
    aclnnStatus (*phase_2)(void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream);
    void *workspace;
    uint64_t size;
    aclOpExecutor *executor;
    aclrtStream stream;
    aclnnStatus status;
    bool is_asked, is_over;
};

/* One stream's place in the ring of its thread. Results alternate between two buffers. */
struct cell {
    aclrtStream stream;
    aclrtEvent done[STEPS];
    float *gradient, *result[2];
    void *workspace;
    uint64_t workspace_size;
};

struct team {
    int number;
    struct cell cell[STREAMS];
    struct hand_over other;
    float found[STREAMS][COUNT];
    const char *fault; /* the first call that failed */
};

#define CALL(expression)                              \
    do {                                              \
        if ((expression) != 0 && team->fault == NULL) \
            team->fault = #expression;                \
    } while (0)

static aclTensor *tensor_of(float *data)
{
    const int64_t shape[2] = {29, 53}, stride[2] = {53, 1};
    return aclCreateTensor(shape, 2, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, shape, 2, data);
}

static void *make_calls(void *argument)
{
    struct hand_over *call = (struct hand_over *)argument;
    aclrtSetDevice(0);
    pthread_mutex_lock(&call->lock);
    while (!call->is_over) {
        if (call->is_asked) {
            call->status = call->phase_2(call->workspace, call->size, call->executor, call->stream);
            call->is_asked = false;
            pthread_cond_broadcast(&call->changed);
        }
        pthread_cond_wait(&call->changed, &call->lock);
    }
    pthread_mutex_unlock(&call->lock);
    aclrtResetDevice(0);
    return NULL;
}

static aclnnStatus hand_over(struct hand_over *call)
{
    pthread_mutex_lock(&call->lock);
    call->is_asked = true;
    pthread_cond_broadcast(&call->changed);
    while (call->is_asked)
        pthread_cond_wait(&call->changed, &call->lock);
    aclnnStatus status = call->status;
    pthread_mutex_unlock(&call->lock);
    return status;
}

/* result = op(gradient, self, target) on the cell's stream, as step and place choose. */
static void run_step(struct team *team, struct cell *cell, int step, float *self, float *target,
                     float *result, bool elsewhere)
{
    aclTensor *gradient = tensor_of(cell->gradient), *x = tensor_of(self), *y = tensor_of(target),
              *out = tensor_of(result);
    float slope = 0.3f;
    aclScalar *scalar = aclCreateScalar(&slope, ACL_FLOAT);
    uint64_t size = 0;
    struct hand_over *call = &team->other;
    switch ((step + team->number) % 4) {
    case 0:
        CALL(aclnnHardswishBackwardGetWorkspaceSize(gradient, x, out, &size, &call->executor));
        call->phase_2 = aclnnHardswishBackward;
        break;
    case 1:
        CALL(aclnnSiluBackwardGetWorkspaceSize(gradient, x, out, &size, &call->executor));
        call->phase_2 = aclnnSiluBackward;
        break;
    case 2:
        CALL(
            aclnnSmoothL1LossBackwardGetWorkspaceSize(gradient, x, y, 0, 0.75f, out, &size, &call->executor));
        call->phase_2 = aclnnSmoothL1LossBackward;
        break;
    default:
        CALL(aclnnLeakyReluBackwardGetWorkspaceSize(gradient, x, scalar, false, out, &size, &call->executor));
        call->phase_2 = aclnnLeakyReluBackward;
        break;
    }
    if (size > cell->workspace_size) {
        CALL(aclrtMalloc(&cell->workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
        cell->workspace_size = size;
    }
    call->workspace = cell->workspace;
    call->size = size;
    call->stream = cell->stream;
    if (elsewhere)
        CALL(hand_over(call));
    else
        CALL(call->phase_2(cell->workspace, size, call->executor, cell->stream));
    CALL(aclDestroyTensor(gradient));
    CALL(aclDestroyTensor(x));
    CALL(aclDestroyTensor(y));
    CALL(aclDestroyTensor(out));
    CALL(aclDestroyScalar(scalar));
}

static void create_cells(struct team *team)
{
    for (int i = 0; i < STREAMS; i++) {
        struct cell *cell = &team->cell[i];
        CALL(aclrtCreateStream(&cell->stream));
        for (int step = 0; step < STEPS; step++)
            CALL(aclrtCreateEvent(&cell->done[step]));
        float values[COUNT];
        float **const buffers[3] = {&cell->gradient, &cell->result[0], &cell->result[1]};
        for (int b = 0; b < 3; b++) {
            for (int k = 0; k < COUNT; k++)
                values[k] = sinf((float)(team->number * 1000 + i * 100 + b * 10 + k)) * 4;
            CALL(aclrtMalloc((void **)buffers[b], sizeof values, ACL_MEM_MALLOC_HUGE_FIRST));
            CALL(aclrtMemcpy(*buffers[b], sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE));
        }
    }
}

static void destroy_cells(struct team *team)
{
    for (int i = 0; i < STREAMS; i++) {
        struct cell *cell = &team->cell[i];
        CALL(aclrtDestroyStream(cell->stream));
        for (int step = 0; step < STEPS; step++)
            CALL(aclrtDestroyEvent(cell->done[step]));
        CALL(aclrtFree(cell->gradient));
        CALL(aclrtFree(cell->result[0]));
        CALL(aclrtFree(cell->result[1]));
        if (cell->workspace != NULL)
            CALL(aclrtFree(cell->workspace));
        cell->workspace = NULL;
        cell->workspace_size = 0;
    }
}

/*
 * Step k of cell i reads the result of step k - 1 of itself and of its left neighbour and writes the buffer
 * that its right neighbour read in step k - 1: it waits for both neighbours' step k - 1.
 */
static void run_chains(struct team *team, bool at_once)
{
    create_cells(team);
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < STREAMS; i++) {
            struct cell *cell = &team->cell[i], *left = &team->cell[(i + STREAMS - 1) % STREAMS],
                        *right = &team->cell[(i + 1) % STREAMS];
            if (step > 0 && at_once) {
                CALL(aclrtStreamWaitEvent(cell->stream, left->done[step - 1]));
                CALL(aclrtStreamWaitEvent(cell->stream, right->done[step - 1]));
            }
            run_step(team, cell, step, cell->result[step % 2], left->result[step % 2],
                     cell->result[(step + 1) % 2], at_once && (step + i) % 2 == 0);
            CALL(aclrtRecordEvent(cell->done[step], cell->stream));
            if (!at_once)
                CALL(aclrtSynchronizeStream(cell->stream));
        }
    for (int i = 0; i < STREAMS; i++) {
        CALL(aclrtSynchronizeStream(team->cell[i].stream));
        CALL(aclrtMemcpy(team->found[i], sizeof team->found[i], team->cell[i].result[STEPS % 2],
                         sizeof team->found[i], ACL_MEMCPY_DEVICE_TO_HOST));
    }
    destroy_cells(team);
}

static void *run_team(void *argument)
{
    struct team *team = (struct team *)argument;
    pthread_t other;
    CALL(aclrtSetDevice(0));
    pthread_mutex_init(&team->other.lock, NULL);
    pthread_cond_init(&team->other.changed, NULL);
    CALL(pthread_create(&other, NULL, make_calls, &team->other));
    run_chains(team, true);
    pthread_mutex_lock(&team->other.lock);
    team->other.is_over = true;
    pthread_cond_broadcast(&team->other.changed);
    pthread_mutex_unlock(&team->other.lock);
    CALL(pthread_join(other, NULL));
    pthread_cond_destroy(&team->other.changed);
    pthread_mutex_destroy(&team->other.lock);
    CALL(aclrtResetDevice(0));
    return NULL;
}

static void chains_on_8_threads_and_128_streams_give_what_single_calls_give(void **state)
{
    (void)state;
    struct team *teams = (struct team *)calloc(THREADS, sizeof *teams);
    struct team *plain = (struct team *)calloc(1, sizeof *plain);
    pthread_t threads[THREADS];
    assert_non_null(teams);
    assert_non_null(plain);
    assert_int_equal(aclInit(NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        teams[i].number = i;
        assert_int_equal(pthread_create(&threads[i], NULL, run_team, &teams[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(aclrtSetDevice(0), 0);
    for (int i = 0; i < THREADS; i++) {
        if (teams[i].fault != NULL)
            fail_msg("thread %d: %s: %s", i, teams[i].fault, aclGetRecentErrMsg());
        memset(plain, 0, sizeof *plain);
        plain->number = i;
        run_chains(plain, false);
        assert_null(plain->fault);
        assert_memory_equal(teams[i].found, plain->found, sizeof plain->found);
    }
    printf("%d threads, %d streams, %d operators, every result as expected\n", THREADS, THREADS * STREAMS,
           THREADS * STREAMS * STEPS);
    assert_int_equal(aclrtResetDevice(0), 0);
    assert_int_equal(aclFinalize(), 0);
    free(teams);
    free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_on_8_threads_and_128_streams_give_what_single_calls_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
