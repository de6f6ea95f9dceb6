/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Physical memory that processes share: both see what either writes, exported before it is mapped or after,
 * whoever ends first; and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <unistd.h>

#include "acl/acl.h"
#include "support/child.h"
#include "support/failure.h"
#include "support/pair.h"

enum { BYTES = 2 << 20, NAMED = 0, OPEN = 1 };

static bool all_are(const unsigned char *bytes, size_t count, unsigned char value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

static int make(aclrtDrvMemHandle *handle)
{
    aclrtPhysicalMemProp prop = {.memAttr = ACL_HBM_MEM_HUGE,
                                 .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
    return aclrtMallocPhysical(handle, BYTES, &prop, 0);
}

static int map(aclrtDrvMemHandle handle, unsigned char **place)
{
    void *address;
    int status = aclrtReserveMemAddress(&address, BYTES, 0, NULL, 0);
    *place = address;
    return status != 0 ? status : aclrtMapMem(address, BYTES, 0, handle, 0);
}

static int unmap(void *place)
{
    return aclrtUnmapMem(place) | aclrtReleaseMemAddress(place);
}

static size_t free_bytes(void)
{
    size_t left = 0, total;
    return aclrtGetMemInfo(ACL_HBM_MEM, &left, &total) == 0 ? left : 0;
}

static bool maps_first;

static int export_and_go_on(const struct end *end)
{
    aclrtDrvMemHandle handle;
    unsigned char *place, *other;
    uint64_t shared, again;
    char letter;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && make(&handle) == 0);
    const size_t left = free_bytes();
    if (maps_first)
        CHILD_CHECK(map(handle, &place) == 0 && aclrtMemset(place, BYTES, 7, BYTES) == 0);
    CHILD_CHECK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, OPEN, &shared) == 0);
    CHILD_CHECK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, NAMED, &again) == 0);
    CHILD_CHECK(again == shared && free_bytes() == left); /* and it is open still */
    if (!maps_first)
        CHILD_CHECK(map(handle, &place) == 0 && aclrtMemset(place, BYTES, 7, BYTES) == 0);
    CHILD_CHECK(all_are(place, BYTES, 7) && tell(end, &shared, sizeof shared) && hear(end, &letter, 1));
    CHILD_CHECK(all_are(place, BYTES, 8) && aclrtMemset(place, BYTES, 9, BYTES) == 0);
    CHILD_CHECK(tell(end, "x", 1) && hear(end, &letter, 1));
    /* What is freed is worth nothing, and its place is another piece's. */
    CHILD_CHECK(unmap(place) == 0 && aclrtFreePhysical(handle) == 0 && make(&handle) == 0);
    CHILD_CHECK(map(handle, &other) == 0 && aclrtMemset(other, BYTES, 1, BYTES) == 0);
    CHILD_CHECK(tell(end, "x", 1) && hear(end, &letter, 1) && all_are(other, BYTES, 1));
    CHILD_CHECK(unmap(other) == 0 && aclrtFreePhysical(handle) == 0);
    return aclrtResetDevice(0);
}

