/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions that sort, against a sort of pairs of value and place: every dtype, dim, direction, layouts
 * and overlaps drawn at random, rows of every length that the loop tells apart. The reference has one result
 * alone, so that runs with several numbers of threads and levels prove equal bits.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "ops/attempt.h"
#include "ops/placed.h"
#include "support/effort.h"

/* A number that orders as the element does. */
struct number {
    bool is_nan;
    long double value;
    int64_t place;
};

static long double float_of_bits(uint64_t raw, int mantissa, int exponent_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint64_t fraction = raw & ((UINT64_C(1) << mantissa) - 1);
    int exponent = (int)(raw >> mantissa & ((UINT64_C(1) << exponent_bits) - 1));
    long double value = exponent == 0 ? __builtin_ldexpl((long double)fraction, 1 - bias - mantissa)
                                      : __builtin_ldexpl((long double)(fraction | UINT64_C(1) << mantissa),
                                                         exponent - bias - mantissa);
    if (exponent == (1 << exponent_bits) - 1)
        value = fraction != 0 ? (long double)__builtin_nan("") : (long double)__builtin_inf();
    return raw >> (mantissa + exponent_bits) & 1 ? -value : value;
}

static long double decode(const void *element, aclDataType dtype)
{
    uint64_t raw = 0;
    memcpy(&raw, element, dtype_bytes(dtype));
    switch (dtype) {
    case ACL_FLOAT:
        return float_of_bits(raw, 23, 8);
    case ACL_FLOAT16:
        return float_of_bits(raw, 10, 5);
    case ACL_BF16:
        return float_of_bits(raw, 7, 8);
    case ACL_DOUBLE:
        return float_of_bits(raw, 52, 11);
    case ACL_INT8:
        return (int8_t)raw;
    case ACL_INT16:
        return (int16_t)raw;
    case ACL_INT32:
        return (int32_t)raw;
    case ACL_INT64:
        return (long double)(int64_t)raw;
    case ACL_BOOL:
        return raw != 0;
    default:
        return (long double)raw;
    }
}

static bool descends;

static int compare(const void *a, const void *b)
{
    const struct number *first = (const struct number *)a, *second = (const struct number *)b;
    int order = first->is_nan != second->is_nan ? (first->is_nan ? 1 : -1)
                : first->is_nan                 ? 0
                                : (first->value > second->value) - (first->value < second->value);
    if (order != 0)
        return descends ? -order : order;
    return first->place < second->place ? -1 : 1;
}

static aclDataType draw_dtype(const struct function *function)
{
    uint64_t set = function->parameter[0].dtypes->on[PRODUCT_910B];
    for (;;) {
        unsigned dtype = (unsigned)random_below(32);
        if (set >> dtype & 1)
            return (aclDataType)dtype;
    }
}

/* All bits, or few different ones among which are zeros of both signs, infinities and NaNs, or those of small
 * numbers, whose upper halves are the same but for some. */
static void fill_with(const struct view *view)
{
    const unsigned bytes = dtype_bytes(view->dtype);
    const bool are_few = random_below(2) == 0, are_small = random_below(4) == 0;
    const int64_t least = random_below(2) == 0 ? 0 : -3;
    uint64_t few[12] = {0};
    for (int i = 1; i < 12; i++)
        few[i] = random_bits();
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    uint64_t infinity = view->dtype == ACL_FLOAT     ? 0x7f800000
                        : view->dtype == ACL_FLOAT16 ? 0x7c00
                        : view->dtype == ACL_BF16    ? 0x7f80
                                                     : UINT64_C(0x7ff0000000000000);
    uint64_t special[] = {sign, infinity, infinity | sign, infinity + 1, (infinity + 3) | sign};
    memcpy(few + 1, special, sizeof special);
    for (size_t at = 0; at < bytes_of(view); at += bytes) {
        uint64_t raw = are_few || random_below(8) == 0 ? few[random_below(12)] : random_bits();
        if (are_small)
            raw = (uint64_t)(least + random_below(600));
        memcpy(arena[view->arena] + at, &raw, bytes);
    }
}

/* A call of a family's function on drawn views; values or indices have arena 0 where there are none. */
struct sort_case {
    const struct function *function;
    struct view self, values, indices;
    uint32_t dim;
    int64_t kept;
    bool is_descending, has_values;
};

