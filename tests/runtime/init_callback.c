/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that the program has aclInit and aclFinalize call. The registry is one for the process, and so
 * each test is a process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "runtime/configuration_file.h"
#include "support/child.h"
#include "support/failure.h"

/* A record of callbacks: their letters in the order of the calls. */
static char calls[32];
static int answer;

static int note(const char *letters)
{
    strncat(calls, letters, sizeof calls - strlen(calls) - 1);
    return answer;
}

static aclError on_init(const char *text, size_t length, void *user_data)
{
    if (length > 0)
        note(text[0] == '{' && length == 2 ? "{}" : "?");
    return note((const char *)user_data);
}

static aclError on_finalize(void *user_data)
{
    return note((const char *)user_data);
}

static aclError on_finalize_too(void *user_data)
{
    return note((const char *)user_data);
}

static aclError on_init_again(const char *text, size_t length, void *user_data)
{
    (void)text, (void)length, (void)user_data;
    return note(aclInit(NULL) == 100002 ? "r" : "?");
}

static int call_back_in_order(void)
{
    char a[] = "a", b[] = "b", c[] = "c", x[] = "x", y[] = "y";
    write_text("{}");
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, on_init, a) == 0);
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init, b) == 0);
    CHILD_CHECK(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_MODEL, on_finalize, x) == 0);
    CHILD_CHECK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, on_finalize, y) == 0);
    CHILD_CHECK(aclInit(path) == 0);
    CHILD_CHECK(strcmp(calls, "{}a{}b") == 0);
    CHILD_CHECK(aclInit(path) == 100002); /* which initialises nothing */
    CHILD_CHECK(aclFinalizeReference(NULL) == 0);
    CHILD_CHECK(strcmp(calls, "{}a{}b") == 0);
    CHILD_CHECK(aclFinalizeReference(NULL) == 0);
    CHILD_CHECK(strcmp(calls, "{}a{}byx") == 0);
    /* Registering again changes the data; what was taken back is not called. */
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init, c) == 0);
    CHILD_CHECK(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, on_init, a) == 0);
    CHILD_CHECK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, on_finalize, y) == 0);
    calls[0] = '\0';
    CHILD_CHECK(aclInit(NULL) == 0);
    CHILD_CHECK(aclFinalize() == 0);
    CHILD_CHECK(strcmp(calls, "cx") == 0);
    return 0;
}

static int hand_on_failures(void)
{
    char a[] = "a", b[] = "b", x[] = "x", y[] = "y";
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, on_init, a) == 0);
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_RETR, on_init, b) == 0);
    CHILD_CHECK(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_DVPP, on_finalize, x) == 0);
    CHILD_CHECK(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_RETR, on_finalize, y) == 0);
    answer = 500001;
    CHILD_CHECK(aclInit(NULL) == 500001);
    CHILD_CHECK(strcmp(calls, "a") == 0);
    CHILD_CHECK(sentence_has("returned 500001"));
    answer = 0;
    CHILD_CHECK(aclInit(NULL) == 0); /* not 100002: the first one failed */
    calls[0] = '\0';
    answer = 500003;
    CHILD_CHECK(aclFinalize() == 500003);
    CHILD_CHECK(strcmp(calls, "yx") == 0);
    CHILD_CHECK(aclFinalize() == 100037);
    return 0;
}

static int call_init_inside(void)
{
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init_again, NULL) == 0);
    CHILD_CHECK(aclInit(NULL) == 0);
    CHILD_CHECK(strcmp(calls, "r") == 0);
    return 0;
}

static int refuse_bad_callbacks(void)
{
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, NULL, NULL) == 100000);
    CHILD_CHECK(sentence_has("aclInitCallbackRegister: cbFunc is NULL"));
    CHILD_CHECK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, NULL, NULL) == 100000);
    CHILD_CHECK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, NULL, NULL) == 100000);
    CHILD_CHECK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, NULL, NULL) == 100000);
    CHILD_CHECK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, on_init, NULL) == 100000);
    CHILD_CHECK(sentence_has("is not registered"));
    CHILD_CHECK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, on_finalize, NULL) == 100000);
    CHILD_CHECK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init, NULL) == 0);
    CHILD_CHECK(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, on_init, NULL) == 100000);
    /* Of the same type, but another function. */
    CHILD_CHECK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, on_init_again, NULL) == 100000);
    CHILD_CHECK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, on_finalize, NULL) == 0);
    CHILD_CHECK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, on_finalize_too, NULL) == 100000);
    CHILD_CHECK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, on_finalize, NULL) == 0);
    for (int type = 0; type < 63; type++)
        CHILD_CHECK(aclInitCallbackRegister((aclRegisterCallbackType)type, on_init, NULL) == 0);
    CHILD_CHECK(aclInitCallbackRegister((aclRegisterCallbackType)63, on_init, NULL) == 200000);
    return 0;
}

static void callbacks_run_in_order_and_backwards(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, call_back_in_order), 0);
}

static void failures_of_callbacks_are_handed_on(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, hand_on_failures), 0);
}

static void callbacks_may_call_init(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, call_init_inside), 0);
}

static void bad_callbacks_are_refused(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, refuse_bad_callbacks), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_run_in_order_and_backwards),
        cmocka_unit_test(failures_of_callbacks_are_handed_on),
        cmocka_unit_test(callbacks_may_call_init),
        cmocka_unit_test(bad_callbacks_are_refused),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
