/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The arguments of belay eval, by the kinds of their parameters. A list is written with commas between its
 * elements.
 */
#include "tools/argument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/dtype.h"
#include "tools/literal.h"
#include "tools/specification.h"

/* Where the first element of a list ends: at a comma, but for those within an array that is written out. */
static size_t element_length(const char *text)
{
    size_t length = 0;
    for (int depth = 0; text[length] && (text[length] != ',' || depth > 0); length++)
        depth += (text[length] == '[') - (text[length] == ']');
    return length;
}

/* One element of a list, which its caller frees; *text moves on behind it, or becomes NULL. */
static char *next_element(const char **text)
{
    const size_t length = element_length(*text);
    char *element = strndup(*text, length);
    *text = (*text)[length] ? *text + length + 1 : NULL;
    return element;
}

/* How many elements a list has; "" is an empty one. */
static size_t count_elements(const char *text)
{
    size_t count = *text != 0;
    for (size_t length; text[length = element_length(text)] != '\0'; text += length + 1)
        count++;
    return count;
}

const char *argument_choices(const struct parameter *parameter, char *text)
{
    size_t length = 0;
    for (int i = 0; parameter->choices && parameter->choices[i] && length < CHOICES_TEXT; i++)
        length +=
            (size_t)snprintf(text + length, CHOICES_TEXT - length, i ? ", %s" : "%s", parameter->choices[i]);
    return length ? text : NULL;
}

/* Behind a colon it would say its dtype. */
static bool is_plain_number(const char *text)
{
    return strchr(text, ':') == NULL && (text_is_number(text) || literal_is_array(text));
}

bool argument_is_plain_number(const struct given *given)
{
    const bool is_list = given->parameter->kind == PARAMETER_TENSOR_LIST;
    if (!parameter_is_tensor(given->parameter) || parameter_is_output(given->parameter) || !given->text)
        return false;
    if (!is_list)
        return is_plain_number(given->text);
    bool is_plain = true;
    for (const char *rest = given->text; rest && is_plain;) {
        char *element = next_element(&rest);
        is_plain = element && is_plain_number(element);
        free(element);
    }
    return is_plain;
}

/* Plain numbers come after the others, one of which may decide their dtype. */
static bool read_tensors(struct given *given, aclDataType number_dtype, struct fault *fault)
{
    bool is_list = given->parameter->kind == PARAMETER_TENSOR_LIST;
    size_t count = is_list ? count_elements(given->text) : 1;
    const aclTensor **tensor = calloc(count + 1, sizeof *tensor);
    given->operand = calloc(count + 1, sizeof *given->operand);
    bool is_good = (tensor && given->operand) || fault_set(fault, "there is not enough memory");
    given->count = is_good ? count : 0;
    for (int pass = 0; pass < 2; pass++) {
        const char *rest = given->text;
        for (size_t i = 0; is_good && i < count; i++) {
            char *element = is_list ? next_element(&rest) : strdup(given->text);
            struct operand *operand = &given->operand[i];
            is_good = element || fault_set(fault, "there is not enough memory");
            if (is_good && is_plain_number(element) == pass) {
                is_good = operand_read(operand, element, number_dtype, fault);
                tensor[i] = operand->tensor;
                if (number_dtype == ACL_DT_UNDEFINED)
                    number_dtype = operand->array.dtype;
            }
            free(element);
        }
    }
    if (is_good && is_list)
        given->argument.tensors = aclCreateTensorList(tensor, count);
    else if (is_good)
        given->argument.tensor = tensor[0];
    free(tensor);
    return is_good && (given->argument.handle != NULL || fault_from_library(fault, 0));
}

/* NUMBER or NUMBER:DTYPE; the value is copied into the scalar. */
static const aclScalar *create_scalar(const char *text, struct fault *fault)
{
    unsigned char element[16];
    char number[ELEMENT_TEXT];
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    aclDataType dtype = colon ? dtype_from_name(colon + 1, strlen(colon + 1)) : ACL_DOUBLE;
    if (dtype == ACL_DT_UNDEFINED)
        fault_no_dtype(fault, colon + 1, strlen(colon + 1));
    if (length >= sizeof number)
        fault_set(fault, "%.256s is too long for a number", text);
    if (dtype == ACL_DT_UNDEFINED || length >= sizeof number)
        return NULL;
    memcpy(number, text, length);
    number[length] = 0;
    if (!element_parse(number, dtype, element, fault))
        return NULL;
    const aclScalar *scalar = aclCreateScalar(element, dtype);
    if (!scalar)
        fault_from_library(fault, 0);
    return scalar;
}