static void run(const struct sort_case *drawn)
{
    union argument argument[PARAMETERS_MAX];
    int64_t dim = drawn->self.rank == 0 || random_below(2) == 0
                      ? (int64_t)drawn->dim - (drawn->self.rank > 0 ? drawn->self.rank : 1)
                      : (int64_t)drawn->dim;
    for (uint32_t i = 0; i < drawn->function->parameter_count; i++) {
        const char *name = drawn->function->parameter[i].name;
        bool is_order = strcmp(name, "descending") == 0 || strcmp(name, "largest") == 0;
        if (i == 0)
            argument[i] = argument_of_pointer(create_placed(&drawn->self));
        else if (strcmp(name, "valuesOut") == 0)
            argument[i] = argument_of_pointer(create_placed(&drawn->values));
        else if (drawn->function->parameter[i].kind == PARAMETER_TENSOR)
            argument[i] = argument_of_pointer(create_placed(&drawn->indices));
        else if (drawn->function->parameter[i].kind == PARAMETER_INT64)
            argument[i] = argument_of_integer(strcmp(name, "k") == 0            ? drawn->kept
                                              : strcmp(name, "sortPolicy") == 0 ? random_below(2)
                                                                                : dim);
        else
            argument[i] = argument_of_bool(is_order ? drawn->is_descending : random_below(2) == 0);
    }
    call_placed(drawn->function, argument);
}

static int64_t length_of(const struct sort_case *drawn)
{
    return drawn->self.rank > 0 ? drawn->self.shape[drawn->dim] : 1;
}

/* The number of the element at a place of a row, in a view that has so many along the dim. */
static int64_t number_in(const struct sort_case *drawn, int64_t row, int64_t place, int64_t along)
{
    int64_t inner = 1;
    for (uint32_t i = drawn->dim + 1; i < drawn->self.rank; i++)
        inner *= drawn->self.shape[i];
    return (row / inner * along + place) * inner + row % inner;
}

/* What the outputs' arenas must be, from copies of all of them; then runs and compares whole arenas. */
static void check_case(const struct sort_case *drawn)
{
    static unsigned char *before[PLACED_ARENAS], *expected[PLACED_ARENAS];
    size_t used = bytes_of(&drawn->self);
    used = used > bytes_of(&drawn->indices) ? used : bytes_of(&drawn->indices);
    if (drawn->has_values && used < bytes_of(&drawn->values))
        used = bytes_of(&drawn->values);
    used += 64;
    assert_true(used < PLACED_BYTES);
    for (unsigned i = 0; i < PLACED_ARENAS; i++) {
        before[i] = (unsigned char *)realloc(before[i], used);
        expected[i] = (unsigned char *)realloc(expected[i], used);
        memcpy(before[i], arena[i], used);
        memcpy(expected[i], arena[i], used);
    }
    const int64_t length = length_of(drawn), rows = count_of(&drawn->self) / length;
    const unsigned bytes = dtype_bytes(drawn->self.dtype);
    struct number *row = (struct number *)malloc((size_t)length * sizeof *row);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t i = 0; i < length; i++) {
            row[i].value =
                decode(element_of(before[drawn->self.arena], &drawn->self, number_in(drawn, r, i, length)),
                       drawn->self.dtype);
            row[i].is_nan = row[i].value != row[i].value;
            row[i].place = i;
        }
        descends = drawn->is_descending;
        qsort(row, (size_t)length, sizeof *row, compare);
        for (int64_t i = 0; i < drawn->kept; i++) {
            int64_t to = number_in(drawn, r, i, drawn->kept);
            const unsigned char *from = element_of(before[drawn->self.arena], &drawn->self,
                                                   number_in(drawn, r, row[i].place, length));
            double converted = (double)row[i].value;
            memcpy(element_of(expected[drawn->indices.arena], &drawn->indices, to), &row[i].place, 8);
            if (!drawn->has_values)
                continue;
            unsigned char *value = element_of(expected[drawn->values.arena], &drawn->values, to);
            if (drawn->values.dtype == drawn->self.dtype)
                memcpy(value, from, bytes);
            else
                memcpy(value, &converted, sizeof converted); /* DOUBLE, of a dtype whose numbers it has */
        }
    }
    free(row);
    run(drawn);
    for (unsigned i = 0; i < PLACED_ARENAS; i++)
        if (memcmp(arena[i], expected[i], used) != 0)
            fail_msg("%s of %s, rank %u, dim %u, length %lld: arena %u differs",
                     drawn->function->operation.name, dtype_name(drawn->self.dtype), drawn->self.rank,
                     drawn->dim, (long long)length, i);
}

