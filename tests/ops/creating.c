/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that make tensors of numbers in order, ones in their places, and triangles: whole tensors in
 * layouts and dtypes drawn at random, and the rules that are each one's own.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "ops/attempt.h"
#include "ops/placed.h"
#include "ops/made.h"

enum { ROUNDS = 300 };

static bool is_whole(aclDataType dtype)
{
    return dtype == ACL_INT32 || dtype == ACL_INT64;
}

struct sequence {
    double start, end, step;
    int64_t steps; /* of Linspace, otherwise 0 */
    aclDataType dtype;
};

/* In long double, and from there to DOUBLE: the products and sums here need no more than its 64 bits. */
static void expect_sequence(const void *context, int64_t k, unsigned char *element)
{
    const struct sequence *call = (const struct sequence *)context;
    if (call->steps == 0 && is_whole(call->dtype)) {
        const int64_t value = (int64_t)call->start + k * (int64_t)call->step;
        memcpy(element, &value, dtype_bytes(call->dtype)); /* the low bits come first */
        return;
    }
    const double step = call->steps > 1 ? (call->end - call->start) / (double)(call->steps - 1) : call->step;
    double value = fma((double)k, step, call->start);
    if (call->steps > 1 && k >= call->steps / 2)
        value = fma(-(double)(call->steps - 1 - k), step, call->end);
    conversion_reference(&value, ACL_DOUBLE, element, call->dtype);
}

static void numbers_are_at_equal_distances(void **state)
{
    (void)state;
    static const double steps[] = {1, -1, 3, 0.1, -0.25, 1e-3, 7.5, -2};
    for (int round = 0; round < ROUNDS; round++) {
        const char *name = round % 2 == 0 ? "aclnnArange" : "aclnnRange";
        struct sequence call = {.start = (double)(random_below(200) - 100) / (1 + (double)random_below(3)),
                                .step = steps[random_below(8)]};
        call.dtype = draw_dtype_of(name, 3);
        int64_t count = 1 + random_below(3000);
        if (is_whole(call.dtype)) {
            call.start = trunc(call.start);
            call.step = call.step < 0 ? fmin(trunc(call.step), -1) : fmax(trunc(call.step), 1);
        }
        call.end = call.start + ((double)count - (round % 2 == 0 ? 0.5 : 1) + (round % 2) * 0.25) * call.step;
        if (is_whole(call.dtype))
            call.end = call.start + ((double)count - round % 2) * call.step;
        const bool is_square = random_below(3) == 0 && count > 3;
        count = is_square ? count / 3 * 3 : count;
        struct view out = is_square ? drawn_view(0, call.dtype, 2, DIMS(count / 3, 3))
                                    : drawn_view(0, call.dtype, 1, &count);
        if (is_square)
            call.end = call.start + ((double)count - round % 2) * call.step;
        const union argument argument[] = {real_scalar(call.start), real_scalar(call.end),
                                           real_scalar(call.step), argument_of_pointer(create_placed(&out))};
        fill_bytes(0, bytes_of(&out) + 64);
        assert_made(name, argument, &out, expect_sequence, &call);
    }
}

static void numbers_lie_between_two(void **state)
{
    (void)state;
    static const double ends[] = {0, 1, -1, 100, 0.1, -7.25, 1e4};
    for (int round = 0; round < ROUNDS; round++) {
        struct sequence call = {.start = ends[random_below(7)], .end = ends[random_below(7)]};
        call.dtype = draw_dtype_of("aclnnLinspace", 3);
        call.steps = random_below(4) == 0 ? 1 : 2 + random_below(3000);
        struct view out = drawn_view(0, call.dtype, 1, &call.steps);
        const union argument argument[] = {real_scalar(call.start), real_scalar(call.end),
                                           argument_of_integer(call.steps),
                                           argument_of_pointer(create_placed(&out))};
        fill_bytes(0, bytes_of(&out) + 64);
        assert_made("aclnnLinspace", argument, &out, expect_sequence, &call);
    }
}

struct powers {
    struct sequence sequence;
    double base;
};

