/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * MaxN and MinN in any layout, dtype and length against loops, and AllFinite; what is
 * refused, and that bits depend neither on the level nor on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

static struct layout made(aclDataType dtype, unsigned rank, const int64_t *shape, bool is_read)
{
    struct layout layout = layout_create(
        dtype, rank, shape, (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
    for (size_t i = 0; i < (size_t)(layout.reach + 1) * layout.bytes; i++)
        layout.memory[i] = (unsigned char)random_bits();
    return layout;
}

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                     ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8,  ACL_BOOL};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0], TENSORS_MOST = 7 };

struct lists {
    int64_t count;
    unsigned rank;
    int64_t shape[LAYOUT_RANK_MAX];
    struct layout tensor[TENSORS_MOST], out;
};

/* Few different numbers, so that some are equal. */
static void draw_elements(const struct layout *layout)
{
    for (int64_t i = 0; i < layout->count; i++) {
        const double value = random_below(40) == 0 ? (double)NAN : (double)random_below(9) - 4;
        const int64_t whole = layout->dtype == ACL_BOOL    ? random_below(2)
                              : layout->dtype == ACL_INT64 ? (int64_t)random_bits()
                                                           : random_below(200) - 100;
        if (is_float_dtype(layout->dtype))
            set_element(layout, i, value == 0 && random_below(2) == 0 ? -0.0 : value);
        else if (layout->dtype == ACL_INT64)
            memcpy(layout_element(layout, i), &whole, sizeof whole);
        else
            conversion_reference(&whole, ACL_INT64, layout_element(layout, i), layout->dtype);
    }
}

static struct lists draw_lists(aclDataType dtype)
{
    struct lists lists = {.count = 1 + random_below(TENSORS_MOST)};
    lists.rank = draw_dims(lists.shape, 0, 3, 5000);
    for (int64_t k = 0; k < lists.count; k++) {
        int64_t own[LAYOUT_RANK_MAX];
        const unsigned skipped = k > 0 ? (unsigned)random_below(lists.rank + 1) : 0;
        for (unsigned i = skipped; i < lists.rank; i++)
            own[i - skipped] = k > 0 && random_below(4) == 0 ? 1 : lists.shape[i];
        lists.tensor[k] = made(dtype, lists.rank - skipped, own, true);
        draw_elements(&lists.tensor[k]);
    }
    lists.out = made(dtype, lists.rank, lists.shape, false);
    return lists;
}

static void forget(struct lists *lists)
{
    for (int64_t k = 0; k < lists->count; k++)
        layout_destroy(&lists->tensor[k]);
    layout_destroy(&lists->out);
}

/* The list owns its tensors. */
static int call_list(const char *name, struct lists *lists, const aclTensor *out)
{
    const aclTensor *tensor[TENSORS_MOST];
    for (int64_t k = 0; k < lists->count; k++)
        tensor[k] = lists->tensor[k].tensor;
    const union argument argument[] = {
        argument_of_pointer(aclCreateTensorList(tensor, (uint64_t)lists->count)), {.tensor = out}};
    const int status = call_function(find(name), argument);
    assert_int_equal(aclDestroyTensorList(argument[0].tensors), 0);
    for (int64_t k = 0; k < lists->count; k++) { /* for those who destroy them again */
        struct layout *layout = &lists->tensor[k];
        const int64_t storage = layout->reach + 1;
        layout->tensor =
            aclCreateTensor(layout->shape, layout->rank, layout->dtype, layout->stride, layout->offset,
                            ACL_FORMAT_ND, &storage, 1, memory_known_as(layout->memory));
    }
    return status;
}

/* The number of the element that broadcasts to element i. */
static int64_t source_of(const struct lists *lists, int64_t k, int64_t i)
{
    const struct layout *tensor = &lists->tensor[k];
    int64_t number = 0, step = 1;
    for (unsigned d = 0; d < tensor->rank; d++) {
        const int64_t size = tensor->shape[tensor->rank - 1 - d], whole = lists->shape[lists->rank - 1 - d];
        number += size == 1 ? 0 : i % whole * step;
        step *= size;
        i /= whole;
    }
    return number;
}

static const void *element_at(const struct lists *lists, int64_t k, int64_t i)
{
    return layout_element(&lists->tensor[k], source_of(lists, k, i));
}

