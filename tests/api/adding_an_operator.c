/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Computes with the operator of docs/adding-an-operator.md, which adding_an_operator.cmake has compiled: at
 * every level, with a count that leaves a ragged end, and through the list of operators.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_relu6.h"
#include "ops/function.h"
#include "base/settings.h"

enum { COUNT = 37 };

static int refuse(const char *what)
{
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "%s: %s\n", what, message != NULL ? message : "");
    return 1;
}

static int is_listed(void)
{
    size_t count;
    const struct function *const *list = functions(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->operation.name, "aclnnRelu6") == 0)
            return 1;
    return 0;
}

static int compute(void)
{
    const int64_t shape[] = {COUNT};
    float numbers[COUNT], results[COUNT];
    for (int i = 0; i < COUNT; i++)
        numbers[i] = (float)(i - COUNT / 2);
    void *memory[2];
    aclTensor *tensor[2];
    if (aclrtSetDevice(0) != 0)
        return refuse("aclrtSetDevice");
    for (int i = 0; i < 2; i++) {
        if (aclrtMalloc(&memory[i], sizeof numbers, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
            return refuse("aclrtMalloc");
        tensor[i] = aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, memory[i]);
    }
    if (aclrtMemcpy(memory[0], sizeof numbers, numbers, sizeof numbers, ACL_MEMCPY_HOST_TO_DEVICE) != 0)
        return refuse("aclrtMemcpy");
    uint64_t bytes;
    aclOpExecutor *executor;
    if (aclnnRelu6GetWorkspaceSize(NULL, tensor[1], &bytes, &executor) != ACLNN_ERR_PARAM_NULLPTR)
        return refuse("NULL is accepted");
    if (aclnnRelu6GetWorkspaceSize(tensor[0], tensor[1], &bytes, &executor) != 0 ||
        aclnnRelu6(NULL, bytes, executor, NULL) != 0 || aclrtSynchronizeStream(NULL) != 0)
        return refuse("aclnnRelu6");
    if (aclrtMemcpy(results, sizeof results, memory[1], sizeof results, ACL_MEMCPY_DEVICE_TO_HOST) != 0)
        return refuse("aclrtMemcpy");
    for (int i = 0; i < COUNT; i++)
        if (results[i] != (numbers[i] > 6 ? 6.0f : numbers[i] > 0 ? numbers[i] : 0.0f))
            return refuse("a result is wrong");
    for (int i = 0; i < 2; i++) {
        aclDestroyTensor(tensor[i]);
        aclrtFree(memory[i]);
    }
    return aclrtResetDevice(0);
}

int main(void)
{
    if (!is_listed())
        return refuse("the operator is not in the list");
    /* A process reads its level once. Level 0 is there everywhere. */
    for (int level = 0; level <= (int)processor_kernel_level(); level++) {
        pid_t child = fork();
        if (child == 0) {
            setenv("BELAY_ISA", isa_level_name((enum isa_level)level), 1);
            _exit(compute());
        }
        int status;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            return refuse("a level does not work");
    }
    return 0;
}
