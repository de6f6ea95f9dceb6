/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * DynamicQuant and its second version, in any layout and dtype, against the same by plain loops: with and
 * without smooth scales, groups of them and an offset; rows of zeros and NaN; what is refused or fails; and
 * that bits depend neither on the level nor on the number of threads.
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

enum { FAULT = 507035, GROUPS = 3 };

struct quant {
    bool is_v2, has_smooth, has_groups, has_offset;
    aclDataType dtype; /* INT8, INT4, or INT32 of eight INT4 */
    int64_t rows, width;
    int32_t end[GROUPS];
    struct layout x, smooth, groups, y, scale, offset;
};

static struct layout made(aclDataType dtype, unsigned rank, const int64_t *shape, bool is_read)
{
    struct layout layout = layout_create(
        dtype, rank, shape, (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
    if (is_float_dtype(dtype))
        layout_fill(&layout, 3, false);
    return layout;
}

/* Bytes, as a tensor of twice as many INT4. */
static struct layout halves(unsigned rank, const int64_t *shape, const int64_t *bytes)
{
    struct layout layout = layout_create(ACL_INT8, rank, bytes, LAYOUT_CONTIGUOUS);
    int64_t stride[LAYOUT_RANK_MAX], step = 1;
    for (unsigned i = rank; i-- > 0; step *= shape[i])
        stride[i] = step;
    assert_int_equal(aclDestroyTensor(layout.tensor), 0);
    layout.tensor = aclCreateTensor(shape, rank, ACL_INT4, stride, 0, ACL_FORMAT_ND, shape, rank,
                                    memory_known_as(layout.memory));
    assert_non_null(layout.tensor);
    return layout;
}

static struct quant draw_call(void)
{
    struct quant call = {.is_v2 = random_below(2) == 0, .has_smooth = random_below(2) == 0};
    int64_t shape[LAYOUT_RANK_MAX];
    const unsigned rank = draw_dims(shape, 1, 3, 6000);
    static const aclDataType dtypes[] = {ACL_INT8, ACL_INT4, ACL_INT32};
    const int64_t packs[] = {1, 2, 8};
    const int which = (int)random_below(3);
    call.dtype = dtypes[which];
    shape[rank - 1] = (shape[rank - 1] + packs[which] - 1) / packs[which] * packs[which];
    const aclDataType dtype = short_dtypes[random_below(3)];
    call.has_groups = call.is_v2 && call.has_smooth && random_below(2) == 0;
    call.has_offset = call.is_v2 && random_below(2) == 0;
    call.x = made(dtype, rank, shape, true);
    call.width = shape[rank - 1];
    call.rows = call.x.count / call.width;
    const int64_t smooth[] = {GROUPS, call.width}, groups = GROUPS;
    call.smooth = made(dtype, call.has_groups ? 2 : 1, call.has_groups ? smooth : smooth + 1, true);
    call.groups = made(ACL_INT32, 1, &groups, false);
    for (int g = 0; g < GROUPS; g++) {
        const int32_t before = g > 0 ? call.end[g - 1] : 0;
        call.end[g] =
            g == GROUPS - 1 ? (int32_t)call.rows : before + (int32_t)random_below(call.rows - before + 1);
        memcpy(layout_element(&call.groups, g), &call.end[g], sizeof call.end[g]);
    }
    call.scale = made(ACL_FLOAT, rank - 1, shape, false);
    call.offset = made(ACL_FLOAT, rank - 1, shape, false);
    int64_t packed[LAYOUT_RANK_MAX];
    memcpy(packed, shape, sizeof packed);
    packed[rank - 1] /= packs[which];
    call.y = call.dtype == ACL_INT4 ? halves(rank, shape, packed) : made(call.dtype, rank, packed, false);
    for (int64_t row = 0; row < call.rows; row++)
        for (int64_t i = 0; row % 7 == 3 && i < call.width; i++) /* zeros, and where the last is no number */
            set_element(&call.x, row * call.width + i,
                        row % 14 == 3 && i + 1 == call.width ? (double)NAN : 0);
    return call;
}

static int run_call(const struct quant *call)
{
    const aclTensor *smooth = call->has_smooth ? call->smooth.tensor : NULL;
    const union argument v1[] = {{.tensor = call->x.tensor},
                                 {.tensor = smooth},
                                 {.tensor = call->y.tensor},
                                 {.tensor = call->scale.tensor}};
    const union argument v2[] = {v1[0],
                                 v1[1],
                                 {.tensor = call->has_groups ? call->groups.tensor : NULL},
                                 argument_of_integer(call->dtype),
                                 v1[2],
                                 v1[3],
                                 {.tensor = call->has_offset ? call->offset.tensor : NULL}};
    return call_function(find(call->is_v2 ? "aclnnDynamicQuantV2" : "aclnnDynamicQuant"),
                         call->is_v2 ? v2 : v1);
}

static double value_of(const struct quant *call, int64_t row, int64_t i)
{
    int64_t group = 0;
    while (call->has_groups && row >= call->end[group])
        group++;
    const double x = element_of(&call->x, row * call->width + i);
    return call->has_smooth ? x * element_of(&call->smooth, group * call->width + i) : x;
}

static int y_of(const struct quant *call, int64_t i)
{
    const int packs = call->dtype == ACL_INT8 ? 1 : call->dtype == ACL_INT4 ? 2 : 8;
    uint32_t element = 0;
    memcpy(&element, layout_element(&call->y, i / packs), call->y.bytes);
    if (packs == 1)
        return (int8_t)element;
    const int code = (int)(element >> 4 * (i % packs) & 15);
    return code < 8 ? code : code - 16;
}

static void judge_row(const struct quant *call, int64_t row)
{
    double greatest = -(double)INFINITY, least = (double)INFINITY, size = 0;
    bool is_number = true;
    const double most = call->dtype == ACL_INT8 ? 127 : 7;
    for (int64_t i = 0; i < call->width; i++) {
        const double value = value_of(call, row, i);
        is_number = is_number && !isnan(value);
        greatest = fmax(greatest, value);
        least = fmin(least, value);
        size = fmax(size, fabs(value));
    }
    float scale = call->has_offset ? (float)((greatest - least) / (2 * most + 1)) : (float)(size / most),
          offset = 0;
    scale = is_number ? scale : NAN;
    const bool is_nothing = call->has_offset && scale == 0;
    /* What the greatest number's part of the levels rounds to 0 is 0 with any offset. */
    if (call->has_offset && !(is_nothing && (float)(size / (2 * most + 1)) == 0))
        offset = (float)(most - greatest / (double)scale);
    const double found = element_of(&call->scale, row);
    assert_true(found == (double)scale || (isnan(found) && !is_number));
    if (call->has_offset) {
        const double other = element_of(&call->offset, row);
        assert_true(other == (double)offset || (isnan(other) && isnan(offset)));
    }
    for (int64_t i = 0; i < call->width; i++) {
        const double wanted =
            is_nothing ? 0 : nearbyint(value_of(call, row, i) / (double)scale + (double)offset);
        const int got = y_of(call, row * call->width + i);
        if ((double)got != (isnan(wanted) ? 0 : fmin(fmax(wanted, -most - 1), most)))
            fail_msg("row %lld, element %lld is %d and not %g", (long long)row, (long long)i, got, wanted);
    }
}

static void forget(struct quant *call)
{
    struct layout *all[] = {&call->x, &call->smooth, &call->groups, &call->y, &call->scale, &call->offset};
    for (int i = 0; i < 6; i++)
        layout_destroy(all[i]);
}

static void rows_get_their_scales(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        struct quant call = draw_call();
        assert_int_equal(run_call(&call), 0);
        for (int64_t row = 0; row < call.rows; row++)
            judge_row(&call, row);
        forget(&call);
    }
}

static void known_numbers(void **state)
{
    (void)state;
    static const double x[] = {1, -2, 0.5, 2}, wanted[] = {64, -127, 32, 127},
                        with_offset[] = {64, -128, 32, 127};
    for (int i = 0; i < 2; i++) {
        const int64_t shape[] = {1, 4};
        struct quant call = {.is_v2 = i == 1, .has_offset = i == 1, .rows = 1, .width = 4, .dtype = ACL_INT8};
        call.x = made(ACL_FLOAT, 2, shape, false);
        call.smooth = made(ACL_FLOAT, 1, shape + 1, false);
        call.groups = made(ACL_INT32, 1, shape, false);
        call.y = made(ACL_INT8, 2, shape, false);
        call.scale = made(ACL_FLOAT, 1, shape, false);
        call.offset = made(ACL_FLOAT, 1, shape, false);
        for (int k = 0; k < 4; k++)
            set_element(&call.x, k, x[k]);
        assert_int_equal(run_call(&call), 0);
        for (int k = 0; k < 4; k++)
            if (fabs(*(int8_t *)layout_element(&call.y, k) - (i == 1 ? with_offset[k] : wanted[k])) > 1)
                fail_msg("element %d is %d", k, *(int8_t *)layout_element(&call.y, k));
        forget(&call);
    }
}

static void a_row_of_no_elements_has_the_scale_0(void **state)
{
    (void)state;
    const int64_t shape[] = {3, 0};
    struct quant call = {.is_v2 = true, .has_offset = true, .rows = 3, .dtype = ACL_INT8};
    call.x = made(ACL_FLOAT, 2, shape, false);
    call.smooth = made(ACL_FLOAT, 1, shape + 1, false);
    call.groups = made(ACL_INT32, 1, shape, false);
    call.y = made(ACL_INT8, 2, shape, false);
    call.scale = made(ACL_FLOAT, 1, shape, false);
    call.offset = made(ACL_FLOAT, 1, shape, false);
    assert_int_equal(run_call(&call), 0);
    for (int row = 0; row < 3; row++) {
        assert_true(element_of(&call.scale, row) == 0);
        assert_true(element_of(&call.offset, row) == 0);
    }
    forget(&call);
}

/* Scales that are subnormal or underflow: what y, scale and offset stand for is what was there, within half a scale or
 * what FLOAT has not. */
static void tiny_numbers_stay_what_they_are(void **state)
{
    enum { ROWS = 6, WIDTH = 4 };
    static const double least = 0x1p-149,
                        x[ROWS][WIDTH] = {{0, 0, 0, 0},    {1, -1, 0, 1},       {1, 1, 1, 1},
                                          {-1, 0, -1, -1}, {130, -120, 7, 100}, {1e4, -3e4, 123, -4567}};
    (void)state;
    for (int has_offset = 0; has_offset < 2; has_offset++) {
        const int64_t shape[] = {ROWS, WIDTH};
        struct quant call = {
            .is_v2 = true, .has_offset = has_offset, .rows = ROWS, .width = WIDTH, .dtype = ACL_INT8};
        call.x = made(ACL_FLOAT, 2, shape, false);
        call.smooth = made(ACL_FLOAT, 1, shape + 1, false);
        call.groups = made(ACL_INT32, 1, shape, false);
        call.y = made(ACL_INT8, 2, shape, false);
        call.scale = made(ACL_FLOAT, 1, shape, false);
        call.offset = made(ACL_FLOAT, 1, shape, false);
        for (int i = 0; i < ROWS * WIDTH; i++)
            set_element(&call.x, i, x[i / WIDTH][i % WIDTH] * least);
        assert_int_equal(run_call(&call), 0);
        for (int i = 0; i < ROWS * WIDTH; i++) {
            const double scale = element_of(&call.scale, i / WIDTH),
                         offset = has_offset ? element_of(&call.offset, i / WIDTH) : 0;
            const double found = (y_of(&call, i) - offset) * scale;
            if (!(fabs(found - x[i / WIDTH][i % WIDTH] * least) <= fmax(scale * 0.51, 128 * least)))
                fail_msg("row %d, element %d with%s an offset: (%d - %g) %g", i / WIDTH, i % WIDTH,
                         has_offset ? "" : "out", y_of(&call, i), offset, scale);
        }
        for (int64_t row = 0; row < ROWS; row++)
            judge_row(&call, row);
        forget(&call);
    }
}

static void what_is_not_in_the_contract(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnDynamicQuantV2"));
    attempt.argument[3].int64 = ACL_INT16;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "dstType is 6; 2, INT8, 3, INT32 of eight INT4 each, or 29, INT4, is expected");
    attempt.argument[3].int64 = ACL_INT4;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "x has rows of 3 elements; multiples of 2 are expected for INT4");
    attempt.argument[3].int64 = ACL_INT32;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "x has rows of 3 elements; multiples of 8 are expected for INT4 in INT32");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(2, 8), NULL));
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(8), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "yOut");
    replace(&attempt, 4, tensor_with(ACL_INT32, 2, DIMS(2, 1), NULL));
    assert_accepted(&attempt);
    attempt.argument[3].int64 = ACL_INT4;
    replace(&attempt, 4, tensor_with(ACL_INT4, 2, DIMS(2, 8), DIMS(10, 1)));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "yOut of INT4 is a view; a contiguous one");
    replace(&attempt, 4, tensor_with(ACL_INT4, 2, DIMS(2, 8), NULL));
    assert_accepted(&attempt);
    release(&attempt);
    attempt = accepted(find("aclnnDynamicQuantV2"));
    attempt.argument[2].tensor = tensor_with(ACL_INT32, 1, DIMS(2), NULL);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "smoothScalesOptional has 1 dims; 2");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 2, DIMS(0, 3), NULL));
    replace(&attempt, 2, tensor_with(ACL_INT32, 1, DIMS(0), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "groupIndexOptional has 0 elements; 1 or more are expected");
    replace(&attempt, 2, tensor_with(ACL_INT32, 1, DIMS(2), NULL));
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 2, DIMS(3, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "groupIndexOptional has 2 elements in 1 dims; one dim of 3");
    release(&attempt);
    for (int bad = 0; bad < 2; bad++) {
        struct quant call = draw_call();
        while (!call.has_groups) {
            forget(&call);
            call = draw_call();
        }
        const int32_t end = bad == 0 ? (int32_t)call.rows + 1 : -1;
        memcpy(layout_element(&call.groups, 1), &end, sizeof end);
        assert_failure(run_call(&call), FAULT, "groupIndex holds");
        forget(&call);
    }
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 30; round++) {
        struct quant call = draw_call();
        if (run_call(&call) != 0)
            return 0;
        hash = hash_of(call.y.memory, (size_t)(call.y.reach + 1) * call.y.bytes, hash);
        hash = hash_of(call.scale.memory, (size_t)(call.scale.reach + 1) * call.scale.bytes, hash);
        forget(&call);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_get_their_scales),
        cmocka_unit_test(known_numbers),
        cmocka_unit_test(a_row_of_no_elements_has_the_scale_0),
        cmocka_unit_test(tiny_numbers_stay_what_they_are),
        cmocka_unit_test(what_is_not_in_the_contract),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