static bool read_scalars(struct given *given, struct fault *fault)
{
    size_t count = count_elements(given->text), made = 0;
    const aclScalar **scalar = calloc(count + 1, sizeof *scalar);
    bool is_good = scalar || fault_set(fault, "there is not enough memory");
    for (const char *rest = given->text; is_good && made < count; made += is_good) {
        char *element = next_element(&rest);
        scalar[made] = element ? create_scalar(element, fault) : NULL;
        is_good = scalar[made] != NULL;
        free(element);
    }
    if (is_good) {
        given->argument.scalars = aclCreateScalarList(scalar, count);
        is_good = given->argument.scalars || fault_from_library(fault, 0);
    }
    for (size_t i = 0; !is_good && i < made; i++)
        aclDestroyScalar(scalar[i]);
    free(scalar);
    return is_good;
}

/* The first elements of a list, as numbers of the dtype. */
static bool parse_elements(const char *text, aclDataType dtype, size_t count, unsigned char *values,
                           struct fault *fault)
{
    bool is_good = true;
    for (size_t i = 0; is_good && i < count; i++) {
        char *element = next_element(&text);
        is_good = element ? element_parse(element, dtype, values + i * dtype_bytes(dtype), fault)
                          : fault_set(fault, "there is not enough memory");
        free(element);
    }
    return is_good;
}

bool argument_integers(const struct given *given, int64_t value[64], size_t *count, struct fault *fault)
{
    const size_t all = given->text ? count_elements(given->text) : 0;
    *count = all < 64 ? all : 64;
    return parse_elements(given->text, ACL_INT64, *count, (unsigned char *)value, fault);
}

/* An array of numbers: 0,-1 or, of truth values, true,false. */
static bool read_array(struct given *given, struct fault *fault)
{
    static const aclDataType dtypes[PARAMETER_KINDS] = {[PARAMETER_INT_ARRAY] = ACL_INT64,
                                                        [PARAMETER_BOOL_ARRAY] = ACL_BOOL,
                                                        [PARAMETER_FLOAT_ARRAY] = ACL_FLOAT};
    aclDataType dtype = dtypes[given->parameter->kind];
    size_t count = count_elements(given->text), bytes = dtype_bytes(dtype);
    unsigned char *values = calloc(count + 1, bytes);
    bool is_good = values || fault_set(fault, "there is not enough memory");
    is_good = is_good && parse_elements(given->text, dtype, count, values, fault);
    if (is_good && dtype == ACL_INT64)
        given->argument.ints = aclCreateIntArray((const int64_t *)(void *)values, count);
    else if (is_good && dtype == ACL_BOOL)
        given->argument.bools = aclCreateBoolArray((const bool *)(void *)values, count);
    else if (is_good)
        given->argument.floats = aclCreateFloatArray((const float *)(void *)values, count);
    free(values);
    return is_good && (given->argument.handle || fault_from_library(fault, 0));
}

static bool read_integer(struct given *given, struct fault *fault)
{
    static const aclDataType dtypes[PARAMETER_KINDS] = {
        [PARAMETER_INT64] = ACL_INT64, [PARAMETER_INT32] = ACL_INT32, [PARAMETER_INT8] = ACL_INT8};
    const struct parameter *parameter = given->parameter;
    for (int64_t i = 0; parameter->choices && parameter->choices[i]; i++)
        if (strcmp(given->text, parameter->choices[i]) == 0) {
            given->argument.int64 = i;
            return true;
        }
    char choices[CHOICES_TEXT], element[8];
    aclDataType dtype = dtypes[parameter->kind];
    if (element_parse(given->text, dtype, element, fault)) {
        int8_t int8;
        int32_t int32;
        memcpy(&int8, element, sizeof int8);
        memcpy(&int32, element, sizeof int32);
        memcpy(&given->argument.int64, element, sizeof given->argument.int64);
        if (dtype != ACL_INT64)
            given->argument.int64 = dtype == ACL_INT8 ? int8 : int32;
        return true;
    }
    if (argument_choices(parameter, choices))
        fault_set(fault, "%.256s is none of these: %s", given->text, choices);
    return false;
}

static bool read_dtype(struct given *given, struct fault *fault)
{
    aclDataType dtype = dtype_from_name(given->text, strlen(given->text));
    given->argument.int64 = dtype;
    return dtype != ACL_DT_UNDEFINED || fault_no_dtype(fault, given->text, strlen(given->text));
}

static bool read_boolean(struct given *given, struct fault *fault)
{
    if (element_parse(given->text, ACL_BOOL, &given->argument.boolean, fault))
        return true;
    return fault_set(fault, "%.256s is not a truth value; true or false is expected", given->text);
}

