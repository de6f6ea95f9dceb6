/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The JSON reader: what it accepts, what it refuses and where, and hostile texts. Texts are handed over in
 * blocks of their exact size, so that the sanitizers see any step beyond the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/json.h"

/* The copy has no 0 behind it. */
static char *exact_copy(const char *text, size_t length)
{
    char *copy = (char *)malloc(length > 0 ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    return copy;
}

static bool is_accepted(const char *text, size_t length)
{
    struct json_value value;
    struct json_fault fault = {NULL, 0, 0};
    char *copy = exact_copy(text, length);
    bool is_good = json_check(copy, length, &value, &fault);
    free(copy);
    assert_true(is_good == (fault.what == NULL));
    return is_good;
}

static void values_of_every_kind_are_accepted(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        "[]",
        " { } ",
        "\t[\n]\r",
        "null",
        "true",
        "false",
        "0",
        "-0",
        "12",
        "-12.5e+3",
        "1E9",
        "0.25e-7",
        "\"\"",
        "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\\u0041\\u00e9\\ud83d\\ude00\"",
        "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"",
        "{\"a\":1,\"b\":[true,false,null,{\"c\":\"\"}]}",
        "[[[[[[[[[[]]]]]]]]]]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (!is_accepted(texts[i], strlen(texts[i])))
            fail_msg("refused: %s", texts[i]);
    }
}

static void everything_else_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        " ",
        "{",
        "}",
        "[",
        "]",
        "{]",
        "[}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\" 1}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":1,}",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{} {}",
        "{}x",
        "nul",
        "True",
        "nulll",
        "01",
        "-",
        "+1",
        ".5",
        "1.",
        "1e",
        "1e+",
        "-a",
        "0x10",
        "NaN",
        "Infinity",
        "\"",
        "\"a",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"\\ud83d\\ud83d\"",
        "\"\\ud83d\\ue000\"",
        "\"\n\"",
        "\"\x01\"",
        "\"\xff\"",
        "\"\xc0\xaf\"",
        "\"\xed\xa0\x80\"",
        "\"\xf4\x90\x80\x80\"",
        "\"\xe2\x82\"",
        "\"\xf0\x8f\xbf\xbf\"",
        "\xef\xbb\xbf{}",
        "// c\n{}",
        "{\"a\":1 /* c */}",
        "[1;2]",
        "{\"a\"::1}",
        "[[[[[[[[[[[]]]]]]]]]]]",
        "{\"a\":[[[[[[[[[[1]]]]]]]]]]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (is_accepted(texts[i], strlen(texts[i])))
            fail_msg("accepted: %s", texts[i]);
    }
    assert_false(is_accepted("{}\0", 3));
    assert_false(is_accepted("\"a\0b\"", 5));
}

static void no_prefix_of_a_text_is_accepted_or_read_beyond(void **state)
{
    (void)state;
    static const char text[] =
        "{\"a\":[1.5e-3,\"\\u00e9\\ud83d\\ude00\xf0\x9f\x98\x80\",true,null],\"b\":{\"c\":false}}";
    for (size_t length = 0; length < sizeof text - 1; length++)
        assert_false(is_accepted(text, length));
    assert_true(is_accepted(text, sizeof text - 1));
}

static void flipped_bits_never_lead_out_of_the_text(void **state)
{
    (void)state;
    static const char text[] =
        "{\"dump\":{\"dump_list\":[{\"a\":\"\\u0041\xc3\xa9\"}],\"n\":-12.5e3},\"m\":[true,null]}";
    char changed[sizeof text];
    for (size_t i = 0; i < sizeof text - 1; i++) {
        for (int bit = 0; bit < 8; bit++) {
            struct json_value value, member;
            struct json_fault fault;
            char name[8];
            int64_t number;
            memcpy(changed, text, sizeof text);
            changed[i] = (char)(changed[i] ^ 1 << bit);
            char *copy = exact_copy(changed, sizeof text - 1);
            if (json_check(copy, sizeof text - 1, &value, &fault) && json_member(value, "dump", &member)) {
                json_member(member, "n", &value);
                json_integer(value, &number);
                json_string(value, name, sizeof name);
            }
            free(copy);
        }
    }
}

