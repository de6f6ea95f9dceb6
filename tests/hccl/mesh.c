/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Exchanges of a mesh: what is sent arrives, whole and at its place, between 2 to 8 ranks, as processes and
 * as threads, of all sizes, in several exchanges at a time; and nothing is left of a mesh that is closed.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "hccl/mesh_ranks.h"
#include "support/sanitizer.h"

/* Bytes that tell sender, receiver, place and exchange apart. */
static unsigned char byte_of(uint32_t from, uint32_t to, size_t at, uint64_t tag)
{
    return (unsigned char)(from * 31 + to * 7 + at * 13 + (at >> 8) * 3 + (at >> 16) + tag * 5 + 1);
}

struct traffic {
    unsigned char *data[2 * RANKS_OF_TEST];
    struct mesh_message messages[2 * RANKS_OF_TEST];
    size_t count;
};

static bool open_traffic(struct traffic *traffic, uint32_t rank, uint32_t count, uint64_t tag, size_t bytes)
{
    traffic->count = 0;
    for (uint32_t peer = 0; peer < count; peer++) {
        if (peer == rank)
            continue;
        for (int receives = 0; receives < 2; receives++) {
            unsigned char *data = (unsigned char *)calloc(bytes + 2, 1);
            if (data == NULL)
                return false;
            for (size_t i = 0; i < bytes && !receives; i++)
                data[i + 1] = byte_of(rank, peer, i, tag);
            traffic->data[traffic->count] = data;
            traffic->messages[traffic->count++] =
                (struct mesh_message){.data = data + 1, .bytes = bytes, .peer = peer, .receives = receives};
        }
    }
    return true;
}

/* Everything has arrived, and nothing besides it. */
static bool close_traffic(struct traffic *traffic, uint32_t rank, uint64_t tag)
{
    bool is_right = true;
    for (size_t m = 0; m < traffic->count; m++) {
        const struct mesh_message *message = &traffic->messages[m];
        const unsigned char *data = traffic->data[m];
        for (size_t i = 0; i < message->bytes && message->receives; i++)
            is_right = is_right && data[i + 1] == byte_of(message->peer, rank, i, tag);
        is_right = is_right && data[0] == 0 && data[message->bytes + 1] == 0;
        free(traffic->data[m]);
    }
    return is_right;
}

static int exchange_all(struct mesh *mesh, uint32_t rank, uint32_t count, uint64_t tag, size_t bytes)
{
    struct traffic traffic;
    struct mesh_fault fault;
    RANK_CHECK(open_traffic(&traffic, rank, count, tag, bytes));
    RANK_RESULT(
        mesh_exchange(mesh, tag, traffic.messages, traffic.count, monotonic_ns() + 60 * second, &fault),
        HCCL_SUCCESS, &fault);
    RANK_CHECK(close_traffic(&traffic, rank, tag));
    return 0;
}

static const size_t sizes[] = {0, 1, 7, 65536, 262143, 262144, 262145, 1000003, 4 << 20};

static int exchange_sizes(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        RANK_CHECK(exchange_all(mesh, rank, ranks->count, (i + 1) << 12, sizes[i]) == 0);
    mesh_close(mesh);
    return 0;
}

static void all_sizes_arrive_between_processes(void **state)
{
    (void)state;
    for (uint32_t count = 2; count <= RANKS_OF_TEST; count = count < 4 ? count + 1 : count * 2)
        run_processes(count, exchange_sizes);
}

