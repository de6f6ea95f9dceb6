/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Data-parallel averaging with two devices of one process: each device has its own gradients, and after an
 * all-reduce each has the sum of both. It sets BELAY_DEVICES=2 itself, and is linked with -lhccl besides.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"

namespace
{

void check(int status, const char *call)
{
    if (status == 0)
        return;
    const char *message = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s answers %d: %s\n", call, status, message ? message : "(no message)");
    std::exit(1);
}

const std::size_t count = 1000;
const std::size_t bytes = count * sizeof(float);

/* What belongs to one device. */
struct Rank {
    int32_t device;
    aclrtStream stream;
    void *gradients;
};

float gradient(int32_t device, std::size_t i)
{
    return static_cast<float>(i) * 0.5f + static_cast<float>(device);
}

} // namespace

int main()
{
    setenv("BELAY_DEVICES", "2", 1); /* read at the first call */
    std::vector<Rank> ranks(2);
    for (std::size_t r = 0; r < ranks.size(); r++) {
        std::vector<float> host(count);
        Rank &rank = ranks[r];
        rank.device = static_cast<int32_t>(r);
        for (std::size_t i = 0; i < count; i++)
            host[i] = gradient(rank.device, i);
        check(aclrtSetDevice(rank.device), "aclrtSetDevice");
        check(aclrtCreateStream(&rank.stream), "aclrtCreateStream");
        check(aclrtMalloc(&rank.gradients, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        check(aclrtMemcpy(rank.gradients, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE),
              "aclrtMemcpy");
    }

    int32_t devices[] = {0, 1};
    HcclComm comms[2];
    check(HcclCommInitAll(2, devices, comms), "HcclCommInitAll");

    /* Each call queues its rank's part and returns; the work of both runs when both are queued. */
    for (std::size_t r = 0; r < ranks.size(); r++)
        check(HcclAllReduce(ranks[r].gradients, ranks[r].gradients, count, HCCL_DATA_TYPE_FP32,
                            HCCL_REDUCE_SUM, comms[r], ranks[r].stream),
              "HcclAllReduce");

    int wrong = 0;
    for (std::size_t r = 0; r < ranks.size(); r++) {
        std::vector<float> host(count);
        check(aclrtSetDevice(ranks[r].device), "aclrtSetDevice");
        check(aclrtSynchronizeStream(ranks[r].stream), "aclrtSynchronizeStream");
        check(aclrtMemcpy(host.data(), bytes, ranks[r].gradients, bytes, ACL_MEMCPY_DEVICE_TO_HOST),
              "aclrtMemcpy");
        for (std::size_t i = 0; i < count; i++)
            wrong += host[i] != gradient(0, i) + gradient(1, i);
        std::printf("device %d: the first sums are %g, %g, %g\n", static_cast<int>(ranks[r].device),
                    static_cast<double>(host[0]), static_cast<double>(host[1]), static_cast<double>(host[2]));
    }

    for (std::size_t r = 0; r < ranks.size(); r++) {
        check(HcclCommDestroy(comms[r]), "HcclCommDestroy");
        check(aclrtSetDevice(ranks[r].device), "aclrtSetDevice");
        check(aclrtFree(ranks[r].gradients), "aclrtFree");
        check(aclrtDestroyStream(ranks[r].stream), "aclrtDestroyStream");
        check(aclrtResetDeviceForce(ranks[r].device), "aclrtResetDeviceForce");
    }
    std::printf("%d of %zu sums are wrong\n", wrong, 2 * count);
    return wrong != 0;
}
