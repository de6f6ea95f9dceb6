/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Files of arrays: what is read back is what was written, files of other programs are understood, and damaged
 * or hostile ones are refused with a sentence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/npy.h"

static char folder[] = "/tmp/belay-npy-XXXXXX";
static char path[64];

static void put_file(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Writes an .npy file of this version with this header and these elements. */
static void put_npy(int version, const char *header, const void *elements, size_t element_bytes)
{
    unsigned char bytes[1024] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    size_t length = strlen(header), at = 6;
    bytes[at++] = (unsigned char)version;
    bytes[at++] = 0;
    for (int i = 0; i < (version == 1 ? 2 : 4); i++)
        bytes[at++] = (unsigned char)(length >> (8 * i));
    assert_true(at + length + element_bytes <= sizeof bytes);
    memcpy(bytes + at, header, length);
    if (element_bytes)
        memcpy(bytes + at + length, elements, element_bytes);
    put_file(bytes, at + length + element_bytes);
}

static void every_dtype_and_rank_comes_back_as_it_was_written(void **state)
{
    (void)state;
    static const aclDataType dtypes[] = {ACL_FLOAT,  ACL_FLOAT16, ACL_BF16,   ACL_DOUBLE,    ACL_BOOL,
                                         ACL_INT8,   ACL_INT16,   ACL_INT32,  ACL_INT64,     ACL_UINT8,
                                         ACL_UINT16, ACL_UINT32,  ACL_UINT64, ACL_COMPLEX64, ACL_COMPLEX128};
    const int64_t shape[] = {2, 3, 1, 2, 1, 1, 1, 1, 1};
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
        for (uint32_t rank = 0; rank <= 9; rank++) {
            struct fault fault;
            struct array written, read;
            assert_true(array_create(&written, dtypes[i], rank, shape, &fault));
            for (size_t j = 0; j < written.bytes; j++)
                ((unsigned char *)written.data)[j] =
                    (unsigned char)(dtypes[i] == ACL_BOOL ? j & 1 : j * 37 + 1);
            assert_true(npy_write(path, &written, &fault));
            assert_true(npy_read(path, &read, &fault));
            assert_int_equal(read.dtype, dtypes[i]);
            assert_int_equal(read.rank, rank);
            assert_int_equal(read.bytes, written.bytes);
            assert_memory_equal(read.data, written.data, read.bytes);
            for (uint32_t k = 0; k < rank; k++)
                assert_int_equal(read.shape[k], shape[k]);
            array_destroy(&written);
            array_destroy(&read);
        }
}

static void the_elements_of_a_written_file_start_at_a_multiple_of_64_bytes(void **state)
{
    (void)state;
    struct fault fault;
    struct array array;
    const int64_t shape[] = {16};
    assert_true(array_create(&array, ACL_FLOAT, 1, shape, &fault));
    assert_true(npy_write(path, &array, &fault));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    assert_int_equal((ftell(file) - 64) % 64, 0);
    fclose(file);
    array_destroy(&array);
}

static void headers_of_other_programs_are_understood(void **state)
{
    (void)state;
    static const struct {
        int version;
        const char *header;
        aclDataType dtype;
        uint32_t rank;
        bool is_fortran_order;
    } files[] = {
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", ACL_FLOAT, 1, false},
        {2, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", ACL_FLOAT, 1, false},
        {3, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", ACL_FLOAT, 1, false},
        {1, "{\"shape\": (1, 2), \"descr\": \"<f4\", \"fortran_order\": True}", ACL_FLOAT, 2, true},
        {1, "  {'descr':'=f4','fortran_order':False,'shape':(1L,2L,)} \n", ACL_FLOAT, 2, false},
        {1, "{'descr': '<V2', 'fortran_order': False, 'shape': (4,), }", ACL_BF16, 1, false},
        {1, "{'descr': '|V2', 'fortran_order': False, 'shape': (4,), }", ACL_BF16, 1, false},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", ACL_DOUBLE, 0, false},
        {1, "\t{'descr':\r\n'<f4',\t'fortran_order':\rFalse, 'shape': (1, 2)}\r\n", ACL_FLOAT, 2, false},
    };
    const unsigned char elements[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct fault fault = {"no fault"};
        struct array array;
        put_npy(files[i].version, files[i].header, elements, sizeof elements);
        if (!npy_read(path, &array, &fault))
            fail_msg("%s: %s", files[i].header, fault.text);
        assert_int_equal(array.dtype, files[i].dtype);
        assert_int_equal(array.rank, files[i].rank);
        assert_int_equal(array.is_fortran_order, files[i].is_fortran_order);
        assert_memory_equal(array.data, elements, sizeof elements);
        array_destroy(&array);
    }
}

static void big_endian_elements_are_turned_round(void **state)
{
    (void)state;
    struct fault fault;
    struct array array;
    const unsigned char number[4] = {0x40, 0x20, 0, 0}; /* 2.5 */
    put_npy(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", number, sizeof number);
    assert_true(npy_read(path, &array, &fault));
    assert_true(element_real(array.data, ACL_FLOAT) == 2.5);
    array_destroy(&array);
    /* The two parts of a complex number are turned round each for itself. */
    const unsigned char complex_[8] = {0x40, 0x20, 0, 0, 0xbf, 0x80, 0, 0};
    put_npy(1, "{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }", complex_, sizeof complex_);
    assert_true(npy_read(path, &array, &fault));
    assert_true(element_real(array.data, ACL_FLOAT) == 2.5);
    assert_true(element_real((char *)array.data + 4, ACL_FLOAT) == -1.0);
    array_destroy(&array);
}

static void an_empty_array_may_have_long_dims(void **state)
{
    (void)state;
    struct fault fault;
    struct array array;
    put_npy(
        1,
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 0, 9223372036854775807), }",
        NULL, 0);
    assert_true(npy_read(path, &array, &fault));
    assert_int_equal(array.bytes, 0);
    assert_non_null(array.data);
    array_destroy(&array);
}

static void damaged_and_hostile_files_are_refused_with_a_sentence(void **state)
{
    (void)state;
    static const struct {
        int version;
        const char *header;
        const char *sentence;
    } files[] = {
        {1, "", "not a dict"},
        {1, "{", "damaged"},
        {1, "{}", "lacks"},
        {1, "{'descr': '<f4'", "damaged"},
        {1, "{'descr': '<f4'}", "lacks"},
        {1, "{'descr': '<f4' 'fortran_order': False}", "damaged"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", "damaged"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}x", "follows"},
        {1, "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "second key"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}", "unknown"},
        {1, "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", "fortran_order"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': 2}", "shape"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", "shape"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "shape"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,,)}", "shape"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "shape"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}", "larger"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "larger"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}", "need"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "need 4"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", "need 12"},
        {1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", "fields"},
        {1, "{'descr': '<f3', 'fortran_order': False, 'shape': (2,)}", "not one that tensors have"},
        {1, "{'descr': '<f44444444444', 'fortran_order': False, 'shape': (2,)}", "not one that tensors have"},
        {1, "{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", "not one that tensors have"},
        {1, "{'descr': '<U2', 'fortran_order': False, 'shape': (1,)}", "not one that tensors have"},
        {1, "{'descr': '<f-4', 'fortran_order': False, 'shape': (2,)}", "not one that tensors have"},
        {1, "{'descr': 'f4', 'fortran_order': False, 'shape': (2,)}", "descr"},
        {1, "{'descr': '|b1', 'fortran_order': False, 'shape': (8,)}", "neither 0 nor 1"},
        {1, "{'descr': 3, 'fortran_order': False, 'shape': (2,)}", "descr"},
        {1, "{'descr': '<', 'fortran_order': False, 'shape': (2,)}", "descr"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", "damaged"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape", "damaged"},
        {1, "{'descr' '<f4', 'fortran_order': False, 'shape': (2,)}", "damaged"},
        {1, "{'descr': '<f4\\', 'fortran_order': False, 'shape': (2,)}", "descr"},
        {1, "{'descr': '<f4x', 'fortran_order': False, 'shape': (2,)}", "not one that tensors have"},
        {1, "{'descr': '<f+4', 'fortran_order': False, 'shape': (2,)}", "not one that tensors have"},
        {1, "{'descr': '<f 4', 'fortran_order': False, 'shape': (2,)}", "not one that tensors have"},
        {1, "{'fortran_order': False, 'fortran_order': False, 'shape': (2,)}", "second key"},
        {1, "{'shape': (2,), 'shape': (2,), 'fortran_order': False}", "second key"},
        {1, "{'descr': '<f4', 'fortran_order': False}", "lacks"},
        {1, "{'descr': '<f4', 'shape': (2,)}", "lacks"},
        {1, "{'fortran_order': False, 'shape': (2,)}", "lacks"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1}", "shape"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (x,)}", "shape"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (;,)}", "shape"},
        {1, "{'a key that is longer than any that is known': 1}", "damaged"},
        {4, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "version 4"},
        {0, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "version 0"},
    };
    const unsigned char elements[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct fault fault = {"none"};
        struct array array;
        put_npy(files[i].version, files[i].header, elements, sizeof elements);
        if (npy_read(path, &array, &fault))
            fail_msg("%s was accepted", files[i].header);
        if (!strstr(fault.text, files[i].sentence))
            fail_msg("%s: the sentence is: %s", files[i].header, fault.text);
        assert_null(array.data);
    }
}

static void no_more_dims_are_read_than_numpy_allows(void **state)
{
    (void)state;
    for (int rank = 64; rank <= 65; rank++) {
        struct fault fault;
        struct array array;
        char header[512];
        size_t length =
            (size_t)snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
        for (int i = 0; i < rank; i++)
            length += (size_t)snprintf(header + length, sizeof header - length, "1,");
        snprintf(header + length, sizeof header - length, ")}");
        put_npy(1, header, "abcd", 4);
        assert_int_equal(npy_read(path, &array, &fault), rank == 64);
        if (rank == 64)
            assert_int_equal(array.rank, 64);
        else
            assert_non_null(strstr(fault.text, "at most 64 dims"));
        array_destroy(&array);
    }
}

static void what_begins_otherwise_is_no_npy_file(void **state)
{
    (void)state;
    static const char *const files[] = {"", "\x93NUMP", "\x93NUMPX\1\1\1\1\1\1", "a text, and no array"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct fault fault;
        struct array array;
        put_file(files[i], strlen(files[i]));
        assert_false(npy_read(path, &array, &fault));
        assert_non_null(strstr(fault.text, "its first bytes are not NumPy's"));
    }
}

static void the_order_of_elements_comes_back(void **state)
{
    (void)state;
    const int64_t shape[] = {2, 3};
    for (int is_fortran = 0; is_fortran < 2; is_fortran++) {
        struct fault fault;
        struct array written, read;
        assert_true(array_create(&written, ACL_FLOAT, 2, shape, &fault));
        written.is_fortran_order = is_fortran;
        assert_true(npy_write(path, &written, &fault));
        assert_true(npy_read(path, &read, &fault));
        assert_int_equal(read.is_fortran_order, is_fortran);
        array_destroy(&written);
        array_destroy(&read);
    }
}

static void a_header_with_a_nul_byte_is_refused(void **state)
{
    (void)state;
    struct fault fault;
    struct array array;
    const char bytes[] = "\x93NUMPY\1\0\4\0{}\0 ";
    put_file(bytes, sizeof bytes - 1);
    assert_false(npy_read(path, &array, &fault));
    assert_non_null(strstr(fault.text, "NUL byte"));
}

static void every_shortened_file_is_refused(void **state)
{
    (void)state;
    struct fault fault;
    struct array array, read;
    const int64_t shape[] = {3};
    unsigned char bytes[256];
    assert_true(array_create(&array, ACL_FLOAT, 1, shape, &fault));
    assert_true(npy_write(path, &array, &fault));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t i = 0; i < size; i++) {
        put_file(bytes, i);
        assert_false(npy_read(path, &read, &fault));
    }
    put_file(bytes, size);
    assert_true(npy_read(path, &read, &fault));
    array_destroy(&read);
    array_destroy(&array);
}

static void a_header_longer_than_any_array_needs_is_not_read(void **state)
{
    (void)state;
    struct fault fault;
    struct array array;
    const unsigned char start[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 0xff, 0xff, 0xff, 0xff};
    put_file(start, sizeof start);
    assert_false(npy_read(path, &array, &fault));
    assert_non_null(strstr(fault.text, "4294967295 bytes long"));
}

static void a_pipe_is_read_like_a_file(void **state)
{
    (void)state;
    int ends[2];
    char name[64];
    struct fault fault;
    struct array array;
    const float numbers[2] = {1.5f, -2};
    put_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", numbers, sizeof numbers);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char bytes[256];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (int extra = -1; extra <= 1; extra++) {
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], bytes, size + (size_t)extra), size + (size_t)extra);
        close(ends[1]);
        snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
        assert_int_equal(npy_read(name, &array, &fault), extra == 0);
        if (extra == 0) {
            assert_memory_equal(array.data, numbers, sizeof numbers);
            array_destroy(&array);
        }
        close(ends[0]);
    }
}

