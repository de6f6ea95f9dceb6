/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program without libhccl, whose operators that meet other ranks say what is missing.
 */
#include "base/error.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/named_call.h"

static void what_is_missing_is_said(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnMatmulAllReduce");
    GIVE(&call, "x1", ACL_FLOAT16, 2, 3);
    GIVE(&call, "x2", ACL_FLOAT16, 3, 4);
    GIVE(&call, "output", ACL_FLOAT16, 2, 4);
    call.argument[place_named(&call, "group")] = argument_of_pointer("group");
    call.argument[place_named(&call, "reduceOp")] = argument_of_pointer("sum");
    assert_named_refused(&call, ACLNN_ERR_RUNTIME_ERROR,
                         "libhccl.so is not loaded, which has the communicators");
    end_named(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_missing_is_said)};
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
