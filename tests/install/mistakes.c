/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The programs of findings.sh: mistakes as users make them, by name; without a name there is none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_silu.h"

enum { COUNT = 64, BYTES = COUNT * 4 };

static aclrtStream first, second;
static void *from, *to;

static aclTensor *tensor(void *data, aclDataType dtype)
{
    const int64_t shape = COUNT, stride = 1;
    return aclCreateTensor(&shape, 1, dtype, &stride, 0, ACL_FORMAT_ND, &shape, 1, data);
}

static void silu(aclDataType dtype, void *in, void *out, aclrtStream stream)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    aclTensor *self = tensor(in, dtype), *result = tensor(out, dtype);
    if (aclnnSiluGetWorkspaceSize(self, result, &bytes, &executor) == 0)
        aclnnSilu(NULL, 0, executor, stream);
    aclDestroyTensor(self);
    aclDestroyTensor(result);
}

static void use(const char *name)
{
    static char host[BYTES];
    void *more;
    if (strcmp(name, "dtype") == 0)
        silu(ACL_INT32, from, to, first);
    if (strcmp(name, "often") == 0)
        for (int i = 0; i < 1000; i++)
            aclrtFree(NULL);
    if (strcmp(name, "leak") == 0)
        aclrtMalloc(&more, BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
    if (strcmp(name, "sleep") == 0)
        sleep(20);
    if (strcmp(name, "crash") == 0)
        *(volatile char *)NULL = 1;
    if (strcmp(name, "read") == 0)
        printf("%d\n", *(volatile char *)from);
    if (strcmp(name, "early") == 0) {
        silu(ACL_FLOAT, from, to, first);
        aclrtMemcpy(host, BYTES, to, BYTES, ACL_MEMCPY_DEVICE_TO_HOST);
    }
    if (strcmp(name, "streams") == 0) {
        silu(ACL_FLOAT, from, to, first);
        silu(ACL_FLOAT, to, to, second);
    }
    if (strcmp(name, "unwritten") == 0)
        aclrtMemcpy(host, BYTES, to, BYTES, ACL_MEMCPY_DEVICE_TO_HOST);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "init") == 0) {
        int status = aclInit(argv[2]);
        const char *message = aclGetRecentErrMsg();
        printf("init %d %s\n", status, message != NULL ? message : "");
        return 0;
    }
    if (strcmp(name, "ten") == 0) {
        for (int i = 0; i < 10; i++)
            aclrtSetDevice(0);
        const char *message = aclGetRecentErrMsg();
        printf("%s\n", message != NULL ? message : "");
        return 0;
    }
    aclInit(NULL);
    aclrtSetDevice(0);
    aclrtCreateStream(&first);
    aclrtCreateStream(&second);
    aclrtMalloc(&from, BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&to, BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
    if (from != NULL)
        aclrtMemset(from, BYTES, 0, BYTES);
    use(name);
    aclrtSynchronizeDevice();
    aclrtFree(from);
    aclrtFree(to);
    aclrtDestroyStream(first);
    aclrtDestroyStream(second);
    aclrtResetDevice(0);
    aclFinalize();
    return 0;
}
