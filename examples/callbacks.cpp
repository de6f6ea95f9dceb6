/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Host code in the order of a stream: callbacks that a thread of the program runs, and host functions that
 * the library runs on a thread of its own.
 */
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "acl/acl.h"

namespace
{

void check(int status, const char *call)
{
    if (status == ACL_SUCCESS)
        return;
    const char *message = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s answers %d: %s\n", call, status, message ? message : "(no message)");
    std::exit(1);
}

/* What the calls put down, in the order in which they ran. Only the stream's order protects it. */
std::vector<int> *record;

void put_down(void *number)
{
    record->push_back(static_cast<int>(reinterpret_cast<intptr_t>(number)));
}

void *as_argument(int number)
{
    return reinterpret_cast<void *>(static_cast<intptr_t>(number));
}

} // namespace

int main()
{
    const int count = 10;
    std::vector<int> numbers;
    record = &numbers;
    check(aclrtSetDevice(0), "aclrtSetDevice");
    aclrtStream stream;
    check(aclrtCreateStream(&stream), "aclrtCreateStream");

    /* A callback runs on a thread that has been named for the stream, when that thread asks for one. */
    std::atomic<bool> is_done(false);
    std::thread reporter([&is_done] {
        while (!is_done)
            aclrtProcessReport(20); /* milliseconds; nothing to do within them is no error to us */
    });
    const uint64_t reporter_id = static_cast<uint64_t>(reporter.native_handle());
    check(aclrtSubscribeReport(reporter_id, stream), "aclrtSubscribeReport");
    for (int i = 0; i < count; i += 2) {
        /* ACL_CALLBACK_BLOCK: what is queued behind waits until the callback has returned. */
        check(aclrtLaunchCallback(put_down, as_argument(i), ACL_CALLBACK_BLOCK, stream),
              "aclrtLaunchCallback");
        check(aclrtLaunchHostFunc(stream, put_down, as_argument(i + 1)), "aclrtLaunchHostFunc");
    }
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    check(aclrtUnSubscribeReport(reporter_id, stream), "aclrtUnSubscribeReport");
    is_done = true;
    reporter.join();
    check(aclrtDestroyStream(stream), "aclrtDestroyStream");
    aclrtResetDevice(0);

    int wrong = numbers.size() != static_cast<size_t>(count);
    for (size_t i = 0; i < numbers.size(); i++) {
        std::printf("%d ", numbers[i]);
        wrong += numbers[i] != static_cast<int>(i);
    }
    std::printf("\n%d of %d calls ran out of order\n", wrong, count);
    return wrong != 0;
}