/* Powers are within a unit of their last place: what is found counts where it is next to what is expected. */
static void powers_lie_between_two(void **state)
{
    (void)state;
    static const double ends[] = {0, 1, -1, 3, 0.1, -2.25, 6},
                        bases[] = {10, 2, 0.5, 1, 2.718281828459045, 7};
    for (int round = 0; round < ROUNDS; round++) {
        struct powers call = {{.start = ends[random_below(7)], .end = ends[random_below(7)]},
                              bases[random_below(6)]};
        const aclDataType dtype = draw_dtype_of("aclnnLogSpace", 4);
        call.sequence.dtype = ACL_DOUBLE;
        call.sequence.steps = random_below(4) == 0 ? 1 : 2 + random_below(1000);
        struct view out = drawn_view(0, dtype, 1, &call.sequence.steps);
        const union argument argument[] = {real_scalar(call.sequence.start), real_scalar(call.sequence.end),
                                           argument_of_integer(call.sequence.steps),
                                           argument_of_fp64(call.base),
                                           argument_of_pointer(create_placed(&out))};
        call_placed(find("aclnnLogSpace"), argument);
        for (int64_t i = 0; i < call.sequence.steps; i++) {
            double exponent, power;
            bool is_right = false;
            expect_sequence(&call.sequence, i, (unsigned char *)&exponent);
            const long double exact = powl((long double)call.base, (long double)exponent);
            for (int side = -1; side <= 1; side++) {
                unsigned char wanted[8];
                power = side == 0 ? (double)exact : nextafter((double)exact, side * (double)INFINITY);
                conversion_reference(&power, ACL_DOUBLE, wanted, dtype);
                is_right = is_right || memcmp(wanted, element_of(arena[0], &out, i), dtype_bytes(dtype)) == 0;
                power = (double)exact; /* exact powers stay exact */
                conversion_reference(&power, ACL_DOUBLE, wanted, dtype);
                if (exact == rintl(exact) && fabsl(exact) < 1e6L && side == 0)
                    assert_memory_equal(wanted, element_of(arena[0], &out, i), dtype_bytes(dtype));
            }
            if (!is_right)
                fail_msg("%g to the power of %g in %s", call.base, exponent, dtype_name(dtype));
        }
        destroy_arguments(find("aclnnLogSpace"), argument);
    }
}

static void expect_eye(const void *context, int64_t i, unsigned char *element)
{
    const struct view *out = (const struct view *)context;
    const unsigned char one = i / out->shape[1] == i % out->shape[1];
    conversion_reference(&one, ACL_BOOL, element, out->dtype);
}

static void ones_lie_on_the_diagonal(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t n = 1 + random_below(80), m = 1 + random_below(80);
        struct view out = drawn_view(0, draw_dtype_of("aclnnEye", 2), 2, DIMS(n, m));
        const union argument argument[] = {argument_of_integer(n), argument_of_integer(m),
                                           argument_of_pointer(create_placed(&out))};
        fill_bytes(0, bytes_of(&out) + 64);
        assert_made("aclnnEye", argument, &out, expect_eye, &out);
    }
}

struct one_hot {
    struct view self, out;
    uint32_t axis;
    int64_t classes;
    unsigned char on[8], off[8];
};

static void expect_one_hot(const void *context, int64_t i, unsigned char *element)
{
    const struct one_hot *call = (const struct one_hot *)context;
    int64_t number = 0, step = 1, class = 0, named = 0;
    for (uint32_t k = call->out.rank; k-- > 0; i /= call->out.shape[k]) {
        const int64_t index = i % call->out.shape[k];
        if (k == call->axis) {
            class = index;
            continue;
        }
        number += index * step;
        step *= call->out.shape[k];
    }
    const unsigned char *self = element_of(arena[1], &call->self, number);
    if (call->self.dtype == ACL_INT64)
        memcpy(&named, self, sizeof named);
    else
        conversion_reference(self, call->self.dtype, &named, ACL_INT64);
    memcpy(element, named == class ? call->on : call->off, dtype_bytes(call->out.dtype));
}

static void classes_become_rows(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t shape[OPERAND_RANK_MAX], with[OPERAND_RANK_MAX];
        const uint32_t rank = draw_shape(shape, 0, 4);
        struct one_hot call = {.classes = 1 + random_below(9), .axis = (uint32_t)random_below(rank + 1)};
        for (uint32_t i = 0; i <= rank; i++)
            with[i] = i == call.axis ? call.classes : shape[i - (i > call.axis)];
        call.self = drawn_view(1, draw_dtype_of("aclnnOneHot", 0), rank, shape);
        call.out = drawn_view(0, draw_dtype_of("aclnnOneHot", 5), rank + 1, with);
        struct view values = view_of(2, call.out.dtype, 1, DIMS(1)), off = values;
        off.offset = 1;
        for (int64_t i = 0; i < count_of(&call.self); i++) {
            const int64_t named = random_below(call.classes + 4) - 2;
            unsigned char *element = element_of(arena[1], &call.self, i);
            if (call.self.dtype == ACL_INT64)
                memcpy(element, &named, sizeof named);
            else
                conversion_reference(&named, ACL_INT64, element, call.self.dtype);
        }
        fill_bytes(0, bytes_of(&call.out) + 64);
        fill_bytes(2, 16);
        memcpy(call.on, arena[2], dtype_bytes(call.out.dtype));
        memcpy(call.off, arena[2] + dtype_bytes(call.out.dtype), dtype_bytes(call.out.dtype));
        const bool is_last = call.axis == rank && random_below(2) == 0;
        const union argument argument[] = {argument_of_pointer(create_placed(&call.self)),
                                           argument_of_integer(call.classes),
                                           argument_of_pointer(create_placed(&values)),
                                           argument_of_pointer(create_placed(&off)),
                                           argument_of_integer(is_last ? -1 : (int64_t)call.axis),
                                           argument_of_pointer(create_placed(&call.out))};
        assert_made("aclnnOneHot", argument, &call.out, expect_one_hot, &call);
    }
}

