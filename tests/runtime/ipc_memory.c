/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Memory that processes share: what one writes the other reads, whoever ends first; and which keys are
 * refused. Each case is two processes, children of the test, which has not used the library itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "support/child.h"
#include "support/failure.h"
#include "support/pair.h"

enum { LARGE = 5 << 20, SMALL = 3000, KEY = 65 };
static const uint64_t OPEN = ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION;
static const uint64_t NAMED = ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT;

static int open_device(void **block, size_t bytes)
{
    return aclrtSetDevice(0) | aclrtMalloc(block, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
}

static bool all_are(const unsigned char *bytes, size_t count, unsigned char value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

static size_t length_of; /* of the block in the cases below */

static int export_and_go_on(const struct end *end)
{
    unsigned char *block, *neighbour;
    char key[KEY], letter;
    CHILD_CHECK(open_device((void **)&block, length_of) == 0);
    CHILD_CHECK(aclrtMalloc((void **)&neighbour, length_of, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHILD_CHECK(aclrtMemset(block, length_of, 7, length_of) == 0);
    CHILD_CHECK(aclrtMemset(neighbour, length_of, 9, length_of) == 0);
    CHILD_CHECK(aclrtIpcMemGetExportKey(block, length_of, key, sizeof key, OPEN) == 0 && strlen(key) == 64);
    char again[KEY];
    CHILD_CHECK(aclrtIpcMemGetExportKey(block, length_of, again, sizeof again, OPEN) == 0);
    CHILD_CHECK(strcmp(key, again) == 0);
    /* The address is what it was, and so are the numbers, here and beside it. */
    CHILD_CHECK(all_are(block, length_of, 7) && all_are(neighbour, length_of, 9));
    CHILD_CHECK(tell(end, key, sizeof key) && hear(end, &letter, 1));
    CHILD_CHECK(all_are(block, length_of, 8));
    CHILD_CHECK(aclrtMemset(block, length_of, 11, length_of) == 0 && tell(end, "x", 1) &&
                hear(end, &letter, 1));
    /* What is freed is given out again as the process's own. */
    CHILD_CHECK(aclrtFree(block) == 0);
    CHILD_CHECK(aclrtMalloc((void **)&block, length_of, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHILD_CHECK(aclrtMemset(block, length_of, 13, length_of) == 0 && tell(end, "x", 1) &&
                hear(end, &letter, 1));
    CHILD_CHECK(all_are(block, length_of, 13) && all_are(neighbour, length_of, 9));
    CHILD_CHECK(aclrtResetDevice(0) == 0);
    return 0;
}

static int import_and_write(const struct end *end)
{
    unsigned char *shared, *again, *own;
    char key[KEY], letter;
    CHILD_CHECK(open_device((void **)&own, length_of) == 0 && hear(end, key, sizeof key));
    CHILD_CHECK(aclrtIpcMemImportByKey((void **)&shared, key, 1) == 0 && all_are(shared, length_of, 7));
    CHILD_CHECK(aclrtIpcMemImportByKey((void **)&again, key, 0) == 0 && again == shared);
    CHILD_CHECK((uintptr_t)shared % 512 == 0);
    CHILD_CHECK(aclrtMemcpy(own, length_of, shared, length_of, ACL_MEMCPY_DEVICE_TO_DEVICE) == 0);
    CHILD_CHECK(all_are(own, length_of, 7));
    CHILD_CHECK(aclrtMemset(shared, length_of, 8, length_of + 1) == 107000); /* it has its length */
    CHILD_CHECK(aclrtMemset(shared, length_of, 8, length_of) == 0);
    CHILD_CHECK(aclrtFree(shared) == 107000 && sentence_has("another process shares"));
    CHILD_CHECK(tell(end, "x", 1) && hear(end, &letter, 1) && all_are(shared, length_of, 11));
    CHILD_CHECK(aclrtIpcMemClose(key) == 0 && all_are(shared, length_of, 11)); /* once more */
    CHILD_CHECK(tell(end, "x", 1) && hear(end, &letter, 1));
    if (length_of == LARGE)
        CHILD_CHECK(all_are(shared, length_of, 11)); /* the exporter's new block is another one's memory */
    CHILD_CHECK(aclrtIpcMemClose(key) == 0 && aclrtIpcMemClose(key) == 107000);
    CHILD_CHECK(aclrtFree(shared) == 107000 && sentence_has("is not memory of this library"));
    CHILD_CHECK(aclrtIpcMemImportByKey((void **)&shared, key, 0) == 107000);
    CHILD_CHECK(sentence_has("shares nothing by this key any more"));
    CHILD_CHECK(tell(end, "x", 1) && aclrtResetDevice(0) == 0);
    return 0;
}

static void both_see_what_either_writes(void **state)
{
    (void)state;
    static const size_t lengths[] = {SMALL, LARGE, 1 << 21, 512};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        length_of = lengths[i];
        const int line = run_both(export_and_go_on, import_and_write);
        if (line != 0)
            fail_msg("%zu bytes: line %d (of 256)", length_of, line);
    }
}

static int export_and_end(const struct end *end)
{
    unsigned char *block;
    char key[KEY], letter;
    CHILD_CHECK(open_device((void **)&block, LARGE) == 0 && aclrtMemset(block, LARGE, 5, LARGE) == 0);
    CHILD_CHECK(aclrtIpcMemGetExportKey(block + 1000, LARGE - 1000, key, sizeof key, OPEN) == 0);
    CHILD_CHECK(tell(end, key, sizeof key) && hear(end, &letter, 1));
    raise(SIGKILL);
    return 1;
}

static int outlive(const struct end *end)
{
    unsigned char *shared, *again;
    char key[KEY], other[KEY], letter;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && hear(end, key, sizeof key));
    CHILD_CHECK(aclrtIpcMemImportByKey((void **)&shared, key, 0) == 0 && tell(end, "x", 1));
    CHILD_CHECK(!hear(end, &letter, 1)); /* it is gone */
    CHILD_CHECK(all_are(shared, LARGE - 1000, 5) && aclrtMemset(shared, LARGE - 1000, 6, LARGE - 1000) == 0);
    CHILD_CHECK(aclrtIpcMemImportByKey((void **)&again, key, 0) == 0 && again == shared);
    memcpy(other, key, sizeof other);
    other[63] = other[63] == '0' ? '1' : '0'; /* the secret */
    CHILD_CHECK(aclrtIpcMemImportByKey((void **)&again, other, 0) == 107000 && sentence_has("has ended"));
    return aclrtResetDevice(0);
}

static void memory_outlives_who_has_exported_it(void **state)
{
    (void)state;
    assert_int_equal(run_both(export_and_end, outlive), 0);
}

static int export_for_some(const struct end *end)
{
    unsigned char *block;
    char key[KEY], letter;
    int32_t process;
    CHILD_CHECK(open_device((void **)&block, LARGE) == 0);
    CHILD_CHECK(aclrtIpcMemGetExportKey(block, LARGE, key, sizeof key, NAMED) == 0);
    CHILD_CHECK(tell(end, key, sizeof key) && hear(end, &process, sizeof process));
    CHILD_CHECK(aclrtIpcMemSetImportPid(key, &process, 1) == 0 && tell(end, "x", 1) && hear(end, &letter, 1));
    CHILD_CHECK(aclrtIpcMemClose(key) == 0 && aclrtIpcMemClose(key) == 107000);
    CHILD_CHECK(aclrtIpcMemSetImportPid(key, &process, 1) == 107000);
    CHILD_CHECK(tell(end, "x", 1) && hear(end, &letter, 1));
    return aclrtFree(block) | aclrtResetDevice(0);
}

static int ask_for_leave(const struct end *end)
{
    void *shared;
    char key[KEY], letter;
    const int32_t process = getpid();
    CHILD_CHECK(aclrtSetDevice(0) == 0 && hear(end, key, sizeof key));
    CHILD_CHECK(aclrtIpcMemImportByKey(&shared, key, 0) == 207006 && sentence_has("that it names"));
    CHILD_CHECK(tell(end, &process, sizeof process) && hear(end, &letter, 1));
    CHILD_CHECK(aclrtIpcMemImportByKey(&shared, key, 0) == 0 && aclrtIpcMemClose(key) == 0);
    CHILD_CHECK(tell(end, "x", 1) && hear(end, &letter, 1));
    CHILD_CHECK(aclrtIpcMemImportByKey(&shared, key, 0) == 107000 && tell(end, "x", 1));
    return aclrtResetDevice(0);
}

static void only_processes_that_are_named_may_import(void **state)
{
    (void)state;
    assert_int_equal(run_both(export_for_some, ask_for_leave), 0);
}

/* Counts up in a block while it is exported: no step may be lost. */
enum { STEPS = 40000 };
static _Atomic bool may_export, is_exporting;

static void *count_up(void *block)
{
    aclrtStream stream;
    unsigned char *cells = block;
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0)
        return block;
    for (int i = 0; i < STEPS; i++) {
        /* By a queued copy, a blocking one and a set in turns, each from the cell before. */
        unsigned char *to = cells + 4096 + 512 * (i + 1), *from = cells + 4096 + 512 * i;
        int status = i % 3 == 0   ? aclrtMemcpyAsync(to, 512, from, 512, ACL_MEMCPY_DEVICE_TO_DEVICE, stream)
                     : i % 3 == 1 ? aclrtMemcpy(to, 512, from, 512, ACL_MEMCPY_DEVICE_TO_DEVICE)
                                  : aclrtMemcpyAsync(to, 512, from, 512, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
        if (status != 0 || (i % 3 == 0 && aclrtSynchronizeStream(stream) != 0) ||
            (i % 3 == 2 && aclrtSynchronizeStream(stream) != 0))
            return block;
        if (i == STEPS / 10)
            for (atomic_store(&may_export, true); !atomic_load(&is_exporting);)
                continue;
    }
    return aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0 ? block : NULL;
}

static int export_amid_work(void)
{
    unsigned char *block;
    pthread_t thread;
    void *failed;
    char key[KEY];
    const size_t bytes = 4096 + 512 * (STEPS + 1);
    CHILD_CHECK(open_device((void **)&block, bytes) == 0 && aclrtMemset(block, bytes, 0, bytes) == 0);
    CHILD_CHECK(aclrtMemset(block + 4096, 512, 42, 512) == 0);
    CHILD_CHECK(pthread_create(&thread, NULL, count_up, block) == 0);
    while (!atomic_load(&may_export))
        usleep(10);
    atomic_store(&is_exporting, true);
    CHILD_CHECK(aclrtIpcMemGetExportKey(block, bytes, key, sizeof key, OPEN) == 0);
    CHILD_CHECK(pthread_join(thread, &failed) == 0 && failed == NULL);
    CHILD_CHECK(all_are(block + 4096, bytes - 4096, 42));
    /* In the same process a key is another address of the same memory. */
    unsigned char *alias;
    CHILD_CHECK(aclrtIpcMemImportByKey((void **)&alias, key, 0) == 0 && alias != block);
    CHILD_CHECK(aclrtMemset(alias, 1, 1, 1) == 0 && block[0] == 1 && aclrtIpcMemClose(key) == 0);
    CHILD_CHECK(aclrtIpcMemClose(key) == 0); /* the export */
    return aclrtFree(block) | aclrtResetDevice(0);
}

static void no_work_is_lost_while_pages_are_exchanged(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        assert_int_equal(run_in_child(NULL, NULL, export_amid_work), 0);
}

static void wait_for_flag(void *flag)
{
    while (!atomic_load((_Atomic bool *)flag))
        usleep(100);
}

static int refuse(void)
{
    unsigned char *block;
    void *shared;
    char key[KEY], small[64];
    int32_t process = 1;
    int local = 0;
    CHILD_CHECK(open_device((void **)&block, SMALL) == 0);
    CHILD_CHECK(aclrtIpcMemGetExportKey(NULL, 1, key, KEY, OPEN) == 100000 && sentence_has("devPtr is NULL"));
    CHILD_CHECK(aclrtIpcMemGetExportKey(block, 1, NULL, KEY, OPEN) == 100000 && sentence_has("key is NULL"));
    CHILD_CHECK(aclrtIpcMemGetExportKey(block, 0, key, KEY, OPEN) == 100000 && sentence_has("size is 0"));
    CHILD_CHECK(aclrtIpcMemGetExportKey(block, 1, small, 64, OPEN) == 100000 && sentence_has("len is 64"));
    CHILD_CHECK(aclrtIpcMemGetExportKey(block, 1, key, KEY, 2) == 100000 && sentence_has("flag is 2"));
    CHILD_CHECK(aclrtIpcMemGetExportKey(&local, 1, key, KEY, OPEN) == 107000 && sentence_has("aclrtMalloc"));
    CHILD_CHECK(aclrtIpcMemGetExportKey(block, SMALL + 1, key, KEY, OPEN) == 107000);
    CHILD_CHECK(aclrtIpcMemImportByKey(NULL, key, 0) == 100000 && sentence_has("devPtr is NULL"));
    CHILD_CHECK(aclrtIpcMemImportByKey(&shared, NULL, 0) == 100000 && sentence_has("key is NULL"));
    CHILD_CHECK(aclrtIpcMemGetExportKey(block, SMALL, key, KEY, OPEN) == 0);
    CHILD_CHECK(aclrtIpcMemImportByKey(&shared, key, 2) == 100000 && sentence_has("flag is 2"));
    CHILD_CHECK(aclrtIpcMemImportByKey(&shared, "rubbish", 0) == 107000 && sentence_has("'rubbish'"));
    CHILD_CHECK(aclrtIpcMemSetImportPid(NULL, &process, 1) == 100000);
    CHILD_CHECK(aclrtIpcMemSetImportPid(key, NULL, 1) == 100000 && sentence_has("pid is NULL"));
    CHILD_CHECK(aclrtIpcMemSetImportPid(key, &process, 0) == 100000 && sentence_has("num is 0"));
    for (int i = 0; i < 512; i++)
        CHILD_CHECK(aclrtIpcMemSetImportPid(key, &process, 1) == 0);
    CHILD_CHECK(aclrtIpcMemSetImportPid(key, &process, 1) == 107039 && sentence_has("512"));
    CHILD_CHECK(aclrtIpcMemClose(NULL) == 100000 && aclrtIpcMemClose("") == 107000);
    /* The length within a key cannot reach behind the memory. */
    char longer[KEY];
    memcpy(longer, key, KEY);
    longer[8 + 6 + 2 + 12] = '7';
    CHILD_CHECK(aclrtIpcMemImportByKey(&shared, longer, 0) == 107000);
    CHILD_CHECK(aclrtFree(block) == 0 && aclrtIpcMemImportByKey(&shared, key, 0) == 107000);
    CHILD_CHECK(aclrtIpcMemGetExportKey(block, 1, key, KEY, OPEN) == 107000 && sentence_has("already freed"));
    CHILD_CHECK(aclrtResetDevice(0) == 0);
    CHILD_CHECK(aclrtIpcMemImportByKey(&shared, key, 0) == 107002);
    return 0;
}

static void what_is_no_memory_or_no_key_is_refused(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, refuse), 0);
}

static int refuse_guarded(void)
{
    void *block;
    char key[KEY];
    CHILD_CHECK(open_device(&block, SMALL) == 0);
    CHILD_CHECK(aclrtIpcMemGetExportKey(block, SMALL, key, KEY, OPEN) == 207000 &&
                sentence_has("BELAY_CHECK"));
    memset(key, '0', KEY - 1);
    key[KEY - 1] = '\0';
    CHILD_CHECK(aclrtIpcMemImportByKey(&block, key, 0) == 207000 && sentence_has("BELAY_CHECK"));
    return 0;
}

static void guarded_memory_is_not_shared(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_CHECK", "mem", refuse_guarded), 0);
}

static int export_behind_a_callback(void)
{
    unsigned char *block;
    char key[KEY];
    aclrtStream stream;
    static _Atomic bool may_go;
    CHILD_CHECK(open_device((void **)&block, SMALL) == 0 && aclrtCreateStream(&stream) == 0);
    CHILD_CHECK(aclrtLaunchHostFunc(stream, wait_for_flag, &may_go) == 0);
    CHILD_CHECK(aclrtIpcMemGetExportKey(block, SMALL, key, KEY, OPEN) == 107020);
    CHILD_CHECK(sentence_has("aclrtSynchronizeDevice is expected before"));
    atomic_store(&may_go, true);
    CHILD_CHECK(aclrtIpcMemGetExportKey(block, SMALL, key, KEY, OPEN) == 0);
    return aclrtDestroyStream(stream) | aclrtFree(block) | aclrtResetDevice(0);
}

static void work_that_does_not_end_is_waited_for_in_vain(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, export_behind_a_callback), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_see_what_either_writes),
        cmocka_unit_test(memory_outlives_who_has_exported_it),
        cmocka_unit_test(only_processes_that_are_named_may_import),
        cmocka_unit_test(no_work_is_lost_while_pages_are_exchanged),
        cmocka_unit_test(what_is_no_memory_or_no_key_is_refused),
        cmocka_unit_test(guarded_memory_is_not_shared),
        cmocka_unit_test(work_that_does_not_end_is_waited_for_in_vain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
