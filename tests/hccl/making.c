/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Making communicators and asking about them: what each function returns for what.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "hccl/own_ranks.h"

static void what_init_all_refuses(void **state)
{
    (void)state;
    HcclComm comm[3];
    int32_t devices[] = {0, 1, 0}, wrong[] = {0, 8}, negative[] = {-1};
    assert_failure(HcclCommInitAll(2, NULL, comm), HCCL_E_PTR, "devices is NULL");
    assert_failure(HcclCommInitAll(2, devices, NULL), HCCL_E_PTR, "comms is NULL");
    assert_failure(HcclCommInitAll(0, devices, comm), HCCL_E_PARA, "ndev is 0");
    assert_failure(HcclCommInitAll(100, devices, comm), HCCL_E_PARA, "ndev is 100");
    assert_failure(HcclCommInitAll(3, devices, comm), HCCL_E_PARA, "device 0 is named twice");
    assert_failure(HcclCommInitAll(2, wrong, comm), HCCL_E_PARA, "8");
    assert_failure(HcclCommInitAll(1, negative, comm), HCCL_E_PARA, "-1");
    static const char *const timeouts[] = {"-1", "a", "1s", "99999999999"};
    for (size_t i = 0; i < sizeof timeouts / sizeof timeouts[0]; i++) {
        setenv("HCCL_EXEC_TIMEOUT", timeouts[i], 1);
        assert_failure(HcclCommInitAll(1, devices, comm), HCCL_E_PARA, "HCCL_EXEC_TIMEOUT is");
    }
    setenv("HCCL_EXEC_TIMEOUT", "0", 1);
    assert_int_equal(HcclCommInitAll(1, devices, comm), 0);
    assert_int_equal(HcclCommDestroy(comm[0]), 0);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
}

static void what_joining_refuses(void **state)
{
    (void)state;
    HcclRootInfo root;
    HcclComm comm;
    HcclCommConfig config;
    memset(&root, 0, sizeof root);
    HcclCommConfigInit(&config);
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_failure(HcclGetRootInfo(NULL), HCCL_E_PTR, "rootInfo is NULL");
    assert_failure(HcclCommInitRootInfo(2, NULL, 0, &comm), HCCL_E_PTR, "rootInfo is NULL");
    assert_failure(HcclCommInitRootInfo(2, &root, 0, NULL), HCCL_E_PTR, "comm is NULL");
    assert_failure(HcclCommInitRootInfo(0, &root, 0, &comm), HCCL_E_PARA, "number of ranks is 0");
    assert_failure(HcclCommInitRootInfo(1025, &root, 0, &comm), HCCL_E_PARA, "number of ranks is 1025");
    assert_failure(HcclCommInitRootInfo(2, &root, 2, &comm), HCCL_E_PARA, "rank is 2");
    assert_failure(HcclCommInitRootInfoConfig(2, &root, 0, NULL, &comm), HCCL_E_PTR, "config is NULL");
    assert_failure(HcclCommInitRootInfoConfig(2, NULL, 0, &config, &comm), HCCL_E_PTR, "rootInfo is NULL");
    assert_failure(HcclCommInitRootInfoConfig(2, &root, 5, &config, &comm), HCCL_E_PARA, "rank is 5");
    config.hcclExecTimeOut = -2;
    assert_failure(HcclCommInitRootInfoConfig(2, &root, 0, &config, &comm), HCCL_E_PARA,
                   "hcclExecTimeOut of config is -2");
    HcclCommConfigInit(&config);
    memset(config.hcclCommName, 'x', sizeof config.hcclCommName);
    assert_failure(HcclCommInitRootInfoConfig(2, &root, 0, &config, &comm), HCCL_E_PARA, "does not end");
    HcclCommConfigInit(&config);
    size_t size = 31;
    memcpy(config.reserved, &size, sizeof size);
    assert_failure(HcclCommInitRootInfoConfig(2, &root, 0, &config, &comm), HCCL_E_PARA, "size 31");
    HcclCommConfigInit(&config);
    config.reserved[8] = 1;
    assert_failure(HcclCommInitRootInfoConfig(2, &root, 0, &config, &comm), HCCL_E_PARA, "magic word");
}

