/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A mesh whose ranks are killed, fall silent, give up or do not agree: every exchange ends in time, with the
 * code and the rank that it is about, and nobody else's process ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hccl/mesh_ranks.h"

enum { LARGE = 32 << 20 };

/* One message of so many bytes to each rank and one from each. The memory is the process's. */
static HcclResult exchange(struct mesh *mesh, uint32_t rank, uint32_t count, uint64_t tag, size_t bytes,
                           int64_t deadline, struct mesh_fault *fault)
{
    static unsigned char sent[LARGE], received[RANKS_OF_TEST][LARGE];
    struct mesh_message messages[2 * RANKS_OF_TEST];
    size_t used = 0;
    for (uint32_t peer = 0; peer < count; peer++) {
        if (peer == rank)
            continue;
        messages[used++] = (struct mesh_message){.data = sent, .bytes = bytes, .peer = peer};
        messages[used++] =
            (struct mesh_message){.data = received[peer], .bytes = bytes, .peer = peer, .receives = true};
    }
    return mesh_exchange(mesh, tag, messages, used, deadline, fault);
}

/* It was rank 1 of 4 that was killed, whoever asks and whenever. */
static int expect_loss(struct mesh *mesh, uint32_t rank, size_t bytes)
{
    struct mesh_fault fault;
    int64_t before = monotonic_ns();
    RANK_RESULT(exchange(mesh, rank, 4, 5, bytes, before + 30 * second, &fault), HCCL_E_REMOTE, &fault);
    RANK_CHECK(fault.peer == 1 && strstr(fault.sentence, "rank 1") != NULL);
    RANK_CHECK(monotonic_ns() - before < 25 * second);
    before = monotonic_ns();
    RANK_RESULT(exchange(mesh, rank, 4, 6, bytes, INT64_MAX, &fault), HCCL_E_REMOTE, &fault);
    RANK_CHECK(fault.peer == 1 && monotonic_ns() - before < 10 * second);
    return 0;
}

static int killed_before(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    meet(ranks, 0, 4);
    if (rank == 1)
        raise(SIGKILL);
    sleep_ms(100);
    RANK_CHECK(expect_loss(mesh, rank, 100000) == 0);
    meet(ranks, 1, 3);
    mesh_close(mesh);
    return 0;
}

static int killed_during(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    if (rank == 1) { /* what the others send does not fit the connection; what they wait for does not come */
        unsigned char part[200000] = {0};
        struct mesh_message message = {.data = part, .bytes = sizeof part, .peer = 0};
        mesh_exchange(mesh, 4, &message, 1, monotonic_ns() + second / 5, &fault);
        raise(SIGKILL);
    }
    RANK_CHECK(expect_loss(mesh, rank, LARGE / 4) == 0);
    meet(ranks, 1, 3);
    mesh_close(mesh);
    return 0;
}

/* In the midst of a message, which then never ends. */
static int killed_in_message(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    meet(ranks, 0, 4);
    if (rank == 1 && fork() == 0) {
        sleep_ms(15);
        kill(getppid(), SIGKILL);
        _exit(0);
    }
    HcclResult result = HCCL_SUCCESS;
    for (uint64_t i = 0; i < 1000 && result == HCCL_SUCCESS; i++)
        result = exchange(mesh, rank, 4, i, LARGE, monotonic_ns() + 30 * second, &fault);
    RANK_RESULT(result, HCCL_E_REMOTE, &fault);
    mesh_close(mesh);
    return 0;
}

static int killed_after(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    RANK_RESULT(exchange(mesh, rank, 4, 1, 1000, monotonic_ns() + 30 * second, &fault), HCCL_SUCCESS, &fault);
    meet(ranks, 0, 4);
    if (rank == 1)
        raise(SIGKILL);
    sleep_ms(50);
    mesh_close(mesh);
    return 0;
}

