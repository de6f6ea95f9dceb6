/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Floats of 8 bits, FLOAT8_E4M3FN and FLOAT8_E5M2: all codes to other dtypes, numbers of other dtypes to the
 * nearest code, found by looking at all of them; copies that keep bits; and that products that lack them say
 * so.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

static const aclDataType formats[] = {ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2};

/* The number that a code is. */
static double value_of(aclDataType dtype, unsigned code)
{
    const int fraction_bits = dtype == ACL_FLOAT8_E4M3FN ? 3 : 2, bias = dtype == ACL_FLOAT8_E4M3FN ? 7 : 15;
    const int fraction = (int)code & ((1 << fraction_bits) - 1), field = (int)(code & 0x7F) >> fraction_bits;
    const double sign = code >= 0x80 ? -1 : 1;
    if (dtype == ACL_FLOAT8_E4M3FN && (code & 0x7F) == 0x7F)
        return (double)NAN;
    if (dtype == ACL_FLOAT8_E5M2 && field == 31)
        return fraction == 0 ? sign * (double)INFINITY : (double)NAN;
    return field == 0 ? sign * ldexp(fraction, 1 - bias - fraction_bits)
                      : sign * ldexp((1 << fraction_bits) + fraction, field - bias - fraction_bits);
}

/* The nearest code, of two the even one. What is beyond the last is the last of E4M3FN, infinity of E5M2. */
static unsigned code_of(aclDataType dtype, long double value)
{
    const unsigned last = dtype == ACL_FLOAT8_E4M3FN ? 0x7E : 0x7B, beyond = last + 1, nan = 0x7F;
    const long double size = fabsl(value);
    const unsigned sign = signbit(value) ? 0x80 : 0;
    if (isnan(value))
        return sign | nan;
    const long double next = dtype == ACL_FLOAT8_E4M3FN ? 480 : 65536;
    unsigned best = 0;
    for (unsigned code = 1; code <= beyond; code++) {
        const long double here = code == beyond ? next : (long double)value_of(dtype, code);
        const long double before = (long double)value_of(dtype, code - 1), middle = (here + before) / 2;
        if (size > middle || (size == middle && code % 2 == 0))
            best = code;
    }
    return sign | (dtype == ACL_FLOAT8_E4M3FN && best == beyond ? last : best);
}

/* aclnnCast; the build runs this program at every level. */
static void cast(const void *from, aclDataType from_dtype, void *to, aclDataType to_dtype, int64_t count)
{
    const int64_t step = 1;
    unsigned char *const other = arena + ARENA_BYTES / 2;
    memcpy(arena, from, (size_t)count * dtype_bytes(from_dtype));
    const union argument argument[] = {
        {.tensor = aclCreateTensor(&count, 1, from_dtype, &step, 0, ACL_FORMAT_ND, &count, 1,
                                   memory_known_as(arena))},
        argument_of_integer(to_dtype),
        {.tensor = aclCreateTensor(&count, 1, to_dtype, &step, 0, ACL_FORMAT_ND, &count, 1,
                                   (char *)memory_known_as(arena) + ARENA_BYTES / 2)}};
    assert_int_equal(call_function(find("aclnnCast"), argument), 0);
    assert_int_equal(aclDestroyTensor(argument[0].tensor), 0);
    assert_int_equal(aclDestroyTensor(argument[2].tensor), 0);
    memcpy(to, other, (size_t)count * dtype_bytes(to_dtype));
}