static int import_and_write(const struct end *end)
{
    aclrtDrvMemHandle handle, second;
    unsigned char *place, *beside;
    uint64_t shared, again;
    char letter;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && hear(end, &shared, sizeof shared));
    const size_t left = free_bytes();
    CHILD_CHECK(aclrtMemImportFromShareableHandle(shared, 0, &handle) == 0 && map(handle, &place) == 0);
    CHILD_CHECK(free_bytes() == left); /* it is the other's */
    CHILD_CHECK(all_are(place, BYTES, 7) && aclrtMemset(place, BYTES, 8, BYTES) == 0);
    CHILD_CHECK(aclrtMemset(place, BYTES + 1, 8, BYTES + 1) == 107000);
    CHILD_CHECK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, OPEN, &again) == 107000);
    CHILD_CHECK(sentence_has("was imported"));
    CHILD_CHECK(aclrtMemImportFromShareableHandle(shared, 0, &second) == 0 && map(second, &beside) == 0);
    CHILD_CHECK(all_are(beside, BYTES, 8) && unmap(beside) == 0 && aclrtFreePhysical(second) == 0);
    CHILD_CHECK(tell(end, "x", 1) && hear(end, &letter, 1) && all_are(place, BYTES, 9));
    CHILD_CHECK(tell(end, "x", 1) && hear(end, &letter, 1) && all_are(place, BYTES, 9));
    CHILD_CHECK(aclrtMemImportFromShareableHandle(shared, 0, &second) == 107000);
    CHILD_CHECK(sentence_has("shares nothing by this key any more"));
    CHILD_CHECK(aclrtMemset(place, BYTES, 3, BYTES) == 0 && tell(end, "x", 1));
    CHILD_CHECK(unmap(place) == 0 && aclrtFreePhysical(handle) == 0 && aclrtFreePhysical(handle) == 107000);
    return aclrtResetDevice(0);
}

static void both_see_what_either_writes(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        maps_first = turn == 0;
        assert_int_equal(run_both(export_and_go_on, import_and_write), 0);
    }
}

static int export_and_end(const struct end *end)
{
    aclrtDrvMemHandle handle;
    unsigned char *place;
    uint64_t shared;
    char letter;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && make(&handle) == 0 && map(handle, &place) == 0);
    CHILD_CHECK(aclrtMemset(place, BYTES, 5, BYTES) == 0);
    CHILD_CHECK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, OPEN, &shared) == 0);
    CHILD_CHECK(tell(end, &shared, sizeof shared) && hear(end, &letter, 1));
    raise(SIGKILL);
    return 1;
}

static int outlive(const struct end *end)
{
    aclrtDrvMemHandle handle, second;
    unsigned char *place, *other;
    uint64_t shared;
    char letter;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && hear(end, &shared, sizeof shared));
    CHILD_CHECK(aclrtMemImportFromShareableHandle(shared ^ 1, 0, &handle) == 107000);
    CHILD_CHECK(aclrtMemImportFromShareableHandle(shared, 0, &handle) == 0 && tell(end, "x", 1));
    CHILD_CHECK(!hear(end, &letter, 1) && map(handle, &place) == 0 && all_are(place, BYTES, 5));
    CHILD_CHECK(aclrtMemImportFromShareableHandle(shared, 0, &second) == 107000);
    /* A reset ends it, and the place gets pages of its own. */
    CHILD_CHECK(aclrtResetDevice(0) == 0 && aclrtSetDevice(0) == 0 && aclrtFreePhysical(handle) == 107000);
    CHILD_CHECK(make(&handle) == 0 && aclrtMapMem(place, BYTES, 0, handle, 0) == 0);
    CHILD_CHECK(all_are(place, BYTES, 0) && aclrtMemset(place, BYTES, 6, BYTES) == 0);
    CHILD_CHECK(make(&second) == 0 && map(second, &other) == 0 && all_are(other, BYTES, 0));
    return aclrtResetDevice(0);
}

static void memory_outlives_who_has_exported_it(void **state)
{
    (void)state;
    assert_int_equal(run_both(export_and_end, outlive), 0);
}

static int export_for_some(const struct end *end)
{
    aclrtDrvMemHandle handle;
    uint64_t shared;
    int32_t process;
    char letter;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && make(&handle) == 0);
    CHILD_CHECK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, NAMED, &shared) == 0);
    CHILD_CHECK(tell(end, &shared, sizeof shared) && hear(end, &process, sizeof process));
    CHILD_CHECK(aclrtMemSetPidToShareableHandle(shared, &process, 1) == 0 && tell(end, "x", 1));
    CHILD_CHECK(hear(end, &letter, 1) && aclrtFreePhysical(handle) == 0);
    CHILD_CHECK(aclrtMemSetPidToShareableHandle(shared, &process, 1) == 107000);
    return aclrtResetDevice(0);
}

