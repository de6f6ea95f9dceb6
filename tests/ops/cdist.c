/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Distances of rows and their gradient, in any layout and dtype, against long double; what is refused; and
 * that bits depend neither on the level nor on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl_op_compiler.h"
#include "ops/normalisation.h"
#include "support/effort.h"

enum { ACROSS = 2 };

/* Of whole numbers over 4, so that some elements and some rows agree; or over 3, whose differences are
 * rounded. from_0 is added to every other one: far from 0 squares of rows cancel. */
static int64_t divisor = 4, from_0 = 0;
static void give_rows(unsigned place, aclDataType dtype, int64_t batches, int64_t rows, int64_t length)
{
    const int64_t shape[] = {batches, rows, length};
    give(place, dtype, batches > 1 ? 3 : 2, batches > 1 ? shape : shape + 1, false, 1);
    for (int64_t i = 0; i < call.tensor[place].count; i++) {
        set_element(&call.tensor[place], i,
                    (double)(i % 2 * from_0) + (double)(random_below(9) - 4) / (double)divisor);
        call.before[place][i] = (long double)element_of(&call.tensor[place], i);
    }
}

static long double distance_of(const long double *a, const long double *b, int64_t length, float p)
{
    long double sum = 0;
    for (int64_t i = 0; i < length; i++) {
        const long double apart = fabsl(a[i] - b[i]);
        sum = isinf(p) ? fmaxl(sum, apart) : sum + (p == 0 ? apart != 0 : powl(apart, (long double)p));
    }
    return isinf(p) || p == 0 ? sum : powl(sum, 1 / (long double)p);
}

static long double rounded(long double number, aclDataType dtype)
{
    const double from = (double)number;
    double to;
    unsigned char element[8];
    conversion_reference(&from, ACL_DOUBLE, element, dtype);
    conversion_reference(element, dtype, &to, ACL_DOUBLE);
    return (long double)to;
}

/* Distances are of the dtype: the greatest difference is compared with them as it is rounded to it. */
static long double slope_of(long double apart, long double distance, float p, aclDataType dtype)
{
    if (p == 0 || apart == 0 || distance == 0)
        return 0;
    const long double sign = apart < 0 ? -1 : 1;
    return isinf(p) ? sign * (rounded(fabsl(apart), dtype) == distance)
                    : sign * powl(fabsl(apart) / distance, (long double)p - 1);
}

static const float powers[] = {0, 0.5F, 1, 1.5F, 2, 3, INFINITY};

static void distances_are_those_of_long_double(void **state)
{
    static long double wanted[ELEMENTS];
    (void)state;
    for (int round = 0; round < times_effort(150); round++) {
        const aclDataType dtype = draw_dtype();
        const float p = powers[round % 7];
        const int64_t batches = 1 + random_below(3), rows = 1 + random_below(7), across = 1 + random_below(9),
                      length = random_below(round % 9 == 0 ? 300 : 12), repeats = random_below(2) + 1;
        const int64_t second = repeats == 1 ? 1 : batches, shape[] = {batches, rows, across};
        divisor = 3 + random_below(2);
        give_rows(0, dtype, batches, rows, length), give_rows(1, dtype, second, across, length);
        call.argument[ACROSS].fp32 = p;
        call.argument[3].int64 = random_below(3);
        give(4, dtype, batches > 1 ? 3 : 2, batches > 1 ? shape : shape + 1, false, 1);
        assert_int_equal(call_function(find("aclnnCdist"), call.argument), 0);
        for (int64_t i = 0; i < batches * rows * across; i++) {
            const int64_t batch = i / (rows * across), row = i / across, other = i % across;
            wanted[i] =
                distance_of(call.before[0] + row * length,
                            call.before[1] + ((second > 1 ? batch : 0) * across + other) * length, length, p);
        }
        assert_output("aclnnCdist", 4, true, wanted, 0x1p-40L);
        forget_call(find("aclnnCdist"));
    }
}

