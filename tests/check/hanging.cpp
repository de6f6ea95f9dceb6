// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// A program that waits for ever, in the way that it is told: "value", "streams", "event", "callback", "collective", or
// "elsewhere", which is none of the library's. It prints a line before it does.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <pthread.h>
#include <unistd.h>

#include "acl/acl.h"
#include "hccl/hccl.h"

namespace
{
void check(int status)
{
    if (status != 0) {
        std::fprintf(stderr, "%d: %s\n", status, aclGetRecentErrMsg());
        std::exit(9);
    }
}

void *numbers()
{
    void *block;
    check(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    check(aclrtMemset(block, 64, 0, 64));
    return block;
}

void ready()
{
    std::puts("ready");
    std::fflush(stdout);
}

void nothing(void *)
{
}
} // namespace

int main(int count, char **words)
{
    const std::string how = count > 1 ? words[1] : "";
    aclrtStream first, second;
    aclrtEvent event;
    std::thread other;
    check(aclInit(nullptr));
    check(aclrtSetDevice(0));
    check(aclrtCreateStream(&first));
    check(aclrtCreateStream(&second));
    check(aclrtCreateEvent(&event));
    if (how == "value") {
        check(aclrtValueWait(numbers(), 5, ACL_STREAM_WAIT_VALUE_GEQ, first));
        ready();
        check(aclrtSynchronizeStream(first));
    } else if (how == "streams") { // after many others that have had work, all of it done
        void *const block = numbers();
        for (int i = 0; i < 600; i++) {
            aclrtStream busy;
            check(aclrtCreateStream(&busy));
            check(aclrtValueWait(block, 0, ACL_STREAM_WAIT_VALUE_EQ, busy));
            check(aclrtSynchronizeStream(busy));
        }
        check(aclrtValueWait(block, 6, ACL_STREAM_WAIT_VALUE_EQ, second));
        ready();
        check(aclrtSynchronizeStream(second));
    } else if (how == "event") {
        check(aclrtValueWait(numbers(), 7, ACL_STREAM_WAIT_VALUE_EQ, first));
        check(aclrtRecordEvent(event, first));
        check(aclrtStreamWaitEvent(second, event));
        other = std::thread([=] {
            check(aclrtSetDevice(0));
            ready();
            check(aclrtSynchronizeEvent(event));
        });
        check(aclrtSynchronizeStream(second));
    } else if (how == "callback") {
        std::atomic<bool> subscribes{false};
        other = std::thread([&] {
            subscribes = true;
            pause(); // without a call of aclrtProcessReport
        });
        while (!subscribes)
            continue;
        check(aclrtSubscribeReport(static_cast<uint64_t>(other.native_handle()), first));
        check(aclrtLaunchCallback(nothing, nullptr, ACL_CALLBACK_BLOCK, first));
        ready();
        check(aclrtSynchronizeDevice());
    } else if (how == "collective") {
        int32_t devices[] = {0, 1};
        HcclComm communicators[2];
        void *block = numbers();
        check(HcclCommInitAll(2, devices, communicators));
        check(aclrtSetDevice(0));
        check(HcclAllReduce(block, block, 4, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, communicators[0], first));
        ready();
        check(aclrtSynchronizeStream(first));
    } else {
        ready();
        pause();
    }
    return 0;
}