static void *join_without_device(void *unused)
{
    (void)unused;
    HcclRootInfo root = {{0}};
    HcclComm comm;
    return (void *)(uintptr_t)(HcclGetRootInfo(&root) == HCCL_E_RUNTIME &&
                               HcclCommInitRootInfo(2, &root, 0, &comm) == HCCL_E_RUNTIME);
}

static void joining_needs_a_device(void **state)
{
    (void)state;
    pthread_t thread;
    void *is_refused;
    assert_int_equal(pthread_create(&thread, NULL, join_without_device, NULL), 0);
    pthread_join(thread, &is_refused);
    assert_non_null(is_refused);
}

static void what_communicators_answer(void **state)
{
    (void)state;
    struct ranks ranks;
    char name[2][COMM_NAME_MAX_LENGTH];
    ranks_open(&ranks, 3);
    for (uint32_t rank = 0; rank < 3; rank++) {
        uint32_t number;
        HcclResult error = HCCL_E_RESERVED;
        HcclConfigValue value = {2};
        assert_int_equal(HcclGetRankSize(ranks.comm[rank], &number), 0);
        assert_int_equal(number, 3);
        assert_int_equal(HcclGetRankId(ranks.comm[rank], &number), 0);
        assert_int_equal(number, rank);
        assert_int_equal(HcclGetCommAsyncError(ranks.comm[rank], &error), 0);
        assert_int_equal(error, HCCL_SUCCESS);
        assert_int_equal(HcclGetCommName(ranks.comm[rank], name[rank != 0]), 0);
        assert_string_equal(name[rank != 0], name[0]);
        assert_int_equal(HcclSetCommConfig(ranks.comm[rank], HCCL_DETERMINISTIC, value), 0);
        value.value = 0;
        assert_int_equal(HcclGetCommConfig(ranks.comm[rank], HCCL_DETERMINISTIC, &value), 0);
        assert_int_equal(value.value, 2);
    }
    HcclComm comm = ranks.comm[0], gone = ranks.comm[2];
    const HcclConfigValue three = {3}, zero = {0};
    HcclConfigValue value;
    assert_failure(HcclGetRankSize(comm, NULL), HCCL_E_PTR, "rankSize is NULL");
    assert_failure(HcclGetRankId(comm, NULL), HCCL_E_PTR, "rank is NULL");
    assert_failure(HcclGetCommAsyncError(comm, NULL), HCCL_E_PTR, "asyncError is NULL");
    assert_failure(HcclGetCommName(comm, NULL), HCCL_E_PTR, "commName is NULL");
    assert_failure(HcclGetCommConfig(comm, HCCL_DETERMINISTIC, NULL), HCCL_E_PTR, "configValue is NULL");
    assert_failure(HcclSetCommConfig(comm, HCCL_DETERMINISTIC, three), HCCL_E_PARA, "value 3");
    assert_failure(HcclSetCommConfig(comm, HCCL_ACCELERATOR, zero), HCCL_E_PARA, "config is 1");
    assert_failure(HcclGetCommConfig(comm, HCCL_ACCELERATOR, &value), HCCL_E_PARA, "config is 1");
    assert_int_equal(HcclCommDestroy(gone), 0);
    ranks.comm[2] = NULL;
    const HcclComm wrong[] = {NULL, gone, (HcclComm)ranks.stream[0], (HcclComm)&ranks};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const HcclResult expected = i == 0 ? HCCL_E_PTR : HCCL_E_PARA;
        uint32_t number;
        HcclResult error;
        assert_failure(HcclGetRankSize(wrong[i], &number), expected, "HcclGetRankSize: argument comm");
        assert_failure(HcclGetRankId(wrong[i], &number), expected, "HcclGetRankId: argument comm");
        assert_failure(HcclGetCommAsyncError(wrong[i], &error), expected,
                       "HcclGetCommAsyncError: argument comm");
        assert_failure(HcclGetCommName(wrong[i], name[0]), expected, "HcclGetCommName: argument comm");
        assert_failure(HcclSetCommConfig(wrong[i], HCCL_DETERMINISTIC, zero), expected, "argument comm");
        assert_failure(HcclGetCommConfig(wrong[i], HCCL_DETERMINISTIC, &value), expected, "argument comm");
        assert_failure(HcclCommDestroy(wrong[i]), expected, "HcclCommDestroy: argument comm");
    }
    ranks_close(&ranks);
}