static struct sort_case draw_case(const struct function *function, uint32_t rank, const int64_t *shape)
{
    struct sort_case drawn = {.function = function, .dim = rank > 0 ? (uint32_t)random_below(rank) : 0};
    int64_t kept[OPERAND_RANK_MAX];
    drawn.self = view_of(0, draw_dtype(function), rank, shape);
    drawn.is_descending = random_below(2) == 0;
    drawn.kept = length_of(&drawn);
    if (strcmp(function->stem, "topk") == 0 && rank > 0)
        drawn.kept = 1 + random_below(random_below(2) == 0 && drawn.kept > 8 ? 8 : drawn.kept);
    memcpy(kept, shape, rank * sizeof *kept);
    if (rank > 0)
        kept[drawn.dim] = drawn.kept;
    bool is_plain = random_below(3) == 0;
    aclDataType dtype = drawn.self.dtype;
    bool is_wide = dtype == ACL_DOUBLE || dtype == ACL_INT64;
    drawn.has_values = strcmp(function->operation.name, "aclnnArgsort") != 0;
    if (strcmp(function->operation.name, "aclnnSort") == 0 && !is_wide && random_below(4) == 0)
        dtype = ACL_DOUBLE;
    drawn.values = view_of(1, dtype, rank, kept);
    drawn.indices = view_of(2, ACL_INT64, rank, kept);
    if (!is_plain) {
        lay_out(&drawn.self, true, random_below(2) == 0);
        if (random_below(4) == 0 && rank > 0)
            drawn.self.stride[random_below(rank)] = random_below(2);
        lay_out(&drawn.values, true, random_below(2) == 0);
        lay_out(&drawn.indices, true, random_below(2) == 0);
        drawn.self.offset = random_below(9);
        drawn.values.offset = random_below(9);
    }
    return drawn;
}

static void fill_case(const struct sort_case *drawn)
{
    fill_bytes(1, 4096);
    fill_with(&drawn->self);
}

static void for_each_sort(void (*body)(const struct function *))
{
    size_t count;
    const struct function *const *list = functions(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->stem, "sort") == 0 || strcmp(list[i]->stem, "argsort") == 0 ||
            strcmp(list[i]->stem, "topk") == 0)
            body(list[i]);
}

/* Where NaNs become others' canonical one, or integers, no cast is drawn: values of DOUBLE from FLOAT16 and
 * so on have NaNs of their own. */
static bool is_fair(const struct sort_case *drawn)
{
    if (!drawn->has_values || drawn->values.dtype == drawn->self.dtype)
        return true;
    return drawn->self.dtype != ACL_FLOAT && drawn->self.dtype != ACL_FLOAT16 &&
           drawn->self.dtype != ACL_BF16;
}

static void try_random(const struct function *function)
{
    static const int64_t lengths[] = {1, 2, 3, 5, 17, 40, 128, 129, 300};
    for (int round = 0; round < times_effort(800); round++) {
        uint32_t rank = (uint32_t)random_below(5);
        int64_t shape[OPERAND_RANK_MAX], count = 1;
        for (uint32_t i = 0; i < rank; i++) {
            shape[i] = lengths[random_below(9)];
            shape[i] = shape[i] * count > 4000 ? 1 : shape[i];
            count *= shape[i];
        }
        struct sort_case drawn = draw_case(function, rank, shape);
        if (!is_fair(&drawn))
            drawn.values.dtype = drawn.self.dtype;
        fill_case(&drawn);
        check_case(&drawn);
    }
}

static void random_views_give_what_a_sort_of_pairs_gives(void **state)
{
    (void)state;
    for_each_sort(try_random);
}

static void try_long(const struct function *function)
{
    static const int64_t shapes[][2] = {{1, 65535},  {1, 65536}, {2, 70001},
                                        {1, 300000}, {200, 600}, {9000, 7}};
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int round = 0; round < 2; round++) {
            struct sort_case drawn = draw_case(function, 2, shapes[i]);
            if (!is_fair(&drawn))
                drawn.values.dtype = drawn.self.dtype;
            if (bytes_of(&drawn.self) + 64 > PLACED_BYTES || bytes_of(&drawn.indices) + 64 > PLACED_BYTES ||
                bytes_of(&drawn.values) + 64 > PLACED_BYTES)
                continue;
            fill_case(&drawn);
            check_case(&drawn);
        }
}

static void long_rows_and_many_rows_are_shared_out_and_complete(void **state)
{
    (void)state;
    for_each_sort(try_long);
}

/* Values in self's place, shifted by some elements, or indices on self. */
static void try_overlap_of(const struct function *function)
{
    for (int round = 0; round < times_effort(120); round++) {
        struct sort_case drawn = draw_case(function, 2, DIMS(1 + random_below(40), 1 + random_below(60)));
        bool is_exact = random_below(2) == 0;
        if (drawn.has_values && random_below(3) > 0) {
            drawn.values.dtype = drawn.self.dtype;
            drawn.values.arena = 0;
            if (is_exact && drawn.kept == length_of(&drawn)) {
                lay_out(&drawn.self, true, false);
                uint32_t rank = drawn.self.rank;
                memcpy(drawn.values.stride, drawn.self.stride, rank * sizeof drawn.self.stride[0]);
                drawn.values.offset = drawn.self.offset;
            }
        } else {
            if (!is_fair(&drawn))
                drawn.values.dtype = drawn.self.dtype;
            drawn.indices.arena = 0;
        }
        fill_case(&drawn);
        check_case(&drawn);
    }
}

