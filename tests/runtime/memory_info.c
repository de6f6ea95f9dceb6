/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Figures about device memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/failure.h"
#include "support/thread.h"

static const size_t MEMORY = (size_t)256 << 20;

static int set_up(void **state)
{
    (void)state;
    return aclrtSetDevice(0);
}

static void free_and_total_follow_what_the_program_holds(void **state)
{
    (void)state;
    size_t free_bytes, total;
    void *block;
    assert_int_equal(aclrtMalloc(&block, 10 << 20, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    for (int attr = ACL_DDR_MEM; attr <= ACL_MEM_P2P_HUGE1G; attr++) {
        assert_int_equal(aclrtGetMemInfo((aclrtMemAttr)attr, &free_bytes, &total), 0);
        assert_int_equal(total, MEMORY);
        assert_in_range(MEMORY - free_bytes, 10 << 20, (10 << 20) + 1024);
    }
    assert_int_equal(aclrtFree(block), 0);
    assert_int_equal(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total), 0);
    assert_int_equal(free_bytes, total);
}

static void *without_context(void *unused)
{
    size_t free_bytes, total;
    assert_int_equal(aclrtGetMemInfo((aclrtMemAttr)99, NULL, &total), 100000);
    assert_int_equal(aclrtGetMemInfo((aclrtMemAttr)99, &free_bytes, &total), 107002);
    return unused;
}

static void figures_are_refused_in_the_order_of_the_contract(void **state)
{
    (void)state;
    size_t free_bytes, total;
    assert_failure(aclrtGetMemInfo((aclrtMemAttr)99, NULL, &total), 100000, "free is NULL");
    assert_failure(aclrtGetMemInfo((aclrtMemAttr)99, &free_bytes, NULL), 100000, "total is NULL");
    assert_failure(aclrtGetMemInfo((aclrtMemAttr)18, &free_bytes, &total), 107016, "attr is 18");
    assert_failure(aclrtGetMemInfo((aclrtMemAttr)-1, &free_bytes, &total), 107016, "attr is -1");
    run_in_thread(without_context, NULL);
}

static void usage_tells_what_is_held_and_the_most_that_was(void **state)
{
    (void)state;
    aclrtMemUsageInfo info[2];
    size_t count = 9;
    void *first, *second;
    assert_int_equal(aclrtMalloc(&first, 20 << 20, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMalloc(&second, 30 << 20, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtFree(second), 0);
    assert_int_equal(aclrtGetMemUsageInfo(0, info, 2, &count), 0);
    assert_int_equal(count, 1);
    assert_true(strlen(info[0].name) > 0);
    assert_in_range(info[0].curMemSize, 20 << 20, (20 << 20) + 1024);
    assert_in_range(info[0].memPeakSize, 50 << 20, (50 << 20) + 2048);
    assert_int_equal(aclrtFree(first), 0);

    assert_failure(aclrtGetMemUsageInfo(9, NULL, 2, &count), 100000, "memUsageInfo is NULL");
    assert_failure(aclrtGetMemUsageInfo(9, info, 2, NULL), 100000, "outputNum is NULL");
    assert_failure(aclrtGetMemUsageInfo(9, info, 0, &count), 100000, "inputNum is 0");
    assert_int_equal(aclrtGetMemUsageInfo(1, info, 2, &count), 107001);
    assert_int_equal(aclrtGetMemUsageInfo(-1, info, 2, &count), 107001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_and_total_follow_what_the_program_holds),
        cmocka_unit_test(figures_are_refused_in_the_order_of_the_contract),
        cmocka_unit_test(usage_tells_what_is_held_and_the_most_that_was),
    };
    setenv("BELAY_MEMORY", "256M", 1);
    return cmocka_run_group_tests(tests, set_up, NULL);
}