static void every_code_is_a_number(void **state)
{
    (void)state;
    for (int f = 0; f < 2; f++) {
        uint8_t code[256];
        double wide[256];
        float single[256];
        uint16_t half[256], brain[256];
        for (unsigned i = 0; i < 256; i++)
            code[i] = (uint8_t)i;
        cast(code, formats[f], wide, ACL_DOUBLE, 256);
        cast(code, formats[f], single, ACL_FLOAT, 256);
        cast(code, formats[f], half, ACL_FLOAT16, 256);
        cast(code, formats[f], brain, ACL_BF16, 256);
        for (unsigned i = 0; i < 256; i++) {
            const double wanted = value_of(formats[f], i);
            double of_half, of_brain;
            conversion_reference(&half[i], ACL_FLOAT16, &of_half, ACL_DOUBLE);
            conversion_reference(&brain[i], ACL_BF16, &of_brain, ACL_DOUBLE);
            const double all[] = {wide[i], (double)single[i], of_half, of_brain};
            for (int k = 0; k < 4; k++)
                if (isnan(wanted) ? !isnan(all[k]) : all[k] != wanted || signbit(all[k]) != signbit(wanted))
                    fail_msg("%s: code %u is %g and not %g", dtype_name(formats[f]), i, all[k], wanted);
            uint32_t bits;
            memcpy(&bits, &single[i], sizeof bits);
            assert_true(!isnan(wanted) || bits == 0x7FC00000);
        }
        /* And back: every number is its own code, NaN aside. */
        uint8_t back[256];
        cast(single, ACL_FLOAT, back, formats[f], 256);
        for (unsigned i = 0; i < 256; i++)
            assert_int_equal(back[i], isnan(value_of(formats[f], i)) ? 0x7F : i);
    }
}

/* All numbers of 16 bits. */
static void numbers_get_the_nearest_code(void **state)
{
    (void)state;
    static const aclDataType sources[] = {ACL_FLOAT16, ACL_BF16};
    static uint16_t bits[65536];
    static uint8_t found[65536];
    for (unsigned i = 0; i < 65536; i++)
        bits[i] = (uint16_t)i;
    for (int f = 0; f < 2; f++)
        for (int s = 0; s < 2; s++) {
            cast(bits, sources[s], found, formats[f], 65536);
            for (unsigned i = 0; i < 65536; i++) {
                double value;
                conversion_reference(&bits[i], sources[s], &value, ACL_DOUBLE);
                const unsigned wanted = code_of(formats[f], (long double)value);
                if (found[i] != wanted && !(isnan(value) && (found[i] & 0x7F) == 0x7F))
                    fail_msg("%s of %g is code %u and not %u", dtype_name(formats[f]), value, found[i],
                             wanted);
            }
        }
}

/* Between two codes, at their middle, and next to it, in FLOAT, DOUBLE and integers. */
static void middles_go_to_the_even_code(void **state)
{
    (void)state;
    for (int f = 0; f < 2; f++)
        for (unsigned code = 0; code < (f == 0 ? 0x7EU : 0x7BU); code++) {
            const double low = value_of(formats[f], code), high = value_of(formats[f], code + 1);
            const double middle = (low + high) / 2;
            const double all[] = {middle, nextafter(middle, 0), nextafter(middle, 1e9), low, -middle};
            for (int k = 0; k < 5; k++) {
                uint8_t found;
                cast(&all[k], ACL_DOUBLE, &found, formats[f], 1);
                assert_int_equal(found, code_of(formats[f], (long double)all[k]));
                const float single = (float)all[k];
                cast(&single, ACL_FLOAT, &found, formats[f], 1);
                assert_int_equal(found, code_of(formats[f], (long double)single));
            }
        }
    for (int round = 0; round < times_effort(3000); round++) {
        const int64_t whole = (int64_t)random_bits() >> random_below(64);
        const float single = (float)ldexp((double)random_below(1 << 24), (int)random_below(40) - 45);
        uint8_t found;
        for (int f = 0; f < 2; f++) {
            cast(&whole, ACL_INT64, &found, formats[f], 1);
            assert_int_equal(found, code_of(formats[f], (long double)whole));
            cast(&single, ACL_FLOAT, &found, formats[f], 1);
            assert_int_equal(found, code_of(formats[f], (long double)single));
        }
    }
}

/* As everybody reads them. */
static void known_numbers(void **state)
{
    static const float given[] = {0.3F, -1.7F, 100, 448, 464, 465, 1e9F, -1e9F};
    static const unsigned e4m3fn[] = {0x2A, 0xBE, 0x6C, 0x7E, 0x7E, 0x7E, 0x7E, 0xFE};
    static const unsigned e5m2[] = {0x35, 0xBF, 0x56, 0x5F, 0x5F, 0x5F, 0x7C, 0xFC};
    (void)state;
    for (int i = 0; i < 8; i++) {
        uint8_t found;
        cast(&given[i], ACL_FLOAT, &found, ACL_FLOAT8_E4M3FN, 1);
        assert_int_equal(found, e4m3fn[i]);
        cast(&given[i], ACL_FLOAT, &found, ACL_FLOAT8_E5M2, 1);
        assert_int_equal(found, e5m2[i]);
    }
}