static void what_the_library_answers(void **state)
{
    (void)state;
    assert_int_equal(HcclGetCommConfigCapability(), 12);
    for (int code = 0; code <= HCCL_E_RESERVED; code++)
        assert_memory_equal(HcclGetErrorString((HcclResult)code), "HCCL_", 5);
    assert_string_equal(HcclGetErrorString(HCCL_E_TIMEOUT), "HCCL_E_TIMEOUT");
    assert_string_equal(HcclGetErrorString(HCCL_E_OOM), "HCCL_E_OOM");
    assert_string_equal(HcclGetErrorString((HcclResult)26), "unknown HcclResult");
    assert_string_equal(HcclGetErrorString((HcclResult)-1), "unknown HcclResult");
    const HcclConfigValue two = {2}, three = {3};
    HcclConfigValue value;
    assert_int_equal(HcclSetConfig(HCCL_DETERMINISTIC, two), 0);
    assert_int_equal(HcclGetConfig(HCCL_DETERMINISTIC, &value), 0);
    assert_int_equal(value.value, 2);
    assert_failure(HcclSetConfig(HCCL_DETERMINISTIC, three), HCCL_E_PARA, "value 3");
    assert_failure(HcclSetConfig(HCCL_ACCELERATOR, two), HCCL_E_PARA, "config is 1");
    assert_failure(HcclGetConfig(HCCL_ACCELERATOR, &value), HCCL_E_PARA, "config is 1");
    assert_failure(HcclGetConfig(HCCL_DETERMINISTIC, NULL), HCCL_E_PTR, "configValue is NULL");
}

static void what_is_not_supported(void **state)
{
    (void)state;
    struct ranks ranks;
    ranks_open(&ranks, 1);
    HcclComm comm = ranks.comm[0];
    void *handle = NULL;
    uint32_t rank = 0;
    bool backup = false;
#define REFUSED(name, ...) assert_failure(name(__VA_ARGS__), HCCL_E_NOT_SUPPORT, #name)
    REFUSED(HcclCommSuspend, comm);
    REFUSED(HcclCommResume, comm);
    REFUSED(HcclCommWorkingDevNicSet, comm, &rank, &backup, 1);
    REFUSED(HcclCommRegister, comm, &rank, 4, &handle, 0);
    REFUSED(HcclCommDeregister, comm, handle);
    REFUSED(HcclCommExchangeMem, comm, handle, &rank, 1);
    REFUSED(HcclCommSymWinRegister, comm, &rank, 4, &handle, 0);
    REFUSED(HcclCommSymWinDeregister, handle);
    REFUSED(HcclCommSetMemoryRange, comm, &rank, 4, 0, 0);
    REFUSED(HcclCommUnsetMemoryRange, comm, &rank);
    REFUSED(HcclCommActivateCommMemory, comm, &rank, 4, 0, handle, 0);
    REFUSED(HcclCommDeactivateCommMemory, comm, &rank);
    ranks_close(&ranks);
}

