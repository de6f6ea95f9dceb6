/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels of a package: a library for each combination of dtypes, loaded when the first call needs it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "ops/check.h"
#include "ops/custom/custom.h"
#include "tensor/dtype.h"

/* "x FLOAT16, y FLOAT16" */
static const char *dtypes_text(const struct custom *custom, uint32_t combination, struct text *text)
{
    for (uint32_t i = 0; i < custom->operation->inputs; i++)
        text_append(text, "%s%s %s", i > 0 ? ", " : "", custom->product->input[i].name,
                    dtype_name((aclDataType)custom->product->input[i].dtype[combination]));
    return text->bytes;
}

/* Which products the package has kernels of is told by which folders it has. */
static const struct belay_operator_kernel *load(const struct custom *custom, uint32_t combination,
                                                aclnnStatus *status)
{
    const char *api = custom->function.operation.name;
    char path[PATH_MAX + 400];
    snprintf(path, sizeof path, "%s/op_impl/ai_core/tbe/kernel/%.64s/%.100s/%.100s_%u.so", custom->package,
             custom->product->name, custom->product->kernel, custom->operation->name, combination);
    if (access(path, R_OK) != 0) {
        *status = fail(ACLNN_ERR_OPP_KERNEL_PKG_NOT_FOUND,
                       "%s: the kernel for %s is missing: there is no %.300s; a package that was built for "
                       "%s is expected",
                       api, dtypes_text(custom, combination, TEXT), path, custom->product->name);
        return NULL;
    }
    char fault[CUSTOM_FAULT_BYTES] = "it has no entry";
    void *library = custom_open(path, fault);
    belay_operator_kernel_function *entry = NULL;
    if (library != NULL)
        *(void **)&entry = dlsym(library, BELAY_OPERATOR_KERNEL);
    const struct belay_operator_kernel *kernel = entry != NULL ? entry() : NULL;
    if (kernel == NULL) {
        *status = fail(ACLNN_ERR_OP_FILE_INVALID, "%s: the kernel for %s cannot be loaded: %s", api,
                       dtypes_text(custom, combination, TEXT), fault);
        return NULL;
    }
    const uint32_t expected = custom->operation->inputs + custom->operation->outputs + 2;
    if (kernel->parameters == expected)
        return kernel;
    *status = fail(
        ACLNN_ERR_OP_FILE_INVALID,
        "%s: the kernel %.100s has %u parameters; %u are expected: inputs, outputs, workspace and tiling",
        api, custom->product->kernel, kernel->parameters, expected);
    return NULL;
}

const struct belay_operator_kernel *custom_find_kernel(struct custom *custom, uint32_t combination,
                                                       aclnnStatus *status)
{
    struct custom_kernel *known = custom->kernel != NULL ? &custom->kernel[combination] : NULL;
    if (known == NULL) {
        *status =
            fail(ACLNN_ERR_INNER, "%s: there is no memory for its kernels", custom->function.operation.name);
        return NULL;
    }
    pthread_mutex_lock(&custom->lock);
    if (known->kernel == NULL)
        known->kernel = load(custom, combination, status);
    pthread_mutex_unlock(&custom->lock);
    return known->kernel;
}