/* A pipe does not say how long it is: memory is taken as the bytes arrive. */
static void a_pipe_may_be_long_and_may_end_early(void **state)
{
    (void)state;
    /* What is there, and what the shape needs, in MiB: beyond the first step, and beyond its double. */
    static const struct {
        size_t there, needed;
    } pipes[] = {{20, 20}, {40, 40}, {17, 20}, {40, 1000000}};
    for (size_t i = 0; i < sizeof pipes / sizeof pipes[0]; i++) {
        struct fault fault;
        struct array array;
        char command[128], name[64];
        const int64_t shape[] = {(int64_t)pipes[i].needed << 20};
        snprintf(command, sizeof command, "head -c %zuM /dev/zero | tr '\\0' 'x'", pipes[i].there);
        FILE *pipe_of_bytes = popen(command, "r");
        assert_non_null(pipe_of_bytes);
        snprintf(name, sizeof name, "/dev/fd/%d", fileno(pipe_of_bytes));
        bool is_whole = pipes[i].there == pipes[i].needed;
        assert_int_equal(raw_read(name, ACL_INT8, 1, shape, &array, &fault), is_whole);
        if (is_whole)
            for (size_t j = 0; j < array.bytes; j++)
                assert_int_equal(((char *)array.data)[j], 'x');
        else
            assert_non_null(strstr(fault.text, "the file ends after"));
        array_destroy(&array);
        pclose(pipe_of_bytes);
    }
}