static void write_table(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void rank_tables(void **state)
{
    (void)state;
    char path[] = "/tmp/belay_rank_table_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    HcclComm comm = NULL;
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    strcpy(config.hcclCommName, "from a table");
    assert_int_equal(aclrtSetDevice(0), 0);
    write_table(path,
                "{\"status\":\"completed\",\"version\":\"1.0\",\"server_count\":\"1\",\"server_list\":"
                "[{\"server_id\":\"node {0\\\"\", \"device\":[{\"device_id\":\"0\",\"rank_id\":\"0\"}]}]}");
    assert_int_equal(HcclCommInitClusterInfo(path, 0, &comm), 0);
    assert_int_equal(HcclCommDestroy(comm), 0);
    assert_int_equal(HcclCommInitClusterInfoConfig(path, 0, &config, &comm), 0);
    char name[COMM_NAME_MAX_LENGTH];
    assert_int_equal(HcclGetCommName(comm, name), 0);
    assert_string_equal(name, "from a table");
    assert_int_equal(HcclCommDestroy(comm), 0);
    assert_failure(HcclCommInitClusterInfo(path, 1, &comm), HCCL_E_NOT_FOUND, "rank 1 is not among the 1");
    assert_failure(HcclCommInitClusterInfo(NULL, 0, &comm), HCCL_E_PTR, "clusterInfo is NULL");
    assert_failure(HcclCommInitClusterInfo(path, 0, NULL), HCCL_E_PTR, "comm is NULL");
    assert_failure(HcclCommInitClusterInfoConfig(path, 0, NULL, &comm), HCCL_E_PTR, "config is NULL");
    config.hcclExecTimeOut = -7;
    assert_failure(HcclCommInitClusterInfoConfig(path, 0, &config, &comm), HCCL_E_PARA, "hcclExecTimeOut");
    write_table(path, "{\"server_list\":[{\"device\":[{\"rank_id\":\"0\"}]},{\"device\":[{\"rank_id\":1},"
                      "{\"rank_id\":\"2\"}]}]}");
    assert_failure(HcclCommInitClusterInfo(path, 2, &comm), HCCL_E_NOT_SUPPORT,
                   "the server of rank 0 has no address");
    assert_failure(HcclCommInitClusterInfo(path, 3, &comm), HCCL_E_NOT_FOUND, "rank 3 is not among the 3");
    write_table(path,
                "{\"server_list\":[{\"server_id\":\"127.0.0.1\\u0000\",\"device\":[{\"rank_id\":\"0\"}]},"
                "{\"device\":[{\"rank_id\":1}]}]}");
    assert_failure(HcclCommInitClusterInfo(path, 1, &comm), HCCL_E_NOT_SUPPORT,
                   "the server of rank 0 has no address");
    write_table(path, "");
    assert_failure(HcclCommInitClusterInfo(path, 0, &comm), HCCL_E_PARA,
                   "line 1, column 1 of clusterInfo '/");
    write_table(path, "{\n\"server_list\":");
    assert_failure(HcclCommInitClusterInfo(path, 0, &comm), HCCL_E_PARA,
                   "': unexpected end of data; JSON is expected");
    static const char *const wrong[] = {
        "[]",
        "{}",
        "{\"server_list\":{}}",
        "{\"server_list\":[7]}",
        "{\"server_list\":[[{}]]}",
        "{\"server_list\":[{\"device\":\"0\"}]}",
        "{\"server_list\":[{\"device\":[{\"rank_id\":\"a\"}]}]}",
        "{\"server_list\":[]}",
        "{\"server_list\":[{}]}",
        "{\"server_list\":[{\"device\":[]}]}",
        "{\"server_list\":[{\"device\":[{\"rank_id\":0},{}]}]}",
        "{\"server_list\":[{\"device\":[{\"rank_id\":0,\"rank_id\":1}]}]}",
        "{\"server_list\":[{\"device\":[{\"rank_id\":0}],\"device\":[]}]}",
        "{\"server_list\":[{\"device\":[{\"rank_id\":0}]}],\"server_list\":[]}",
        "{\"server_list\":[{\"device\":[{\"rank_id\":\"\"}]}]}",
        "{\"server_list\":[{\"device\":[{\"rank_id\":\"0\\u0000\"}]}]}",
        "{\"server_list\":[{\"device\":[{\"rank_id\":0e0}]}]}",
        "{\"server_list\":[{\"device\":[{\"rank_id\":-1}]}]}",
        "{\"server_list\":[{\"device\":[{\"rank_id\":1}]}]}",
        "{\"server_list\":[{\"device\":[{\"rank_id\":0},{\"rank_id\":0}]}]}",
        "{\"server_list\":[{\"device\":[{\"rank_id\":1024}]}]}",
        "{\"server_list\":[{\"device\":[{\"rank_id\":\"9999999999\"}]}]}"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        write_table(path, wrong[i]);
        assert_failure(HcclCommInitClusterInfo(path, 0, &comm), HCCL_E_PARA, "is no JSON object with");
    }
    unlink(path);
    assert_failure(HcclCommInitClusterInfo(path, 0, &comm), HCCL_E_OPEN_FILE_FAILURE, "cannot be read");
    assert_failure(HcclCommInitClusterInfo("/dev/null", 0, &comm), HCCL_E_OPEN_FILE_FAILURE,
                   "cannot be read");
}

int main(void)
{
    ranks_prepare();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_init_all_refuses),
        cmocka_unit_test(what_joining_refuses),
        cmocka_unit_test(joining_needs_a_device),
        cmocka_unit_test(what_communicators_answer),
        cmocka_unit_test(what_the_library_answers),
        cmocka_unit_test(what_is_not_supported),
        cmocka_unit_test(rank_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
