/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sums of reductions and of products of matrices, element by element.
 */
#include "tools/exact_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "tensor/dtype.h"
#include "tools/exact_sum.h"

/* What a function's result is a sum of. */
enum sum_kind { SUM_NONE, SUM_OF_ELEMENTS, SUM_MEAN, SUM_OF_PRODUCTS };

/* Where the elements of one operand lie: from one to the next of the output and of what is added. Steps count elements. */
struct steps {
    int64_t out[ARRAY_RANK_MAX], added[ARRAY_RANK_MAX];
};

/* For each element of the output, whose dims come first, all that is added. */
struct sums {
    const struct array *operand[2];
    struct steps steps[2];
    uint32_t operands, out_rank, added_rank;
    int64_t out_size[ARRAY_RANK_MAX], added_size[ARRAY_RANK_MAX];
    bool is_mean;
};

static enum sum_kind kind_of(const char *name)
{
    static const struct {
        const char *name;
        enum sum_kind kind;
    } functions[] = {
        {"aclnnReduceSum", SUM_OF_ELEMENTS},   {"aclnnMean", SUM_MEAN},      {"aclnnDot", SUM_OF_PRODUCTS},
        {"aclnnMv", SUM_OF_PRODUCTS},          {"aclnnMm", SUM_OF_PRODUCTS}, {"aclnnMatmul", SUM_OF_PRODUCTS},
        {"aclnnBatchMatMul", SUM_OF_PRODUCTS},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].kind;
    return SUM_NONE;
}

/* Whether each number of one is a number of the other. */
static bool holds(aclDataType wide, aclDataType narrow)
{
    const bool is_16_bits = narrow == ACL_FLOAT16 || narrow == ACL_BF16;
    if (wide == narrow)
        return wide == ACL_DOUBLE || wide == ACL_FLOAT || wide == ACL_FLOAT16 || wide == ACL_BF16;
    return (wide == ACL_FLOAT && is_16_bits) || (wide == ACL_DOUBLE && (is_16_bits || narrow == ACL_FLOAT));
}

/* Steps from element to element along each dim. */
static void find_steps(const struct array *array, int64_t step[ARRAY_RANK_MAX])
{
    int64_t next = 1;
    for (uint32_t i = 0; i < array->rank; i++) {
        const uint32_t axis = array->is_fortran_order ? i : array->rank - 1 - i;
        step[axis] = next;
        next *= array->shape[axis];
    }
}

/* Which dims an argument names, "0,-1"; all where it names none. The library has taken it. */
static bool read_dims(const struct given *given, uint32_t rank, uint64_t *dims, struct fault *fault)
{
    int64_t dim[64];
    size_t count;
    *dims = 0;
    if (!argument_integers(given, dim, &count, fault))
        return false;
    for (size_t i = 0; i < count; i++)
        *dims |= UINT64_C(1) << (dim[i] < 0 ? dim[i] + (int64_t)rank : dim[i]);
    *dims = *dims != 0 ? *dims : ~UINT64_C(0);
    return true;
}

/* Of a reduction: the dims that stay are the output's, in their order, whether it keeps the others as 1 or not. */
static bool plan_reduction(struct sums *sums, const struct array *array, const struct given *given,
                           struct fault *fault)
{
    int64_t step[ARRAY_RANK_MAX];
    uint64_t dims;
    if (!read_dims(given, array->rank, &dims, fault))
        return false;
    find_steps(array, step);
    sums->operands = 1;
    sums->operand[0] = array;
    for (uint32_t axis = 0; axis < array->rank; axis++)
        if ((dims >> axis & 1) != 0) {
            sums->steps[0].added[sums->added_rank] = step[axis];
            sums->added_size[sums->added_rank++] = array->shape[axis];
        } else {
            sums->steps[0].out[sums->out_rank] = step[axis];
            sums->out_size[sums->out_rank++] = array->shape[axis];
        }
    return true;
}

/* The dims of batches in front of the matrices, from behind; those that are 1 or are not there are repeated. */
static void plan_batches(struct sums *sums, const int64_t step[2][ARRAY_RANK_MAX], const uint32_t batches[2])
{
    sums->out_rank = batches[0] > batches[1] ? batches[0] : batches[1];
    for (uint32_t i = 0; i < sums->out_rank; i++) {
        sums->out_size[i] = 1;
        for (uint32_t side = 0; side < 2; side++) {
            const uint32_t missing = sums->out_rank - batches[side];
            const int64_t size = i >= missing ? sums->operand[side]->shape[i - missing] : 1;
            if (size == 1)
                continue;
            sums->out_size[i] = size;
            sums->steps[side].out[i] = step[side][i - missing];
        }
    }
}