/* As in a container that does not let its processes read one another. */
static bool forbid_reading(void)
{
    struct sock_filter code[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_process_vm_readv},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static int exchange_without_reading(struct ranks *ranks, uint32_t rank)
{
    RANK_CHECK(rank == 0 || forbid_reading());
    return exchange_sizes(ranks, rank);
}

/* Of a process that has been copied from another one that other one is taken for a rank's, if it says so: it
 * has the same things at the same addresses, but for what the ranks have just drawn. */
static bool names_another_process;
pid_t getpid(void)
{
    return names_another_process ? getppid() : (pid_t)syscall(SYS_getpid);
}

static int exchange_under_another_name(struct ranks *ranks, uint32_t rank)
{
    names_another_process = rank == 1;
    return exchange_sizes(ranks, rank);
}

static void nobody_reads_a_process_that_takes_no_part(void **state)
{
    (void)state;
    run_processes(2, exchange_under_another_name);
}

static void all_sizes_arrive_where_memory_is_not_read(void **state)
{
    (void)state;
    run_processes(2, exchange_without_reading);
    run_processes(4, exchange_without_reading);
}

static void all_sizes_arrive_between_threads(void **state)
{
    (void)state;
    run_threads(2, exchange_sizes);
    run_threads(5, exchange_sizes);
}

static int exchange_large(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    RANK_CHECK(exchange_all(mesh, rank, ranks->count, 1, (size_t)64 << 20) == 0);
    mesh_close(mesh);
    return 0;
}

static void large_messages_arrive(void **state)
{
    (void)state;
    run_processes(2, exchange_large);
}

enum { THREADS = 4, ROUNDS_OF_THREAD = 25 };

struct sharer {
    pthread_t thread;
    struct mesh *mesh;
    uint32_t rank, count, number;
    int line;
};

static void *share_mesh(void *argument)
{
    struct sharer *sharer = (struct sharer *)argument;
    for (uint64_t i = 0; i < ROUNDS_OF_THREAD && sharer->line == 0; i++)
        sharer->line =
            exchange_all(sharer->mesh, sharer->rank, sharer->count, (i * THREADS + sharer->number) << 12,
                         (size_t)(i * 1999 * (sharer->number + 1)));
    return NULL;
}

static int exchange_in_threads(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    struct sharer sharers[THREADS];
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    for (uint32_t i = 0; i < THREADS; i++) {
        sharers[i] = (struct sharer){.mesh = mesh, .rank = rank, .count = ranks->count, .number = i};
        RANK_CHECK(pthread_create(&sharers[i].thread, NULL, share_mesh, &sharers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(sharers[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        RANK_CHECK(sharers[i].line == 0);
    mesh_close(mesh);
    return 0;
}

static void threads_share_a_mesh(void **state)
{
    (void)state;
    run_processes(2, exchange_in_threads);
    run_processes(4, exchange_in_threads);
    run_threads(3, exchange_in_threads);
}

/* Two messages of different sizes to one peer under one tag are taken in the order of the list. */
static int exchange_in_order(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    enum { LONG = 300000 };
    static _Thread_local unsigned char sent[3][LONG], received[3][LONG];
    const size_t bytes[3] = {LONG, 5, LONG - 1};
    struct mesh_message messages[6];
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    for (uint32_t i = 0; i < 3; i++) {
        for (size_t at = 0; at < bytes[i]; at++)
            sent[i][at] = byte_of(i, rank, at, 0);
        messages[2 * i] = (struct mesh_message){.data = sent[i], .bytes = bytes[i], .peer = 1 - rank};
        messages[2 * i + 1] =
            (struct mesh_message){.data = received[i], .bytes = bytes[i], .peer = 1 - rank, .receives = true};
    }
    RANK_RESULT(mesh_exchange(mesh, 9, messages, 6, monotonic_ns() + 20 * second, &fault), HCCL_SUCCESS,
                &fault);
    for (uint32_t i = 0; i < 3; i++)
        for (size_t at = 0; at < bytes[i]; at++)
            RANK_CHECK(received[i][at] == byte_of(i, 1 - rank, at, 0));
    mesh_close(mesh);
    return 0;
}

static void messages_under_one_tag_keep_their_order(void **state)
{
    (void)state;
    run_processes(2, exchange_in_order);
}

/* What two ranks have both is moved, and a head whatever the lengths. */
static int exchange_heads(struct ranks *ranks, uint32_t rank)
{
    static const size_t lengths[][2] = {
        {0, 0}, {10, 11}, {11, 10}, {0, MESH_SHORT_BYTES}, {9000, 0}, {MESH_SHORT_BYTES, MESH_SHORT_BYTES}};
    static _Thread_local unsigned char sent[MESH_SHORT_BYTES], received[MESH_SHORT_BYTES];
    struct mesh *mesh;
    struct mesh_fault fault;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    for (uint64_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const size_t own = lengths[i][rank], other = lengths[i][1 - rank], both = own < other ? own : other;
        unsigned char head[MESH_HEAD_BYTES], other_head[MESH_HEAD_BYTES] = {0};
        memset(head, (int)(i + 17 * rank + 1), sizeof head);
        memset(received, 0, sizeof received);
        for (size_t at = 0; at < own; at++)
            sent[at] = byte_of(rank, 1 - rank, at, i);
        const struct mesh_message messages[] = {
            {.data = received, .bytes = own, .peer = 1 - rank, .receives = true, .head = other_head},
            {.data = sent, .bytes = own, .peer = 1 - rank, .head = head}};
        RANK_RESULT(mesh_exchange(mesh, i, messages, 2, monotonic_ns() + 20 * second, &fault), HCCL_SUCCESS,
                    &fault);
        for (size_t at = 0; at < sizeof head; at++)
            RANK_CHECK(other_head[at] == i + 17 * (1 - rank) + 1);
        for (size_t at = 0; at < both; at++)
            RANK_CHECK(received[at] == byte_of(1 - rank, rank, at, i));
        for (size_t at = both; at < sizeof received; at++)
            RANK_CHECK(received[at] == 0);
    }
    unsigned char head[MESH_HEAD_BYTES] = {0};
    struct mesh_message message = {
        .data = sent, .bytes = MESH_SHORT_BYTES + 1, .peer = 1 - rank, .head = head};
    RANK_RESULT(mesh_exchange(mesh, 99, &message, 1, INT64_MAX, &fault), HCCL_E_INTERNAL, &fault);
    mesh_close(mesh);
    return 0;
}

static void messages_with_heads_may_differ_in_length(void **state)
{
    (void)state;
    run_processes(2, exchange_heads);
}

static void *do_nothing(void *unused)
{
    return unused;
}

static void one_rank_opens_nothing(void **state)
{
    (void)state;
    pthread_t thread; /* a sanitizer's own thread comes with the program's first, and stays */
    assert_int_equal(pthread_create(&thread, NULL, do_nothing, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    HcclRootInfo root;
    struct mesh *mesh;
    struct mesh_fault fault;
    int descriptors = count_entries("/proc/self/fd"), threads = count_entries("/proc/self/task");
    assert_int_equal(mesh_describe_root(&root, &fault), HCCL_SUCCESS);
    assert_int_equal(mesh_join(&root, 1, 0, &mesh, &fault), HCCL_SUCCESS);
    assert_int_equal(mesh_exchange(mesh, 1, NULL, 0, INT64_MAX, &fault), HCCL_SUCCESS);
    for (int i = 0; i < 20000 && count_entries("/proc/self/fd") != descriptors; i++)
        sleep_ms(1); /* the thread of the root's place ends */
    assert_int_equal(count_entries("/proc/self/fd"), descriptors);
    for (int i = 0; i < 20000 && count_entries("/proc/self/task") != threads; i++)
        sleep_ms(1);
    assert_int_equal(count_entries("/proc/self/task"), threads);
    mesh_close(mesh);
}

static int make_many(struct ranks *ranks, uint32_t rank)
{
    enum { MESHES = 20 };
    int descriptors = 0, threads = 0;
    for (int time = 0; time < 2; time++) {
        struct mesh *meshes[MESHES];
        struct mesh_fault fault;
        for (int i = 0; i < MESHES; i++) {
            meet(ranks, 0, ranks->count * (uint32_t)(2 * (time * MESHES + i) + 1));
            atomic_store(&ranks->root_result, 100);
            meet(ranks, 0, ranks->count * (uint32_t)(2 * (time * MESHES + i) + 2));
            RANK_RESULT(join_ranks(ranks, rank, &meshes[i], &fault), HCCL_SUCCESS, &fault);
        }
        for (int i = 0; i < MESHES; i++)
            RANK_CHECK(exchange_all(meshes[MESHES - 1 - i], rank, ranks->count, 7, 10000) == 0);
        meet(ranks, 1, ranks->count * (uint32_t)(time + 1));
        for (int i = 0; i < MESHES; i++)
            mesh_close(meshes[i]);
        if (time == 0) {                              /* libraries are open now */
            threads = UNDER_THREAD_SANITIZER ? 4 : 3; /* with "." and ".." */
            for (int i = 0; i < 20000 && count_entries("/proc/self/task") != threads; i++)
                sleep_ms(1);
            RANK_CHECK(count_entries("/proc/self/task") == threads);
            descriptors = count_entries("/proc/self/fd");
        }
    }
    for (int i = 0; i < 20000 && count_entries("/proc/self/task") != threads; i++)
        sleep_ms(1);
    RANK_CHECK(count_entries("/proc/self/task") == threads);
    RANK_CHECK(count_entries("/proc/self/fd") == descriptors);
    return 0;
}

static void many_meshes_leave_nothing(void **state)
{
    (void)state;
    run_processes(3, make_many);
}

/* Whoever this process executes inherits none of the sockets. */
static int look_at_descriptors(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    char command[] = "for f in /proc/self/fd/*; do readlink $f; done | grep -c -e socket: -e eventfd";
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    FILE *child = popen(command, "r");
    int count = -1;
    RANK_CHECK(child != NULL && fscanf(child, "%d", &count) == 1);
    pclose(child);
    RANK_CHECK(count == 0);
    meet(ranks, 0, ranks->count);
    mesh_close(mesh);
    return 0;
}

static void sockets_close_on_exec(void **state)
{
    (void)state;
    run_processes(3, look_at_descriptors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rank_opens_nothing),
        cmocka_unit_test(all_sizes_arrive_between_processes),
        cmocka_unit_test(large_messages_arrive),
        cmocka_unit_test(threads_share_a_mesh),
        cmocka_unit_test(messages_under_one_tag_keep_their_order),
        cmocka_unit_test(messages_with_heads_may_differ_in_length),
        cmocka_unit_test(many_meshes_leave_nothing),
        cmocka_unit_test(sockets_close_on_exec),
        /* Last: the others fork, which a process with threads must not. */
        cmocka_unit_test(all_sizes_arrive_where_memory_is_not_read),
        cmocka_unit_test(nobody_reads_a_process_that_takes_no_part),
        cmocka_unit_test(all_sizes_arrive_between_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
