/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Arguments of any function: near its description's sample, where calls are accepted, or far from it.
 */
#include "fuzz/any_argument.h"

#include <math.h>
#include <stdlib.h>

#include "fuzz/contract.h"
#include "tensor/dtype.h"

enum { ELEMENTS_MOST = 512, SPAN_MOST = BLOCK_LARGE + 1 };

static int64_t draw_number(struct world *world)
{
    static const int64_t numbers[] = {0, 1, 2,   3,         -1,        -2,        4,
                                      5, 7, 100, INT32_MAX, INT64_MAX, INT64_MIN, -1000};
    const uint32_t choice = draw(world, 64);
    return choice < 48 ? numbers[choice % 6] : numbers[choice % (sizeof numbers / sizeof numbers[0])];
}

static bool has_dtype(const struct parameter *parameter, aclDataType dtype)
{
    uint64_t all = 0;
    for (int i = 0; i < PRODUCTS && parameter->dtypes != NULL; i++)
        all |= parameter->dtypes->on[i];
    return (int)dtype >= 0 && (int)dtype < 64 && (all >> (int)dtype & 1) != 0;
}

/* The call's, where the parameter may have it; else one that it may have; rarely any. */
static aclDataType draw_dtype(struct world *world, const struct any_call *call,
                              const struct parameter *parameter)
{
    const uint32_t choice = draw(world, 32);
    if (choice == 0)
        return drawn_dtypes[draw(world, DRAWN_ALL)];
    if (choice > 2 && has_dtype(parameter, call->dtype))
        return call->dtype;
    const int start = (int)draw(world, 64);
    for (int i = 0; i < 64; i++)
        if (has_dtype(parameter, (aclDataType)((start + i) % 64)))
            return (aclDataType)((start + i) % 64);
    return call->dtype;
}

static aclDataType dtype_named(const char *name)
{
    for (int dtype = 0; dtype < 64; dtype++)
        if (strcmp(dtype_name((aclDataType)dtype), name) == 0)
            return (aclDataType)dtype;
    return ACL_FLOAT;
}

/* A small number in any dtype. */
static void write_number(unsigned char *bytes, aclDataType dtype, int number)
{
    const float single = (float)number / 2;
    const double wide = (double)single;
    const uint16_t half = aclFloatToFloat16(single);
    const size_t size = aclDataTypeSize(dtype);
    memset(bytes, dtype != ACL_BOOL && number < 0 && size <= sizeof(int64_t) ? 0xff : 0, size);
    if (dtype == ACL_FLOAT || dtype == ACL_COMPLEX64)
        memcpy(bytes, &single, sizeof single);
    else if (dtype == ACL_DOUBLE || dtype == ACL_COMPLEX128)
        memcpy(bytes, &wide, sizeof wide);
    else if (dtype == ACL_FLOAT16 || dtype == ACL_COMPLEX32)
        memcpy(bytes, &half, sizeof half);
    else if (dtype == ACL_BF16)
        memcpy(bytes, (const unsigned char *)&single + 2, 2);
    else if (size > 0)
        bytes[0] = (unsigned char)(dtype == ACL_BOOL ? number & 1 : number);
}

/* The last element and one more; 0 where there are none, and SPAN_MOST where it is no view of a block. */
static uint64_t span_of(const struct view *view)
{
    uint64_t span = (uint64_t)view->offset + 1;
    if (view_count(view) == 0)
        return 0;
    for (uint32_t i = 0; i < view->rank; i++) {
        if (view->stride[i] < 0 || view->stride[i] > SPAN_MOST || view->shape[i] > SPAN_MOST)
            return SPAN_MOST;
        span += (uint64_t)(view->shape[i] - 1) * (uint64_t)view->stride[i];
    }
    return span < SPAN_MOST ? span : SPAN_MOST;
}

/* In the large block behind the tensors before, up to the end of a block, or anywhere. */
static unsigned char *draw_place(struct world *world, struct any_call *call, uint64_t bytes)
{
    const uint32_t choice = draw(world, 16);
    const struct block *large = &world->block[4];
    const struct block *block =
        choice < 14 ? &world->block[draw(world, 2)] : &world->block[draw(world, BLOCKS)];
    if (choice < 10 || (choice < 14 && bytes > block->bytes)) {
        const uint64_t room = (bytes + 15) & ~UINT64_C(15);
        call->used = call->used + room > large->bytes ? 0 : call->used;
        unsigned char *place = behind(large->address, call->used);
        call->used += (uint32_t)(room < BLOCK_LARGE ? room : 0);
        return place;
    }
    return behind(block->address, choice < 15 ? block->bytes - bytes : 8 * (uint64_t)draw(world, 64));
}

