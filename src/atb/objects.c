/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Contexts and operations, which clients hold as objects of classes in C++: their tables of virtual functions,
 * and the functions that make and end them.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "atb/operation.h"
#include "tensor/dtype.h"

struct atb_context {
    const struct context_functions *functions;
    struct atb_context *next, *previous;
    aclrtStream stream;
    bool copies_asynchronously;
};

#pragma GCC visibility push(default)
int32_t create_context(struct atb_context **context) __asm__("_ZN3atb13CreateContextEPPNS_7ContextE");
int32_t destroy_context(struct atb_context *context) __asm__("_ZN3atb14DestroyContextEPNS_7ContextE");
int32_t
destroy_operation(struct atb_operation *operation) __asm__("_ZN3atb16DestroyOperationEPNS_9OperationE");
uint64_t tensor_size(const struct atb_tensor *tensor) __asm__("_ZN3atb5Utils13GetTensorSizeERKNS_6TensorE");
#pragma GCC visibility pop

/* All that there are, by which an address that is none, or no more, is told from them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct atb_context *contexts;
static struct atb_operation *operations;

static int32_t refuse_pointer(const char *api, const char *what)
{
    fail(ACL_ERROR_INVALID_PARAM,
         "%s: argument %s is NULL, or none that there is; one that was made is expected", api, what);
    return ATB_INVALID_PARAM;
}

bool operation_is_live(const struct atb_operation *operation)
{
    pthread_mutex_lock(&lock);
    const struct atb_operation *found = operations;
    while (found != NULL && found != operation)
        found = found->next;
    pthread_mutex_unlock(&lock);
    return found != NULL;
}

bool context_stream(const struct atb_context *context, aclrtStream *stream)
{
    pthread_mutex_lock(&lock);
    const struct atb_context *found = contexts;
    while (found != NULL && found != context)
        found = found->next;
    if (found != NULL)
        *stream = found->stream;
    pthread_mutex_unlock(&lock);
    return found != NULL;
}

/* Their destructors are never called from outside: objects go back through the functions below. */
static void end_context(struct atb_context *context)
{
    (void)context;
}

static void end_and_free_context(struct atb_context *context)
{
    destroy_context(context);
}

static int32_t set_stream(struct atb_context *context, aclrtStream stream)
{
    context->stream = stream;
    return ATB_NO_ERROR;
}

static aclrtStream get_stream(const struct atb_context *context)
{
    return context->stream;
}

/* How lengths reach the device is nothing that could be seen here. */
static int32_t set_asynchronous_copy(struct atb_context *context, bool is_asynchronous)
{
    context->copies_asynchronously = is_asynchronous;
    return ATB_NO_ERROR;
}

static bool get_asynchronous_copy(const struct atb_context *context)
{
    return context->copies_asynchronously;
}

static const struct {
    ptrdiff_t begins_at;
    const void *type;
    struct context_functions functions;
} context_table = {.functions = {end_context, end_and_free_context, set_stream, get_stream,
                                 set_asynchronous_copy, get_asynchronous_copy}};

int32_t create_context(struct atb_context **context)
{
    if (context == NULL)
        return refuse_pointer("atb::CreateContext", "context");
    struct atb_context *made = (struct atb_context *)calloc(1, sizeof *made);
    *context = made;
    if (made == NULL) {
        fail(ACL_ERROR_BAD_ALLOC, "atb::CreateContext: there is no memory for a context");
        return ATB_INTERNAL_ERROR;
    }
    made->functions = &context_table.functions;
    pthread_mutex_lock(&lock);
    made->next = contexts;
    if (contexts != NULL)
        contexts->previous = made;
    contexts = made;
    pthread_mutex_unlock(&lock);
    return ATB_NO_ERROR;
}

int32_t destroy_context(struct atb_context *context)
{
    pthread_mutex_lock(&lock);
    struct atb_context *found = contexts;
    while (found != NULL && found != context)
        found = found->next;
    if (found != NULL) {
        *(found->previous != NULL ? &found->previous->next : &contexts) = found->next;
        if (found->next != NULL)
            found->next->previous = found->previous;
    }
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return refuse_pointer("atb::DestroyContext", "context");
    free(found);
    return ATB_NO_ERROR;
}

