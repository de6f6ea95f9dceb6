/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kernels that were compiled for the host: loaded, named, launched over a grid, in order where they have atomic
 * operations, recorded and replayed; and everything about them that can be wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "runtime/runtime/rt.h"
#include "runtime/kernels/host_kernel.h"
#include "support/failure.h"

enum { INVALID = 0x01, NOT_SUPPORTED = 0x17, PLACES = 24 };

/* What a launcher passes. */
struct arguments {
    void *lock, *workspace;
    int32_t *out;
    int32_t number, grid[3];
};

static aclrtStream stream;
static int32_t *out;
static unsigned char *library;
static size_t library_bytes;

static int set_up(void **state)
{
    (void)state;
    FILE *file = fopen(KERNEL_LIBRARY, "rb");
    library = malloc(1 << 24);
    if (file == NULL || library == NULL)
        return -1;
    library_bytes = fread(library, 1, 1 << 24, file);
    fclose(file);
    return aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
           aclrtMalloc((void **)&out, (PLACES + 1) * sizeof *out, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(library);
    return aclrtFree(out) != 0 || aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0;
}

/* A container with the library: owned by the caller. */
static unsigned char *make_container(bool is_serial, size_t *bytes)
{
    struct host_kernel_header header = {.magic = HOST_KERNEL_MAGIC,
                                        .version = HOST_KERNEL_VERSION,
                                        .is_serial = is_serial,
                                        .argument_bytes = sizeof(struct arguments),
                                        .grid_at = offsetof(struct arguments, grid),
                                        .pointer_count = 1,
                                        .name = "fill"};
    const struct host_kernel_pointer pointer = {offsetof(struct arguments, out),
                                                HOST_KERNEL_READS_AND_WRITES};
    header.library_at = sizeof header + sizeof pointer;
    *bytes = header.library_at + library_bytes;
    unsigned char *container = malloc(*bytes);
    assert_non_null(container);
    memcpy(container, &header, sizeof header);
    memcpy(container + sizeof header, &pointer, sizeof pointer);
    memcpy(container + header.library_at, library, library_bytes);
    return container;
}

static rtError_t register_bytes(const void *bytes, size_t count, void **handle)
{
    const rtDevBinary_t binary = {.magic = RT_DEV_BINARY_MAGIC_ELF_AIVEC, .data = bytes, .length = count};
    return rtDevBinaryRegister(&binary, handle);
}

/* A stub that stands for the kernel; it is registered. */
static void *load(bool is_serial, const void *stub)
{
    size_t bytes;
    void *handle = NULL;
    unsigned char *container = make_container(is_serial, &bytes);
    if (register_bytes(container, bytes, &handle) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    free(container); /* nothing of it is used later */
    assert_int_equal(rtFunctionRegister(handle, stub, "fill_0", "fill", 0), 0);
    return handle;
}

static void read_out(int32_t *to)
{
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(
        aclrtMemcpy(to, (PLACES + 1) * sizeof *to, out, (PLACES + 1) * sizeof *to, ACL_MEMCPY_DEVICE_TO_HOST),
        0);
}

static void every_program_of_the_grid_runs_once(void **state)
{
    (void)state;
    static char stub;
    int32_t got[PLACES + 1];
    void *handle = load(false, &stub);
    struct arguments arguments = {.out = out, .number = 100, .grid = {2, 3, 4}};
    assert_int_equal(rtKernelLaunch(&stub, 24, &arguments, sizeof arguments, NULL, stream), 0);
    read_out(got);
    for (int32_t i = 0; i < PLACES; i++)
        assert_int_equal(got[i], 100 + i);
    /* With the address of a control before them, however many blocks would share the grid, and unregistered
     * meanwhile: a launch holds what it needs. */
    struct {
        void *control;
        struct arguments arguments;
    } longer = {NULL, arguments};
    longer.arguments.number = 200;
    assert_int_equal(rtKernelLaunch(&stub, 5, &longer, sizeof longer, NULL, stream), 0);
    assert_int_equal(rtDevBinaryUnRegister(handle), 0);
    read_out(got);
    for (int32_t i = 0; i < PLACES; i++)
        assert_int_equal(got[i], 200 + i);
    /* With the tunnel of TRITON_DEVICE_PRINT behind them, and with both. */
    struct {
        void *control;
        struct arguments arguments;
        uint64_t tunnel;
    } longest = {NULL, arguments, UINT64_C(0x42656c6179)};
    for (int32_t both = 0; both < 2; both++) {
        longest.arguments.number = 300 + 100 * both;
        unsigned char *first = both ? (unsigned char *)&longest : (unsigned char *)&longest.arguments;
        assert_int_equal(
            rtKernelLaunch(&stub, 5, first, (uint32_t)sizeof longest - (both ? 0 : 8), NULL, stream), 0);
        read_out(got);
        for (int32_t i = 0; i < PLACES; i++)
            assert_int_equal(got[i], 300 + 100 * both + i);
    }
}

static void programs_with_atomic_operations_run_in_order(void **state)
{
    (void)state;
    static char stub;
    int32_t got[PLACES + 1];
    load(true, &stub);
    assert_int_equal(aclrtMemset(out, PLACES * sizeof *out, 0, PLACES * sizeof *out), 0);
    struct arguments arguments = {.out = out, .number = -1, .grid = {PLACES, 1, 1}};
    assert_int_equal(rtKernelLaunch(&stub, PLACES, &arguments, sizeof arguments, NULL, stream), 0);
    read_out(got);
    assert_int_equal(got[0], PLACES);
    for (int32_t i = 0; i < PLACES; i++)
        assert_int_equal(got[1 + i], i);
}

static void launches_are_recorded_and_replayed(void **state)
{
    (void)state;
    static char stub;
    int32_t got[PLACES + 1];
    aclmdlRI graph;
    load(false, &stub);
    struct arguments arguments = {.out = out, .number = 7, .grid = {PLACES, 1, 1}};
    assert_int_equal(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 0);
    assert_int_equal(rtKernelLaunch(&stub, PLACES, &arguments, sizeof arguments, NULL, stream), 0);
    assert_int_equal(aclmdlRICaptureEnd(stream, &graph), 0);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(aclrtMemset(out, PLACES * sizeof *out, 0, PLACES * sizeof *out), 0);
        assert_int_equal(aclmdlRIExecuteAsync(graph, stream), 0);
        read_out(got);
        for (int32_t i = 0; i < PLACES; i++)
            assert_int_equal(got[i], 7 + i);
    }
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void what_is_no_kernel_is_refused(void **state)
{
    (void)state;
    size_t bytes;
    void *handle = NULL;
    unsigned char *container = make_container(false, &bytes);
    assert_failure(rtDevBinaryRegister(NULL, &handle), INVALID, "bin is NULL");
    assert_failure(register_bytes(container, bytes, NULL), INVALID, "handle is NULL");
    assert_failure(register_bytes(NULL, bytes, &handle), NOT_SUPPORTED,
                   "the binary is no kernel for the host");
    for (size_t count = 0; count <= sizeof(struct host_kernel_header) + sizeof(struct host_kernel_pointer);
         count++)
        assert_int_equal(register_bytes(container, count, &handle), NOT_SUPPORTED);
    assert_failure(register_bytes(container, sizeof(struct host_kernel_header) + 20, &handle), NOT_SUPPORTED,
                   "the binary is damaged");
    /* Cut within what the linker would map. */
    assert_failure(register_bytes(container, sizeof(struct host_kernel_header) + bytes / 8, &handle),
                   NOT_SUPPORTED, "the binary is damaged");
    struct host_kernel_header *header = (struct host_kernel_header *)(void *)container;
    const struct host_kernel_header good = *header;
    const struct {
        size_t at;
        uint32_t value;
    } faults[] = {{offsetof(struct host_kernel_header, version), 2},
                  {offsetof(struct host_kernel_header, pointer_count), 1u << 31},
                  {offsetof(struct host_kernel_header, pointer_count), 2},
                  {offsetof(struct host_kernel_header, library_at), 0},
                  {offsetof(struct host_kernel_header, library_at), UINT32_MAX},
                  {offsetof(struct host_kernel_header, argument_bytes), 7},
                  {offsetof(struct host_kernel_header, argument_bytes), 8},
                  {offsetof(struct host_kernel_header, argument_bytes), UINT32_MAX - 7},
                  {offsetof(struct host_kernel_header, grid_at), UINT32_MAX - 3}};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        memcpy(container + faults[i].at, &faults[i].value, sizeof faults[i].value);
        assert_failure(register_bytes(container, bytes, &handle), NOT_SUPPORTED, "the binary is damaged");
        *header = good;
    }
    memset(header->name, 'x', sizeof header->name);
    assert_failure(register_bytes(container, bytes, &handle), NOT_SUPPORTED, "the binary is damaged");
    *header = good;
    const uint32_t far[] = {1u << 20, UINT32_MAX - 7};
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        memcpy(container + sizeof good, &far[i], sizeof far[i]);
        assert_failure(register_bytes(container, bytes, &handle), NOT_SUPPORTED, "lie outside");
    }
    assert_null(handle);
    free(container);
}

