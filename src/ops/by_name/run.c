/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The words of programs as arguments of functions.
 */
#include "ops/by_name/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "ops/by_name/numbers.h"
#include "ops/by_name.h"
#include "base/error.h"
#include "runtime/addresses/memory.h"
#include "runtime/named/op_attribute.h"

int run_keep(struct run *run, enum parameter_kind kind, bool is_memory, const void *object)
{
    struct made *made = object != NULL ? malloc(sizeof *made) : NULL;
    if (made == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for an argument of %s", run->call->api,
                    run->call->named->name);
    *made = (struct made){run->made, kind, (void *)(uintptr_t)object, is_memory};
    run->made = made;
    return 0;
}

void run_end(struct run *run)
{
    for (struct made *made = run->made, *next; made != NULL; made = next) {
        next = made->next;
        if (made->is_memory)
            by_name_free(made->object);
        else if (made->kind == PARAMETER_TENSOR)
            aclDestroyTensor(made->object);
        else if (made->kind == PARAMETER_TENSOR_LIST)
            aclDestroyTensorList(made->object);
        else if (made->kind == PARAMETER_SCALAR)
            aclDestroyScalar(made->object);
        else if (made->kind == PARAMETER_INT_ARRAY)
            aclDestroyIntArray(made->object);
        else if (made->kind == PARAMETER_BOOL_ARRAY)
            aclDestroyBoolArray(made->object);
        free(made);
    }
    if (run->attr != NULL)
        aclopDestroyAttr(run->attr);
}

int run_refuse(const struct run *run, const char *word)
{
    return fail(ACL_ERROR_INVALID_PARAM, "%s: %s cannot be computed with these operands (%s)", run->call->api,
                run->call->named->name, word);
}

/* Memory of so many bytes, until the work has ended. */
int run_allocate(struct run *run, size_t bytes, void **address)
{
    TRY(aclrtMalloc(address, bytes > 0 ? bytes : 1, ACL_MEM_MALLOC_HUGE_FIRST));
    return run_keep(run, PARAMETER_TENSOR, true, *address);
}

/* An input that lies on the host is only there during the call. */
int run_bring(struct run *run, struct named_operand *operand)
{
    struct memory_block block;
    void *address;
    if (operand->view.bytes == 0 || memory_find(operand->address, &block))
        return 0;
    TRY(run_allocate(run, operand->view.bytes, &address));
    TRY(aclrtMemcpy(address, operand->view.bytes, operand->address, operand->view.bytes,
                    ACL_MEMCPY_HOST_TO_DEVICE));
    operand->address = address;
    return 0;
}

struct named_operand *run_operand(struct run *run, const char *word)
{
    if (word[0] == 't') {
        struct named_operand *own = &run->own[atoi(word + 1) % OWN_TENSORS];
        return own->is_there ? own : NULL;
    }
    struct named_operand *operand = numbers_operand(run->call, word);
    return operand != NULL && operand->is_there ? operand : NULL;
}

int64_t run_count(const struct tensor_desc_view *view)
{
    int64_t count = 1;
    for (int32_t k = 0; k < view->rank; k++)
        count *= view->dims[k];
    return count;
}

int run_tensor(struct run *run, const struct named_operand *operand, bool turns, const aclTensor **tensor)
{
    int64_t dims[TENSOR_DESC_RANK_MAX], stride[TENSOR_DESC_RANK_MAX], step = 1, count;
    const int32_t rank = operand->view.rank;
    for (int32_t k = rank; k-- > 0; step *= operand->view.dims[k]) {
        dims[k] = operand->view.dims[k];
        stride[k] = step;
    }
    count = step;
    for (int i = 0; turns && rank >= 2 && i < 2; i++) {
        dims[rank - 1 - i] = operand->view.dims[rank - 2 + i];
        stride[rank - 1 - i] = i == 0 ? operand->view.dims[rank - 1] : 1;
    }
    aclTensor *made = aclCreateTensor(dims, (uint64_t)rank, operand->view.dtype, stride, 0, ACL_FORMAT_ND,
                                      &count, 1, operand->address);
    *tensor = made;
    return run_keep(run, PARAMETER_TENSOR, false, made);
}

/* (N, C, H, W) as (N, C, H / b, b, W / b, b), or as (N, b, b, C / b^2, H, W); of the attribute `mode` CRD as
 * (N, C / b^2, b, b, H, W). */
