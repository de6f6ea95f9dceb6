/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Makes the list from the descriptions: kinds of parameters, dtypes, default texts.
 */
#include "subjects.h"

#include <stdlib.h>
#include <string.h>

#include "belay_calls.h"
#include "ops/loops/elementwise.h"
#include "ops/function.h"

static const char *const gradients[GRADIENTS][2] = {
    [SILU] = {"silu", "aclnnSiluBackward"},
    [HARDSWISH] = {"hardswish", "aclnnHardswishBackward"},
    [LEAKY_RELU] = {"leaky_relu", "aclnnLeakyReluBackward"},
    [SMOOTH_L1] = {"smooth_l1", "aclnnSmoothL1LossBackward"},
};

static struct subject *subjects;
static int count;

/* A choice is the first one, which of a reduction is none; what has no usual value is 1, with which the
 * results of an operator in place stay ordinary numbers however often it is called. */
static double attribute_of(const struct parameter *parameter)
{
    if (parameter->kind == PARAMETER_BOOL)
        return parameter->usual && strcmp(parameter->usual, "true") == 0;
    if (parameter->choices)
        return 0;
    return parameter->usual ? strtod(parameter->usual, NULL) : 1;
}

static void enter(const struct function *function, const char *name)
{
    struct subject subject = {.name = name, .api = function->operation.name, .function = function};
    subject.is_any_shape =
        function->family == FAMILY_POINTWISE || strcmp(function->stem, "smooth_l1_loss") == 0;
    int attributes = 0;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        subject.inputs += parameter_is_read(parameter);
        subject.is_in_place = subject.is_in_place || parameter->role == ROLE_BOTH;
        if (!parameter_is_tensor(parameter) && parameter->kind != PARAMETER_DTYPE &&
            attributes < ATTRIBUTES_MAX)
            subject.attribute[attributes++] = attribute_of(parameter);
    }
    subjects[count++] = subject;
}

static void list_subjects(void)
{
    size_t operator_count;
    const struct function *const *list = functions(&operator_count);
    subjects = calloc(operator_count, sizeof *subjects);
    belay_check(subjects ? ACL_SUCCESS : 1, "calloc");
    for (int gradient = 0; gradient < GRADIENTS; gradient++)
        for (size_t i = 0; i < operator_count; i++)
            if (strcmp(list[i]->operation.name, gradients[gradient][1]) == 0)
                enter(list[i], gradients[gradient][0]);
    for (size_t i = 0; i < operator_count; i++) {
        int gradient = 0;
        while (gradient < GRADIENTS && strcmp(list[i]->operation.name, gradients[gradient][1]) != 0)
            gradient++;
        if (gradient == GRADIENTS)
            enter(list[i], list[i]->operation.name);
    }
}

int subjects_count(void)
{
    if (count == 0)
        list_subjects();
    return count;
}

const struct subject *subject_at(int index)
{
    return index < subjects_count() ? &subjects[index] : NULL;
}

aclDataType subject_dtype(enum dtype dtype)
{
    static const aclDataType types[DTYPES] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE,
                                              ACL_INT32, ACL_INT64,   ACL_INT8};
    return types[dtype];
}

/* The tensors that are only written take more dtypes than can be had at once: phase 1 knows. */
bool subject_has_dtype(const struct subject *subject, enum dtype dtype)
{
    const struct function *function = subject->function;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        if (parameter_is_tensor(parameter) &&
            (parameter->dtypes->on[PRODUCT_910B] >> subject_dtype(dtype) & 1) == 0)
            return false;
    }
    return true;
}

bool subject_converts(const struct subject *subject)
{
    const struct function *function = subject->function;
    for (uint32_t i = 0; i < function->parameter_count; i++)
        if (function->parameter[i].kind == PARAMETER_DTYPE)
            return true;
    return false;
}

bool subject_reduces(const struct subject *subject)
{
    const struct function *function = subject->function;
    for (uint32_t i = 0; i < function->parameter_count; i++)
        if (strcmp(function->parameter[i].name, "reduction") == 0)
            return true;
    return false;
}

double subject_reckoned_ns(const struct subject *subject, int64_t elements)
{
    const struct function *function = subject->function;
    const struct elementwise *elementwise = function->of_family;
    double ps = function->family == FAMILY_POINTWISE ? elementwise->cost_ps[ACCURACY_DEFAULT] : 200;
    return (double)elements * 1e-3 * ps;
}
