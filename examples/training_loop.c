/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Training with the library's operators alone: two layers of pointwise operators and a loss, forward,
 * backward and update, on one stream without a wait in between. The losses are compared with a computation in
 * doubles.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"

enum { COUNT = 256, STEPS = 100, MEAN = 1 };

static const float beta = 0.5F, rate = 8;

static void check(int status, const char *call)
{
    if (status == ACL_SUCCESS)
        return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "%s answers %d: %s\n", call, status, message ? message : "(no message)");
    exit(1);
}

struct array {
    float *memory; /* of the device */
    aclTensor *tensor;
};

static struct array make_array(int64_t count, const float *values)
{
    struct array array;
    const size_t bytes = (size_t)count * sizeof(float);
    void *memory;
    check(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    array.memory = memory;
    if (values)
        check(aclrtMemcpy(memory, bytes, values, bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    array.tensor = aclCreateTensor(&count, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &count, 1, memory);
    check(array.tensor ? ACL_SUCCESS : 1, "aclCreateTensor");
    return array;
}

static void destroy_array(struct array array)
{
    check(aclDestroyTensor(array.tensor), "aclDestroyTensor");
    check(aclrtFree(array.memory), "aclrtFree");
}

/* Both phases of an operator; what comes after its name are phase 1's arguments. */
#define RUN(operator_, ...)                                                                                 \
    do {                                                                                                    \
        uint64_t workspace_bytes_;                                                                          \
        aclOpExecutor *executor_;                                                                           \
        check(operator_##GetWorkspaceSize(__VA_ARGS__, &workspace_bytes_, &executor_), #operator_);         \
        check(operator_(workspace_for(workspace_bytes_), workspace_bytes_, executor_, stream), #operator_); \
    } while (0)

/* One workspace for all calls, which follow one another on the stream; freed at the end. */
static void *workspace_for(uint64_t bytes)
{
    static void *memory;
    static uint64_t size;
    if (bytes > size) {
        check(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
        if (memory)
            check(aclrtFree(memory), "aclrtFree");
        check(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        size = bytes;
    }
    return bytes > 0 ? memory : NULL;
}

/* The same in doubles, from the formulas, and nothing of the library. */
static void train_in_doubles(const float *x, const float *target, double *loss)
{
    double first[COUNT], second[COUNT], bias[COUNT];
    for (int i = 0; i < COUNT; i++) {
        first[i] = second[i] = 1;
        bias[i] = 0;
    }
    for (int step = 0; step < STEPS; step++) {
        loss[step] = 0;
        for (int i = 0; i < COUNT; i++) {
            double a = first[i] * (double)x[i], sigma = 1 / (1 + exp(-a)), hidden = a * sigma;
            double b = second[i] * hidden + bias[i];
            double y = b <= -3 ? 0 : b >= 3 ? b : b * (b + 3) / 6;
            double d = y - (double)target[i], size = fabs(d), width = (double)beta;
            loss[step] += (size < width ? d * d / (2 * width) : size - width / 2) / COUNT;
            double gradient = (size < width ? d / width : d < 0 ? -1 : 1) / COUNT;
            gradient *= b < -3 ? 0 : b > 3 ? 1 : b / 3 + 0.5;
            double change_of_hidden = gradient * second[i];
            second[i] -= (double)rate * gradient * hidden;
            bias[i] -= (double)rate * gradient;
            first[i] -= (double)rate * change_of_hidden * sigma * (1 + a * (1 - sigma)) * (double)x[i];
        }
    }
}

int main(void)
{
    float x[COUNT], target[COUNT], ones[COUNT], zeros[COUNT] = {0}, one = 1, step_size = -rate;
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)i / 32 - 4;
        target[i] = (float)(1.5 * sin((double)x[i]) + 0.5);
        ones[i] = 1;
    }
    static double expected[STEPS];
    train_in_doubles(x, target, expected);

    check(aclrtSetDevice(0), "aclrtSetDevice");
    aclrtStream stream;
    check(aclrtCreateStream(&stream), "aclrtCreateStream");
    struct array input = make_array(COUNT, x), goal = make_array(COUNT, target), unit = make_array(1, ones);
    struct array first = make_array(COUNT, ones), second = make_array(COUNT, ones);
    struct array bias = make_array(COUNT, zeros), a = make_array(COUNT, NULL),
                 hidden = make_array(COUNT, NULL);
    struct array b = make_array(COUNT, NULL), y = make_array(COUNT, NULL), gradient = make_array(COUNT, NULL);
    struct array change = make_array(COUNT, NULL), losses = make_array(STEPS, NULL);
    aclScalar *plain = aclCreateScalar(&one, ACL_FLOAT), *down = aclCreateScalar(&step_size, ACL_FLOAT);
    check(plain && down ? ACL_SUCCESS : 1, "aclCreateScalar");

    for (int step = 0; step < STEPS; step++) {
        const int64_t single = 1;
        aclTensor *loss =
            aclCreateTensor(&single, 1, ACL_FLOAT, NULL, step, ACL_FORMAT_ND, &single, 1, losses.memory);
        check(loss ? ACL_SUCCESS : 1, "aclCreateTensor");

        /* Forward: hardswish(second * silu(first * x) + bias) */
        RUN(aclnnMul, first.tensor, input.tensor, a.tensor);
        RUN(aclnnSilu, a.tensor, hidden.tensor);
        RUN(aclnnMul, second.tensor, hidden.tensor, b.tensor);
        RUN(aclnnInplaceAdd, b.tensor, bias.tensor, plain);
        RUN(aclnnHardswish, b.tensor, y.tensor);
        RUN(aclnnSmoothL1Loss, y.tensor, goal.tensor, MEAN, beta, loss);

        /* Backward, and the update of each weight as soon as its gradient is there. */
        RUN(aclnnSmoothL1LossBackward, unit.tensor, y.tensor, goal.tensor, MEAN, beta, gradient.tensor);
        RUN(aclnnHardswishBackward, gradient.tensor, b.tensor, gradient.tensor);
        RUN(aclnnMul, gradient.tensor, second.tensor, y.tensor); /* the gradient of hidden */
        RUN(aclnnMul, gradient.tensor, hidden.tensor, change.tensor);
        RUN(aclnnInplaceMuls, change.tensor, down);
        RUN(aclnnInplaceAdd, second.tensor, change.tensor, plain);
        RUN(aclnnInplaceAdd, bias.tensor, gradient.tensor, down); /* both steps in one */
        RUN(aclnnSiluBackward, y.tensor, a.tensor, gradient.tensor);
        RUN(aclnnMul, gradient.tensor, input.tensor, change.tensor);
        RUN(aclnnInplaceMuls, change.tensor, down);
        RUN(aclnnInplaceAdd, first.tensor, change.tensor, plain);
        check(aclDestroyTensor(loss), "aclDestroyTensor");
    }
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    float found[STEPS];
    check(aclrtMemcpy(found, sizeof found, losses.memory, sizeof found, ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy");

    /* Each weight and activation is rounded to 24 bits; the mean over all elements evens that out. */
    double greatest = 0;
    for (int step = 0; step < STEPS; step++) {
        double difference = fabs((double)found[step] - expected[step]) / expected[step];
        greatest = difference > greatest ? difference : greatest;
        if (step % 20 == 0 || step == STEPS - 1)
            printf("step %2d: loss %.7f, in doubles %.7f\n", step, (double)found[step], expected[step]);
    }
    printf("the greatest difference is %.1e of the loss\n", greatest);

    const struct array arrays[] = {input,  goal, unit, first,    second, bias,  a,
                                   hidden, b,    y,    gradient, change, losses};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        destroy_array(arrays[i]);
    check(aclDestroyScalar(plain), "aclDestroyScalar");
    check(aclDestroyScalar(down), "aclDestroyScalar");
    check(aclrtDestroyStream(stream), "aclrtDestroyStream");
    check(aclrtResetDevice(0), "aclrtResetDevice");
    bool learns = expected[STEPS - 1] < expected[0] / 4;
    return greatest < 0x1p-22 && learns ? 0 : 1;
}
