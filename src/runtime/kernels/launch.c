/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * rtDevBinaryRegister, rtFunctionRegister, rtKernelLaunch: kernels that bishengir-compile has lowered to the host
 * are loaded and launched; code for a device is taken, and its launch fails (foreign.h).
 *
 * A launch is a task of its stream: the programs of its grid, shared out to the pool's threads. The programs of a
 * kernel with atomic operations run one after the other, in the order of the grid, so that sums of floats have the
 * same bits every time.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_base.h"
#include "base/error.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/addresses/memory.h"
#include "runtime/addresses/reach.h"
#include "runtime/kernels/foreign.h"
#include "runtime/kernels/load.h"
#include "runtime/streams/fault.h"
#include "runtime/streams/refusal.h"
#include "runtime/streams/stream.h"
#include "runtime/streams/workers.h"

#pragma GCC visibility push(default)
typedef struct rtDevBinary_t {
    uint32_t magic;
    uint32_t version;
    const void *data;
    uint64_t length;
} rtDevBinary_t;

int rtDevBinaryRegister(const rtDevBinary_t *binary, void **handle);
int rtDevBinaryUnRegister(void *handle);
int rtFunctionRegister(void *handle, const void *stub, const char *name, const void *device, uint32_t mode);
int rtKernelLaunch(const void *stub, uint32_t blocks, void *arguments, uint32_t bytes, void *smDesc,
                   void *stream);
int rtGetC2cCtrlAddr(uint64_t *address, uint32_t *length);
#pragma GCC visibility pop

/* The runtime below acl has codes of its own. */
enum { RT_INVALID_VALUE = 0x01, RT_FEATURE_NOT_SUPPORTED = 0x17 };

/* The launcher's own pointers, a lock and a workspace, are the first ones; the kernel's are counted behind them. */
enum { BUCKETS = 1 << 10, PROGRAMS_MAX = INT32_MAX, POINTERS_FEW = 32, BYTES_OF_LAUNCHER = 16 };

/* Programs are handed out singly where there are few, and by some where there are so many that one of them may take no
 * longer than to be handed out. */
enum { SHARES = 256, SHARE_MAX = 64 };

/* Which kernel a launch means by an address of the program's. Entries are never freed, so that a launch looks them
 * up without a lock. */
struct function {
    struct function *next;
    const void *stub;
    const struct host_kernel *_Atomic kernel;
};

/* What rtDevBinaryRegister has loaded: its handles are looked up here. */
struct binary {
    struct binary *next;
    const struct host_kernel *kernel; /* NULL for code for a device, which may have several functions */
    struct foreign_function *functions;
    bool is_live;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the writers of both, and of the binaries */
static struct function *_Atomic functions[BUCKETS];
static struct binary *binaries;

static pthread_mutex_t serial =
    PTHREAD_MUTEX_INITIALIZER; /* held by the one kernel with atomic operations that runs */

static struct function *_Atomic *bucket_of(const void *stub)
{
    const uint64_t mixed = (uint64_t)(uintptr_t)stub * UINT64_C(0x9e3779b97f4a7c15);
    return &functions[mixed >> 54];
}

static struct function *find_function(const void *stub)
{
    struct function *found = atomic_load_explicit(bucket_of(stub), memory_order_acquire);
    while (found != NULL && found->stub != stub)
        found = found->next;
    return found;
}

/* Lock held. */
static struct binary *find_binary(const void *handle)
{
    struct binary *found = binaries;
    while (found != NULL && (found != handle || !found->is_live))
        found = found->next;
    return found;
}

int rtDevBinaryRegister(const rtDevBinary_t *binary, void **handle)
{
    static const char api[] = "rtDevBinaryRegister";
    const struct settings *settings;
    const struct host_kernel *kernel = NULL;
    if (settings_get(&settings) != 0 || check_result(api, "handle", handle) != 0)
        return RT_INVALID_VALUE;
    if (binary == NULL) {
        fail(ACL_ERROR_RT_PARAM_INVALID | ARGUMENT_IS_NULL, "%s: bin is NULL; a binary is expected", api);
        return RT_INVALID_VALUE;
    }
    if (!foreign_code(binary->data, binary->length) &&
        host_kernel_load(api, binary->data, binary->length, &kernel) != 0)
        return RT_FEATURE_NOT_SUPPORTED;
    struct binary *made = malloc(sizeof *made);
    if (made == NULL) {
        fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another kernel", api);
        return RT_INVALID_VALUE;
    }
    pthread_mutex_lock(&lock);
    *made = (struct binary){.next = binaries, .kernel = kernel, .is_live = true};
    binaries = made;
    pthread_mutex_unlock(&lock);
    *handle = made;
    return 0;
}

/* Cores of a device signal one another by it. Kernels of the host do not, and do not get it (take_arguments). */
int rtGetC2cCtrlAddr(uint64_t *address, uint32_t *length)
{
    if (check_result("rtGetC2cCtrlAddr", "addr", address) != 0 ||
        check_result("rtGetC2cCtrlAddr", "len", length) != 0)
        return RT_INVALID_VALUE;
    *address = 0;
    *length = 0;
    return 0;
}

int rtDevBinaryUnRegister(void *handle)
{
    pthread_mutex_lock(&lock);
    struct binary *found = find_binary(handle);
    if (found != NULL)
        found->is_live = false;
    pthread_mutex_unlock(&lock);
    if (found != NULL)
        return 0;
    fail(ACL_ERROR_RT_PARAM_INVALID,
         "rtDevBinaryUnRegister: handle is no binary that rtDevBinaryRegister gave");
    return RT_INVALID_VALUE;
}

/* Lock held. */
static bool name_function(const void *stub, const struct host_kernel *kernel)
{
    struct function *found = find_function(stub);
    if (found == NULL) {
        found = malloc(sizeof *found);
        if (found == NULL)
            return false;
        struct function *_Atomic *bucket = bucket_of(stub);
        found->next = atomic_load_explicit(bucket, memory_order_relaxed);
        found->stub = stub;
        atomic_init(&found->kernel, kernel);
        atomic_store_explicit(bucket, found, memory_order_release);
    }
    atomic_store_explicit(&found->kernel, kernel, memory_order_release);
    return true;
}

/* Lock held. A binary for the host has one kernel, whose name is `device`. */
static int kernel_of(const char *api, struct binary *binary, const char *name, const char *device,
                     const struct host_kernel **kernel)
{
    *kernel = binary->kernel;
    if (binary->kernel == NULL) {
        name = name != NULL ? name : device;
        *kernel = foreign_function(&binary->functions, name != NULL ? name : "a kernel of no name");
        return *kernel != NULL
                   ? 0
                   : fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another function", api);
    }
    if (device != NULL && strcmp(device, binary->kernel->header.name) == 0)
        return 0;
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the binary has no kernel %s; it has %s", api,
                device != NULL ? device : "of no name", binary->kernel->header.name);
}