/* Small numbers, negative ones among them or not: what is left there is whatever was written before. */
static void fill_operand(struct world *world, struct any_call *call, const struct view *view)
{
    const size_t size = aclDataTypeSize(view->dtype);
    struct block *block = find_block(world, view->data);
    const uint32_t choice = draw(world, 4);
    if (choice == 0 || block == NULL || size == 0 || view_count(view) == 0 ||
        span_of(view) * size > block->bytes - (uint64_t)(view->data - block->address))
        return;
    const int least = choice == 1 ? -2 : 0, step = 1 + (int)draw(world, 4), range = 1 + (int)draw(world, 6);
    int64_t index[DIMS_MOST] = {0};
    int number = 0;
    unsigned char *start = block->shadow + (view->data - block->address);
    do {
        const int64_t place = place_of(view, view->rank, index);
        write_number(start + (uint64_t)place * size, view->dtype, least + number++ * step % range);
    } while (next_index(view, index));
    call->is_filled[block - world->block] = true;
}

/* Bytes that no result has, in an output and behind it: whatever is written there shows. */
static void mark_output(struct world *world, struct any_call *call, const struct view *view)
{
    enum { BEHIND = 32 };
    struct block *block = find_block(world, view->data);
    if (block == NULL)
        return;
    const uint64_t begin = (uint64_t)(view->data - block->address);
    const uint64_t end = begin + span_of(view) * aclDataTypeSize(view->dtype) + BEHIND;
    for (uint64_t at = begin; at < end && at < block->bytes; at++)
        block->shadow[at] = (unsigned char)(0xa1 + at * 6);
    call->is_filled[block - world->block] = true;
}

/* Contiguous, with another order of the dims, with gaps, or broadcast. */
static void draw_strides(struct world *world, struct view *view, bool may_broadcast)
{
    const uint32_t flags = draw(world, 256);
    const bool is_plain = flags < 128;
    int64_t step = 1;
    for (uint32_t i = 0; i < view->rank; i++) {
        const uint32_t dim = !is_plain && flags & 1 ? i : view->rank - 1 - i;
        view->stride[dim] = !is_plain && flags & 2 && may_broadcast && draw(world, 2) == 0 ? 0 : step;
        step *= view->shape[dim] > 0 ? view->shape[dim] : 1;
        step += !is_plain && flags & 4 ? draw(world, 3) : 0;
    }
    view->offset = !is_plain && flags & 8 ? draw(world, 5) : 0;
    if (flags >= 252 && view->rank > 0) /* may overlap itself, or leave its block */
        view->stride[draw(world, view->rank)] = draw_number(world);
}

/* An entry of the call's table; NULL when it is full. */
static aclTensor *make_tensor(struct world *world, struct any_call *call, aclDataType dtype, uint32_t rank,
                              const int64_t *shape, bool is_output)
{
    if (call->fresh_count == FRESH_MOST)
        return NULL;
    struct tensor *tensor = &call->fresh[call->fresh_count++];
    struct view *view = &tensor->view;
    *view = (struct view){.dtype = dtype, .rank = rank};
    memcpy(view->shape, shape, rank * sizeof *shape);
    draw_strides(world, view, !is_output);
    const size_t size = aclDataTypeSize(dtype);
    const uint64_t span = span_of(view);
    view->data = draw_place(world, call, span * (size > 0 ? size : 1));
    if (is_output)
        mark_output(world, call, view);
    else if (view_count(view) <= ELEMENTS_MOST)
        fill_operand(world, call, view);
    tensor->handle = aclCreateTensor(view->shape, rank, dtype, view->stride, view->offset, ACL_FORMAT_ND,
                                     view->shape, rank, view->data);
    DEMAND(tensor->handle != NULL, "tensor");
    return tensor->handle;
}

/* The sample's shape with its sizes changed everywhere in the same way, or the call's. */
static aclTensor *draw_input(struct world *world, struct any_call *call, const struct parameter *parameter)
{
    int64_t shape[DIMS_MOST];
    uint32_t rank = 0;
    const char *text = parameter->sample != NULL ? parameter->sample : "2x3";
    const uint32_t change = draw(world, 16);
    aclDataType dtype = draw_dtype(world, call, parameter);
    if (call->follows_samples) {
        while (*text >= '0' && *text <= '9' && rank < 8) {
            char *end;
            const int64_t size = strtoll(text, &end, 10);
            shape[rank++] = size < SIZES ? call->size_for[size] : size;
            text = *end == 'x' ? end + 1 : end;
        }
        if (*text == ':' && draw(world, 8) != 0)
            dtype = dtype_named(text + 1);
    } else {
        rank = call->rank;
        for (uint32_t i = 0; i < rank; i++)
            shape[i] = draw(world, 6) == 0 ? 1 : call->shape[i];
    }
    if (change == 0)
        shape[rank++] = 1 + draw(world, 3);
    else if (change == 1 && rank > 0)
        rank--;
    else if (change == 2 && rank > 0)
        shape[draw(world, rank)] = draw(world, 6);
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        shape[i] = count * shape[i] > ELEMENTS_MOST ? 1 : shape[i];
        count *= shape[i] > 0 ? shape[i] : 1;
    }
    return make_tensor(world, call, dtype, rank, shape, parameter->role == ROLE_OVERWRITTEN);
}

