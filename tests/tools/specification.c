/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * FILE:DTYPE:SHAPE as the user writes it: what is a part, what belongs to the file's name, what is a mistake;
 * and the tensors that are made of it, with and without the memory for them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "tools/operand.h"
#include "tools/specification.h"

static void parts_are_read_from_the_right(void **state)
{
    (void)state;
    static const struct {
        const char *text, *path;
        aclDataType dtype;
        bool has_shape;
        uint32_t rank;
    } lines[] = {
        {"x.npy", "x.npy", ACL_DT_UNDEFINED, false, 0},
        {"x.npy:BF16", "x.npy", ACL_BF16, false, 0},
        {"x:BF16:", "x", ACL_BF16, true, 0},
        {"x:FLOAT:3", "x", ACL_FLOAT, true, 1},
        {"x:FLOAT:0x2x9223372036854775807", "x", ACL_FLOAT, true, 3},
        {"a:b:FLOAT:3", "a:b", ACL_FLOAT, true, 1},
        {"a:b.npy", "a:b.npy", ACL_DT_UNDEFINED, false, 0},
        {"a:b/c", "a:b/c", ACL_DT_UNDEFINED, false, 0},
        {":FLOAT:3", "", ACL_FLOAT, true, 1},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct fault fault = {"none"};
        struct specification specification;
        if (!specification_parse(lines[i].text, &specification, &fault))
            fail_msg("%s: %s", lines[i].text, fault.text);
        assert_string_equal(specification.path, lines[i].path);
        assert_int_equal(specification.dtype, lines[i].dtype);
        assert_int_equal(specification.has_shape, lines[i].has_shape);
        assert_int_equal(specification.rank, lines[i].rank);
        free(specification.path);
    }
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } lines[] = {
        {"x:FLOAT:3y", "3y is not a shape"},
        {"x:FLOAT:3x", "3x is not a shape"},
        {"x:FLOAT:x3", "x3 is not a shape"},
        {"x:FLOAT:-3", "-3 is not a shape"},
        {"x:FLOAT:;", "; is not a shape"},
        {"x:FLOAT:99999999999999999999", "99999999999999999999 is not a shape"},
        {"x:FLOT", "FLOT is not a dtype"},
        {"x:FLOT:3", "FLOT is not a dtype"},
        {"x.y:3", "the shape 3 has no dtype"},
        {"a:b.c:3", "the shape 3 has no dtype"},
        {"a:b/c:3", "the shape 3 has no dtype"},
        {"x:a.b:y", "y is not a dtype"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct fault fault = {"none"};
        struct specification specification;
        if (specification_parse(lines[i].text, &specification, &fault))
            fail_msg("%s is accepted", lines[i].text);
        if (!strstr(fault.text, lines[i].sentence))
            fail_msg("%s: %s", lines[i].text, fault.text);
        assert_null(specification.path);
    }
    /* More dims than an array has. */
    char text[256] = "x:FLOAT:";
    struct fault fault;
    struct specification specification;
    for (int i = 0; i < 64; i++)
        strcat(text, i ? "x1" : "1");
    assert_true(specification_parse(text, &specification, &fault));
    assert_int_equal(specification.rank, 64);
    free(specification.path);
    strcat(text, "x1");
    assert_false(specification_parse(text, &specification, &fault));
    assert_non_null(strstr(fault.text, "is not a shape"));
}

