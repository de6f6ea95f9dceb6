/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Options of the operator compiler keep their values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "support/failure.h"

static void compiling_at_run_time_is_disabled_and_nothing_else_is_set(void **state)
{
    (void)state;
    char value[16];
    for (int opt = 0; opt <= ACL_OP_DEBUG_OPTION; opt++) {
        if (opt == ACL_OP_JIT_COMPILE)
            continue;
        assert_int_equal(aclGetCompileoptSize((aclCompileOpt)opt), 0);
        assert_failure(aclGetCompileopt((aclCompileOpt)opt, value, sizeof value), 100000, "has no value");
    }
    assert_int_equal(aclGetCompileoptSize(ACL_OP_JIT_COMPILE), 8);
    assert_int_equal(aclGetCompileopt(ACL_OP_JIT_COMPILE, value, 8), 0);
    assert_string_equal(value, "disable");
}

static void a_value_is_kept_until_the_next(void **state)
{
    (void)state;
    char value[4096], longest[4097];
    memset(longest, 'x', sizeof longest);
    longest[4095] = '\0';
    for (int opt = 0; opt <= ACL_OP_DEBUG_OPTION; opt++) {
        const char *const values[] = {"enable", "", longest};
        for (int i = 0; i < 3; i++) {
            assert_int_equal(aclSetCompileopt((aclCompileOpt)opt, values[i]), 0);
            assert_int_equal(aclGetCompileoptSize((aclCompileOpt)opt), strlen(values[i]) + 1);
            assert_int_equal(aclGetCompileopt((aclCompileOpt)opt, value, sizeof value), 0);
            assert_string_equal(value, values[i]);
        }
    }
    longest[4095] = 'x';
    longest[4096] = '\0';
    assert_failure(aclSetCompileopt(ACL_PRECISION_MODE, longest), 100000, "more than 4095 bytes");
    assert_int_equal(aclGetCompileoptSize(ACL_PRECISION_MODE), 4096);
}

static void bad_arguments_are_refused_and_nothing_is_written(void **state)
{
    (void)state;
    char value[8] = "before";
    for (int opt = -1; opt <= ACL_OP_DEBUG_OPTION + 1; opt += ACL_OP_DEBUG_OPTION + 2) {
        assert_failure(aclSetCompileopt((aclCompileOpt)opt, "a"), 100000, "opt is");
        assert_failure(aclGetCompileopt((aclCompileOpt)opt, value, 8), 100000, "opt is");
        (void)aclGetRecentErrMsg();
        assert_int_equal(aclGetCompileoptSize((aclCompileOpt)opt), 0);
        assert_sentence("opt is");
    }
    assert_failure(aclSetCompileopt(ACL_OP_DETERMINISTIC, NULL), 100000, "value is NULL");
    assert_failure(aclGetCompileopt(ACL_OP_JIT_COMPILE, NULL, 8), 100000, "value is NULL");
    assert_int_equal(aclSetCompileopt(ACL_OP_JIT_COMPILE, "disable"), 0);
    assert_failure(aclGetCompileopt(ACL_OP_JIT_COMPILE, value, 7), 100000, "length is 7; 8");
    assert_string_equal(value, "before");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiling_at_run_time_is_disabled_and_nothing_else_is_set),
        cmocka_unit_test(a_value_is_kept_until_the_next),
        cmocka_unit_test(bad_arguments_are_refused_and_nothing_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
