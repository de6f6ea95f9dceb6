/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Libraries that a program opens by itself, under several names at once, and closes: one state behind all of
 * them. This program is linked with none of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/child.h"

/* NULL with the reason printed. */
static void *open_library(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", LIBRARIES, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fprintf(stderr, "%s\n", dlerror());
    return library;
}

/* The types are those of the headers, with handles as plain pointers. */
union function {
    void *symbol;
    int (*set_device)(int32_t);
    int (*get_device)(int32_t *);
    int (*create_stream)(void **);
    int (*with_handle)(void *);
    int (*allocate)(void **, size_t, int);
    void *(*create_tensor)(const int64_t *, uint64_t, int, const int64_t *, int64_t, int, const int64_t *,
                           uint64_t, void *);
    int (*plan)(void *, void *, void *, uint64_t *, void **);
    int (*launch)(void *, uint64_t, void *, void *);
};

static union function find(void *library, const char *name)
{
    union function function = {.symbol = library != NULL ? dlsym(library, name) : NULL};
    return function;
}

static int use_under_two_names(void)
{
    void *old = open_library("libascendcl.so"), *new = open_library("libacl_rt.so");
    void *base = open_library("libnnopbase.so"), *all = open_library("libopapi.so");
    void *part = open_library("libopapi_nn.so");
    CHILD_CHECK(old != NULL && new != NULL &&base != NULL &&all != NULL &&part != NULL);
    int32_t device = -1;
    void *stream, *memory, *executor;
    uint64_t size;
    int64_t dims = 4;
    CHILD_CHECK(find(new, "aclrtSetDevice").set_device(0) == 0);
    CHILD_CHECK(find(old, "aclrtGetDevice").get_device(&device) == 0 && device == 0);
    CHILD_CHECK(find(old, "aclrtCreateStream").create_stream(&stream) == 0);
    CHILD_CHECK(find(new, "aclrtMalloc").allocate(&memory, 64, 0) == 0);
    void *tensor = find(base, "aclCreateTensor").create_tensor(&dims, 1, 0, NULL, 0, 2, &dims, 1, memory);
    CHILD_CHECK(tensor != NULL);
    /* Phase 1 through one name, phase 2 through another one. */
    union function plan = find(part, "aclnnSiluBackwardGetWorkspaceSize");
    union function launch = find(all, "aclnnSiluBackward");
    CHILD_CHECK(plan.symbol != NULL && launch.symbol != NULL);
    CHILD_CHECK(plan.plan(tensor, tensor, tensor, &size, &executor) == 0);
    CHILD_CHECK(launch.launch(NULL, 0, executor, stream) == 0);
    CHILD_CHECK(find(new, "aclrtSynchronizeStream").with_handle(stream) == 0);
    /* A tensor created under libopapi's own dependency is the same kind of thing. */
    CHILD_CHECK(find(all, "aclDestroyTensor").with_handle(tensor) == 0);
    CHILD_CHECK(find(base, "aclDestroyTensor").with_handle(tensor) == 161002);
    CHILD_CHECK(find(old, "aclrtFree").with_handle(memory) == 0 &&
                find(new, "aclrtFree").with_handle(memory) != 0);
    return 0;
}

static int open_in_any_order(void)
{
    static const char *const names[] = {"libopapi_math.so", "libopapi.so",    "libacl_rt.so",
                                        "libnnopbase.so",   "libascendcl.so", "libopapi_nn.so"};
    for (int round = 0; round < 30; round++) {
        void *library[6];
        for (int i = 0; i < 6; i++)
            library[i] = open_library(names[(i + round) % 6]);
        for (int i = 0; i < 6; i++)
            CHILD_CHECK(library[i] != NULL && dlclose(library[i]) == 0);
    }
    return use_under_two_names();
}

static _Atomic int may_end;

static void *open_and_close(void *unused)
{
    (void)unused;
    while (!atomic_load(&may_end)) {
        void *library = open_library("libopapi_nn.so");
        if (library == NULL || dlclose(library) != 0)
            return (void *)(intptr_t)1;
    }
    return NULL;
}

/* What queued work needs stays, although the last name has been closed. */
static int close_while_it_works(void)
{
    pthread_t thread;
    void *result;
    CHILD_CHECK(pthread_create(&thread, NULL, open_and_close, NULL) == 0);
    for (int i = 0; i < 20; i++) {
        CHILD_CHECK(use_under_two_names() == 0);
        void *library = open_library("libascendcl.so");
        CHILD_CHECK(library != NULL && dlclose(library) == 0);
    }
    atomic_store(&may_end, 1);
    CHILD_CHECK(pthread_join(thread, &result) == 0 && result == NULL);
    return 0;
}

static int open_last_and_exit(void)
{
    CHILD_CHECK(use_under_two_names() == 0);
    exit(0);
}

static void several_names_share_one_state(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, use_under_two_names), 0);
}

static void they_may_be_opened_and_closed_in_any_order(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, open_in_any_order), 0);
}

static void they_may_be_closed_while_work_is_done(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, close_while_it_works), 0);
}

static void a_program_may_exit_with_them_open(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, open_last_and_exit), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_names_share_one_state),
        cmocka_unit_test(they_may_be_opened_and_closed_in_any_order),
        cmocka_unit_test(they_may_be_closed_while_work_is_done),
        cmocka_unit_test(a_program_may_exit_with_them_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
