/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers as text, dtype names and broadcast, as the command reads them from its line.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/sanitizer.h"
#include "tools/array.h"

static void numbers_are_rounded_to_nearest_even_in_each_16_bit_dtype(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint16_t fp16, bf16;
    } numbers[] = {
        {"0", 0, 0},
        {"-0.0", 0x8000, 0x8000},
        {"1", 0x3c00, 0x3f80},
        {"-2", 0xc000, 0xc000},
        {"65504", 0x7bff, 0x4780},
        {"65519.99", 0x7bff, 0x4780},
        {"inf", 0x7c00, 0x7f80},
        {"-inf", 0xfc00, 0xff80},
        {"nan", 0x7e00, 0x7fc0},
        {"0x1p-24", 0x0001, 0x3380},
        {"0x1p-25", 0, 0x3300},
        {"0x1.8p-25", 0x0001, 0x3340},
        {"0x1.ff8p-15", 0x03ff, 0x3880},
        {"0x1.ffcp-15", 0x0400, 0x3880},
        {"0x1.002p0", 0x3c00, 0x3f80},
        {"0x1.006p0", 0x3c02, 0x3f80},
        {"0x1.01p0", 0x3c04, 0x3f80},
        {"0x1.03p0", 0x3c0c, 0x3f82},
        {"0x1p-133", 0, 0x0001},
        {"0x1p-134", 0, 0},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct fault fault;
        uint16_t fp16, bf16;
        assert_true(element_parse(numbers[i].text, ACL_FLOAT16, &fp16, &fault));
        assert_true(element_parse(numbers[i].text, ACL_BF16, &bf16, &fault));
        if (fp16 != numbers[i].fp16 || bf16 != numbers[i].bf16)
            fail_msg("%s gives %04x and %04x", numbers[i].text, fp16, bf16);
    }
}

static void numbers_are_rounded_to_nearest_even_in_floats_of_8_bits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint8_t e4m3fn, e5m2;
    } numbers[] = {
        {"0", 0, 0},
        {"-0.0", 0x80, 0x80},
        {"1", 0x38, 0x3C},
        {"0.3", 0x2A, 0x35},
        {"-1.7", 0xBE, 0xBF},
        {"100", 0x6C, 0x56},
        {"448", 0x7E, 0x5F},
        {"464", 0x7E, 0x5F},
        {"nan", 0x7F, 0x7F},
        {"inf", 0x7E, 0x7C},
        {"-inf", 0xFE, 0xFC},
        {"0x1p-9", 0x01, 0x18},
        {"0x1p-10", 0, 0x14},
        {"0x1.1p-10", 1, 0x14},
        {"0x1.dp-7", 0x07, 0x23},
        {"0x1.fp-7", 0x08, 0x24},
        {"0x1p-16", 0, 0x01},
        {"0x1p-17", 0, 0},
        {"0x1.8p-17", 0, 0x01},
        {"1.0625", 0x38, 0x3C},
        {"1.1875", 0x3A, 0x3D},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct fault fault;
        uint8_t e4m3fn[2] = {0, 77}, e5m2[2] = {0, 77};
        assert_true(element_parse(numbers[i].text, ACL_FLOAT8_E4M3FN, e4m3fn, &fault));
        assert_true(element_parse(numbers[i].text, ACL_FLOAT8_E5M2, e5m2, &fault));
        if (e4m3fn[0] != numbers[i].e4m3fn || e5m2[0] != numbers[i].e5m2)
            fail_msg("%s gives %02x and %02x", numbers[i].text, e4m3fn[0], e5m2[0]);
        assert_true(e4m3fn[1] == 77 && e5m2[1] == 77);
    }
}

static void finite_numbers_that_overflow_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *largest;
        aclDataType dtype;
    } numbers[] = {
        {"65520", "65519.99", ACL_FLOAT16},   {"0x1.ffp127", "0x1.fep127", ACL_BF16},
        {"464.01", "464", ACL_FLOAT8_E4M3FN}, {"61440", "61439", ACL_FLOAT8_E5M2},
        {"3.5e38", "3.4e38", ACL_FLOAT},      {"-1e400", "-1e308", ACL_DOUBLE},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct fault fault;
        double element;
        assert_false(element_parse(numbers[i].text, numbers[i].dtype, &element, &fault));
        assert_non_null(strstr(fault.text, "is too large for"));
        assert_false(element_parse("1e400", numbers[i].dtype, &element, &fault));
        assert_true(element_parse(numbers[i].largest, numbers[i].dtype, &element, &fault));
        assert_true(element_parse("-Infinity", numbers[i].dtype, &element, &fault));
    }
}

