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

#include "base/json.h"

/* The copy has no 0 behind it. */
static char *exact_copy(const char *text, size_t length)
{
    char *copy = (char *)malloc(length > 0 ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    return copy;
}

/* Of a copy, which must stay as it is. */
static yyjson_doc *read_exactly(const char *text, size_t length, struct json_fault *fault)
{
    char *copy = exact_copy(text, length);
    yyjson_doc *document = json_read(copy, length, fault);
    assert_memory_equal(copy, text, length);
    free(copy);
    if (document == NULL) {
        assert_non_null(fault->what);
        assert_true(fault->line > 0 && fault->column > 0);
    }
    return document;
}

static bool is_accepted(const char *text, size_t length)
{
    struct json_fault fault;
    yyjson_doc *document = read_exactly(text, length, &fault);
    yyjson_doc_free(document);
    return document != NULL;
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
        "[[],[],[],[],[],[],[],[],[],[],[],{}]",
        "[\"[[[[[[[[[[[\",\"\\\"[[[[[[[[[[[\"]",
        "123456789012345678901234567890e1234567890",
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
        "\"\n\"",
        "\"\x01\"",
        "\xef\xbb\xbf{}",
        "// c\n{}",
        "{\"a\":1 /* c */}",
        "[1;2]",
        "{\"a\"::1}",
        "[[[[[[[[[[[]]]]]]]]]]]",
        "{\"a\":[[[[[[[[[[1]]]]]]]]]]}",
        "[]]",
        "]]]][[[[",
        "\"\\ud83d\"",
        "\"\\ud83dx\"",
        "\"\\ud83d\\u0041\"",
        "\"\\ude00\"",
        "\"\xe9\"",
        "\"\xc0\xaf\"",
        "\"\xed\xa0\xbd\"",
        "\"\xf4\x90\x80\x80\"",
        "\xc3\xa9",
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
    for (size_t i = 0; i < sizeof text - 1; i++) {
        for (int bit = 0; bit < 8; bit++) {
            char flipped[sizeof text];
            memcpy(flipped, text, sizeof text);
            flipped[i] = (char)(flipped[i] ^ 1 << bit);
            is_accepted(flipped, sizeof text - 1);
        }
    }
}

static void expect_fault(const char *text, size_t length, size_t line, size_t column, const char *what)
{
    struct json_fault fault;
    assert_null(read_exactly(text, length, &fault));
    assert_int_equal(fault.line, line);
    assert_int_equal(fault.column, column);
    assert_non_null(strstr(fault.what, what));
}

static void deep_nesting_is_refused_where_it_begins(void **state)
{
    (void)state;
    size_t length = 1 << 20;
    char *text = (char *)malloc(length);
    assert_non_null(text);
    memset(text, '[', length);
    expect_fault(text, length, 1, 11, "10 levels");
    for (size_t k = 0; k + 5 <= length; k += 5)
        memcpy(text + k, "{\"a\":", 5);
    expect_fault(text, length, 1, 51, "10 levels");
    free(text);
    /* What is wrong before that goes first. */
    expect_fault("[1 2, [[[[[[[[[[[", 17, 1, 4, "comma");
    expect_fault("\"\\q\" [[[[[[[[[[[", 16, 1, 3, "escape");
}

static void a_fault_says_what_and_where(void **state)
{
    (void)state;
    static const char text[] = "{\n  \"a\": 1,\n  \"\xc3\xa9\" 2\n}";
    expect_fault(text, sizeof text - 1, 3, 7, "colon");
    expect_fault("[1,", 3, 1, 4, "unexpected end");
    expect_fault("", 0, 1, 1, "length is 0");
    expect_fault("{} x", 4, 1, 4, "after document");
    expect_fault("[01]", 4, 1, 2, "leading zero");
    expect_fault("[nul]", 5, 1, 2, "null");
}

static void values_are_decoded_and_numbers_as_they_are_written(void **state)
{
    (void)state;
    static const char text[] =
        "{\"\\u0061\":\"\\u00e9\\ud83d\\ude00\\n\",\"n\":[-0.50E+1,12345678901234567890],"
        "\"z\":\"x\\u0000y\"}";
    struct json_fault fault;
    yyjson_doc *document = read_exactly(text, sizeof text - 1, &fault);
    yyjson_val *root = yyjson_doc_get_root(document), *numbers = json_only(root, "n");
    assert_string_equal(json_text(json_only(root, "a")), "\xc3\xa9\xf0\x9f\x98\x80\n");
    assert_string_equal(yyjson_get_raw(yyjson_arr_get(numbers, 0)), "-0.50E+1");
    assert_string_equal(yyjson_get_raw(yyjson_arr_get(numbers, 1)), "12345678901234567890");
    assert_null(json_text(yyjson_arr_get(numbers, 0)));
    assert_int_equal(yyjson_get_len(json_only(root, "z")), 3);
    assert_null(json_text(json_only(root, "z")));
    yyjson_doc_free(document);
}

static void a_member_is_the_only_one_of_its_name(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":1,\"b\":[2],\"\\u0061\":3,\"\":{\"a\":4},\"b\\u0000\":5}";
    struct json_fault fault;
    yyjson_doc *document = read_exactly(text, sizeof text - 1, &fault);
    yyjson_val *root = yyjson_doc_get_root(document);
    assert_null(json_only(root, "a"));
    assert_null(json_only(root, "c"));
    assert_true(yyjson_is_arr(json_only(root, "b")));
    assert_string_equal(yyjson_get_raw(json_only(json_only(root, ""), "a")), "4");
    assert_null(json_only(json_only(root, "b"), "a"));
    assert_null(json_only(NULL, "a"));
    yyjson_doc_free(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_kind_are_accepted),
        cmocka_unit_test(everything_else_is_refused),
        cmocka_unit_test(no_prefix_of_a_text_is_accepted_or_read_beyond),
        cmocka_unit_test(flipped_bits_never_lead_out_of_the_text),
        cmocka_unit_test(deep_nesting_is_refused_where_it_begins),
        cmocka_unit_test(a_fault_says_what_and_where),
        cmocka_unit_test(values_are_decoded_and_numbers_as_they_are_written),
        cmocka_unit_test(a_member_is_the_only_one_of_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