static void a_killed_rank_is_named(void **state)
{
    (void)state;
    run_processes_killing(4, killed_before, 2);
    run_processes_killing(4, killed_during, 2);
    run_processes_killing(4, killed_in_message, 2);
    run_processes_killing(4, killed_after, 2);
}

static int silent_rank(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    if (rank != 1) {
        int64_t before = monotonic_ns();
        RANK_RESULT(exchange(mesh, rank, 3, 5, 100000, before + second, &fault), HCCL_E_TIMEOUT, &fault);
        RANK_CHECK(fault.peer == 1 && strstr(fault.sentence, "rank 1") != NULL);
        RANK_CHECK(monotonic_ns() - before >= second && monotonic_ns() - before < 30 * second);
        RANK_RESULT(exchange(mesh, rank, 3, 6, 1, INT64_MAX, &fault), HCCL_E_TIMEOUT, &fault);
    }
    meet(ranks, 0, 3);
    if (rank == 1) /* the others have given up */
        RANK_RESULT(exchange(mesh, rank, 3, 5, 100000, monotonic_ns() + 30 * second, &fault), HCCL_E_REMOTE,
                    &fault);
    meet(ranks, 1, 3);
    mesh_close(mesh);
    return 0;
}

static void a_silent_rank_is_waited_for_until_the_deadline(void **state)
{
    (void)state;
    run_processes(3, silent_rank);
}

static int late_rank(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    if (rank == 1)
        sleep_ms(700);
    RANK_RESULT(exchange(mesh, rank, 3, 5, 1 << 20, INT64_MAX, &fault), HCCL_SUCCESS, &fault);
    mesh_close(mesh);
    return 0;
}

static void a_late_rank_is_waited_for(void **state)
{
    (void)state;
    run_processes(3, late_rank);
}

static void *cancel_soon(void *argument)
{
    sleep_ms(200);
    mesh_cancel((struct mesh *)argument);
    return NULL;
}

static int cancelled(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    pthread_t thread;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    if (rank == 0) {
        int64_t before = monotonic_ns();
        RANK_CHECK(pthread_create(&thread, NULL, cancel_soon, mesh) == 0);
        RANK_RESULT(exchange(mesh, rank, 2, 5, LARGE, INT64_MAX, &fault), HCCL_E_SUSPENDING, &fault);
        RANK_CHECK(monotonic_ns() - before < 30 * second);
        pthread_join(thread, NULL);
        RANK_RESULT(exchange(mesh, rank, 2, 6, 100, INT64_MAX, &fault), HCCL_E_SUSPENDING, &fault);
    }
    meet(ranks, 0, 2);
    if (rank == 1) /* it has closed the connections, too */
        RANK_RESULT(exchange(mesh, rank, 2, 5, LARGE, INT64_MAX, &fault), HCCL_E_REMOTE, &fault);
    mesh_close(mesh);
    return 0;
}

static int cancelled_before(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    mesh_cancel(mesh);
    mesh_cancel(mesh);
    RANK_RESULT(exchange(mesh, rank, 2, 6, 100, INT64_MAX, &fault), HCCL_E_SUSPENDING, &fault);
    RANK_RESULT(exchange(mesh, rank, 2, 6, 0, INT64_MAX, &fault), HCCL_E_SUSPENDING, &fault);
    mesh_close(mesh);
    return 0;
}

/* The exchange of one thread fails; that of the other ends with it. */
static void *exchange_forever(void *argument)
{
    static unsigned char byte;
    struct mesh_fault fault;
    struct mesh_message message = {.data = &byte, .bytes = 1, .peer = 2, .receives = true};
    return (void *)(intptr_t)mesh_exchange((struct mesh *)argument, 77, &message, 1, INT64_MAX, &fault);
}