/* Of code for a device the name alone is looked at. */
int rtFunctionRegister(void *handle, const void *stub, const char *name, const void *device, uint32_t mode)
{
    static const char api[] = "rtFunctionRegister";
    (void)mode;
    const struct host_kernel *kernel = NULL;
    int status = 0;
    pthread_mutex_lock(&lock);
    struct binary *binary = find_binary(handle);
    if (binary == NULL)
        status =
            fail(ACL_ERROR_RT_PARAM_INVALID, "%s: handle is no binary that rtDevBinaryRegister gave", api);
    else if (stub == NULL)
        status = fail(ACL_ERROR_RT_PARAM_INVALID | ARGUMENT_IS_NULL,
                      "%s: stubFunc is NULL; an address is expected", api);
    else
        status = kernel_of(api, binary, name, device, &kernel);
    if (status == 0 && !name_function(stub, kernel))
        status = fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another function", api);
    pthread_mutex_unlock(&lock);
    return status == 0 ? 0 : RT_INVALID_VALUE;
}

/* A task's payload: one launch. */
struct launch {
    const struct host_kernel *kernel;
    unsigned char *arguments; /* owned; header.argument_bytes */
};

static struct launch launch_of(const struct task *task)
{
    struct launch launch;
    memcpy(&launch, task->payload, sizeof launch);
    return launch;
}

static void *pointer_at(const struct launch *launch, uint32_t i)
{
    void *pointer;
    memcpy(&pointer, launch->arguments + launch->kernel->pointer[i].at, sizeof pointer);
    return pointer;
}

/* Which of the kernel's own pointers pointer i is. */
static uint32_t number_of(const struct host_kernel *kernel, uint32_t i)
{
    uint32_t number = 0;
    while (i-- > 0)
        number += kernel->pointer[i].at >= BYTES_OF_LAUNCHER;
    return number;
}

/* What the threads of the pool have of a launch, and the fault of the first program of the grid that was stopped. */
struct grid {
    struct host_kernel_launch launch;
    host_kernel_run *run;
    pthread_mutex_t lock;
    const char *name;
    bool is_stopped;
    struct host_kernel_fault fault;
};

static void tell_race(const struct host_kernel_launch *launch, const char *sentence)
{
    const struct grid *grid = (const struct grid *)launch; /* its first member */
    char told[HOST_KERNEL_FAULT_BYTES + HOST_KERNEL_NAME_BYTES];
    snprintf(told, sizeof told, "%s: %s", grid->name, sentence);
    report_failed_work(&(struct finding){.rule = RULE_KERNEL,
                                         .advice =
                                             "addresses of each program's own, atomic operations, or two "
                                             "launches are expected"},
                       0, told);
}

