/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * GatherV2 and V3, whose index has any rank, and IndexFillTensor, whose index is an array, in any layout against
 * loops over indices; an index out of range; and calls that are refused.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "support/effort.h"
#include "support/open_stream.h"

enum { SELF, DIM, INDEX, OUT, VALUE = 3, FILL_OUT, FAULT = 507035 };

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT8, ACL_INT64, ACL_COMPLEX128};

static void put_index(const struct layout *index, int64_t at, int64_t number)
{
    const int32_t single = (int32_t)number;
    memcpy(layout_element(index, at), index->dtype == ACL_INT32 ? (const void *)&single : &number,
           index->bytes);
}

static int64_t product(const int64_t *shape, unsigned from, unsigned to)
{
    int64_t count = 1;
    for (unsigned i = from; i < to; i++)
        count *= shape[i];
    return count;
}

static void slices_by_an_index_of_any_rank(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(400); round++) {
        int64_t shape[6], at[3], to[8];
        const unsigned rank = 1 + (unsigned)random_below(3), dims = (unsigned)random_below(4),
                       dim = (unsigned)random_below(rank);
        for (unsigned i = 0; i < rank; i++)
            shape[i] = 1 + random_below(9);
        for (unsigned i = 0; i < dims; i++)
            at[i] = 1 + random_below(6);
        const int64_t one = 1;
        unsigned out_rank = 0;
        for (unsigned i = 0; i < rank; i++) {
            const unsigned added = i != dim ? 1 : dims > 0 ? dims : 1;
            memcpy(to + out_rank, i != dim ? &shape[i] : dims > 0 ? at : &one, added * sizeof *to);
            out_rank += added;
        }
        const aclDataType dtype = dtypes[random_below(6)];
        struct layout self = layout_create(dtype, rank, shape, (enum layout_kind)random_below(LAYOUT_KINDS));
        struct layout index = layout_create(random_below(2) == 0 ? ACL_INT32 : ACL_INT64, dims, at,
                                            (enum layout_kind)random_below(LAYOUT_REPEATED));
        struct layout out =
            layout_create(dtype, out_rank, to, (enum layout_kind)random_below(LAYOUT_REPEATED));
        int64_t numbers[216];
        layout_fill(&self, 2, false);
        for (int64_t i = 0; i < index.count; i++) {
            numbers[i] = random_below(2 * shape[dim]) - shape[dim];
            put_index(&index, i, numbers[i]);
        }
        const bool is_v3 = random_below(2) == 0;
        const struct function *function = find(is_v3 ? "aclnnGatherV3" : "aclnnGatherV2");
        const union argument argument[] = {
            {.tensor = self.tensor},
            argument_of_integer(random_below(2) == 0 ? dim : (int64_t)dim - rank),
            {.tensor = index.tensor},
            {.tensor = is_v3 ? NULL : out.tensor}, /* of V3 batchDims, which is 0 */
            argument_of_integer(random_below(3)),
            {.tensor = out.tensor}};
        assert_int_equal(call_function(function, argument), 0);
        const int64_t behind = product(shape, dim + 1, rank);
        for (int64_t i = 0; i < out.count; i++) {
            const int64_t number = numbers[i / behind % index.count];
            const int64_t slice = number < 0 ? number + shape[dim] : number;
            const int64_t from = (i / behind / index.count * shape[dim] + slice) * behind + i % behind;
            assert_memory_equal(layout_element(&out, i), layout_element(&self, from), out.bytes);
        }
        put_index(&index, index.count - 1, shape[dim]);
        unsigned char kept[16];
        memcpy(kept, layout_element(&out, 0), out.bytes);
        assert_int_equal(call_function(function, argument), FAULT);
        assert_memory_equal(layout_element(&out, 0), kept, out.bytes);
        layout_destroy(&self);
        layout_destroy(&index);
        layout_destroy(&out);
    }
}

static void slices_by_an_array_are_filled(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        int64_t shape[4], numbers[12];
        const unsigned rank = 1 + (unsigned)random_below(4), dim = (unsigned)random_below(rank);
        const uint64_t count = (uint64_t)random_below(12);
        const bool in_place = random_below(2) == 0;
        const aclDataType dtype = dtypes[random_below(5)];
        for (unsigned i = 0; i < rank; i++)
            shape[i] = 1 + random_below(9);
        for (uint64_t i = 0; i < count; i++)
            numbers[i] = random_below(2 * shape[dim]) - shape[dim];
        struct layout self = layout_create(
            dtype, rank, shape, (enum layout_kind)random_below(in_place ? LAYOUT_REPEATED : LAYOUT_KINDS));
        struct layout out =
            layout_create(dtype, rank, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
        layout_fill(&self, 2, false);
        unsigned char *wanted = malloc((size_t)self.count * self.bytes), value[8];
        const int64_t behind = product(shape, dim + 1, rank), three = 3;
        conversion_reference(&three, ACL_INT64, value, dtype);
        for (int64_t i = 0; i < self.count; i++) {
            const unsigned char *element = layout_element(&self, i);
            for (uint64_t k = 0; k < count; k++)
                if ((numbers[k] + shape[dim]) % shape[dim] == i / behind % shape[dim])
                    element = value;
            memcpy(wanted + (size_t)i * self.bytes, element, self.bytes);
        }
        const union argument argument[] = {{.tensor = self.tensor},
                                           argument_of_integer(dim),
                                           {.ints = aclCreateIntArray(numbers, count)},
                                           {.scalar = aclCreateScalar((void *)(uintptr_t)&three, ACL_INT64)},
                                           {.tensor = out.tensor}};
        assert_int_equal(
            call_function(find(in_place ? "aclnnInplaceIndexFillTensor" : "aclnnIndexFillTensor"), argument),
            0);
        for (int64_t i = 0; i < self.count; i++)
            assert_memory_equal(layout_element(in_place ? &self : &out, i), wanted + (size_t)i * self.bytes,
                                self.bytes);
        assert_int_equal(aclDestroyIntArray(argument[INDEX].ints) | aclDestroyScalar(argument[VALUE].scalar),
                         0);
        free(wanted);
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnGatherV2"));
    replace(&attempt, OUT, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape [2, 3, 2]; [2, 2, 3]");
    replace_dtype(&attempt, INDEX, ACL_INT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "index has dtype INT16");
    replace(&attempt, INDEX, tensor_with(ACL_INT64, 8, DIMS(1, 1, 1, 1, 1, 1, 1, 1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "self has 2 dims and index 8; 9 together are expected at most");
    replace_dtype(&attempt, SELF, ACL_UINT32);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype UINT32");
    release(&attempt);
    attempt = accepted(find("aclnnGatherV3"));
    attempt.argument[4] = argument_of_integer(3);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mode is 3; 0, 1 or 2 is expected");
    attempt.argument[3] = argument_of_integer(1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "batchDims is 1; 0 is expected");
    release(&attempt);
    attempt = accepted(find("aclnnIndexFillTensor"));
    for (int i = 0; i < 2; i++) {
        const int64_t number = i == 0 ? 2 : -3;
        assert_int_equal(aclDestroyIntArray(attempt.argument[INDEX].ints), 0);
        attempt.argument[INDEX].ints = aclCreateIntArray(DIMS(0, number), 2);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                       i == 0 ? "index holds 2 at [1]; -2 to 1 are expected" : "index holds -3 at [1]");
    }
    attempt.argument[DIM] = argument_of_integer(2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim is 2; -2 to 1 are expected");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_by_an_index_of_any_rank),
        cmocka_unit_test(slices_by_an_array_are_filled),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
