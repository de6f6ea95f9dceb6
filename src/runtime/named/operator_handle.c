/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclopHandle: an operator by name with its descriptions and attributes, which are copied when it is made. A
 * handle that is destroyed while another thread runs it goes when that call has ended.
 */
#include <pthread.h>
#include <stdlib.h>

#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/handle_refusal.h"
#include "runtime/named/named_operator.h"
#include "runtime/named/op_attribute.h"
#include "base/settings.h"
#include "runtime/named/tensor_desc.h"
#include "runtime/timeline/trace.h"

struct operator_handle {
    struct handle_slot slot;
    const struct named_operator *named;
    int inputs, outputs;
    aclTensorDesc **desc; /* owned: of the inputs, then of the outputs; NULL where one is left out */
    aclopAttr *attr;      /* owned */
    uint32_t users;       /* the handle itself, and calls that run it; guarded by lock */
};

static struct handle_table operators = HANDLE_TABLE(HANDLE_OPERATOR, struct operator_handle, (1u << 20));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int fail_lookup(const char *api, const aclopHandle *handle)
{
    return handle_refuse(api, "handle", "a handle of aclopCreateHandle is", &operators, handle);
}

/* Nobody uses it any longer. */
static void tear_down(struct operator_handle *made)
{
    for (int i = 0; made->desc != NULL && i < made->inputs + made->outputs; i++)
        if (made->desc[i] != NULL)
            aclDestroyTensorDesc(made->desc[i]);
    free(made->desc);
    aclopDestroyAttr(made->attr);
    handle_release(&operators, made);
}

static void leave(struct operator_handle *made)
{
    pthread_mutex_lock(&lock);
    const bool is_last = --made->users == 0;
    pthread_mutex_unlock(&lock);
    if (is_last)
        tear_down(made);
}

static int copy_descriptions(const char *api, const char *words, int count, const aclTensorDesc *const *from,
                             aclTensorDesc **to)
{
    if (count > 0 && from == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "%s: the list of descriptions of the %ss is NULL; %d are expected", api, words, count);
    for (int i = 0; i < count; i++)
        if (from[i] != NULL)
            TRY(tensor_desc_copy(api, from[i], &to[i]));
    return 0;
}

static int fill(const char *api, struct operator_handle *made, const aclTensorDesc *const *input,
                const aclTensorDesc *const *output, const aclopAttr *attr)
{
    made->desc = calloc((size_t)(made->inputs + made->outputs) + 1, sizeof *made->desc);
    if (made->desc == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for the descriptions", api);
    TRY(copy_descriptions(api, "input", made->inputs, input, made->desc));
    TRY(copy_descriptions(api, "output", made->outputs, output, made->desc + made->inputs));
    return op_attribute_copy(api, attr, &made->attr);
}

static int create(const char *api, const char *type, int inputs, const aclTensorDesc *const *input,
                  int outputs, const aclTensorDesc *const *output, const aclopAttr *attr,
                  aclopHandle **handle)
{
    char names[NAMED_NEAREST_BYTES];
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (type == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "%s: opType is NULL; the name of an operator is expected", api);
    TRY(check_result(api, "handle", handle));
    const struct named_operator *named = named_operator_find(type);
    if (named == NULL) {
        named_operator_nearest(type, names);
        return fail(ACL_ERROR_OP_NOT_FOUND,
                    "%s: %.64s is not in this release of Belay; the nearest kinds that it has by name are %s",
                    api, type, names);
    }
    TRY(named_operator_check_counts(api, named, inputs, outputs));
    struct operator_handle *made = (struct operator_handle *)handle_acquire(&operators);
    if (made == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another handle", api);
    made->named = named;
    made->inputs = inputs;
    made->outputs = outputs;
    made->attr = NULL;
    made->users = 1;
    const int status = fill(api, made, input, output, attr);
    if (status != 0)
        tear_down(made);
    else
        *handle = (aclopHandle *)(uintptr_t)handle_publish(&operators, made);
    return status;
}

aclError aclopCreateHandle(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                           int numOutputs, const aclTensorDesc *const outputDesc[], const aclopAttr *opAttr,
                           aclopHandle **handle)
{
    TRACE_THIS_CALL;
    return create(__func__, opType, numInputs, inputDesc, numOutputs, outputDesc, opAttr, handle);
}

/* Nothing has to be compiled: whoever calls is told now what would be wrong later. */
aclError aclopCompile(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                      int numOutputs, const aclTensorDesc *const outputDesc[], const aclopAttr *attr,
                      aclopEngineType engineType, aclopCompileType compileFlag, const char *opPath)
{
    TRACE_THIS_CALL;
    (void)engineType, (void)compileFlag, (void)opPath;
    aclopHandle *handle;
    TRY(create(__func__, opType, numInputs, inputDesc, numOutputs, outputDesc, attr, &handle));
    aclopDestroyHandle(handle);
    return 0;
}

/* What is compiled for one shape runs others: the operands of each call say what they are. */
aclError aclopUpdateParams(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                           int numOutputs, const aclTensorDesc *const outputDesc[], const aclopAttr *attr)
{
    TRACE_THIS_CALL;
    aclopHandle *handle;
    TRY(create(__func__, opType, numInputs, inputDesc, numOutputs, outputDesc, attr, &handle));
    aclopDestroyHandle(handle);
    return 0;
}

aclError aclopSetCompileFlag(aclOpCompileFlag flag)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    return flag == ACL_OP_COMPILE_DEFAULT || flag == ACL_OP_COMPILE_FUZZ
               ? 0
               : fail(ACL_ERROR_INVALID_PARAM,
                      "%s: flag is %d; ACL_OP_COMPILE_DEFAULT (0) or ACL_OP_COMPILE_FUZZ (1) is expected",
                      __func__, (int)flag);
}

aclError aclopSetMaxOpQueueNum(uint64_t maxOpNum)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    return maxOpNum > 0
               ? 0
               : fail(ACL_ERROR_INVALID_PARAM, "%s: maxOpNum is 0; a number above 0 is expected", __func__);
}