/* The n-th number of what is usual or the sample; what they do not have is drawn. */
static double usual_number(struct world *world, const struct parameter *parameter, uint32_t n)
{
    const char *text = parameter->usual != NULL ? parameter->usual : parameter->sample;
    if (text == NULL || draw(world, 6) == 0)
        return (double)draw_number(world);
    if (parameter->choices != NULL) {
        for (int i = 0; parameter->choices[i] != NULL; i++)
            if (strcmp(parameter->choices[i], text) == 0)
                return draw(world, 2) != 0 ? i : (double)draw(world, 5) - 1;
    }
    while (n > 0 && (text = strchr(text, ',')) != NULL) {
        text++;
        n--;
    }
    return text == NULL ? (double)draw_number(world) : *text == 't' ? 1 : strtod(text, NULL);
}

static int64_t whole(double number)
{
    return number >= 9.2e18 ? INT64_MAX : number <= -9.2e18 ? INT64_MIN : (int64_t)number;
}

static double draw_real(struct world *world, const struct parameter *parameter)
{
    static const double others[] = {0, -0.0, 0.5, -1, 1e-7, 1e38, 1e300, HUGE_VAL, (double)NAN, -HUGE_VAL};
    const uint32_t choice = draw(world, 20);
    return choice < 10 ? others[choice] : usual_number(world, parameter, 0);
}

static aclScalar *make_scalar(struct world *world, const struct any_call *call,
                              const struct parameter *parameter)
{
    static const aclDataType common[] = {ACL_FLOAT, ACL_DOUBLE, ACL_INT64, ACL_BOOL};
    const char *named = parameter->usual != NULL ? strchr(parameter->usual, ':') : NULL;
    const uint32_t choice = draw(world, 8);
    const aclDataType dtype = choice < 4                          ? common[choice]
                              : named != NULL                     ? dtype_named(named + 1)
                              : choice < 6                        ? ACL_FLOAT
                              : has_dtype(parameter, call->dtype) ? call->dtype
                                                                  : ACL_DOUBLE;
    const double real = draw_real(world, parameter);
    const float single = (float)real;
    const int64_t integer = isnan(real) ? 0 : whole(real);
    unsigned char bytes[16] = {0};
    if (dtype == ACL_FLOAT)
        memcpy(bytes, &single, sizeof single);
    else if (dtype == ACL_DOUBLE)
        memcpy(bytes, &real, sizeof real);
    else if (dtype == ACL_INT64)
        memcpy(bytes, &integer, sizeof integer);
    else
        write_number(bytes, dtype, (int)(integer % 100));
    return aclCreateScalar(bytes, dtype);
}

/* As many numbers as are usual, or fewer or more. */
static const void *make_array(struct world *world, const struct parameter *parameter)
{
    int64_t ints[8];
    bool bools[8];
    float floats[8];
    const char *text = parameter->usual != NULL ? parameter->usual : parameter->sample;
    uint64_t count = text != NULL && *text != 0;
    for (; text != NULL && (text = strchr(text, ',')) != NULL; text++)
        count++;
    const uint32_t change = draw(world, 8);
    count = change == 0 ? draw(world, 6) : count < 8 ? count : 8;
    for (uint32_t i = 0; i < count; i++) {
        const double number = usual_number(world, parameter, i);
        ints[i] = whole(number);
        bools[i] = number > 0;
        floats[i] = (float)number;
    }
    return parameter->kind == PARAMETER_INT_ARRAY    ? (const void *)aclCreateIntArray(ints, count)
           : parameter->kind == PARAMETER_BOOL_ARRAY ? (const void *)aclCreateBoolArray(bools, count)
                                                     : (const void *)aclCreateFloatArray(floats, count);
}