static int ask_for_leave(const struct end *end)
{
    aclrtDrvMemHandle handle;
    uint64_t shared;
    const int32_t process = getpid();
    char letter;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && hear(end, &shared, sizeof shared));
    CHILD_CHECK(aclrtMemImportFromShareableHandle(shared, 0, &handle) == 207006);
    CHILD_CHECK(sentence_has("aclrtMemSetPidToShareableHandle, or the flag"));
    CHILD_CHECK(tell(end, &process, sizeof process) && hear(end, &letter, 1));
    CHILD_CHECK(aclrtMemImportFromShareableHandle(shared, 0, &handle) == 0 && tell(end, "x", 1));
    return aclrtFreePhysical(handle) | aclrtResetDevice(0);
}

static void only_processes_that_are_named_may_import(void **state)
{
    (void)state;
    assert_int_equal(run_both(export_for_some, ask_for_leave), 0);
}

static int refuse(void)
{
    aclrtDrvMemHandle handle;
    uint64_t shared;
    int32_t process = 1;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && make(&handle) == 0);
    CHILD_CHECK(aclrtMemExportToShareableHandle(NULL, ACL_MEM_HANDLE_TYPE_NONE, 1, &shared) == 100000);
    CHILD_CHECK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 1, NULL) == 100000);
    CHILD_CHECK(aclrtMemExportToShareableHandle(handle, (aclrtMemHandleType)1, 1, &shared) == 100000);
    CHILD_CHECK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 2, &shared) == 100000);
    CHILD_CHECK(aclrtMemExportToShareableHandle(&shared, ACL_MEM_HANDLE_TYPE_NONE, 1, &shared) == 107000);
    CHILD_CHECK(aclrtMemImportFromShareableHandle(0, 0, NULL) == 100000);
    CHILD_CHECK(aclrtMemImportFromShareableHandle(0, 99, &handle) == 107001);
    aclrtDrvMemHandle none;
    CHILD_CHECK(aclrtMemImportFromShareableHandle(0, 0, &none) == 107000);
    CHILD_CHECK(aclrtMemImportFromShareableHandle(UINT64_MAX, 0, &none) == 107000);
    CHILD_CHECK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &shared) == 0);
    CHILD_CHECK(aclrtMemSetPidToShareableHandle(shared, NULL, 1) == 100000);
    CHILD_CHECK(aclrtMemSetPidToShareableHandle(shared, &process, 0) == 100000);
    CHILD_CHECK(aclrtMemSetPidToShareableHandle(shared ^ 1, &process, 1) == 107000);
    for (int i = 0; i < 512; i++)
        CHILD_CHECK(aclrtMemSetPidToShareableHandle(shared, &process, 1) == 0);
    CHILD_CHECK(aclrtMemSetPidToShareableHandle(shared, &process, 1) == 107039);
    CHILD_CHECK(aclrtFreePhysical(handle) == 0);
    CHILD_CHECK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &shared) == 107000);
    return aclrtResetDevice(0);
}

static void what_is_no_memory_or_no_handle_is_refused(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, refuse), 0);
}

static int refuse_guarded(void)
{
    aclrtDrvMemHandle handle;
    uint64_t shared;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && make(&handle) == 0);
    CHILD_CHECK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 1, &shared) == 207000);
    CHILD_CHECK(sentence_has("BELAY_CHECK"));
    CHILD_CHECK(aclrtMemImportFromShareableHandle(1, 0, &handle) == 207000);
    return 0;
}

static void guarded_memory_is_not_shared(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_CHECK", "mem", refuse_guarded), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_see_what_either_writes),
        cmocka_unit_test(memory_outlives_who_has_exported_it),
        cmocka_unit_test(only_processes_that_are_named_may_import),
        cmocka_unit_test(what_is_no_memory_or_no_handle_is_refused),
        cmocka_unit_test(guarded_memory_is_not_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