/* Where squares and products would leave nothing, and beside rows where they would not. */
static void rows_that_lie_close_are_told_apart(void **state)
{
    enum { ROWS = 7, OTHERS = 19 };
    static const int64_t lengths[] = {3, 40, 64, 1025}, shape[] = {ROWS, OTHERS};
    static long double wanted[ROWS * OTHERS];
    (void)state;
    divisor = 3;
    for (size_t round = 0; round < 2 * (sizeof lengths / sizeof lengths[0]); round++) {
        const int64_t length = lengths[round / 2];
        from_0 = 65536;
        give_rows(0, ACL_FLOAT, 1, ROWS, length);
        from_0 = round % 2 == 0 ? 65536 : 65000;
        give_rows(1, ACL_FLOAT, 1, OTHERS, length);
        for (int64_t i = 0; i < 4 * length; i++) { /* some rows lie where the sizes decide */
            set_element(&call.tensor[1], i, (double)(i / length) * 4096);
            call.before[1][i] = (long double)element_of(&call.tensor[1], i);
        }
        call.argument[ACROSS].fp32 = 2;
        call.argument[3].int64 = 0;
        give(4, ACL_FLOAT, 2, shape, false, 1);
        assert_int_equal(call_function(find("aclnnCdist"), call.argument), 0);
        for (int64_t i = 0; i < ROWS * OTHERS; i++)
            wanted[i] = distance_of(call.before[0] + i / OTHERS * length,
                                    call.before[1] + i % OTHERS * length, length, 2);
        assert_output("aclnnCdist", 4, true, wanted, 0x1p-40L);
        forget_call(find("aclnnCdist"));
    }
    from_0 = 0;
}

/* The last place of the distance of these two rows hangs on the order in which their squares are added. */
static void distances_are_the_same_both_ways(void **state)
{
    enum { LENGTH = 7 };
    static const double row[2][LENGTH] = {{0x1.78b886p-2, 0x1.b1562ep-4, 0x1.b361a6p-5, 0x1.56850ap-5,
                                           0x1.21064ap-5, 0x1.9b95bep-6, 0x1.5ec612p-6},
                                          {0x1.4e86c6p-2, 0x1.6f6de6p-4, 0x1.eb074cp-5, 0x1.6151ep-5,
                                           0x1.e06bc8p-6, 0x1.b40f2ep-6, 0x1.61f83p-6}};
    static const int64_t shape[] = {2, 2};
    (void)state;
    for (unsigned place = 0; place < 2; place++) {
        give_rows(place, ACL_FLOAT, 1, 2, LENGTH);
        for (int64_t i = 0; i < 2 * LENGTH; i++)
            set_element(&call.tensor[place], i, row[i / LENGTH][i % LENGTH]);
    }
    call.argument[ACROSS].fp32 = 2;
    call.argument[3].int64 = 0;
    give(4, ACL_FLOAT, 2, shape, false, 1);
    assert_int_equal(call_function(find("aclnnCdist"), call.argument), 0);
    assert_memory_equal(layout_element(&call.tensor[4], 1), layout_element(&call.tensor[4], 2),
                        sizeof(float));
    forget_call(find("aclnnCdist"));
}

