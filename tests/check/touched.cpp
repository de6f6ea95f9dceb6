// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Programs that use memory which is not theirs, or not yet: MISTAKE, or "MISTAKE mended". Memory is looked at
// through volatile pointers, so that compilers leave what is wrong as it is.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_relu.h"

namespace
{
constexpr size_t BYTES = 4096;
bool is_mended;
aclrtStream stream;

void check(aclError status)
{
    if (status != ACL_SUCCESS) {
        std::fprintf(stderr, "%d: %s\n", status, aclGetRecentErrMsg());
        std::exit(9);
    }
}

char *device_memory(size_t bytes)
{
    void *block;
    check(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    check(aclrtMemset(block, bytes, 0, bytes));
    return static_cast<char *>(block);
}

char *pinned_memory(size_t bytes)
{
    void *block;
    check(aclrtMallocHost(&block, bytes));
    std::memset(block, 0, bytes);
    return static_cast<char *>(block);
}

char load(const char *address)
{
    return *const_cast<const volatile char *>(address);
}

void store(char *address)
{
    *const_cast<volatile char *>(address) = 1;
}

void read_device()
{
    char *block = device_memory(BYTES), copy[BYTES];
    if (is_mended)
        check(aclrtMemcpy(copy, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    load((is_mended ? copy : block) + 100);
    check(aclrtFree(block));
}

void write_device()
{
    char *block = device_memory(BYTES), values[BYTES] = {};
    store((is_mended ? values : block) + 7);
    if (is_mended)
        check(aclrtMemcpy(block, BYTES, values, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    check(aclrtFree(block));
}

void copy_device() // by a function of libc: its caller is told
{
    char *block = device_memory(BYTES), copy[BYTES];
    if (is_mended)
        check(aclrtMemcpy(copy, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    else
        std::memcpy(copy, block, BYTES);
    load(copy);
    check(aclrtFree(block));
}

void read_mapped()
{
    aclrtPhysicalMemProp prop = {};
    prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    prop.memAttr = ACL_HBM_MEM_HUGE;
    void *address;
    aclrtDrvMemHandle handle;
    check(aclrtReserveMemAddress(&address, 2 << 20, 0, nullptr, 0));
    check(aclrtMallocPhysical(&handle, 2 << 20, &prop, 0));
    check(aclrtMapMem(address, 2 << 20, 0, handle, 0));
    char copy[1] = {5};
    check(aclrtMemset(address, 1, 3, 1));
    if (is_mended)
        check(aclrtMemcpy(copy, 1, address, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    if (load(is_mended ? copy : static_cast<char *>(address)) != 3)
        std::exit(8);
    check(aclrtUnmapMem(address));
    check(aclrtFreePhysical(handle));
    check(aclrtReleaseMemAddress(address));
}

// A workspace is device memory, and its operator's until that has ended; it is never the host's to write.
char *used_workspace()
{
    char *workspace = device_memory(BYTES), *data = device_memory(BYTES);
    const int64_t count = 4, stride = 1;
    aclTensor *self = aclCreateTensor(&count, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &count, 1, data);
    uint64_t bytes;
    aclOpExecutor *executor;
    check(aclnnReluGetWorkspaceSize(self, self, &bytes, &executor));
    check(aclnnRelu(workspace, BYTES, executor, stream));
    check(aclrtSynchronizeStream(stream));
    check(aclDestroyTensor(self));
    check(aclrtFree(data));
    return workspace;
}

void write_workspace()
{
    char *workspace = used_workspace();
    if (is_mended)
        check(aclrtMemset(workspace, BYTES, 1, BYTES));
    else
        store(workspace + 9);
    check(aclrtFree(workspace));
}

void set_freed_workspace()
{
    char *workspace = used_workspace();
    if (is_mended)
        check(aclrtMemset(workspace, BYTES, 1, BYTES));
    check(aclrtFree(workspace));
    if (!is_mended)
        aclrtMemset(workspace, BYTES, 1, BYTES);
}

// The source of a copy that nobody has waited for goes back to the kernel.
void unmapped_early()
{
    char *block = device_memory(BYTES);
    void *values = mmap(nullptr, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(aclrtHostRegister(values, BYTES, ACL_HOST_REGISTER_MAPPED, nullptr));
    check(aclrtMemcpyAsync(block, BYTES, values, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    if (is_mended)
        check(aclrtSynchronizeStream(stream));
    munmap(values, BYTES);
    check(aclrtSynchronizeStream(stream));
    check(aclrtHostUnregister(values));
    check(aclrtFree(block));
}

void read_freed()
{
    char *block = pinned_memory(BYTES);
    if (is_mended)
        load(block);
    check(aclrtFreeHost(block));
    if (!is_mended)
        load(block);
}

void read_freed_device()
{
    char *block = device_memory(BYTES), copy;
    if (is_mended)
        check(aclrtMemcpy(&copy, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    check(aclrtFree(block));
    if (!is_mended)
        load(block);
}

void copy_freed()
{
    char *block = device_memory(BYTES), copy;
    if (is_mended)
        check(aclrtMemcpy(&copy, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    check(aclrtFree(block));
    device_memory(BYTES); // another block, whose address must not be the old one
    if (!is_mended)
        aclrtMemcpy(&copy, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST);
}

void overrun() // by a little, which is seen when the block is freed
{
    char *block = pinned_memory(1000);
    std::memset(block, 1, is_mended ? 1000 : 1003);
    load(block);
    check(aclrtFreeHost(block));
}

void underrun()
{
    char *block = pinned_memory(1000);
    store(block - (is_mended ? 0 : 3));
    check(aclrtFreeHost(block));
}

void overrun_far()
{
    char *block = pinned_memory(1000);
    store(block + (is_mended ? 999 : 2000));
    check(aclrtFreeHost(block));
}

void read_early()
{
    char *block = device_memory(BYTES), *copy = pinned_memory(BYTES);
    check(aclrtMemcpyAsync(copy, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    if (is_mended)
        check(aclrtSynchronizeStream(stream));
    load(copy + 40);
    check(aclrtSynchronizeStream(stream));
    load(copy + 41);
    check(aclrtFreeHost(copy));
    check(aclrtFree(block));
}

void write_early()
{
    char *block = device_memory(BYTES), *values = pinned_memory(100);
    aclrtEvent event;
    check(aclrtCreateEvent(&event));
    check(aclrtMemcpyAsync(block, 100, values, 100, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    check(aclrtRecordEvent(event, stream));
    load(values); // which the copy does, too
    if (is_mended)
        check(aclrtSynchronizeEvent(event));
    store(values + 99);
    check(aclrtSynchronizeStream(stream));
    check(aclrtDestroyEvent(event));
    check(aclrtFreeHost(values));
    check(aclrtFree(block));
}

// Behind the last page that belongs to the copy alone, which is closed.
void write_early_behind()
{
    char *block = device_memory(BYTES + 100), *values = pinned_memory(BYTES + 100);
    check(aclrtMemcpyAsync(block, BYTES + 50, values, BYTES + 50, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    store(values + BYTES + 60);
    if (is_mended)
        check(aclrtSynchronizeStream(stream));
    store(values + BYTES + 40);
    check(aclrtSynchronizeStream(stream));
    check(aclrtFreeHost(values));
    check(aclrtFree(block));
}

// Halves of one block in turn: pages that belong to both are nobody's mistake, and system calls may use them.
void halves()
{
    char *block = device_memory(6000), *values = pinned_memory(6000);
    check(aclrtMemcpyAsync(block, 3000, values, 3000, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    int zeros = open("/dev/zero", O_RDONLY);
    if (read(zeros, values + 3000, 3000) != 3000)
        std::exit(6);
    close(zeros);
    check(aclrtMemcpyAsync(block + 3000, 3000, values + 3000, 3000, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    check(aclrtSynchronizeStream(stream));
    std::memset(values, 1, 6000);
    check(aclrtFreeHost(values));
    check(aclrtFree(block));
}

// Functions of the program run on threads of the library, too.
void load_from(void *block)
{
    load(static_cast<const char *>(block));
}

void function_reads()
{
    char *block = device_memory(BYTES), *pinned;
    check(aclrtMallocHost(reinterpret_cast<void **>(&pinned), BYTES));
    check(aclrtLaunchHostFunc(stream, load_from, is_mended ? pinned : block));
    check(aclrtSynchronizeStream(stream));
    check(aclrtFreeHost(pinned));
    check(aclrtFree(block));
}

// A stream waits for a function that it has called: what it has behind that may use the same memory, as may
// another stream that waits for it.
void function_is_waited_for()
{
    char *pinned, *block = device_memory(BYTES);
    aclrtStream other;
    aclrtEvent event;
    check(aclrtMallocHost(reinterpret_cast<void **>(&pinned), BYTES));
    check(aclrtCreateStream(&other));
    check(aclrtCreateEvent(&event));
    check(aclrtMemsetAsync(block, BYTES, 0, BYTES, stream));
    for (int i = 0; i < 3; i++) {
        check(aclrtMemcpyAsync(pinned, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        check(aclrtLaunchHostFunc(stream, load_from, pinned));
        check(aclrtMemcpyAsync(pinned, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        check(aclrtRecordEvent(event, stream));
        check(aclrtStreamWaitEvent(other, event));
        check(aclrtMemcpyAsync(pinned, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, other));
        check(aclrtRecordEvent(event, other));
        check(aclrtStreamWaitEvent(stream, event));
    }
    check(aclrtSynchronizeDevice());
    check(aclrtDestroyEvent(event));
    check(aclrtDestroyStream(other));
    check(aclrtFreeHost(pinned));
    check(aclrtFree(block));
}

sigjmp_buf before;

void jump(int)
{
    siglongjmp(before, 1);
}

// A handler of the program, installed when ours is there already, is called behind the report; what it cannot
// know of, a fault in memory of its own, is no report.
void own_handler()
{
    char *block = device_memory(BYTES);
    struct sigaction action = {}, old;
    action.sa_handler = jump;
    check(sigaction(SIGSEGV, &action, &old));
    check(aclrtSynchronizeStream(stream));
    if (sigsetjmp(before, 1) == 0) {
        load(is_mended ? reinterpret_cast<char *>(8) : block);
        std::exit(7);
    }
    check(aclrtFree(block));
}

// A handler that puts back what was there before and raises the signal again, as Python's faulthandler does.
struct sigaction previous;

void pass_on(int signal)
{
    std::fputs("handler\n", stderr);
    sigaction(signal, &previous, nullptr);
    raise(signal);
}

void passing_handler()
{
    char *block = device_memory(BYTES);
    struct sigaction action = {};
    action.sa_handler = pass_on;
    action.sa_flags = SA_NODEFER | SA_ONSTACK;
    check(sigaction(SIGSEGV, &action, &previous));
    check(aclrtSynchronizeStream(stream));
    if (!is_mended)
        load(block);
    check(aclrtFree(block));
}
} // namespace

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        void (*run)();
    } mistakes[] = {{"DC-007", read_device},
                    {"DC-007-write", write_device},
                    {"DC-007-libc", copy_device},
                    {"DC-007-mapped", read_mapped},
                    {"DC-007-handler", own_handler},
                    {"DC-007-passing", passing_handler},
                    {"DC-007-workspace", write_workspace},
                    {"DC-008-workspace", set_freed_workspace},
                    {"DC-013-unmapped", unmapped_early},
                    {"DC-008", read_freed},
                    {"DC-008-device", read_freed_device},
                    {"DC-008-copied", copy_freed},
                    {"DC-009", overrun},
                    {"DC-009-before", underrun},
                    {"DC-009-far", overrun_far},
                    {"DC-011", read_early},
                    {"DC-011-write", write_early},
                    {"DC-013-rest", write_early_behind},
                    {"DC-007-function", function_reads},
                    {"none-function", function_is_waited_for},
                    {"none-halves", halves}};
    is_mended = argc > 2;
    check(aclInit(nullptr));
    check(aclrtSetDevice(0));
    check(aclrtCreateStream(&stream));
    for (const auto &mistake : mistakes)
        if (argc > 1 && std::string(argv[1]) == mistake.name)
            mistake.run();
    check(aclrtDestroyStream(stream));
    check(aclrtResetDevice(0));
    check(aclFinalize());
    return 0;
}