static void end_operation(struct atb_operation *operation)
{
    (void)operation;
}

static void end_and_free_operation(struct atb_operation *operation)
{
    destroy_operation(operation);
}

/* The client frees the characters, as its own, by what its language frees with. */
static struct cxx_string name_of(const struct atb_operation *operation)
{
    void *(*allocate)(size_t) = NULL;
    void *address = dlsym(RTLD_DEFAULT, "_Znwm"); /* operator new */
    memcpy(&allocate, &address, sizeof allocate);
    struct cxx_string string = {.length = strlen(operation->kind->name)};
    /* A capacity that is not larger than what fits into the object itself would be taken for that. */
    string.capacity = string.length > 31 ? string.length : 31;
    string.characters =
        (char *)(allocate != NULL ? allocate(string.capacity + 1) : malloc(string.capacity + 1));
    if (string.characters != NULL)
        memcpy(string.characters, operation->kind->name, string.length + 1);
    return string;
}

static int32_t infer_shape(const struct atb_operation *operation, const void *in, void *out)
{
    (void)in, (void)out;
    fail(ACL_ERROR_API_NOT_SUPPORT, "%s: InferShape is not supported by this library", operation->kind->name);
    return ATB_INVALID_PARAM;
}

static uint32_t input_count(const struct atb_operation *operation)
{
    return operation->kind->inputs;
}

static uint32_t output_count(const struct atb_operation *operation)
{
    return operation->kind->outputs;
}

static struct operand operand_of(const struct atb_tensor *tensor, const char *name)
{
    struct operand operand = {
        .dtype = (aclDataType)tensor->desc.dtype,
        .data = tensor->device,
        .host = tensor->host,
        .name = name,
        .is_there = tensor->desc.dtype >= 0 &&
                    (tensor->device != NULL || tensor->host != NULL || tensor->desc.dims.rank > 0)};
    uint64_t stride = 1; /* of dims that nobody has looked at yet */
    operand.rank =
        (unsigned)(tensor->desc.dims.rank <= ATB_RANK_MAX ? tensor->desc.dims.rank : ATB_RANK_MAX + 1);
    for (unsigned i = ATB_RANK_MAX; i-- > 0;) {
        if (i >= operand.rank)
            continue;
        operand.size[i] = tensor->desc.dims.size[i];
        operand.stride[i] = (int64_t)stride;
        stride *= (uint64_t)operand.size[i];
    }
    return operand;
}

static const char *const input_names[INPUTS_MAX] = {"input 0", "input 1", "input 2",  "input 3",
                                                    "input 4", "input 5", "input 6",  "input 7",
                                                    "input 8", "input 9", "input 10", "input 11"};
static const char *const output_names[OUTPUTS_MAX] = {"output 0", "output 1", "output 2", "output 3"};

static unsigned take_tensors(const struct atb_tensors *tensors, const char *const *name, unsigned most,
                             struct operand *operand)
{
    const struct atb_tensor *tensor = tensors->heap != NULL ? tensors->heap : tensors->storage;
    for (unsigned i = 0; i < most; i++)
        operand[i] = i < tensors->count ? operand_of(&tensor[i], name[i]) : (struct operand){.name = name[i]};
    return tensors->count > most ? most + 1 : (unsigned)tensors->count;
}

static int32_t set_up(struct atb_operation *operation, const struct atb_variant_pack *pack,
                      uint64_t *workspace_bytes, struct atb_context *context)
{
    struct setup setup = {.operation = operation};
    if (pack == NULL || workspace_bytes == NULL)
        return refuse_pointer(operation->kind->name, "variantPack or workspaceSize");
    if (!context_stream(context, &setup.stream)) {
        refuse_pointer(operation->kind->name, "context");
        return ATB_INVALID_CONTEXT;
    }
    setup.in_count = take_tensors(&pack->in, input_names, INPUTS_MAX, setup.in);
    setup.out_count = take_tensors(&pack->out, output_names, OUTPUTS_MAX, setup.out);
    return operation_prepare(&setup, operation->param, workspace_bytes);
}

