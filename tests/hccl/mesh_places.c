/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where a mesh is made: what the environment says about addresses, ports, hosts and times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "hccl/mesh_ranks.h"
#include "hccl/root_info.h"

/* Tells the result and the sentence of describing with variables set, in a process that has none of them. */
static void describe_with(const char *const variables[][2], HcclResult expected, const char *sentence,
                          bool (*judge)(const HcclRootInfo *root))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        HcclRootInfo root;
        struct mesh_fault fault = {.sentence = ""};
        for (size_t i = 0; variables[i][0] != NULL; i++)
            setenv(variables[i][0], variables[i][1], 1);
        HcclResult result = mesh_describe_root(&root, &fault);
        bool is_right =
            result == expected && strstr(fault.sentence, sentence) != NULL && (judge == NULL || judge(&root));
        if (!is_right)
            fprintf(stderr, "%s=%s: %d (%s)\n", variables[0][0], variables[0][1], result, fault.sentence);
        _exit(is_right ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#define WITH(...) ((const char *const[][2]){__VA_ARGS__, {NULL, NULL}})

static bool is_at(const HcclRootInfo *root, const char *host)
{
    unsigned char address[16] = {0};
    bool is_6 = strchr(host, ':') != NULL;
    inet_pton(is_6 ? AF_INET6 : AF_INET, host, address);
    return root->internal[AT_FAMILY] == (is_6 ? 6 : 4) &&
           memcmp(root->internal + AT_HOST, address, sizeof address) == 0;
}

static bool is_at_loopback(const HcclRootInfo *root)
{
    return is_at(root, "127.0.0.1");
}

static bool is_at_second(const HcclRootInfo *root)
{
    return is_at(root, "127.0.0.2");
}

static bool has_port_61003(const HcclRootInfo *root)
{
    return port_of(root) == 61003;
}

static bool has_port_of_range(const HcclRootInfo *root)
{
    return port_of(root) >= 61100 && port_of(root) < 61116;
}

static void the_environment_chooses_address_and_port(void **state)
{
    (void)state;
    describe_with(WITH({"TZ", ""}), HCCL_SUCCESS, "", is_at_loopback);
    describe_with(WITH({"MASTER_ADDR", "127.0.0.1"}), HCCL_SUCCESS, "", is_at_loopback);
    describe_with(WITH({"MASTER_ADDR", "localhost"}), HCCL_SUCCESS, "", NULL);
    describe_with(WITH({"MASTER_ADDR", "no such host"}), HCCL_SUCCESS, "", is_at_loopback);
    describe_with(WITH({"HCCL_IF_IP", "127.0.0.2"}), HCCL_SUCCESS, "", is_at_second);
    describe_with(WITH({"HCCL_IF_IP", "127.0.0.2"}, {"HCCL_SOCKET_IFNAME", "lo"}), HCCL_SUCCESS, "",
                  is_at_second);
    describe_with(WITH({"HCCL_IF_IP", "192.0.2.1"}), HCCL_E_TCP_CONNECT, "192.0.2.1", NULL); /* nobody's */
    static const char *const bad[] = {"0.0.0.0",          "::",   "224.0.0.1", "fe80::1",    "ff02::1",
                                      "::ffff:127.0.0.1", "host", "1",         "127.0.0.1:1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        describe_with(WITH({"HCCL_IF_IP", bad[i]}), HCCL_E_PARA, "HCCL_IF_IP", NULL);
    describe_with(WITH({"HCCL_SOCKET_IFNAME", "l"}), HCCL_SUCCESS, "", is_at_loopback);
    describe_with(WITH({"HCCL_SOCKET_IFNAME", "=nothing,lo"}), HCCL_SUCCESS, "", is_at_loopback);
    describe_with(WITH({"HCCL_SOCKET_IFNAME", "=l"}), HCCL_E_NOT_FOUND, "HCCL_SOCKET_IFNAME", NULL);
    describe_with(WITH({"HCCL_SOCKET_IFNAME", "nothing"}), HCCL_E_NOT_FOUND, "HCCL_SOCKET_IFNAME", NULL);
    describe_with(WITH({"HCCL_SOCKET_IFNAME", "^l,e,v,d,w,b,t,n,c"}), HCCL_E_NOT_FOUND, "HCCL_SOCKET_IFNAME",
                  NULL);
    describe_with(WITH({"HCCL_SOCKET_IFNAME", "^=l"}), HCCL_SUCCESS, "", NULL);
    describe_with(WITH({"HCCL_SOCKET_IFNAME", "lo"}, {"HCCL_SOCKET_FAMILY", "IPv4"}), HCCL_E_PARA,
                  "HCCL_SOCKET_FAMILY", NULL);
    describe_with(WITH({"HCCL_SOCKET_IFNAME", "lo"}, {"HCCL_SOCKET_FAMILY", ""}), HCCL_SUCCESS, "",
                  is_at_loopback);
    describe_with(WITH({"HCCL_HOST_SOCKET_PORT_RANGE", "auto"}), HCCL_SUCCESS, "", NULL);
    describe_with(WITH({"HCCL_HOST_SOCKET_PORT_RANGE", "61003"}, {"HCCL_IF_BASE_PORT", "61100"}),
                  HCCL_SUCCESS, "", has_port_61003);
    describe_with(WITH({"HCCL_IF_BASE_PORT", "61100"}), HCCL_SUCCESS, "", has_port_of_range);
    static const char *const ranges[] = {"x",      "0",      "65536",       "5-4", "61000,",
                                         ",61000", "61000-", "61000;61001", "-1"};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        describe_with(WITH({"HCCL_HOST_SOCKET_PORT_RANGE", ranges[i]}), HCCL_E_PARA,
                      "HCCL_HOST_SOCKET_PORT_RANGE", NULL);
    static const char *const bases[] = {"x", "1023", "65521", "61000 ", "61000,61001"};
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++)
        describe_with(WITH({"HCCL_IF_BASE_PORT", bases[i]}), HCCL_E_PARA, "HCCL_IF_BASE_PORT", NULL);
    static const char *const times[] = {"0", "-1", "x", "7201", "1s"};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        describe_with(WITH({"HCCL_CONNECT_TIMEOUT", times[i]}), HCCL_E_PARA, "HCCL_CONNECT_TIMEOUT", NULL);
}

static void ports_that_are_taken_are_passed_over(void **state)
{
    (void)state;
    HcclRootInfo first, second_one;
    struct mesh *mesh;
    struct mesh_fault fault;
    setenv("HCCL_HOST_SOCKET_PORT_RANGE", "61203,61205-61206", 1);
    assert_int_equal(mesh_describe_root(&first, &fault), HCCL_SUCCESS);
    assert_int_equal(port_of(&first), 61203);
    assert_int_equal(mesh_describe_root(&second_one, &fault), HCCL_SUCCESS);
    assert_int_equal(port_of(&second_one), 61205);
    setenv("HCCL_HOST_SOCKET_PORT_RANGE", "61203,61205", 1);
    HcclRootInfo none;
    assert_int_equal(mesh_describe_root(&none, &fault), HCCL_E_TCP_CONNECT);
    assert_non_null(strstr(fault.sentence, "61203,61205"));
    unsetenv("HCCL_HOST_SOCKET_PORT_RANGE");
    assert_int_equal(mesh_join(&first, 1, 0, &mesh, &fault), HCCL_SUCCESS);
    mesh_close(mesh);
    assert_int_equal(mesh_join(&second_one, 1, 0, &mesh, &fault), HCCL_SUCCESS);
    mesh_close(mesh);
}

/* What of both the ranks says of a root whose list of hosts is `text`. */
static char whitelist_path[] = "/tmp/belay-whitelist-XXXXXX";

static void write_whitelist(const char *text)
{
    int file = open(whitelist_path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

static int join_simply(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    mesh_close(mesh);
    return 0;
}

static int join_unlisted(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_E_TCP_CONNECT, &fault);
    RANK_CHECK(rank == 1 ||
               strstr(fault.sentence, "HCCL_WHITELIST_FILE") != NULL); /* or the root has ended */
    return 0;
}

static void only_listed_hosts_may_come(void **state)
{
    (void)state;
    int file = mkstemp(whitelist_path);
    assert_true(file >= 0);
    close(file);
    setenv("HCCL_WHITELIST_DISABLE", "0", 1);
    describe_with(WITH({"TZ", ""}), HCCL_E_PARA, "HCCL_WHITELIST_FILE", NULL);
    setenv("HCCL_WHITELIST_FILE", whitelist_path, 1);
    static const char *const bad[] = {"",
                                      "[]",
                                      "{\"host_ip\": \"127.0.0.1\"}",
                                      "{\"host_ip\": [127]}",
                                      "{\"host_ip\": [\"localhost\"]}",
                                      "{\"host_ip\": [[\"127.0.0.1\"]]}",
                                      "{\"host_ip\": [\"127.0.0.1\\u0000\"]}",
                                      "{\"host_ip\": [\"127.0.0.1\"], \"host_ip\": []}",
                                      "{\"host_ip\": [\"127.0.0.1\"]"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_whitelist(bad[i]);
        describe_with(WITH({"TZ", ""}), HCCL_E_PARA, "HCCL_WHITELIST_FILE", NULL);
    }
    describe_with(WITH({"TZ", ""}), HCCL_E_PARA, "line 1, column 26 of HCCL_WHITELIST_FILE", NULL);
    write_whitelist("{\"device_ip\": [\"127.0.0.1\"], \"host_ip\": [\"::1\", \"127.0.0.3\"]}");
    run_processes(2, join_unlisted);
    write_whitelist("{}");
    run_processes(2, join_unlisted);
    write_whitelist("{\"host_ip\": [\"::1\",\n \"127.0.0.\\u0031\"], \"device_ip\": []}");
    run_processes(2, join_simply);
    describe_with(WITH({"HCCL_WHITELIST_FILE", "/tmp"}), HCCL_E_OPEN_FILE_FAILURE, "HCCL_WHITELIST_FILE",
                  NULL);
    describe_with(WITH({"HCCL_WHITELIST_FILE", "/no/file"}), HCCL_E_OPEN_FILE_FAILURE, "/no/file", NULL);
    describe_with(WITH({"HCCL_WHITELIST_DISABLE", "2"}), HCCL_E_PARA, "HCCL_WHITELIST_DISABLE", NULL);
    write_whitelist("{}");
    describe_with(WITH({"HCCL_WHITELIST_DISABLE", "1"}), HCCL_SUCCESS, "", NULL);
    unsetenv("HCCL_WHITELIST_DISABLE");
    unsetenv("HCCL_WHITELIST_FILE");
    unlink(whitelist_path);
}

static int join_by_ipv6(struct ranks *ranks, uint32_t rank)
{
    setenv("HCCL_IF_IP", "::1", 1);
    return join_simply(ranks, rank);
}

static void ranks_may_use_ipv6(void **state)
{
    (void)state;
    struct sockaddr_in6 loopback = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool has_ipv6 = probe >= 0 && bind(probe, (struct sockaddr *)&loopback, sizeof loopback) == 0;
    if (probe >= 0)
        close(probe);
    if (!has_ipv6)
        skip();
    run_processes(3, join_by_ipv6);
}

int main(void)
{
    unset_variables();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_chooses_address_and_port),
        cmocka_unit_test(only_listed_hosts_may_come),
        cmocka_unit_test(ranks_may_use_ipv6),
        /* This leaves threads behind, so that no other test may fork after it. */
        cmocka_unit_test(ports_that_are_taken_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
