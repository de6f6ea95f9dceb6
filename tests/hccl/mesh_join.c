/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Making a mesh: ranks that do not come, come twice or count otherwise, root infos that were changed,
 * and strangers on every port.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hccl/gloo_library.h"
#include "hccl/mesh_ranks.h"
#include "hccl/root_info.h"
static bool is_closed_within(int socket, int ms)
{
    char byte;
    struct pollfd entry = {.fd = socket, .events = POLLIN};
    return poll(&entry, 1, ms) == 1 && recv(socket, &byte, 1, 0) <= 0;
}

/* Ranks 0 and 1 of 3 come; rank 2 does not. */
static int without_rank_2(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    int64_t before = monotonic_ns();
    setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
    ranks->count = 3;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_E_TIMEOUT, &fault);
    RANK_CHECK(mesh == NULL && fault.peer == 2 && strstr(fault.sentence, "rank 2 of 3 did not come") != NULL);
    RANK_CHECK(monotonic_ns() - before < 30 * second);
    return 0;
}

static int without_root(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    if (rank == 0) {
        RANK_RESULT(mesh_describe_root(&ranks->root, &fault), HCCL_SUCCESS, &fault);
        meet(ranks, 0, 2);
        raise(SIGKILL);
    }
    meet(ranks, 0, 2);
    RANK_RESULT(mesh_join(&ranks->root, 2, 1, &mesh, &fault), HCCL_E_TCP_CONNECT, &fault);
    return 0;
}

static int leaving(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    if (rank == 1 && fork() == 0) {
        sleep_ms(2000); /* by then it has come; who never came is not known to have gone */
        kill(getppid(), SIGKILL);
        _exit(0);
    }
    ranks->count = 4; /* the last one never comes */
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_E_REMOTE, &fault);
    RANK_CHECK(fault.peer == 1);
    return 0;
}

static void ranks_that_do_not_come_are_named(void **state)
{
    (void)state;
    run_processes(2, without_rank_2);
    run_processes_killing(2, without_root, 1);
    run_processes_killing(3, leaving, 2);
}

