/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Ranks of a communicator as processes and as threads, for tests of the mesh. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_HCCL_MESH_RANKS_H
#define BELAY_TESTS_HCCL_MESH_RANKS_H

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hccl/mesh.h"
#include "hccl/mesh_fault.h"

enum { RANKS_OF_TEST = 8, SECONDS_OF_RANK = 200, KILLED = -SIGKILL };

static const int64_t second = 1000000000;

/* What the ranks of one communicator share, in memory that processes share too. */
struct ranks {
    uint32_t count;
    atomic_int root_result; /* of mesh_describe_root, 100 before */
    HcclRootInfo root;
    atomic_uint steps[16]; /* for bodies to wait for each other */
    uint32_t joined_count; /* what joining says, where that is not count */
};

/* The line that went wrong, 0 for none; never NULL. */
typedef int rank_body(struct ranks *ranks, uint32_t rank);

/* For bodies: ends them with the line, and says what was wrong. */
#define RANK_CHECK(condition)                                                              \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: rank %u: %s\n", __FILE__, __LINE__, rank, #condition); \
            return __LINE__;                                                               \
        }                                                                                  \
    } while (0)

/* The same, with the sentence of a failure. */
#define RANK_RESULT(call, expected, fault)                                                      \
    do {                                                                                        \
        int result_of_call = (int)(call);                                                       \
        if (result_of_call != (int)(expected)) {                                                \
            fprintf(stderr, "%s:%d: rank %u: %s is %d (%s)\n", __FILE__, __LINE__, rank, #call, \
                    result_of_call, (fault)->sentence);                                         \
            return __LINE__;                                                                    \
        }                                                                                       \
    } while (0)

static inline void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* The n-th meeting point of all: returns when as many have come. */
static inline void meet(struct ranks *ranks, int step, uint32_t count)
{
    atomic_fetch_add(&ranks->steps[step], 1);
    while (atomic_load(&ranks->steps[step]) < count)
        sleep_ms(1);
}

/* Rank 0 makes the root info; all join. */
static inline HcclResult join_ranks(struct ranks *ranks, uint32_t rank, struct mesh **mesh,
                                    struct mesh_fault *fault)
{
    *mesh = NULL;
    fault->sentence[0] = '\0';
    if (rank == 0)
        atomic_store(&ranks->root_result, mesh_describe_root(&ranks->root, fault));
    while (atomic_load(&ranks->root_result) == 100)
        sleep_ms(1);
    if (atomic_load(&ranks->root_result) != 0)
        return HCCL_E_INTERNAL;
    return mesh_join(&ranks->root, ranks->count, rank, mesh, fault);
}

static inline struct ranks *ranks_create(uint32_t count)
{
    struct ranks *ranks =
        (struct ranks *)mmap(NULL, sizeof *ranks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(ranks != MAP_FAILED);
    ranks->count = count;
    atomic_store(&ranks->root_result, 100);
    return ranks;
}

/* Each rank is a process; a rank in `killed` (one bit each) is expected to end by SIGKILL. */
static inline void run_processes_killing(uint32_t count, rank_body *body, uint32_t killed)
{
    struct ranks *ranks = ranks_create(count);
    pid_t children[RANKS_OF_TEST];
    bool is_right = true;
    for (uint32_t rank = 0; rank < count; rank++) {
        children[rank] = fork();
        assert_true(children[rank] >= 0);
        if (children[rank] == 0) {
            alarm(SECONDS_OF_RANK);
            _exit(body(ranks, rank) != 0);
        }
    }
    for (uint32_t rank = 0; rank < count; rank++) {
        int status = 0;
        assert_int_equal(waitpid(children[rank], &status, 0), children[rank]);
        bool is_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        bool is_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if ((killed >> rank & 1) != 0 ? !is_killed : !is_well) {
            print_error("rank %u of %u ended with status %x\n", rank, count, (unsigned)status);
            is_right = false;
        }
    }
    munmap(ranks, sizeof *ranks);
    assert_true(is_right);
}

static inline void run_processes(uint32_t count, rank_body *body)
{
    run_processes_killing(count, body, 0);
}

struct rank_thread {
    pthread_t thread;
    struct ranks *ranks;
    uint32_t rank;
    rank_body *body;
    int line;
};

static inline void *run_rank_thread(void *argument)
{
    struct rank_thread *thread = (struct rank_thread *)argument;
    thread->line = thread->body(thread->ranks, thread->rank);
    return NULL;
}

/* Each rank is a thread of this process. */
static inline void run_threads(uint32_t count, rank_body *body)
{
    struct ranks *ranks = ranks_create(count);
    struct rank_thread threads[RANKS_OF_TEST];
    bool is_right = true;
    for (uint32_t rank = 0; rank < count; rank++) {
        threads[rank] = (struct rank_thread){.ranks = ranks, .rank = rank, .body = body};
        assert_int_equal(pthread_create(&threads[rank].thread, NULL, run_rank_thread, &threads[rank]), 0);
    }
    for (uint32_t rank = 0; rank < count; rank++) {
        pthread_join(threads[rank].thread, NULL);
        is_right = is_right && threads[rank].line == 0;
    }
    munmap(ranks, sizeof *ranks);
    assert_true(is_right);
}

/* The entries of a folder of /proc/self, as fd and task. */
static inline int count_entries(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return -1;
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

#endif
