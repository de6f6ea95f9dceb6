/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Options of the process: 0 before one is set, bad options and values are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/failure.h"

static void an_option_is_0_until_it_is_set(void **state)
{
    (void)state;
    for (int opt = 0; opt <= 3; opt++) {
        int64_t value = -1;
        assert_int_equal(aclrtGetSysParamOpt((aclSysParamOpt)opt, &value), 0);
        assert_int_equal(value, 0);
        assert_int_equal(aclrtSetSysParamOpt((aclSysParamOpt)opt, 1), 0);
        assert_int_equal(aclrtGetSysParamOpt((aclSysParamOpt)opt, &value), 0);
        assert_int_equal(value, 1);
        assert_int_equal(aclrtSetSysParamOpt((aclSysParamOpt)opt, 0), 0);
        assert_int_equal(aclrtGetSysParamOpt((aclSysParamOpt)opt, &value), 0);
        assert_int_equal(value, 0);
    }
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    int64_t value;
    assert_failure(aclrtSetSysParamOpt((aclSysParamOpt)4, 1), 107000, "opt is 4");
    assert_failure(aclrtSetSysParamOpt((aclSysParamOpt)-1, 1), 107000, "opt is -1");
    assert_failure(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 2), 107000, "value is 2");
    assert_failure(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, -1), 107000, "value is -1");
    assert_failure(aclrtGetSysParamOpt((aclSysParamOpt)4, &value), 107000, "opt is 4");
    assert_failure(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL), 100000, "value is NULL");
    assert_failure(aclrtGetSysParamOpt((aclSysParamOpt)4, NULL), 100000, "value is NULL");
}

static void contexts_have_options_of_their_own(void **state)
{
    (void)state;
    aclrtContext first, second;
    int64_t value = -1;
    assert_failure(aclrtCtxSetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, 1), 107002, "current context");
    assert_failure(aclrtCtxGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, &value), 107002, "current context");
    assert_failure(aclrtCtxGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, NULL), 100000, "value is NULL");
    assert_failure(aclrtCtxSetSysParamOpt((aclSysParamOpt)4, 1), 107000, "opt is 4");
    assert_failure(aclrtCtxGetSysParamOpt((aclSysParamOpt)4, &value), 107000, "opt is 4");

    assert_int_equal(aclrtCreateContext(&first, 0), 0);
    assert_int_equal(aclrtCtxGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, &value), 0);
    assert_int_equal(value, 0);
    assert_failure(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 2), 107000, "value is 2");
    assert_int_equal(aclrtCtxSetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, 7), 0);
    assert_int_equal(aclrtCtxGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, &value), 0);
    assert_int_equal(value, 7);
    assert_int_equal(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 0);
    assert_int_equal(value, 0);

    assert_int_equal(aclrtCreateContext(&second, 0), 0);
    assert_int_equal(aclrtCtxGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, &value), 0);
    assert_int_equal(value, 0);
    assert_int_equal(aclrtSetCurrentContext(first), 0);
    assert_int_equal(aclrtCtxGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, &value), 0);
    assert_int_equal(aclrtDestroyContext(second), 0);
    assert_int_equal(aclrtDestroyContext(first), 0);
    /* A context that takes over the place of one that ended begins without options. */
    assert_int_equal(aclrtCreateContext(&first, 0), 0);
    assert_int_equal(aclrtCtxGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, &value), 0);
    assert_int_equal(value, 0);
    assert_int_equal(aclrtDestroyContext(first), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_option_is_0_until_it_is_set),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(contexts_have_options_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