static void outputs_on_the_input_give_what_a_copied_input_gives(void **state)
{
    (void)state;
    for_each_sort(try_overlap_of);
}

static const struct function *sort(void)
{
    return find("aclnnSort");
}

static void values_are_converted_as_by_a_cast(void **state)
{
    (void)state;
    struct sort_case drawn = {.function = sort(), .kept = 4, .has_values = true};
    const float numbers[] = {3.75F, -2.5F, __builtin_nanf(""), 1e20F};
    const int32_t sorted[] = {-2, 3, INT32_MAX, 0};
    const int64_t places[] = {1, 0, 3, 2};
    drawn.self = view_of(0, ACL_FLOAT, 1, DIMS(4));
    drawn.values = view_of(1, ACL_INT32, 1, DIMS(4));
    drawn.indices = view_of(2, ACL_INT64, 1, DIMS(4));
    memcpy(arena[0], numbers, sizeof numbers);
    run(&drawn);
    assert_memory_equal(arena[1], sorted, sizeof sorted);
    assert_memory_equal(arena[2], places, sizeof places);
}

static void an_empty_tensor_is_left_alone(void **state)
{
    (void)state;
    struct sort_case drawn = {.function = sort(), .kept = 0, .has_values = true};
    drawn.self = view_of(0, ACL_FLOAT, 2, DIMS(3, 0));
    drawn.values = view_of(1, ACL_FLOAT, 2, DIMS(3, 0));
    drawn.indices = view_of(2, ACL_INT64, 2, DIMS(3, 0));
    memset(arena[1], 7, 64);
    run(&drawn);
    for (int i = 0; i < 64; i++)
        assert_int_equal(arena[1][i], 7);
}

enum { SELF, STABLE, DIM, DESCENDING, VALUES, INDICES };

static void dims_shapes_and_dtypes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(sort());
    attempt.argument[DIM].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "dim is 2; -2 to 1 are expected for a tensor of rank 2");
    attempt.argument[DIM].int64 = -3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim is -3; -2 to 1 are expected");
    attempt.argument[DIM].int64 = -2;
    assert_accepted(&attempt);
    replace_dtype(&attempt, VALUES, ACL_DOUBLE);
    assert_accepted(&attempt);
    replace(&attempt, VALUES, tensor_with(ACL_FLOAT, 2, DIMS(3, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "valuesOut has shape [3, 2]");
    replace(&attempt, VALUES, plain(ACL_FLOAT));
    replace_dtype(&attempt, INDICES, ACL_INT32);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "indicesOut has dtype INT32");
    replace(&attempt, INDICES, tensor_with(ACL_INT64, 1, DIMS(6), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "indicesOut has shape [6]");
    release(&attempt);

    attempt = accepted(sort());
    replace(&attempt, SELF, tensor_with(ACL_FLOAT, 2, DIMS(1, INT64_C(1) << 32), DIMS(0, 0)));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 4294967296 elements along dim");
    replace(&attempt, SELF, tensor_with(ACL_FLOAT, 9, DIMS(1, 1, 1, 1, 1, 1, 1, 1, 1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 9 dims");
    release(&attempt);
}

enum { TOPK_K = 1, TOPK_VALUES = 5, TOPK_INDICES };

static void k_is_at_most_the_length(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnTopk"));
    for (int64_t k = -1; k <= 4; k += 5) {
        attempt.argument[TOPK_K].int64 = k;
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "k is ");
    }
    attempt.argument[TOPK_K].int64 = 0;
    replace(&attempt, TOPK_VALUES, tensor_with(ACL_FLOAT, 2, DIMS(2, 0), NULL));
    replace(&attempt, TOPK_INDICES, tensor_with(ACL_INT64, 2, DIMS(2, 0), NULL));
    assert_accepted(&attempt);
    attempt.argument[TOPK_K].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "valuesOut has shape [2, 0]");
    release(&attempt);
    attempt = accepted(find("aclnnTopkV2"));
    attempt.argument[TOPK_VALUES].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "sortPolicy is 2; 0 (usual) or 1 (bitonic)");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_views_give_what_a_sort_of_pairs_gives),
        cmocka_unit_test(long_rows_and_many_rows_are_shared_out_and_complete),
        cmocka_unit_test(outputs_on_the_input_give_what_a_copied_input_gives),
        cmocka_unit_test(values_are_converted_as_by_a_cast),
        cmocka_unit_test(an_empty_tensor_is_left_alone),
        cmocka_unit_test(dims_shapes_and_dtypes_that_do_not_fit_are_refused),
        cmocka_unit_test(k_is_at_most_the_length),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
