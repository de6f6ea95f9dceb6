/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The runtime opened while threads are running, as interpreters do: its thread-local variables must fit into
 * what libc keeps for libraries that come late.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <pthread.h>

#include <cmocka.h>

static pthread_barrier_t opened;
static void *library;

static void *use_from_thread(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&opened);
    int (*destroy)(const void *) = NULL;
    *(void **)(&destroy) = dlsym(library, "aclDestroyDataBuffer");
    return (void *)(intptr_t)(destroy != NULL ? destroy(NULL) : -1);
}

static void a_thread_that_was_there_before_can_call_it(void **state)
{
    (void)state;
    pthread_t thread;
    void *result;
    pthread_barrier_init(&opened, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, use_from_thread, NULL), 0);
    library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        print_error("%s\n", dlerror());
    assert_non_null(library);
    pthread_barrier_wait(&opened);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_int_equal((intptr_t)result, 100000);
}

static void closing_it_does_not_unload_it(void **state)
{
    (void)state;
    assert_int_equal(dlclose(library), 0);
    void *again = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(again);
    dlclose(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_was_there_before_can_call_it),
        cmocka_unit_test(closing_it_does_not_unload_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