static void gradients_are_those_of_long_double(void **state)
{
    static long double wanted[ELEMENTS], size;
    (void)state;
    for (int round = 0; round < times_effort(150); round++) {
        const aclDataType dtype = draw_dtype();
        const float p = powers[round % 7];
        const int64_t batches = 1 + random_below(3), rows = 1 + random_below(7), across = 1 + random_below(9),
                      length = 1 + random_below(12), second = random_below(2) == 0 ? 1 : batches;
        const int64_t shape[] = {batches, rows, across}, out[] = {batches, rows, length};
        const unsigned rank = batches > 1 ? 3 : 2;
        give(0, dtype, rank, shape + 3 - rank, true, 1);
        divisor = 3 + random_below(2);
        give_rows(1, dtype, batches, rows, length), give_rows(2, dtype, second, across, length);
        give(3, dtype, rank, shape + 3 - rank, false, 1);
        call.argument[4].fp32 = isinf(p) && random_below(2) == 0 ? -1 : p; /* as torch_npu has it */
        give(5, dtype, rank, out + 3 - rank, false, 1);
        memset(wanted, 0, sizeof wanted);
        size = 0;
        for (int64_t i = 0; i < batches * rows * across; i++) {
            const int64_t row = i / across,
                          other = (second > 1 ? i / (rows * across) : 0) * across + i % across;
            const long double *a = call.before[1] + row * length, *b = call.before[2] + other * length;
            set_element(&call.tensor[3], i, (double)distance_of(a, b, length, p));
            const long double distance = (long double)element_of(&call.tensor[3], i);
            for (int64_t k = 0; k < length; k++) {
                const long double part = call.before[0][i] * slope_of(a[k] - b[k], distance, p, dtype);
                wanted[row * length + k] += part;
                size = fmaxl(size, fabsl(part));
            }
        }
        assert_int_equal(call_function(find("aclnnCdistBackward"), call.argument), 0);
        assert_output("aclnnCdistBackward", 5, true, wanted, size * 0x1p-40L);
        forget_call(find("aclnnCdistBackward"));
    }
}

