/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Losses in 16 bits that would lie in the middle between two numbers if it were not for a target far too
 * small for fp32 to show in the difference: self - beta / 2 is such a middle where beta is the unit in self's
 * last place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>

#include "acl/acl_rt.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "ops/host_side.h"

enum { COUNT = 1023 };

static aclrtStream stream;

/* Of a target that is 0, or next to it: the even neighbour of the middle, or the one on the exact loss's
 * side. */
static uint16_t expected(uint16_t self, uint16_t target)
{
    const uint16_t above = self & 0x7fff, below = (uint16_t)(above - 1);
    if ((target & 0x7fff) == 0)
        return above & 1 ? below : above;
    return (self ^ target) & 0x8000 ? above : below;
}

static void check(aclDataType dtype, int beta_exponent, uint16_t infinity, bool has_infinite)
{
    const int fraction_bits = dtype == ACL_FLOAT16 ? 10 : 7, bias = dtype == ACL_FLOAT16 ? 15 : 127;
    static const uint16_t targets[] = {0x0001, 0x8001, 0x0000, 0x8003, 0x8000, 0x0003};
    const int exponent = bias + fraction_bits + beta_exponent;
    const int64_t count = COUNT;
    void *memory[3];
    aclTensor *tensor[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(aclrtMalloc(&memory[i], COUNT * sizeof(uint16_t), ACL_MEM_MALLOC_HUGE_FIRST), 0);
        tensor[i] = aclCreateTensor(&count, 1, dtype, NULL, 0, ACL_FORMAT_ND, &count, 1, memory[i]);
    }
    uint16_t *number[3];
    for (int i = 0; i < 3; i++)
        number[i] = host_side(memory[i], COUNT * sizeof(uint16_t));
    uint16_t *self = number[0], *target = number[1], *result = number[2];
    for (int i = 0; i < COUNT; i++) {
        int fraction = 1 + i % ((1 << fraction_bits) - 1); /* below a power of 2 numbers lie closer */
        self[i] = (uint16_t)(i % 7 / 4 << 15 | exponent << fraction_bits | fraction);
        target[i] = targets[i % 6];
        if (has_infinite && i % 29 == 0)
            self[i] = infinity;
    }
    uint64_t workspace_size;
    aclOpExecutor *executor;
    assert_int_equal(aclnnSmoothL1LossGetWorkspaceSize(tensor[0], tensor[1], 0, ldexpf(1, beta_exponent),
                                                       tensor[2], &workspace_size, &executor),
                     0);
    assert_int_equal(workspace_size, 0);
    assert_int_equal(aclnnSmoothL1Loss(NULL, 0, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    for (int i = 0; i < COUNT; i++) {
        uint16_t right = self[i] == infinity ? infinity : expected(self[i], target[i]);
        if (result[i] != right)
            fail_msg("self %04x target %04x: %04x, not %04x", (unsigned)self[i], (unsigned)target[i],
                     (unsigned)result[i], (unsigned)right);
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(aclDestroyTensor(tensor[i]), 0);
        assert_int_equal(aclrtFree(memory[i]), 0);
    }
}

static void a_target_of_any_size_decides_ties(void **state)
{
    (void)state;
    for (int exponent = -8; exponent <= 3; exponent++)
        for (int has_infinite = 0; has_infinite < 2; has_infinite++) {
            check(ACL_FLOAT16, exponent, 0x7c00, has_infinite);
            check(ACL_BF16, exponent, 0x7f80, has_infinite);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_target_of_any_size_decides_ties)};
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL) || aclrtDestroyStream(stream) || aclrtResetDevice(0);
}
