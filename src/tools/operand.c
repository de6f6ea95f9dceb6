/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensor arguments of belay eval.
 */
#include "tools/operand.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"
#include "base/error.h"
#include "tensor/dtype.h"
#include "tools/npy.h"
#include "tools/small_number.h"
#include "tools/specification.h"

bool fault_from_library(struct fault *fault, int status)
{
    const char *sentence = error_last_sentence();
    if (status)
        return fault_set(fault, "status %d: %s", status, sentence);
    return fault_set(fault, "%s", sentence);
}

/* Of what the array holds, on the device. */
static size_t device_bytes(const struct array *array)
{
    return dtype_is_packed(array->dtype) ? (array->bytes + 1) / 2 : array->bytes;
}

/* Two numbers of 4 bits have a byte there. */
static int copy_to_device(const struct operand *operand)
{
    const struct array *array = &operand->array;
    const size_t bytes = device_bytes(array);
    if (!dtype_is_packed(array->dtype) || bytes == 0)
        return aclrtMemcpy(operand->memory, bytes, array->data, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    uint8_t *halves = malloc(bytes);
    if (halves == NULL)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    small_numbers_pack(halves, array->data, array->bytes);
    const int status = aclrtMemcpy(operand->memory, bytes, halves, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    free(halves);
    return status;
}

/* The tensor, and device memory that holds what the array holds. */
static bool create_tensor(struct operand *operand, struct fault *fault)
{
    const struct array *array = &operand->array;
    int64_t stride[ARRAY_RANK_MAX], step = 1;
    for (uint32_t i = 0; i < array->rank; i++) {
        uint32_t axis = array->is_fortran_order ? i : array->rank - 1 - i;
        stride[axis] = step;
        /* An empty array may have any stride, and the product of its other dims may be too large. */
        if (array->bytes)
            step *= array->shape[axis];
    }
    const size_t bytes = device_bytes(array);
    int status = aclrtMalloc(&operand->memory, bytes ? bytes : 1, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status == 0)
        status = copy_to_device(operand);
    if (status != 0)
        return fault_from_library(fault, status);
    operand->tensor = aclCreateTensor(array->shape, array->rank, array->dtype, stride, 0, ACL_FORMAT_ND,
                                      array->shape, array->rank, operand->memory);
    if (!operand->tensor)
        return fault_from_library(fault, 0);
    return true;
}

bool operand_read(struct operand *operand, const char *text, aclDataType number_dtype, struct fault *fault)
{
    return array_read(text, number_dtype, &operand->array, fault) && create_tensor(operand, fault);
}

/* Where the output goes; NULL for standard output, which - is, too. */
static char *path_of(struct specification *specification)
{
    if (!specification->path || strcmp(specification->path, "-") != 0)
        return specification->path;
    free(specification->path);
    specification->path = NULL;
    return NULL;
}

bool operand_create(struct operand *operand, const char *text, const struct array *predicted,
                    struct fault *fault)
{
    struct specification specification = {.dtype = ACL_DT_UNDEFINED};
    if (text && !specification_parse(text, &specification, fault))
        return false;
    operand->path = path_of(&specification);
    aclDataType dtype = specification.dtype == ACL_DT_UNDEFINED ? predicted->dtype : specification.dtype;
    bool is_good = specification.has_shape
                       ? array_create(&operand->array, dtype, specification.rank, specification.shape, fault)
                       : array_create(&operand->array, dtype, predicted->rank, predicted->shape, fault);
    return is_good && create_tensor(operand, fault);
}

bool operand_name_file(struct operand *operand, const char *text, struct fault *fault)
{
    struct specification specification = {.dtype = ACL_DT_UNDEFINED};
    if (text && !specification_parse(text, &specification, fault))
        return false;
    operand->path = path_of(&specification);
    if (specification.dtype == ACL_DT_UNDEFINED) /* and so no shape */
        return true;
    return fault_set(fault, "%.256s: an operator that works in place keeps dtype and shape; FILE is expected",
                     text);
}

/* The element that is the i-th in row-major order. */
static const void *element_at(const struct array *array, size_t i)
{
    size_t place = i;
    if (array->is_fortran_order) {
        size_t step = array_count(array), rest = i;
        place = 0;
        for (uint32_t axis = array->rank; axis-- > 0;) {
            step /= (size_t)array->shape[axis];
            place += rest % (size_t)array->shape[axis] * step;
            rest /= (size_t)array->shape[axis];
        }
    }
    return (const char *)array->data + place * dtype_bytes(array->dtype);
}

/* A line for each element, all of them, for programs; for somebody who looks dtype and shape, a line for each row,
 * and no more than fit. */
static void print_array(const struct array *array)
{
    enum { SHOWN_MOST = 1000 };
    char text[ELEMENT_TEXT];
    const size_t count = array_count(array);
    const bool is_seen = isatty(STDOUT_FILENO);
    const size_t shown = is_seen && count > SHOWN_MOST ? SHOWN_MOST : count;
    const size_t row = is_seen && array->rank > 0 && count > 0 ? (size_t)array->shape[array->rank - 1] : 1;
    if (is_seen && array->rank > 0) {
        printf("%s of ", dtype_name(array->dtype));
        for (uint32_t i = 0; i < array->rank; i++)
            printf(i > 0 ? "x%" PRId64 : "%" PRId64, array->shape[i]);
        puts(":");
    }
    for (size_t i = 0; i < shown; i++)
        printf("%s%s", element_text(element_at(array, i), array->dtype, text),
               (i + 1) % row == 0 || i + 1 == shown ? "\n" : " ");
    if (shown < count)
        printf("and %zu more; --out FILE.npy has all\n", count - shown);
}

bool operand_write(struct operand *operand, struct fault *fault)
{
    struct array *array = &operand->array;
    const size_t bytes = device_bytes(array);
    int status = aclrtMemcpy(array->data, bytes, operand->memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    if (status != 0)
        return fault_from_library(fault, status);
    if (dtype_is_packed(array->dtype))
        small_numbers_unpack(array->data, array->bytes);
    if (operand->path)
        return npy_write(operand->path, array, fault);
    print_array(array);
    return true;
}

void operand_destroy(struct operand *operand)
{
    if (operand->tensor)
        aclDestroyTensor(operand->tensor);
    if (operand->memory)
        aclrtFree(operand->memory);
    array_destroy(&operand->array);
    free(operand->path);
}