/* CdistGrad by its name: all inputs are (2, 3, rows, 4), broadcast and copied. */
static int call_by_name(float *const *operand, int64_t rows, int64_t out_batches, float p)
{
    const int64_t whole[] = {2, 3, rows, 4};
    const int64_t of_out[] = {out_batches, 3, 4};
    const aclTensorDesc *desc[5];
    aclDataBuffer *buffer[5];
    aclopAttr *attr = aclopCreateAttr();
    for (int i = 0; i < 5; i++) {
        desc[i] = aclCreateTensorDesc(ACL_FLOAT, i < 4 ? 4 : 3, i < 4 ? whole : of_out, ACL_FORMAT_ND);
        buffer[i] = aclCreateDataBuffer(operand[i], (i < 4 ? 120 : 24) * sizeof(float));
    }
    assert_int_equal(aclopSetAttrFloat(attr, "other", 7), 0);
    assert_int_equal(aclopSetAttrFloat(attr, "p", 9), 0);
    assert_int_equal(aclopSetAttrFloat(attr, "p", p), 0);
    const int status =
        aclopCompileAndExecute("CdistGrad", 4, desc, (const aclDataBuffer *const *)buffer, 1, desc + 4,
                               buffer + 4, attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
    aclopDestroyAttr(attr);
    for (int i = 0; i < 5; i++) {
        aclDestroyTensorDesc(desc[i]);
        assert_int_equal(aclDestroyDataBuffer(buffer[i]), 0);
    }
    return status;
}

static void the_gradient_is_there_by_its_name(void **state)
{
    float *operand[5], out[24];
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_int_equal(aclrtMalloc((void **)&operand[i], 120 * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST),
                         0);
    for (size_t round = 0; round < sizeof powers / sizeof powers[0]; round++) {
        const float p = powers[round];
        long double wanted[24] = {0}, first[24], second[40];
        float host[4][120];
        for (int i = 0; i < 40; i++) {
            second[i] = (long double)(random_below(9) - 4) / 4;
            if (i < 24)
                first[i] = (long double)(random_below(9) - 4) / 4;
        }
        for (int i = 0; i < 120; i++) { /* batch, row, row of the other, element */
            const int k = i % 4, r = i / 4 % 5, row = i / 20, batch = i / 60;
            const long double distance =
                (long double)(float)distance_of(first + row * 4, second + (batch * 5 + r) * 4, 4, p);
            host[0][i] = (float)(row + r) / 4;
            host[1][i] = (float)first[row * 4 + k];
            host[2][i] = (float)second[(batch * 5 + r) * 4 + k];
            host[3][i] = (float)distance;
            wanted[row * 4 + k] +=
                (long double)host[0][i] *
                slope_of(first[row * 4 + k] - second[(batch * 5 + r) * 4 + k], distance, p, ACL_FLOAT);
        }
        for (int i = 0; i < 4; i++)
            assert_int_equal(
                aclrtMemcpy(operand[i], sizeof host[i], host[i], sizeof host[i], ACL_MEMCPY_HOST_TO_DEVICE),
                0);
        assert_int_equal(call_by_name(operand, 5, 2, isinf(p) ? -1 : p), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_int_equal(aclrtMemcpy(out, sizeof out, operand[4], sizeof out, ACL_MEMCPY_DEVICE_TO_HOST), 0);
        for (int i = 0; i < 24; i++)
            assert_true(fabsl((long double)out[i] - wanted[i]) <= 0x1p-22L * (1 + fabsl(wanted[i])));
    }
    /* One batch of sums of two is another operator: told as one that there is not. */
    assert_int_equal(call_by_name(operand, 5, 1, 2), 0);
    assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                   "CdistGrad of FLOAT [2, 3, 5, 4], FLOAT [2, 3, 5, 4]");
    /* What it refuses is told there too. */
    assert_int_equal(call_by_name(operand, 5, 2, -2), 0);
    assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                   "aclnnCdistBackward: p is -2");
    /* Distances to no rows: nothing depends on them. */
    assert_int_equal(aclrtMemset(operand[4], sizeof out, 1, sizeof out), 0);
    assert_int_equal(call_by_name(operand, 0, 2, 2), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtMemcpy(out, sizeof out, operand[4], sizeof out, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    for (int i = 0; i < 24; i++)
        assert_true(out[i] == 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(aclrtFree(operand[i]), 0);
}

static void arguments_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnCdist")); /* 2 x 3 x 4, 2 x 5 x 4 */
    assert_accepted(&attempt);
    attempt.argument[2].fp32 = -1;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "p is -1; 0 or more is expected");
    attempt.argument[2].fp32 = NAN;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "p is ");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 3, DIMS(3, 5, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "the dims of x1 and x2 before the last two do not");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 2, DIMS(5, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "the rows of x1 have 4 elements and those of x2 3");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "x2 has 1 dims; from 2 to 7 are expected");
    replace_dtype(&attempt, 1, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "x2 has dtype FLOAT16");
    release(&attempt);
    attempt = accepted(find("aclnnCdistBackward"));
    assert_accepted(&attempt);
    attempt.argument[4].fp32 = -2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "p is -2; 0 or more is expected");
    attempt.argument[4].fp32 = -1;
    assert_accepted(&attempt);
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 4), NULL));
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "grad and x1 are expected to have the batches");
    release(&attempt);
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 14; round++) {
        const int64_t batches = 1 + round % 3, rows = 40, across = 30, length = 5 + round * 7;
        const int64_t shape[] = {batches, rows, across}, out[] = {batches, rows, length};
        const unsigned rank = batches > 1 ? 3 : 2;
        give(0, ACL_FLOAT, rank, shape + 3 - rank, true, 1),
            give(3, ACL_FLOAT, rank, shape + 3 - rank, false, 1);
        give_rows(1, ACL_FLOAT, batches, rows, length), give_rows(2, ACL_FLOAT, 1, across, length);
        call.argument[4].fp32 = powers[round % 7];
        give(5, ACL_FLOAT, rank, out + 3 - rank, false, 1);
        const union argument argument[] = {call.argument[1], call.argument[2],
                                           argument_of_fp32(powers[round % 7]), argument_of_integer(0),
                                           call.argument[3]};
        assert_int_equal(call_function(find("aclnnCdist"), argument), 0);
        hash = hash_of_call(find("aclnnCdistBackward"), hash);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_long_double),
        cmocka_unit_test(rows_that_lie_close_are_told_apart),
        cmocka_unit_test(distances_are_the_same_both_ways),
        cmocka_unit_test(gradients_are_those_of_long_double),
        cmocka_unit_test(the_gradient_is_there_by_its_name),
        cmocka_unit_test(arguments_that_do_not_fit_are_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