/* Of tensors or scalars that nobody else has, because a list destroys what it has. */
static const void *make_list(struct world *world, struct any_call *call, const struct parameter *parameter)
{
    const aclTensor *tensor[LIST_MOST];
    const aclScalar *scalar[LIST_MOST];
    const uint64_t count = draw(world, 4) != 0
                               ? (parameter->sample_length != 0 ? parameter->sample_length : 2)
                               : draw(world, LIST_MOST + 1);
    for (uint64_t i = 0; i < count; i++)
        if (parameter->kind == PARAMETER_TENSOR_LIST)
            tensor[i] = draw(world, 64) != 0 ? draw_input(world, call, parameter) : NULL;
        else
            scalar[i] = make_scalar(world, call, parameter);
    return parameter->kind == PARAMETER_TENSOR_LIST ? (const void *)aclCreateTensorList(tensor, count)
                                                    : (const void *)aclCreateScalarList(scalar, count);
}

static const void *make_handle(struct world *world, struct any_call *call, uint32_t index)
{
    const struct parameter *parameter = &call->function->parameter[index];
    const uint32_t first = call->fresh_count;
    const void *handle =
        parameter->kind == PARAMETER_TENSOR   ? draw_input(world, call, parameter)
        : parameter->kind == PARAMETER_SCALAR ? make_scalar(world, call, parameter)
        : parameter->kind == PARAMETER_TENSOR_LIST || parameter->kind == PARAMETER_SCALAR_LIST
            ? make_list(world, call, parameter)
            : make_array(world, parameter);
    call->fresh_of[index] = (struct fresh_range){first, call->fresh_count - first};
    call->is_owned[index] = true;
    return handle;
}

/* Mostly a new one; also NULL, and whatever the program has left, which may be stale or of another kind. */
static const void *draw_handle(struct world *world, struct any_call *call, uint32_t index)
{
    const struct parameter *parameter = &call->function->parameter[index];
    const uint32_t choice = draw(world, 64);
    if (choice == 0 || (parameter->is_optional && choice < 20))
        return NULL;
    if (choice > 60)
        return parameter->kind == PARAMETER_TENSOR   ? (const void *)draw_tensor(world)
               : parameter->kind == PARAMETER_SCALAR ? (const void *)draw_scalar(world)
               : choice == 61                        ? draw_forged(world, world->array[0].handle)
                                                     : world->array[draw(world, ARRAYS)].handle;
    return make_handle(world, call, index);
}

static union argument draw_argument(struct world *world, struct any_call *call, uint32_t index)
{
    static const char *const texts[] = {"", "none", "mean", "tanh", "a,b->ab", "\xff%n", NULL};
    const struct parameter *parameter = &call->function->parameter[index];
    switch (parameter->kind) {
    case PARAMETER_DTYPE:
        return argument_of_integer(draw_dtype(world, call, parameter));
    case PARAMETER_INT64:
        return argument_of_integer(whole(usual_number(world, parameter, 0)));
    case PARAMETER_INT32:
        return argument_of_integer((int32_t)whole(usual_number(world, parameter, 0)));
    case PARAMETER_INT8:
        return argument_of_integer((int8_t)whole(usual_number(world, parameter, 0)));
    case PARAMETER_FLOAT:
        return argument_of_fp32((float)draw_real(world, parameter));
    case PARAMETER_DOUBLE:
        return argument_of_fp64(draw_real(world, parameter));
    case PARAMETER_BOOL:
        return argument_of_bool(draw(world, 2) != 0);
    case PARAMETER_STRING:
        return argument_of_pointer(draw(world, 2) != 0 ? parameter->usual
                                                       : texts[draw(world, sizeof texts / sizeof texts[0])]);
    default:
        return argument_of_pointer(draw_handle(world, call, index));
    }
}

void draw_any_inputs(struct world *world, struct any_call *call)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 9, 0, 17};
    call->follows_samples = draw(world, 4) != 0;
    call->dtype = draw(world, 3) == 0 ? ACL_FLOAT : drawn_dtypes[draw(world, DRAWN_ALL)];
    const bool keeps_sizes = draw(world, 2) == 0;
    for (int64_t i = 0; i < SIZES; i++)
        call->size_for[i] = keeps_sizes || i < 2 || draw(world, 2) == 0 ? i : sizes[draw(world, SIZES)];
    call->rank = draw(world, 5);
    for (uint32_t i = 0; i < call->rank; i++)
        call->shape[i] = sizes[draw(world, SIZES)];
    for (uint32_t i = 0; i < call->function->parameter_count; i++)
        if (!parameter_is_output(&call->function->parameter[i]))
            call->argument[i] = draw_argument(world, call, i);
}