bool argument_read(struct given *given, aclDataType number_dtype, struct fault *fault)
{
    if (!given->text || parameter_is_output(given->parameter))
        return true;
    switch (given->parameter->kind) {
    case PARAMETER_TENSOR:
    case PARAMETER_TENSOR_LIST:
        return read_tensors(given, number_dtype, fault);
    case PARAMETER_SCALAR:
        given->argument.scalar = create_scalar(given->text, fault);
        return given->argument.scalar != NULL;
    case PARAMETER_SCALAR_LIST:
        return read_scalars(given, fault);
    case PARAMETER_INT_ARRAY:
    case PARAMETER_BOOL_ARRAY:
    case PARAMETER_FLOAT_ARRAY:
        return read_array(given, fault);
    case PARAMETER_DTYPE:
        return read_dtype(given, fault);
    case PARAMETER_INT64:
    case PARAMETER_INT32:
    case PARAMETER_INT8:
        return read_integer(given, fault);
    case PARAMETER_FLOAT:
        return element_parse(given->text, ACL_FLOAT, &given->argument.fp32, fault);
    case PARAMETER_DOUBLE:
        return element_parse(given->text, ACL_DOUBLE, &given->argument.fp64, fault);
    case PARAMETER_BOOL:
        return read_boolean(given, fault);
    case PARAMETER_STRING:
        given->argument.string = given->text;
        return true;
    case PARAMETER_KINDS:
        break;
    }
    return fault_set(fault, "a parameter of this kind cannot be given");
}

static bool create_list(struct given *given, const struct output *output, const struct given *like,
                        struct fault *fault)
{
    const aclTensor **tensor = calloc(like->count + 1, sizeof *tensor);
    given->operand = calloc(like->count + 1, sizeof *given->operand);
    bool is_good = (tensor && given->operand) || fault_set(fault, "there is not enough memory");
    const char *rest = given->text;
    for (; is_good && given->count < like->count; given->count++) {
        struct array predicted = like->operand[given->count].array;
        if (output->dtype != ACL_DT_UNDEFINED)
            predicted.dtype = output->dtype;
        if (output->shape_rule == SHAPE_ONE)
            predicted.rank = 0;
        char *element = rest ? next_element(&rest) : NULL;
        is_good = operand_create(&given->operand[given->count], element, &predicted, fault);
        tensor[given->count] = given->operand[given->count].tensor;
        free(element);
    }
    if (is_good)
        given->argument.tensors = aclCreateTensorList(tensor, given->count);
    free(tensor);
    return is_good && (given->argument.tensors || fault_from_library(fault, 0));
}

bool argument_create(struct given *given, const struct output *output, const struct given *like,
                     struct fault *fault)
{
    if (given->parameter->kind == PARAMETER_TENSOR_LIST)
        return create_list(given, output, like, fault);
    struct array predicted = {.dtype = output->dtype, .rank = output->shape.rank};
    for (uint32_t i = 0; i < predicted.rank; i++)
        predicted.shape[i] = output->shape.dim[i];
    given->operand = calloc(1, sizeof *given->operand);
    if (!given->operand)
        return fault_set(fault, "there is not enough memory");
    given->count = 1;
    if (!operand_create(given->operand, given->text, &predicted, fault))
        return false;
    given->argument.tensor = given->operand->tensor;
    return true;
}

bool argument_write(const struct given *given, struct fault *fault)
{
    for (size_t i = 0; i < given->count; i++)
        if (!operand_write(&given->operand[i], fault))
            return false;
    return true;
}

void argument_destroy(struct given *given)
{
    /* A list owns its tensors; what is left to the operands is their memory. */
    if (given->parameter->kind == PARAMETER_TENSOR_LIST && given->argument.tensors) {
        aclDestroyTensorList(given->argument.tensors);
        for (size_t i = 0; i < given->count; i++)
            given->operand[i].tensor = NULL;
    }
    for (size_t i = 0; i < given->count; i++)
        operand_destroy(&given->operand[i]);
    free(given->operand);
    switch (given->parameter->kind) {
    case PARAMETER_SCALAR:
        aclDestroyScalar(given->argument.scalar);
        break;
    case PARAMETER_SCALAR_LIST:
        aclDestroyScalarList(given->argument.scalars);
        break;
    case PARAMETER_INT_ARRAY:
        aclDestroyIntArray(given->argument.ints);
        break;
    case PARAMETER_BOOL_ARRAY:
        aclDestroyBoolArray(given->argument.bools);
        break;
    case PARAMETER_FLOAT_ARRAY:
        aclDestroyFloatArray(given->argument.floats);
        break;
    default:
        break;
    }
}
