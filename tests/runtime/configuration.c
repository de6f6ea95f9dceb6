/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a configuration text may say: good values take effect, wrong types and values are refused by name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/init.h"
#include "support/failure.h"

/* Of a text without an end: behind it stands another digit each time. */
static int parse(const char *text, struct configuration *configuration)
{
    static unsigned calls;
    char endless[4096];
    const struct settings *settings;
    assert_int_equal(settings_get(&settings), 0);
    assert_true(strlen(text) < sizeof endless);
    memcpy(endless, text, strlen(text));
    endless[strlen(text)] = (char)('0' + calls++ % 10);
    return configuration_parse(endless, strlen(text), settings, configuration);
}

static void an_empty_object_asks_for_nothing(void **state)
{
    (void)state;
    struct configuration configuration;
    assert_int_equal(parse("{}", &configuration), 0);
    assert_int_equal(configuration.default_device, -1);
    assert_false(configuration.messages_are_shared);
}

static void known_keys_take_effect(void **state)
{
    (void)state;
    struct configuration configuration;
    assert_int_equal(
        parse("{\"defaultDevice\":{\"default_device\":\"2\"},\"err_msg_mode\":\"1\"}", &configuration), 0);
    assert_int_equal(configuration.default_device, 2);
    assert_true(configuration.messages_are_shared);
    assert_int_equal(parse("{\"err_msg_mode\":\"0\"}", &configuration), 0);
    assert_false(configuration.messages_are_shared);
    assert_int_equal(parse("{\"err_msg\\u005fmode\":\"\\u0031\"}", &configuration), 0);
    assert_true(configuration.messages_are_shared);
}

static void other_keys_and_those_without_meaning_here_are_accepted(void **state)
{
    (void)state;
    struct configuration configuration;
    assert_int_equal(
        parse("{\"dump\":{\"dump_list\":[{\"model_name\":\"m\"}],\"dump_path\":\"/x\",\"dump_mode\":\"all\"},"
              "\"profiler\":{\"switch\":\"on\",\"output\":\"/y\",\"aic_metrics\":\"\"},\"aicore_stack_size\":"
              "32768,\"StackSize\":{\"aicore_stack_size\":1},\"event_mode\":\"0\",\"anything\":[1,null]}",
              &configuration),
        0);
    assert_int_equal(parse("{\"event_mode\":1,\"anything\":1,\"anything\":2}", &configuration), 0);
    /* The same names elsewhere are others. */
    assert_int_equal(
        parse("{\"dump_path\":1,\"x\":{\"err_msg_mode\":1},\"dump\":{\"err_msg_mode\":1,\"dump\":1}}",
              &configuration),
        0);
}