static void every_16_bit_float_survives_being_printed_and_read(void **state)
{
    (void)state;
    for (uint32_t i = 0; i <= UINT16_MAX; i++)
        for (int j = 0; j < 2; j++) {
            aclDataType dtype = j ? ACL_BF16 : ACL_FLOAT16;
            uint16_t bits = (uint16_t)i, again;
            char text[ELEMENT_TEXT];
            struct fault fault;
            assert_true(element_parse(element_text(&bits, dtype, text), dtype, &again, &fault));
            if (isnan(element_real(&bits, dtype)) ? !isnan(element_real(&again, dtype)) : bits != again)
                fail_msg("%04x prints as %s, which is %04x", bits, text, again);
        }
}

static void every_float_of_8_bits_survives_being_printed_and_read(void **state)
{
    (void)state;
    for (unsigned i = 0; i <= UINT8_MAX; i++)
        for (int j = 0; j < 2; j++) {
            const aclDataType dtype = j ? ACL_FLOAT8_E5M2 : ACL_FLOAT8_E4M3FN;
            uint8_t bits = (uint8_t)i, again;
            char text[ELEMENT_TEXT];
            struct fault fault;
            assert_true(element_parse(element_text(&bits, dtype, text), dtype, &again, &fault));
            if (isnan(element_real(&bits, dtype)) ? !isnan(element_real(&again, dtype)) : bits != again)
                fail_msg("%02x prints as %s, which is %02x", bits, text, again);
        }
    const uint8_t greatest = 0x7E;
    assert_true(element_real(&greatest, ACL_FLOAT8_E4M3FN) == 448);
    assert_true(isinf(element_real(&(const uint8_t){0xFC}, ACL_FLOAT8_E5M2)));
}

static void integers_must_fit_their_dtype(void **state)
{
    (void)state;
    static const struct {
        aclDataType dtype;
        const char *least, *greatest, *too_small, *too_great;
    } ranges[] = {
        {ACL_INT8, "-128", "127", "-129", "128"},
        {ACL_UINT8, "0", "255", "-1", "256"},
        {ACL_INT16, "-32768", "32767", "-32769", "32768"},
        {ACL_INT32, "-2147483648", "2147483647", "-2147483649", "2147483648"},
        {ACL_INT64, "-9223372036854775808", "9223372036854775807", "-9223372036854775809",
         "9223372036854775808"},
        {ACL_UINT64, "0", "18446744073709551615", "-1", "18446744073709551616"},
        {ACL_BOOL, "false", "true", "-1", "2"},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        struct fault fault;
        char text[ELEMENT_TEXT];
        uint64_t element = 0;
        assert_true(element_parse(ranges[i].least, ranges[i].dtype, &element, &fault));
        if (ranges[i].dtype != ACL_BOOL)
            assert_string_equal(element_text(&element, ranges[i].dtype, text), ranges[i].least);
        assert_true(element_parse(ranges[i].greatest, ranges[i].dtype, &element, &fault));
        if (ranges[i].dtype != ACL_BOOL)
            assert_string_equal(element_text(&element, ranges[i].dtype, text), ranges[i].greatest);
        assert_false(element_parse(ranges[i].too_small, ranges[i].dtype, &element, &fault));
        assert_false(element_parse(ranges[i].too_great, ranges[i].dtype, &element, &fault));
        assert_false(element_parse("1.5", ranges[i].dtype, &element, &fault));
        assert_false(element_parse("", ranges[i].dtype, &element, &fault));
    }
}

static void what_is_not_a_number_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "x", "1x", "1 2", "--1"};
    unsigned char element[16];
    struct fault fault;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(element_parse(texts[i], ACL_DOUBLE, element, &fault));
    assert_false(element_parse("1", ACL_COMPLEX32, element, &fault));
}