struct triangle {
    struct view self, out;
    int64_t diagonal;
    bool is_upper;
};

static void expect_triangle(const void *context, int64_t i, unsigned char *element)
{
    const struct triangle *call = (const struct triangle *)context;
    const int64_t columns = call->out.shape[call->out.rank - 1], rows = call->out.shape[call->out.rank - 2];
    const int64_t row = i / columns % rows, column = i % columns;
    const bool is_kept = call->is_upper ? column - row >= call->diagonal : column - row <= call->diagonal;
    const size_t bytes = dtype_bytes(call->out.dtype);
    static const unsigned char zero[16];
    memmove(element, is_kept ? element_of(arena[call->self.arena], &call->self, i) : zero, bytes);
}

static void triangles_stay(void **state)
{
    (void)state;
    static const char *const names[] = {"aclnnTril", "aclnnTriu", "aclnnInplaceTril", "aclnnInplaceTriu"};
    static const int64_t diagonals[] = {0, 1, -1, 5, -5, INT64_MAX, INT64_MIN};
    for (int round = 0; round < ROUNDS; round++) {
        const char *name = names[round % 4];
        const bool is_in_place = round % 4 > 1;
        int64_t shape[OPERAND_RANK_MAX];
        const uint32_t rank = draw_shape(shape, 2, 4);
        shape[rank - 1] += random_below(3) == 0 ? 100 : 0;
        struct triangle call = {.diagonal = diagonals[random_below(7)], .is_upper = round % 2 == 1};
        call.out = drawn_view(0, draw_dtype_of(name, 0), rank, shape);
        call.self =
            is_in_place ? call.out : drawn_view((unsigned)random_below(2), call.out.dtype, rank, shape);
        fill_bytes(0, bytes_of(&call.out) + bytes_of(&call.self) + 64);
        fill_bytes(1, bytes_of(&call.self) + 64);
        union argument argument[3] = {argument_of_pointer(create_placed(&call.self)),
                                      argument_of_integer(call.diagonal)};
        if (!is_in_place)
            argument[2] = argument_of_pointer(create_placed(&call.out));
        assert_made(name, argument, &call.out, expect_triangle, &call);
    }
}

struct diagonal {
    struct view out;
    bool wraps;
};

static void expect_diagonal(const void *context, int64_t i, unsigned char *element)
{
    const struct diagonal *call = (const struct diagonal *)context;
    const double value = 3;
    const int64_t size = call->out.shape[1];
    bool is_on = call->out.rank == 2 && call->wraps ? i % (size + 1) == 0 : true;
    if (call->out.rank > 2 || !call->wraps) {
        const int64_t first = i % call->out.shape[call->out.rank - 1];
        for (uint32_t k = call->out.rank; k-- > 0; i /= call->out.shape[k])
            is_on = is_on && i % call->out.shape[k] == first;
    }
    if (is_on)
        conversion_reference(&value, ACL_DOUBLE, element, call->out.dtype);
}

static void diagonals_are_filled(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const bool is_cube = random_below(4) == 0;
        const int64_t size = 1 + random_below(7), shape[] = {size, size, size};
        struct diagonal call = {.wraps = random_below(2) == 0};
        const aclDataType dtype = draw_dtype_of("aclnnInplaceFillDiagonal", 0);
        call.out = is_cube ? drawn_view(0, dtype == ACL_BOOL ? ACL_FLOAT : dtype, 3, shape)
                           : drawn_view(0, dtype == ACL_BOOL ? ACL_FLOAT : dtype, 2,
                                        DIMS(1 + random_below(60), 1 + random_below(9)));
        fill_bytes(0, bytes_of(&call.out) + 64);
        const union argument argument[] = {argument_of_pointer(create_placed(&call.out)), real_scalar(3),
                                           argument_of_bool(call.wraps)};
        assert_made("aclnnInplaceFillDiagonal", argument, &call.out, expect_diagonal, &call);
    }
}

static void set_scalar(struct attempt *attempt, unsigned parameter, double value)
{
    assert_int_equal(aclDestroyScalar(attempt->argument[parameter].scalar), 0);
    attempt->argument[parameter] = real_scalar(value);
}