static int see_blocks(struct run *run, bool is_space, struct tensor_desc_view *view)
{
    const double size = op_attribute_number(run->call->attr, "block_size", 0);
    const int64_t b = size >= 1 && size <= INT16_MAX ? (int64_t)size : 0, n = view->dims[0],
                  c = view->dims[1], h = view->dims[2], w = view->dims[3];
    const bool is_deep_first = strcmp(op_attribute_text(run->call->attr, "mode", "DCR"), "CRD") == 0;
    if (view->rank != 4 || b == 0 || (is_space ? h % b != 0 || w % b != 0 : c % (b * b) != 0))
        return run_refuse(run, "block_size");
    view->rank = 6;
    if (is_space)
        memcpy(view->dims, (const int64_t[]){n, c, h / b, b, w / b, b}, 6 * sizeof(int64_t));
    else if (is_deep_first)
        memcpy(view->dims, (const int64_t[]){n, c / (b * b), b, b, h, w}, 6 * sizeof(int64_t));
    else
        memcpy(view->dims, (const int64_t[]){n, b, b, c / (b * b), h, w}, 6 * sizeof(int64_t));
    return 0;
}

/* What stands behind '/' in a word changes the dims that are seen. */
static int see_as(struct run *run, const char *how, struct named_operand *operand)
{
    const struct tensor_desc_view *first = &run->call->input[0].view;
    const int64_t count = run_count(&operand->view);
    const aclDataType dtype = operand->view.dtype;
    if (how[0] == 'c' && first->rank >= 2) {
        operand->view.rank = first->rank;
        for (int32_t k = 0; k < first->rank; k++)
            operand->view.dims[k] = k == numbers_channel_axis(run->call) ? count : 1;
    } else if (how[0] == 'l' && operand->view.rank <= first->rank) {
        for (; operand->view.rank < first->rank; operand->view.rank++)
            operand->view.dims[operand->view.rank] = 1;
    } else if (how[0] == 'a' && operand->view.rank < TENSOR_DESC_RANK_MAX) {
        operand->view.dims[operand->view.rank++] = 1;
    } else if (how[0] == 'm' && operand->view.rank == 4) {
        operand->view.rank = 3;
        operand->view.dims[1] *= operand->view.dims[2];
        operand->view.dims[2] = operand->view.dims[3];
    } else if (how[0] == 'k' && operand->view.rank == 4) { /* one matrix for each channel */
        if (operand->view.dims[0] != 1 && operand->view.dims[1] != 1)
            return run_refuse(run, "filter");
        operand->view.dims[0] *= operand->view.dims[1];
        operand->view.dims[1] = 1;
    } else if (how[0] == 'y') {
        const struct tensor_desc_view *out = &run->call->output[0].view;
        if (run_count(out) != count)
            return run_refuse(run, "y0");
        operand->view.rank = out->rank;
        memcpy(operand->view.dims, out->dims, sizeof out->dims);
    } else if (how[0] == 'S' || how[0] == 'D') {
        return see_blocks(run, how[0] == 'S', &operand->view);
    } else if (how[0] == 'h' && operand->view.rank == 2) { /* of one layer */
        operand->view.rank = 3;
        memmove(operand->view.dims + 1, operand->view.dims, 2 * sizeof(int64_t));
        operand->view.dims[0] = 1;
    } else if (how[0] == 'v') {
        operand->view.rank = 1;
        operand->view.dims[0] = count;
    } else if (how[0] == 'r') { /* rows of the last axis of x0 */
        const int64_t last = first->rank > 0 ? first->dims[first->rank - 1] : 1;
        operand->view.rank = 2;
        operand->view.dims[0] = last > 0 ? count / last : 0;
        operand->view.dims[1] = last;
    } else if (how[0] == 'u' || how[0] == 'e') { /* x0's axes, with one element along that of an attribute */
        const char *attribute = how[0] == 'u' ? "dimension" : "axis=0";
        struct numbers axis;
        TRY(numbers_of(run->call, attribute, run->stream, &axis));
        const int64_t at = axis.value[0] < 0 ? axis.value[0] + first->rank : axis.value[0];
        operand->view = *first;
        operand->view.dtype = dtype;
        if (at < 0 || at >= first->rank)
            return run_refuse(run, attribute);
        operand->view.dims[at] = 1;
        if (run_count(&operand->view) != count)
            return run_refuse(run, attribute);
    } else if (how[0] == 's') {
        struct numbers shape;
        TRY(numbers_of(run->call, "shape", run->stream, &shape));
        int64_t product = 1;
        for (uint64_t k = 0; k < shape.count; k++)
            product *= shape.value[k];
        if (product != count || shape.count > TENSOR_DESC_RANK_MAX)
            return run_refuse(run, "shape");
        operand->view.rank = (int32_t)shape.count;
        memcpy(operand->view.dims, shape.value, shape.count * sizeof(int64_t));
    }
    return 0;
}