static void dtypes_have_the_names_of_the_interface_and_common_others(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        aclDataType dtype;
    } names[] = {
        {"FLOAT", ACL_FLOAT},         {"FLOAT32", ACL_FLOAT},       {"ACL_FLOAT", ACL_FLOAT},
        {"BF16", ACL_BF16},           {"BFLOAT16", ACL_BF16},       {"ACL_BF16", ACL_BF16},
        {"DOUBLE", ACL_DOUBLE},       {"FLOAT64", ACL_DOUBLE},      {"INT8", ACL_INT8},
        {"BOOL", ACL_BOOL},           {"float", ACL_DT_UNDEFINED},  {"", ACL_DT_UNDEFINED},
        {"FLOAT1", ACL_DT_UNDEFINED}, {"STRING", ACL_DT_UNDEFINED}, {"4x2", ACL_DT_UNDEFINED},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(dtype_from_name(names[i].name, strlen(names[i].name)), names[i].dtype);
}

static void elements_of_every_dtype_come_back_as_they_were_given(void **state)
{
    (void)state;
    static const struct {
        aclDataType dtype;
        const char *given, *text;
    } elements[] = {
        {ACL_FLOAT, "0.1", "0.100000001"},
        {ACL_DOUBLE, "0.1", "0.10000000000000001"},
        {ACL_FLOAT16, "0.1", "0.099976"},
        {ACL_BF16, "0.1", "0.1001"},
        {ACL_FLOAT8_E4M3FN, "0.1", "0.102"},
        {ACL_FLOAT8_E5M2, "0.1", "0.094"},
        {ACL_COMPLEX64, "0.1", "0.100000001+0j"},
        {ACL_COMPLEX128, "-0.1", "-0.10000000000000001+0j"},
        {ACL_INT16, "-7", "-7"},
        {ACL_UINT16, "65535", "65535"},
        {ACL_UINT32, "0x10", "16"},
        {ACL_BOOL, "true", "1"},
    };
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        struct fault fault;
        char text[ELEMENT_TEXT];
        uint64_t element[2] = {0};
        assert_true(element_parse(elements[i].given, elements[i].dtype, element, &fault));
        assert_string_equal(element_text(element, elements[i].dtype, text), elements[i].text);
    }
    double real = 0.1;
    int64_t integer = 1;
    assert_true(element_real(&real, ACL_DOUBLE) == 0.1);
    assert_true(isnan(element_real(&integer, ACL_INT64)));
}

static void arrays_are_as_large_as_memory_allows(void **state)
{
    (void)state;
    static const struct {
        int64_t shape[2];
        const char *sentence;
    } arrays[] = {
        {{-1, 2}, "larger than any memory"},
        {{0, -1}, "larger than any memory"},
        {{INT64_MAX, 1}, "larger than any memory"},
        {{INT64_MAX, INT64_MAX}, "larger than any memory"},
        {{INT64_C(1) << 60, 1}, "larger than any memory"},
        {{INT64_C(1) << 59, 1}, "not enough memory for 4611686018427387904 bytes"},
        {{0, INT64_MAX}, NULL},
        {{3, 4}, NULL},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        struct fault fault;
        struct array array;
        /* It ends the process instead. */
        if (UNDER_SANITIZER && arrays[i].sentence && strstr(arrays[i].sentence, "not enough"))
            continue;
        bool is_good = array_create(&array, ACL_DOUBLE, 2, arrays[i].shape, &fault);
        assert_int_equal(is_good, arrays[i].sentence == NULL);
        if (is_good)
            assert_int_equal(array_count(&array),
                             arrays[i].shape[0] * (arrays[i].shape[0] ? arrays[i].shape[1] : 0));
        else if (!strstr(fault.text, arrays[i].sentence))
            fail_msg("array %zu: %s", i, fault.text);
        array_destroy(&array);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_rounded_to_nearest_even_in_each_16_bit_dtype),
        cmocka_unit_test(numbers_are_rounded_to_nearest_even_in_floats_of_8_bits),
        cmocka_unit_test(every_float_of_8_bits_survives_being_printed_and_read),
        cmocka_unit_test(finite_numbers_that_overflow_are_refused),
        cmocka_unit_test(every_16_bit_float_survives_being_printed_and_read),
        cmocka_unit_test(integers_must_fit_their_dtype),
        cmocka_unit_test(what_is_not_a_number_is_refused),
        cmocka_unit_test(dtypes_have_the_names_of_the_interface_and_common_others),
        cmocka_unit_test(elements_of_every_dtype_come_back_as_they_were_given),
        cmocka_unit_test(arrays_are_as_large_as_memory_allows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
