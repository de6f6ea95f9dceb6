/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Processes that have another Gloo, whose functions are found before all others (clashing.cmake): ours is
 * left alone by it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>

#include "hccl/mesh_ranks.h"

static int exchange_a_word(struct ranks *ranks, uint32_t rank)
{
    struct mesh *mesh;
    struct mesh_fault fault;
    uint32_t mine = 40 + rank, theirs = 0;
    const struct mesh_message messages[] = {
        {.data = &mine, .bytes = sizeof mine, .peer = 1 - rank},
        {.data = &theirs, .bytes = sizeof theirs, .peer = 1 - rank, .receives = true}};
    RANK_RESULT(join_ranks(ranks, rank, &mesh, &fault), HCCL_SUCCESS, &fault);
    RANK_RESULT(mesh_exchange(mesh, 1, messages, 2, monotonic_ns() + 30 * second, &fault), HCCL_SUCCESS,
                &fault);
    RANK_CHECK(theirs == 41 - rank);
    mesh_close(mesh);
    return 0;
}

static void the_other_one_is_there(void **state)
{
    (void)state;
    /* gloo::transport::tcp::CreateDevice, which libbelay_gloo.so calls. */
    void *found = dlsym(RTLD_DEFAULT, "_ZN4gloo9transport3tcp12CreateDeviceERKNS1_4attrE");
    Dl_info info;
    assert_non_null(found);
    assert_int_not_equal(dladdr(found, &info), 0);
    assert_non_null(strstr(info.dli_fname, "clashing"));
}

static void ranks_reach_each_other(void **state)
{
    (void)state;
    run_processes(2, exchange_a_word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_other_one_is_there),
        cmocka_unit_test(ranks_reach_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
