/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Communicators of processes that share a rank table: where they meet, and what becomes of those that do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "hccl/mesh_ranks.h"
#include "hccl/rank_calls.h"

/* Made by the parent for its children. */
static char path[64];
static unsigned port;

static void write_table(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A socket of the loopback whose port is free; all ranks are told it. */
static int take_port(const char *host)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t length = sizeof at;
    char text[16];
    int taken;
    inet_pton(AF_INET, host, &at.sin_addr);
    do {
        taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        at.sin_port = 0;
        assert_int_equal(bind(taken, (struct sockaddr *)&at, sizeof at), 0);
        assert_int_equal(getsockname(taken, (struct sockaddr *)&at, &length), 0);
        port = ntohs(at.sin_port);
        if (port > 65520)
            close(taken);
    } while (port > 65520);
    snprintf(text, sizeof text, "%u", port);
    setenv("HCCL_IF_BASE_PORT", text, 1);
    return taken;
}

static void choose_port(void)
{
    close(take_port("127.0.0.1"));
}

static int add_ranks(uint32_t rank, uint32_t count, HcclComm comm)
{
    aclrtStream stream;
    int32_t *cell, value = 1 + (int32_t)rank;
    CALL(aclrtCreateStream(&stream));
    CALL(aclrtMalloc((void **)&cell, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtMemcpy(cell, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    CALL(HcclAllReduce(cell, cell, 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, stream));
    CALL(aclrtSynchronizeStream(stream));
    CALL(aclrtMemcpy(&value, 4, cell, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    RANK_CHECK(value == (int32_t)(count * (count + 1) / 2));
    CALL(aclrtFree(cell));
    CALL(aclrtDestroyStream(stream));
    return 0;
}

/* Twice, one behind the other: the second at the port of the first. */
static int join_and_add(struct ranks *ranks, uint32_t rank)
{
    HcclComm comms[2];
    uint32_t count, number;
    CALL(aclrtSetDevice(0));
    for (int i = 0; i < 2; i++) {
        if (rank == 0)
            sleep_ms(200); /* the others are there before */
        CALL(HcclCommInitClusterInfo(path, rank, &comms[i]));
        CALL(HcclGetRankSize(comms[i], &count));
        CALL(HcclGetRankId(comms[i], &number));
        RANK_CHECK(count == ranks->count && number == rank);
        RANK_CHECK(add_ranks(rank, count, comms[i]) == 0);
    }
    for (int i = 0; i < 2; i++)
        CALL(HcclCommDestroy(comms[i]));
    return 0;
}

static void processes_join_by_a_table(void **state)
{
    (void)state;
    choose_port();
    write_table("{\"status\":\"completed\",\"version\":\"1.0\",\"server_count\":\"2\",\"server_list\":["
                "{\"server_id\":\"127.0.0.1\",\"device\":[{\"device_id\":\"0\",\"device_ip\":\"192.168.1.8\","
                "\"rank_id\":\"1\"},{\"device_id\":\"1\",\"rank_id\":\"0\"}]},"
                "{\"server_id\":\"127.0.0.2\",\"device\":[{\"device_id\":\"0\",\"rank_id\":\"2\"}]}]}");
    run_processes(3, join_and_add);
}

/* One server alone is this host, whatever its name. */
static void a_server_without_an_address_is_this_host(void **state)
{
    (void)state;
    choose_port();
    write_table(
        "{\"server_list\":[{\"server_id\":\"node_0\",\"device\":[{\"rank_id\":0},{\"rank_id\":1}]}]}");
    run_processes(2, join_and_add);
}

static int find_the_port_taken(struct ranks *ranks, uint32_t rank)
{
    HcclComm comm;
    char text[80];
    (void)ranks;
    snprintf(text, sizeof text, "no socket can listen at 127.0.0.3:%u: ", port);
    CALL(aclrtSetDevice(0));
    CALL_FAILS(HcclCommInitClusterInfo(path, rank, &comm), HCCL_E_TCP_CONNECT, text);
    CALL_FAILS(HcclCommInitClusterInfo(path, rank, &comm), HCCL_E_TCP_CONNECT,
               "HCCL_IF_BASE_PORT chooses another");
    return 0;
}

static void the_address_of_the_container_goes_first(void **state)
{
    (void)state;
    static const char *const tables[] = {
        "{\"server_list\":[{\"server_id\":\"127.0.0.1\",\"host_ip\":\"127.0.0.2\",\"container_ip\":\"127.0.0."
        "3\","
        "\"device\":[{\"rank_id\":0},{\"rank_id\":1}]}]}",
        "{\"server_list\":[{\"device\":[{\"rank_id\":1}],\"server_id\":\"127.0.0.1\"},"
        "{\"device\":[{\"rank_id\":0}],\"host_ip\":\"127.0.0.3\",\"server_id\":\"127.0.0.2\","
        "\"container_ip\":\"none\"}]}",
    };
    int taken = take_port("127.0.0.3");
    assert_int_equal(listen(taken, 1), 0);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        write_table(tables[i]);
        run_processes(1, find_the_port_taken);
    }
    close(taken);
}

static int be_elsewhere(struct ranks *ranks, uint32_t rank)
{
    HcclComm comm;
    (void)ranks;
    CALL(aclrtSetDevice(0));
    CALL_FAILS(HcclCommInitClusterInfo(path, rank, &comm), HCCL_E_TCP_CONNECT,
               "no socket can listen at 192.0.2.1:");
    setenv("HCCL_IF_BASE_PORT", "80", 1);
    CALL_FAILS(HcclCommInitClusterInfo(path, rank, &comm), HCCL_E_PARA, "HCCL_IF_BASE_PORT is '80'");
    setenv("HCCL_HOST_SOCKET_PORT_RANGE", "here", 1);
    CALL_FAILS(HcclCommInitClusterInfo(path, rank, &comm), HCCL_E_PARA,
               "HCCL_HOST_SOCKET_PORT_RANGE is 'here'");
    return 0;
}

static void the_address_is_one_of_this_host(void **state)
{
    (void)state;
    choose_port();
    write_table(
        "{\"server_list\":[{\"server_id\":\"192.0.2.1\",\"device\":[{\"rank_id\":0},{\"rank_id\":1}]}]}");
    run_processes(1, be_elsewhere);
}

static int wait_for_rank_0(struct ranks *ranks, uint32_t rank)
{
    HcclComm comm;
    (void)ranks;
    CALL(aclrtSetDevice(0));
    setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
    CALL_FAILS(HcclCommInitClusterInfo(path, 1, &comm), HCCL_E_TIMEOUT,
               "rank 0 did not open the ranks' place at 127.");
    return 0;
}

/* Rank 1 has another table. */
static int differ(struct ranks *ranks, uint32_t rank)
{
    HcclComm comm;
    (void)ranks;
    CALL(aclrtSetDevice(0));
    setenv("HCCL_CONNECT_TIMEOUT", rank == 0 ? "1" : "2", 1);
    if (rank == 0)
        CALL_FAILS(HcclCommInitClusterInfo(path, 0, &comm), HCCL_E_TIMEOUT, "rank 1 of 2 did not come");
    strcat(path, ".other");
    if (rank == 1)
        CALL_FAILS(HcclCommInitClusterInfo(path, 1, &comm), HCCL_E_TIMEOUT,
                   "the same rank table and ports are expected");
    return 0;
}

static void ranks_that_do_not_meet_are_told(void **state)
{
    (void)state;
    char other[80];
    FILE *file;
    choose_port();
    write_table(
        "{\"server_list\":[{\"server_id\":\"127.0.0.1\",\"device\":[{\"rank_id\":0},{\"rank_id\":1}]}]}");
    run_processes(1, wait_for_rank_0);
    snprintf(other, sizeof other, "%s.other", path);
    file = fopen(other, "w");
    assert_non_null(file);
    fputs("{\"server_list\":[{\"server_id\":\"127.0.0.1\",\"device\":[{\"rank_id\":1},{\"rank_id\":0}]}]}",
          file);
    fclose(file);
    run_processes(2, differ);
    unlink(other);
}

int main(void)
{
    setenv("HCCL_EXEC_TIMEOUT", "60", 0);
    strcpy(path, "/tmp/belay_rank_table_XXXXXX");
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_join_by_a_table),
        cmocka_unit_test(a_server_without_an_address_is_this_host),
        cmocka_unit_test(the_address_of_the_container_goes_first),
        cmocka_unit_test(the_address_is_one_of_this_host),
        cmocka_unit_test(ranks_that_do_not_meet_are_told),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
