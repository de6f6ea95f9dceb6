/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A kernel's text, lowered by LLVM's programs where they are installed, loaded and run: what is rewritten gives what
 * Triton means, accesses outside of a tensor are found with the line of Python, and so are assertions.
 */
#include <math.h>
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
#include "runtime/runtime/rt.h"
#include "support/failure.h"

enum { SKIPPED = 77, IN = 8, OUT = 40 };

struct arguments {
    void *lock, *workspace;
    int32_t *in, *out;
    float *numbers;
    int32_t first, grid[3];
};

static aclrtStream stream;
static char stub, divide_stub, reads_stub;
static int32_t *in, *out;
static float *numbers;

static bool llvm_is_there(void)
{
    char path[64];
    for (int version = 18; version <= 21; version++) {
        snprintf(path, sizeof path, "/usr/lib/llvm-%d/bin/mlir-opt", version);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

static int load(const char *text, const char *kernel, const void *function)
{
    static unsigned char bytes[1 << 20];
    rtDevBinary_t binary = {.magic = RT_DEV_BINARY_MAGIC_ELF_AIVEC, .data = bytes};
    void *handle;
    char folder[] = "/tmp/belay-lowered-XXXXXX", command[1024], name[64];
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(name, sizeof name, "%s/kernel.o", folder);
    snprintf(command, sizeof command, "%s %s -o %s", COMPILER, text, name);
    FILE *file = system(command) == 0 ? fopen(name, "rb") : NULL;
    if (file != NULL) {
        binary.length = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
    }
    unlink(name);
    rmdir(folder);
    return file != NULL && rtDevBinaryRegister(&binary, &handle) == 0 &&
                   rtFunctionRegister(handle, function, kernel, kernel, 0) == 0
               ? 0
               : -1;
}

static int set_up(void **state)
{
    (void)state;
    return aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
           aclrtMalloc((void **)&in, IN * sizeof *in, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
           aclrtMalloc((void **)&out, OUT * sizeof *out, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
           aclrtMalloc((void **)&numbers, 4 * sizeof *numbers, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
           load(KERNEL, "forms", &stub) != 0 || load(DIVIDE, "divide", &divide_stub) != 0 ||
           load(READS, "reads", &reads_stub) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtFree(in) != 0 || aclrtFree(out) != 0 || aclrtFree(numbers) != 0 ||
           aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0;
}

/* Launches it over what in has; what it has written. */
static int launch(const int32_t *given, int32_t first, int32_t *got)
{
    static const float start[4] = {0.5F, -2, 0, 1};
    int32_t before[OUT];
    for (int32_t i = 0; i < OUT; i++)
        before[i] = i % 8;
    assert_int_equal(aclrtMemcpy(in, IN * sizeof *in, given, IN * sizeof *in, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    assert_int_equal(aclrtMemcpy(out, sizeof before, before, sizeof before, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    assert_int_equal(aclrtMemcpy(numbers, sizeof start, start, sizeof start, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    struct arguments arguments = {
        .in = in, .out = out, .numbers = numbers, .first = first, .grid = {1, 1, 1}};
    assert_int_equal(rtKernelLaunch(&stub, 1, &arguments, sizeof arguments, NULL, stream), 0);
    const int status = aclrtSynchronizeStream(stream);
    if (status == 0)
        assert_int_equal(aclrtMemcpy(got, sizeof before, out, sizeof before, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    return status;
}

static void forms_mean_what_triton_means(void **state)
{
    (void)state;
    /* -9000000 is masked: the load is not done, or reads what nobody has. */
    static const int32_t given[IN] = {0, 3, 2, 3, -9000000, 5, 1, 3};
    static const int32_t wanted[OUT] = {
        1, 1, 1, 3, 0, 1, 0, 0, /* how many of each */
        0, 3, 2, 3, 4, 5, 3, 3, /* the element at each, and what there was where that is less than 0 */
        3, 3, 3, 3, 0, 3, 0, 0, /* the element at each count */
        7, 1, 7, 7, 4, 7, 6, 7, /* 7 where there was what is given */
        0, 1, 2, 3, 4, 5, 6, 7  /* what there was */
    };
    int32_t got[OUT], expected[OUT];
    float tanh_of[4];
    memcpy(expected, wanted, sizeof wanted);
    for (int i = 0; i < IN; i++) {
        expected[24 + i] = given[i] == i ? 7 : i;
        expected[8 + i] = given[i] >= 0 ? given[given[i]] : i;
    }
    assert_int_equal(launch(given, 0, got), 0);
    assert_memory_equal(got, expected, sizeof expected);
    assert_int_equal(aclrtMemcpy(tanh_of, sizeof tanh_of, numbers, sizeof tanh_of, ACL_MEMCPY_DEVICE_TO_HOST),
                     0);
    assert_true(fabs((double)tanh_of[0] - tanh(0.5)) < 1e-7 && fabs((double)tanh_of[1] - tanh(-2)) < 1e-7);
}

static void mistakes_are_found_with_their_lines(void **state)
{
    (void)state;
    int32_t given[IN] = {0}, got[OUT];
    assert_int_equal(launch(given, 2, got), 0);
    assert_failure(
        launch(given, 3, got), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
        "forms: program (0, 0, 0) at forms.py:8 loads within bytes 12 to 19 of pointer 2, which has "
        "bytes 0 to 15");
    given[5] = 100;
    assert_failure(
        launch(given, 0, got), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
        "forms: program (0, 0, 0) at inner.py:9 finds that an assertion does not hold for element 5 of "
        "dim 0: less than 100");
}

/* x / y, x % y, the same of unsigned numbers, and x % 0. */
static void divides(int32_t x, int32_t y, const int32_t wanted[4])
{
    struct {
        void *lock, *workspace;
        int32_t *out;
        int32_t x, y, grid[3];
    } arguments = {.out = out, .x = x, .y = y, .grid = {1, 1, 1}};
    int32_t got[5];
    assert_int_equal(rtKernelLaunch(&divide_stub, 1, &arguments, sizeof arguments, NULL, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtMemcpy(got, sizeof got, out, sizeof got, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    assert_memory_equal(got, wanted, 4 * sizeof *wanted);
    assert_int_equal(got[4], x);
}

static void no_division_ends_the_process(void **state)
{
    (void)state;
    divides(7, 2, (const int32_t[]){3, 1, 3, 1});
    divides(-7, 2, (const int32_t[]){-3, -1, 2147483644, 1});
    divides(7, 0, (const int32_t[]){0, 7, 0, 7});
    divides(-7, 0, (const int32_t[]){0, -7, 0, -7});
    divides(INT32_MIN, -1, (const int32_t[]){INT32_MIN, 0, 0, INT32_MIN});
}

/* Whether it is read where it lies or copied first: it is what it was when the program has loaded it. */
static void what_is_loaded_is_that_of_before(void **state)
{
    (void)state;
    static const int32_t given[IN] = {3, 1, 4, 1, 5, 9, 2, 6};
    for (int32_t some = 0; some <= IN; some += 4) {
        int32_t before[OUT], got[OUT];
        for (int32_t i = 0; i < OUT; i++)
            before[i] = 100 + i;
        struct {
            void *lock, *workspace;
            int32_t *in, *out;
            int32_t some, grid[3];
        } arguments = {.in = in, .out = out, .some = some, .grid = {1, 1, 1}};
        assert_int_equal(aclrtMemcpy(in, sizeof given, given, sizeof given, ACL_MEMCPY_HOST_TO_DEVICE), 0);
        assert_int_equal(aclrtMemcpy(out, sizeof before, before, sizeof before, ACL_MEMCPY_HOST_TO_DEVICE),
                         0);
        assert_int_equal(rtKernelLaunch(&reads_stub, 1, &arguments, sizeof arguments, NULL, stream), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_int_equal(aclrtMemcpy(got, sizeof got, out, sizeof got, ACL_MEMCPY_DEVICE_TO_HOST), 0);
        for (int32_t i = 0; i < IN; i++) {
            assert_int_equal(got[i], given[i] + (i < some ? given[i] : 5));
            assert_int_equal(got[8 + i], before[i] + 9);
            assert_int_equal(got[16 + i], before[16 + i] + 9);
            assert_int_equal(got[24 + i], given[2]);
            assert_int_equal(got[32 + i], (some < IN ? 5 : given[i]) + 2);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_mean_what_triton_means),
        cmocka_unit_test(no_division_ends_the_process),
        cmocka_unit_test(what_is_loaded_is_that_of_before),
        cmocka_unit_test(mistakes_are_found_with_their_lines),
    };
    if (!llvm_is_there()) {
        puts("skipped: there is no mlir-opt; install llvm-19 and mlir-19-tools");
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