static int32_t execute(struct atb_operation *operation, const struct atb_variant_pack *pack,
                       uint8_t *workspace, uint64_t workspace_bytes, struct atb_context *context)
{
    aclrtStream stream;
    (void)pack;
    if (!context_stream(context, &stream)) {
        refuse_pointer(operation->kind->name, "context");
        return ATB_INVALID_CONTEXT;
    }
    return operation_launch(operation, workspace, workspace_bytes, stream);
}

static const struct {
    ptrdiff_t begins_at;
    const void *type;
    struct operation_functions functions;
} operation_table = {.functions = {end_operation, end_and_free_operation, name_of, infer_shape, input_count,
                                   output_count, set_up, execute}};

struct atb_operation *operation_create(const struct kind *kind, const void *param)
{
    struct atb_operation *made = (struct atb_operation *)calloc(1, sizeof *made);
    if (made == NULL) {
        fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for an operation", kind->name);
        return NULL;
    }
    made->functions = &operation_table.functions;
    made->kind = kind;
    if (param != NULL)
        memcpy(made->param, param, kind->param_bytes);
    pthread_mutex_lock(&lock);
    made->next = operations;
    if (operations != NULL)
        operations->previous = made;
    operations = made;
    pthread_mutex_unlock(&lock);
    return made;
}

int32_t destroy_operation(struct atb_operation *operation)
{
    pthread_mutex_lock(&lock);
    struct atb_operation *found = operations;
    while (found != NULL && found != operation)
        found = found->next;
    if (found != NULL) {
        *(found->previous != NULL ? &found->previous->next : &operations) = found->next;
        if (found->next != NULL)
            found->next->previous = found->previous;
    }
    pthread_mutex_unlock(&lock);
    if (found == NULL) {
        refuse_pointer("atb::DestroyOperation", "operation");
        return ATB_INVALID_OPERATION;
    }
    operation_forget(found);
    free(found);
    return ATB_NO_ERROR;
}

uint64_t tensor_size(const struct atb_tensor *tensor)
{
    if (tensor == NULL || tensor->desc.dims.rank == 0 || tensor->desc.dims.rank > ATB_RANK_MAX)
        return 0;
    uint64_t bytes = dtype_bytes((aclDataType)tensor->desc.dtype);
    for (uint64_t i = 0; i < tensor->desc.dims.rank; i++)
        bytes *= (uint64_t)tensor->desc.dims.size[i];
    return bytes;
}

static int32_t create(const struct kind *kind, const void *param, struct atb_operation **operation)
{
    if (param == NULL || operation == NULL)
        return refuse_pointer("atb::CreateOperation", param == NULL ? "param" : "operation");
    *operation = operation_create(kind, param);
    return *operation != NULL ? ATB_NO_ERROR : ATB_INTERNAL_ERROR;
}

/* atb::CreateOperation of each kind of parameters. */
#define CREATE(kind, mangled)                                                                    \
    __attribute__((visibility("default")))                                                       \
    int32_t create_##kind(const void *param, struct atb_operation **operation) __asm__(mangled); \
    int32_t create_##kind(const void *param, struct atb_operation **operation)                   \
    {                                                                                            \
        return create(&kind_##kind, param, operation);                                           \
    }

CREATE(rope, "_ZN3atb15CreateOperationINS_5infer9RopeParamEEEiRKT_PPNS_9OperationE")
CREATE(reshape_and_cache, "_ZN3atb15CreateOperationINS_5infer20ReshapeAndCacheParamEEEiRKT_PPNS_9OperationE")
CREATE(linear, "_ZN3atb15CreateOperationINS_5infer11LinearParamEEEiRKT_PPNS_9OperationE")
CREATE(paged_attention, "_ZN3atb15CreateOperationINS_5infer19PagedAttentionParamEEEiRKT_PPNS_9OperationE")
CREATE(self_attention, "_ZN3atb15CreateOperationINS_5infer18SelfAttentionParamEEEiRKT_PPNS_9OperationE")
CREATE(group_topk, "_ZN3atb15CreateOperationINS_5infer14GroupTopkParamEEEiRKT_PPNS_9OperationE")
CREATE(rms_norm, "_ZN3atb15CreateOperationINS_5infer12RmsNormParamEEEiRKT_PPNS_9OperationE")
CREATE(elewise, "_ZN3atb15CreateOperationINS_5infer12ElewiseParamEEEiRKT_PPNS_9OperationE")