/* As the tensors of the list that it is like, or one element for each of them. */
static const void *make_output_list(struct world *world, struct any_call *call, const struct output *output)
{
    const aclTensor *tensor[LIST_MOST];
    const struct fresh_range like = call->fresh_of[output->like];
    uint64_t count = 0;
    for (; count < like.count && count < LIST_MOST; count++) {
        const struct view *view = &call->fresh[like.first + count].view;
        const aclDataType dtype = output->dtype == ACL_DT_UNDEFINED ? view->dtype : output->dtype;
        tensor[count] = make_tensor(world, call, dtype, output->shape_rule == SHAPE_ONE ? 0 : view->rank,
                                    view->shape, true);
    }
    return aclCreateTensorList(tensor, count);
}

void draw_any_outputs(struct world *world, struct any_call *call, const struct result *result)
{
    uint32_t written = 0;
    for (uint32_t i = 0; i < call->function->parameter_count; i++) {
        const struct parameter *parameter = &call->function->parameter[i];
        const uint32_t number = written;
        written += parameter_is_written(parameter);
        if (!parameter_is_output(parameter))
            continue;
        if (result == NULL || number >= result->count || draw(world, 32) == 0) {
            call->argument[i].handle = draw_handle(world, call, i);
            continue;
        }
        const struct output *output = &result->output[number];
        const uint32_t first = call->fresh_count;
        const bool is_other = output->dtype_rule != DTYPE_EQUAL && draw(world, 3) == 0;
        const aclDataType dtype = is_other ? draw_dtype(world, call, parameter) : output->dtype;
        if (output->is_unwanted && draw(world, 2) == 0)
            continue;
        call->argument[i].handle =
            parameter->kind == PARAMETER_TENSOR_LIST
                ? make_output_list(world, call, output)
                : (const void *)make_tensor(world, call, dtype, output->shape.rank, output->shape.dim, true);
        call->fresh_of[i] = (struct fresh_range){first, call->fresh_count - first};
        call->is_owned[i] = true;
    }
}

void give_any_contents(struct world *world, struct any_call *call)
{
    for (int i = 0; i < BLOCKS; i++) {
        const struct block *block = &world->block[i];
        if (call->is_filled[i])
            DEMAND(aclrtMemcpy(block->address, block->bytes, block->shadow, block->bytes,
                               ACL_MEMCPY_HOST_TO_DEVICE) == 0,
                   "block %d", i);
    }
}

uint32_t any_operands(struct world *world, struct any_call *call, uint32_t parameter)
{
    const enum parameter_kind kind = call->function->parameter[parameter].kind;
    const void *handle = call->argument[parameter].handle;
    const struct fresh_range fresh = call->fresh_of[parameter];
    uint32_t count = 0;
    if (kind > PARAMETER_TENSOR_LIST)
        return 0;
    for (uint32_t i = 0; call->is_owned[parameter] && i < fresh.count; i++)
        call->operand[count++] = &call->fresh[fresh.first + i];
    if (!call->is_owned[parameter] && kind == PARAMETER_TENSOR) {
        call->operand[0] = find_tensor(world, (const aclTensor *)handle);
        return call->operand[0] != NULL;
    }
    for (int i = 0; !call->is_owned[parameter] && i < ARRAYS; i++) {
        const struct array *array = &world->array[i];
        if (!array->is_live || array->handle != handle || array->kind != 3)
            continue;
        for (uint64_t k = 0; k < array->count && k < LIST_MOST; k++) {
            const struct tensor *tensor = find_tensor(world, (const aclTensor *)array->element[k]);
            if (tensor != NULL)
                call->operand[count++] = tensor;
        }
    }
    return count;
}

void end_any_arguments(struct any_call *call)
{
    for (uint32_t i = 0; i < call->function->parameter_count; i++) {
        const union argument argument = call->argument[i];
        if (!call->is_owned[i])
            continue;
        const enum parameter_kind kind = call->function->parameter[i].kind;
        const int status = kind == PARAMETER_TENSOR        ? aclDestroyTensor(argument.tensor)
                           : kind == PARAMETER_TENSOR_LIST ? aclDestroyTensorList(argument.tensors)
                           : kind == PARAMETER_SCALAR      ? aclDestroyScalar(argument.scalar)
                           : kind == PARAMETER_SCALAR_LIST ? aclDestroyScalarList(argument.scalars)
                           : kind == PARAMETER_INT_ARRAY   ? aclDestroyIntArray(argument.ints)
                           : kind == PARAMETER_BOOL_ARRAY  ? aclDestroyBoolArray(argument.bools)
                                                           : aclDestroyFloatArray(argument.floats);
        DEMAND(status == 0, "argument %u: %d", i, status);
    }
}