/* The tensor that a word names: "x1", "x2?", "x1/c", "x0'adj", "x0~". */
static int tensor_of(struct run *run, const char *word, const aclTensor **tensor)
{
    struct named_operand *operand = run_operand(run, word);
    *tensor = NULL;
    if (word[0] == '-' || (operand == NULL && strchr(word, '?') != NULL))
        return 0;
    if (operand == NULL)
        return run_refuse(run, word);
    TRY(run_bring(run, operand));
    struct named_operand seen = *operand;
    const char *slash = strchr(word, '/'), *turn = strchr(word, '\'');
    if (slash != NULL)
        TRY(see_as(run, slash + 1, &seen));
    const bool turns =
        strchr(word, '~') != NULL || (turn != NULL && numbers_is_set(run->call, turn + 1, run->stream));
    return run_tensor(run, &seen, turns, tensor);
}

/* A tensor of a list, which owns it from now on. */
static int listed(struct run *run, const char *word, const aclTensor **tensor)
{
    TRY(tensor_of(run, word, tensor));
    struct made *own = run->made;
    run->made = own->next;
    free(own);
    return 0;
}

/* A list of what was made, if that is all of it; tensors that no list owns end. */
static aclTensorList *end_list(const aclTensor *const *tensor, int made, bool is_all)
{
    aclTensorList *list = is_all ? aclCreateTensorList(tensor, (uint64_t)made) : NULL;
    for (int i = 0; list == NULL && i < made; i++)
        aclDestroyTensor(tensor[i]);
    return list;
}

/* All inputs or outputs from a place on: "x*", "x1*"; "y*" with a way to be seen behind it; "x3*$1". */
static int list_of(struct run *run, const char *word, const aclTensorList **list)
{
    const bool is_in = word[0] == 'x';
    const int first = word[1] == '*' ? 0 : atoi(word + 1),
              given = (is_in ? run->call->inputs : run->call->outputs) - first - (strchr(word, '-') != NULL);
    const char *slash = strchr(word, '/'), *places = strchr(word, '$');
    const int64_t none = 0;
    const aclTensor *tensor[128];
    struct numbers is_there = {.count = (uint64_t)(given > 0 ? given : 0)};
    if (places != NULL)
        TRY(numbers_of(run->call, places, run->stream, &is_there));
    const int count = (int)is_there.count;
    int status = 0, taken = 0, made = 0;
    if (count <= 0 || count > (int)(sizeof tensor / sizeof tensor[0]))
        return run_refuse(run, word);
    for (; made < count && status == 0; made += status == 0) {
        char name[16];
        const bool has_one = places == NULL || is_there.value[made] != 0;
        snprintf(name, sizeof name, "%c%d%.4s", word[0], first + taken, slash != NULL ? slash : "");
        taken += has_one;
        if (has_one)
            status = listed(run, name, &tensor[made]);
        else if ((tensor[made] =
                      aclCreateTensor(&none, 1, ACL_INT64, NULL, 0, ACL_FORMAT_ND, &none, 1, NULL)) == NULL)
            status = ACL_ERROR_BAD_ALLOC; /* its sentence says why */
    }
    if (status == 0 && taken != given)
        status = run_refuse(run, word);
    *list = end_list(tensor, made, status == 0);
    return status != 0 ? status : run_keep(run, PARAMETER_TENSOR_LIST, false, *list);
}

/* "x0%": the columns of the last axis. */
static int list_of_columns(struct run *run, const char *word, const aclTensorList **list)
{
    const aclTensor *tensor[TENSOR_DESC_RANK_MAX];
    struct named_operand *operand = run_operand(run, word);
    *list = NULL;
    if (operand == NULL || operand->view.rank == 0)
        return run_refuse(run, word);
    TRY(run_bring(run, operand));
    const int32_t rank = operand->view.rank - 1;
    const int64_t *dims = operand->view.dims, columns = dims[rank], count = run_count(&operand->view);
    int64_t stride[TENSOR_DESC_RANK_MAX], step = columns;
    int made = 0;
    if (columns < 1 || columns > TENSOR_DESC_RANK_MAX)
        return run_refuse(run, word);
    for (int32_t k = rank; k-- > 0; step *= dims[k])
        stride[k] = step;
    for (; made < columns; made++)
        if ((tensor[made] = aclCreateTensor(dims, (uint64_t)rank, operand->view.dtype, stride, made,
                                            ACL_FORMAT_ND, &count, 1, operand->address)) == NULL)
            break;
    *list = end_list(tensor, made, made == columns);
    return run_keep(run, PARAMETER_TENSOR_LIST, false, *list);
}

