/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * ChannelShuffle in any layout against a loop, and its rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/by_index.h"

static void channels_are_shuffled(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        struct view out = draw_output(3 + (uint32_t)random_below(3), 7);
        const int64_t groups = 1 + random_below(4);
        out.shape[1] *= groups;
        lay_out(&out, random_below(2) == 0, random_below(2) == 0);
        out.dtype = of_each_size[random_below(5)];
        out.arena = 1;
        struct view self = draw_like(0, out.dtype, out.rank, out.shape);
        if (is_too_large(&self) || is_too_large(&out))
            continue;
        int64_t to[OPERAND_RANK_MAX] = {0}, from[OPERAND_RANK_MAX];
        fill_at_random(0, bytes_of(&self) + 64);
        begin_expecting(&out);
        do {
            memcpy(from, to, sizeof from);
            from[1] = to[1] % groups * (out.shape[1] / groups) + to[1] / groups;
            memcpy(expected + place_of(&out, to), arena[0] + place_of(&self, from),
                   conversion_bytes(out.dtype));
        } while (next_index(out.rank, out.shape, to));
        ASSERT_DONE("aclnnChannelShuffle", TENSOR(&self), NUMBER(groups), TENSOR(&out));
        assert_expected(&out);
    }
}

static void rules_of_its_own(void **state)
{
    (void)state;
    struct view self = plain_view(0, ACL_FLOAT, 3, DIMS(1, 6, 2)),
                out = plain_view(1, ACL_FLOAT, 3, DIMS(1, 6, 2)),
                flat = plain_view(0, ACL_FLOAT, 2, DIMS(6, 2)),
                other = plain_view(1, ACL_INT32, 3, DIMS(1, 6, 2)),
                none = plain_view(0, ACL_FLOAT, 3, DIMS(0, 6, 2)),
                nothing = plain_view(1, ACL_FLOAT, 3, DIMS(0, 6, 2));
    ASSERT_REFUSED(CALL("aclnnChannelShuffle", TENSOR(&flat), NUMBER(2), TENSOR(&flat)),
                   "self has 2 dims; 3 or more are expected");
    ASSERT_REFUSED(CALL("aclnnChannelShuffle", TENSOR(&self), NUMBER(0), TENSOR(&out)), "groups is 0");
    ASSERT_REFUSED(CALL("aclnnChannelShuffle", TENSOR(&self), NUMBER(4), TENSOR(&out)),
                   "groups is 4; a number above 0 is expected that the 6 channels of self are a multiple of");
    ASSERT_REFUSED(CALL("aclnnChannelShuffle", TENSOR(&self), NUMBER(2), TENSOR(&other)), "out has dtype");
    ASSERT_REFUSED(CALL("aclnnChannelShuffle", TENSOR(&self), NUMBER(2), TENSOR(&nothing)), "out has shape");
    ASSERT_DONE("aclnnChannelShuffle", TENSOR(&none), NUMBER(2), TENSOR(&nothing));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_are_shuffled),
        cmocka_unit_test(rules_of_its_own),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
