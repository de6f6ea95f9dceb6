/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Addr, with an output and in place, in any layout and dtype: floats against long double, integers and BOOL
 * against loops; numbers that are not given; and what is refused.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/normalisation.h"
#include "support/effort.h"

enum { SELF, VEC1, VEC2, BETA, ALPHA, OUT };

static aclScalar *scalar_from(double value)
{
    const int64_t whole = (int64_t)value;
    return (double)whole == value ? aclCreateScalar((void *)(uintptr_t)&whole, ACL_INT64)
                                  : aclCreateScalar((void *)(uintptr_t)&value, ACL_DOUBLE);
}

static void sums_are_those_of_long_double(void **state)
{
    static const double numbers[] = {1, 0.5, -2, 0, 3.25};
    static long double wanted[ELEMENTS];
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const aclDataType dtype = draw_dtype();
        const int64_t n = 1 + random_below(9), m = 1 + random_below(9);
        const bool is_in_place = round % 3 == 0, has_row = !is_in_place && round % 3 == 1;
        const double beta = numbers[random_below(5)], alpha = numbers[random_below(5)];
        const bool has_numbers = round % 4 > 0;
        give(SELF, dtype, has_row ? 1 : 2, has_row ? &m : (int64_t[]){n, m}, !is_in_place, 1);
        give(VEC1, dtype, 1, &n, true, 1), give(VEC2, dtype, 1, &m, true, 1);
        call.argument[BETA].handle = has_numbers ? scalar_from(beta) : NULL;
        call.argument[ALPHA].handle = has_numbers ? scalar_from(alpha) : NULL;
        if (!is_in_place)
            give(OUT, dtype, 2, (int64_t[]){n, m}, false, 1);
        for (int64_t i = 0; i < n * m; i++)
            wanted[i] =
                (has_numbers ? (long double)beta : 1) * call.before[SELF][has_row ? i % m : i] +
                (has_numbers ? (long double)alpha : 1) * call.before[VEC1][i / m] * call.before[VEC2][i % m];
        const char *name = is_in_place ? "aclnnInplaceAddr" : "aclnnAddr";
        assert_int_equal(call_function(find(name), call.argument), 0);
        assert_output(name, is_in_place ? SELF : OUT, true, wanted, 0x1p-40L);
        forget_call(find(name));
    }
}

static int named(const struct function *function, const char *begin)
{
    for (unsigned i = 0; i < function->parameter_count; i++)
        if (strncmp(function->parameter[i].name, begin, strlen(begin)) == 0)
            return (int)i;
    return -1;
}