static void a_raw_file_must_have_just_the_bytes_of_its_shape(void **state)
{
    (void)state;
    struct fault fault;
    struct array array;
    const float numbers[6] = {1, 2, 3, 4, 5, 6};
    const int64_t shape[] = {2, 3}, longer[] = {2, 4}, shorter[] = {5}, impossible[] = {INT64_MAX, 2};
    put_file(numbers, sizeof numbers);
    assert_true(raw_read(path, ACL_FLOAT, 2, shape, &array, &fault));
    assert_memory_equal(array.data, numbers, sizeof numbers);
    array_destroy(&array);
    assert_false(raw_read(path, ACL_FLOAT, 2, longer, &array, &fault));
    assert_false(raw_read(path, ACL_FLOAT, 1, shorter, &array, &fault));
    assert_false(raw_read(path, ACL_FLOAT, 2, impossible, &array, &fault));
    assert_false(raw_read("/nowhere/x.bin", ACL_FLOAT, 2, shape, &array, &fault));
    assert_non_null(strstr(fault.text, "/nowhere/x.bin: No such file"));
}

static void a_file_that_cannot_be_opened_or_written_is_named(void **state)
{
    (void)state;
    struct fault fault;
    struct array array;
    const int64_t shape[] = {100000};
    assert_false(npy_read("/nowhere/x.npy", &array, &fault));
    assert_non_null(strstr(fault.text, "/nowhere/x.npy: No such file"));
    assert_false(npy_read("/tmp", &array, &fault));
    assert_true(array_create(&array, ACL_FLOAT, 1, shape, &fault));
    assert_false(npy_write("/nowhere/x.npy", &array, &fault));
    assert_non_null(strstr(fault.text, "/nowhere/x.npy: No such file"));
    assert_false(npy_write("/dev/full", &array, &fault));
    assert_non_null(strstr(fault.text, "No space left"));
    array_destroy(&array);
    /* What fits into a buffer fails when that is written, at the end. */
    assert_true(array_create(&array, ACL_FLOAT, 0, NULL, &fault));
    assert_false(npy_write("/dev/full", &array, &fault));
    assert_non_null(strstr(fault.text, "No space left"));
    assert_int_equal(access("/dev/full", F_OK), 0);
    array_destroy(&array);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/x.npy", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dtype_and_rank_comes_back_as_it_was_written),
        cmocka_unit_test(the_elements_of_a_written_file_start_at_a_multiple_of_64_bytes),
        cmocka_unit_test(headers_of_other_programs_are_understood),
        cmocka_unit_test(big_endian_elements_are_turned_round),
        cmocka_unit_test(an_empty_array_may_have_long_dims),
        cmocka_unit_test(damaged_and_hostile_files_are_refused_with_a_sentence),
        cmocka_unit_test(no_more_dims_are_read_than_numpy_allows),
        cmocka_unit_test(what_begins_otherwise_is_no_npy_file),
        cmocka_unit_test(the_order_of_elements_comes_back),
        cmocka_unit_test(a_header_with_a_nul_byte_is_refused),
        cmocka_unit_test(every_shortened_file_is_refused),
        cmocka_unit_test(a_header_longer_than_any_array_needs_is_not_read),
        cmocka_unit_test(a_pipe_is_read_like_a_file),
        cmocka_unit_test(a_pipe_may_be_long_and_may_end_early),
        cmocka_unit_test(a_raw_file_must_have_just_the_bytes_of_its_shape),
        cmocka_unit_test(a_file_that_cannot_be_opened_or_written_is_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
