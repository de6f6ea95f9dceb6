/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where libbelay_gloo.so, or libgloo below it, is not installed: processes are told so, and everything that
 * needs no other process works. The test runs with copies of the libraries in a folder of their own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "hccl/own_ranks.h"

static void several_processes_are_told_what_to_install(void **state)
{
    (void)state;
    HcclRootInfo root;
    HcclComm comm = NULL;
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    assert_int_equal(aclrtSetDevice(0), 0);
    for (uint32_t rank = 0; rank < 2; rank++) {
        assert_int_equal(HcclGetRootInfo(&root), HCCL_SUCCESS); /* it may be for one rank alone */
        assert_failure(HcclCommInitRootInfo(2, &root, rank, &comm), HCCL_E_NOT_SUPPORT, "install libgloo0");
        assert_int_equal(HcclGetRootInfo(&root), HCCL_SUCCESS);
        assert_failure(HcclCommInitRootInfoConfig(2, &root, rank, &config, &comm), HCCL_E_NOT_SUPPORT,
                       "libbelay_gloo.so: cannot open");
    }
    assert_null(comm);
}

static void so_are_those_of_a_rank_table(void **state)
{
    (void)state;
    char path[] = "/tmp/belay_rank_table_XXXXXX";
    static const char table[] = "{\"server_list\":[{\"device\":[{\"rank_id\":0},{\"rank_id\":1}]}]}";
    HcclComm comm = NULL;
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, table, sizeof table - 1), sizeof table - 1);
    close(file);
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_failure(HcclCommInitClusterInfo(path, 0, &comm), HCCL_E_NOT_SUPPORT, "install libgloo0");
    /* The place is closed: its port can be had again at once. */
    assert_failure(HcclCommInitClusterInfo(path, 0, &comm), HCCL_E_NOT_SUPPORT, "install libgloo0");
    assert_failure(HcclCommInitClusterInfo(path, 1, &comm), HCCL_E_NOT_SUPPORT, "install libgloo0");
    unlink(path);
}

static void one_process_needs_none(void **state)
{
    (void)state;
    HcclRootInfo root;
    HcclComm comm;
    struct ranks ranks;
    int32_t value = 5;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(HcclGetRootInfo(&root), HCCL_SUCCESS);
    assert_int_equal(HcclCommInitRootInfo(1, &root, 0, &comm), HCCL_SUCCESS);
    assert_int_equal(HcclCommDestroy(comm), HCCL_SUCCESS);
    ranks_open(&ranks, 2);
    for (uint32_t rank = 0; rank < 2; rank++) {
        void *cell = ranks_memory(&ranks, rank, 0, &value, sizeof value);
        assert_int_equal(HcclAllReduce(cell, cell, 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, ranks.comm[rank],
                                       ranks.stream[rank]),
                         HCCL_SUCCESS);
    }
    ranks_wait(&ranks);
    ranks_read(&ranks, 1, 0, &value, sizeof value);
    assert_int_equal(value, 10);
    ranks_close(&ranks);
}

int main(void)
{
    char port[16];
    ranks_prepare();
    /* Of those that the system gives nobody by itself. */
    snprintf(port, sizeof port, "%d", 20000 + (int)getpid() % 12000);
    setenv("HCCL_IF_BASE_PORT", port, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_processes_are_told_what_to_install),
        cmocka_unit_test(so_are_those_of_a_rank_table),
        cmocka_unit_test(one_process_needs_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