/* Tensors of that dtype, all 1 but self, which is NaN: the output is where beta is not 0. */
static void expect_self_is_left_out(const struct function *function, aclDataType dtype, double beta)
{
    enum { ROOM = 4096 };
    const unsigned self = 0, beta_at = (unsigned)named(function, "beta"),
                   out = (unsigned)(named(function, "out") < 0 ? 0 : named(function, "out"));
    struct attempt attempt = accepted(function);
    unsigned char *room[PARAMETERS_MAX] = {NULL};
    for (unsigned i = 0; i < function->parameter_count; i++) {
        if (!is_tensor(&function->parameter[i]))
            continue;
        const double value = i == out && i != self ? 7 : i != self ? 1 : (double)NAN;
        replace_dtype(&attempt, i, dtype);
        assert_int_equal(aclrtMalloc((void **)&room[i], ROOM, ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_int_equal(aclSetRawTensorAddr((aclTensor *)(uintptr_t)attempt.argument[i].tensor, room[i]), 0);
        for (size_t k = 0; k < ROOM / sizeof(double); k++)
            conversion_reference(&value, ACL_DOUBLE, room[i] + k * dtype_bytes(dtype), dtype);
    }
    assert_int_equal(aclDestroyScalar(attempt.argument[beta_at].scalar), 0);
    attempt.argument[beta_at].handle = scalar_from(beta);
    assert_int_equal(call_function(function, attempt.argument), 0);
    struct tensor_view view;
    assert_true(tensor_read(attempt.argument[out].tensor, &view));
    for (int64_t i = 0; i < view.count; i++) {
        double element;
        conversion_reference(room[out] + (size_t)i * dtype_bytes(dtype), dtype, &element, ACL_DOUBLE);
        if ((element == element) != (beta == 0))
            fail_msg("%s of %s with beta %g: element %lld is %g", function->operation.name, dtype_name(dtype),
                     beta, (long long)i, element);
    }
    release(&attempt);
    for (unsigned i = 0; i < PARAMETERS_MAX; i++)
        if (room[i] != NULL)
            assert_int_equal(aclrtFree(room[i]), 0);
}

static void beta_0_leaves_self_out_in_every_function_that_has_one(void **state)
{
    size_t count, tried = 0;
    const struct function *const *list = functions(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        const int beta = named(list[i], "beta"); /* a number: norms have tensors of that name */
        if (beta < 0 || list[i]->parameter[beta].kind != PARAMETER_SCALAR || named(list[i], "alpha") < 0)
            continue;
        tried++;
        for (size_t k = 0; k < 3; k++) {
            expect_self_is_left_out(list[i], short_dtypes[k], 0);
            expect_self_is_left_out(list[i], short_dtypes[k], 2);
        }
        if (strstr(list[i]->operation.name, "Addr") != NULL) /* in pairs of doubles */
            expect_self_is_left_out(list[i], ACL_DOUBLE, 0);
    }
    assert_true(tried >= 9);
}

static aclTensor *tensor_at(void *address, aclDataType dtype, uint64_t rank, const int64_t *shape)
{
    const int64_t stride[] = {rank == 2 ? shape[1] : 1, 1};
    return aclCreateTensor(shape, rank, dtype, stride, 0, ACL_FORMAT_ND, shape, rank, address);
}

/* self {2, 3}, vec1 {2}, vec2 {3}, bytes all: INT8, which wraps, or BOOL. */
static void expect_bytes(aclDataType dtype, const unsigned char *self, const unsigned char *vec1,
                         const unsigned char *vec2, aclScalar *beta, aclScalar *alpha,
                         const unsigned char *wanted)
{
    const unsigned char *const given[] = {self, vec1, vec2};
    const int64_t shape[] = {2, 3};
    const uint64_t bytes[] = {6, 2, 3};
    unsigned char *operand[4], out[6];
    union argument argument[6] = {{0}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(aclrtMalloc((void **)&operand[i], 8, ACL_MEM_MALLOC_HUGE_FIRST), 0);
        if (i < 3)
            assert_int_equal(aclrtMemcpy(operand[i], 8, given[i], bytes[i], ACL_MEMCPY_HOST_TO_DEVICE), 0);
    }
    argument[SELF].tensor = tensor_at(operand[0], dtype, 2, shape);
    argument[VEC1].tensor = tensor_at(operand[1], dtype, 1, shape);
    argument[VEC2].tensor = tensor_at(operand[2], dtype, 1, shape + 1);
    argument[BETA].handle = beta;
    argument[ALPHA].handle = alpha;
    argument[OUT].tensor = tensor_at(operand[3], dtype, 2, shape);
    assert_int_equal(call_function(find("aclnnAddr"), argument), 0);
    assert_int_equal(aclrtMemcpy(out, 6, operand[3], 6, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    assert_memory_equal(out, wanted, 6);
    for (int i = 0; i < 4; i++)
        assert_int_equal(aclrtFree(operand[i]), 0);
    for (int i = 0; i < 6; i++)
        if (i == SELF || i == VEC1 || i == VEC2 || i == OUT)
            assert_int_equal(aclDestroyTensor(argument[i].tensor), 0);
        else if (argument[i].handle != NULL)
            assert_int_equal(aclDestroyScalar(argument[i].handle), 0);
}

static void integers_wrap_and_bools_are_logic(void **state)
{
    (void)state;
    expect_bytes(
        ACL_INT8, (unsigned char[]){1, 2, 3, 100, 255, 0}, (unsigned char[]){2, 253},
        (unsigned char[]){1, 50, 255}, scalar_from(2), scalar_from(3),
        (unsigned char[]){2 + 6, (4 + 300) & 255, 6 - 6, (200 - 9) & 255, (256 - 2 + 512 - 450) & 255, 9});
    expect_bytes(ACL_BOOL, (unsigned char[]){0, 0, 1, 0, 1, 1}, (unsigned char[]){1, 0},
                 (unsigned char[]){1, 0, 1}, NULL, NULL, (unsigned char[]){1, 0, 1, 0, 1, 1});
    const bool no = false;
    expect_bytes(ACL_BOOL, (unsigned char[]){0, 0, 1, 0, 1, 1}, (unsigned char[]){1, 0},
                 (unsigned char[]){1, 0, 1}, aclCreateScalar((void *)(uintptr_t)&no, ACL_BOOL), NULL,
                 (unsigned char[]){1, 0, 1, 0, 0, 0});
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnAddr")); /* 2 x 3, 2, 3 */
    assert_accepted(&attempt);
    replace(&attempt, SELF, tensor_with(ACL_FLOAT, 3, DIMS(1, 2, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self, vec1 and vec2 have 3, 1 and 1 dims");
    replace(&attempt, SELF, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "vec2 has shape [3], which does not broadcast");
    replace(&attempt, SELF, tensor_with(ACL_FLOAT, 1, DIMS(1), NULL));
    assert_accepted(&attempt);
    replace(&attempt, VEC1, tensor_with(ACL_FLOAT, 1, DIMS(1), NULL));
    replace(&attempt, SELF, tensor_with(ACL_FLOAT, 2, DIMS(2, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self is larger than the product of vec1 and vec2");
    replace(&attempt, VEC1, tensor_with(ACL_FLOAT, 2, DIMS(2, 1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self, vec1 and vec2 have 2, 2 and 1 dims");
    release(&attempt);
    attempt = accepted(find("aclnnInplaceAddr"));
    const bool yes = true;
    assert_int_equal(aclDestroyScalar(attempt.argument[ALPHA].handle), 0);
    attempt.argument[ALPHA].handle = aclCreateScalar((void *)(uintptr_t)&yes, ACL_BOOL);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "alphaOptional is BOOL beside numbers");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_long_double),
        cmocka_unit_test(beta_0_leaves_self_out_in_every_function_that_has_one),
        cmocka_unit_test(integers_wrap_and_bools_are_logic),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