static void deep_nesting_is_refused_without_a_deep_stack(void **state)
{
    (void)state;
    size_t length = 1 << 20;
    char *text = (char *)malloc(length);
    assert_non_null(text);
    for (int i = 0; i < 2; i++) {
        struct json_value value;
        struct json_fault fault;
        if (i == 0)
            memset(text, '[', length);
        for (size_t k = 0; i == 1 && k + 5 <= length; k += 5)
            memcpy(text + k, "{\"a\":", 5);
        assert_false(json_check(text, length, &value, &fault));
        assert_non_null(strstr(fault.what, "10 levels"));
    }
    free(text);
}

static void a_fault_says_what_and_where(void **state)
{
    (void)state;
    static const char text[] = "{\n  \"a\": 1,\n  \"b\" 2\n}";
    struct json_value value;
    struct json_fault fault;
    assert_false(json_check(text, sizeof text - 1, &value, &fault));
    assert_int_equal(fault.line, 3);
    assert_int_equal(fault.column, 7);
    assert_non_null(strstr(fault.what, "colon"));
}

static struct json_value checked(const char *text)
{
    struct json_value value;
    struct json_fault fault;
    assert_true(json_check(text, strlen(text), &value, &fault));
    return value;
}

static void members_are_found_by_their_decoded_name(void **state)
{
    (void)state;
    struct json_value all = checked("{\"x\":{\"b\":7},\"\\u0061b\":[0,1],\"b\":1,\"b\":2,\"\":3}");
    struct json_value spaced = checked("{ \"a\" : 1 , \n\t\"b\" : 2 }");
    struct json_value value;
    int64_t number;
    assert_true(json_member(spaced, "b", &value) && json_integer(value, &number) && number == 2);
    assert_true(json_member(all, "ab", &value) && value.type == JSON_ARRAY);
    assert_true(json_member(all, "b", &value) && json_integer(value, &number) && number == 2);
    assert_true(json_member(all, "", &value) && json_integer(value, &number) && number == 3);
    assert_false(json_member(all, "a", &value));
    assert_false(json_member(all, "abc", &value));
    assert_false(json_member(value, "b", &value));
}

static void strings_are_decoded_when_they_fit(void **state)
{
    (void)state;
    char string[16];
    assert_true(json_string(checked("\"a\\n\\u00e9\\u20ac\\ud83d\\ude00\""), string, sizeof string));
    assert_string_equal(string, "a\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_true(json_string(checked("\"abc\""), string, 4));
    assert_false(json_string(checked("\"abc\""), string, 3));
    assert_true(json_string(checked("\"\""), string, 1));
    assert_false(json_string(checked("\"\""), string, 0));
    assert_false(json_string(checked("\"a\\u0000\""), string, sizeof string));
    assert_false(json_string(checked("12"), string, sizeof string));
}

static void integers_are_exact(void **state)
{
    (void)state;
    int64_t number;
    assert_true(json_integer(checked("9223372036854775807"), &number) && number == INT64_MAX);
    assert_true(json_integer(checked("-9223372036854775808"), &number) && number == INT64_MIN);
    assert_false(json_integer(checked("9223372036854775808"), &number));
    assert_false(json_integer(checked("-9223372036854775809"), &number));
    assert_false(json_integer(checked("1.0"), &number));
    assert_false(json_integer(checked("1e3"), &number));
    assert_false(json_integer(checked("\"1\""), &number));
    assert_true(json_integer(checked("-0"), &number) && number == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_kind_are_accepted),
        cmocka_unit_test(everything_else_is_refused),
        cmocka_unit_test(no_prefix_of_a_text_is_accepted_or_read_beyond),
        cmocka_unit_test(flipped_bits_never_lead_out_of_the_text),
        cmocka_unit_test(deep_nesting_is_refused_without_a_deep_stack),
        cmocka_unit_test(a_fault_says_what_and_where),
        cmocka_unit_test(members_are_found_by_their_decoded_name),
        cmocka_unit_test(strings_are_decoded_when_they_fit),
        cmocka_unit_test(integers_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