static bool is_chosen(aclDataType dtype, bool is_least, const void *a, const void *b)
{
    if (is_float_dtype(dtype)) {
        double x, y;
        conversion_reference(a, dtype, &x, ACL_DOUBLE);
        conversion_reference(b, dtype, &y, ACL_DOUBLE);
        return isnan(y) || (is_least ? y < x : y > x);
    }
    int64_t x, y;
    if (dtype == ACL_INT64) {
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
    } else {
        conversion_reference(a, dtype, &x, ACL_INT64);
        conversion_reference(b, dtype, &y, ACL_INT64);
    }
    return is_least ? y < x : y > x;
}

static void the_greatest_and_the_least(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        const aclDataType dtype = dtypes[round % DTYPES];
        const bool is_least = random_below(2) == 0;
        struct lists lists = draw_lists(dtype);
        assert_int_equal(call_list(is_least ? "aclnnMinN" : "aclnnMaxN", &lists, lists.out.tensor), 0);
        for (int64_t i = 0; i < lists.out.count; i++) {
            const void *wanted = element_at(&lists, 0, i);
            for (int64_t k = 1; k < lists.count; k++)
                wanted = is_chosen(dtype, is_least, wanted, element_at(&lists, k, i))
                             ? element_at(&lists, k, i)
                             : wanted;
            if (is_float_dtype(dtype) && isnan(element_of(&lists.out, i))) {
                bool has = false;
                for (int64_t k = 0; k < lists.count; k++)
                    has = has || isnan(element_of(&lists.tensor[k], source_of(&lists, k, i)));
                assert_true(has);
            } else {
                assert_memory_equal(layout_element(&lists.out, i), wanted, lists.out.bytes);
            }
        }
        forget(&lists);
    }
}

static void what_is_infinite_is_told(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        static const double bad[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
        struct lists lists = draw_lists(short_dtypes[round % 3]);
        struct layout *gradient = &lists.tensor[0];
        const bool was = random_below(4) == 0, has = random_below(2) == 0;
        const int64_t one = 1;
        struct layout found = made(ACL_BOOL, (unsigned)random_below(2), &one, false);
        const union argument arguments[] = {{.tensor = gradient->tensor}, {.tensor = found.tensor}};
        *layout_element(&found, 0) = was;
        for (int64_t i = 0; i < gradient->count; i++)
            set_element(gradient, i, (double)random_below(2) * 65504);
        if (has)
            set_element(gradient, random_below(gradient->count), bad[random_below(3)]);
        assert_int_equal(call_function(find("aclnnAllFinite"), arguments), 0);
        assert_int_equal(*layout_element(&found, 0), was || has);
        forget(&lists);
        layout_destroy(&found);
    }
}

static void replace_list(struct attempt *attempt, aclTensor *first, aclTensor *second)
{
    const aclTensor *both[] = {first, second};
    assert_int_equal(aclDestroyTensorList(attempt->argument[0].tensors), 0);
    attempt->argument[0].tensors = aclCreateTensorList(both, first == NULL ? 0 : 2);
}

static void what_is_not_in_the_contracts(void **state)
{
    static const char *const names[] = {"aclnnMaxN", "aclnnMinN"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct attempt attempt = accepted(find(names[i]));
        replace_list(&attempt, plain(ACL_FLOAT), plain(ACL_INT32));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                       "tensor 1 of tensors has dtype INT32; FLOAT, that of tensor 0, is expected");
        replace_list(&attempt, plain(ACL_UINT16), plain(ACL_UINT16));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "tensors has dtype UINT16");
        replace_list(&attempt, plain(ACL_FLOAT), tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "tensor 1 of tensors does not broadcast");
        replace_list(&attempt, plain(ACL_FLOAT), tensor_with(ACL_FLOAT, 3, DIMS(4, 1, 1), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape [2, 3]; [4, 2, 3]");
        replace_list(&attempt, NULL, NULL);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "tensors is an empty list");
        release(&attempt);
    }
    struct attempt attempt = accepted(find("aclnnAllFinite"));
    replace(&attempt, 0, plain(ACL_DOUBLE));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gradient has dtype DOUBLE");
    replace(&attempt, 0, plain(ACL_FLOAT));
    replace(&attempt, 1, tensor_with(ACL_BOOL, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape [2]");
    release(&attempt);
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 30; round++) {
        struct lists lists = draw_lists(dtypes[round % DTYPES]);
        if (call_list("aclnnMaxN", &lists, lists.out.tensor) != 0)
            return 0;
        hash = hash_of(lists.out.memory, (size_t)(lists.out.reach + 1) * lists.out.bytes, hash);
        forget(&lists);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_greatest_and_the_least),
        cmocka_unit_test(what_is_infinite_is_told),
        cmocka_unit_test(what_is_not_in_the_contracts),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