/* Who registers may look at no status, and who launches neither: the stream tells, by the name, and goes on. */
static void code_for_a_device_is_taken_and_its_launch_fails(void **state)
{
    (void)state;
    static char stub, second, unnamed, again;
    char long_name[2 * HOST_KERNEL_NAME_BYTES];
    void *handle = NULL, *other = NULL;
    struct arguments arguments = {.out = out, .number = 1, .grid = {1, 1, 1}};
    memset(long_name, 'n', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    assert_int_equal(register_bytes(library, library_bytes, &handle), 0);
    assert_int_equal(register_bytes("x", 1, &other), 0);
    assert_non_null(handle);
    assert_true(other != NULL && other != handle);
    assert_int_equal(rtFunctionRegister(handle, &stub, "add_in_vectors", "add_0", 0), 0);
    assert_int_equal(rtFunctionRegister(handle, &second, NULL, "second_of_it", 0), 0);
    assert_int_equal(rtFunctionRegister(handle, &unnamed, NULL, NULL, 0), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(rtFunctionRegister(other, &again, long_name, NULL, 0), 0);
    assert_failure(rtFunctionRegister(handle, NULL, "a", "a", 0), INVALID, "stubFunc is NULL");
    const struct {
        const char *stub, *sentence;
    } launches[] = {{&stub, "rtKernelLaunch: add_in_vectors is code for a device, which cannot run here"},
                    {&second, "rtKernelLaunch: second_of_it is code for a device"},
                    {&unnamed, "a kernel of no name is code for a device, which cannot run here; let "
                               "MindSpore use jit_level=\"O0\""},
                    {&again, "nnn is code for a device"}};
    for (size_t i = 0; i < sizeof launches / sizeof launches[0]; i++) {
        assert_failure(rtKernelLaunch(launches[i].stub, 1, &arguments, sizeof arguments, NULL, stream),
                       NOT_SUPPORTED, launches[i].sentence);
        assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                       launches[i].sentence);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
    }
    /* Nothing comes back by unregistering; a stub that gets a kernel of the host launches that. */
    assert_int_equal(rtDevBinaryUnRegister(handle), 0);
    assert_failure(rtFunctionRegister(handle, &stub, "a", "a", 0), INVALID, "handle is no binary");
    assert_int_equal(rtKernelLaunch(&stub, 1, NULL, 0, NULL, stream), NOT_SUPPORTED);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    load(false, &stub);
    assert_int_equal(rtKernelLaunch(&stub, 1, &arguments, sizeof arguments, NULL, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

static void handles_and_names_are_looked_up(void **state)
{
    (void)state;
    static char stub;
    char none;
    void *handle = load(false, &stub);
    assert_failure(rtFunctionRegister(NULL, &stub, "a", "fill", 0), INVALID, "handle is no binary");
    assert_failure(rtFunctionRegister(&none, &stub, "a", "fill", 0), INVALID, "handle is no binary");
    assert_failure(rtFunctionRegister(handle, NULL, "a", "fill", 0), INVALID, "stubFunc is NULL");
    assert_failure(rtFunctionRegister(handle, &stub, "a", "full", 0), INVALID, "no kernel full; it has fill");
    assert_failure(rtFunctionRegister(handle, &stub, "a", NULL, 0), INVALID, "no kernel of no name");
    assert_int_equal(rtDevBinaryUnRegister(handle), 0);
    assert_failure(rtDevBinaryUnRegister(handle), INVALID, "handle is no binary");
    assert_failure(rtFunctionRegister(handle, &stub, "a", "fill", 0), INVALID, "handle is no binary");
}

static void launches_are_checked(void **state)
{
    (void)state;
    static char stub, other;
    int32_t on_host[PLACES];
    load(false, &stub);
    struct arguments arguments = {.out = out, .number = 1, .grid = {1, 1, 1}};
    assert_failure(rtKernelLaunch(&other, 1, &arguments, sizeof arguments, NULL, stream), NOT_SUPPORTED,
                   "stubFunc is no function");
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_failure(rtKernelLaunch(&stub, 1, &arguments, sizeof arguments - 8, NULL, stream), INVALID,
                   "kernel fill gets 32 bytes of arguments; 40 are expected");
    assert_failure(rtKernelLaunch(&stub, 1, NULL, sizeof arguments, NULL, stream), INVALID, "gets 0 bytes");
    for (int i = 0; i < 3; i++) {
        arguments.grid[i] = i == 1 ? -1 : 0;
        assert_failure(rtKernelLaunch(&stub, 1, &arguments, sizeof arguments, NULL, stream), INVALID,
                       "a grid of");
        arguments.grid[i] = 1;
    }
    arguments.grid[0] = arguments.grid[1] = 1 << 20;
    assert_failure(rtKernelLaunch(&stub, 1, &arguments, sizeof arguments, NULL, stream), INVALID,
                   "a grid of");
    arguments.grid[0] = arguments.grid[1] = 1;
    arguments.out = on_host;
    assert_failure(rtKernelLaunch(&stub, 1, &arguments, sizeof arguments, NULL, stream), INVALID,
                   "device memory is expected");
    int32_t *freed;
    assert_int_equal(aclrtMalloc((void **)&freed, 4096, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtFree(freed), 0);
    arguments.out = freed;
    assert_failure(rtKernelLaunch(&stub, 1, &arguments, sizeof arguments, NULL, stream), INVALID,
                   "already freed");
    arguments.out = out;
    assert_int_equal(rtKernelLaunch(&stub, 1, &arguments, sizeof arguments, NULL, &stub), INVALID);
    /* A launcher that has looked at none of that is told behind it: the first one. */
    assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                   "rtKernelLaunch: kernel fill gets 32 bytes of arguments; 40 are expected");
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

/* The first one of the grid tells, whichever thread had it; the stream goes on. */
static void programs_that_leave_their_memory_are_stopped(void **state)
{
    (void)state;
    static char stub;
    int32_t got[PLACES + 1];
    load(false, &stub);
    struct arguments arguments = {.out = out, .number = 5, .grid = {100, 10, 1}};
    assert_int_equal(rtKernelLaunch(&stub, 1, &arguments, sizeof arguments, NULL, stream), 0);
    assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                   "fill: program (25, 0, 0) at fill.py:7 stores 4 bytes at byte 100 of pointer 0, which has "
                   "bytes 0 to 99");
    arguments.grid[0] = PLACES;
    arguments.grid[1] = 1;
    arguments.out = out + PLACES + 1 - 2;
    assert_int_equal(rtKernelLaunch(&stub, 1, &arguments, sizeof arguments, NULL, stream), 0);
    assert_failure(
        aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
        "program (2, 0, 0) at fill.py:7 stores 4 bytes at byte 8 of pointer 0, which has bytes -92 to 7");
    arguments.out = NULL;
    assert_int_equal(rtKernelLaunch(&stub, 1, &arguments, sizeof arguments, NULL, stream), 0);
    assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                   "program (0, 0, 0) at fill.py:7 stores through pointer 0, which is NULL");
    /* Who waits by the function that launchers call may have dropped what it said. */
    assert_int_equal(rtKernelLaunch(&stub, 1, &arguments, sizeof arguments, NULL, stream), 0);
    assert_int_equal(rtStreamSynchronize(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                   "fill: program (0, 0, 0) at fill.py:7 stores through pointer 0, which is NULL");
    arguments.out = out;
    assert_int_equal(rtKernelLaunch(&stub, 1, &arguments, sizeof arguments, NULL, stream), 0);
    read_out(got);
    assert_int_equal(got[PLACES - 1], 5 + PLACES - 1);
}

static void a_control_has_no_address(void **state)
{
    (void)state;
    uint64_t address = 1;
    uint32_t length = 1;
    assert_int_equal(rtGetC2cCtrlAddr(&address, &length), 0);
    assert_int_equal(address + length, 0);
    assert_failure(rtGetC2cCtrlAddr(NULL, &length), INVALID, "addr is NULL");
    assert_failure(rtGetC2cCtrlAddr(&address, NULL), INVALID, "len is NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_program_of_the_grid_runs_once),
        cmocka_unit_test(programs_with_atomic_operations_run_in_order),
        cmocka_unit_test(launches_are_recorded_and_replayed),
        cmocka_unit_test(what_is_no_kernel_is_refused),
        cmocka_unit_test(code_for_a_device_is_taken_and_its_launch_fails),
        cmocka_unit_test(handles_and_names_are_looked_up),
        cmocka_unit_test(launches_are_checked),
        cmocka_unit_test(programs_that_leave_their_memory_are_stopped),
        cmocka_unit_test(a_control_has_no_address),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