/* Of a product: rows of the left one by columns of the right one; a vector has no rows, or no columns. */
static void plan_product(struct sums *sums, const struct array *left, const struct array *right)
{
    int64_t step[2][ARRAY_RANK_MAX];
    const uint32_t batches[2] = {left->rank > 2 ? left->rank - 2 : 0, right->rank > 2 ? right->rank - 2 : 0};
    find_steps(left, step[0]);
    find_steps(right, step[1]);
    sums->operands = 2;
    sums->operand[0] = left;
    sums->operand[1] = right;
    plan_batches(sums, (const int64_t(*)[ARRAY_RANK_MAX])step, batches);
    if (left->rank > 1) {
        sums->steps[0].out[sums->out_rank] = step[0][left->rank - 2];
        sums->out_size[sums->out_rank++] = left->shape[left->rank - 2];
    }
    if (right->rank > 1) {
        sums->steps[1].out[sums->out_rank] = step[1][right->rank - 1];
        sums->out_size[sums->out_rank++] = right->shape[right->rank - 1];
    }
    sums->added_rank = 1;
    sums->added_size[0] = left->shape[left->rank - 1];
    sums->steps[0].added[0] = step[0][left->rank - 1];
    sums->steps[1].added[0] = step[1][right->rank > 1 ? right->rank - 2 : 0];
}

static uint64_t product_of(const int64_t *size, uint32_t rank)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < rank; i++)
        product *= (uint64_t)size[i];
    return product;
}

/* How far the element of that index, the last dim fastest, lies behind the first. */
static int64_t place_of(uint64_t index, const int64_t *size, const int64_t *step, uint32_t rank)
{
    int64_t place = 0;
    for (uint32_t i = rank; i-- > 0; index /= (uint64_t)size[i])
        place += (int64_t)(index % (uint64_t)size[i]) * step[i];
    return place;
}

static double number_at(const struct array *array, int64_t place)
{
    return element_real((const char *)array->data + place * (int64_t)dtype_bytes(array->dtype), array->dtype);
}

/* Adds up all of an element of the output; false where an infinity or a NaN is among it. */
static bool add_up(const struct sums *sums, uint64_t index, uint64_t added, struct exact_sum *sum)
{
    int64_t first[2] = {0};
    for (uint32_t side = 0; side < sums->operands; side++)
        first[side] = place_of(index, sums->out_size, sums->steps[side].out, sums->out_rank);
    exact_sum_begin(sum);
    for (uint64_t i = 0; i < added; i++) {
        double number[2] = {0, 1};
        for (uint32_t side = 0; side < sums->operands; side++)
            number[side] = number_at(
                sums->operand[side],
                first[side] + place_of(i, sums->added_size, sums->steps[side].added, sums->added_rank));
        if (!isfinite(number[0]) || !isfinite(number[1]))
            return false;
        exact_sum_add(sum, number[0], number[1]);
    }
    if (sums->is_mean)
        exact_sum_divide(sum, (uint32_t)added);
    return true;
}

/* What is no sum of finite numbers, and the sign of a sum that is 0, are as the library has them. */
static void put_sums(const struct sums *sums, struct array *out)
{
    static struct exact_sum sum;
    const uint64_t count = product_of(sums->out_size, sums->out_rank),
                   added = product_of(sums->added_size, sums->added_rank);
    const uint32_t bytes = dtype_bytes(out->dtype);
    if (count != array_count(out) || added == 0 || added > UINT32_MAX)
        return;
    for (uint64_t i = 0; i < count; i++) {
        char *element = (char *)out->data + i * bytes;
        if (!add_up(sums, i, added, &sum))
            continue;
        const double value = exact_sum_value(&sum, out->dtype != ACL_DOUBLE);
        if (value != 0 || element_real(element, out->dtype) != 0)
            element_set_real(element, out->dtype, value);
    }
}

/* Whether another dtype is asked for between: the library rounds to that. */
static bool has_other_dtype(const struct function *function, const struct given *given, aclDataType dtype)
{
    for (uint32_t i = 0; i < function->parameter_count; i++)
        if (function->parameter[i].kind == PARAMETER_DTYPE && given[i].argument.int64 != (int64_t)dtype)
            return true;
    return false;
}

bool exact_result(const struct function *function, const struct given *given, struct fault *fault)
{
    const enum sum_kind kind = kind_of(function->operation.name);
    struct sums sums = {.is_mean = kind == SUM_MEAN};
    uint32_t last = function->parameter_count;
    while (kind != SUM_NONE && last-- > 0)
        if (parameter_is_output(&function->parameter[last]))
            break;
    if (kind == SUM_NONE)
        return true;
    struct operand *out = given[last].operand;
    const struct array *left = &given[0].operand->array;
    if (kind == SUM_OF_PRODUCTS)
        plan_product(&sums, left, &given[1].operand->array);
    else if (!plan_reduction(&sums, left, &given[1], fault))
        return false;
    for (uint32_t side = 0; side < sums.operands; side++)
        if (!holds(out->array.dtype, sums.operand[side]->dtype))
            return true;
    if (has_other_dtype(function, given, out->array.dtype))
        return true;
    int status = aclrtMemcpy(out->array.data, out->array.bytes, out->memory, out->array.bytes,
                             ACL_MEMCPY_DEVICE_TO_HOST);
    if (status == 0) {
        put_sums(&sums, &out->array);
        status = aclrtMemcpy(out->memory, out->array.bytes, out->array.data, out->array.bytes,
                             ACL_MEMCPY_HOST_TO_DEVICE);
    }
    return status == 0 || fault_from_library(fault, status);
}
