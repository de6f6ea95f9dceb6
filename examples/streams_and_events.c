/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Two streams and events between them: one stream copies numbers to the device piece by piece, the other
 * computes on each piece as soon as it is there. Work on one stream runs in order; work on different streams
 * runs at the same time unless an event holds one back.
 */
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"

enum { PIECES = 8, PIECE_COUNT = 1 << 16, COUNT = PIECES * PIECE_COUNT };

static const size_t PIECE_BYTES = PIECE_COUNT * sizeof(float);

static void check(int status, const char *call)
{
    if (status == ACL_SUCCESS)
        return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "%s answers %d: %s\n", call, status, message ? message : "(no message)");
    exit(1);
}

/* Queues out = x > 0 ? x : x / 2 on the stream, for one piece. Nothing needs to outlive the call. */
static void halve_negatives(float *x, float *out, aclrtStream stream)
{
    const int64_t shape = PIECE_COUNT, stride = 1;
    float slope = 0.5f;
    aclTensor *x_tensor = aclCreateTensor(&shape, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &shape, 1, x);
    aclTensor *out_tensor = aclCreateTensor(&shape, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &shape, 1, out);
    aclScalar *slope_scalar = aclCreateScalar(&slope, ACL_FLOAT);
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    check(aclnnLeakyReluBackwardGetWorkspaceSize(x_tensor, x_tensor, slope_scalar, false, out_tensor,
                                                 &workspace_bytes, &executor),
          "aclnnLeakyReluBackwardGetWorkspaceSize");
    void *workspace = NULL;
    if (workspace_bytes > 0)
        check(aclrtMalloc(&workspace, workspace_bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    check(aclnnLeakyReluBackward(workspace, workspace_bytes, executor, stream), "aclnnLeakyReluBackward");
    aclDestroyTensor(x_tensor);
    aclDestroyTensor(out_tensor);
    aclDestroyScalar(slope_scalar);
    if (workspace) {
        check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
        aclrtFree(workspace);
    }
}

int main(void)
{
    float *host, *x, *out, elapsed_ms;
    aclrtStream copying, computing;
    aclrtEvent copied[PIECES], begin, end;
    check(aclrtSetDevice(0), "aclrtSetDevice");
    check(aclrtCreateStream(&copying), "aclrtCreateStream");
    check(aclrtCreateStream(&computing), "aclrtCreateStream");
    /* Pinned host memory: a copy from ordinary memory would wait for the stream first. */
    check(aclrtMallocHost((void **)&host, PIECES * PIECE_BYTES), "aclrtMallocHost");
    check(aclrtMalloc((void **)&x, PIECES * PIECE_BYTES, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    check(aclrtMalloc((void **)&out, PIECES * PIECE_BYTES, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    for (int i = 0; i < COUNT; i++)
        host[i] = (float)(i % 2001 - 1000);
    check(aclrtCreateEvent(&begin), "aclrtCreateEvent");
    check(aclrtCreateEvent(&end), "aclrtCreateEvent");

    check(aclrtRecordEvent(begin, copying), "aclrtRecordEvent");
    for (int i = 0; i < PIECES; i++) {
        size_t at = (size_t)i * PIECE_COUNT;
        check(aclrtCreateEvent(&copied[i]), "aclrtCreateEvent");
        check(
            aclrtMemcpyAsync(x + at, PIECE_BYTES, host + at, PIECE_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, copying),
            "aclrtMemcpyAsync");
        check(aclrtRecordEvent(copied[i], copying), "aclrtRecordEvent");
        /* Everything queued on the other stream from here on comes after this piece has arrived. */
        check(aclrtStreamWaitEvent(computing, copied[i]), "aclrtStreamWaitEvent");
        halve_negatives(x + at, out + at, computing);
    }
    check(aclrtRecordEvent(end, computing), "aclrtRecordEvent");
    check(aclrtSynchronizeEvent(end), "aclrtSynchronizeEvent");
    check(aclrtEventElapsedTime(&elapsed_ms, begin, end), "aclrtEventElapsedTime");

    /* The host waited for the event, so the results may be fetched. */
    check(aclrtMemcpy(host, PIECES * PIECE_BYTES, out, PIECES * PIECE_BYTES, ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy");
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        float number = (float)(i % 2001 - 1000);
        wrong += host[i] != (number > 0 ? number : number * 0.5f);
    }

    for (int i = 0; i < PIECES; i++)
        check(aclrtDestroyEvent(copied[i]), "aclrtDestroyEvent");
    check(aclrtDestroyEvent(begin), "aclrtDestroyEvent");
    check(aclrtDestroyEvent(end), "aclrtDestroyEvent");
    aclrtFreeHost(host);
    aclrtFree(x);
    aclrtFree(out);
    check(aclrtDestroyStream(copying), "aclrtDestroyStream");
    check(aclrtDestroyStream(computing), "aclrtDestroyStream");
    aclrtResetDevice(0);
    printf("%d pieces of %d numbers copied and computed in %g ms\n", PIECES, PIECE_COUNT, (double)elapsed_ms);
    printf("%d of %d results are wrong\n", wrong, COUNT);
    return wrong != 0 || elapsed_ms < 0;
}