static void wrong_types_and_values_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *sentence;
    } wrong[] = {
        {"", "aclInit: line 1, column 1 of the configuration: input length is 0; JSON is expected"},
        {"{\"a\":}", "line 1, column 6 of the configuration: unexpected character"},
        {"{\"a\":\"\xff\"}", "line 1, column 7 of the configuration: invalid UTF-8"},
        {"[]", "is not an object"},
        {"1", "is not an object"},
        {"{\"dump\":1}", "dump of the configuration is 1; an object is expected"},
        {"{\"dump\":{\"dump_path\":1}}", "dump.dump_path of the configuration is 1; a string is expected"},
        {"{\"dump\":{\"dump_list\":{}}}",
         "dump.dump_list of the configuration is an object; an array is expected"},
        {"{\"dump\":{\"dump_mode\":[]}}", "dump.dump_mode of the configuration is an array; a string"},
        {"{\"profiler\":\"on\"}", "profiler of the configuration"},
        {"{\"profiler\":{\"switch\":true}}", "profiler.switch of the configuration is true"},
        {"{\"aicore_stack_size\":\"1\"}", "aicore_stack_size of the configuration is \"1\"; an integer"},
        {"{\"aicore_stack_size\":-1}", "aicore_stack_size"},
        {"{\"aicore_stack_size\":1.50e1}", "aicore_stack_size of the configuration is 1.50e1; an integer"},
        {"{\"StackSize\":null}", "StackSize of the configuration is null; an object is expected"},
        {"{\"StackSize\":false}", "StackSize of the configuration is false"},
        {"{\"StackSize\":{\"simt_stack_size\":\"x\"}}", "StackSize.simt_stack_size"},
        {"{\"event_mode\":{}}", "event_mode of the configuration is an object; a string or an integer"},
        {"{\"err_msg_mode\":1}", "err_msg_mode of the configuration is 1; a string is expected"},
        {"{\"err_msg_mode\":\"2\"}",
         "err_msg_mode of the configuration is \"2\"; \"0\" or \"1\" is expected"},
        {"{\"err_msg_mode\":\"\"}", "err_msg_mode"},
        {"{\"err_msg_mode\":\"10\"}", "err_msg_mode"},
        {"{\"err_msg_mode\":\"1\\u0000\"}", "err_msg_mode"},
        {"{\"\\u0065rr_msg_mode\":\"2\"}", "err_msg_mode of the configuration is \"2\""},
        {"{\"defaultDevice\":\"0\"}", "defaultDevice of the configuration"},
        {"{\"defaultDevice\":{\"default_device\":0}}",
         "defaultDevice.default_device of the configuration is 0; a string"},
        {"{\"defaultDevice\":{\"default_device\":\"\"}}", "a device of \"0\" to \"2\" is expected"},
        {"{\"defaultDevice\":{\"default_device\":\"3\"}}", "a device of \"0\" to \"2\" is expected"},
        {"{\"defaultDevice\":{\"default_device\":\"-1\"}}", "a device of \"0\" to \"2\" is expected"},
        {"{\"defaultDevice\":{\"default_device\":\"1x\"}}", "a device of \"0\" to \"2\" is expected"},
        {"{\"defaultDevice\":{\"default_device\":\"4294967296\"}}", "a device of \"0\" to \"2\" is expected"},
        {"{\"err_msg_mode\":\"0\",\"err_msg_mode\":\"1\"}",
         "err_msg_mode is twice in the configuration; once is expected"},
        {"{\"dump\":{\"dump_path\":\"a\"},\"x\":1,\"dump\":{}}", "dump is twice in the configuration"},
        {"{\"dump\":{\"dump_path\":\"a\",\"dump_path\":\"a\"}}",
         "dump.dump_path is twice in the configuration"},
        {"{\"aicore_stack_size\":1234567890123456789}", "aicore_stack_size"},
        {"{\"a\":[[[[[[[[[[]]]]]]]]]]}", "nesting of more than 10 levels"},
    };
    struct configuration configuration;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_failure(parse(wrong[i].text, &configuration), 100000, wrong[i].sentence);
}

static void long_values_are_cut_in_the_sentence(void **state)
{
    (void)state;
    struct configuration configuration;
    char text[4096];
    memset(text, 'x', sizeof text);
    memcpy(text, "{\"err_msg_mode\":\"", 17);
    memcpy(text + sizeof text - 3, "\"}", 3);
    assert_int_equal(parse(text, &configuration), 100000);
    assert_true(strlen(aclGetRecentErrMsg()) < 300);
}

static void texts_that_differ_have_different_hashes(void **state)
{
    (void)state;
    struct configuration one, other;
    assert_int_equal(parse("{}", &one), 0);
    assert_int_equal(parse("{ }", &other), 0);
    assert_true(one.hash != other.hash);
    assert_int_equal(parse("{}", &other), 0);
    assert_true(one.hash == other.hash);
}

int main(void)
{
    setenv("BELAY_DEVICES", "3", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_object_asks_for_nothing),
        cmocka_unit_test(known_keys_take_effect),
        cmocka_unit_test(other_keys_and_those_without_meaning_here_are_accepted),
        cmocka_unit_test(wrong_types_and_values_are_refused_by_name),
        cmocka_unit_test(long_values_are_cut_in_the_sentence),
        cmocka_unit_test(texts_that_differ_have_different_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