static void a_tensor_takes_device_memory(void **state)
{
    (void)state;
    struct fault fault;
    struct operand operand = {0}, output = {0};
    float number = 0;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_true(operand_read(&operand, "2.5", ACL_FLOAT, &fault));
    assert_int_equal(aclrtMemcpy(&number, 4, operand.memory, 4, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    assert_true(number == 2.5f);
    assert_true(operand_create(&output, "/nowhere/y:BF16:2x3", &operand.array, &fault));
    assert_int_equal(output.array.dtype, ACL_BF16);
    assert_int_equal(output.array.bytes, 12);
    assert_false(operand_write(&output, &fault));
    assert_non_null(strstr(fault.text, "/nowhere/y: No such file"));
    operand_destroy(&operand);
    operand_destroy(&output);
}

static void what_the_library_refuses_is_said_in_its_words(void **state)
{
    (void)state;
    struct fault fault;
    struct operand operand = {0}, output = {0};
    const struct array large = {.dtype = ACL_FLOAT, .rank = 1, .shape = {4 << 20}};
    const struct array larger = {.dtype = ACL_FLOAT, .rank = 1, .shape = {INT64_MAX}};
    assert_false(operand_create(&output, NULL, &large, &fault));
    assert_non_null(strstr(fault.text, "status 207001: aclrtMalloc: "));
    assert_null(strchr(fault.text, '\n'));
    operand_destroy(&output);
    output = (struct operand){0};
    assert_false(operand_create(&output, NULL, &larger, &fault));
    assert_non_null(strstr(fault.text, "larger than any memory"));
    operand_destroy(&output);
    output = (struct operand){0};
    assert_false(operand_create(&output, "y:FLOT", &large, &fault));
    assert_non_null(strstr(fault.text, "FLOT is not a dtype"));
    operand_destroy(&output);
    assert_false(operand_read(&operand, "1:FLOT", ACL_FLOAT, &fault));
    operand_destroy(&operand);

    /* A file as large as no block of this device. */
    char path[] = "/tmp/belay-operand-XXXXXX", line[64];
    int file = mkstemp(path);
    assert_true(file >= 0 && ftruncate(file, 9 << 20) == 0);
    close(file);
    snprintf(line, sizeof line, "%s:INT8:%d", path, 9 << 20);
    operand = (struct operand){0};
    assert_false(operand_read(&operand, line, ACL_FLOAT, &fault));
    assert_non_null(strstr(fault.text, "status 207001: aclrtMalloc: "));
    operand_destroy(&operand);
    unlink(path);

    /* The newest, and that alone. */
    assert_int_not_equal(aclrtFree(NULL), 0);
    assert_false(fault_from_library(&fault, 0));
    assert_string_equal(fault.text, "aclrtFree: devPtr is NULL; the address of a block is expected");
    assert_int_not_equal(aclrtSetDevice(1000), 0);
    assert_false(fault_from_library(&fault, 7));
    assert_int_equal(strncmp(fault.text, "status 7: aclrtSetDevice: ", 26), 0);
}

static void a_file_of_an_operand_in_place_has_no_dtype_of_its_own(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } lines[] = {{NULL, NULL},
                 {"y.npy", NULL},
                 {"y.npy:BF16", "keeps dtype and shape"},
                 {"y:BF16:3", "keeps dtype and shape"},
                 {"y:FLOT", "FLOT is not a dtype"}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct fault fault = {"none"};
        struct operand operand = {0};
        assert_int_equal(operand_name_file(&operand, lines[i].text, &fault), lines[i].sentence == NULL);
        if (lines[i].sentence && !strstr(fault.text, lines[i].sentence))
            fail_msg("%s: %s", lines[i].text, fault.text);
        operand_destroy(&operand);
    }
}

static void an_operand_that_is_freed_cannot_be_written(void **state)
{
    (void)state;
    struct fault fault;
    struct operand operand = {0};
    assert_true(operand_read(&operand, "2.5", ACL_FLOAT, &fault));
    assert_int_equal(aclrtFree(operand.memory), 0);
    assert_false(operand_write(&operand, &fault));
    assert_non_null(strstr(fault.text, "aclrtMemcpy"));
    operand.memory = NULL;
    operand_destroy(&operand);
}

int main(void)
{
    setenv("BELAY_MEMORY", "8M", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_read_from_the_right),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(a_tensor_takes_device_memory),
        cmocka_unit_test(what_the_library_refuses_is_said_in_its_words),
        cmocka_unit_test(a_file_of_an_operand_in_place_has_no_dtype_of_its_own),
        cmocka_unit_test(an_operand_that_is_freed_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
