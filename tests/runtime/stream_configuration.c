/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What streams are made with and keep: flags, priorities, attributes, configurations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "runtime/streams/stream.h"
#include "support/failure.h"
#include "support/open_stream.h"

static int do_nothing(struct task *task)
{
    (void)task;
    return 0;
}

static void attributes_are_kept(void **state)
{
    (void)state;
    aclrtStream made;
    int32_t id = -1, other_id = -1;
    uint32_t priority = 99, flags = 99, number = 99;
    uint32_t task_id = 0, task_id_after = 0;
    assert_int_equal(aclrtCreateStreamWithConfig(&made, 9, ACL_STREAM_FAST_SYNC | ACL_STREAM_HUGE), 0);
    assert_int_equal(aclrtStreamGetId(made, &id), 0);
    assert_int_equal(aclrtStreamGetId(stream, &other_id), 0);
    assert_int_not_equal(id, other_id);
    assert_int_equal(aclrtStreamGetId(NULL, &other_id), 0);
    assert_int_not_equal(id, other_id);
    assert_int_equal(aclrtStreamGetPriority(made, &priority), 0);
    assert_int_equal(priority, 7);
    assert_int_equal(aclrtStreamGetFlags(made, &flags), 0);
    assert_int_equal(flags, ACL_STREAM_FAST_SYNC | ACL_STREAM_HUGE);
    assert_failure(aclrtStreamGetId(made, NULL), 100000, "streamId is NULL");
    assert_failure(aclrtStreamGetPriority(made, NULL), 100000, "priority is NULL");
    assert_failure(aclrtStreamGetFlags(made, NULL), 100000, "flags is NULL");
    assert_int_equal(aclrtSetStreamOverflowSwitch(made, 1), 0);
    assert_int_equal(aclrtGetStreamOverflowSwitch(made, &number), 0);
    assert_int_equal(number, 1);
    assert_failure(aclrtGetStreamOverflowSwitch(made, NULL), 100000, "flag is NULL");
    for (int attribute = ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK; attribute <= ACL_STREAM_ATTR_PRIORITY;
         attribute++) {
        aclrtStreamAttrValue set = {0}, got = {0};
        set.userCustomTag = (uint32_t)attribute;
        assert_int_equal(aclrtSetStreamAttribute(made, (aclrtStreamAttr)attribute, &set), 0);
        assert_int_equal(aclrtGetStreamAttribute(made, (aclrtStreamAttr)attribute, &got), 0);
        assert_int_equal(got.userCustomTag, attribute);
    }
    aclrtStreamAttrValue most = {.streamPriority = 8};
    assert_int_equal(aclrtSetStreamAttribute(made, ACL_STREAM_ATTR_PRIORITY, &most), 0);
    assert_int_equal(aclrtStreamGetPriority(made, &priority), 0);
    assert_int_equal(priority, 7);
    aclrtStreamAttrValue mode = {.failureMode = 3};
    assert_failure(aclrtSetStreamAttribute(made, ACL_STREAM_ATTR_FAILURE_MODE, &mode), 107000, "mode is 3");
    assert_int_equal(aclrtGetStreamAttribute(made, ACL_STREAM_ATTR_FAILURE_MODE, &mode), 0);
    assert_int_equal(mode.failureMode, ACL_CONTINUE_ON_FAILURE);
    assert_failure(aclrtSetStreamAttribute(made, (aclrtStreamAttr)6, &mode), 100000, "stmAttrType is 6");
    assert_failure(aclrtGetStreamAttribute(made, (aclrtStreamAttr)0, &mode), 100000, "stmAttrType is 0");
    assert_failure(aclrtSetStreamAttribute(made, ACL_STREAM_ATTR_PRIORITY, NULL), 100000, "value is NULL");
    assert_failure(aclrtGetStreamAttribute(made, ACL_STREAM_ATTR_PRIORITY, NULL), 100000, "value is NULL");
    assert_failure(aclrtGetThreadLastTaskId(NULL), 100000, "taskId is NULL");
    assert_int_equal(aclrtGetThreadLastTaskId(&task_id), 0);
    struct task task = {.run = do_nothing};
    assert_int_equal(stream_submit("test", made, &task), 0);
    assert_int_equal(aclrtGetThreadLastTaskId(&task_id_after), 0);
    assert_int_equal(task_id_after, task_id + 1);
    assert_int_equal(aclrtDestroyStream(made), 0);
}

static void configurations_make_streams(void **state)
{
    (void)state;
    aclrtStream made;
    size_t flag = ACL_STREAM_FAST_LAUNCH, size = 4096;
    uint32_t priority = 2, got = 0;
    void *address = &flag;
    aclrtStreamConfigHandle *handle = aclrtCreateStreamConfigHandle();
    assert_non_null(handle);
    assert_int_equal(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_FLAG, &flag, sizeof flag), 0);
    assert_int_equal(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_PRIORITY, &priority, sizeof priority), 0);
    assert_int_equal(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_WORK_SIZE, &size, sizeof size), 0);
    assert_int_equal(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_WORK_ADDR_PTR, &address, sizeof address),
                     0);
    assert_true(handle->flag == flag && handle->priority == 2 && handle->workSize == 4096 &&
                handle->workptr == address);
    assert_failure(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_PRIORITY, &priority, 8), 100000,
                   "valueSize is 8");
    assert_failure(aclrtSetStreamConfigOpt(handle, (aclrtStreamConfigAttr)4, &priority, 4), 100000,
                   "attr is 4");
    assert_failure(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_PRIORITY, NULL, 4), 100000,
                   "attrValue is NULL");
    assert_failure(aclrtSetStreamConfigOpt(NULL, ACL_RT_STREAM_PRIORITY, &priority, 4), 100000,
                   "handle is NULL");
    assert_int_equal(aclrtCreateStreamV2(&made, handle), 0);
    assert_int_equal(aclrtStreamGetPriority(made, &got), 0);
    assert_int_equal(got, 2);
    assert_failure(aclrtCreateStreamV2(NULL, handle), 100000, "stream is NULL");
    assert_failure(aclrtCreateStreamV2(&made, NULL), 100000, "handle is NULL");
    flag = 0x100;
    assert_int_equal(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_FLAG, &flag, sizeof flag), 0);
    aclrtStream refused;
    assert_failure(aclrtCreateStreamV2(&refused, handle), 107000, "flag is 0x100");
    flag = (size_t)1 << 32;
    assert_int_equal(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_FLAG, &flag, sizeof flag), 0);
    assert_failure(aclrtCreateStreamV2(&refused, handle), 107000, "0x100000000");
    assert_int_equal(aclrtDestroyStreamConfigHandle(handle), 0);
    assert_failure(aclrtDestroyStreamConfigHandle(handle), 100000, "not a live configuration");
    assert_failure(aclrtDestroyStreamConfigHandle(NULL), 100000, "handle is NULL");
    assert_failure(aclrtCreateStreamV2(&refused, handle), 100000, "not a live configuration");
    assert_failure(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_FLAG, &flag, sizeof flag), 100000,
                   "not a live configuration");
    assert_int_equal(aclrtDestroyStream(made), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_are_kept),
        cmocka_unit_test(configurations_make_streams),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