static void run_programs(void *context, uint64_t begin, uint64_t end)
{
    struct grid *grid = context;
    struct host_kernel_fault fault;
    if (grid->run(&grid->launch, begin, end, &fault))
        return;
    pthread_mutex_lock(&grid->lock);
    if (!grid->is_stopped || fault.program < grid->fault.program)
        grid->fault = fault;
    grid->is_stopped = true;
    pthread_mutex_unlock(&grid->lock);
}

/* Device memory may be reached elsewhere than at the address that the program has. Host memory that a program may
 * pass has no bounds that are known. */
static bool memory_around(const void *pointer, struct host_kernel_memory *memory)
{
    struct memory_block block;
    if (pointer == NULL) {
        *memory = (struct host_kernel_memory){.base = NULL};
        return true;
    }
    memory->base = memory_reach(pointer);
    if (memory_find(pointer, &block)) {
        memory->first = memory->base - ((uintptr_t)pointer - block.base);
        memory->behind = memory->first + block.bytes;
        return true;
    }
    memory->first = (const unsigned char *)1;
    memory->behind = (const unsigned char *)UINTPTR_MAX;
    return !memory_is_reserved(pointer);
}

static int run_grid(const struct launch *launch, struct grid *grid)
{
    const struct host_kernel_header *header = &launch->kernel->header;
    const int32_t *size = grid->launch.grid;
    const uint64_t count = (uint64_t)size[0] * (uint64_t)size[1] * (uint64_t)size[2];
    if (header->is_serial) {
        pthread_mutex_lock(&serial);
        run_programs(grid, 0, count);
        pthread_mutex_unlock(&serial);
    } else if (check_is_on(CHECK_RACE)) {
        grid->launch.race = tell_race;
        run_programs(grid, 0, count);
    } else {
        workers_run(run_programs, grid, count, count / SHARES < SHARE_MAX ? count / SHARES : SHARE_MAX);
    }
    if (!grid->is_stopped)
        return 0;
    const int status = operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "%.*s", HOST_KERNEL_FAULT_BYTES,
                                      grid->fault.sentence);
    operation_failed(header->name, status);
    return status;
}

static int run_launch(struct task *task)
{
    const struct launch launch = launch_of(task);
    const struct host_kernel_header *header = &launch.kernel->header;
    struct grid grid = {.launch = {.program = launch.kernel->program, .find = memory_around},
                        .run = launch.kernel->run,
                        .name = header->name,
                        .lock = PTHREAD_MUTEX_INITIALIZER};
    struct host_kernel_memory few[POINTERS_FEW], *memory = few;
    unsigned char *reached = malloc(header->argument_bytes);
    if (header->pointer_count > POINTERS_FEW)
        memory = malloc(header->pointer_count * sizeof *memory);
    int status = 0;
    if (reached == NULL || memory == NULL) {
        status =
            operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "there is no memory for a kernel's arguments");
    } else {
        memcpy(reached, launch.arguments, header->argument_bytes);
        for (uint32_t i = 0; i < header->pointer_count; i++) {
            const void *pointer = pointer_at(&launch, i);
            (void)memory_around(pointer, &memory[i]);
            memory[i].pointer = number_of(launch.kernel, i);
            memcpy(reached + launch.kernel->pointer[i].at, &memory[i].base, sizeof memory[i].base);
        }
        memcpy(grid.launch.grid, reached + header->grid_at, sizeof grid.launch.grid);
        grid.launch.arguments = reached;
        grid.launch.memory_count = header->pointer_count;
        grid.launch.memory = memory;
        status = run_grid(&launch, &grid);
    }
    if (memory != few)
        free(memory);
    free(reached);
    return status;
}

static void release_launch(struct task *task)
{
    free(launch_of(task).arguments);
}

static bool launch_is_current(const struct task *task)
{
    const struct launch launch = launch_of(task);
    struct memory_block block;
    for (uint32_t i = 0; i < launch.kernel->header.pointer_count; i++) {
        const void *pointer = pointer_at(&launch, i);
        if (pointer != NULL && memory_is_reserved(pointer) && !memory_find(pointer, &block))
            return false;
    }
    return true;
}

/* What is known: from each pointer on a kernel may read or write to the end of its block, and not which of it. */
static void describe_launch(const struct task *task, struct access_visitor *visitor)
{
    const struct launch launch = launch_of(task);
    struct memory_block block;
    for (uint32_t i = 0; i < launch.kernel->header.pointer_count; i++) {
        const void *pointer = pointer_at(&launch, i);
        if (pointer == NULL || !memory_find(pointer, &block))
            continue;
        const uint64_t bytes = block.bytes - ((uintptr_t)pointer - block.base);
        const bool is_written = launch.kernel->pointer[i].use != HOST_KERNEL_READS;
        access_visit_bytes(visitor, "args", is_written ? ACCESS_WRITTEN : ACCESS_READ | ACCESS_PARTLY,
                           pointer, bytes);
    }
}

