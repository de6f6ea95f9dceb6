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

static int see_nothing(void *context, const struct json_member *member)
{
    (void)context;
    (void)member;
    return 0;
}

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
    enum json_type type;
    struct json_fault fault;
    char *copy = exact_copy(text, length);
    assert_int_equal(json_read(copy, length, see_nothing, NULL, &type, &fault), 0);
    free(copy);
    return fault.what == NULL;
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
        "\"\n\"",
        "\"\x01\"",
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

/* What of a text is shown, as "object.name=value" behind one another, and the reading ended where it says so.
 */
struct shown {
    char text[512];
    size_t length;
    const char *first, *end; /* of the text that is read */
    const char *last_name;
};

static int see(void *context, const struct json_member *member)
{
    struct shown *shown = context;
    const struct json_value *parts[] = {&member->object, &member->name, &member->value};
    for (size_t i = 0; i < 3; i++) {
        bool is_none = i == 0 && parts[i]->length == 0;
        if (!is_none && (parts[i]->text < shown->first || parts[i]->text + parts[i]->length > shown->end))
            return -1;
    }
    int length = snprintf(shown->text + shown->length, sizeof shown->text - shown->length, "%.*s.%.*s=%.*s;",
                          (int)member->object.length, member->object.text, (int)member->name.length,
                          member->name.text, (int)member->value.length, member->value.text);
    assert_true(length > 0 && shown->length + (size_t)length < sizeof shown->text);
    shown->length += (size_t)length;
    return shown->last_name != NULL && json_is(&member->name, shown->last_name) ? 42 : 0;
}

static void flipped_bits_never_lead_out_of_the_text(void **state)
{
    (void)state;
    static const char text[] =
        "{\"dump\":{\"dump_list\":[{\"a\":\"\\u0041\xc3\xa9\"}],\"n\":-12.5e3},\"m\":[true,null]}";
    for (size_t i = 0; i < sizeof text - 1; i++) {
        for (int bit = 0; bit < 8; bit++) {
            enum json_type type;
            struct json_fault fault;
            char *copy = exact_copy(text, sizeof text - 1);
            copy[i] = (char)(copy[i] ^ 1 << bit);
            struct shown shown = {.first = copy, .end = copy + sizeof text - 1};
            assert_int_equal(json_read(copy, sizeof text - 1, see, &shown, &type, &fault), 0);
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
        enum json_type type;
        struct json_fault fault;
        if (i == 0)
            memset(text, '[', length);
        for (size_t k = 0; i == 1 && k + 5 <= length; k += 5)
            memcpy(text + k, "{\"a\":", 5);
        assert_int_equal(json_read(text, length, see_nothing, NULL, &type, &fault), 0);
        assert_non_null(fault.what);
        assert_non_null(strstr(fault.what, "10 levels"));
    }
    free(text);
}

static void a_fault_says_what_and_where(void **state)
{
    (void)state;
    static const char text[] = "{\n  \"a\": 1,\n  \"b\" 2\n}";
    enum json_type type;
    struct json_fault fault;
    assert_int_equal(json_read(text, sizeof text - 1, see_nothing, NULL, &type, &fault), 0);
    assert_non_null(fault.what);
    assert_int_equal(fault.line, 3);
    assert_int_equal(fault.column, 7);
    assert_non_null(strstr(fault.what, "colon"));
}

static void expect_shown(const char *text, const char *last_name, int status, enum json_type type,
                         const char *expected)
{
    struct json_fault fault;
    enum json_type found;
    struct shown shown = {.first = text, .end = text + strlen(text), .last_name = last_name};
    assert_int_equal(json_read(text, strlen(text), see, &shown, &found, &fault), status);
    assert_null(fault.what);
    if (status == 0)
        assert_int_equal(found, type);
    assert_string_equal(shown.text, expected);
}

static void members_are_shown_to_the_second_level_as_they_are_written(void **state)
{
    (void)state;
    expect_shown("{}", NULL, 0, JSON_OBJECT, "");
    expect_shown("12", NULL, 0, JSON_NUMBER, "");
    expect_shown("[{\"a\":1}]", NULL, 0, JSON_ARRAY, "");
    expect_shown("{ \"a\" : 1 ,\n\t\"a\" : [ 2 ] }", NULL, 0, JSON_OBJECT, ".\"a\"=1;.\"a\"=[ 2 ];");
    expect_shown("{\"\\u0061\":\"\\n\",\"\":{}}", NULL, 0, JSON_OBJECT, ".\"\\u0061\"=\"\\n\";.\"\"={};");
    expect_shown("{\"a\":{\"b\":{\"c\":1},\"d\":[{\"e\":2}]},\"f\":[{\"g\":3}],\"h\":true}", NULL, 0,
                 JSON_OBJECT,
                 "\"a\".\"b\"={\"c\":1};\"a\".\"d\"=[{\"e\":2}];.\"a\"={\"b\":{\"c\":1},\"d\":[{\"e\":2}]};"
                 ".\"f\"=[{\"g\":3}];.\"h\"=true;");
}

static void whoever_sees_a_member_may_end_the_reading(void **state)
{
    (void)state;
    expect_shown("{\"a\":1,\"b\":2,\"c\":3}", "b", 42, JSON_OBJECT, ".\"a\"=1;.\"b\"=2;");
    expect_shown("{\"a\":{\"b\":1},\"c\":3}", "b", 42, JSON_OBJECT, "\"a\".\"b\"=1;");
}

static void a_string_is_compared_as_it_is_written(void **state)
{
    (void)state;
    struct json_value string = {JSON_STRING, "\"ab\"", 4}, number = {JSON_NUMBER, "1234", 4};
    assert_true(json_is(&string, "ab"));
    assert_false(json_is(&string, "a"));
    assert_false(json_is(&string, "abc"));
    assert_false(json_is(&string, "ax"));
    assert_false(json_is(&number, "23"));
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
        cmocka_unit_test(members_are_shown_to_the_second_level_as_they_are_written),
        cmocka_unit_test(whoever_sees_a_member_may_end_the_reading),
        cmocka_unit_test(a_string_is_compared_as_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