/* A conversion drops what is behind the point anyway, as aclopCast's does. */
aclError aclopCreateHandleForCast(aclTensorDesc *srcDesc, aclTensorDesc *dstDesc, uint8_t truncate,
                                  aclopHandle **handle)
{
    TRACE_THIS_CALL;
    (void)truncate;
    const aclTensorDesc *const from = srcDesc, *const to = dstDesc;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (from == NULL || to == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "aclopCreateHandleForCast: %s is NULL; a tensor description is expected",
                    from == NULL ? "srcDesc" : "dstDesc");
    return create(__func__, "Cast", 1, &from, 1, &to, NULL, handle);
}

void aclopDestroyHandle(aclopHandle *handle)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0 || handle == NULL)
        return;
    struct operator_handle *made = (struct operator_handle *)handle_find(&operators, (uintptr_t)handle);
    if (made != NULL && handle_retire(made, (uintptr_t)handle))
        leave(made);
    else
        fail_lookup("aclopDestroyHandle", handle);
}

/* On success leave() is to be called. */
static int enter(const char *api, const aclopHandle *handle, struct operator_handle **found)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    pthread_mutex_lock(&lock);
    /* While the handle is live here its own use is not yet given up, which takes the lock. */
    *found = (struct operator_handle *)handle_find(&operators, (uintptr_t)handle);
    if (*found != NULL)
        (*found)->users++;
    pthread_mutex_unlock(&lock);
    return *found != NULL ? 0 : fail_lookup(api, handle);
}

aclError aclopExecWithHandle(aclopHandle *handle, int numInputs, const aclDataBuffer *const inputs[],
                             int numOutputs, aclDataBuffer *const outputs[], aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct operator_handle *made;
    TRY(enter(__func__, handle, &made));
    int status;
    if (numInputs != made->inputs || numOutputs != made->outputs)
        status = fail(ACL_ERROR_INVALID_PARAM,
                      "%s: there are %d inputs and %d outputs; the handle of %s has %d and %d", __func__,
                      numInputs, numOutputs, made->named->name, made->inputs, made->outputs);
    else
        status = named_operator_run(__func__, made->named->name, made->inputs,
                                    (const aclTensorDesc *const *)made->desc, inputs, made->outputs,
                                    (const aclTensorDesc *const *)made->desc + made->inputs,
                                    (const aclDataBuffer *const *)outputs, made->attr, stream);
    leave(made);
    return status;
}