/* So many more files, and no others. */
static int allow_files(uint32_t rank, int count)
{
    const int next = dup(STDIN_FILENO);
    struct rlimit limit;
    RANK_CHECK(next >= 0 && close(next) == 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = (rlim_t)(next + count);
    RANK_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    return 0;
}

/* Rank 1 cannot open what it needs to speak to others. */
static int without_files(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
    if (rank == 1)
        RANK_CHECK(allow_files(rank, 0) == 0);
    HcclResult result = join_ranks(ranks, rank, &mesh, &fault);
    RANK_CHECK(result == (rank == 0 ? HCCL_E_TIMEOUT : HCCL_E_SYSCALL));
    RANK_CHECK(rank == 0 || strstr(fault.sentence, "too many open files") != NULL);
    return 0;
}

/* Rank 0 lets itself in at the place that it has made, and nobody else. */
static int without_files_for_others(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    const struct gloo_transport *transport;
    setenv("HCCL_CONNECT_TIMEOUT", "5", 1);
    RANK_CHECK(gloo_library_open(&transport, &fault) == HCCL_SUCCESS);
    /* Who listens, who is told to end, and both sides of its own visit. */
    if (rank == 0)
        RANK_CHECK(allow_files(rank, 4) == 0);
    else
        sleep_ms(500);
    HcclResult result = join_ranks(ranks, rank, &mesh, &fault);
    RANK_CHECK(result != HCCL_SUCCESS);
    RANK_CHECK(rank != 0 || (result == HCCL_E_TIMEOUT &&
                             strstr(fault.sentence, "too many open files to let all in") != NULL));
    return 0;
}

static void processes_without_files_are_told(void **state)
{
    (void)state;
    run_processes(2, without_files);
    run_processes(2, without_files_for_others);
}

static int other_count(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    if (rank == 0)
        atomic_store(&ranks->root_result, mesh_describe_root(&ranks->root, &fault));
    while (atomic_load(&ranks->root_result) == 100)
        sleep_ms(1);
    sleep_ms(rank == 0 ? 0 : 300);
    RANK_RESULT(mesh_join(&ranks->root, rank + 3, rank, &mesh, &fault), HCCL_E_PARA, &fault);
    RANK_CHECK(strstr(fault.sentence, "3") != NULL && strstr(fault.sentence, "4") != NULL);
    return 0;
}

static int both_rank_1(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    if (rank == 0) {
        atomic_store(&ranks->root_result, mesh_describe_root(&ranks->root, &fault));
    }
    while (atomic_load(&ranks->root_result) == 100)
        sleep_ms(1);
    sleep_ms(rank == 0 ? 0 : 300); /* who comes when it has failed is only refused */
    RANK_RESULT(mesh_join(&ranks->root, 4, rank == 0 ? 0 : 1, &mesh, &fault), HCCL_E_PARA, &fault);
    RANK_CHECK(fault.peer == 1 && strstr(fault.sentence, "rank 1 of 4") != NULL);
    return 0;
}

static void ranks_that_disagree_are_all_told(void **state)
{
    (void)state;
    run_processes(2, other_count);
    run_processes(3, both_rank_1);
}

static void wrong_root_infos_are_refused(void **state)
{
    (void)state;
    HcclRootInfo root, changed;
    struct mesh *mesh;
    struct mesh_fault fault;
    assert_int_equal(mesh_describe_root(&root, &fault), HCCL_SUCCESS);
    const struct {
        int at, length;
        const char *sentence;
    } changes[] = {{0, 1, "does not begin"},      {7, 1, "does not begin"},
                   {AT_VERSION, 1, "version"},    {AT_VERSION + 3, 1, "behind the version"},
                   {AT_FAMILY, 1, "address"},     {AT_FAMILY + 1, 1, "address"},
                   {AT_HOST + 4, 1, "address"},   {AT_END, 1, "behind the secret"},
                   {4107, 1, "behind the secret"}};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        changed = root;
        changed.internal[changes[i].at] = (char)(changed.internal[changes[i].at] + 1);
        for (uint32_t count = 1; count <= 2; count++) {
            assert_int_equal(mesh_join(&changed, count, 0, &mesh, &fault), HCCL_E_PARA);
            assert_non_null(strstr(fault.sentence, changes[i].sentence));
            assert_null(mesh);
        }
    }
    const struct {
        int at, length;
        const char *sentence;
    } zeros[] = {
        {AT_PORT, 2, "port"}, {AT_HOST, 16, "address"}, {AT_SECRET, 16, "secret"}, {0, 4108, "begin"}};
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        changed = root;
        memset(changed.internal + zeros[i].at, 0, (size_t)zeros[i].length);
        assert_int_equal(mesh_join(&changed, 2, 0, &mesh, &fault), HCCL_E_PARA);
        assert_non_null(strstr(fault.sentence, zeros[i].sentence));
    }
    changed = root; /* all hosts, many hosts */
    changed.internal[AT_HOST] = (char)224;
    assert_int_equal(mesh_join(&changed, 2, 0, &mesh, &fault), HCCL_E_PARA);
    changed = root; /* another secret: the place says nothing at all */
    changed.internal[AT_SECRET] = (char)(changed.internal[AT_SECRET] ^ 1);
    assert_int_equal(mesh_join(&changed, 2, 0, &mesh, &fault), HCCL_E_TCP_CONNECT);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t wrong[4][2] = {{0, 0}, {2, 2}, {1025, 0}, {2, UINT32_MAX}};
        assert_int_equal(mesh_join(&root, wrong[i][0], wrong[i][1], &mesh, &fault), HCCL_E_PARA);
    }
    assert_int_equal(mesh_join(&root, 1, 0, &mesh, &fault), HCCL_SUCCESS);
    mesh_close(mesh);
}

