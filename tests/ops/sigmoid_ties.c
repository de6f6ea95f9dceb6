/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sigmoid of doubles whose results lie next to the middle between two doubles, where the quick way must
 * leave the rounding to the careful one. MPFR knows the results.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>
#include <mpfr.h>

#include "acl/acl_rt.h"
#include "aclnnop/aclnn_sigmoid.h"

/* Those of 240 million random numbers whose results are the nearest to ties: within 2^-75 of themselves. */
static const double hard[] = {
    -0x1.026e4688471b5p+2, -0x1.c06b3d3ab78f8p+4, -0x1.5ce9366443feep-2, 0x1.b5fd84d1b272cp+0,
    -0x1.8f5d6c8b9de0fp+2, 0x1.0a0424cab3b6bp-1,  -0x1.2a8ec703c5277p-2, -0x1.1d19000ee0f94p+5,
    -0x1.9aeaceeab3dcdp+4, 0x1.aced14d4800bp-1,   -0x1.e95a0383480f5p+7, -0x1.236cfcf713b0fp+2,
    0x1.94dbd0a1ce01p-1,   -0x1.02259f1aaf911p+8, -0x1.d07ff24e0e416p-4, 0x1.7574b39e7dd14p+3,
    0x1.6157fed60498ep+1,  -0x1.63e1df46c99bdp-2, 0x1.359324164ebb5p+4,  -0x1.2135fbf3d83dfp+5,
    0x1.f7039a165ad0cp+1,  0x1.41a0356df3a06p+2,  -0x1.2bdc8dd494adbp+8, -0x1.c2796f3834ccdp+6,
    0x1.2ebc957b48018p+2,  -0x1.c2473a9c17ce5p-1, -0x1.2510111838bbcp-2, -0x1.b04764c65e8p-2,
    -0x1.bb7f595a47e08p-1, -0x1.9e97bda793c2dp-4, 0x1.323c35540641ap+3,  0x1.47d7d5bd8e47ap-1,
    -0x1.5b21c61a18d7p+6,  0x1.7e67866235924p+2,  -0x1.360df6075fc5dp+6, -0x1.b3a5c4bf61da4p+6,
    -0x1.6ab65dbf1f14fp+2, -0x1.1b32af6db7712p+5, 0x1.5977ad3920ccp+0,   0x1.349612bf28f37p+2,
};

enum { HARD = sizeof hard / sizeof *hard, COUNT = 16 * HARD };

static aclrtStream stream;

static double nearest(double y)
{
    mpfr_t value;
    mpfr_init2(value, 300);
    mpfr_set_d(value, -y, MPFR_RNDN);
    mpfr_exp(value, value, MPFR_RNDN);
    mpfr_add_ui(value, value, 1, MPFR_RNDN);
    mpfr_ui_div(value, 1, value, MPFR_RNDN);
    double result = mpfr_get_d(value, MPFR_RNDN);
    mpfr_clear(value);
    return result;
}

static void results_next_to_ties_are_rounded_once(void **state)
{
    (void)state;
    void *memory[2];
    aclTensor *tensor[2];
    const int64_t count = COUNT;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(aclrtMalloc(&memory[i], COUNT * sizeof(double), ACL_MEM_MALLOC_HUGE_FIRST), 0);
        tensor[i] = aclCreateTensor(&count, 1, ACL_DOUBLE, NULL, 0, ACL_FORMAT_ND, &count, 1, memory[i]);
    }
    double *self = memory[0], *out = memory[1];
    /* Each among ordinary numbers, of which none sends the register to the careful way, then two of them.
     * Last what always goes there. */
    static const double ordinary[] = {0, 1.5, -0.25, 3e-9, 17, -9, 123},
                        far[] = {601, -1e300, -745.5, (double)NAN};
    for (int i = 0; i < COUNT; i++)
        self[i] = i % 8 == 0 && i < 12 * HARD  ? hard[i / 8 % HARD]
                  : i < 8 * HARD || i % 8 != 1 ? ordinary[(i + 7) % 8 % 7]
                  : i < 12 * HARD              ? hard[i % HARD]
                                               : far[i / 8 % 4];
    uint64_t workspace_size;
    aclOpExecutor *executor;
    assert_int_equal(aclnnSigmoidGetWorkspaceSize(tensor[0], tensor[1], &workspace_size, &executor), 0);
    assert_int_equal(workspace_size, 0);
    assert_int_equal(aclnnSigmoid(NULL, 0, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    for (int i = 0; i < COUNT; i++) {
        double expected = nearest(self[i]);
        if (memcmp(&out[i], &expected, sizeof expected) != 0 && (out[i] == out[i] || expected == expected))
            fail_msg("sigmoid(%a) is %a, not %a", self[i], out[i], expected);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(aclDestroyTensor(tensor[i]), 0);
        assert_int_equal(aclrtFree(memory[i]), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_next_to_ties_are_rounded_once)};
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL) || aclrtDestroyStream(stream) || aclrtResetDevice(0);
}
