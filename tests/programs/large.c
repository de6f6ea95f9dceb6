/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors of more than 2^31 elements, and strides and dims beyond 2^31. Needs 9 GiB of memory:
 * scripts/soak.sh runs it. Every element of a result is compared with what one of the 2^16 values of bf16
 * gives alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"

/* Not a multiple of any block, tile or chunk. */
static const int64_t MANY = ((int64_t)1 << 31) + 12345;

static aclrtStream stream;
static uint16_t *self, *result; /* device memory of MANY elements each; the host reads it here */
static uint16_t *gradient;      /* of one element */

static aclTensor *view(uint16_t *data, uint64_t rank, const int64_t *dims, const int64_t *strides,
                       int64_t storage)
{
    return aclCreateTensor(dims, rank, ACL_BF16, strides, 0, ACL_FORMAT_ND, &storage, 1, data);
}

static aclnnStatus hardswish_backward(aclTensor *g, aclTensor *x, aclTensor *out)
{
    uint64_t size = 0;
    void *workspace = NULL;
    aclOpExecutor *executor = NULL;
    aclnnStatus status = aclnnHardswishBackwardGetWorkspaceSize(g, x, out, &size, &executor);
    if (status != 0)
        return status;
    if (size > 0 && aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return -1;
    status = aclnnHardswishBackward(workspace, size, executor, stream);
    if (status == 0)
        status = aclrtSynchronizeStream(stream);
    if (workspace != NULL)
        aclrtFree(workspace);
    return status;
}

/* What each value of self gives in a small call. */
static void tabulate(uint16_t *table)
{
    const int64_t dims = 65536, one = 1, repeated = 0;
    for (unsigned i = 0; i < 65536; i++)
        self[i] = (uint16_t)i;
    aclTensor *g = view(gradient, 1, &dims, &repeated, 1), *x = view(self, 1, &dims, &one, MANY),
              *out = view(result, 1, &dims, &one, MANY);
    assert_int_equal(hardswish_backward(g, x, out), 0);
    for (unsigned i = 0; i < 65536; i++)
        table[i] = result[i];
    aclDestroyTensor(g);
    aclDestroyTensor(x);
    aclDestroyTensor(out);
}

static uint16_t value_at(int64_t index)
{
    return (uint16_t)((uint64_t)index * 40503 >> 3);
}

static void every_element_of_more_than_2_to_the_31_is_computed(void **state)
{
    (void)state;
    static uint16_t table[65536];
    const int64_t one = 1, repeated = 0;
    tabulate(table);
    for (int64_t i = 0; i < MANY; i++)
        self[i] = value_at(i);
    aclTensor *g = view(gradient, 1, &MANY, &repeated, 1), *x = view(self, 1, &MANY, &one, MANY),
              *out = view(result, 1, &MANY, &one, MANY);
    assert_int_equal(hardswish_backward(g, x, out), 0);
    uint64_t wrong = 0;
    for (int64_t i = 0; i < MANY; i++)
        wrong += result[i] != table[self[i]];
    printf("%lld elements, %llu wrong\n", (long long)MANY, (unsigned long long)wrong);
    assert_int_equal(wrong, 0);

    /* The same over memory that is read, in rows of an odd length, and not in the order of memory. */
    const int64_t rows = 2, columns = MANY / 2, dims[2] = {columns, rows}, strides[2] = {1, columns};
    aclTensor *turned = view(self, 2, dims, strides, MANY);
    const int64_t none[2] = {0, 0};
    aclTensor *expanded = view(gradient, 2, dims, none, 1);
    assert_int_equal(hardswish_backward(expanded, turned, turned), 0);
    for (int64_t i = 0; i < rows * columns; i++)
        wrong += self[i] != table[value_at(i)];
    assert_int_equal(wrong, 0);
    aclDestroyTensor(g);
    aclDestroyTensor(x);
    aclDestroyTensor(out);
    aclDestroyTensor(turned);
    aclDestroyTensor(expanded);
}

static void strides_beyond_2_to_the_31_reach_their_elements(void **state)
{
    (void)state;
    static uint16_t table[65536];
    tabulate(table);
    const int64_t far = MANY - 8, dims[2] = {2, 8}, strides[2] = {far, 1};
    for (int64_t i = 0; i < 8; i++) {
        self[i] = (uint16_t)(0x3f80 + i);
        self[far + i] = (uint16_t)(0xbf00 + i);
        result[i] = result[far + i] = 0;
    }
    const int64_t none[2] = {0, 0};
    aclTensor *g = view(gradient, 2, dims, none, 1), *x = view(self, 2, dims, strides, MANY),
              *out = view(result, 2, dims, strides, MANY);
    assert_int_equal(hardswish_backward(g, x, out), 0);
    for (int64_t i = 0; i < 8; i++) {
        assert_int_equal(result[i], table[0x3f80 + i]);
        assert_int_equal(result[far + i], table[0xbf00 + i]);
    }
    aclDestroyTensor(g);
    aclDestroyTensor(x);
    aclDestroyTensor(out);
}

static void dims_that_no_memory_holds_are_refused(void **state)
{
    (void)state;
    const int64_t huge[2] = {MANY, MANY}, none[2] = {0, 0}, strides[2] = {MANY, 1};
    aclTensor *g = view(gradient, 2, huge, none, 1), *out = view(result, 2, huge, none, MANY),
              *beyond = view(result, 2, huge, strides, MANY);
    if (out != NULL)
        assert_int_equal(hardswish_backward(g, g, out), 161002);
    if (beyond != NULL)
        assert_int_not_equal(hardswish_backward(g, g, beyond), 0);
    aclDestroyTensor(g);
    aclDestroyTensor(out);
    aclDestroyTensor(beyond);
}

static int set_up(void **state)
{
    (void)state;
    const size_t bytes = (size_t)MANY * sizeof(uint16_t);
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
        aclrtMalloc((void **)&gradient, sizeof *gradient, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
        aclrtMalloc((void **)&self, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
        aclrtMalloc((void **)&result, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != 0) {
        printf("%s\n", aclGetRecentErrMsg());
        return -1;
    }
    *gradient = 0x3fb5; /* 1.41 */
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    aclrtFree(self);
    aclrtFree(result);
    aclrtFree(gradient);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    return aclFinalize();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_of_more_than_2_to_the_31_is_computed),
        cmocka_unit_test(strides_beyond_2_to_the_31_reach_their_elements),
        cmocka_unit_test(dims_that_no_memory_holds_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