static struct layout drawn(aclDataType dtype, unsigned rank, const int64_t *shape, bool is_read)
{
    struct layout layout = layout_create(
        ACL_INT8, rank, shape, (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
    const int64_t storage = layout.reach + 1;
    for (int64_t i = 0; i < storage; i++)
        layout.memory[i] = (unsigned char)random_bits();
    assert_int_equal(aclDestroyTensor(layout.tensor), 0);
    layout.tensor = aclCreateTensor(shape, rank, dtype, layout.stride, layout.offset, ACL_FORMAT_ND, &storage,
                                    1, memory_known_as(layout.memory));
    assert_non_null(layout.tensor);
    return layout;
}

/* Cast and InplaceCopy in any layout; the same dtype keeps all bits. */
static void tensors_are_cast_and_copied(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(100); round++) {
        int64_t shape[LAYOUT_RANK_MAX];
        const unsigned rank = draw_dims(shape, 0, 4, 3000);
        const aclDataType dtype = formats[round % 2];
        struct layout self = drawn(dtype, rank, shape, true), same = drawn(dtype, rank, shape, false),
                      single = layout_create(ACL_FLOAT, rank, shape, LAYOUT_PERMUTED);
        const union argument copy[] = {{.tensor = same.tensor}, {.tensor = self.tensor}};
        const union argument widen[] = {
            {.tensor = self.tensor}, argument_of_integer(ACL_FLOAT), {.tensor = single.tensor}};
        assert_int_equal(call_function(find("aclnnInplaceCopy"), copy), 0);
        assert_int_equal(call_function(find("aclnnCast"), widen), 0);
        for (int64_t i = 0; i < self.count; i++) {
            const double wanted = value_of(dtype, *layout_element(&self, i));
            const double found = element_of(&single, i);
            assert_memory_equal(layout_element(&same, i), layout_element(&self, i), 1);
            assert_true(found == wanted || (isnan(found) && isnan(wanted)));
        }
        const union argument narrow[] = {{.tensor = same.tensor}, {.tensor = single.tensor}};
        assert_int_equal(call_function(find("aclnnInplaceCopy"), narrow), 0);
        for (int64_t i = 0; i < self.count; i++)
            assert_true(*layout_element(&same, i) == *layout_element(&self, i) ||
                        isnan(value_of(dtype, *layout_element(&self, i))));
        layout_destroy(&self);
        layout_destroy(&same);
        layout_destroy(&single);
    }
}

/* Rows that are chosen, put one behind the other, and filled. */
static void elements_are_moved_as_bytes(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(60); round++) {
        const aclDataType dtype = formats[round % 2];
        const int64_t rows = 1 + random_below(9), columns = 1 + random_below(70),
                      chosen = 1 + random_below(9);
        struct layout self = drawn(dtype, 2, DIMS(rows, columns), true),
                      out = drawn(dtype, 2, DIMS(chosen, columns), false),
                      both = drawn(dtype, 2, DIMS(rows + chosen, columns), false),
                      index = layout_create(ACL_INT64, 1, &chosen, LAYOUT_CONTIGUOUS),
                      places = layout_create(ACL_INT64, 2, DIMS(chosen, columns), LAYOUT_CONTIGUOUS);
        for (int64_t i = 0; i < chosen; i++)
            ((int64_t *)(void *)index.memory)[i] = random_below(rows);
        for (int64_t i = 0; i < places.count; i++)
            ((int64_t *)(void *)places.memory)[i] = random_below(rows);
        const union argument select[] = {{.tensor = self.tensor},
                                         argument_of_integer(0),
                                         {.tensor = index.tensor},
                                         {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnIndexSelect"), select), 0);
        for (int64_t i = 0; i < out.count; i++)
            assert_int_equal(*layout_element(&out, i),
                             *layout_element(&self, ((int64_t *)(void *)index.memory)[i / columns] * columns +
                                                        i % columns));
        const union argument gather[] = {{.tensor = self.tensor},
                                         argument_of_integer(0),
                                         {.tensor = places.tensor},
                                         {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnGather"), gather), 0);
        for (int64_t i = 0; i < out.count; i++)
            assert_int_equal(
                *layout_element(&out, i),
                *layout_element(&self, ((int64_t *)(void *)places.memory)[i] * columns + i % columns));
        const aclTensor *pair[] = {self.tensor, out.tensor};
        const union argument cat[] = {argument_of_pointer(aclCreateTensorList(pair, 2)),
                                      argument_of_integer(0),
                                      {.tensor = both.tensor}};
        assert_int_equal(call_function(find("aclnnCat"), cat), 0);
        for (int64_t i = 0; i < both.count; i++)
            assert_int_equal(*layout_element(&both, i), i < self.count
                                                            ? *layout_element(&self, i)
                                                            : *layout_element(&out, i - self.count));
        const float number = 0.3F;
        aclScalar *value = aclCreateScalar((void *)(uintptr_t)&number, ACL_FLOAT);
        const union argument fill[] = {{.tensor = both.tensor}, {.scalar = value}};
        assert_int_equal(call_function(find("aclnnInplaceFillScalar"), fill), 0);
        for (int64_t i = 0; i < both.count; i++)
            assert_int_equal(*layout_element(&both, i), dtype == ACL_FLOAT8_E4M3FN ? 0x2A : 0x35);
        const union argument zero[] = {{.tensor = both.tensor}};
        assert_int_equal(call_function(find("aclnnInplaceZero"), zero), 0);
        for (int64_t i = 0; i < both.count; i++)
            assert_int_equal(*layout_element(&both, i), 0);
        assert_int_equal(aclDestroyScalar(value), 0);
        assert_int_equal(aclDestroyTensorList(cat[0].tensors), 0); /* and the tensors in it */
        assert_int_equal(aclrtFree(memory_known_as(self.memory)), 0);
        assert_int_equal(aclrtFree(memory_known_as(out.memory)), 0);
        layout_destroy(&both);
        layout_destroy(&index);
        layout_destroy(&places);
    }
}

/* What is computed is refused, and on a product that lacks the dtype everything is. */
static void arithmetic_is_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnMul"));
    replace_dtype(&attempt, 0, ACL_FLOAT8_E5M2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype FLOAT8_E5M2");
    release(&attempt);
    attempt = accepted(find("aclnnCat"));
    const aclTensor *pair[] = {plain(ACL_FLOAT8_E5M2), plain(ACL_FLOAT)};
    assert_int_equal(aclDestroyTensorList(attempt.argument[0].tensors), 0);
    attempt.argument[0].tensors = aclCreateTensorList(pair, 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "");
    release(&attempt);
}

static void other_products_lack_them(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnCast"));
    attempt.argument[1].int64 = ACL_FLOAT8_E4M3FN;
    replace_dtype(&attempt, 2, ACL_FLOAT8_E4M3FN);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dtype is FLOAT8_E4M3FN");
    release(&attempt);
    attempt = accepted(find("aclnnInplaceCopy"));
    replace_dtype(&attempt, 0, ACL_FLOAT8_E5M2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "selfRef has dtype FLOAT8_E5M2");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_is_a_number),      cmocka_unit_test(numbers_get_the_nearest_code),
        cmocka_unit_test(middles_go_to_the_even_code), cmocka_unit_test(known_numbers),
        cmocka_unit_test(tensors_are_cast_and_copied), cmocka_unit_test(elements_are_moved_as_bytes),
        cmocka_unit_test(arithmetic_is_refused),
    };
    const struct CMUnitTest older[] = {cmocka_unit_test(other_products_lack_them)};
    const pid_t child = fork();
    if (child == 0) {
        setenv("BELAY_SOC", "Ascend910B3", 1);
        _exit(cmocka_run_group_tests(older, open_arena, close_arena) == 0 ? 0 : 1);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        return 1;
    setenv("BELAY_SOC", "Ascend950PR_9599", 1);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