static void sequences_have_rules(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnArange"));
    static const double refused[][3] = {{0, 5, 0},           {0, 5, -1},          {0, -5, 1},
                                        {0, 5, (double)NAN}, {(double)NAN, 5, 1}, {0, (double)INFINITY, 1}};
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 1, DIMS(5), NULL));
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned k = 0; k < 3; k++)
            set_scalar(&attempt, k, refused[i][k]);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "start is");
    }
    set_scalar(&attempt, 0, 0);
    set_scalar(&attempt, 1, 5.5);
    set_scalar(&attempt, 2, 1);
    for (int64_t count = 5; count <= 7; count++) { /* 6, and one more or less */
        replace(&attempt, 3, tensor_with(ACL_FLOAT, 1, &count, NULL));
        assert_accepted(&attempt);
    }
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 1, DIMS(8), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape [8]");
    set_scalar(&attempt, 2, 0.5); /* 0 in whole numbers */
    replace(&attempt, 3, tensor_with(ACL_INT64, 1, DIMS(11), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "start is 0, end is 5.5 and step is 0.5");
    set_scalar(&attempt, 1, 0); /* nothing */
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 1, DIMS(0), NULL));
    assert_accepted(&attempt);
    set_scalar(&attempt, 1, 7); /* 0, 3 and 6 */
    set_scalar(&attempt, 2, 3);
    for (int64_t count = 1; count <= 5; count++) {
        replace(&attempt, 3, tensor_with(ACL_INT64, 1, &count, NULL));
        if (count > 1 && count < 5)
            assert_accepted(&attempt);
        else
            assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape");
    }
    release(&attempt);

    attempt = accepted(find("aclnnRange"));
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 0, NULL, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has 0 dims; 1 or more are expected");
    release(&attempt);

    attempt = accepted(find("aclnnLogSpace"));
    attempt.argument[2].int64 = -1;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "steps is -1; 0 or more is expected");
    release(&attempt);

    attempt = accepted(find("aclnnLinspace"));
    attempt.argument[2].int64 = -1;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "steps is -1; 0 or more is expected");
    attempt.argument[2].int64 = 4;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape [5]");
    release(&attempt);
}

static void the_others_have_rules(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnEye"));
    attempt.argument[0].int64 = -1;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "n is -1 and m is 3; 0 or more are expected");
    attempt.argument[0].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape [2, 3]; [3, 3]");
    release(&attempt);

    attempt = accepted(find("aclnnOneHot"));
    attempt.argument[4].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "axis is 3; -1 to 2 are expected");
    attempt.argument[4].int64 = -1;
    attempt.argument[1].int64 = -1;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "numClasses is -1");
    attempt.argument[1].int64 = 4;
    replace(&attempt, 3, tensor_with(ACL_INT32, 1, DIMS(1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "offValue has dtype INT32");
    release(&attempt);

    attempt = accepted(find("aclnnTril"));
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 1 dims; 2 or more are expected");
    release(&attempt);
    attempt = accepted(find("aclnnInplaceTriu"));
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 0, NULL, NULL));
    assert_accepted(&attempt);
    release(&attempt);

    attempt = accepted(find("aclnnInplaceFillDiagonal"));
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 2, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "selfRef has 3 dims that differ in size");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "selfRef has 1 dims; 2 or more are expected");
    static const struct {
        aclDataType dtype;
        double least_refused, most_accepted;
    } ranges[] = {{ACL_INT8, 128, 127.9},       {ACL_UINT8, -1, -0.5},
                  {ACL_INT8, -129, -128.5},     {ACL_BOOL, 2, 1},
                  {ACL_FLOAT16, 65505, 65504},  {ACL_FLOAT, 1e39, 1e38},
                  {ACL_INT64, 0x1p63, -0x1p63}, {ACL_INT32, (double)NAN, 0}};
    for (unsigned i = 0; i < 8; i++) {
        replace(&attempt, 0, tensor_with(ranges[i].dtype, 2, DIMS(2, 3), NULL));
        set_scalar(&attempt, 1, ranges[i].least_refused);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "fillValue is");
        set_scalar(&attempt, 1, ranges[i].most_accepted);
        assert_accepted(&attempt);
    }
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_at_equal_distances),
        cmocka_unit_test(numbers_lie_between_two),
        cmocka_unit_test(powers_lie_between_two),
        cmocka_unit_test(ones_lie_on_the_diagonal),
        cmocka_unit_test(classes_become_rows),
        cmocka_unit_test(triangles_stay),
        cmocka_unit_test(diagonals_are_filled),
        cmocka_unit_test(sequences_have_rules),
        cmocka_unit_test(the_others_have_rules),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
