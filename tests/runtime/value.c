/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers in device memory that streams write and wait for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/blocked_stream.h"
#include "support/failure.h"

static aclrtStream stream, other;
static _Atomic uint64_t *cell; /* device memory, which the host reaches here */
static unsigned char *pinned;

static int set_up(void **state)
{
    (void)state;
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 || aclrtCreateStream(&other) != 0 ||
        aclrtMalloc((void **)&cell, 64, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return -1;
    return aclrtMallocHost((void **)&pinned, 64);
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtFreeHost(pinned) != 0 || aclrtFree((void *)cell) != 0 || aclrtDestroyStream(stream) != 0 ||
           aclrtDestroyStream(other) != 0 || aclrtResetDevice(0) != 0;
}

static void a_write_comes_in_stream_order(void **state)
{
    (void)state;
    atomic_store(cell, 1);
    assert_int_equal(block_stream(stream), 0);
    assert_int_equal(aclrtValueWrite((void *)cell, UINT64_MAX - 5, 0, stream), 0);
    assert_int_equal(atomic_load(cell), 1);
    unblock_stream();
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(atomic_load(cell), UINT64_MAX - 5);
}

/* Whether a stream goes on past a wait for this, within so much time. */
static bool passes(uint32_t flag, uint64_t found, uint64_t value, int32_t timeout_ms)
{
    atomic_store(cell, found);
    memset(pinned, 0, 1);
    assert_int_equal(aclrtValueWait((void *)cell, value, flag, stream), 0);
    assert_int_equal(aclrtMemsetAsync(pinned, 1, 1, 1, stream), 0);
    int status = aclrtSynchronizeStreamWithTimeout(stream, timeout_ms);
    bool has_passed = status == 0;
    assert_int_equal(status, has_passed ? 0 : 507046);
    if (!has_passed) {
        assert_int_equal(aclrtStreamAbort(stream), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 107023);
    }
    return has_passed;
}

static void each_condition_is_what_the_header_says(void **state)
{
    (void)state;
    static const struct {
        uint32_t flag;
        uint64_t found, value;
        bool passes;
    } cases[] = {
        {ACL_STREAM_WAIT_VALUE_GEQ, 5, 5, true},
        {ACL_STREAM_WAIT_VALUE_GEQ, 4, 5, false},
        {ACL_STREAM_WAIT_VALUE_GEQ, 3, UINT64_MAX, true}, /* it has gone round */
        {ACL_STREAM_WAIT_VALUE_GEQ, UINT64_MAX, 3, false},
        {ACL_STREAM_WAIT_VALUE_EQ, 5, 5, true},
        {ACL_STREAM_WAIT_VALUE_EQ, 6, 5, false},
        {ACL_STREAM_WAIT_VALUE_AND, 6, 3, true},
        {ACL_STREAM_WAIT_VALUE_AND, 4, 3, false},
        {ACL_STREAM_WAIT_VALUE_NOR, 6, 3, true},
        {ACL_STREAM_WAIT_VALUE_NOR, UINT64_MAX << 1, 1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(passes(cases[i].flag, cases[i].found, cases[i].value, cases[i].passes ? 10000 : 30),
                         cases[i].passes);
}

static void a_stream_goes_on_when_another_has_written(void **state)
{
    (void)state;
    /* More waits than there are threads would not do if each took one. */
    enum { WAITS = 40 };
    aclrtStream streams[WAITS];
    atomic_store(cell, 0);
    for (int i = 0; i < WAITS; i++) {
        assert_int_equal(aclrtCreateStream(&streams[i]), 0);
        assert_int_equal(aclrtValueWait((void *)cell, 7, ACL_STREAM_WAIT_VALUE_EQ, streams[i]), 0);
    }
    assert_int_equal(aclrtMemsetAsync(pinned, 1, 9, 1, other), 0);
    assert_int_equal(aclrtValueWrite((void *)cell, 7, 0, other), 0);
    for (int i = 0; i < WAITS; i++) {
        assert_int_equal(aclrtSynchronizeStream(streams[i]), 0);
        assert_int_equal(pinned[0], 9);
        assert_int_equal(aclrtDestroyStream(streams[i]), 0);
    }
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    uint64_t host = 0;
    void *const address = (void *)cell;
    assert_failure(aclrtValueWrite(NULL, 0, 1, stream), 107000, "flag is 1");
    assert_failure(aclrtValueWait(NULL, 0, 4, stream), 107000, "flag is 4");
    assert_failure(aclrtValueWrite(NULL, 0, 0, stream), 100000, "devAddr is NULL");
    assert_failure(aclrtValueWait(NULL, 0, 0, stream), 100000, "devAddr is NULL");
    assert_failure(aclrtValueWrite((char *)address + 4, 0, 0, stream), 107000, "no multiple of 8");
    assert_failure(aclrtValueWait((char *)address + 1, 0, 0, stream), 107000, "no multiple of 8");
    assert_failure(aclrtValueWrite(&host, 0, 0, stream), 107000, "no device memory");
    assert_failure(aclrtValueWait(pinned, 0, 0, stream), 107000, "no device memory");
    assert_failure(aclrtValueWrite((char *)address + 64, 0, 0, stream), 107000, "past the end");
    assert_failure(aclrtValueWrite(address, 0, 0, address), 107017, "stream");
    assert_failure(aclrtValueWait(address, 0, 0, address), 107017, "stream");
    assert_int_equal(host, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_comes_in_stream_order),
        cmocka_unit_test(each_condition_is_what_the_header_says),
        cmocka_unit_test(a_stream_goes_on_when_another_has_written),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
