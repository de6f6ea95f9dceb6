/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The look for numbers that are not finite, in memory that other work writes at the same time: an output of
 * two pages, whose second one has a NaN when it is looked at first and none when it is searched. Each page is
 * closed until the look comes to it, so that the handler of the fault is the other work.
 */
#include "check/numbers.h"
#include "check/reporter.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/listener.h"
#include "runtime/addresses/reach.h"
#include "runtime/tasks/access.h"

/* What the look has from the library that it is part of. */
struct memory_window memory_window;
_Atomic uint32_t settings_checks_on;
const struct listener *listener;
static char sentence[512];
static uint32_t reports;

void report_finding(const struct finding *finding, const char *format, ...)
{
    va_list arguments;
    assert_int_equal(finding->rule, RULE_NUMBER);
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    reports++;
}

static unsigned char *page; /* of two */
static size_t page_bytes;
static volatile sig_atomic_t looks;
static bool overwrites;

static const float not_a_number = __builtin_nanf("");

static void visit(struct access_visitor *visitor, const char *parameter, uint32_t mode, void *address,
                  int64_t elements)
{
    const int64_t stride = 1;
    visitor->visit(visitor, &(struct access){.address = address,
                                             .parameter = parameter,
                                             .mode = mode,
                                             .dtype = ACL_FLOAT,
                                             .element_bytes = sizeof(float),
                                             .rank = 1,
                                             .shape = &elements,
                                             .stride = &stride});
}

static void describe(const struct task *task, struct access_visitor *visitor)
{
    static float input = 1;
    (void)task;
    visit(visitor, "self", ACCESS_READ, &input, 1);
    visit(visitor, "out", ACCESS_WRITTEN, page, (int64_t)(2 * page_bytes / sizeof(float)));
}

/* Opens the page that is looked at and closes the other one. Where the look comes back to the first page
 * because it has met the NaN in the second, the NaN goes. */
static void fault(int number, siginfo_t *information, void *context)
{
    bool is_second = (unsigned char *)information->si_addr >= page + page_bytes;
    (void)number, (void)context;
    looks++;
    mprotect(page, 2 * page_bytes, PROT_READ | PROT_WRITE);
    if (overwrites && !is_second && looks > 2)
        memset(page + page_bytes, 0, page_bytes);
    mprotect(is_second ? page : page + page_bytes, page_bytes, PROT_NONE);
}

/* A task whose output is finite before and has a NaN in its second page behind. */
static void look_at_output(bool is_overwritten)
{
    const struct task task = {.describe = describe, .api = "aclnnLog"};
    struct numbers_before before;
    struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_NODEFER}, old;
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    page = (unsigned char *)mmap(NULL, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                 -1, 0);
    assert_true(page != MAP_FAILED);
    numbers_begin_on(&task, &before);
    memcpy(page + page_bytes + 2 * sizeof(float), &not_a_number, sizeof not_a_number);
    assert_int_equal(sigaction(SIGSEGV, &action, &old), 0);
    assert_int_equal(mprotect(page, 2 * page_bytes, PROT_NONE), 0);
    looks = 0;
    reports = 0;
    overwrites = is_overwritten;
    numbers_end_on(&task, &before);
    sigaction(SIGSEGV, &old, NULL);
    munmap(page, 2 * page_bytes);
    assert_int_equal(reports, 1);
}

static void a_number_that_stays_is_named(void **state)
{
    char expected[512];
    (void)state;
    look_at_output(false);
    snprintf(expected, sizeof expected,
             "aclnnLog: element %zu of %zu of out is NaN, and all inputs are finite",
             page_bytes / sizeof(float) + 2, 2 * page_bytes / sizeof(float));
    assert_string_equal(sentence, expected);
}

static void a_number_that_goes_meanwhile_ends_the_search(void **state)
{
    (void)state;
    look_at_output(true);
    assert_string_equal(sentence, "aclnnLog: an element of out was NaN or infinite, and overwritten "
                                  "meanwhile; all inputs are finite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_that_stays_is_named),
        cmocka_unit_test(a_number_that_goes_meanwhile_ends_the_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
