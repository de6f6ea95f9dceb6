/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What happens when the process may have no more memory: every kind of object is created until one is
 * refused. The memory of slots is kept for ever, so each kind has a process of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <cmocka.h>

#include "acl/acl_rt.h"
#include "support/child.h"
#include "support/copy_operation.h"

enum { ROOM = 32 << 20, OBJECTS = 1 << 20 };

static void *objects[OBJECTS];

/* Lets the process have ROOM more bytes than it has. */
static bool limit_memory(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%lu", &pages) != 1)
        return false;
    fclose(file);
    rlim_t bytes = pages * (rlim_t)sysconf(_SC_PAGESIZE) + ROOM;
    return setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}) == 0;
}

/* Creates until NULL, looks at the sentence, ends one and creates one in its place. */
static int create_until_refused(void *(*create)(void), bool (*destroy)(void *object), const char *sentence)
{
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    void *first = create();
    CHILD_CHECK(first != NULL && destroy(first));
    CHILD_CHECK(limit_memory());
    int count = 0;
    while (count < OBJECTS && (objects[count] = create()) != NULL)
        count++;
    CHILD_CHECK(count > 64 && count < OBJECTS);
    const char *text = aclGetRecentErrMsg();
    CHILD_CHECK(text != NULL && strstr(text, sentence) != NULL);
    CHILD_CHECK(create() == NULL);
    CHILD_CHECK(destroy(objects[0]));
    objects[0] = create();
    CHILD_CHECK(objects[0] != NULL);
    for (int i = 0; i < count; i++)
        CHILD_CHECK(destroy(objects[i]));
    return 0;
}

static void *create_tensor(void)
{
    return create_floats(1, NULL);
}

static bool destroy_tensor(void *object)
{
    return aclDestroyTensor((aclTensor *)object) == 0;
}

static int exhaust_tensors(void)
{
    return create_until_refused(create_tensor, destroy_tensor, "aclCreateTensor: there is no memory");
}

static void *create_scalar(void)
{
    float value = 1;
    return aclCreateScalar(&value, ACL_FLOAT);
}

static bool destroy_scalar(void *object)
{
    return aclDestroyScalar((aclScalar *)object) == 0;
}

static int exhaust_scalars(void)
{
    return create_until_refused(create_scalar, destroy_scalar, "aclCreateScalar: there is no memory");
}

static void *create_array(void)
{
    static const int64_t values[100] = {1};
    return aclCreateIntArray(values, 100);
}

static bool destroy_array(void *object)
{
    return aclDestroyIntArray((aclIntArray *)object) == 0;
}

static int exhaust_arrays(void)
{
    return create_until_refused(create_array, destroy_array, "aclCreateIntArray: ");
}

static void *create_executor(void)
{
    struct copy_plan plan = {.count = 0};
    struct executor_request request = {
        .operation = &copy_operation, .plan = &plan, .plan_bytes = sizeof plan};
    uint64_t workspace = 77;
    aclOpExecutor *executor = NULL;
    aclnnStatus status = executor_create(&request, &workspace, &executor);
    /* On failure nothing is written. */
    if (status != 0 && (status != 561101 || workspace != 77 || executor != NULL))
        return &objects; /* no executor: fails to be destroyed */
    return executor;
}

static bool destroy_executor(void *object)
{
    return aclDestroyAclOpExecutor((aclOpExecutor *)object) == 0;
}

static int exhaust_executors(void)
{
    return create_until_refused(create_executor, destroy_executor, "aclnnCopyGetWorkspaceSize: there is no");
}

static void creators_answer_null_and_go_on_when_something_has_been_destroyed(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, exhaust_tensors), 0);
    assert_int_equal(run_in_child(NULL, NULL, exhaust_scalars), 0);
    assert_int_equal(run_in_child(NULL, NULL, exhaust_arrays), 0);
    assert_int_equal(run_in_child(NULL, NULL, exhaust_executors), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creators_answer_null_and_go_on_when_something_has_been_destroyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