static int failing_together(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    if (rank == 0) {
        static unsigned char byte;
        pthread_t thread;
        void *result;
        struct mesh_message message = {.data = &byte, .bytes = 1, .peer = 1, .receives = true};
        RANK_CHECK(pthread_create(&thread, NULL, exchange_forever, mesh) == 0);
        sleep_ms(100);
        RANK_RESULT(mesh_exchange(mesh, 5, &message, 1, monotonic_ns() + second / 2, &fault), HCCL_E_TIMEOUT,
                    &fault);
        pthread_join(thread, &result);
        RANK_CHECK((intptr_t)result == HCCL_E_TIMEOUT);
    }
    meet(ranks, 0, 3);
    mesh_close(mesh);
    return 0;
}

/* Rank 1 is done with rank 0, and goes; rank 0 still waits for rank 2. */
static int leaving_rank(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    unsigned char sent = (unsigned char)rank, received[3] = {9, 9, 9};
    struct mesh_message messages[] = {{.data = &received[2], .bytes = 1, .peer = 2, .receives = true},
                                      {.data = &received[1], .bytes = 1, .peer = 1, .receives = true},
                                      {.data = &sent, .bytes = 1, .peer = 1}};
    struct mesh_message to_0 = {.data = &sent, .bytes = 1, .peer = 0};
    struct mesh_message from_0 = {.data = &received[0], .bytes = 1, .peer = 0, .receives = true};
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    if (rank == 0) {
        RANK_RESULT(mesh_exchange(mesh, 4, messages, 3, monotonic_ns() + 30 * second, &fault), HCCL_SUCCESS,
                    &fault);
        RANK_CHECK(received[1] == 1 && received[2] == 2);
    } else if (rank == 1) {
        RANK_RESULT(mesh_exchange(mesh, 4, &to_0, 1, monotonic_ns() + 30 * second, &fault), HCCL_SUCCESS,
                    &fault);
        RANK_RESULT(mesh_exchange(mesh, 4, &from_0, 1, monotonic_ns() + 30 * second, &fault), HCCL_SUCCESS,
                    &fault);
        RANK_CHECK(received[0] == 0);
    } else {
        sleep_ms(500); /* some looks at the connections */
        RANK_RESULT(mesh_exchange(mesh, 4, &to_0, 1, monotonic_ns() + 30 * second, &fault), HCCL_SUCCESS,
                    &fault);
    }
    mesh_close(mesh);
    return 0;
}

static void what_came_before_a_rank_went_counts(void **state)
{
    (void)state;
    run_processes(3, leaving_rank);
}

static void cancelling_ends_every_wait(void **state)
{
    (void)state;
    run_processes(2, cancelled);
    run_processes(2, cancelled_before);
    run_processes(3, failing_together);
}

static int wrong_message(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    char byte = 0;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    struct mesh_message message = {.data = &byte, .bytes = 1, .peer = rank};
    RANK_RESULT(mesh_exchange(mesh, 5, &message, 1, INT64_MAX, &fault), HCCL_E_INTERNAL, &fault);
    message.peer = 2;
    RANK_RESULT(mesh_exchange(mesh, 5, &message, 1, INT64_MAX, &fault), HCCL_E_INTERNAL, &fault);
    message.peer = 1 - rank;
    RANK_RESULT(mesh_exchange(mesh, INT64_MAX, &message, 1, INT64_MAX, &fault), HCCL_E_INTERNAL, &fault);
    RANK_RESULT(exchange(mesh, rank, 2, INT64_MAX - 1, 10, INT64_MAX, &fault), HCCL_SUCCESS, &fault);
    mesh_close(mesh);
    return 0;
}

static void wrong_messages_are_refused(void **state)
{
    (void)state;
    run_processes(2, wrong_message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_rank_is_named),
        cmocka_unit_test(a_silent_rank_is_waited_for_until_the_deadline),
        cmocka_unit_test(a_late_rank_is_waited_for),
        cmocka_unit_test(what_came_before_a_rank_went_counts),
        cmocka_unit_test(cancelling_ends_every_wait),
        cmocka_unit_test(wrong_messages_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