/* "{t1,x2~}": these. */
static int list_of_words(struct run *run, const char *words, const aclTensorList **list)
{
    enum { MOST = 8 };
    const aclTensor *tensor[MOST];
    char text[64], *rest = NULL;
    int made = 0, status = 0;
    snprintf(text, sizeof text, "%s", words + 1);
    for (char *word = strtok_r(text, ",}", &rest); word != NULL && made < MOST && status == 0;
         word = strtok_r(NULL, ",}", &rest))
        if ((status = listed(run, word, &tensor[made])) == 0)
            made++;
    *list = end_list(tensor, made, status == 0);
    return status != 0 ? status : run_keep(run, PARAMETER_TENSOR_LIST, false, *list);
}

static int scalar_of(struct run *run, const char *word, const aclScalar **scalar)
{
    struct numbers numbers;
    *scalar = NULL;
    if (strcmp(word, "-") == 0)
        return 0;
    TRY(numbers_of(run->call, word, run->stream, &numbers));
    float fp32 = (float)numbers.first;
    int64_t int64 = numbers.value[0];
    const bool is_whole = numbers.dtype == ACL_INT64 || numbers.dtype == ACL_INT32;
    *scalar = aclCreateScalar(is_whole ? (void *)&int64 : (void *)&fp32, is_whole ? ACL_INT64 : ACL_FLOAT);
    return run_keep(run, PARAMETER_SCALAR, false, *scalar);
}

static int array_of(struct run *run, enum parameter_kind kind, const char *word, const void **array)
{
    struct numbers numbers;
    bool flag[NUMBERS_MAX];
    *array = NULL;
    if (strcmp(word, "-") == 0)
        return 0;
    TRY(numbers_of(run->call, word, run->stream, &numbers));
    for (uint64_t i = 0; i < numbers.count; i++)
        flag[i] = numbers.value[i] != 0;
    if (kind == PARAMETER_INT_ARRAY)
        *array = aclCreateIntArray(numbers.value, numbers.count);
    else if (kind == PARAMETER_BOOL_ARRAY)
        *array = aclCreateBoolArray(flag, numbers.count);
    return run_keep(run, kind, false, *array);
}

static int value_of(struct run *run, const struct parameter *parameter, const char *word,
                    union argument *argument)
{
    struct numbers numbers;
    if (parameter->kind == PARAMETER_DTYPE && word[0] != '-') {
        const struct named_operand *operand = run_operand(run, word);
        if (operand == NULL)
            return run_refuse(run, word);
        *argument = argument_of_integer(operand->view.dtype);
        return 0;
    }
    TRY(numbers_of(run->call, word, run->stream, &numbers));
    if (numbers.count != 1)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: %s of %s is %llu numbers; one is expected", run->call->api,
                    word, run->call->named->name, (unsigned long long)numbers.count);
    if (parameter->kind == PARAMETER_FLOAT)
        *argument = argument_of_fp32((float)numbers.first);
    else if (parameter->kind == PARAMETER_DOUBLE)
        *argument = argument_of_fp64(numbers.first);
    else if (parameter->kind == PARAMETER_BOOL)
        *argument = argument_of_bool(numbers.first != 0);
    else
        *argument = argument_of_integer(numbers.value[0]);
    return 0;
}

int run_argument(struct run *run, const struct parameter *parameter, const char *word,
                 union argument *argument)
{
    switch (parameter->kind) {
    case PARAMETER_TENSOR:
        return tensor_of(run, word, &argument->tensor);
    case PARAMETER_TENSOR_LIST:
        if (word[0] == '{')
            return list_of_words(run, word, &argument->tensors);
        if (strchr(word, '%') != NULL)
            return list_of_columns(run, word, &argument->tensors);
        return word[0] == '-' ? 0 : list_of(run, word, &argument->tensors);
    case PARAMETER_SCALAR:
        return scalar_of(run, word, &argument->scalar);
    case PARAMETER_INT_ARRAY:
    case PARAMETER_BOOL_ARRAY:
        return array_of(run, parameter->kind, word, &argument->handle);
    case PARAMETER_STRING:
        argument->string = op_attribute_text(run->call->attr, word, "");
        return 0;
    case PARAMETER_SCALAR_LIST:
    case PARAMETER_FLOAT_ARRAY:
        return run_refuse(run, word);
    default:
        return value_of(run, parameter, word, argument);
    }
}
