/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Temporary memory of queued work, in a process that may have little. Runs under BELAY_SCHEDULE=lazy: nothing runs
 * before a synchronise.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "tensor/queued_copies.h"

/* How much memory the process may have beyond what it has. */
static void limit_memory(rlim_t room)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    assert_int_equal(fclose(file), 0);
    const rlim_t bytes = room == RLIM_INFINITY ? room : pages * (rlim_t)sysconf(_SC_PAGESIZE) + room;
    assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){bytes, RLIM_INFINITY}), 0);
}

static void queued_work_holds_no_large_temporary_memory(void **state)
{
    (void)state;
    enum { WORKS = 64, BYTES = 8 << 20 };
    aclTensor *from = create_floats(COUNT, place(0)), *to = create_floats(COUNT, place(1));
    limit_memory(WORKS / 4 * (rlim_t)BYTES);
    for (int i = 0; i < WORKS; i++)
        launch(create(from, to, BYTES));
    const int status = aclrtSynchronizeStream(stream);
    limit_memory(RLIM_INFINITY);
    assert_int_equal(status, 0);
    assert_int_equal(atomic_load(&copy_runs), WORKS);
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
}

static void work_whose_temporary_memory_has_gone_meanwhile_fails(void **state)
{
    (void)state;
    enum { BYTES = 200 << 20 }; /* more than is kept */
    aclTensor *from = create_floats(COUNT, place(0)), *to = create_floats(COUNT, place(1));
    launch(create(from, to, BYTES));
    limit_memory(16 << 20);
    const int status = aclrtSynchronizeStream(stream);
    limit_memory(RLIM_INFINITY);
    assert_int_equal(status, ACL_ERROR_RT_MEMORY_ALLOCATION);
    assert_non_null(strstr(aclGetRecentErrMsg(), "temporary bytes"));
    assert_int_equal(atomic_load(&copy_runs), 0);
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(queued_work_holds_no_large_temporary_memory),
        TEST(work_whose_temporary_memory_has_gone_meanwhile_fails),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