/* One after the other of all kinds. */
static void disturb(const HcclRootInfo *root, int *strangers, int count)
{
    static char noise[1 << 20];
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (char)(i * 7 + i / 256);
    for (int i = 0; i < count; i++) {
        strangers[i] = connect_to("127.0.0.1", port_of(root), NULL);
        struct pollfd entry = {.fd = strangers[i], .events = POLLOUT};
        poll(&entry, 1, 1000);
        if (i % 4 == 1)
            send(strangers[i], "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 35, MSG_NOSIGNAL);
        else if (i % 4 == 2)
            send(strangers[i], noise, 11, MSG_NOSIGNAL);
        else if (i % 4 == 3)
            send(strangers[i], noise, sizeof noise, MSG_NOSIGNAL);
    }
}

static int join_among_strangers(struct ranks *ranks, uint32_t rank)
{
    enum { CROWD = 200 };
    static int strangers[CROWD];
    struct mesh *mesh;
    struct mesh_fault fault;
    if (rank == 0) {
        RANK_RESULT(mesh_describe_root(&ranks->root, &fault), HCCL_SUCCESS, &fault);
        disturb(&ranks->root, strangers, CROWD);
        int descriptors = count_entries("/proc/self/fd"); /* those of the crowd here, and at most 64 there */
        RANK_CHECK(descriptors < CROWD + 64 + 16);
        for (int i = 1; i < CROWD; i += 2) /* who said too much has been seen off */
            RANK_CHECK(is_closed_within(strangers[i], 5000));
        atomic_store(&ranks->root_result, 0);
    }
    while (atomic_load(&ranks->root_result) == 100)
        sleep_ms(1);
    RANK_RESULT(mesh_join(&ranks->root, ranks->count, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    mesh_close(mesh);
    return 0;
}

/* A rank that comes later than a stranger's five seconds finds the place free of it. */
static int outstay(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    if (rank == 0) {
        int strangers[4];
        RANK_RESULT(mesh_describe_root(&ranks->root, &fault), HCCL_SUCCESS, &fault);
        disturb(&ranks->root, strangers, 4);
        RANK_CHECK(!is_closed_within(strangers[2], 2000)); /* the one that has sent a part */
        RANK_CHECK(is_closed_within(strangers[2], 20000));
        atomic_store(&ranks->root_result, 0);
    }
    while (atomic_load(&ranks->root_result) == 100)
        sleep_ms(1);
    RANK_RESULT(mesh_join(&ranks->root, ranks->count, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    mesh_close(mesh);
    return 0;
}

static void strangers_at_the_place_are_seen_off(void **state)
{
    (void)state;
    run_processes(3, join_among_strangers);
    run_processes(2, outstay);
}

/* The ports on which 127.0.0.2 listens, which is this test's alone. */
static int listening_ports(uint16_t *ports, int most)
{
    char line[256];
    int count = 0;
    FILE *table = fopen("/proc/net/tcp", "re");
    while (table != NULL && count < most && fgets(line, sizeof line, table) != NULL) {
        unsigned host, port, state;
        if (sscanf(line, " %*d: %8X:%4X %*8X:%*4X %2X", &host, &port, &state) == 3 && state == 0x0a &&
            host == htonl(0x7f000002))
            ports[count++] = (uint16_t)port;
    }
    if (table != NULL)
        fclose(table);
    return count;
}

enum { MESHES_AMONG_STRANGERS = 15, OTHER_RANKS = 3 };

/* Rank 3 is no rank: it writes noise to every port that opens, from another address. The ranks go on until it
 * has seen one. */
enum { STEP_OVER = 1, STEP_SEEN = 2, STEP_ENOUGH = 3 };

static int disturb_pairs(struct ranks *ranks, uint32_t rank)
{
    static char noise[1 << 16];
    unsigned seen = 0;
    memset(noise, 0x5a, sizeof noise);
    while (atomic_load(&ranks->steps[STEP_OVER]) < OTHER_RANKS) {
        uint16_t ports[256];
        int count = listening_ports(ports, 256), sockets[256];
        seen += (unsigned)count;
        if (count > 0)
            atomic_store(&ranks->steps[STEP_SEEN], 1);
        for (int i = 0; i < count; i++)
            sockets[i] = connect_to("127.0.0.2", ports[i], "127.0.0.9");
        for (int i = 0; i < count; i++) {
            send(sockets[i], noise, sizeof noise, MSG_NOSIGNAL);
            close(sockets[i]);
        }
    }
    RANK_CHECK(seen > 0);
    return 0;
}

static int join_disturbed(struct ranks *ranks, uint32_t rank)
{
    if (rank == OTHER_RANKS)
        return disturb_pairs(ranks, rank);
    setenv("HCCL_IF_IP", "127.0.0.2", 1);
    ranks->count = OTHER_RANKS;
    for (uint32_t i = 0; i < 20 * MESHES_AMONG_STRANGERS; i++) {
        struct mesh *mesh;
        struct mesh_fault fault;
        meet(ranks, 0, OTHER_RANKS * (2 * i + 1));
        atomic_store(&ranks->root_result, 100);
        if (rank == 0 && i >= MESHES_AMONG_STRANGERS && atomic_load(&ranks->steps[STEP_SEEN]) > 0)
            atomic_store(&ranks->steps[STEP_ENOUGH], 1);
        meet(ranks, 0, OTHER_RANKS * (2 * i + 2));
        if (atomic_load(&ranks->steps[STEP_ENOUGH]) > 0)
            break;
        RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
        mesh_close(mesh);
    }
    atomic_fetch_add(&ranks->steps[STEP_OVER], 1);
    return 0;
}

static void strangers_do_not_reach_the_pairs(void **state)
{
    (void)state;
    run_processes(OTHER_RANKS + 1, join_disturbed);
}

int main(void)
{
    unset_variables();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_that_do_not_come_are_named),
        cmocka_unit_test(processes_without_files_are_told),
        cmocka_unit_test(ranks_that_disagree_are_all_told),
        cmocka_unit_test(strangers_at_the_place_are_seen_off),
        cmocka_unit_test(strangers_do_not_reach_the_pairs),
        /* This leaves threads behind, so that no other test may fork after it. */
        cmocka_unit_test(wrong_root_infos_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