/* Pointers lead to memory of devices or that the host has pinned. */
static int check_pointers(const char *api, const struct launch *launch, const struct settings *settings)
{
    struct memory_block block;
    for (uint32_t i = 0; i < launch->kernel->header.pointer_count; i++) {
        const void *pointer = pointer_at(launch, i);
        char what[MEMORY_TEXT_BYTES];
        if (pointer == NULL || memory_find(pointer, &block) ||
            (settings->host_pointers_allowed && !memory_is_reserved(pointer)))
            continue;
        memory_describe(pointer, what, sizeof what);
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: pointer %u of kernel %s, %p, %s; device memory is expected", api,
                    number_of(launch->kernel, i), launch->kernel->header.name, pointer, what);
    }
    return 0;
}

static int check_grid(const char *api, const struct launch *launch)
{
    int32_t size[3];
    memcpy(size, launch->arguments + launch->kernel->header.grid_at, sizeof size);
    const bool is_positive = size[0] > 0 && size[1] > 0 && size[2] > 0;
    return is_positive && (int64_t)size[0] * size[1] <= PROGRAMS_MAX / size[2]
               ? 0
               : fail(ACL_ERROR_RT_PARAM_INVALID,
                      "%s: kernel %s has a grid of %d x %d x %d; 1 to 2^31 - 1 programs are expected", api,
                      launch->kernel->header.name, size[0], size[1], size[2]);
}

/* The last argument of a launcher for TRITON_DEVICE_PRINT: what tools/triton/ccelib opens. */
static bool has_tunnel(const void *arguments, uint32_t bytes)
{
    static const uint64_t tunnel = UINT64_C(0x42656c6179);
    return memcmp((const unsigned char *)arguments + bytes - sizeof tunnel, &tunnel, sizeof tunnel) == 0;
}

/* The launcher puts the address of a C2C control before the arguments where it thinks that the device has one. */
static int take_arguments(const char *api, const void *arguments, uint32_t bytes, struct launch *launch)
{
    const uint32_t own = launch->kernel->header.argument_bytes;
    const uint32_t behind = arguments != NULL && bytes >= own + 8 && has_tunnel(arguments, bytes) ? 8 : 0;
    const uint32_t before = bytes == own + behind + 8 ? 8 : 0;
    if (arguments == NULL || bytes - before - behind != own)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kernel %s gets %u bytes of arguments; %u are expected",
                    api, launch->kernel->header.name, arguments != NULL ? bytes : 0, own);
    launch->arguments = malloc(own);
    if (launch->arguments == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for a kernel's arguments", api);
    memcpy(launch->arguments, (const unsigned char *)arguments + before, own);
    return 0;
}

static int queue_launch(const char *api, struct launch *launch, void *stream)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_grid(api, launch));
    struct task task = {.run = run_launch,
                        .release = release_launch,
                        .is_current = launch_is_current,
                        .describe = describe_launch,
                        .cost_ns = TASK_NEVER_INLINE};
    int status;
    do {
        TRY(check_pointers(api, launch, settings));
        memcpy(task.payload, launch, sizeof *launch);
        status = stream_submit(api, stream, &task);
    } while (status == STREAM_OUTDATED);
    return status;
}

/* How many blocks of the device would share the programs does not matter here: all of the grid's run. */
int rtKernelLaunch(const void *stub, uint32_t blocks, void *arguments, uint32_t bytes, void *smDesc,
                   void *stream)
{
    static const char api[] = "rtKernelLaunch";
    struct launch launch = {.kernel = NULL};
    (void)blocks;
    (void)smDesc;
    const struct function *function = find_function(stub);
    if (function == NULL) {
        refusal_of_launch(api, stream);
        fail(ACL_ERROR_API_NOT_SUPPORT, "%s: stubFunc is no function that rtFunctionRegister knows", api);
        return RT_FEATURE_NOT_SUPPORTED;
    }
    launch.kernel = atomic_load_explicit(&function->kernel, memory_order_acquire);
    int status = foreign_is(launch.kernel) ? foreign_refuse(api, launch.kernel)
                                           : take_arguments(api, arguments, bytes, &launch);
    if (status == 0)
        status = queue_launch(api, &launch, stream);
    if (status == 0)
        return 0;
    free(launch.arguments);
    /* Launchers drop what is returned here, and would read later what was never written. */
    const bool is_told = refusal_queue(api, stream, error_last_sentence()) == 0;
    if (is_told && refusal_is_for_stream())
        return 0;
    return foreign_is(launch.kernel) ? RT_FEATURE_NOT_SUPPORTED : RT_INVALID_VALUE;
}
